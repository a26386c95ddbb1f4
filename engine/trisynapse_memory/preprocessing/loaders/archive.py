"""A zip, tar or Git pack in, the list of its files as its text and each file as a member out; no disk is written to.

The list makes an archive findable by the names of what it holds. Its members are read by their own loaders. What is
left out (system leftovers, secrets, what ignore files name) is listed with its reason; so is what cannot be had.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath, PurePosixPath
from typing import Final

from trisynapse_memory.errors import (
    SourceDamagedError,
    SourceEmptyError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.archives.entries import Archive, Entry
from trisynapse_memory.preprocessing.archives.git_packs import PACK, GitPack
from trisynapse_memory.preprocessing.archives.manifests import manifest_pages
from trisynapse_memory.preprocessing.archives.packed import PackedFile, sign_of, unpacked_head
from trisynapse_memory.preprocessing.archives.tars import TarArchive
from trisynapse_memory.preprocessing.archives.zips import open_zip
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Fault, Heading, Listing, Modality, Page, Section

_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_TAR_SIGN, _TAR_PLACE = b"ustar", 257
_UNREADABLE: Final = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "RAR",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}
# Formats that are zip files themselves have loaders of their own, which are surer.
_SURE_BY_CONTENT, _SURE_BY_NAME = 0.5, 0.6
_NAMES: Final = frozenset({".zip", ".gz", ".bz2", ".xz", ".tgz", ".tbz2", ".txz", ".7z", ".rar", ".zst"})


class ArchiveLoader:
    """Reads zip, tar (plain, gz, bz2, xz), packs of one Git commit, single packed files; names 7z, rar and zst."""

    name = "archive"
    version = 1
    modality = Modality.STRUCTURED.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.9 for a tar or Git pack, 0.6 for a packed file so named, else 0.5, or 0."""
        if _is_tar(head) or head.startswith(PACK):
            return 0.9
        if head.startswith((*_ZIP, *_UNREADABLE)) or sign_of(head):
            return _SURE_BY_NAME if PurePath(filename).suffix.lower() in _NAMES else _SURE_BY_CONTENT
        return 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> ArchiveDocument:
        """Open an archive.

        Args:
            path: the file.
            password: opens encrypted files of a zip; without it each of them says that it needs one.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceUnsupportedError: it is packed in a way that is not read here.
            SourceDamagedError: it is no archive, or its list of files cannot be read.
            SourceEmptyError: it holds no file.
            SourceMissingError, SourceDeniedError, SourceError: it cannot be opened.
        """
        name = filename or path.name
        head = read_original(path, name, again="Download or copy it again.", first_bytes=65_536)
        archive = _open(path, name, head, password)
        if not archive.entries:
            archive.close()
            raise SourceEmptyError(f"'{name}' is empty: it holds no file.", hint="Was it packed to the end?")
        return ArchiveDocument(archive)


class ArchiveDocument:
    """An archive that is open: its list as pages, its files as members."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        paths = tuple(entry.path for entry in archive.entries if entry.is_wanted)
        self._pages = manifest_pages(paths, archive.about)
        self.heading = Heading(page_count=len(self._pages), media_type=archive.media_type, method="archive")

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` of the list of files and the following ones."""
        yield from self._pages[max(0, start - 1) :]

    def members(self) -> Iterator[Listing]:
        """Yield what is left out with its reason, then the files one by one, each with its bytes or its fault."""
        for entry in self._archive.entries:
            if not entry.is_wanted:
                yield _listing(entry, fault=entry.fault)
        for entry, content in self._archive.contents():
            if isinstance(content, Fault):
                yield _listing(entry, fault=content)
            else:
                yield _listing(entry, content)

    def close(self) -> None:
        """Let go of the file."""
        self._archive.close()


def _listing(entry: Entry, content: bytes = b"", fault: Fault | None = None) -> Listing:
    name = PurePosixPath(entry.path).name
    return Listing(
        key=entry.path, title=name, kind="file", filename=name, content=content, skipped=entry.skipped, fault=fault
    )


def _is_tar(head: bytes) -> bool:
    end = _TAR_PLACE + len(_TAR_SIGN)
    return head[_TAR_PLACE:end] == _TAR_SIGN or unpacked_head(head)[_TAR_PLACE:end] == _TAR_SIGN


def _open(path: Path, name: str, head: bytes, password: str | None) -> Archive:
    if head.startswith(_ZIP):
        return open_zip(path, name, password)
    if _is_tar(head):
        return TarArchive(path, name)
    if head.startswith(PACK):
        return GitPack(path, name)
    if sign := sign_of(head):
        return PackedFile(path, name, sign)
    for sign, kind in _UNREADABLE.items():
        if head.startswith(sign):
            raise SourceUnsupportedError(
                f"'{name}' is a {kind} archive, which is not supported.", hint="Unpack it, and add the folder."
            )
    raise SourceDamagedError(f"'{name}' is no archive that can be read.", hint="Was it downloaded to the end?")
