"""The first rows of a table in, which of them names the columns out; pure.

A header is a row of names that differ from each other and from what stands below. What lies above it (a title, a
comment, a blank line) is a note. Where no row looks like names, no headers are known: a wrong one would say something
wrong of every cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

NOTE_ROWS_MAX: Final = 40  # so many lines may stand above a header
NAME_MAX_CHARS: Final = 120
_VALUE: Final = re.compile(
    r"[-+\u2212]?[\d.,'\u00a0 ]*\d%?(?:[eE][-+]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|\d{1,2}:\d{2}(?::\d{2})?|"
    r"https?://\S+|[^\s@]+@[^\s@]+\.\w+|true|false|yes|no|null|none|nan|n/?a|-",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"(?:1[5-9]|20|21)\d\d")
_COMMENT: Final = ("#", "%", "//")


@dataclass(frozen=True, slots=True)
class Header:
    """What the columns are called, and how many rows stand above the first row of values.

    ``names`` is empty where none are known; ``note_count`` rows are notes, and the header row follows them.
    """

    names: tuple[str, ...] = ()
    note_count: int = 0

    @property
    def row_count(self) -> int:
        """How many rows come before the values."""
        return self.note_count + bool(self.names)


def find_header(rows: Sequence[Sequence[str]], width: int) -> Header:
    """Find the header of a table.

    Args:
        rows: its first rows, cells as they are read.
        width: the usual number of cells of a row.
    """
    place = next((place for place, row in enumerate(rows[: NOTE_ROWS_MAX + 1]) if _is_table_row(row, width)), None)
    if place is None:
        return Header()
    names = [" ".join(cell.split()) for cell in rows[place]]
    if names and names[0].startswith("#") and len(names[0]) > 1:
        names[0] = names[0].lstrip("# ")  # "# id, name" is how scientists mark a header
    below = [row for row in rows[place + 1 : place + 101] if any(cell.strip() for cell in row)]
    return Header(tuple(names) if _are_names(names, below) else (), place)


def _is_table_row(row: Sequence[str], width: int) -> bool:
    """Whether a row belongs to the table; a comment with commas in it has as many cells only by accident."""
    filled = [cell for cell in row if cell.strip()]
    if not filled or (len(row) < width and width > 1):
        return False
    comment = row[0].lstrip().startswith(_COMMENT)
    return not comment or (width > 1 and len(row) == width and max(map(len, row)) <= NAME_MAX_CHARS // 2)


def _are_names(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    told = [name for name in names if name]
    if not told or len({name.casefold() for name in told}) < len(told) or max(map(len, told)) > NAME_MAX_CHARS:
        return False
    # One corner, or the column of an index, may be left without a name.
    if len(told) < len(names) - 1 and len(told) < 0.8 * len(names):
        return False
    values = [place for place, name in enumerate(names) if name and _VALUE.fullmatch(name)]
    if not values:
        return bool(below)
    if not below:
        return False
    if len(values) == len(told):
        return _are_counted(told) and not _values_below(below)
    years = all(_YEAR.fullmatch(names[place]) for place in values)
    return years and not _VALUE.fullmatch(names[0]) and not _years_below(values, below)


def _are_counted(names: Sequence[str]) -> bool:
    """Whether columns are only numbered: 1, 2, 3."""
    return len(names) > 1 and list(names) == [str(number) for number in range(1, len(names) + 1)]


def _values_below(below: Sequence[Sequence[str]]) -> bool:
    cells = [cell.strip() for row in below for cell in row if cell.strip()]
    return 2 * sum(_VALUE.fullmatch(cell) is not None for cell in cells) > len(cells)


def _years_below(places: Sequence[int], below: Sequence[Sequence[str]]) -> bool:
    """Whether the columns hold years in every row: then the first row is one of them."""
    return all(len(row) > place and _YEAR.fullmatch(row[place].strip()) for row in below for place in places)
