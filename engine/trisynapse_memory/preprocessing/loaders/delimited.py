"""CSV, TSV and other delimited text in, rows with their headers out; nothing is computed, and no formula is run.

A file of any size is scanned once for the rows at which its pages end, and then read page by page.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePath
from typing import Final

from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.paging import PagedText, open_utf8
from trisynapse_memory.preprocessing.plaintext import doubts
from trisynapse_memory.preprocessing.tabular.dialects import Dialect, find_dialect
from trisynapse_memory.preprocessing.tabular.headers import NOTE_ROWS_MAX, Header, find_header
from trisynapse_memory.preprocessing.tabular.lines import Table, is_small, write_rows
from trisynapse_memory.preprocessing.tabular.rows import Extent, measure, rows_of, sample_lines
from trisynapse_memory.types import Heading, Listing, Modality, Page, PageVerdict, Section

SUFFIXES: Final = frozenset({".csv", ".tsv", ".tab", ".psv"})
TEXT_SUFFIXES: Final = frozenset({".txt", ".dat", ".text"})
NAMED, TABBED = 0.6, 0.85  # by its name, below exports that are known by their columns; a text that is all tabs
_TABBED_LINES: Final = 6
_HEADER_SAMPLE: Final = NOTE_ROWS_MAX + 120


class DelimitedLoader:
    """Reads tables in text files, whatever separates their cells."""

    name = "delimited"
    version = 1
    modality = Modality.TABLE.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.6 for a table's name, 0.85 for a text whose every line has the same tabs."""
        suffix = PurePath(filename).suffix.lower()
        if suffix not in SUFFIXES | TEXT_SUFFIXES or not head or looks_binary(head) or not head.strip():
            return 0.0
        if suffix in SUFFIXES:
            return NAMED
        return TABBED if _is_tabbed(head) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> DelimitedDocument:
        """Open a table for reading; it has no password.

        Args:
            path: the file.
            password: not used.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceUnsupportedError: the file is not text.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        file, reading = open_utf8(path, name=filename)
        dialect = find_dialect(sample_lines(file), PurePath(filename or path.name).suffix.lower())
        spans, extent = measure(file, dialect)
        return DelimitedDocument(PagedText(file, spans, reading), dialect, extent)


class DelimitedDocument:
    """A table that is open: pages of whole rows."""

    def __init__(self, paged: PagedText, dialect: Dialect, extent: Extent) -> None:
        self._paged = paged
        self._dialect = dialect
        self._extent = extent
        sample = [row.cells for row in islice(rows_of(paged, 1, 1, dialect), _HEADER_SAMPLE)]
        self._header: Header = find_header(sample, dialect.width)
        self._table = Table(self._header.names, is_small(extent.row_count, extent.cell_count))
        media_type = "text/tab-separated-values" if dialect.delimiter == "\t" else "text/csv"
        self.heading = Heading(page_count=paged.page_count, media_type=media_type, method="rows")

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones: some 64 KiB of rows each."""
        for number in range(max(1, start), self._paged.page_count + 1):
            first = self._extent.first_rows[number - 1]
            rows = rows_of(self._paged, number, first, self._dialect)
            text, sections = write_rows(rows, self._table, self._header.row_count)
            yield self._page(number, text), sections

    def members(self) -> Iterator[Listing]:
        """Yield nothing: a table contains no other sources."""
        yield from ()

    def close(self) -> None:
        """Let go of the file."""
        self._paged.close()

    def _page(self, number: int, text: str) -> Page:
        flags, note = doubts(self._paged)
        if self._extent.unclosed_count:
            told = f"{self._extent.unclosed_count} quotes are never closed; those lines are read as they stand"
            flags, note = (*flags, "quotes-unclosed"), "; ".join(filter(None, (note, told)))
        firsts = self._extent.first_rows
        last = firsts[number] - 1 if number < len(firsts) else self._extent.row_count
        label = f"Rows {firsts[number - 1]}\u2013{last}" if self._paged.page_count > 1 else ""
        verdict = PageVerdict.OK if text else PageVerdict.EMPTY
        note = note if text else "no cell holds a word"
        return Page(number=number, text=text, verdict=verdict, flags=flags, method="rows", note=note, label=label)


def _is_tabbed(head: bytes) -> bool:
    """Whether every line of a text has the same number of tabs: then it is a table."""
    lines = [line for line in head.replace(b"\r", b"\n").split(b"\n")[:-1][:200] if line.strip()]
    counts = {line.count(b"\t") for line in lines if not line.startswith(b"#")}
    return len(lines) >= _TABBED_LINES and len(counts) == 1 and counts != {0}
