"""A presentation in, a page for each slide with its text, tables, charts and speaker notes out; pictures are counted.

Also reads what PowerPoint saves beside .pptx: strict files, shows, macro files and templates.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from trisynapse_memory.errors import SourceError
from trisynapse_memory.preprocessing.office.sketches import SLIDES, suits_package
from trisynapse_memory.types import Modality

if TYPE_CHECKING:
    from trisynapse_memory.preprocessing.office.slide_show import SlideShow

SUFFIXES: Final = frozenset({".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm", ".ppt", ".pps", ".pot"})


class PptxLoader:
    """Reads presentations."""

    name = "pptx"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 by content, 0.6 by name where the head shows nothing."""
        return suits_package(head, filename, frozenset({SLIDES}), SUFFIXES, "slides")

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> SlideShow:
        """Open a presentation for reading.

        Args:
            path: the file.
            password: opens one that is encrypted; never kept anywhere else.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            PasswordNeededError: it is encrypted, and the password is missing or wrong.
            SourceUnsupportedError: it is of before 2007, or no presentation.
            SourceDamagedError, SourceTooLargeError: it cannot be read.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        # Here and not above: every file is asked for its kind, and few are presentations.
        from trisynapse_memory.preprocessing.office.packages import open_package
        from trisynapse_memory.preprocessing.office.slide_show import SlideShow

        name = filename or path.name
        package = open_package(path, name, "presentation", password)
        try:
            return SlideShow(package, name)
        except SourceError:
            package.close()
            raise
