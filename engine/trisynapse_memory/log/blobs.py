"""Bytes in, a content hash out: originals as they came, stored once under their SHA-256. Nothing is overwritten.

An original may also stay where it lies (a Zotero folder of 20 GB): then its path is kept with its hash, and whoever
asks for it is told when the file has gone or changed. A file of hers is never written to and never deleted.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import tempfile
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from trisynapse_memory.errors import (
    DiskFullError,
    SourceDamagedError,
    SourceDeniedError,
    SourceMissingError,
    SourceTimedOutError,
    VaultDamagedError,
)

CHUNK_BYTES = 1 << 20


class Blob(NamedTuple):
    """A stored original: its SHA-256 in hex and its size."""

    content_hash: str
    byte_size: int


@contextmanager
def reading(path: Path) -> Generator[None]:
    """Say in our words why a file of hers cannot be read.

    Raises:
        SourceMissingError, SourceDeniedError, SourceDamagedError: what the system said of the file.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise SourceMissingError(f"'{path.name}' is not there.", hint="Was it moved or renamed?") from error
    except PermissionError as error:
        raise SourceDeniedError(
            f"'{path.name}' cannot be read: permission denied.", hint="Change its permissions and try again."
        ) from error
    except OSError as error:
        raise SourceDamagedError(
            f"'{path.name}' cannot be read or stored ({error.strerror}).", hint="Is its disk all right?"
        ) from error


class BlobStore:
    """Content-addressed originals of one vault: ``blobs/sha256/<2 hex>/<64 hex>``.

    A blob is written to a temporary file, flushed to the disk and renamed, so that under its final name there is always
    the whole content. An original that stays where it lies is a small JSON file in ``blobs/linked/`` under its hash.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, content_hash: str) -> Path:
        """Return where the original with this hash lies, whether or not it is there.

        Raises:
            SourceDamagedError: it stays where she keeps it, and has another content now.
        """
        stored = self._stored(content_hash)
        if stored.exists():
            return stored
        link = self._link(content_hash)
        return stored if link is None else self._checked(link, content_hash)

    def is_linked(self, content_hash: str) -> bool:
        """Tell whether an original stays where she keeps it."""
        return not self._stored(content_hash).exists() and self._link(content_hash) is not None

    def is_as_linked(self, content_hash: str, path: Path) -> bool:
        """Tell whether a file is the linked original, at its place and not written to since it was hashed."""
        link = self._link(content_hash)
        try:
            state = path.stat()
        except OSError:
            return False
        return link == _Link(path=str(path), byte_size=state.st_size, changed_ns=state.st_mtime_ns)

    def link_file(self, path: Path) -> Blob:
        """Keep the place of a file with its hash, and no copy; where the bytes are stored already, nothing is kept.

        Raises:
            SourceMissingError, SourceDeniedError, SourceDamagedError: the file cannot be read.
        """
        with reading(path):
            state = path.stat()
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if not self._stored(digest).exists():
            link = _Link(path=str(path), byte_size=state.st_size, changed_ns=state.st_mtime_ns)
            place = self._link_path(digest)
            place.parent.mkdir(parents=True, exist_ok=True)
            temporary = place.with_suffix(".tmp")
            temporary.write_bytes(msgspec.json.encode(link))
            temporary.chmod(0o600)
            temporary.replace(place)
        return Blob(digest, state.st_size)

    def put_file(self, path: Path, stop: threading.Event | None = None) -> Blob:
        """Store a copy of a file.

        Raises:
            SourceTimedOutError: ``stop`` was set meanwhile; nothing was kept.
            SourceMissingError, SourceDeniedError, SourceDamagedError: the file cannot be read.
            DiskFullError: nothing was kept.
        """
        with reading(path), path.open("rb") as stream:
            return self.put_stream(stream, stop)

    def put_bytes(self, content: bytes) -> Blob:
        """Store bytes that are in memory."""
        return self.put_stream(io.BytesIO(content))

    def discard(self, content_hash: str) -> None:
        """Delete an original that no source names; deleting what is not there is no error.

        Of a file that stays where she keeps it only the note of its place is deleted.
        """
        self._stored(content_hash).unlink(missing_ok=True)
        self._link_path(content_hash).unlink(missing_ok=True)

    def put_stream(self, stream: BinaryIO, stop: threading.Event | None = None) -> Blob:
        """Store everything a stream still holds, unless ``stop`` is set meanwhile."""
        staging = self.root / "incoming"
        staging.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=staging)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as target:
                digest, size = _copy(stream, target, stop)
                target.flush()
                os.fsync(target.fileno())
            return self._settle(temporary, digest, size)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFullError(
                    "The disk that holds the vault is full; the file was not stored.",
                    hint="Free some space and add it again.",
                ) from error
            raise
        finally:
            temporary.unlink(missing_ok=True)

    def _settle(self, temporary: Path, digest: str, size: int) -> Blob:
        final = self._stored(digest)
        if not final.exists():
            final.parent.mkdir(parents=True, exist_ok=True)
            temporary.chmod(0o600)
            temporary.replace(final)
            _sync_folder(final.parent)
        return Blob(digest, size)

    def hashes(self) -> Iterator[str]:
        """Yield the name of every stored blob, in order."""
        for path in sorted(self.root.glob("sha256/??/*")):
            yield path.name

    def verify(self, content_hash: str) -> None:
        """Prove that an original holds what its name says.

        Raises:
            VaultDamagedError: it is missing, or its bytes have changed.
        """
        stored = self._stored(content_hash)
        link = None if stored.exists() else self._link(content_hash)
        path = Path(link.path) if link is not None else stored
        kept = f"The stored original {content_hash[:12]}"
        name = kept if link is None else f"'{path.name}', which stays where you keep it,"
        if not path.is_file():
            raise VaultDamagedError(f"{name} is missing.", hint="Add the file again.")
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != content_hash:
            raise VaultDamagedError(
                f"{name} has changed on disk.", hint="Restore it from a backup, or add the file again."
            )

    def sweep(self) -> int:
        """Delete what a crash left in the staging folder; return how many files that were."""
        leftovers = list((self.root / "incoming").glob("*"))
        for path in leftovers:
            path.unlink(missing_ok=True)
        return len(leftovers)

    def _stored(self, content_hash: str) -> Path:
        return self.root / "sha256" / content_hash[:2] / content_hash

    def _link_path(self, content_hash: str) -> Path:
        return self.root / "linked" / content_hash[:2] / f"{content_hash}.json"

    def _link(self, content_hash: str) -> _Link | None:
        try:
            return msgspec.json.decode(self._link_path(content_hash).read_bytes(), type=_Link)
        except (OSError, msgspec.DecodeError):
            return None

    def _checked(self, link: _Link, content_hash: str) -> Path:
        """The place of a linked file whose content is that of its hash; only one that was touched is read again."""
        path = Path(link.path)
        try:
            state = path.stat()
        except OSError:
            return path  # who opens it says in our words that it is gone
        if (state.st_size, state.st_mtime_ns) == (link.byte_size, link.changed_ns):
            return path
        with reading(path), path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != content_hash:
            raise SourceDamagedError(
                f"'{path.name}' has changed on the disk since it was taken in.", hint="Take it in again."
            )
        return path


class _Link(msgspec.Struct, frozen=True):
    """Where an original lies that is not copied, and how it was when it was hashed."""

    path: str
    byte_size: int
    changed_ns: int


def _copy(stream: BinaryIO, target: BinaryIO, stop: threading.Event | None) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while chunk := stream.read(CHUNK_BYTES):
        if stop is not None and stop.is_set():
            raise SourceTimedOutError("The file was not stored: it was stopped before.", hint="Add it again.")
        digest.update(chunk)
        target.write(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows has no handle to a folder that could be flushed
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
