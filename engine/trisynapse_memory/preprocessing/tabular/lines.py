"""Rows of cells in, one page of text with a section for every thing worth finding out.

A row is a line of cells. How many records a table makes is decided here. A record costs some 3 KB in the log and a
vector, and a fact for each cell more than that, so 100,000 rows taken singly would cost gigabytes and an hour for rows
that are looked up by their words. Therefore:

- a small table (5,000 cells, 1,000 rows): each row is a record, and each cell becomes a fact;
- a larger one: a record holds as many rows as a chunk has room for, found by the same words, and no cell becomes a
  fact. A citation still names the one row it quotes. (100,000 rows of six cells: 12,550 records, 39 MB.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import structs

from trisynapse_memory.preprocessing.blocks import CELL_JOINT, header_line
from trisynapse_memory.preprocessing.chunking import MARGIN_KIND
from trisynapse_memory.preprocessing.tabular.rows import Row
from trisynapse_memory.types import Locator, Modality, Section

SMALL_CELLS: Final = 5_000
SMALL_ROWS: Final = 1_000
WIDE_CHARS: Final = 600  # of names, or of a row: beyond it a line is cut between cells, each piece with its own names

ROW_FIELD: Final = "row"


@dataclass(frozen=True, slots=True)
class Table:
    """What is known of a table before its rows: its columns, whether it is small, and the sheet it stands on."""

    headers: tuple[str, ...]
    small: bool
    sheet: str | None = None

    @property
    def modality(self) -> Modality:
        """Rows of a small table state something each; those of a large one are data to look up."""
        return Modality.TABLE if self.small else Modality.STRUCTURED


def is_small(row_count: int, cell_count: int) -> bool:
    """Tell whether each row is a record of its own and each cell a fact."""
    return row_count <= SMALL_ROWS and cell_count <= SMALL_CELLS


def write_rows(rows: Iterable[Row], table: Table, heading_rows: int = 0) -> tuple[str, tuple[Section, ...]]:
    """Write the rows of one page as lines, and say where each record lies.

    Args:
        rows: in order; rows without a word are left out, their numbers stay.
        table: what they belong to.
        heading_rows: so many first rows of the table are notes and the header. Every row tells the header, so that
            its own row is evidence only where it is all there is.
    """
    parts: list[str] = []
    runs: list[_Run] = []
    length = 0
    for row in rows:
        cells = [" ".join(cell.split()) for cell in row.cells]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        start = length + bool(parts)
        parts.append(CELL_JOINT.join(cells))
        length = start + len(parts[-1])
        if row.number <= heading_rows:
            kind = MARGIN_KIND if table.headers and row.number == heading_rows else "body"
            place = Locator(kind="row", sheet=table.sheet, row=row.number)
            told = Section(start=start, end=length, kind=kind, modality=Modality.STRUCTURED, locator=place)
            runs.append(_Run(told))
            continue
        for section in _sections(row, cells, start, table):
            if table.small or not runs or not runs[-1].goes_on(section, row.number):
                runs.append(_Run(section))
            else:
                runs[-1] = runs[-1].with_row(section)
    return "\n".join(parts), tuple(run.section for run in runs)


@dataclass(frozen=True, slots=True)
class _Run:
    """A section of one or more whole rows that lie below each other."""

    section: Section
    row_count: int = 1

    def goes_on(self, section: Section, number: int) -> bool:
        """Tell whether a row lies right below: then lines and row numbers go together."""
        place, other = self.section.locator, section.locator
        return (
            place is not None
            and other is not None
            and place.headers == other.headers
            and number == (place.row or 0) + self.row_count
            and section.start == self.section.end + 1
            and section.modality is self.section.modality
            and section.fields == self.section.fields
            and ROW_FIELD not in section.fields
        )

    def with_row(self, section: Section) -> _Run:
        """Return the run with one more row."""
        return _Run(structs.replace(self.section, end=section.end), self.row_count + 1)


def _sections(row: Row, cells: Sequence[str], start: int, table: Table) -> Iterator[Section]:
    """One section for a row, or for each stretch of a row that is too long for one."""
    for first, last in _stretches(cells, table.headers):
        words = CELL_JOINT.join(cells[first:last])
        if not any(cells[first:last]):
            continue
        begin = start + sum(len(cell) + len(CELL_JOINT) for cell in cells[:first])
        names = table.headers[first:] if last == len(cells) else table.headers[first:last]
        fields = {"headers": told} if (told := header_line(names)) else {}
        if first and cells[0]:
            fields[ROW_FIELD] = cells[0]  # the piece alone would not say whose values these are
        place = Locator(kind="row", sheet=table.sheet, row=row.number, headers=_read_names(cells, first, names, table))
        yield Section(
            start=begin,
            end=begin + len(words),
            kind="table",
            modality=table.modality,
            fields=fields,
            locator=place,
        )


def _read_names(cells: Sequence[str], first: int, names: tuple[str, ...], table: Table) -> tuple[str, ...]:
    """The names that facts are read with: none where cells cannot be told apart, or have no label before them."""
    if not table.small:
        return names
    if first or any("|" in cell for cell in cells):
        return ()
    return names[: len(cells)]


def _stretches(cells: Sequence[str], headers: Sequence[str]) -> Iterator[tuple[int, int]]:
    first, size = 0, 0
    for place, cell in enumerate(cells):
        wide = max(len(cell), len(headers[place]) if place < len(headers) else 0) + len(CELL_JOINT)
        if place > first and size + wide > WIDE_CHARS:
            yield first, place
            first, size = place, 0
        size += wide
    yield first, len(cells)
