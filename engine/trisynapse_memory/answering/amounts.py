"""Two sentences, each of one side of a comparison, in; which of their values is more, in words, out. Nothing is chosen.

A value is compared only where it is the one number of its unit in its sentence, so that nobody can mean another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from trisynapse_memory.answering.forms import Wanted
from trisynapse_memory.answering.sentences import Sentence
from trisynapse_memory.text.quantities import Value, ValueKind, agree, normalise
from trisynapse_memory.text.quantity_spans import find_quantities
from trisynapse_memory.text.words import FUNCTION_WORDS, stem

_CELL: Final = re.compile(r"(?:\u2013 |; )(?P<header>[^:;]+): (?P<cell>[^;]+)")
_HEADER_UNIT: Final = re.compile(r"[(\[](?P<unit>[^)\]]{1,12})[)\]]")
_COUNTED: Final = re.compile(r"\s+(?P<noun>[a-z]+)(?:\s+(?:a|an|per)\s+(?P<time>[a-z]+))?")
_EACH: Final = re.compile(r"\s+an?\s+(?=(?:second|minute|hour|day|week|month|year)\b)")
_BARE_YEAR: Final = re.compile(r"(?:1[0-9]|20)\d\d")


# The base units of what some comparatives are about; others ("more", "higher") may be about anything.
_DIMENSIONS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        **dict.fromkeys("longer shorter".split(), frozenset({"m", "s"})),
        **dict.fromkeys("taller deeper wider narrower thicker further farther".split(), frozenset({"m"})),
        **dict.fromkeys("heavier lighter".split(), frozenset({"kg"})),
        **dict.fromkeys("older younger earlier later".split(), frozenset({"s"})),
    }
)


class _Amount(NamedTuple):
    """A value as it is written, with what it can be compared by, and the words that say what it is."""

    written: str
    value: Value
    words: frozenset[str]


def compare_amounts(wanted: Wanted, one: tuple[str, Sentence], two: tuple[str, Sentence]) -> str:
    """Say which of two values is more, or nothing.

    Args:
        wanted: the question; it must ask for an amount, or name what the values are, or there must be no other number.
        one: the name of a side and its sentence.
        two: the same of the other side.

    Returns:
        One sentence with both values as they are written, units brought together, or an empty string.
    """
    mine, its = (_of_side(name, sentence) for name, sentence in (one, two))
    units = _units_asked(wanted)
    asked = _words(f"{wanted.core} {wanted.about}")
    pairs = [
        (left, right)
        for left in mine
        for right in its
        if left.value.unit == right.value.unit and _is_alone(left, mine) and _is_alone(right, its)
        if not units or left.value.unit in units
    ]
    named = [pair for pair in pairs if not asked.isdisjoint(pair[0].words & pair[1].words)]
    lone = all(_number_count(name, sentence) == 1 for name, sentence in (one, two))
    chosen = named or (pairs if wanted.amounts or lone else [])
    if len(chosen) != 1:
        return ""
    return _told(one[0], chosen[0][0], two[0], chosen[0][1])


def units_in(wanted: Wanted, sentence: Sentence) -> frozenset[str]:
    """The base units of a sentence's values that the comparative of a question may be about ("longer": of length)."""
    units = _units_asked(wanted)
    return frozenset(one.value.unit for one in _amounts(sentence)) & units if units else units


def _units_asked(wanted: Wanted) -> frozenset[str]:
    words = re.findall(r"[a-z]+", f"{wanted.core} {wanted.about}".lower())
    return frozenset(unit for word in words for unit in _DIMENSIONS.get(word, ()))


def _of_side(name: str, sentence: Sentence) -> list[_Amount]:
    """The values of a sentence without numbers that belong to the name of its side ("Quill 4", "1862")."""
    return [one for one in _amounts(sentence) if one.written.split()[0] not in name.split()]


def _told(name: str, left: _Amount, other: str, right: _Amount) -> str:
    verdict = agree(_plain(left.written), _plain(right.written))
    if verdict.same:
        return f"{left.written} ({name}) and {right.written} ({other}) agree within what is written."
    if not verdict.different:
        return ""
    here, there = f"{left.written} ({name})", f"{right.written} ({other})"
    more, less = (here, there) if left.value.low > right.value.low else (there, here)
    return f"{more} is more than {less}."


def _is_alone(amount: _Amount, others: list[_Amount]) -> bool:
    return sum(one.value.unit == amount.value.unit for one in others) == 1


def _amounts(sentence: Sentence) -> Iterator[_Amount]:
    found = _cells(sentence.text) if sentence.is_row else _written(sentence.text)
    for written, words in found:
        value = normalise(_plain(written))
        if value is not None and value.kind is ValueKind.NUMBER and value.low == value.high:
            yield _Amount(written, value, _words(words))


def _cells(text: str) -> Iterator[tuple[str, str]]:
    """The cells of a row that are numbers, with the unit of their header."""
    for match in _CELL.finditer(text):
        unit = _HEADER_UNIT.search(match["header"])
        cell = match["cell"].strip()
        if cell[:1].isdigit():
            yield f"{cell} {unit['unit']}" if unit else cell, match["header"]


def _written(text: str) -> Iterator[tuple[str, str]]:
    """The quantities of a sentence; one without a unit with the noun that it counts."""
    for span in find_quantities(text):
        written = text[span.start : span.end]
        counted = None if span.has_unit else _COUNTED.match(text, span.end)
        noun = counted["noun"] if counted is not None else ""
        if span.is_range or (_BARE_YEAR.fullmatch(written) and (not noun or noun in FUNCTION_WORDS)):
            continue
        yield (f"{written} {noun}", noun) if noun and noun not in FUNCTION_WORDS else (written, written)


def _number_count(name: str, sentence: Sentence) -> int:
    """How many numbers a sentence has beside those of a name, years too: one alone nobody can mistake for another."""
    if sentence.is_row:
        return len(list(_cells(sentence.text)))
    found = [sentence.text[span.start : span.end] for span in find_quantities(sentence.text)]
    return sum(written.split()[0] not in name.split() for written in found)


def _plain(written: str) -> str:
    return _EACH.sub(" per ", written)


def _words(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"[^\W\d_]{2,}", text.lower()) if word not in FUNCTION_WORDS)
