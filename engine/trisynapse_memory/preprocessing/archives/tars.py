"""A tar file, packed or not, in, its entries and the bytes of one after the other out; nothing is written to disk.

A packed tar can only be read from front to back: once for the list, once for the bytes. Both stop at the limits, so a
file that unpacks to terabytes costs seconds.
"""

from __future__ import annotations

import lzma
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trisynapse_memory.errors import SourceDamagedError, SourceTooLargeError
from trisynapse_memory.preprocessing.archives.entries import (
    MAX_COUNT,
    MEMBER_MAX_BYTES,
    TOTAL_MAX_BYTES,
    Entry,
    RawEntry,
    judge,
)
from trisynapse_memory.preprocessing.archives.names import clean_path, code_page_of, commit_in, decode_name, top_folder
from trisynapse_memory.preprocessing.exclusions import IGNORE_FILE_BYTES, IGNORE_FILES
from trisynapse_memory.types import Fault

BROKEN: Final = (tarfile.TarError, OSError, EOFError, zlib.error, lzma.LZMAError, ValueError, OverflowError)
_BLOCK: Final = 512


class TarArchive:
    """An open tar file.

    Args:
        path: the file.
        name: what messages call it.

    Raises:
        SourceDamagedError: it is no tar file, or not one entry of it can be read.
    """

    media_type = "application/x-tar"

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._broken: Fault | None = None
        self._commit = ""
        self._ignore_files: dict[str, list[str]] = {}
        self._raw: list[tuple[bytes, tarfile.TarInfo]] = []
        try:
            with self._open() as opened:
                self._scan(opened)
        except BROKEN as error:
            self._broken = _damaged(error)
        if not self._raw:
            reason = self._broken.message if self._broken else "it holds nothing"
            raise SourceDamagedError(
                f"'{name}' is a damaged or unfinished tar file: {reason}", hint="Download or copy it again."
            )
        self.about = (f"Git commit {self._commit}",) if self._commit else ()
        page = code_page_of([told for told, _ in self._raw])
        names = [decode_name(told, page) for told, _ in self._raw]
        top = top_folder(names) if self._commit else ""
        rules = {f"{folder}/".removeprefix(top).strip("/"): lines for folder, lines in self._ignore_files.items()}
        self.entries = judge(self._entries([one.removeprefix(top) for one in names]), rules)
        if self._broken is not None:
            self.entries = (*self.entries, Entry(-1, "...", fault=self._broken))

    def contents(self) -> Iterator[tuple[Entry, bytes | Fault]]:
        """Yield the wanted entries one by one, each with its bytes or with why they cannot be had."""
        wanted = {entry.number: entry for entry in self.entries if entry.is_wanted}
        number = -1
        try:
            with self._open() as opened:
                for number, member in enumerate(opened):
                    if number in wanted:
                        yield wanted.pop(number), _read(opened, member)
                    if not wanted:
                        return
        except BROKEN as error:
            for entry in wanted.values():
                yield entry, _damaged(error)

    def close(self) -> None:
        """Do nothing: the file is open only while it is read."""

    def _open(self) -> tarfile.TarFile:
        # Names that are no UTF-8 keep their bytes, to be read with the others.
        return tarfile.open(self._path, "r:*", encoding="utf-8", errors="surrogateescape")

    def _scan(self, opened: tarfile.TarFile) -> None:
        total = 0
        for member in opened:
            self._raw.append((member.name.encode("utf-8", "surrogateescape"), member))
            total += member.size
            if total > TOTAL_MAX_BYTES or len(self._raw) > MAX_COUNT:
                problem = f"It unpacks to more than {TOTAL_MAX_BYTES:,} bytes or {MAX_COUNT:,} files."
                self._broken = Fault(code=SourceTooLargeError.code, message=problem, hint="Unpack it yourself.")
                return
            folder, _, name = clean_path(member.name)[0].rpartition("/")
            if name in IGNORE_FILES and member.isreg() and member.size <= IGNORE_FILE_BYTES:
                content = _read(opened, member)
                lines = content.decode("utf-8", "replace").splitlines() if isinstance(content, bytes) else []
                self._ignore_files.setdefault(folder, []).extend(lines)
        self._commit = commit_in(opened.pax_headers.get("comment", ""))
        self._check_end(opened)

    def _check_end(self, opened: tarfile.TarFile) -> None:
        """A whole tar ends with zeros; tarfile takes a broken header for the end as well."""
        opened.fileobj.seek(opened.offset)
        if any(opened.fileobj.read(_BLOCK)):
            self._broken = Fault(code=SourceDamagedError.code, message="What follows in the archive is damaged.")

    def _entries(self, names: list[str]) -> Iterator[RawEntry]:
        for number, (name, (_, member)) in enumerate(zip(names, self._raw, strict=True)):
            odd = "" if member.isreg() or member.isdir() else "not a regular file"
            odd = "symbolic link" if member.issym() else "a link to another file" if member.islnk() else odd
            yield RawEntry(number, name, member.size, member.size, member.isdir(), odd)


def _read(opened: tarfile.TarFile, member: tarfile.TarInfo) -> bytes | Fault:
    try:
        stream = opened.extractfile(member)
        content = b"" if stream is None else stream.read(MEMBER_MAX_BYTES + 1)
    except BROKEN as error:
        return _damaged(error)
    if len(content) < member.size:
        return Fault(code=SourceDamagedError.code, message="It is cut off.", hint="Get the archive again.")
    return content


def _damaged(error: BaseException) -> Fault:
    return Fault(
        code=SourceDamagedError.code, message=f"It cannot be unpacked ({error}).", hint="Get the archive again."
    )
