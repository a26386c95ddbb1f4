"""A delimited text of any size in, its pages and rows out; memory holds one page, and no cell is longer than 1 MiB.

Pages end where rows end. A quote that is never closed would swallow the rest of the file: its line is read as it
stands, and the next one as usual.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO, Final

from trisynapse_memory.preprocessing.paging import PAGE_BYTES, PagedText
from trisynapse_memory.preprocessing.tabular.dialects import Dialect

ROW_MAX_CHARS: Final = 1_048_576  # a longer row is a quote that nobody closed
EXACT_PAGES: Final = 16  # from here on a page without torn quotes is counted by its lines, six times as fast
UNCLOSED_MAX: Final = 2  # of one page; after that its quotes are letters
_LINE_BYTES: Final = 1_048_576
_LINE_END: Final = re.compile(rb"(?<=\n)|(?<=\r)(?!\n)")
_SAMPLE_BYTES: Final = 131_072


@dataclass(frozen=True, slots=True)
class Row:
    """One row: ``number`` counts from 1 as spreadsheets do, the header row included and blank lines too."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extent:
    """How large a delimited text is: the first row number of every page, and the number of its rows and cells."""

    first_rows: tuple[int, ...]
    row_count: int
    cell_count: int
    unclosed_count: int


def sample_lines(file: IO[bytes]) -> list[str]:
    """Return the lines at the beginning of a file, the torn last one left out."""
    file.seek(0)
    block = file.read(_SAMPLE_BYTES)
    lines = _LINE_END.split(block)
    whole = lines[:-1] if len(block) == _SAMPLE_BYTES and len(lines) > 1 else lines
    return [_text(line) for line in whole if line]


def measure(file: IO[bytes], dialect: Dialect) -> tuple[tuple[tuple[int, int], ...], Extent]:
    """Find the pages of a delimited text: spans of bytes of about 64 KiB that end where a row ends."""
    file.seek(0)
    spans: list[tuple[int, int]] = []
    firsts: list[int] = []
    start, row_count, cell_count, unclosed_count = 0, 0, 0, 0
    reader = _Reader(file, dialect)
    while True:
        firsts.append(row_count + 1)
        if len(spans) >= EXACT_PAGES and (counted := reader.pass_page()):
            row_count, cell_count = row_count + counted[0], cell_count + counted[1]
            spans.append((start, reader.position))
            start = reader.position
            continue
        for row in reader.rows():
            row_count += 1
            cell_count += len(row)
            if reader.position - start >= PAGE_BYTES:
                break
        else:
            break
        spans.append((start, reader.position))
        start = reader.position
        unclosed_count += reader.forget_unclosed()
    if reader.position > start or not spans:
        spans.append((start, reader.position))
    else:
        firsts.pop()
    extent = Extent(tuple(firsts), row_count, cell_count, unclosed_count + reader.forget_unclosed())
    return tuple(spans), extent


def rows_of(paged: PagedText, number: int, first_row: int, dialect: Dialect) -> Iterator[Row]:
    """Yield the rows of one page (from 1); ``first_row`` is the number of its first row."""
    start, end = paged.spans[number - 1]
    reader = _Reader(paged.file, dialect, start, end)
    for place, cells in enumerate(reader.rows()):
        yield Row(first_row + place, tuple(_clean(cell) for cell in cells))


class _Reader:
    """Reads rows from a stretch of a file and knows where each one ends."""

    def __init__(self, file: IO[bytes], dialect: Dialect, start: int = 0, end: int | None = None) -> None:
        self._file = file
        self._dialect = dialect
        self._end = end
        self._waiting: list[bytes] = []
        self._unclosed_count = 0
        self._taken_chars = 0
        self._taken_lines = 0
        self.position = start
        file.seek(start)
        csv.field_size_limit(2 * ROW_MAX_CHARS)
        self._cells = dialect.cells(self._lines())

    def rows(self) -> Iterator[list[str]]:
        """Yield rows; asked again, it goes on where it stopped."""
        while True:
            begun = self.position
            self._taken_chars = self._taken_lines = 0
            # The library asks for another line only inside a quote, so that the position is the end of the row.
            try:
                row = next(self._cells, None)
            except csv.Error:
                yield self._plain(begun)
                continue
            if row is None:
                return
            yield self._plain(begun) if self._is_unclosed(begun) else row

    def pass_page(self) -> tuple[int, int] | None:
        """Step over a page in which every line is a row, and count its rows and, roughly, its cells.

        Returns:
            None, and nothing is stepped over, where a row may take several lines: a quote that a line opens and does
            not close makes the number of its quotes odd.
        """
        begun = self.position
        self._return_to(begun)
        block = self._file.read(PAGE_BYTES)
        tail = self._file.readline(_LINE_BYTES)
        block += tail
        quote = self._dialect.quote.encode()
        plain = (
            tail.endswith(b"\n")
            and not self._dialect.escape
            and block.count(b"\r") == block.count(b"\r\n")
            and not (quote and any(line.count(quote) & 1 for line in block.split(b"\n")))
        )
        self._return_to(begun + len(block) if plain else begun)
        rows = block.count(b"\n")
        return (rows, rows + block.count(self._dialect.delimiter.encode())) if plain else None

    def forget_unclosed(self) -> int:
        """Return how many quotes were never closed since the last time, and believe in quotes again."""
        count, self._unclosed_count = self._unclosed_count, 0
        if count:
            self._cells = self._dialect.cells(self._lines())
        return count

    def _plain(self, begun: int) -> list[str]:
        """The first line of a row that never ends, quotes read as letters."""
        self._unclosed_count += 1
        self._return_to(begun)
        line = self._line()
        self.position += len(line)
        believed = self._dialect if self._unclosed_count < UNCLOSED_MAX else replace(self._dialect, quote="")
        self._cells = believed.cells(self._lines())
        return _text(line).rstrip("\r\n").split(self._dialect.delimiter)

    def _lines(self) -> Iterator[str]:
        while self._taken_chars < ROW_MAX_CHARS and (line := self._line()):
            self.position += len(line)
            text = _text(line)
            self._taken_chars += len(text)
            self._taken_lines += 1
            yield text

    def _line(self) -> bytes:
        if self._waiting:
            return self._waiting.pop()
        room = _LINE_BYTES if self._end is None else max(0, min(_LINE_BYTES, self._end - self.position))
        block = self._file.readline(room)
        if b"\r" in block and block.find(b"\r") != len(block) - 2:
            self._waiting = [line for line in _LINE_END.split(block) if line][::-1]
            return self._waiting.pop()
        return block

    def _is_unclosed(self, begun: int) -> bool:
        """A row of several lines that ended inside a quote, with the file or with our patience."""
        if self._taken_lines < 2 and self._taken_chars < ROW_MAX_CHARS:
            return False
        if self._taken_chars >= ROW_MAX_CHARS:
            return True
        here = self.position
        at_end = not self._waiting and (here == self._end or not self._file.read(1))
        raw = b""
        if at_end:
            self._file.seek(begun)
            raw = self._file.read(here - begun)
        if not self._waiting:
            self._file.seek(here)
        return at_end and _is_open(_text(raw), self._dialect)

    def _return_to(self, position: int) -> None:
        self._file.seek(position)
        self._waiting = []
        self.position = position
        self._taken_chars = self._taken_lines = 0


def _is_open(text: str, dialect: Dialect) -> bool:
    """Whether a row ends inside a quote: then one more line becomes part of it."""
    probe = "\u241e"
    ended = text if text.endswith(("\n", "\r")) else text + "\n"
    try:
        rows = list(dialect.cells(iter([*_split(ended), probe])))
    except csv.Error:
        return True
    return not rows or rows[-1] != [probe]


def _split(text: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)|(?<=\r)(?!\n)", text) if line]


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").replace("\0", "\ufffd").removeprefix("\ufeff")


def _clean(cell: str) -> str:
    """A cell on one line: rows are lines."""
    return " ".join(cell.split())
