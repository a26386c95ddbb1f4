"""Plain values with keys: what data files are read as. Pure; numbers stay as they are written ("1.10" is no 1.1).

A value is a text, a list, or pairs of keys and values; a key may stand twice, and both are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, Union

DEPTH_MAX: Final = 60  # levels that are told by their keys; what lies deeper is told without
NUMBERS_MAX: Final = 200  # a longer list of nothing but numbers is measured values or a vector: told in short
SHORTENED: Final = re.compile("\u2026 \\S+ \\(\\d+ numbers\\)")  # how such a list ends
_NUMBER: Final = re.compile(r"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")

Value: TypeAlias = Union[str, "list[Value]", "Pairs"]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Keys with their values, in order."""

    entries: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One leaf of a value: its key path below the record, and its words."""

    key: str
    words: str

    def __str__(self) -> str:
        return f"{self.key}: {self.words}".rstrip() if self.key else self.words


def lines_of(value: Value) -> Iterator[Line]:
    """Yield the leaves of a value in order, lists of plain values joined in one line."""
    yield from _lines(value, "", 0)


def joined_list(values: Sequence[Value]) -> str | None:
    """Write a list of plain values as one line, or None where it holds more than those."""
    if not all(isinstance(one, str) for one in values):
        return None
    words = [" ".join(one.split()) for one in values if isinstance(one, str)]
    if len(words) > NUMBERS_MAX and all(_NUMBER.fullmatch(word) for word in words):
        return f"{words[0]}, {words[1]}, {words[2]}, \u2026 {words[-1]} ({len(words)} numbers)"
    return ", ".join(words)


def _lines(value: Value, key: str, depth: int) -> Iterator[Line]:
    if isinstance(value, str):
        yield Line(key, _text(value))
    elif depth >= DEPTH_MAX:
        yield Line(key, ", ".join(_leaves(value)))
    elif isinstance(value, Pairs):
        for name, inner in value.entries:
            yield from _lines(inner, f"{key}.{name}" if key and name else key or name, depth + 1)
    elif (words := joined_list(value)) is not None:
        if words:
            yield Line(key, words)
    else:
        for place, inner in enumerate(value):
            yield from _lines(inner, f"{key}[{place}]", depth + 1)


def _leaves(value: Value) -> Iterator[str]:
    """The words of a value nested deeper than anybody writes by hand; without recursion."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield " ".join(one.split())
        else:
            waiting += ([inner for _, inner in one.entries] if isinstance(one, Pairs) else one)[::-1]


def _text(words: str) -> str:
    """A text keeps its paragraphs; blank lines would end its record."""
    return "\n".join(line for part in words.splitlines() if (line := part.strip()))
