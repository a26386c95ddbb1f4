"""One packed file (gz, bz2, xz) in, the one file it holds out; nothing is written to disk."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

from trisynapse_memory.errors import SourceDamagedError, SourceTooLargeError
from trisynapse_memory.preprocessing.archives.entries import MEMBER_MAX_BYTES, Entry
from trisynapse_memory.types import Fault

GZIP, BZIP2, XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"
_BROKEN: Final = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)
_OPENERS: Final[dict[bytes, Callable[[Path], object]]] = {GZIP: gzip.open, BZIP2: bz2.open, XZ: lzma.open}
_SUFFIXES: Final = frozenset({".gz", ".bz2", ".xz"})


def sign_of(head: bytes) -> bytes:
    """Return the signature of the packer a file begins with, or nothing."""
    return next((sign for sign in _OPENERS if head.startswith(sign)), b"")


def unpacked_head(head: bytes) -> bytes:
    """Return the beginning of what a packed file holds, as far as its own beginning tells it; for a look only."""
    try:
        match sign_of(head):
            case b"\x1f\x8b":
                return zlib.decompressobj(wbits=31).decompress(head, 1024)
            case b"BZh":
                return bz2.BZ2Decompressor().decompress(head, 1024)
            case b"\xfd7zXZ\x00":
                return lzma.LZMADecompressor(memlimit=1 << 28).decompress(head, 1024)
            case _:
                return b""
    except _BROKEN:
        return b""


class PackedFile:
    """A packed file as an archive of one.

    Raises:
        SourceDamagedError: its first bytes cannot be unpacked.
    """

    media_type = "application/gzip"
    about: tuple[str, ...] = ()

    def __init__(self, path: Path, name: str, sign: bytes) -> None:
        self._path = path
        self._sign = sign
        try:
            with self._open() as stream:
                stream.read(1)
        except _BROKEN as error:
            raise SourceDamagedError(f"'{name}' cannot be unpacked ({error}).", hint="Get it again.") from error
        inner = PurePosixPath(name)
        self.entries = (Entry(0, inner.stem if inner.suffix.lower() in _SUFFIXES else inner.name),)

    def contents(self) -> Iterator[tuple[Entry, bytes | Fault]]:
        """Yield the one file, with its bytes or with why they cannot be had."""
        (entry,) = self.entries
        try:
            with self._open() as stream:
                content = stream.read(MEMBER_MAX_BYTES + 1)
        except _BROKEN as error:
            yield entry, Fault(code=SourceDamagedError.code, message=f"It cannot be unpacked ({error}).")
            return
        if len(content) > MEMBER_MAX_BYTES:
            problem = f"It unpacks to more than {MEMBER_MAX_BYTES:,} bytes."
            yield entry, Fault(code=SourceTooLargeError.code, message=problem, hint="Unpack it yourself.")
            return
        yield entry, content

    def close(self) -> None:
        """Do nothing: the file is open only while it is read."""

    def _open(self) -> IO[bytes]:
        return cast("IO[bytes]", _OPENERS[self._sign](self._path))
