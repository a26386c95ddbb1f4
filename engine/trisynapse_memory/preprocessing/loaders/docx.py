"""A Word document in, its text with headings, lists, tables, notes and metadata out; pictures are counted, not read.

Also reads what Word saves beside .docx: strict files, macro files and templates; no macro is ever looked at.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from trisynapse_memory.errors import SourceError
from trisynapse_memory.preprocessing.office.sketches import WORD, suits_package
from trisynapse_memory.types import Modality

if TYPE_CHECKING:
    from trisynapse_memory.preprocessing.office.word_document import WordDocument

SUFFIXES: Final = frozenset({".docx", ".docm", ".dotx", ".dotm", ".doc", ".dot"})


class DocxLoader:
    """Reads Word documents."""

    name = "docx"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 by content, 0.6 by name where the head shows nothing."""
        return suits_package(head, filename, frozenset({WORD}), SUFFIXES, "word")

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> WordDocument:
        """Open a document for reading.

        Args:
            path: the file.
            password: opens one that is encrypted; never kept anywhere else.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            PasswordNeededError: it is encrypted, and the password is missing or wrong.
            SourceUnsupportedError: it is of before 2007, or no Word document.
            SourceDamagedError, SourceTooLargeError: it cannot be read.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        # Here and not above: every file is asked for its kind, and few are documents.
        from trisynapse_memory.preprocessing.office.packages import open_package
        from trisynapse_memory.preprocessing.office.word_document import read_word

        name = filename or path.name
        package = open_package(path, name, "Word document", password)
        try:
            return read_word(package, name)
        except SourceError:
            package.close()
            raise
