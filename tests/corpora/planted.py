"""A seed in, sources with planted agreements, updates, new versions and conflicts out; nothing is read or written here.

Every subject has one story (``Story``). Its sentences are spread over dated sources, together with sentences that say
nothing checkable. A key that comes twice is a new version of a source: it repeats the old text but for what its
stories changed. ``Planted.expected`` says what a reader who has read everything, in the order given, should believe.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from enum import StrEnum
from random import Random
from types import MappingProxyType
from typing import Final, NamedTuple

from tests.corpora.planted_themes import (
    DENIAL,
    FINDINGS,
    FIRST,
    HEADS,
    QUALIFIED,
    REWRITABLE,
    STATES,
    TAILS,
    USES,
    Theme,
)


class Story(StrEnum):
    """What the sources do with one subject."""

    SINGLE = "single"
    """One source says it."""
    KEPT = "kept"
    """A source says it in both of its versions."""
    AGREED = "agreed"
    """Two or three sources say it in different sentences."""
    REWRITTEN = "rewritten"
    """Two sources write the same value differently."""
    UPDATED = "updated"
    """A state; a source of a later date says another value."""
    REPLACED = "replaced"
    """A new version of the only source says another value."""
    SETTLED = "settled"
    """Two sources disagree until a new version of one takes the other's value."""
    OPENED = "opened"
    """Two sources agree until a new version of one takes another value."""
    DISPUTED = "disputed"
    """A finding; two sources say different values."""
    SAME_DAY = "same-day"
    """A state; two sources of the same date say different values."""
    DENIED = "denied"
    """One source affirms what another denies."""
    APART = "apart"
    """Two sources say different values under different qualifiers."""
    MANY = "many"
    """A relation that takes many values at once; two sources give one each."""


class PlantedSource(NamedTuple):
    """One source: its key, its title, its date (ISO) and its text."""

    key: str
    title: str
    date: str
    text: str


class Statement(NamedTuple):
    """What ``sources[source].text[start:end]`` says; ``story_of`` is the number of its subject."""

    source: int
    start: int
    end: int
    subject: str
    relation: str
    object: str
    negated: bool
    qualifiers: Mapping[str, str]
    story_of: int


class Expected(NamedTuple):
    """What should be believed of one subject, relation and qualifiers.

    ``status`` is active, contested or superseded: that of the newest value. ``values`` are the values that stand, as
    written by the first source that says so: two when contested, one when it is affirmed and denied. ``superseded`` are
    those that a later date replaced. A value that only an old version of a source said is in neither.
    """

    story: Story
    subject: str
    relation: str
    qualifiers: Mapping[str, str]
    status: str
    values: tuple[str, ...]
    superseded: tuple[str, ...] = ()


class Planted(NamedTuple):
    """The corpus: sources in the order in which they arrive, what they state, and what should come of it."""

    sources: tuple[PlantedSource, ...]
    statements: tuple[Statement, ...]
    expected: tuple[Expected, ...]


class _Said(NamedTuple):
    subject: str
    relation: str
    value: str
    negated: bool
    qualifiers: Mapping[str, str]
    text: str
    story_of: int


_FILLERS: Final = (
    "Nothing else was decided that day.",
    "The weather kept the boats in port.",
    "Whether this will last is an open question.",
    "The reader is asked for patience.",
    "Does it matter?",
    "More will be said about it in the next chapter.",
    "If funds allow, the work will go on.",
)
_BASE: Final = (
    ("atlas", "Northern Gazetteer", "2021-02-10"),
    ("survey", "Survey of the Coast", "2021-09-01"),
    ("almanac", "Almanac", "2022-03-15"),
    ("review", "Annual Review", "2022-11-20"),
    ("bulletin", "Monthly Bulletin", "2023-05-05"),
    ("digest", "Technical Digest", "2023-10-12"),
    ("register", "Register", "2024-04-01"),
    ("ledger", "Ledger of Projects", "2024-09-30"),
)
_TWINS: Final = (("minutes", "Board Minutes", "2024-12-01"), ("plan", "Board Plan", "2024-12-01"))
_VERSIONED: Final = (("handbook", "Handbook", "2022-06-01"), ("catalogue", "Catalogue", "2022-07-01"))
_NEW_DATES: Final = MappingProxyType({"handbook": "2025-02-01", "catalogue": "2025-03-01"})
_BASE_KEYS: Final = tuple(key for key, _, _ in _BASE)
_VERSIONED_KEYS: Final = tuple(key for key, _, _ in _VERSIONED)

_STORIES: Final = (
    *(Story.SINGLE,) * 2,
    *(Story.KEPT,) * 3,
    *(Story.AGREED,) * 4,
    *(Story.REWRITTEN,) * 6,
    *(Story.UPDATED,) * 5,
    *(Story.REPLACED,) * 3,
    *(Story.SETTLED,) * 2,
    *(Story.OPENED,) * 2,
    *(Story.DISPUTED,) * 5,
    Story.SAME_DAY,
    *(Story.DENIED,) * 2,
    *(Story.APART,) * 3,
    *(Story.MANY,) * 2,
)


_THEMES: Final[Mapping[Story, tuple[Theme, ...]]] = MappingProxyType(
    {
        Story.UPDATED: STATES,
        Story.SAME_DAY: STATES,
        Story.REWRITTEN: REWRITABLE,
        Story.APART: QUALIFIED,
        Story.DENIED: (USES,),
        Story.MANY: (USES,),
        Story.SINGLE: (*FINDINGS, *STATES, USES),
        Story.AGREED: (*FINDINGS, *STATES, USES),
    }
)
"""Stories that are not listed are told of findings."""


class _Desk:
    """Where sentences are collected, per source key and version, until the texts are set."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = [head + tail for head in HEADS for tail in TAILS]
        self.random.shuffle(self.names)
        self.said: defaultdict[tuple[str, int], list[_Said]] = defaultdict(list)
        self.expected: list[Expected] = []

    def subject(self, theme: Theme) -> str:
        """A name that no other subject has."""
        return theme.subject.format(name=self.names.pop(), first=self.random.choice(FIRST))

    def values(self, theme: Theme) -> tuple[str, str]:
        """Two values, far enough apart that no rounding makes them one."""
        first = second = theme.draw(self.random)
        while not theme.apart(first, second):
            second = theme.draw(self.random)
        return first, second

    def frame(self, theme: Theme, avoid: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
        """Qualifiers for one key; those with a choice differ from ``avoid``."""
        return {
            name: self.random.choice([one for one in choices if len(choices) == 1 or one != avoid.get(name)])
            for name, choices in theme.qualifiers
        }

    def keys(self, count: int) -> list[str]:
        """Keys of base sources, earlier dates first."""
        return sorted(self.random.sample(_BASE_KEYS, count), key=_BASE_KEYS.index)


def planted(seed: int, subjects: int = 200) -> Planted:
    """Return the corpus of ``seed`` with that many subjects (1 to 374); the same seed gives the same bytes."""
    desk = _Desk(seed)
    if not 1 <= subjects <= len(desk.names):
        raise ValueError(f"subjects must be 1 to {len(desk.names)}, not {subjects}")
    for number in range(subjects):
        story = _STORIES[number % len(_STORIES)]
        _TELLERS[story](_Tale(desk, story, number))
    sources, statements = _set_texts(desk)
    return Planted(sources, statements, tuple(desk.expected))


class _Tale:
    """One subject while its story is written: two values for it, its qualifiers, and each sentence in another form."""

    def __init__(self, desk: _Desk, story: Story, number: int) -> None:
        self.desk, self.story, self.number = desk, story, number
        self.theme = desk.random.choice(_THEMES.get(story, FINDINGS))
        self.subject, self.frame = desk.subject(self.theme), desk.frame(self.theme)
        self.first, self.second = desk.values(self.theme)
        self._turn = desk.random.randrange(len(self.theme.forms))

    def say(self, key: str, value: str, frame: Mapping[str, str] | None = None, *, negated: bool = False) -> None:
        """Write a sentence into the first version of a source."""
        self.desk.said[key, 1].append(self._said(value, self.frame if frame is None else frame, negated=negated))

    def say_twice(self, old: str, new: str) -> None:
        """Write ``old`` into the first version of a source and ``new``, in the same words, into the second."""
        key = self.desk.random.choice(_VERSIONED_KEYS)
        self.say(key, old)
        self._turn -= 1
        self.desk.said[key, 2].append(self._said(new, self.frame))

    def expect(self, status: str, *values: str, superseded: tuple[str, ...] = ()) -> None:
        """Note what should be believed in the end."""
        self.desk.expected.append(
            Expected(self.story, self.subject, self.theme.relation, self.frame, status, values, superseded)
        )

    def _said(self, value: str, frame: Mapping[str, str], *, negated: bool = False) -> _Said:
        self._turn += 1
        forms = (DENIAL,) if negated else self.theme.forms
        text = forms[self._turn % len(forms)].format(s=self.subject, o=value, **frame)
        return _Said(self.subject, self.theme.relation, value, negated, frame, text, self.number)


def _tell_single(tale: _Tale) -> None:
    tale.say(tale.desk.keys(1)[0], tale.first)
    tale.expect("active", tale.first)


def _tell_kept(tale: _Tale) -> None:
    tale.say_twice(tale.first, tale.first)
    tale.expect("active", tale.first)


def _tell_agreed(tale: _Tale) -> None:
    for key in tale.desk.keys(tale.desk.random.choice((2, 3))):
        tale.say(key, tale.first)
    tale.expect("active", tale.first)


def _tell_rewritten(tale: _Tale) -> None:
    one, other = tale.desk.keys(2)
    tale.say(one, tale.first)
    tale.say(other, tale.theme.rewrite(tale.first))
    tale.expect("active", tale.first)


def _tell_updated(tale: _Tale) -> None:
    one, other = tale.desk.keys(2)
    tale.say(one, tale.first)
    tale.say(other, tale.second)
    tale.expect("active", tale.second, superseded=(tale.first,))


def _tell_replaced(tale: _Tale) -> None:
    tale.say_twice(tale.first, tale.second)
    tale.expect("active", tale.second)


def _tell_settled(tale: _Tale) -> None:
    tale.say_twice(tale.first, tale.second)
    tale.say(tale.desk.keys(1)[0], tale.second)
    tale.expect("active", tale.second)


def _tell_opened(tale: _Tale) -> None:
    tale.say_twice(tale.first, tale.second)
    tale.say(tale.desk.keys(1)[0], tale.first)
    tale.expect("contested", tale.first, tale.second)


def _tell_disputed(tale: _Tale) -> None:
    one, other = tale.desk.keys(2)
    tale.say(one, tale.first)
    tale.say(other, tale.second)
    tale.expect("contested", tale.first, tale.second)


def _tell_same_day(tale: _Tale) -> None:
    (one, _, _), (other, _, _) = _TWINS
    tale.say(one, tale.first)
    tale.say(other, tale.second)
    tale.expect("contested", tale.first, tale.second)


def _tell_denied(tale: _Tale) -> None:
    one, other = tale.desk.keys(2)
    tale.say(one, tale.first)
    tale.say(other, tale.first, negated=True)
    tale.expect("contested", tale.first)


def _tell_apart(tale: _Tale) -> None:
    one, other = tale.desk.keys(2)
    elsewhere = tale.desk.frame(tale.theme, tale.frame)
    tale.say(one, tale.first)
    tale.say(other, tale.second, elsewhere)
    tale.expect("active", tale.first)
    tale.frame = elsewhere
    tale.expect("active", tale.second)


def _tell_many(tale: _Tale) -> None:
    for key, value in zip(tale.desk.keys(2), (tale.first, tale.second), strict=True):
        tale.say(key, value)
        tale.expect("active", value)


_TELLERS: Final[Mapping[Story, Callable[[_Tale], None]]] = MappingProxyType(
    {
        Story.SINGLE: _tell_single,
        Story.KEPT: _tell_kept,
        Story.AGREED: _tell_agreed,
        Story.REWRITTEN: _tell_rewritten,
        Story.UPDATED: _tell_updated,
        Story.REPLACED: _tell_replaced,
        Story.SETTLED: _tell_settled,
        Story.OPENED: _tell_opened,
        Story.DISPUTED: _tell_disputed,
        Story.SAME_DAY: _tell_same_day,
        Story.DENIED: _tell_denied,
        Story.APART: _tell_apart,
        Story.MANY: _tell_many,
    }
)


def _set_texts(desk: _Desk) -> tuple[tuple[PlantedSource, ...], tuple[Statement, ...]]:
    """The sources in the order of their dates, with the offsets of what they state."""
    heads = [(key, title, date, 1) for key, title, date in (*_BASE, *_TWINS, *_VERSIONED)]
    heads += [(key, title, _NEW_DATES[key], 2) for key, title, _ in _VERSIONED]
    sources: list[PlantedSource] = []
    statements: list[Statement] = []
    for key, title, date, version in sorted(heads, key=lambda head: head[2]):
        said = desk.said.get((key, version), [])
        if not said:
            continue
        text, spans = _text_of(title, said, Random(key))
        for one, (start, end) in zip(said, spans, strict=True):
            statements.append(Statement(len(sources), start, end, *one[:5], one.story_of))
        sources.append(PlantedSource(key, title, date, text))
    return tuple(sources), tuple(statements)


def _text_of(title: str, said: list[_Said], random: Random) -> tuple[str, list[tuple[int, int]]]:
    """Paragraphs of three statements with a filler between; two versions of a source get the same fillers."""
    text = f"# {title}\n"
    spans: list[tuple[int, int]] = []
    for place, one in enumerate(said):
        text += "\n" if place % 3 == 0 else " "
        spans.append((len(text), len(text) + len(one.text)))
        text += one.text
        if place % 3 == 1:
            text += f" {random.choice(_FILLERS)}"
        if place % 3 == 2:
            text += "\n"
    return text.rstrip("\n") + "\n", spans
