"""Rows of one sheet that lie below each other in, the tables among them out, with the names of their columns.

People put several tables on a sheet, with titles above and notes beside. Blank rows and blank columns part them; a
single blank column inside a table that is equally high on both sides does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.office.grids import column_names, header_count
from trisynapse_memory.preprocessing.tabular.headers import find_header
from trisynapse_memory.preprocessing.tabular.rows import Row

HEADER_SAMPLE: Final = 150  # rows that decide what the columns are called
_TITLE_CHARS: Final = 200
_SIGNS: Final = re.compile(r"[:=\-\u2013\u2014/|]+")


@dataclass(frozen=True, slots=True)
class Region:
    """One table, or one stretch of lone cells.

    ``columns`` are the places of its columns in a row, ``header_row`` the number of the last row above its values (0:
    none), ``title`` what a lone line above it says.
    """

    rows: tuple[Row, ...]
    columns: tuple[int, ...]
    names: tuple[str, ...] = ()
    header_row: int = 0
    title: str = ""

    def shaped(self, rows: Sequence[Row]) -> list[Row]:
        """Return rows with the cells of this table only."""
        return [Row(row.number, tuple(_cell(row, place) for place in self.columns)) for row in rows]


def find_regions(rows: Sequence[Row]) -> list[Region]:
    """Find the tables of a block of rows without a blank row in it.

    Returns:
        The regions from top to bottom and left to right.
    """
    return [_described(part) for stack in _stacks(rows) for part in _columns(stack)]


def _cell(row: Row, place: int) -> str:
    return row.cells[place] if place < len(row.cells) else ""


def _used(row: Row) -> set[int]:
    return {place for place, cell in enumerate(row.cells) if cell}


def _stacks(rows: Sequence[Row]) -> list[list[Row]]:
    """Cut where one row ends left of where the next begins, or right of it: tables that touch at a corner."""
    stacks: list[list[Row]] = []
    before: set[int] = set()
    for row in rows:
        used = _used(row)
        apart = bool(before and used) and (max(before) < min(used) or max(used) < min(before))
        if not stacks or apart:
            stacks.append([])
        stacks[-1].append(row)
        before = used or before
    return stacks


def _columns(rows: list[Row]) -> list[tuple[list[Row], list[int]]]:
    """Cut at blank columns; then again at rows that are blank in one part."""
    used = sorted(set[int]().union(*(_used(row) for row in rows)))
    groups: list[list[int]] = []
    for place in used:
        if groups and (place == groups[-1][-1] + 1 or _belongs(rows, groups[-1], place, used)):
            groups[-1].append(place)
        else:
            groups.append([place])
    if len(groups) <= 1:
        return [(rows, group) for group in groups]
    return [
        (run, sorted(set[int]().union(*(_used(row) for row in run)).intersection(group)))
        for group in groups
        for run in _runs(rows, group)
    ]


def _belongs(rows: list[Row], group: list[int], place: int, used: list[int]) -> bool:
    """Whether what lies behind one blank column goes on with the table before it: both are equally high.

    Headings over groups of rows make the left part higher: lone cells, each with rows of both parts right below it.
    """
    if place != group[-1] + 2:
        return False
    right = [place]
    while right[-1] + 1 in used:
        right.append(right[-1] + 1)
    left_rows = [number for number, row in enumerate(rows) if any(_cell(row, one) for one in group)]
    right_rows = [number for number, row in enumerate(rows) if any(_cell(row, one) for one in right)]
    if not left_rows or not right_rows:
        return False
    if left_rows[0] == right_rows[0] and left_rows[-1] == right_rows[-1]:
        return True
    beside = set(right_rows)
    above = [number for number in left_rows if number not in beside]
    lone = all(len(_used(rows[number])) == 1 and number + 1 in beside for number in above)
    return lone and beside <= set(left_rows)


def _runs(rows: list[Row], group: list[int]) -> list[list[Row]]:
    runs: list[list[Row]] = []
    open_ = False
    for row in rows:
        filled = any(_cell(row, place) for place in group)
        if filled and not open_:
            runs.append([])
        if filled:
            cells = tuple(cell if place in group else "" for place, cell in enumerate(row.cells))
            runs[-1].append(Row(row.number, cells))
        open_ = filled
    return runs


def _described(part: tuple[list[Row], list[int]]) -> Region:
    """Find the header of one table, and the title above it."""
    rows, columns = part
    title = ""
    first = 0
    if len(columns) > 1:
        while first < len(rows) - 1 and _is_title([_cell(rows[first], place) for place in columns]):
            title = title or next(cell for place in columns if (cell := _cell(rows[first], place)))
            first += 1
    sample = [tuple(_cell(row, place) for place in columns) for row in rows[first : first + HEADER_SAMPLE]]
    names, count = _names(sample, len(columns))
    header_row = rows[first + count - 1].number if first + count else 0
    return Region(tuple(rows), tuple(columns), names, header_row, title[:_TITLE_CHARS])


def _is_title(cells: Sequence[str]) -> bool:
    """Whether a row is one cell, or one that was merged from the left; merged further right, it heads some columns."""
    filled = [cell for cell in cells if cell]
    return len(set(filled)) == 1 and (len(filled) == 1 or bool(cells[0]))


def _reaches(sample: list[tuple[str, ...]]) -> list[int]:
    """The columns but those that a name to their left reaches over: nameless, each cell merged with the one before."""
    return [
        place
        for place, name in enumerate(sample[0])
        if name or not place or any(not row[place] or row[place] != row[place - 1] for row in sample[1:])
    ]


def _names(sample: list[tuple[str, ...]], width: int) -> tuple[tuple[str, ...], int]:
    """The names of the columns, and how many rows hold them and what stands above them."""
    if width < 2 or len(sample) < 2:
        return (), 0
    parts = _reaches(sample)
    if len(parts) < width:
        names, count = _names([tuple(row[place] for place in parts) for row in sample], len(parts))
        return tuple(names[sum(part <= place for part in parts) - 1] for place in range(width)) if names else (), count
    found = find_header(sample, width)
    names, count = found.names, found.row_count
    if not names:
        count = header_count(sample)
        names = column_names(sample, count)
    # A form writes "Voltage | kV | : | 130": its first row is as good as the others.
    return ((), 0) if any(_SIGNS.fullmatch(name) for name in names) else (names, count)
