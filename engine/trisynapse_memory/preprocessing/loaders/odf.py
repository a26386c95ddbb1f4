"""An OpenDocument text, presentation or drawing in, its pages with text, tables and notes out; pictures are counted.

Spreadsheets of the same family are read by the loader of workbooks.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from trisynapse_memory.preprocessing.office.sketches import DRAWING, SHOW, TEXT, suits_package
from trisynapse_memory.types import Modality

if TYPE_CHECKING:
    from trisynapse_memory.preprocessing.office.leaves import LeafDocument

SUFFIXES: Final = frozenset({".odt", ".ott", ".odp", ".otp", ".odg", ".otg"})


class OdfLoader:
    """Reads OpenDocument texts, presentations and drawings."""

    name = "odf"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 by content, 0.6 by name where the head shows nothing."""
        return suits_package(head, filename, frozenset({TEXT, SHOW, DRAWING}), SUFFIXES, "")

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> LeafDocument:
        """Open a document for reading.

        Args:
            path: the file.
            password: not used; encrypted documents are refused.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            PasswordNeededError: it is encrypted.
            SourceUnsupportedError: it is no OpenDocument text or presentation.
            SourceDamagedError, SourceTooLargeError: it cannot be read.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        # Here and not above: every file is asked for its kind, and few are documents.
        from trisynapse_memory.preprocessing.office.odf_document import read_odf
        from trisynapse_memory.preprocessing.office.packages import open_package

        called = filename or path.name
        package = open_package(path, called, "OpenDocument file")
        try:
            return read_odf(package, called)
        finally:
            package.close()
