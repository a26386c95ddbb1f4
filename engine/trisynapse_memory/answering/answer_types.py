"""A question in, what kind of words must answer it out; a sentence in, how well it has them. Nothing is ranked here.

"How many boards" asks for a number beside "boards", "how much does it weigh" for a mass, "who" for a name that the
question does not hold itself. A sentence that has the words of a question but nothing of the asked kind repeats it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from trisynapse_memory.text.synonyms import likes_of
from trisynapse_memory.text.words import FUNCTION_WORDS, stem

COUNT_DISTANCE: Final = 4  # words from a number to what it counts: "three critical thinking case studies"
NEAR_CHARS: Final = 90  # between the name of an attribute and its value, in one sentence
BESIDE_SHARE: Final = 0.5  # of a bound number, where it stands behind its noun ("factors: 35")


class Expected(StrEnum):
    """The type of thing a question asks for, as far as its words tell."""

    ANY = "any"
    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    PLACE = "place"


_MOMENT: Final = "(?:year|date|day|month|century|decade)"
_DATE_WORDS: Final = re.compile(
    rf"^(?:\w+\s+){{0,2}}?(?:when|since when|how long ago|what time|(?:what|which) {_MOMENT})\b", re.IGNORECASE
)
_NUMBER_WORDS: Final = re.compile(
    r"\b(?:how (?:many|much|long|far|old|often|large|big|high|tall|wide|deep|fast|heavy)"
    r"|what (?:percent|percentage|number|share|fraction|value|price|cost|score|accuracy|amount|size|length|height"
    r"|population|temperature|speed|salary|age|weight)|what (?:did|does|do|would) .{1,80} (?:cost|weigh|spend))\b",
    re.IGNORECASE,
)
_NAME_WORDS: Final = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_PLACE_WORDS: Final = re.compile(
    r"^(?:\w+\s+){0,2}?(?:where|(?:what|which) (?:\w+ )?(?:place|city|town|village|country|state|county|river|region"
    r"|continent|street|university|company))\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"\bhow many ((?:[\w'-]+ ?){1,4})", re.IGNORECASE)
_STOPS: Final = FUNCTION_WORDS | frozenset("can will may must would us it get make take go come total there".split())

# Between a number and a noun, they say that it counts something else: "five people on some tasks".
_BREAKS: Final = frozenset("on by in for with to at from and or as than per is are was were".split())

_DATE: Final = re.compile(
    r"\b(?:1[0-9]\d\d|20\d\d)s?\b|\b\d{1,2}(?:st|nd|rd|th) century\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday)\b"
    r"|\blast (?:week|month|year|night)\b|\b\d+ (?:days|weeks|months|years) ago\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d[\d.,]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty"
    r"|thirty|forty|fifty|dozens?|hundreds?|thousands?|millions?|billions?|half|third|quarter|twice|once|double|no)\b",
    re.IGNORECASE,
)
_INNER_CAPITAL: Final = re.compile(r"(?<=[\w,;:(] )\W?[A-Z][\w.'-]+|^[A-Z]\w+ [A-Z]\w+")
_WORD: Final = re.compile(r"[\w.,%$\u20ac\u00a3]*\w[\w%'-]*|[$\u20ac\u00a3]")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A property that a question may ask for: when it does, and the words of a sentence that gives it."""

    name: str
    asked: re.Pattern[str]
    given: re.Pattern[str]
    is_number: bool = True


def _attribute(name: str, asked: str, given: str, *, is_number: bool = True) -> Attribute:
    return Attribute(name, re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE), is_number)


ATTRIBUTES: Final = (
    _attribute(
        "weight",
        r"\bhow (?:much|heavy)\b.*\bweighs?\b|\bhow heavy\b|\bwhat\b.{0,40}\bweight\b",
        r"\bweigh\w*|\bheavy\b|\b\d[\d.,]*\s?(?:g|kg|mg|t|grams?|kilograms?|lbs?|pounds?|ounces?|oz|tons?|tonnes?)\b",
    ),
    _attribute(
        "age",
        r"\bhow old\b|\b(?:at )?what age\b",
        r"\bage[ds]?\b|\byears?[- ]old\b|\bborn\b|\bbirth\w*|\byears? ago\b|\bbuilt\b|\bfounded\b|\bdat(?:e|ed|es)\b"
        r"|\bages of\b|\b\d[\d.,]* (?:million |billion )?years\b|\bolder\b|\boldest\b|\byoung\w*",
    ),
    _attribute(
        "salary",
        r"\bsalar(?:y|ies)\b|\bhow much\b.*\bearns?\b",
        r"\bsalar\w+|\bwages?\b|\bearn\w*|\bpaid\b|\bpay(?:s|ing)?\b|\bcompensation\b|\bincomes?\b|[$\u20ac\u00a3]",
    ),
    _attribute(
        "cost",
        r"\bhow much\b.*\b(?:costs?|spend|spent|pay|paid|charged?|price)\b"
        r"|\bwhat (?:did|does|do|would)\b.*\b(?:cost|spend|pay)\b|\bwhat (?:is|was|were) the (?:price|costs?)\b",
        r"[$\u20ac\u00a3\u00a5]|\b(?:dollars?|euros?|pounds?|usd|eur|cents?|rupees?|francs?|yen|costs?|costing|spen[dt]\w*"
        r"|pric\w+|paid|pay\w*|fees?|worth|valued?|fund\w*|budget\w*|millions?|billions?|expens\w+|money)\b",
    ),
    _attribute(
        "population",
        r"\bpopulation of\b|\bhow many (?:people|inhabitants|residents) (?:lived?|live|reside)\b",
        r"\bpopulat\w+|\binhabitants?\b|\bresidents?\b|\bpeople\b|\blived?\b|\bliving\b|\bcitizens?\b|\bcensus\b",
    ),
    _attribute(
        "number of injured",
        r"\bhow many\b.*\b(?:injured|wounded|hurt)\b",
        r"\binjur\w+|\bwound\w*|\bhurt\b|\bcasualt\w+|\bharmed\b",
    ),
    _attribute(
        "number of dead",
        r"\bhow many\b.*\b(?:died|killed|deaths?|casualties)\b",
        r"\bdie[ds]?\b|\bdying\b|\bkill\w*|\bdeaths?\b|\bdead\b|\bcasualt\w+|\bfatal\w*|\bmurder\w*|\bexecut\w+|\bvictims?\b"
        r"|\blives\b|\bperish\w*|\bslain\b|\bmassacr\w*|\bloss(?:es)?\b|\blost\b|\bslaughter\w*|\bburned\b",
    ),
    _attribute(
        "hardware",
        r"\bgraphics? cards?\b|\b(?:which|what|how many)\b.{0,30}\b[gt]pus?\b",
        r"\b[gt]pus?\b|\bgraphics? cards?\b|\bnvidia\b|\bgeforce\b|\brtx\b|\b[avh]100\b|\bcuda\b",
        is_number=False,
    ),
    _attribute(
        "e-mail address", r"\be-?mail (?:address|id)\b", r"\b[\w.+-]+@[\w-]+\.\w+|\be-?mails?\b", is_number=False
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sought:
    """What must stand in a sentence that answers: a type, perhaps a counted noun (stems) and an attribute."""

    expected: Expected
    counted: frozenset[str] = frozenset()
    attribute: Attribute | None = None
    given: frozenset[str] = frozenset()  # Lower-case words of the question: repeating them answers nothing.

    @property
    def units(self) -> re.Pattern[str] | None:
        """The words that give the attribute."""
        return self.attribute.given if self.attribute else None


def read_sought(question: str) -> Sought:
    """Decide what kind of words would answer a question."""
    counted = _COUNTED.search(question)
    nouns: list[str] = []
    for word in counted.group(1).lower().split() if counted else []:
        if word in _STOPS:
            break
        nouns.append(word)
    stems = {stem(word) for word in nouns}
    likes = {like for one in stems for like in likes_of(one)}
    attribute = next((one for one in ATTRIBUTES if one.asked.search(question)), None)
    words = frozenset(word.lower() for word in re.findall(r"\w+", question))
    return Sought(expected_type(question), frozenset(stems | likes), attribute, words)


def expected_type(question: str) -> Expected:
    """The type of the answer by the words that ask for it."""
    for pattern, kind in (
        (_DATE_WORDS, Expected.DATE),
        (_NUMBER_WORDS, Expected.NUMBER),
        (_NAME_WORDS, Expected.NAME),
        (_PLACE_WORDS, Expected.PLACE),
    ):
        if pattern.search(question):
            return kind
    return Expected.ANY


def fits_type(expected: Expected, text: str, given: frozenset[str] = frozenset()) -> bool:
    """Whether a text has a thing of the type that the question asks for, other than the words ``given`` in it."""
    if expected is Expected.ANY:
        return True
    pattern = {Expected.DATE: _DATE, Expected.NUMBER: _NUMBER}.get(expected, _INNER_CAPITAL)
    return any(not _is_given(match.group(), given) for match in pattern.finditer(text))


def _is_given(found: str, given: frozenset[str]) -> bool:
    return all(word.lower() in given for word in re.findall(r"\w+", found))


def binding(sought: Sought, text: str) -> float:
    """How closely a text ties its answer to what was asked, in [0, 1]: a number to its noun, a value to its unit."""
    if sought.attribute is not None and gives(sought.attribute, text):
        return 1.0
    if not sought.counted:
        return 0.0
    words = [match.group().lower() for match in _WORD.finditer(text)]
    numbers = [index for index, word in enumerate(words) if _NUMBER.match(word) and not _is_given(word, sought.given)]
    nouns = [index for index, word in enumerate(words) if _has_stem(word, sought.counted)]
    return max((_tied(words, number, noun) for number in numbers for noun in nouns), default=0.0)


def _has_stem(word: str, stems: frozenset[str]) -> bool:
    return any(stem(part) in stems for part in word.split("-") if part)


def _tied(words: Sequence[str], number: int, noun: int) -> float:
    distance = noun - number
    if 0 < distance <= COUNT_DISTANCE and _BREAKS.isdisjoint(words[number + 1 : noun]):
        return 1.0
    return BESIDE_SHARE if -2 <= distance < 0 else 0.0


def gives(attribute: Attribute, text: str) -> bool:
    """Whether a text names an attribute, with a number near it where its value is one."""
    places = [match.start() for match in attribute.given.finditer(text)]
    if not attribute.is_number:
        return bool(places)
    numbers = [match.start() for match in _NUMBER.finditer(text)]
    return any(abs(place - number) <= NEAR_CHARS for place in places for number in numbers)


def proximity(stems: Sequence[frozenset[str]], weights: Sequence[float], text: str) -> float:
    """How close together a text has words that follow each other in the question, in [0, 1].

    Args:
        stems: the stems of each word of the question, in order.
        weights: the weight of each.
        text: one sentence.
    """
    places: dict[str, list[int]] = {}
    for index, match in enumerate(_WORD.finditer(text)):
        places.setdefault(stem(match.group().lower()), []).append(index)
    found = [[at for one in forms for at in places.get(one, ())] for forms in stems]
    reached = total = 0.0
    for (left, right), pair in zip(pairwise(found), pairwise(weights), strict=True):
        weight = sum(pair)
        total += weight
        gap = min((abs(a - b) for a in left for b in right if a != b), default=0)
        reached += weight / max(1.0, gap - 1.0) if gap else 0.0
    return reached / total if total else 0.0
