"""A file of the model hub in, the same bytes on this disk out, checked. It goes on where it stopped, after a crash too.

While it comes it lies beside its place as ``<name>.part``, with ``<name>.part.json`` saying what it is to become. It
gets its name in one step, when size and digest are those that the hub announced. Nothing is sent here but through the
door.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import BinaryIO, Final, Protocol

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from trisynapse_memory.contracts import Door, Incoming
from trisynapse_memory.errors import (
    ProviderCutError,
    ProviderError,
    ProviderStoppedError,
    ProviderTimedOutError,
    ProviderUnreachableError,
)
from trisynapse_memory.providers.files.hub import Hub, HubFile, address_of, asked, check_status

PART: Final = ".part"
SPARE_BYTES: Final = 256 * 1024 * 1024  # chosen: left free on the disk, for the vault and everything else that writes
TELL_S: Final = 0.2  # between two words about how far it is
PAUSES_S: Final = (1.0, 2.0, 4.0, 8.0)  # before it is tried again, while no byte comes; a byte begins the row anew

_READ_BYTES: Final = 1 << 20
_RANGE: Final = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")

OnBytes = Callable[[int, int], None]
"""Told how many bytes are here and how many there will be: often, and once at the end."""


class Room(Protocol):
    """What is asked of a disk: how many bytes are free."""

    @property
    def free(self) -> int:
        """Bytes that can be written."""
        ...


class PartState(Struct, frozen=True, kw_only=True):
    """What a half file is to become. ``broken`` says that it turned out to be something else: it is begun anew."""

    digest: str
    size_bytes: int
    etag: str = ""
    broken: bool = False


def read_part(target: Path) -> tuple[PartState, int] | None:
    """Return the state of a half file and how many bytes of it are here; None where there is none."""
    try:
        state = msgspec.json.decode(_state_path(target).read_bytes(), type=PartState)
        return state, _part_path(target).stat().st_size
    except (OSError, msgspec.DecodeError):
        return None


def drop_part(target: Path) -> None:
    """Delete a half file and what belongs to it."""
    for path in (_part_path(target), _state_path(target), _lock_path(target)):
        path.unlink(missing_ok=True)


class Download:
    """Fetches one file.

    Args:
        door: the way out.
        hub: where it lies.
        file: what it is, as the hub announced it.
        target: where it is to lie; its folder is made.
        room: tells the free bytes of a folder.
        pauses_s: before each further try while no byte comes, in seconds.
    """

    def __init__(
        self,
        door: Door,
        hub: Hub,
        file: HubFile,
        target: Path,
        *,
        room: Callable[[Path], Room] = shutil.disk_usage,
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        self._door = door
        self._hub = hub
        self._file = file
        self._target = target
        self._room = room
        self._pauses_s = tuple(pauses_s)
        self._told_at = 0.0
        self._has_come = False  # whether a byte came in this run

    def run(self, on_bytes: OnBytes, stop: Event) -> bool:
        """Fetch the file, or what is missing of it.

        Args:
            on_bytes: told how far it is, from this thread.
            stop: once set, the download ends; what has come stays for the next time.

        Returns:
            Whether the file is whole; False where it was stopped.

        Raises:
            UnknownServiceError: the hub has no such file.
            OfflineError: offline is on.
            ProviderError: somebody else fetches it already; the disk is full; the hub cannot be reached or refuses; the
                bytes are not those that were announced. What has come stays, unless it is wrong.
        """
        with _translated(self._target), self._alone():
            if self._target.is_file() and self._target.stat().st_size == self._file.size_bytes:
                on_bytes(self._file.size_bytes, self._file.size_bytes)
                return True
            path = _part_path(self._target)
            path.touch()
            self._check_room(path.stat().st_size)
            with path.open("r+b") as part:
                if not self._fetch(_Half(part, self._file, self._begin(part)), on_bytes, stop):
                    return False
            path.replace(self._target)  # closed before: Windows renames no open file
            _sync_folder(self._target.parent)
            _state_path(self._target).unlink(missing_ok=True)
            on_bytes(self._file.size_bytes, self._file.size_bytes)
            return True

    def _fetch(self, half: _Half, on_bytes: OnBytes, stop: Event) -> bool:
        if not half.reread(stop):
            return False
        pauses = list(self._pauses_s)
        while half.size < self._file.size_bytes:
            before = half.size
            trouble = self._exchange(half, on_bytes, stop)
            if stop.is_set():
                return False
            if half.size > before:
                pauses = list(self._pauses_s)
            elif trouble is not None:
                if not pauses:
                    raise trouble
                if stop.wait(pauses.pop(0)):
                    return False
        self._check(half)
        half.seal()
        return True

    def _exchange(self, half: _Half, on_bytes: OnBytes, stop: Event) -> ProviderError | None:
        """One request; return what went wrong if it is worth another try."""
        headers: dict[str, str] = {}
        if half.size:
            headers["range"] = f"bytes={half.size}-"
            if half.etag and not half.etag.startswith("W/"):
                headers["if-range"] = half.etag
        try:
            with asked(self._door, self._hub, address_of(self._hub, self._file), headers, stop) as (incoming, _):
                if incoming.status == 416:  # nothing lies beyond what is here, and yet it is not whole
                    half.restart()
                    return ProviderCutError("The model hub has less of the file than is here.", hint="Try again later.")
                check_status(incoming.status, self._file.name)
                self._agree(half, incoming)
                self._take(half, incoming, on_bytes)
        except ProviderStoppedError:
            return None  # the caller looks at ``stop``
        except (ProviderCutError, ProviderTimedOutError, ProviderUnreachableError) as error:
            if isinstance(error, ProviderUnreachableError) and not self._has_come:
                raise  # no network at all: she is told at once
            return type(error)(error.problem, hint="The next try goes on where this one stopped.")
        return ProviderCutError(
            f"The download of '{self._target.name}' ended too soon.",
            hint="The next try goes on where this one stopped.",
        )

    def _agree(self, half: _Half, incoming: Incoming) -> None:
        """Begin anew where the server sends the file from its first byte, or another version of it."""
        found = _RANGE.fullmatch(incoming.headers.get("content-range", "").strip())
        is_rest = incoming.status == 206 and found is not None and int(found[1]) == half.size
        if half.size and not is_rest:
            half.restart()
        if incoming.status == 206 and not is_rest:
            raise ProviderCutError("The model hub sent another part of the file than was asked for.")
        half.etag = incoming.headers.get("etag", "")
        self._write_state(PartState(digest=self._file.digest, size_bytes=self._file.size_bytes, etag=half.etag))

    def _take(self, half: _Half, incoming: Incoming, on_bytes: OnBytes) -> None:
        for piece in incoming.parts():
            with _translated(self._target):
                half.add(piece)
            self._has_come = True
            if half.size > self._file.size_bytes:
                raise self._broken(half, "is longer than the hub announced")
            now = time.monotonic()
            if now - self._told_at >= TELL_S:
                self._told_at = now
                on_bytes(half.size, self._file.size_bytes)

    def _check(self, half: _Half) -> None:
        if half.digest() != self._file.digest:
            raise self._broken(half, "does not have the checksum that the hub announced")

    def _broken(self, half: _Half, what: str) -> ProviderError:
        half.seal()
        state = PartState(digest=self._file.digest, size_bytes=self._file.size_bytes, broken=True)
        self._write_state(state)
        return ProviderError(
            f"What came of '{self._target.name}' {what}, and it is not used.", hint="The next try begins anew."
        )

    def _begin(self, part: BinaryIO) -> str:
        """Keep a half file of the very same content, empty any other; return the tag it came with."""
        found = read_part(self._target)
        size = part.seek(0, os.SEEK_END)
        is_same = found is not None and not found[0].broken and found[0].digest == self._file.digest
        if found is not None and is_same and size <= self._file.size_bytes:
            return found[0].etag
        part.truncate(0)
        self._write_state(PartState(digest=self._file.digest, size_bytes=self._file.size_bytes))
        return ""

    def _check_room(self, here_bytes: int) -> None:
        missing = max(0, self._file.size_bytes - here_bytes) + SPARE_BYTES
        free = self._room(self._target.parent).free
        if free < missing:
            raise ProviderError(
                f"'{self._target.name}' needs {_size(missing)} more on the disk, and {_size(free)} are free.",
                hint="Make room, or let TRISYNAPSE_MODELS name a folder on another disk.",
            )

    def _write_state(self, state: PartState) -> None:
        path = _state_path(self._target)
        temporary = path.with_name(f"{path.name}.tmp")
        try:
            temporary.write_bytes(msgspec.json.encode(state))
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Keep everybody else away from the half file, in this process and in others."""
        self._target.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(_lock_path(self._target), timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout as error:
            raise ProviderError(
                f"'{self._target.name}' is being fetched already.", hint="Wait for it, or stop it first."
            ) from error
        try:
            yield
        finally:
            lock.release()
            if self._target.is_file():  # whoever else holds it now finds the file whole
                with contextlib.suppress(OSError):
                    _lock_path(self._target).unlink(missing_ok=True)


class _Half:
    """A half file, with the digest of what is in it. ``etag`` is what the server called the version it came from."""

    def __init__(self, part: BinaryIO, file: HubFile, etag: str) -> None:
        self._part = part
        self._file = file
        self._hash = _hash_of(file)
        self.etag = etag
        self.size = 0

    def reread(self, stop: Event) -> bool:
        """Take in what came earlier; False where it was stopped."""
        self._part.seek(0)
        while piece := self._part.read(_READ_BYTES):
            if stop.is_set():
                return False
            self._hash.update(piece)
            self.size += len(piece)
        return True

    def add(self, piece: bytes) -> None:
        self._part.write(piece)
        self._hash.update(piece)
        self.size += len(piece)

    def restart(self) -> None:
        self._part.seek(0)
        self._part.truncate(0)
        self._hash = _hash_of(self._file)
        self.size = 0

    def seal(self) -> None:
        """Let nothing of it be in memory only."""
        self._part.flush()
        os.fsync(self._part.fileno())

    def digest(self) -> str:
        return self._hash.hexdigest()


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


def _hash_of(file: HubFile) -> _Hash:
    if file.algorithm == "sha256":
        return hashlib.sha256()
    # A small file has a git blob id only: SHA-1 over a heading and the content.
    return hashlib.sha1(f"blob {file.size_bytes}\0".encode(), usedforsecurity=False)


@contextmanager
def _translated(target: Path) -> Generator[None]:
    """Turn the disk's refusals into words."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        problem = "The disk is full" if full else f"'{target.parent}' cannot be written ({error.strerror})"
        hint = (
            "Make room; what has come stays, and the next try goes on." if full else "Check the folder's permissions."
        )
        raise ProviderError(f"{problem}; '{target.name}' is not whole.", hint=hint) from error


def _sync_folder(folder: Path) -> None:
    """Let a new name in a folder outlive a power failure, where the system can be asked for that."""
    with contextlib.suppress(OSError):  # Windows opens no folder, and needs none of this
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _part_path(target: Path) -> Path:
    return target.with_name(f"{target.name}{PART}")


def _state_path(target: Path) -> Path:
    return target.with_name(f"{target.name}{PART}.json")


def _lock_path(target: Path) -> Path:
    return target.with_name(f"{target.name}{PART}.lock")


def _size(count: int) -> str:
    return f"{count / 1024**3:.1f} GiB" if count >= 1024**3 else f"{count / 1024**2:.0f} MiB"
