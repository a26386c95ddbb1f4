"""An Outlook message (.msg) in, its headers and words as a page and its attachments as members out."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path, PurePath
from typing import IO, Final, Protocol, cast

from trisynapse_memory.errors import SourceDamagedError, SourceTooLargeError
from trisynapse_memory.preprocessing.mail.letters import LetterDocument
from trisynapse_memory.preprocessing.mail.outlook import Storage, letter_of
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Modality

MAX_BYTES: Final = 256 * 1024 * 1024
_COMPOUND: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SIGN: Final = "__properties_version1.0".encode("utf-16-le")


class OutlookLoader:
    """Reads single messages that Outlook saved."""

    name = "outlook"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 for a compound file with a message's properties or name, else 0."""
        if not head.startswith(_COMPOUND):
            return 0.0
        return 0.95 if _SIGN in head or PurePath(filename).suffix.lower() == ".msg" else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> LetterDocument:
        """Open a message; it has no password.

        Args:
            path: the file.
            password: not used.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceDamagedError: it is no Outlook message, or is broken.
            SourceTooLargeError: it has more than 256 MiB.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again="Save the message again.")
        if len(raw) > MAX_BYTES:
            raise SourceTooLargeError(f"'{name}' has {len(raw):,} bytes; the limit for a message is {MAX_BYTES:,}.")
        if not raw.startswith(_COMPOUND):
            raise SourceDamagedError(f"'{name}' is no Outlook message.", hint="Save it as .msg again.")
        try:
            return LetterDocument(letter_of(_storage(raw)))
        except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError, LookupError,
                RecursionError, ArithmeticError, NotImplementedError, MemoryError) as error:  # fmt: skip
            # A broken compound file raises nearly anything in the libraries that read it.
            raise SourceDamagedError(
                f"'{name}' is a damaged Outlook message ({type(error).__name__}).", hint="Save it again."
            ) from error


class _Opened(Protocol):
    def close(self) -> None: ...


class _Olefile(Protocol):
    def OleFileIO(self, stream: IO[bytes]) -> _Opened: ...  # noqa: N802 - olefile's name


class _Storages(Protocol):
    def from_ole(self, ole: _Opened) -> Storage: ...


def _storage(raw: bytes) -> Storage:
    # 40 ms that only messages of Outlook pay.
    import olefile
    from oxmsg import storage as storages

    opened = cast("_Olefile", olefile).OleFileIO(BytesIO(raw))
    try:
        storage = cast("_Storages", storages.Storage).from_ole(opened)
    finally:
        opened.close()
    if not any(one.name == "__properties_version1.0" for one in storage.streams):
        raise ValueError("it holds no message")
    return storage
