"""The lists of a Word document in, the mark in front of each entry out, as Word shows it: "2.1.", "(b)", a bullet.

The file holds no number; it holds how to count. Entries are told in document order, and every list keeps its count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from trisynapse_memory.preprocessing.office.word_styles import Styles
from trisynapse_memory.preprocessing.office.xml import attribute, child, children
from trisynapse_memory.preprocessing.trees import Element

BULLET: Final = "-"
_LEVELS: Final = 9
_PLACE: Final = re.compile(r"%([1-9])")
_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_ROMAN_MAX: Final = 4000


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list counts."""

    format: str = "decimal"
    text: str = "%1."
    start: int = 1
    restarts_after: int | None = None  # the level from which on it starts anew; None: any above it
    is_legal: bool = False  # its places are all decimal
    style_id: str = ""  # paragraphs of this style are on this level


@dataclass(slots=True)
class _Count:
    """The counters of one list."""

    numbers: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


class Numbering:
    """All lists of one document."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract = {attribute(one, "abstractNumId"): one for one in children(root, "abstractNum")}
        self._lists = {attribute(one, "numId"): one for one in children(root, "num")}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._counts: dict[str, _Count] = {}
        self._started: set[str] = set()

    def mark(self, list_id: str, level: int) -> str:
        """Count one more entry of a list, and return what stands in front of it; empty for a list nobody defined."""
        level = max(0, min(level, _LEVELS - 1))
        levels = self._levels_of(list_id)
        rule = levels.get(level)
        if rule is None:
            return ""
        count = self._counts.setdefault(self._counter(list_id), _Count())
        self._begin(list_id, count, levels)
        for below in range(level + 1, _LEVELS):
            limit = levels[below].restarts_after if below in levels else None
            if limit is None or level < limit:
                count.numbers[below] = None
        for above in range(level):
            if count.numbers[above] is None:
                count.numbers[above] = levels[above].start if above in levels else 1
        number = count.numbers[level]
        count.numbers[level] = rule.start if number is None else number + 1
        return _shown(rule, levels, count.numbers)

    def level_of(self, list_id: str, style_id: str, default: int) -> int:
        """Return the level of a paragraph that is in a list by its style: the one that names the style."""
        styled = (level for level, rule in self._levels_of(list_id).items() if style_id and rule.style_id == style_id)
        return next(styled, default)

    def _begin(self, list_id: str, count: _Count, levels: dict[int, _Level]) -> None:
        """A list that begins anew at its first entry says so in an override; others go on where the last one ended."""
        if list_id in self._started:
            return
        self._started.add(list_id)
        for override in children(self._lists.get(list_id), "lvlOverride"):
            level = _number(attribute(override, "ilvl"))
            if child(override, "startOverride") is not None and level < _LEVELS and level in levels:
                count.numbers[level] = None

    def _counter(self, list_id: str) -> str:
        """Lists of one definition share their count."""
        return attribute(child(self._lists.get(list_id), "abstractNumId"), "val") or f"list {list_id}"

    def _levels_of(self, list_id: str) -> dict[int, _Level]:
        if list_id in self._levels:
            return self._levels[list_id]
        element = self._lists.get(list_id)
        definition = self._abstract.get(attribute(child(element, "abstractNumId"), "val"))
        linked = attribute(child(definition, "numStyleLink"), "val")
        if linked:
            target = self._styles.style(linked).list_id
            other = attribute(child(self._lists.get(target), "abstractNumId"), "val")
            definition = self._abstract.get(other, definition)
        levels = {_number(attribute(one, "ilvl")): _level(one) for one in children(definition, "lvl")}
        for override in children(element, "lvlOverride"):
            level = _number(attribute(override, "ilvl"))
            own = child(override, "lvl")
            if own is not None:
                levels[level] = _level(own)
            start = child(override, "startOverride")
            if start is not None and level in levels:
                levels[level] = replace(levels[level], start=_number(attribute(start, "val"), 1))
        self._levels[list_id] = levels
        return levels


def _level(element: Element) -> _Level:
    restart = child(element, "lvlRestart")
    legal = child(element, "isLgl")
    return _Level(
        format=attribute(child(element, "numFmt"), "val") or "decimal",
        text=attribute(child(element, "lvlText"), "val"),
        start=_number(attribute(child(element, "start"), "val"), 1),
        restarts_after=None if restart is None else _number(attribute(restart, "val")),
        is_legal=legal is not None and attribute(legal, "val") not in ("0", "false"),
        style_id=attribute(child(element, "pStyle"), "val"),
    )


def _shown(rule: _Level, levels: dict[int, _Level], numbers: list[int | None]) -> str:
    if rule.format == "bullet":
        return BULLET
    if rule.format == "none":
        return _PLACE.sub("", rule.text).strip()

    def put(match: re.Match[str]) -> str:
        place = int(match.group(1)) - 1
        number = numbers[place]
        if number is None:
            return ""
        style = "decimal" if rule.is_legal else levels[place].format if place in levels else "decimal"
        return written(number, style)

    return _PLACE.sub(put, rule.text).strip()


def written(number: int, style: str) -> str:
    """Write a number as a list counts: decimal, lowerLetter, upperRoman, ...; unknown ways are decimal."""
    if style in ("lowerLetter", "upperLetter") and number > 0:
        letters = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 20)
        return letters.upper() if style == "upperLetter" else letters
    if style in ("lowerRoman", "upperRoman") and 0 < number < _ROMAN_MAX:
        letters = _roman(number)
        return letters.upper() if style == "upperRoman" else letters
    if style == "decimalZero":
        return f"{number:02d}"
    if style == "ordinal":
        tail = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{number}{tail}"
    return "" if style == "none" else str(number)


def _roman(number: int) -> str:
    parts: list[str] = []
    for value, letters in _ROMAN:
        parts.append(letters * (number // value))
        number %= value
    return "".join(parts)


def _number(text: str, default: int = 0) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else default
