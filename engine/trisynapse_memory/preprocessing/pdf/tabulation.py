"""The words of a region by row and cell in, a table out, or the reasons why it is none. No rule is looked at here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.pdf.bidi import is_right_to_left
from trisynapse_memory.preprocessing.pdf.cells import Box, Piece, words_of
from trisynapse_memory.preprocessing.pdf.glyphs import Fragment
from trisynapse_memory.preprocessing.pdf.headers import Cells, said_in

LOOSE_FIGURES: Final = 0.3  # of the cells of a table without rules that hold a digit
LOOSE_CELL_CHARS: Final = 45  # characters; a usual cell of such a table is no longer
_BULLET: Final = re.compile(r"[^\w\s]{0,2}|[o\uf0b7\u00a7]|\d{1,2}[.)]|[a-z][.)]")
_FIGURE: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Table:
    """A table in its frame: ``rows[i][j]`` are the words of a cell; ``members`` are the fragments it took."""

    box: Box
    rows: tuple[Cells, ...]
    headers: tuple[str, ...]
    members: frozenset[int]


def table_of(rows: Sequence[Cells], headers: tuple[str, ...], members: frozenset[int]) -> Table:
    """Make a table of rows, right-to-left ones in the order they are read."""
    words = [word for row in rows for cell in row for word in cell]
    box = (
        min(word.left for word in words), min(word.top for word in words),
        max(word.right for word in words), max(word.bottom for word in words),
    )  # fmt: skip
    text = "".join(word.text for word in words)
    if not text.isascii() and is_right_to_left(text):
        return Table(box, tuple(row[::-1] for row in rows), headers[::-1], members)
    return Table(box, tuple(rows), headers, members)


def words_in(group: Sequence[Fragment], members: frozenset[int]) -> Iterator[Piece]:
    """Yield the words of some fragments of a frame."""
    for index in sorted(members):
        yield from words_of(group[index])


def inside(boxes: Sequence[Box], area: Box) -> frozenset[int]:
    """Return the numbers of the boxes whose middle lies in an area."""
    return frozenset(
        index
        for index, (left, top, right, bottom) in enumerate(boxes)
        if area[0] - 1 <= (left + right) / 2 <= area[2] + 1 and area[1] <= (top + bottom) / 2 <= area[3]
    )


def is_plain(cells: Sequence[Cells]) -> bool:
    """Tell whether rows that no rule parts are a table beyond doubt: short cells, and figures in many of them."""
    behind = [cell for row in cells for cell in row[1:] if cell]
    figures = sum(_FIGURE.search(said_in(cell)) is not None for cell in behind)
    lengths = [sorted(len(said_in(row[column])) for row in cells if row[column]) for column in range(len(cells[0]))]
    short = all(own[len(own) // 2] <= LOOSE_CELL_CHARS for own in lengths if own)
    return short and figures >= LOOSE_FIGURES * max(len(behind), 1)


def is_list(rows: Sequence[Cells]) -> bool:
    """Tell whether the rows are paragraphs behind bullets: nothing stands beside their text but marks."""
    several = [row for row in rows if sum(cell != () for cell in row if not _BULLET.fullmatch(said_in(cell))) > 1]
    return 2 * len(several) < len(rows)
