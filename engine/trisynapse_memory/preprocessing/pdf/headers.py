"""The first rows of a table in, the names of its columns out, or none. Nothing is found on the page here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trisynapse_memory.preprocessing.pdf.cells import Piece, rows_of
from trisynapse_memory.preprocessing.pdf.lines import line_of

MAX_HEADER_ROWS: Final = 4
MAX_TITLE_ROWS: Final = 2
LONG_HEADER_CHARS: Final = 150  # characters; a longer text names no column
VALUE: Final = re.compile(r"[\W\d_]*\d[\W\d_]*[a-zA-Z%]{0,3}")
"""A figure with its signs and its unit: what stands in cells, and in no header."""
# Three digits that are no year, or a code of letters and digits by turns: an id or a value, and no name.
_NUMBER: Final = re.compile(r"(?<![\d.])(?!(?:1[89]|20)\d\d(?!\d))\d{3,}|[A-Za-z]\d+[A-Za-z]+\d")
_YEAR: Final = re.compile(r"(?:FY\s?)?(?:1[89]|20)\d\d(?:[-/\u2013]\d{2,4})?[a-z*]?|Q[1-4]|H[12]")

Cells = tuple[tuple[Piece, ...], ...]


def said_in(cell: Sequence[Piece]) -> str:
    """Return the words of a cell in reading order."""
    if len(cell) == 1 and cell[0].text.isascii():
        return cell[0].text
    lines = (line_of([(piece.box, piece.fragment) for piece in row]) for row in rows_of(cell))
    return " ".join(line.glyphs.text.replace("\t", " ") for line in lines)


def headers_above(
    rows: Sequence[Cells], bands: Sequence[int], covers: Sequence[Sequence[int]] | None = None
) -> tuple[str, ...]:
    """Return the words of the first rows by column, where they are names of what stands below.

    Args:
        rows: the whole table.
        bands: for each row, the number of the stretch between two rules that it stands in.
        covers: for each row and each column, the column whose cell lies over it there.
    """
    start = 0
    while start < min(MAX_TITLE_ROWS, len(rows) - 2) and _is_title(rows[start], covers[start] if covers else ()):
        start += 1
    count = sum(band == bands[start] for band in bands[start:])
    count = _header_count(rows[start:], count if count < len(rows) - start and count <= MAX_HEADER_ROWS else 1)
    names: list[str] = []
    for column in range(len(rows[0])):
        head = range(start, start + count)
        parts = [said_in(rows[at][covers[at][column] if covers else column]) for at in head]
        names.append(" ".join(part for part in parts if part))
    return tuple(names) if are_names(names, rows[start + count :], ruled=False) else ()


def _is_title(row: Cells, covers: Sequence[int]) -> bool:
    """Whether a row of one cell is the title of the table: it lies over all columns, or over more than two."""
    return sum(map(bool, row)) == 1 and (len(row) > 2 or len(set(covers)) == 1)


def _header_count(rows: Sequence[Cells], count: int) -> int:
    """Names over names: below cells that span columns stands one more row of names, as long as no figure does."""
    while (
        count < min(len(rows) - 1, MAX_HEADER_ROWS)
        and not all(rows[count - 1])
        and not _has_figures(rows[count])
        and any(map(_has_figures, rows[count + 1 :]))
        and sum(map(bool, rows[count])) > 0.6 * len(rows[count])
    ):
        count += 1
    return count


def _has_figures(row: Cells) -> bool:
    return any(VALUE.fullmatch(said_in(cell)) for cell in row[1:] if cell)


def are_names(names: Sequence[str], body: Sequence[Cells], *, ruled: bool) -> bool:
    """Tell whether the first rows name the columns: words over figures, or words over every column.

    Args:
        names: by column.
        body: the rows below.
        ruled: whether a rule parts them from the rows below.
    """
    told = [name for name in names[1:] if name]
    if (
        not body
        or not told
        or len(told) < 0.5 * (len(names) - 1)
        or any(len(name) > LONG_HEADER_CHARS for name in names)
    ):
        return False
    keys = len(names) == 2 and any(_NUMBER.search(name) and not VALUE.fullmatch(name) for name in names)
    if keys or any(name.endswith(":") for name in names):
        return False
    figures = sum(VALUE.fullmatch(said_in(row[column])) is not None for row in body for column in range(1, len(names)))
    if any(VALUE.fullmatch(name) for name in told):
        # Figures name columns where a rule parts them from the rest (25 %, 50 %), or where they are years.
        years = all(_YEAR.fullmatch(name) for name in told if VALUE.fullmatch(name))
        return figures > 0 and (years or (ruled and not all(VALUE.fullmatch(name) for name in told)))
    enough = len(names) > 2 or ruled or len(body) > 2
    return figures > 0 or (all(names) and enough)
