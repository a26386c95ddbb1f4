"""A table that a page writes with tabs in, its cells out (has_cell): row label, column header in ``part``, the cell.

Nothing in the text says that a line is a header, so a table counts only where its look does: one line of names above
rows of as many cells, and figures in one column below, or a first header that tables of words have ("Operation").
A table with wrapped cells is left alone: its lines cannot be told from its rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from trisynapse_memory.extraction.families.tables import NOTHING, cell_fact
from trisynapse_memory.extraction.lines import Row, rows_of
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "columns"

_FIGURE: Final = re.compile(
    r"[<>~\u2264\u2265]?\s?[-+\u2212(]?[$\u20ac\u00a3]?\s?\d[\d,. ]*\)?\s?(?:%|[a-zA-Z\u00b5\u00b0/]{1,5})?"
)
_PERIOD: Final = re.compile(r"(?:FY\s?)?(?:19|20)\d\d(?:\s?[-\u2013/]\s?\d{2,4})?|Q[1-4](?:\s(?:19|20)\d\d)?|[HQ][1-4]")
_WORDED: Final = frozenset(
    """abbreviation acronym button code command error feature field function icon item key model operation option
    parameter problem property symbol symptom term variable word""".split()
)
"""First headers of tables that hold words only."""
_WRAPPED: Final = re.compile(r"[a-z&(,;]")
_UNFINISHED: Final = re.compile(
    r"(?:[,(&/-]|\b(?:of|the|an?|and|or|for|in|on|to|from|with|by|at|as|is|are|which|that|than|your|its))$",
    re.IGNORECASE,
)
_LONGEST_HEADER: Final = 40  # characters
_LONGEST_CELL: Final = 120
_FEWEST_ROWS: Final = 2


class _Header(NamedTuple):
    """The names of the columns behind the label, and where the rows begin."""

    names: tuple[str, ...]
    first: str
    below: int


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield the cells of tables; the header may be the last line of the passage before."""
    if (
        "\t" not in passage.text
        or passage.cells
        or passage.speaker
        or passage.modality in (Modality.CODE, Modality.TABLE)
    ):
        return
    rows = rows_of(passage.text)
    headers = [header for row in rows if (header := _header(rows, row.place)) is not None]
    above = rows_of(passage.before)
    if above and (continued := _header(above, len(above) - 1)) is not None:
        headers.insert(0, continued._replace(below=0))
    read: set[int] = set()  # rows of a table; one that names nothing but words is no header of those below it
    for header in headers:
        if header.below - 1 not in read:
            body = _body(rows[header.below :], header)
            read.update(row.place for row in body)
            yield from _cells(passage, header, body)


def _header(rows: Sequence[Row], index: int) -> _Header | None:
    """The header that a line may be: short names, not below another line of cells (that is a header of two lines)."""
    row, cells = rows[index], rows[index].cells
    above = rows[index - 1] if index and not row.is_apart else None
    if len(cells) < 2 or (above is not None and len(above.cells) > 1):
        return None
    if all(_PERIOD.fullmatch(cell) for cell in cells):
        return _Header(cells, "", index + 1)  # the corner above the labels is empty
    fits = all(_is_name(cell) for cell in cells[:1]) and all(
        _is_name(cell) or _PERIOD.fullmatch(cell) for cell in cells[1:]
    )
    return _Header(cells[1:], cells[0], index + 1) if fits and len(set(cells)) == len(cells) else None


def _is_name(cell: str) -> bool:
    return (
        0 < len(cell) <= _LONGEST_HEADER
        and not _is_nothing(cell)
        and (cell[0].isupper() or cell[0] in "%$\u20ac\u00a3")
        and not re.search(r"\d|[.:;?!]$", re.sub(r"\([^()]*\)", "", cell))
    )


def _cells(passage: Passage, header: _Header, body: Sequence[Row]) -> Iterator[Proposal]:
    counts = Counter(row.cells[0].casefold() for row in body)
    for row in body:
        label, *held = row.cells
        if counts[label.casefold()] > 1:
            continue  # two rows of one name are told apart by something else
        for name, cell in zip(header.names, held, strict=True):
            if not _is_nothing(cell) and len(cell) <= _LONGEST_CELL:
                yield cell_fact(passage, (row.start, row.end), (label, name, cell), PATTERN)


def _body(rows: Sequence[Row], header: _Header) -> list[Row]:
    """The rows below a header; none where cells are wrapped over lines and rows do not stand apart."""
    width = len(header.names) + 1
    body: list[Row] = []
    rest: set[int] = set()
    for row in rows:
        first = row.cells[0].casefold()
        if row.is_apart and first in _WORDED | {header.first.casefold()}:
            break  # the header of another table, or this one again on the next page
        if len(row.cells) == width and not _WRAPPED.match(row.text):
            body.append(row)
        elif row.is_apart and len(row.cells) == 1:
            break  # what follows the table
        elif body:
            rest.add(body[-1].place)
        else:
            return []
    parted = all(row.is_apart for row in body)
    whole = [row for row in body if row.place not in rest and all(row.cells)]
    is_torn = any(_UNFINISHED.search(cell) for row in whole for cell in row.cells if not _is_nothing(cell))
    if is_torn or (rest and not parted) or len(whole) < _FEWEST_ROWS:
        return []
    return whole if _has_figures(whole) or header.first.casefold() in _WORDED else []


def _is_nothing(cell: str) -> bool:
    """Whether a cell is empty, or says that it is the same as the one above."""
    return cell.casefold().rstrip(".") in NOTHING or cell.casefold() in {"-do-", "do.", "ditto"}


def _has_figures(body: Sequence[Row]) -> bool:
    """Whether one column behind the labels holds figures only."""
    columns = zip(*(row.cells[1:] for row in body), strict=True)
    return any(
        all(_FIGURE.fullmatch(cell) or cell.casefold() in NOTHING for cell in column)
        and any(_FIGURE.fullmatch(cell) for cell in column)
        for column in columns
    )
