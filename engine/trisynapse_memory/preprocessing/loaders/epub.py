"""An EPUB book in, its chapters in reading order with headings, tables and notes out; pictures and sound are not read.

Each chapter is a page under its title; one that is longer than a few pages is cut. Books whose text is encrypted for
one device are refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from trisynapse_memory.errors import SourceError
from trisynapse_memory.preprocessing.office.sketches import BOOK, suits_package
from trisynapse_memory.types import Modality

if TYPE_CHECKING:
    from trisynapse_memory.preprocessing.office.book_pages import BookPages

SUFFIXES: Final = frozenset({".epub"})


class EpubLoader:
    """Reads EPUB books."""

    name = "epub"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 by content, 0.6 by name where the head shows nothing."""
        return suits_package(head, filename, frozenset({BOOK}), SUFFIXES, "")

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> BookPages:
        """Open a book for reading.

        Args:
            path: the file.
            password: not used.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceUnsupportedError: its text is encrypted, or it is no book.
            SourceDamagedError, SourceTooLargeError: it cannot be read.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        # Here and not above: every file is asked for its kind, and few are books.
        from trisynapse_memory.preprocessing.office.book_pages import BookPages
        from trisynapse_memory.preprocessing.office.books import read_book
        from trisynapse_memory.preprocessing.office.packages import open_package

        called = filename or path.name
        package = open_package(path, called, "EPUB book")
        try:
            return BookPages(package, read_book(package, called))
        except SourceError:
            package.close()
            raise
