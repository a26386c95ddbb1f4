"""A zip file in, its entries and the bytes of one after the other out; nothing is written to disk."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from trisynapse_memory.errors import (
    PasswordNeededError,
    SourceDamagedError,
    SourceTooLargeError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.archives.entries import MAX_COUNT, MEMBER_MAX_BYTES, Entry, RawEntry, judge
from trisynapse_memory.preprocessing.archives.names import clean_path, code_page_of, commit_in, decode_name, top_folder
from trisynapse_memory.preprocessing.exclusions import IGNORE_FILE_BYTES, IGNORE_FILES
from trisynapse_memory.types import Fault

_ENCRYPTED: Final = 0x1  # APPNOTE.TXT 4.4.4
_UTF8: Final = 0x800
_UNICODE_PATH: Final = 0x7075  # APPNOTE.TXT 4.6.9
_AES: Final = 99


class ZipArchive:
    """An open zip file.

    Args:
        stream: the file.
        name: what messages call it.
        password: opens encrypted entries; never kept anywhere else.

    Raises:
        SourceDamagedError: it is no zip file, or its list of files cannot be read.
    """

    media_type = "application/zip"

    def __init__(self, stream: IO[bytes], name: str, password: str | None = None) -> None:
        self._stream = stream
        self._password = None if password is None else password.encode()
        try:
            self._file = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, struct.error, OverflowError) as error:
            raise SourceDamagedError(
                f"'{name}' is a damaged or unfinished zip file ({error}).", hint="Download or copy it again."
            ) from error
        self._listed = self._file.infolist()
        commit = commit_in(self._file.comment.decode("ascii", "replace"))
        self.about = (f"Git commit {commit}",) if commit else ()
        self._top = top_folder([one.filename for one in self._listed]) if commit else ""
        self.entries = judge(self._raw(), self._ignore_files())

    def contents(self) -> Iterator[tuple[Entry, bytes | Fault]]:
        """Yield the wanted entries one by one, each with its bytes or with why they cannot be had."""
        for entry in self.entries:
            if entry.is_wanted:
                yield entry, self._read(self._listed[entry.number])

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
        self._stream.close()

    def _raw(self) -> Iterator[RawEntry]:
        page = code_page_of([_bytes_of(one) for one in self._listed[: MAX_COUNT + 1] if not one.flag_bits & _UTF8])
        for number, one in enumerate(self._listed):
            mode = one.external_attr >> 16
            odd = "symbolic link" if stat.S_ISLNK(mode) else ""
            if stat.S_IFMT(mode) and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or odd):
                odd = "not a regular file"
            name = _name_of(one, page).removeprefix(self._top)
            yield RawEntry(number, name, one.file_size, one.compress_size, one.is_dir(), odd)

    def _ignore_files(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for one in self._listed:
            folder, _, name = clean_path(one.filename.removeprefix(self._top))[0].rpartition("/")
            if name in IGNORE_FILES and one.file_size <= IGNORE_FILE_BYTES:
                content = self._read(one)
                lines = content.decode("utf-8", "replace").splitlines() if isinstance(content, bytes) else []
                found.setdefault(folder, []).extend(lines)
        return found

    def _read(self, one: zipfile.ZipInfo) -> bytes | Fault:
        if one.compress_type == _AES:
            problem = "It is encrypted with AES, which is not supported."
            return _fault(SourceUnsupportedError.code, problem, "Unpack it with another program, and add the files.")
        if one.flag_bits & _ENCRYPTED and self._password is None:
            return _fault(PasswordNeededError.code, "It is encrypted.", "Add the archive again with its password.")
        try:
            with self._file.open(one, pwd=self._password) as stream:
                content = stream.read(MEMBER_MAX_BYTES + 1)
        except NotImplementedError:
            problem = f"It is packed by method {one.compress_type}, which is not supported."
            return _fault(SourceUnsupportedError.code, problem, "Unpack it with another program, and add the files.")
        except RuntimeError as error:
            if not one.flag_bits & _ENCRYPTED:
                return _fault(SourceDamagedError.code, f"It cannot be unpacked ({error}).")
            return _fault(PasswordNeededError.code, "The password is wrong.", "Add the archive with the right one.")
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, struct.error) as error:
            return _fault(SourceDamagedError.code, f"It cannot be unpacked ({error}).", "Get the archive again.")
        if len(content) > MEMBER_MAX_BYTES:
            return _fault(SourceTooLargeError.code, f"It has more than {MEMBER_MAX_BYTES:,} bytes.")
        return content


def _fault(code: str, problem: str, hint: str = "") -> Fault:
    return Fault(code=code, message=problem, hint=hint)


def _bytes_of(one: zipfile.ZipInfo) -> bytes:
    """A name as it stands in the file: what is not marked as UTF-8, zipfile has read as cp437, which reads anything."""
    return one.orig_filename.encode("utf-8" if one.flag_bits & _UTF8 else "cp437", "replace")


def _name_of(one: zipfile.ZipInfo, page: str) -> str:
    if one.flag_bits & _UTF8:
        return one.orig_filename
    raw = _bytes_of(one)
    return _unicode_path(one.extra, raw) or decode_name(raw, page)


def _unicode_path(extra: bytes, raw: bytes) -> str:
    """The name that newer programs put beside one in an old code page, if it belongs to it."""
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, place)
        body = extra[place + 4 : place + 4 + length]
        if kind == _UNICODE_PATH and len(body) > 5 and body[1:5] == struct.pack("<I", zlib.crc32(raw)):
            return body[5:].decode("utf-8", "replace")
        place += 4 + length
    return ""


def open_zip(path: Path, name: str, password: str | None) -> ZipArchive:
    """Open a zip file by its path; see ``ZipArchive``."""
    stream = path.open("rb")
    try:
        return ZipArchive(stream, name, password)
    except BaseException:
        stream.close()
        raise
