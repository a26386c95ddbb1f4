"""A workbook file in, the rows of its sheets out; only this module speaks to the cell library (calamine).

The library reads a sheet as a whole, in memory of its own. Rows leave it one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Protocol, cast

from trisynapse_memory.errors import PasswordNeededError, SourceDamagedError
from trisynapse_memory.preprocessing.office.cells import Value, cell_text
from trisynapse_memory.preprocessing.office.encryption import unlocked
from trisynapse_memory.preprocessing.tabular.rows import Row

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

_MERGED_MAX: Final = 10_000  # cells that one merged cell is written into

Merged = dict[int, dict[int, tuple[int, int]]]
"""For each row, the places that a merged cell covers, and where that cell begins; both count from 0."""


class _Opener(Protocol):
    """The library's way in, whose types are partial."""

    def from_path(self, path: str) -> CalamineWorkbook: ...

    def from_filelike(self, filelike: IO[bytes]) -> CalamineWorkbook: ...


def open_cells(path: Path, name: str, password: str | None = None) -> CellSheets:
    """Open a workbook file.

    Args:
        path: the file.
        name: what messages call it.
        password: opens one that is encrypted.

    Raises:
        PasswordNeededError: it is encrypted, and the password is missing or wrong.
        SourceDamagedError: the library cannot read it.
    """
    # Its tables of number formats take a while, which only workbooks pay.
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    library = cast("_Opener", CalamineWorkbook)
    try:
        try:
            return CellSheets(library.from_path(str(path)))
        except PasswordError:
            return CellSheets(library.from_filelike(unlocked(path, name, password)))
    except PasswordError:  # a lock on a sheet, or inside the one that was opened
        hint = "Save it without a password and add it again."
        raise PasswordNeededError(f"'{name}' is encrypted twice.", hint=hint) from None
    except (CalamineError, OSError, ValueError) as error:
        raise SourceDamagedError(
            f"'{name}' cannot be read as a workbook.", hint="Open it in your spreadsheet program and save it again."
        ) from error


class CellSheets:
    """The sheets of an open workbook. The sheet last asked for is kept, because reading one again takes seconds."""

    def __init__(self, book: CalamineWorkbook) -> None:
        self._book = book
        self._kept: tuple[str, CalamineSheet | None] = ("", None)

    def names(self) -> list[tuple[str, bool]]:
        """Return the names of all sheets in order, each with whether it is hidden."""
        return [(entry.name, not str(entry.visible).endswith(".Visible")) for entry in self._book.sheets_metadata]

    def rows(self, name: str) -> Iterator[Row] | None:
        """Return the rows of a sheet that hold anything, or None for one that is no table of cells."""
        sheet = self._sheet(name)
        return None if sheet is None else _rows(sheet)

    def counts(self, name: str) -> Iterator[tuple[int, int]]:
        """Yield, for each row that holds anything, how many cells do and about how many letters they have.

        Faster than reading the rows: it is what pages are planned by.
        """
        sheet = self._sheet(name)
        if sheet is not None:
            yield from _counts(sheet)

    def close(self) -> None:
        """Let go of the file; twice does no harm."""
        from python_calamine import WorkbookClosed

        self._kept = ("", None)
        with suppress(WorkbookClosed):
            self._book.close()

    def _sheet(self, name: str) -> CalamineSheet | None:
        from python_calamine import CalamineError, WorksheetNotFound

        if self._kept[0] != name or self._kept[1] is None:
            self._kept = ("", None)  # the old sheet goes before the new one comes
            with suppress(CalamineError, WorksheetNotFound, ValueError):
                self._kept = (name, self._book.get_sheet_by_name(name))
        return self._kept[1]


def _rows(sheet: CalamineSheet) -> Iterator[Row]:
    filler = _Filler(sheet)
    for number, values in enumerate(sheet.iter_rows()):
        cells = filler.cells(number, values)
        if any(cells):
            yield Row(number + 1, tuple(cells))


def _counts(sheet: CalamineSheet) -> Iterator[tuple[int, int]]:
    filler = _Filler(sheet)
    for number, values in enumerate(sheet.iter_rows()):
        if filler.merges(number):
            filled = [cell for cell in filler.cells(number, values) if cell]
            if filled:
                yield len(filled), sum(map(len, filled))
            continue
        count = letters = 0
        for value in values:
            if value != "" and not (isinstance(value, str) and not value.strip()):
                count += 1
                letters += len(value) if isinstance(value, str) else 8
        if count:
            yield count, letters


class _Filler:
    """Writes the cells of rows in order; a merged cell says its words in every place it covers."""

    def __init__(self, sheet: CalamineSheet) -> None:
        self._offset = [""] * (sheet.start[1] if sheet.start else 0)
        self._merged = _merged(sheet)
        self._words: dict[tuple[int, int], str] = {}

    def merges(self, number: int) -> bool:
        """Tell whether a merged cell reaches into a row."""
        return number in self._merged

    def cells(self, number: int, values: Sequence[Value]) -> list[str]:
        """Return the cells of a row from the first column on."""
        cells = [*self._offset, *map(cell_text, values)]
        for place, origin in self._merged.get(number, {}).items():
            if origin == (number, place):
                self._words[origin] = cells[place] if place < len(cells) else ""
            elif self._words.get(origin):
                cells += [""] * (place + 1 - len(cells))
                cells[place] = self._words[origin]
        return cells


def _merged(sheet: CalamineSheet) -> Merged:
    found: Merged = {}
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        if (bottom - top + 1) * (right - left + 1) <= _MERGED_MAX:
            for row in range(top, bottom + 1):
                found.setdefault(row, {}).update(dict.fromkeys(range(left, right + 1), (top, left)))
    return found
