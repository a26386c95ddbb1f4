"""The cells of a table with their spans in, plain rows and the headers of its columns out.

A merged cell says what it says in every row and column it covers: so "Class 1" stands above each of its columns, and
the label of three rows stands in front of each of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import structs

from trisynapse_memory.preprocessing.blocks import Block, table_block
from trisynapse_memory.types import Locator

COLUMNS_MAX: Final = 1024  # a span may state any number
ROWS_SPAN_MAX: Final = 65_536
_HEADER_ROWS_MAX: Final = 4
_HEADER_CHARS_MAX: Final = 80  # a longer cell is a sentence
_FIGURE: Final = re.compile(r"[-+−(]?\s?[$€£¥]?\s?\d[\d.,\s'%/:–-]*\)?\s?%?")
_NO_NAME: Final = re.compile(r"^- |=|[.!?]\s*$|\w[.!?]\s+[A-Z]")  # an entry of a list, a formula, a sentence


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its words, and how many columns and rows it covers."""

    text: str
    columns: int = 1
    rows: int = 1


def spread(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """Return rows of equal length in which every merged cell stands wherever it reaches."""
    grid: list[list[str]] = []
    falling: dict[int, tuple[str, int]] = {}  # column -> words of a cell from above, and how many rows it still covers
    for cells in rows:
        line: list[str] = []
        waiting = list(cells)
        while (waiting or any(column >= len(line) for column in falling)) and len(line) < COLUMNS_MAX:
            column = len(line)
            if column in falling:
                words, left = falling.pop(column)
                if left > 1:
                    falling[column] = (words, left - 1)
                line.append(words)
            elif waiting:
                cell = waiting.pop(0)
                for place in range(column, min(column + max(1, cell.columns), COLUMNS_MAX)):
                    line.append(cell.text)
                    if cell.rows > 1:
                        # A row just seen is not counted down in this row: hence the one less.
                        falling[place] = (cell.text, min(cell.rows, ROWS_SPAN_MAX) - 1)
            else:
                line.append("")
        grid.append(line)
    width = max((len(line) for line in grid), default=0)
    return [[*line, *[""] * (width - len(line))] for line in grid]


def header_count(rows: Sequence[Sequence[str]], stated: int = 0) -> int:
    """Return how many first rows are headers.

    Args:
        rows: the cells, as ``spread`` gives them.
        stated: how many rows the document itself marks as headers.
    """
    if len(rows) < 2 or len(rows[0]) < 2:
        return 0
    if stated:
        return min(stated, len(rows) - 1, _HEADER_ROWS_MAX)
    if not _may_head(rows[0]):
        return 0
    count, most = 1, min(_HEADER_ROWS_MAX, len(rows) - 1)
    # Where a header covers several columns, the row below tells them apart; its corner is empty, or the same one.
    while (
        count < most and _has_twins(rows[count - 1]) and rows[count][0] in ("", rows[0][0]) and _may_head(rows[count])
    ):
        count += 1
    return count


def _has_twins(row: Sequence[str]) -> bool:
    named = [cell for cell in row if cell]
    return len(set(named)) < len(named)


def column_names(rows: Sequence[Sequence[str]], count: int) -> tuple[str, ...]:
    """Return the name of each column: its header cells from top to bottom, each said once."""
    if not count:
        return ()
    return tuple(" ".join(dict.fromkeys(" ".join(row[place].split()) for row in rows[:count])).strip()
                 for place in range(len(rows[0])))  # fmt: skip


def grid_block(rows: Sequence[Sequence[str]], stated: int = 0, locator: Locator | None = None) -> Block | None:
    """Write rows of equal length as a table with the headers of its columns; None when no cell holds a word.

    Args:
        rows: the cells, as ``spread`` gives them.
        stated: how many rows the document itself marks as headers.
        locator: where the table lies; its headers are filled in here.
    """
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        return None
    used = [place for place in range(len(filled[0])) if any(row[place].strip() for row in filled)]
    filled = [[row[place] for place in used] for row in filled]
    names = column_names(filled, header_count(filled, stated))
    place = locator or (Locator(kind="section") if any(names) else None)
    place = structs.replace(place, headers=names) if place is not None and any(names) else place
    return table_block(filled, names if any(names) else (), place)


def _may_head(row: Sequence[str]) -> bool:
    """Names and no figures; the corner above the row labels may be empty."""
    named = [cell for cell in row if cell.strip()]
    return (
        len(named) >= max(1, len(row) - 1)
        and bool(row[-1].strip() or len(row) > 2)
        and all(len(cell) <= _HEADER_CHARS_MAX for cell in named)
        and not any(_FIGURE.fullmatch(cell.strip()) and not _is_year(cell) for cell in named)
        and not any(_NO_NAME.search(cell) for cell in named)
    )


def _is_year(cell: str) -> bool:
    return bool(re.fullmatch(r"(?:19|20)\d\d", cell.strip()))
