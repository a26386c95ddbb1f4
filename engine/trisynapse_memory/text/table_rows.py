"""A row of a table and the headers of its columns in, the row as a statement out, and whether a statement is that row.

"ResNet50 | 63.7 | 57.8" below "Model | Accuracy | Gap" reads "ResNet50 \u2013 Accuracy: 63.7; Gap: 57.8": every word
is the table's own, and only what stands between them says how they belong together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from trisynapse_memory.types import CitationVerdict

_LABEL_JOINT: Final = " \u2013 "
_VALUE_JOINT: Final = ": "
_ITEM_JOINT: Final = "; "
_BORDER: Final = re.compile(r"[\s|:+=-]*")  # the line below the headers in Markdown
_SPLIT: Final = re.compile(r"(?<!\\)\|")


def cells_of(line: str, count: int = 0) -> tuple[str, ...]:
    """Cut a line of a table into its cells, the empty ones too.

    Args:
        line: one line.
        count: of the columns, where it is known; it tells an empty first and last cell from the borders of Markdown.

    Returns:
        At least two cells; none for a line without a joint, or the border below the headers of Markdown.
    """
    bare = line.strip()
    if "|" not in bare or _BORDER.fullmatch(bare):
        return ()
    cells = tuple(" ".join(cell.split()) for cell in _SPLIT.split(bare))
    bordered = len(cells) > 2 and not cells[0] and not cells[-1]
    return cells[1:-1] if bordered and len(cells) != count else cells


def header_names(told: str) -> tuple[str, ...]:
    """Return the header of each column from the line that a record carries; none for an empty line."""
    return tuple(" ".join(name.split()) for name in told.split("|")) if told.strip() else ()


def headers_for(cells: Sequence[str], headers: Sequence[str]) -> tuple[str, ...]:
    """Return a header for each cell; all are empty where there is not one for each, for then none can be told."""
    return tuple(headers) if len(headers) == len(cells) else ("",) * len(cells)


def label_place(cells: Sequence[str]) -> int:
    """Return the index of the cell that names the row: the first one with a word; 0 for a row without any."""
    return next((index for index, cell in enumerate(cells) if cell), 0)


def row_statement(cells: Sequence[str], headers: Sequence[str], columns: Collection[int]) -> str:
    """Write a row as a statement.

    Args:
        cells: of the row.
        headers: one for each cell, or none (``headers_for``); an empty one is not written.
        columns: the indexes of the cells to be told; the one that names the row is always.

    Returns:
        The label and the told cells, each behind its header, in the order of the table; empty cells are left out.
    """
    label = label_place(cells)
    items = [_item(cells, headers, index) for index in sorted(columns) if index != label and cells[index]]
    return f"{cells[label]}{_LABEL_JOINT}{_ITEM_JOINT.join(items)}" if items else cells[label]


def judge_row(statement: str, line: str, headers: Sequence[str]) -> CitationVerdict:
    """Say whether a statement is a row of a table with its headers.

    Args:
        statement: as ``row_statement`` writes it.
        line: the row as it stands in the record.
        headers: of the columns.

    Returns:
        NORMALISED where it has the row's label and, in their order, whole cells of the row, each behind the header of
        its own column; else NOT_FOUND. A value under another header, or of another row, is never found.
    """
    cells = cells_of(line, len(headers))
    label = label_place(cells)
    start = f"{cells[label]}{_LABEL_JOINT}" if cells else ""
    if not start or not statement.startswith(start):
        return CitationVerdict.NOT_FOUND
    columns = [index for index, cell in enumerate(cells) if cell and index != label]
    items = [_item(cells, headers_for(cells, headers), index) for index in columns]
    return CitationVerdict.NORMALISED if _is_made_of(statement[len(start) :], items) else CitationVerdict.NOT_FOUND


def judge_in_table(statement: str, text: str, headers: Sequence[str]) -> CitationVerdict:
    """Say whether a statement is some row of a table; see ``judge_row``."""
    verdicts = (judge_row(statement, line, headers) for line in text.split("\n"))
    return next((one for one in verdicts if one.passes), CitationVerdict.NOT_FOUND)


def _item(cells: Sequence[str], headers: Sequence[str], index: int) -> str:
    return f"{headers[index]}{_VALUE_JOINT}{cells[index]}" if headers[index] else cells[index]


def _is_made_of(text: str, items: Sequence[str]) -> bool:
    """Whether a text is some of the items, at least one, in their order and joined."""
    for place, item in enumerate(items):
        if text == item:
            return True
        rest = text.removeprefix(f"{item}{_ITEM_JOINT}")
        if rest != text and _is_made_of(rest, items[place + 1 :]):
            return True
    return False
