"""A sentence in, what it claims out: numbers, names, words, their roles and limits. No text is compared here.

The reading is shallow on purpose: no grammar model, only the words of ``trisynapse_memory.text.synonyms``. A role is
the preposition a token stands under; a passive can be turned round, so that "B is beaten by A" reads as "A beats B".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from trisynapse_memory.text.spans import normalise
from trisynapse_memory.text.synonyms import (
    BINDERS,
    COMPARISONS,
    HEDGES,
    IRREGULAR_PARTICIPLES,
    LIGHT,
    MONTHS,
    NEGATORS,
    NUMBER_WORDS,
    POPULATIONS,
    PREPOSITIONS,
    PRONOUNS,
    QUANTIFIERS,
    base,
)
from trisynapse_memory.text.words import FUNCTION_WORDS

_MONTH: Final = "|".join(MONTHS)
_TOKEN: Final = re.compile(
    rf"""(?P<iso>\d{{4}}-\d\d-\d\d)(?![\w-])
    |(?P<dmy>\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})\b(?:,?\s+\d{{4}})?)
    |(?P<mdy>(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d|\w)(?:,?\s+\d{{4}})?)
    |(?P<my>(?:{_MONTH})\s+\d{{4}})
    |(?P<margin>±|\+/-)
    |(?P<unit>(?<![\w])[A-Za-zµμ°%$€£]+/[A-Za-z]+\d?\b|[%°$€£]C?)
    |(?P<number>(?<![\w.])[-+]?\d+(?:,\d{{3}})*(?:\.\d+)?(?:e[-+]?\d+)?)(?P<tail>(?:\s?%)|(?!\w))
    |(?P<word>\w+(?:[-.'’_/:]\w+)*|&)
    |(?P<stop>[;:()—\[\]]|,|\s-\s)""",
    re.VERBOSE | re.IGNORECASE,
)
_CLAUSE_OPENERS: Final = frozenset("but while whereas although though because which who whose where so".split())
_BE: Final = frozenset("is are was were be been being get gets got".split())
# Several words that limit or relate as one.
_PHRASES: Final = (
    (re.compile(r"\b(?:at least|no (?:fewer|less) than)\b", re.IGNORECASE), "atleast"),
    (re.compile(r"\b(?:at most|no more than)\b", re.IGNORECASE), "atmost"),
    (re.compile(r"\bup to\b", re.IGNORECASE), "upto"),
    (re.compile(r"\baccording to\b", re.IGNORECASE), "accordingto"),
    (re.compile(r"\bmore quickly\b", re.IGNORECASE), "faster"),
    (re.compile(r"\bmore slowly\b", re.IGNORECASE), "slower"),
)
# After a phrase under a preposition, they begin another one that does not stand under it.
_RESETTING: Final = frozenset(
    "the a an is are was were be been has have had did does do not this that its his her".split()
)
_DETERMINERS: Final = frozenset("the a an this these those its his her their our".split())
_SUBJECT_WORDS: Final = 8  # words; a pronoun within them may be what the sentence is about
_POINTERS: Final = frozenset("this that these those such both".split())
_DIGITS: Final = re.compile(r"\d+")


class Sort(StrEnum):
    """What a token is; numbers, dates and names must agree exactly, words by stem or synonym."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    WORD = "word"
    COMPARISON = "comparison"


@dataclass(frozen=True, slots=True)
class Token:
    """One token that claims something. ``role`` is the preposition over it, ``clause`` counts within the sentence."""

    key: str
    sort: Sort
    role: str
    clause: int
    text: str
    bound: bool = False  # Joined to the token before it by "and", "or" or a comma.
    adverb: bool = False
    light: bool = False  # It may be missing in the source: "the authors report that".
    leads: bool = False  # Behind "and" and a determiner, or a name behind "and": perhaps another subject.


@dataclass(frozen=True, slots=True)
class Mark:
    """A word that limits what is claimed: its group ("about", "all", "not"), and the index of the token behind it."""

    group: str
    target: int
    clause: int


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence taken apart; ``pronoun`` tells whether its subject stands in an earlier sentence."""

    tokens: tuple[Token, ...]
    marks: tuple[Mark, ...]
    pronoun: bool

    def groups(self, clauses: frozenset[int] | None = None) -> Counter[str]:
        """Count the limiting words by group, in all clauses or in some."""
        return Counter(mark.group for mark in self.marks if clauses is None or mark.clause in clauses)

    def targets(self, group: str) -> tuple[int, ...]:
        """The indices of the tokens that words of one group stand before."""
        return tuple(mark.target for mark in self.marks if mark.group == group and mark.target < len(self.tokens))


def read_statement(sentence: str) -> Statement:
    """Take one sentence apart, so that it can be compared with another claim by claim."""
    reader = _Reader()
    text = normalise(sentence).text.strip()
    for pattern, word in _PHRASES:
        text = pattern.sub(word, text)
    for match in _TOKEN.finditer(text):
        reader.take(match)
    return reader.finish()


class _Reader:
    """Walks over the tokens of one sentence; knows the preposition and the clause it is under."""

    def __init__(self) -> None:
        self._tokens: list[Token] = []
        self._marks: list[Mark] = []
        self._role = ""
        self._clause = 0
        self._words = 0
        self._since = 0  # Tokens in this clause.
        self._bound = False
        self._pronoun = False
        self._fresh = False  # The preposition stands right before the next token.
        self._under = 0  # Tokens since the preposition.
        self._determined = False  # A determiner stands right before the next token.

    def take(self, match: re.Match[str]) -> None:
        """Read one match of the token pattern."""
        kind = match.lastgroup
        text = match.group()
        if kind == "tail":
            self._add(plain_number(match.group("number")), Sort.NUMBER, text)
            if match.group("tail").strip():
                self._add(base("percent"), Sort.WORD, "%")
        elif kind in ("iso", "dmy", "mdy", "my"):
            self._add(date_key(text), Sort.DATE, text)
        elif kind == "margin":
            self._marks.append(Mark("margin", len(self._tokens), self._clause))
        elif kind == "unit":
            self._add(base("percent") if text == "%" else text.lower(), Sort.WORD, text)
        elif kind == "stop":
            self._stop(text.strip())
        else:
            self._word(text)
        self._words += kind != "stop"

    def _stop(self, text: str) -> None:
        if text == ",":
            self._bound = bool(self._tokens)
            self._role = ""
            return
        self._new_clause()

    def _new_clause(self) -> None:
        self._role = ""
        self._bound = False
        if self._since >= 2:
            self._clause += 1
            self._since = 0

    def _word(self, text: str) -> None:
        lower = text.lower().replace("’", "'")
        if lower.endswith("n't") or lower == "cannot":
            self._mark("not")
            return
        plain = lower.removesuffix("'s").rstrip("'")
        if self._under and (plain in _RESETTING or plain.endswith("ed")):
            self._role = ""
        first = self._words == 0
        if plain in PRONOUNS and (first or (self._words < _SUBJECT_WORDS and plain not in _POINTERS)):
            self._pronoun = True
        named = text != lower and (not first or text[1:] != lower[1:])
        noun = self._determined and plain in HEDGES  # "the plan", "a claim"
        if not noun and self._limits(plain, text, named):
            self._role = "" if self._under and self._role != "with" else self._role
            return
        if plain in _DETERMINERS and not (named and text.isupper()):  # "model A"
            self._determined = True
            return
        if plain in BINDERS:
            self._bound = bool(self._tokens)
        elif plain in _CLAUSE_OPENERS:
            self._new_clause()
        elif plain in PREPOSITIONS:
            self._preposition(plain)
        elif plain in COMPARISONS:
            self._add(base(plain), Sort.COMPARISON, text)
        elif plain in NUMBER_WORDS:
            self._add(NUMBER_WORDS[plain], Sort.NUMBER, text)
        elif plain in FUNCTION_WORDS and not (named and text.isupper() and plain != "i"):
            return
        else:
            self._content(plain, text, named)

    def _content(self, plain: str, text: str, named: bool) -> None:
        if "-" in plain and not _DIGITS.search(plain) and not named:
            for part in plain.split("-"):
                if part and part not in FUNCTION_WORDS:
                    self._add(base(part), Sort.WORD, part)
            return
        exact = named or _DIGITS.search(plain) is not None
        self._add(plain if exact else base(plain), Sort.NAME if exact else Sort.WORD, text)

    def _limits(self, plain: str, text: str, named: bool) -> bool:
        """Take a word that limits a claim; ``May`` and ``Will`` in the middle of a sentence are names."""
        if plain in NEGATORS:
            self._mark("not")
            if plain in ("without", "except", "excluding"):
                self._role = "with"
            return True
        if plain in QUANTIFIERS:
            self._mark(QUANTIFIERS[plain])
            return True
        if plain in HEDGES and not named:
            self._mark(HEDGES[plain])
            return True
        if text == "~":
            self._mark("about")
            return True
        return False

    def _mark(self, group: str) -> None:
        self._marks.append(Mark(group, len(self._tokens), self._clause))

    def _preposition(self, plain: str) -> None:
        group = PREPOSITIONS[plain]
        # "than in water": both words make the role. "of" keeps the role of what it belongs to.
        if group == "of":
            self._role = self._role or "of"
        else:
            self._role = "than" if self._role == "than" and self._fresh else group
        self._fresh = True
        self._under = 0

    def _add(self, key: str, sort: Sort, text: str) -> None:
        lower = text.lower()
        if sort is Sort.NUMBER and self._under and self._role == "place" and self._tokens[-1].sort is not Sort.NUMBER:
            self._role = ""  # "in winter 7 minutes": a count begins a phrase of its own.
        adverb = sort is Sort.WORD and lower.endswith("ly")
        light = sort is Sort.WORD and lower in LIGHT
        leads = self._bound and (self._determined or sort is Sort.NAME)
        self._tokens.append(Token(key, sort, self._role, self._clause, text, self._bound, adverb, light, leads))
        self._bound = self._fresh = self._determined = False
        self._since += 1
        self._under += 1

    def finish(self) -> Statement:
        """Hand the statement over."""
        tokens = [replace(token, role="" if token.role == "of" else token.role) for token in self._tokens]
        return Statement(tuple(tokens), tuple(self._marks), self._pronoun)


def passive_verb(sentence: str) -> str:
    """The stem of a sentence's first passive verb, or an empty string."""
    words = [match.group().lower() for match in re.finditer(r"[^\W\d_]+", normalise(sentence).text)]
    for index, word in enumerate(words):
        if word in _BE:
            for follower in words[index + 1 : index + 4]:
                if follower.endswith("ed") or follower in IRREGULAR_PARTICIPLES:
                    return base(follower)
                if not (
                    follower.endswith("ly") or follower in ("first", "then", "also", "later", "not", "been", "being")
                ):
                    break
    return ""


def as_active(statement: Statement, verb: str) -> Statement:
    """Turn a passive round: agent ("by ..."), verb, what stood before it, the rest."""
    at = next((i for i, token in enumerate(statement.tokens) if token.key == verb), -1)
    if at < 0:
        return statement
    tokens = statement.tokens
    clause = tokens[at].clause
    start = next(i for i, token in enumerate(tokens) if token.clause == clause)
    agent = [i for i in range(at + 1, len(tokens)) if tokens[i].role == "by" and tokens[i].clause == clause]
    # A phrase in front ("In 1862 light was measured by ...") stays there.
    first = next((i for i in range(start, at) if tokens[i].role == ""), at)
    subject = list(range(first, at))
    moved = {*agent, *subject, at}
    order = [
        *range(start),
        *(i for i in range(start, at) if i not in moved),
        *agent,
        at,
        *subject,
        *(i for i in range(at + 1, len(tokens)) if i not in moved),
    ]
    places = {old: new for new, old in enumerate(order)}
    turned = tuple(replace(tokens[i], role="") if i in agent else tokens[i] for i in order)
    marks = tuple(replace(mark, target=places.get(mark.target, mark.target)) for mark in statement.marks)
    return Statement(turned, marks, statement.pronoun)


def population_phrases(statement: Statement) -> Mapping[str, frozenset[str]]:
    """For each group of people or things that was studied, the words that narrow it ("older patients": older)."""
    found: dict[str, frozenset[str]] = {}
    for index, token in enumerate(statement.tokens):
        if token.text.lower() in POPULATIONS:
            narrowing = _narrowing(statement, index)
            found[token.key] = found.get(token.key, frozenset()) | frozenset(narrowing)
    return MappingProxyType(found)


def _narrowing(statement: Statement, index: int) -> Iterator[str]:
    token = statement.tokens[index]
    for before in reversed(statement.tokens[max(0, index - 2) : index]):
        if before.role != token.role or before.clause != token.clause or token.bound:
            return
        if token.role or before.text.lower() in COMPARISONS:
            yield before.key
        token = before


def plain_number(text: str) -> str:
    """A written number without separators, plus sign and zeros behind the point: "2,300.50" is "2300.5"."""
    number = text.replace(",", "").lower().removeprefix("+")
    return number.rstrip("0").rstrip(".") if "." in number and "e" not in number else number


def date_key(text: str) -> str:
    """Year, month and day, whatever the order: 2026-10-14, or --10-14 without a year."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return text
    month = MONTHS[next(word for word in re.findall(r"[a-z]+", text.lower()) if word in MONTHS)]
    numbers = _DIGITS.findall(text)
    year = next((number for number in numbers if len(number) == 4), "-")
    day = next((f"-{int(number):02d}" for number in numbers if len(number) < 3), "")
    return f"{year}-{month}{day}"
