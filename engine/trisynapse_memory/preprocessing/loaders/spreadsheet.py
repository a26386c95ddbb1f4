"""A workbook in (xlsx, xlsm, xlsb, xls, ods), the rows of its sheets with their headers out; no formula is computed.

Values are those the program that saved the file computed. Each sheet is a page, or several of about 64 KiB. What a
reader cannot see (hidden sheets, hidden rows and columns) is kept apart; rows that a filter hides are not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from trisynapse_memory.preprocessing.office.sketches import ODS, SHEET, suits_package
from trisynapse_memory.types import Modality

if TYPE_CHECKING:
    from trisynapse_memory.preprocessing.office.workbooks import Workbook

SUFFIXES: Final = frozenset({".xlsx", ".xlsm", ".xlsb", ".xltx", ".xltm", ".xls", ".xlt", ".ods", ".ots"})


class SpreadsheetLoader:
    """Reads workbooks of all programs."""

    name = "spreadsheet"
    version = 1
    modality = Modality.TABLE.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 by content, 0.6 by name where the head shows nothing."""
        return suits_package(head, filename, frozenset({SHEET, ODS}), SUFFIXES, "sheet")

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> Workbook:
        """Open a workbook for reading.

        Args:
            path: the file.
            password: opens one that is encrypted; never kept anywhere else.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            PasswordNeededError: it is encrypted, and the password is missing or wrong.
            SourceUnsupportedError: it is no workbook.
            SourceDamagedError, SourceTooLargeError: it cannot be read.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        # Here and not above: every file is asked for its kind, and few are workbooks.
        from trisynapse_memory.preprocessing.office.workbooks import open_workbook

        return open_workbook(path, filename or path.name, password)
