"""A rich text file in, its text with headings, lists, tables, notes and metadata out; pictures are counted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from trisynapse_memory.errors import SourceUnsupportedError
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Modality

if TYPE_CHECKING:
    from trisynapse_memory.preprocessing.office.leaves import LeafDocument

SIGN: Final = b"{\\rtf"
SURE: Final = 0.95


class RtfLoader:
    """Reads rich text files of all programs."""

    name = "rtf"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 for a file that begins as one, whatever its name."""
        start = head[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
        return SURE if start.startswith(SIGN) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> LeafDocument:
        """Open a file for reading; it has no password.

        Args:
            path: the file.
            password: not used.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceUnsupportedError: it is no rich text.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again="Save it again.")
        if not raw[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(SIGN):
            raise SourceUnsupportedError(f"'{name}' is no rich text (RTF).", hint="Give it the right ending.")
        # Here and not above: every file is asked for its kind, and few are rich text.
        from trisynapse_memory.preprocessing.office.rtf_document import read_rtf

        return read_rtf(raw)
