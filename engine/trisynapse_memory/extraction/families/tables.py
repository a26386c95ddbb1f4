"""A table's rows in, its cells as facts out (has_cell): the row's label, the column's header, what stands there.

The qualifiers name the column and the table, so that "Total" of one table never meets "Total" of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.extraction.amounts import confidence_of
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "tables"

_JOINT: Final = re.compile(r"\s*\|\s*")
_RULE: Final = re.compile(r"[\s|:=+-]*")
NOTHING: Final = frozenset(("", "-", "–", "—", "--", "n/a", "na", "none", "nil", ".", "..", "...", "?", "tbd", "…"))
_FIGURE: Final = re.compile(r"[-+−]?\d*[.,]\d+\s?%?|\d+\s?%")  # A row that begins with a value has lost its label.
_NOTE: Final = re.compile(r"[*†‡§]|(?:note|source|notes|sources)\s*:|p\s*[<=>]", re.IGNORECASE)
_COUNTERS: Final = frozenset(("index", "id", "no", "no.", "nr", "nr.", "#", "row", "s.no", "unnamed: 0"))
_LONGEST_CELL: Final = 120  # characters; a longer cell is a paragraph
_LONGEST_LABEL: Final = 80


class _Row(NamedTuple):
    """One line of a table: where it stands and what its cells hold."""

    start: int
    end: int
    cells: tuple[str, ...]


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield the cells of a table whose column headers are known.

    A row has as many cells as there are headers, or one more when the corner above the labels is left out; any other
    row (a merged cell, a note under the table) says nothing.
    """
    if "|" not in passage.text:
        return
    rows = list(_rows(passage.text))
    headers = tuple(" ".join(header.split()) for header in passage.cells) or _headers(passage, rows)
    for row in rows if headers else ():
        names = _names(headers, row.cells)
        if names is None or _is_header(row.cells, headers, names):
            continue
        label = _label(headers, row.cells)
        for name, cell in zip(names, row.cells[1:], strict=True):
            if cell.casefold() not in NOTHING and name and len(cell) <= _LONGEST_CELL and cell != label:
                yield cell_fact(passage, (row.start, row.end), (label, name, cell), PATTERN)


def _headers(passage: Passage, rows: list[_Row]) -> tuple[str, ...]:
    """The first row of a whole table, where it holds names only and the rows below hold figures."""
    if passage.modality is not Modality.TABLE or len(rows) < 2:
        return ()
    first, rest = rows[0].cells, rows[1:]
    named = not any(re.search(r"\d", cell) or not cell for cell in first[1:])
    figures = any(re.fullmatch(r"[\d.,%$€£ ±-]+", cell) for row in rest for cell in row.cells[1:])
    return first if named and figures and all(len(row.cells) == len(first) for row in rest) else ()


def _rows(text: str) -> Iterator[_Row]:
    position = 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        start = position + (len(line) - len(line.lstrip()))
        position += len(line)
        if "|" not in stripped or _RULE.fullmatch(stripped):
            continue
        inner = re.sub(r"^\||\|$", "", stripped)
        cells = tuple(" ".join(cell.split()) for cell in _JOINT.split(inner.strip()))
        yield _Row(start, start + len(stripped), cells)


def _names(headers: tuple[str, ...], cells: tuple[str, ...]) -> tuple[str, ...] | None:
    """The headers of the cells behind the label, or None for a row that does not fit."""
    label = cells[0]
    if not label or label.casefold() in NOTHING or len(label) > _LONGEST_LABEL or _NOTE.match(label):
        return None
    if _FIGURE.fullmatch(label) and all(re.fullmatch(r"[\d.,%± ()-]*", cell) for cell in cells[1:]):
        return None
    if len(cells) == len(headers) and len(headers) > 1:
        return headers[1:]
    return headers if len(cells) == len(headers) + 1 else None


def _label(headers: tuple[str, ...], cells: tuple[str, ...]) -> str:
    """What a row is about: its first cell, but for one that only counts the rows the first that is no number."""
    if len(cells) != len(headers) or headers[0].casefold() not in _COUNTERS or not cells[0].isdecimal():
        return cells[0]
    told = (cell for cell in cells[1:] if re.search(r"[^\W\d_]", cell) and len(cell) <= _LONGEST_LABEL)
    return next(told, cells[0])


def _is_header(cells: tuple[str, ...], headers: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether a row holds the headers, or one line of headers that take several ("Avg." over "Length")."""
    folded = {header.casefold() for header in headers if header}
    if {cell.casefold() for cell in cells[1:] if cell} <= folded:
        return True
    said = [(cell, name) for cell, name in zip(cells[1:], names, strict=True) if cell]
    return all(re.search(r"[^\W\d_]", cell) and cell.casefold() in name.casefold() for cell, name in said)


def cell_fact(passage: Passage, span: tuple[int, int], cell: tuple[str, str, str], pattern: str) -> Proposal:
    """Return what one cell says: ``cell`` is the label of its row, the header of its column, and what it holds."""
    label, name, held = cell
    # A field is of the source itself; its title need not be said again.
    table = ": ".join(part for part in (passage.title, passage.section) if part and part != label)
    return Proposal(
        seq=passage.seq,
        start=span[0],
        end=span[1],
        subject=label,
        relation="has_cell",
        object=held,
        pattern=pattern,
        confidence=confidence_of(pattern),
        qualifiers={"part": name} | ({"condition": table} if table else {}),
    )
