"""What an archive says of its files in, which of them are taken in out. No file is unpacked here.

Nothing is ever written under a name from an archive, so a hostile name can harm nothing; it is refused all the same,
because it can only be meant to. The limits are kept on what the archive says of itself, and again while it is unpacked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from trisynapse_memory.errors import SourceTooLargeError
from trisynapse_memory.preprocessing.archives.names import clean_path
from trisynapse_memory.preprocessing.exclusions import IgnoreRules, is_ignored, reason_of_name, rules_of
from trisynapse_memory.types import Fault

# engine.md A5 allows 25 MiB a file, 250 MiB and 10,000 files an archive; twenty years of papers need more room.
MEMBER_MAX_BYTES: Final = 128 * 1024 * 1024
TOTAL_MAX_BYTES: Final = 4 * 1024 * 1024 * 1024
MAX_COUNT: Final = 10_000
# zlib cannot pack better than 1,032 to 1, and what does so by a factor of hundreds over megabytes holds nothing.
RATIO_MAX: Final = 200
RATIO_FROM_BYTES: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RawEntry:
    """One file or folder as its archive lists it; ``number`` is its place there, sizes are what the archive claims."""

    number: int
    name: str
    byte_size: int = 0
    packed_bytes: int = 0
    is_folder: bool = False
    odd: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of an archive: its path inside, and why it is not taken in, if so."""

    number: int
    path: str
    skipped: str = ""
    fault: Fault | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether its bytes are asked for."""
        return not self.skipped and self.fault is None


class Archive(Protocol):
    """An open archive of any kind."""

    media_type: str
    about: tuple[str, ...]
    """What is said of it above the list of its files, one line each."""

    entries: tuple[Entry, ...]

    def contents(self) -> Iterator[tuple[Entry, bytes | Fault]]:
        """Yield the wanted entries one by one, each with its bytes or with why they cannot be had."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


def judge(raw: Iterable[RawEntry], ignore_files: Mapping[str, list[str]]) -> tuple[Entry, ...]:
    """Say of each file of an archive whether it is taken in.

    Args:
        raw: the entries in the order of the archive.
        ignore_files: folder (empty for the top) -> the lines of its ignore files.

    Returns:
        One entry a file; a folder that is left out is one entry. No two have the same path.
    """
    rules = tuple(one for folder in sorted(ignore_files) if (one := rules_of(folder, ignore_files[folder])) is not None)
    found: dict[str, Entry] = {}
    total = 0
    for one in raw:
        path, unsafe = clean_path(one.name)
        if one.is_folder and not unsafe:
            continue
        if len(found) >= MAX_COUNT:
            found["..."] = Entry(-1, "...", fault=_too_large(f"More than {MAX_COUNT:,} files; the rest was left out."))
            break
        folder, reason = ("", unsafe) if unsafe else _excluded(path, rules)
        if reason and folder:
            found.setdefault(folder, Entry(-1, folder, skipped=reason))
            continue
        reason = reason or one.odd
        fault = None if reason else _over_limit(one, total)
        total += 0 if reason or fault else one.byte_size
        path = _free(path, found)
        found[path] = Entry(one.number, path, skipped=reason, fault=fault)
    return tuple(found.values())


def _excluded(path: str, rules: tuple[IgnoreRules, ...]) -> tuple[str, str]:
    """The folder that is left out with all it holds, if any, and the reason; of a file itself only the reason."""
    parts = path.split("/")
    for depth in range(1, len(parts)):
        folder = "/".join(parts[:depth])
        if reason := reason_of_name(parts[depth - 1], is_folder=True):
            return folder, reason
        if is_ignored(rules, folder, is_folder=True):
            return folder, "named in an ignore file"
    if reason := reason_of_name(parts[-1], is_folder=False):
        return "", reason
    return "", "named in an ignore file" if is_ignored(rules, path, is_folder=False) else ""


def _over_limit(one: RawEntry, total: int) -> Fault | None:
    if one.byte_size > MEMBER_MAX_BYTES:
        return _too_large(f"It has {one.byte_size:,} bytes; the limit in an archive is {MEMBER_MAX_BYTES:,}.")
    if one.byte_size > RATIO_FROM_BYTES and one.packed_bytes * RATIO_MAX < one.byte_size:
        return _too_large(f"It would unpack to more than {RATIO_MAX} times its size.")
    if total + one.byte_size > TOTAL_MAX_BYTES:
        return _too_large(f"The archive unpacks to more than {TOTAL_MAX_BYTES:,} bytes.")
    return None


def _too_large(problem: str) -> Fault:
    return Fault(code=SourceTooLargeError.code, message=problem, hint="Unpack it yourself, and add what you need.")


def _free(path: str, taken: Mapping[str, Entry]) -> str:
    """A path nobody has: an archive may hold two files of one name."""
    number, free = 2, path
    while free in taken:
        free, number = f"{path}#{number}", number + 1
    return free
