"""A sentence in, the values that it gives of a quantity named earlier out: measured_as. A model is never asked.

"Michelson's value of 1926 was 299,796 ± 4 km/s", "In 1950 Essen published 299,792.5 km/s", "1935: 299,774 ± 11 km/s":
what was measured stands in a sentence before, in the passage before, or in the title. It is taken from there only where
one quantity of that dimension is named, so that a speed never becomes the speed of something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from trisynapse_memory.extraction.amounts import (
    date_of,
    dates_in,
    is_contrary,
    is_exact,
    is_example,
    quantities_in,
    value_phrase,
    with_anchor,
)
from trisynapse_memory.extraction.clauses import Clause, clauses_of, propose
from trisynapse_memory.extraction.moods import Mood
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.text.quantities import normalise
from trisynapse_memory.text.quantity_spans import QuantitySpan
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.units import read_unit
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "values"

_UNIT_OF: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "m/s": ("speed", "velocity"),
        "kg": ("mass", "weight"),
        "m": (
            *("length", "height", "depth", "width", "diameter", "radius", "distance", "thickness", "wavelength"),
            *("altitude", "elevation", "circumference", "perimeter"),
        ),
        "m²": ("area",),
        "m³": ("volume",),
        "K": ("temperature", "melting point", "boiling point", "freezing point", "flash point"),
        "s": ("age", "duration", "half-life", "lifetime", "period"),
        "Hz": ("frequency",),
        "J": ("energy",),
        "W": ("power", "luminosity"),
        "Pa": ("pressure",),
        "N": ("force",),
        "kg/m³": ("density", "concentration"),
        "mol/L": ("concentration",),
        "V": ("voltage",),
        "ohm": ("resistance",),
        "F": ("capacitance",),
        "C": ("charge",),
        "Pa·s": ("viscosity",),
        "m/s²": ("acceleration",),
    }
)
"""A unit of each dimension, and the nouns that name quantities of it."""
_NOUN: Final = "|".join(sorted({noun for nouns in _UNIT_OF.values() for noun in nouns}, key=len, reverse=True))
_KIND: Final = r"(?:binding|kinetic|activation|ionization|resonance|resonant|natural)"
_FUNCTION: Final = (
    r"(?:of|in|on|at|to|for|and|or|by|with|as|from|than|that|which|who|whose|when|where|while|if|but|because|is|are|was|"
    r"were|be|been|has|have|had|does|do|did|can|could|may|might|will|would|should|must|not|never|it|its|he|him|his|she|"
    r"her|they|them|their|we|us|our|this|these|those|between|above|below|under|over|against|per|during|after|before|"
    r"through|also|then|again|once|twice|later|today|still|now|here|there|only|both|differs?|"
    r"varies|depends|changes|gives?|gave|takes?|took|came|comes|needs)"
)
_WORD: Final = rf"(?!{_FUNCTION}\b)[^\W\d_][\w’'-]*"
_OWNER: Final = rf"(?:(?:the|an?)\s+)?{_WORD}(?:[ \t]*\n?[ \t]*(?!\w+ed\b){_WORD}){{0,2}}"
_NAME: Final = re.compile(
    rf"(?<![\w-])(?P<name>(?:{_KIND}\s+)?(?:{_NOUN})\s+(?:of\s+(?P<vague>(?:its|their|his|her|this|that|these|those|each|"
    rf"every|another)\s+)?{_OWNER}|at\s+the\s+{_OWNER}))(?P<behind>\s+[^\W\d_]\w*|\W|$)",
    re.IGNORECASE,
)
_ROTATION: Final = re.compile(r"(?:speed|velocity)\s+of\s+(?:rotation|the\s+(?:wheel|shaft|rotor))", re.IGNORECASE)
_CLOSED: Final = re.compile(rf"\s+(?:{_FUNCTION}|\w+ed)$", re.IGNORECASE)

_GIVING: Final = frozenset(
    """find give obtain publish report print recommend get derive announce record adopt yield take quote""".split()
)
_OF_TIME: Final = frozenset(("take", "get", "give"))
"""With a time behind them these tell how long something lasted."""
_GAP: Final = re.compile(r"\s+(?:(?:an?|the)\s+(?:value|figure|result)\s+of\s+)?(?:about\s+|some\s+)?")
_AT: Final = re.compile(r"\s+at\s+(?:(?:an?|the)\s+(?:value|figure|result)\s+of\s+)?(?:about\s+)?")
_IS: Final = re.compile(r"\s+(?:about\s+)?")
_STANDS_FOR: Final = frozenset("value result figure".split())
_SOURCES: Final = frozenset(
    """he she they we it i who group team party committee laboratory report handbook measurement experiment survey
    expedition author review observation letter first second third""".split()
)
_OTHER: Final = re.compile(r"\b(?:other|another|next|different)\b", re.IGNORECASE)
_WITHDRAWN: Final = re.compile(
    r"\b(?:withdr[aeo]wn?|retract\w*|reject\w*|discard\w*|mistake\w*|wrong(?:ly)?|erroneous\w*|in\s+error)\b",
    re.IGNORECASE,
)
_BEHIND_BAD: Final = re.compile(
    r"\s+(?:of|more|less|fewer|higher|lower|greater|larger|smaller|longer|shorter|faster|slower|older|younger|heavier|"
    r"lighter|later|earlier|ago|above|below|beyond|away|apart|too|further|than|short|long|wide|deep|high|thick)\b",
    re.IGNORECASE,
)
_BEHIND_GOOD: Final = re.compile(
    r"\s*(?:[.;,!)”\"]|$|(?:in|from|and|dated|by\s+this)\b)|\s+for\s+(?:the\s+)?(?=" + _KIND + r"|" + _NOUN + r")"
)
_FRONT: Final = re.compile(r"(?:For|With|Without|Under|At|In)\s+(?!the\s+end\b|all\b)")
_NO_PROSE: Final = frozenset((Modality.CODE, Modality.TABLE))
_PERSON: Final = (
    r"(?!(?:If|Had|Did|Does|When|While|Unless|Whether|Suppose|No|Nobody|None|In|For|With|At)\b)[^\W\d_a-z][\w’'.-]*"
)
_PEOPLE: Final = rf"{_PERSON}(?:(?:,|\s+and|,\s+and)?\s+{_PERSON}){{0,4}}"
_YEAR: Final = r"(?:1\d{3}|20\d\d)"
_YEAR_LINE: Final = re.compile(rf"^{_YEAR}\b[^\n]*$", re.MULTILINE)
_LISTED: Final = re.compile(rf"(?P<year>{_YEAR})(?:,[^:;.]{{1,80}})?:\s+")
_VALUED: Final = re.compile(
    rf"(?:{_PERSON}[’']s\s+|(?:The|His|Her|Their|Our|This\s+time\s+the)\s+)(?:(?:final|own|best|last|new|later)\s+)?"
    rf"(?P<noun>value|result|figure)(?:\s+of\s+{_YEAR})?\s+(?:was|is)\s+"
)
_SIMPLE: Final = re.compile(
    rf"(?:In\s+{_YEAR},?\s+)?(?:{_PEOPLE}|(?:he|she|they|we)|(?:The|the)\s+(?:first|second|third))(?:\s+\({_YEAR}\))?\s+"
    r"(?:found|gave|obtained|published|reported|recommended|announced|arrived\s+at|derived|printed)\s+"
    r"(?:an?\s+(?:value|figure|result)\s+of\s+)?"
)
_OWNED: Final = re.compile(r"[’']s\s+(?:own\s+)?(?:is|was)\s+$")
_ASIDE: Final = re.compile(r"\b(?P<noun>value|result|figure),\s+$")


class _Given(NamedTuple):
    """A value that a sentence gives: the word that stands for the quantity, how it is meant, its year if listed."""

    quantity: QuantitySpan
    mood: Mood
    anaphor: str = ""
    year: str = ""
    is_plain: bool = True


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield the values that a sentence gives of a quantity that it, or what stands before it, names."""
    if not _is_assertion(sentence):
        return
    for given in _given(sentence):
        if not (given.mood.negated or given.mood.hedged):
            yield from _told(sentence, given)


def find_figures(passage: Passage) -> Iterator[Proposal]:
    """Yield the values of sentences and lines that are mostly figures, which no parser is given.

    "Michelson's value of 1926 was 299,796 ± 4 km/s.", "1935, in an evacuated tube: 299,774 ± 11 km/s.", "In 1947 they
    found 299,792 km/s.": their shape is read as it is written.
    """
    if passage.modality in _NO_PROSE or passage.cells:
        return
    for start, end in (*sentence_spans(passage.text), *_lines(passage.text)):
        sentence = Sentence(passage=passage, start=start, end=end, words=())
        if _is_assertion(sentence):
            for given in _figures(sentence):
                yield from _told(sentence, given)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Where the lines that begin with a year stand; a list has no sentences."""
    return ((match.start(), match.end()) for match in _YEAR_LINE.finditer(text))


def _is_assertion(sentence: Sentence) -> bool:
    if sentence.text.endswith("?") or _WITHDRAWN.search(sentence.raw) or is_contrary(sentence) or is_example(sentence):
        return False
    return any(one.has_unit for one in quantities_in(sentence))


def _figures(sentence: Sentence) -> Iterator[_Given]:
    """Read the shapes that need no grammar."""
    text = sentence.passage.text
    for quantity in quantities_in(sentence):
        if not quantity.has_unit:
            continue
        if (listed := _LISTED.fullmatch(text, sentence.start, quantity.start)) is not None:
            yield _Given(quantity, Mood(), year=listed["year"])
        elif (valued := _VALUED.fullmatch(text, sentence.start, quantity.start)) is not None:
            yield _Given(quantity, Mood(), valued["noun"])
        elif _SIMPLE.fullmatch(text, sentence.start, quantity.start) is not None:
            yield _Given(quantity, Mood())
        elif (aside := _ASIDE.search(text, sentence.start, quantity.start)) is not None:
            if text[quantity.end : quantity.end + 1] == ",":
                yield _Given(quantity, Mood(), aside["noun"])
        elif _OWNED.search(text, sentence.start, quantity.start):
            yield _Given(quantity, Mood(), is_plain=False)


def _given(sentence: Sentence) -> Iterator[_Given]:
    for clause in clauses_of(sentence):
        if not clause.is_passive and (clause.lemma in _GIVING or clause.lemma == "arrive"):
            yield from _by_someone(sentence, clause)
        elif clause.lemma == "be":
            yield from _equated(sentence, clause)


def _by_someone(sentence: Sentence, clause: Clause) -> Iterator[_Given]:
    """Read "Essen published V", "who obtained V", "arrived at V"; a second value joined by "and" is one more."""
    verb = sentence.words[clause.verb]
    quantity = _value_behind(sentence, verb.end, _AT if clause.lemma == "arrive" else _GAP)
    if quantity is None or (clause.lemma in _OF_TIME and _unit(sentence, quantity) == "s"):
        return
    head = clause.subject_head
    if head is not None and not _is_source(sentence, head):
        return
    yield _Given(quantity, clause.mood, is_plain=head is not None)


def _equated(sentence: Sentence, clause: Clause) -> Iterator[_Given]:
    """Read "Michelson's value of 1926 was V", "The result was V"."""
    head = clause.subject_head
    quantity = _value_behind(sentence, sentence.words[clause.verb].end, _IS)
    if head is None or quantity is None or sentence.words[head].lemma.lower() not in _STANDS_FOR:
        return
    of = next((one for one in sentence.children(head, "prep") if sentence.words[one].lower == "of"), None)
    if of is not None:
        behind = sentence.words[of].end
        if not any(0 <= one.start - behind <= 1 for one in dates_in(sentence)):
            return  # The value of something that is named right there.
    yield _Given(quantity, clause.mood, sentence.words[head].text)


def _value_behind(sentence: Sentence, start: int, gap: re.Pattern[str]) -> QuantitySpan | None:
    text = sentence.passage.text
    for one in quantities_in(sentence):
        if one.start >= start:
            return one if one.has_unit and gap.fullmatch(text, start, one.start) else None
    return None


def _is_source(sentence: Sentence, head: int) -> bool:
    """Whether a subject is someone or something that gives values: a name, a pronoun, a team, a report."""
    word = sentence.words[head]
    below = " ".join(sentence.words[one].lower for one in sentence.subtree(head) if one <= head)
    if _OTHER.search(below):
        return False
    return word.pos == "PROPN" or word.lower in _SOURCES or word.lemma.lower() in _SOURCES


def _told(sentence: Sentence, given: _Given) -> Iterator[Proposal]:
    """Write one value; strict where it is exact and alone, and where what it is the value of is certain."""
    text, quantity = sentence.passage.text, given.quantity
    carrier = _carrier(sentence, _unit(sentence, quantity))
    if carrier is None or not is_exact(quantity) or quantity.is_range or _BEHIND_BAD.match(text, quantity.end):
        return
    plain = given.is_plain and carrier.is_certain and not given.mood.speaker
    plain = plain and _BEHIND_GOOD.match(text, quantity.end) is not None and not _narrowed(sentence)
    anaphor = "" if carrier.is_here else given.anaphor or _unit_text(sentence, quantity)
    told = propose(
        sentence,
        Phrase(carrier.name, quantity.start, quantity.end, anaphor),
        "measured_as",
        value_phrase(sentence, quantity),
        PATTERN if plain else f"{PATTERN}.loose",
        given.mood,
    )
    told = with_anchor(told, date_of(sentence, quantity))
    yield msgspec.structs.replace(told, temporal_anchor=given.year) if given.year else told


def _narrowed(sentence: Sentence) -> bool:
    """Whether a phrase in front says under what, or of what else, the value holds: "In water ...", "For the other"."""
    front = _FRONT.match(sentence.raw)
    if front is None:
        return False
    at = sentence.start + front.end()
    return not any(one.start - 1 <= at < one.end or one.point_start == at for one in dates_in(sentence)) and (
        sentence.passage.text[at].islower()
    )


def _unit_text(sentence: Sentence, quantity: QuantitySpan) -> str:
    """The unit as written behind the last figure."""
    written = sentence.passage.text[quantity.start : quantity.end]
    return re.sub(r"^.*\d[\s]*", "", " ".join(written.split())) or written


def _unit(sentence: Sentence, quantity: QuantitySpan) -> str:
    """The unit of a quantity in base units, which tells its dimension."""
    value = normalise(sentence.passage.text[quantity.start : quantity.end])
    return value.unit if value is not None else ""


class _Carrier(NamedTuple):
    """The quantity that a value is a value of: its name, whether it stands in the sentence, and how sure that is."""

    name: str
    is_here: bool
    is_certain: bool


def _carrier(sentence: Sentence, unit: str) -> _Carrier | None:
    """Return the one quantity of this dimension that is named nearest before; None where there are two or none."""
    passage = sentence.passage
    for place, text in enumerate((passage.text[: sentence.end], passage.before, f"{passage.title}\n{passage.section}")):
        names = [one for one in _named(text) if unit in _units_of(one.noun)]
        if not names:
            continue
        if len({one.key for one in names}) > 1 or any(one.is_vague for one in names):
            return None
        last = names[-1]
        return _Carrier(last.text, place == 0 and last.start >= sentence.start, last.is_closed)
    return None


class _Named(NamedTuple):
    """A quantity that a text names: ``key`` is equal for two mentions; ``is_closed`` says that it surely ends there."""

    text: str
    key: str
    noun: str
    start: int
    is_vague: bool
    is_closed: bool


@lru_cache(maxsize=16)  # The text before a sentence is that of the last sentence, and a little more.
def _named(text: str) -> tuple[_Named, ...]:
    found: list[_Named] = []
    for match in _NAME.finditer(text):
        name = " ".join(match["name"].split())
        # "the speed of light doubtful": without an article a second word may belong to the sentence, not to the name.
        plain = re.search(r"\bof\s+(?!the\b|an?\b)\S+\s+\S", name, re.IGNORECASE) is None
        closed = plain and (not match["behind"][:1].isspace() or _CLOSED.match(match["behind"]) is not None)
        noun = "frequency" if _ROTATION.match(name) else _noun_of(name)
        key = re.sub(r"\b(?:the|an?)\s+", "", name.lower())
        found.append(_Named(name, key, noun, match.start(), match["vague"] is not None, closed))
    return tuple(found)


def _noun_of(name: str) -> str:
    match = re.match(rf"(?:{_KIND}\s+)?({_NOUN})", name, re.IGNORECASE)
    return match[1].lower() if match else ""


@lru_cache(maxsize=64)
def _units_of(noun: str) -> frozenset[str]:
    """The base units that a quantity noun is measured in."""
    units = (read_unit(unit) for unit, nouns in _UNIT_OF.items() if noun in nouns)
    return frozenset(unit.symbol for unit in units if unit is not None)
