"""The rows of one sheet in, its pages out: about 64 KiB each, every table with its headers, blank rows left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import structs

from trisynapse_memory.preprocessing.office.leaves import LEAF_CHARS
from trisynapse_memory.preprocessing.office.regions import Region, find_regions
from trisynapse_memory.preprocessing.office.sheet_marks import SheetMarks
from trisynapse_memory.preprocessing.tabular.lines import Table, is_small, write_rows
from trisynapse_memory.preprocessing.tabular.rows import Row
from trisynapse_memory.types import Locator, Section

ROWS_MAX: Final = 2_000  # of a page
_ROWS_MIN: Final = 50
_SAMPLE_ROWS: Final = 500
_TITLE_GAP: Final = 2  # blank rows between a title and its table
_TITLE_CHARS: Final = 120


@dataclass(frozen=True, slots=True)
class Plan:
    """How a sheet is cut: how many rows hold anything, how many cells, and how many rows go on a page."""

    row_count: int = 0
    cell_count: int = 0
    page_rows: int = ROWS_MAX

    @property
    def page_count(self) -> int:
        """How many pages the sheet has; an empty one has one."""
        return max(1, -(-self.row_count // self.page_rows))


def plan(counts: Iterable[tuple[int, int]]) -> Plan:
    """Plan the pages of a sheet.

    Args:
        counts: for each row that holds anything, how many cells do, and how many letters they have.
    """
    row_count = cell_count = letters = 0
    for cells, length in counts:
        row_count += 1
        cell_count += cells
        if row_count <= _SAMPLE_ROWS:
            letters += length + 3 * cells
    mean = max(1, letters // max(1, min(row_count, _SAMPLE_ROWS)))
    return Plan(row_count, cell_count, max(_ROWS_MIN, min(ROWS_MAX, LEAF_CHARS // mean)))


@dataclass(slots=True)
class Text:
    """A page of a sheet while it is written."""

    parts: list[str] = field(default_factory=list[str])
    sections: list[Section] = field(default_factory=list[Section])
    length: int = 0

    def add(self, text: str, sections: Sequence[Section], path: tuple[str, ...]) -> None:
        """Put a text under what is there, with a blank line between."""
        if not text.strip():
            return
        if self.parts:
            self.parts.append("\n\n")
            self.length += 2
        for section in sections:
            start, end = section.start + self.length, section.end + self.length
            self.sections.append(structs.replace(section, start=start, end=end, path=path))
        self.parts.append(text)
        self.length += len(text)

    def line(self, words: str, kind: str, path: tuple[str, ...], locator: Locator | None = None) -> None:
        """Put one line under what is there."""
        self.add(words, (Section(start=0, end=len(words), kind=kind, locator=locator),), path)


@dataclass(frozen=True, slots=True)
class SheetPage:
    """The rows of one page: ``first`` and ``last`` are the numbers of its rows, as the sheet counts them."""

    text: Text
    hidden: tuple[str, ...]
    first: int
    last: int


class SheetReader:
    """Writes the pages of one sheet, in order."""

    def __init__(self, name: str, made: Plan, marks: SheetMarks) -> None:
        self._name = name
        self._plan = made
        self._marks = marks
        self._small = is_small(made.row_count, made.cell_count)
        self._open: list[Region] = []  # the tables that go on from the page before
        self._last = 0
        self._title = ("", 0)

    def pages(self, rows: Iterable[Row]) -> Iterator[SheetPage]:
        """Yield all pages of the sheet.

        Args:
            rows: those that hold anything, in order.
        """
        waiting: list[Row] = []
        for row in rows:
            waiting.append(row)
            if len(waiting) == self._plan.page_rows:
                yield self._page(waiting)
                waiting = []
        if waiting or not self._plan.row_count:
            yield self._page(waiting)

    def _page(self, rows: list[Row]) -> SheetPage:
        text = Text()
        text_start = self._last == 0
        if text_start and rows:
            text.line(self._name, "heading", (self._name,))
        shown, hidden = self._divided(rows)
        for block in _blocks(shown):
            goes_on = bool(self._open) and block[0].number == self._last + 1
            self._open = [_going_on(region, block) for region in self._open] if goes_on else find_regions(block)
            for region in self._open:
                self._write(text, region)
            self._last = block[-1].number
        first, last = (rows[0].number, rows[-1].number) if rows else (0, 0)
        return SheetPage(text, tuple(hidden), first, last)

    def _divided(self, rows: list[Row]) -> tuple[list[Row], list[str]]:
        """What a reader sees, and what hidden rows and columns hold."""
        columns = self._marks.hidden_columns
        hidden_rows = frozenset[int]() if self._marks.is_filtered else self._marks.hidden_rows
        if not columns and not hidden_rows:
            return rows, []
        shown: list[Row] = []
        hidden: list[str] = []
        for row in rows:
            is_hidden = row.number in hidden_rows
            kept = tuple("" if is_hidden or place + 1 in columns else cell for place, cell in enumerate(row.cells))
            lost = [cell for cell, left in zip(row.cells, kept, strict=True) if cell and not left]
            if lost:
                hidden.append(" | ".join(lost))
            if any(kept):
                shown.append(Row(row.number, kept))
        return shown, hidden

    def _write(self, text: Text, region: Region) -> None:
        rows = region.shaped(region.rows)
        if not rows:
            return
        if len(region.columns) == 1 or (len(rows) == 1 and sum(map(bool, rows[0].cells)) == 1):
            self._write_lines(text, rows)
            return
        title = region.title or self._title_above(rows[0].number)
        path = (self._name, title) if title else (self._name,)
        table = Table(region.names, self._small, self._name)
        written, sections = write_rows(rows, table, region.header_row)
        text.add(written, [_on_sheet(section, self._name) for section in sections], path)
        self._title = ("", 0)

    def _write_lines(self, text: Text, rows: list[Row]) -> None:
        """Lone cells: titles, notes, lists of one column."""
        words = "\n".join(" ".join(cell for cell in row.cells if cell) for row in rows)
        locator = Locator(kind="row", sheet=self._name, row=rows[0].number)
        text.line(words, "body", (self._name,), locator)
        if (
            len(self._open) == 1
            and len(rows) == 1
            and len(words) <= _TITLE_CHARS
            and any(letter.isalpha() for letter in words)
        ):
            self._title = (words, rows[0].number)

    def _title_above(self, row: int) -> str:
        words, number = self._title
        return words if words and 0 < row - number <= _TITLE_GAP + 1 else ""


def _blocks(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows that lie below each other."""
    block: list[Row] = []
    for row in rows:
        if block and row.number != block[-1].number + 1:
            yield block
            block = []
        block.append(row)
    if block:
        yield block


def _going_on(region: Region, block: Sequence[Row]) -> Region:
    """The same table on the next page, under the same headers."""
    return Region(tuple(block), region.columns, region.names, region.header_row, region.title)


def _on_sheet(section: Section, sheet: str) -> Section:
    locator = section.locator
    return section if locator is None or locator.sheet else structs.replace(
        section, locator=structs.replace(locator, sheet=sheet)
    )  # fmt: skip
