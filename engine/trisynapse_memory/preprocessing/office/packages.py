"""A zip package in, its parts out by name, each bounded; nothing is unpacked to disk and no part is believed.

Office files and books are zip archives of XML. What opens one here has looked at its directory first: how many parts,
how large, how tightly packed. Sizes are the directory's word, so reading stops where it was a lie.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import join, normpath
from typing import IO, Final
from urllib.parse import unquote

from trisynapse_memory.errors import (
    PasswordNeededError,
    SourceDamagedError,
    SourceDeniedError,
    SourceEmptyError,
    SourceError,
    SourceMissingError,
    SourceTooLargeError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.office.compound import COMPOUND, COMPOUND_KINDS, compound_kinds
from trisynapse_memory.preprocessing.office.encryption import unlocked
from trisynapse_memory.preprocessing.office.xml import attribute, children, read_xml
from trisynapse_memory.preprocessing.trees import Element

PART_COUNT_MAX: Final = 50_000  # a book of ten thousand pages has one part each
PACKAGE_BYTES_MAX: Final = 4 * 1024**3  # unpacked, pictures and films included; those are never read
PART_BYTES_MAX: Final = 128 * 1024**2  # one part that is read; its tree takes about eight times that
READ_BYTES_MAX: Final = 512 * 1024**2  # all parts that are read of one package
RATIO_MAX: Final = 1000  # deflate packs at most 1032 to 1; XML that people wrote stays below 100
RATIO_FROM_BYTES: Final = 16 * 1024**2  # a small part may be all blanks

ZIP: Final = b"PK\x03\x04"
_READ_STEP: Final = 1024**2
_ENCRYPTED: Final = 0x1  # flag bit of a zip entry
UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, RuntimeError, ValueError)
"""What the zip library raises for a broken part."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One arrow from a part to another, or out of the package: the last word of its type, and where it leads."""

    kind: str
    target: str
    is_external: bool


class Package:
    """An open package. Names are compared without case and leading slash, as the formats ask for.

    ``broken`` holds the names of parts whose markup breaks off: what was read of them is not all they said.
    """

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self.name = name
        self.broken: set[str] = set()
        self._archive = archive
        self._entries = {
            _key(entry.filename): entry for entry in archive.infolist() if not entry.filename.endswith("/")
        }
        self._left = READ_BYTES_MAX

    @property
    def names(self) -> Mapping[str, str]:
        """The names of all parts as they are written, by the names they are asked for."""
        return {key: entry.filename for key, entry in self._entries.items()}

    def has(self, part: str) -> bool:
        """Tell whether there is such a part."""
        return _key(part) in self._entries

    def size(self, part: str) -> int:
        """How large a part says it is, in bytes; 0 where there is none."""
        entry = self._entries.get(_key(part))
        return entry.file_size if entry else 0

    def read(self, part: str) -> bytes | None:
        """Return a part, or None where it is missing or cannot be unpacked.

        Raises:
            SourceTooLargeError: it is longer than a part may be, or this package has been read enough.
            PasswordNeededError: it is encrypted.
        """
        entry = self._entries.get(_key(part))
        if entry is None:
            return None
        if entry.flag_bits & _ENCRYPTED:
            raise PasswordNeededError(
                f"'{self.name}' is encrypted.", hint="Save it without a password and add it again."
            )
        limit = min(PART_BYTES_MAX, self._left)
        try:
            with self._archive.open(entry) as file:
                content = _bounded(file, limit)
        except UNREADABLE:
            return None
        if content is None:
            raise _too_large(self.name, f"its part '{part}' holds more than {limit // 1024**2} MiB")
        self._left -= len(content)
        return content

    def stream(self, part: str) -> IO[bytes] | None:
        """Open a part that is read piece by piece; None where it is missing or cannot be unpacked."""
        entry = self._entries.get(_key(part))
        try:
            return self._archive.open(entry) if entry is not None else None
        except UNREADABLE:
            return None

    def xml(self, part: str) -> Element | None:
        """Return the tree of a part, or None where there is none."""
        content = self.read(part)
        if not content:
            return None
        root, is_whole = read_xml(content)
        if not is_whole:
            self.broken.add(part)
        return root

    def relations(self, part: str = "") -> dict[str, Relation]:
        """Return where a part leads, by relation id; of the whole package where no part is named."""
        folder, _, last = part.rpartition("/")
        root = self.xml(join(folder, "_rels", f"{last}.rels"))
        found: dict[str, Relation] = {}
        for arrow in children(root, "Relationship"):
            external = attribute(arrow, "TargetMode").lower() == "external"
            target = attribute(arrow, "Target")
            place = target if external else resolve(part, target)
            found[attribute(arrow, "Id")] = Relation(attribute(arrow, "Type").rpartition("/")[2], place, external)
        return found

    def main_part(self, fallback: str) -> str:
        """Return the name of the part that the package is about, or ``fallback`` where nothing says so."""
        arrows = self.relations().values()
        found = next((arrow.target for arrow in arrows if arrow.kind == "officeDocument"), fallback)
        return found if self.has(found) else fallback

    def close(self) -> None:
        """Let go of the file; twice does no harm."""
        self._archive.close()


def resolve(part: str, target: str) -> str:
    """Return the name of a part that another one names relative to itself."""
    target = unquote(target.partition("#")[0]).replace("\\", "/")
    return normpath(join("/", part.rpartition("/")[0], target)).lstrip("/") if target else ""


def open_package(path: Path, name: str, wanted: str, password: str | None = None) -> Package:
    """Open a zip package for reading.

    Args:
        path: the file.
        name: what messages call it.
        wanted: what it should be, for messages ("Word document").
        password: opens one that is encrypted as a whole.

    Raises:
        PasswordNeededError: it is encrypted as a whole, and the password is missing or wrong.
        SourceUnsupportedError: it is of an older format, or no package at all.
        SourceTooLargeError: unpacked, it would be too large, or it is packed as only a trap is.
        SourceDamagedError: it begins as a package, but has no directory.
        SourceEmptyError, SourceMissingError, SourceDeniedError, SourceError: it cannot be opened.
    """
    head = read_head(path, name)
    source: Path | IO[bytes] = path
    if head.startswith(COMPOUND):
        source = _inside(path, name, password)
    if not zipfile.is_zipfile(source):
        if head.startswith(ZIP):
            raise SourceDamagedError(
                f"'{name}' is damaged: the directory at its end is missing.", hint="Download or save it again."
            )
        raise SourceUnsupportedError(f"'{name}' is no {wanted}.", hint="Open it with the program it is from.")
    try:
        archive = zipfile.ZipFile(source)
    except UNREADABLE as error:
        problem = f"'{name}' is damaged: its directory cannot be read."
        raise SourceDamagedError(problem, hint="Download or save it again.") from error
    try:
        _check(archive, name)
    except SourceError:
        archive.close()
        raise
    return Package(archive, name)


def read_head(path: Path, name: str, size: int = 65_536) -> bytes:
    """Return the first bytes of a file.

    Raises:
        SourceEmptyError, SourceMissingError, SourceDeniedError, SourceError: there is nothing to read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(size)
    except FileNotFoundError as error:
        raise SourceMissingError(f"There is no file '{name}'.", hint="Check the path.") from error
    except PermissionError as error:
        raise SourceDeniedError(f"'{name}' may not be read.", hint="Check its permissions.") from error
    except OSError as error:
        raise SourceError(f"'{name}' cannot be read: {error.strerror}.") from error
    if not head:
        raise SourceEmptyError(f"'{name}' is empty: it holds no byte.", hint="Download or save it again.")
    return head


def _check(archive: zipfile.ZipFile, name: str) -> None:
    entries = archive.infolist()
    if len(entries) > PART_COUNT_MAX:
        raise _too_large(name, f"it has {len(entries)} parts; at most {PART_COUNT_MAX} are read")
    total = sum(entry.file_size for entry in entries)
    if total > PACKAGE_BYTES_MAX:
        raise _too_large(name, f"unpacked it holds {total / 1024**3:.1f} GiB")
    for entry in entries:
        if entry.file_size > RATIO_FROM_BYTES and entry.file_size > RATIO_MAX * max(1, entry.compress_size):
            raise _too_large(name, f"its part '{entry.filename}' is packed {RATIO_MAX} to 1, as only a trap is")


def _too_large(name: str, reason: str) -> SourceTooLargeError:
    return SourceTooLargeError(f"'{name}' is not read: {reason}.", hint="Save the part you need as a file of its own.")


def _inside(path: Path, name: str, password: str | None) -> IO[bytes]:
    """The package in a file in the older container of Office, which also wraps encrypted files."""
    kind = next(iter(compound_kinds(path)), "")
    if kind == "encrypted":
        return unlocked(path, name, password)
    what, hint = COMPOUND_KINDS.get(kind, ("a compound file of an older program", "Save it in a current format."))
    raise SourceUnsupportedError(f"'{name}' is {what}.", hint=hint)


def _bounded(file: IO[bytes], limit: int) -> bytes | None:
    """All bytes, or None when there are more than the limit: the directory may have lied."""
    parts: list[bytes] = []
    left = limit
    while block := file.read(min(_READ_STEP, left + 1)):
        if len(block) > left:
            return None
        left -= len(block)
        parts.append(block)
    return b"".join(parts)


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()
