"""A pack of one Git commit in, its files and the bytes of one after the other out; nothing is written to disk.

The objects are read front to back by the library (dulwich), never by the paths in them. Sizes are looked at before an
object is unpacked, in its own head and in that of a delta, so that neither can unpack to more than it says.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator, Set
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trisynapse_memory.errors import SourceDamagedError, SourceTooLargeError
from trisynapse_memory.preprocessing.archives.entries import (
    MAX_COUNT,
    MEMBER_MAX_BYTES,
    TOTAL_MAX_BYTES,
    Entry,
    RawEntry,
    judge,
)
from trisynapse_memory.preprocessing.exclusions import IGNORE_FILE_BYTES, IGNORE_FILES
from trisynapse_memory.types import Fault

if TYPE_CHECKING:
    from dulwich.pack import UnpackedObject

PACK: Final = b"PACK\x00\x00\x00"
_COMMIT, _TREE, _BLOB = 1, 2, 3  # gitformat-pack(5)
_FOLDER, _LINK, _SUBMODULE = 0o040000, 0o120000, 0o160000
_KIND: Final = 0o170000
_POINTER: Final = b"version https://git-lfs.github.com/spec/v1\n"
_POINTER_MAX_BYTES: Final = 1024  # Git LFS: a pointer file is smaller
# Folders may hold the same folder many times over; ten such stories high they name more files than there are atoms.
_VISITED_MAX: Final = 10 * MAX_COUNT
_DEPTH_MAX: Final = 100
_OBJECTS_MAX: Final = 20 * MAX_COUNT
_ABOUT_BYTES: Final = 65_536  # of a commit
_COMMITTED: Final = re.compile(rb"^committer .*> (\d{1,11}) [+-]\d{4}$", re.MULTILINE)


@dataclass(slots=True)
class _Contents:
    """What a pack holds, by SHA-1: folders as they are written, the sizes of files, which of those are LFS pointers."""

    commits: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    trees: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    sizes: dict[bytes, int] = field(default_factory=dict[bytes, int])
    pointers: set[bytes] = field(default_factory=set[bytes])


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One file as its folders list it."""

    path: str
    mode: int
    sha: bytes


class GitPack:
    """An open pack of one commit with all its files.

    Args:
        path: the file.
        name: what messages call it.

    Raises:
        SourceDamagedError: it is no pack that can be read, or not one of a single commit.
        SourceTooLargeError: it unpacks to more than is read.
    """

    media_type = "application/x-git-packed-objects"

    def __init__(self, path: Path, name: str) -> None:
        from dulwich.errors import ApplyDeltaError, ChecksumMismatch, ObjectFormatException
        from dulwich.pack import UnresolvedDeltas

        self._broken = (ApplyDeltaError, UnresolvedDeltas, ChecksumMismatch, ObjectFormatException, zlib.error,
                        AssertionError, ValueError, KeyError, IndexError, OSError, EOFError)  # fmt: skip
        self._path = path
        try:
            self._check_sizes(name)
            held = self._scan()
            commit, tree = _only_commit(held)
            self._leaves, cut = _leaves_of(tree, held)
            ignore_files = self._ignore_files(held)
        except self._broken as error:
            problem = f"'{name}' is damaged, or no pack of one commit."
            raise SourceDamagedError(problem, hint="Fetch the repository again.") from error
        self.about = tuple(_about(commit, held))
        self.entries = judge(self._raw(held), ignore_files)
        if cut:
            self.entries = (*self.entries, Entry(-1, "...", fault=_too_many()))

    def contents(self) -> Iterator[tuple[Entry, bytes | Fault]]:
        """Yield the wanted entries one by one, each with its bytes or with why they cannot be had."""
        wanted: dict[bytes, list[Entry]] = {}
        for entry in self.entries:
            if entry.is_wanted:
                wanted.setdefault(self._leaves[entry.number].sha, []).append(entry)
        try:
            for sha, content in self._blobs(wanted.keys()):
                for entry in wanted.pop(sha, ()):
                    yield entry, content
        except self._broken as error:
            lost = Fault(code=SourceDamagedError.code, message=f"It cannot be unpacked ({error}).")
        else:
            lost = Fault(code=SourceDamagedError.code, message="The repository did not send it.")
        for entry in (one for entries in wanted.values() for one in entries):
            yield entry, lost

    def close(self) -> None:
        """Do nothing: the file is open only while it is read."""

    def _check_sizes(self, name: str) -> None:
        """Add up what each object says it unpacks to, in one pass that keeps none of them."""
        from dulwich.pack import unpack_object

        total, place = 0, 12
        with self._path.open("rb") as stream:
            head = stream.read(place)
            count = int.from_bytes(head[8:12], "big")
            if not head.startswith(PACK) or not count:
                raise ValueError("no pack")
            for _ in range(count):
                stream.seek(place)
                stated = _stated_size(stream.read(16))
                total += stated
                if stated > MEMBER_MAX_BYTES or total > TOTAL_MAX_BYTES or count > _OBJECTS_MAX:
                    raise _too_large(name)
                stream.seek(place)
                unpacked, unused = unpack_object(stream.read, hashlib.sha1)
                place = stream.tell() - len(unused)
                if unpacked.delta_base is not None:
                    grown = _delta_target(b"".join(unpacked.decomp_chunks)[:32])
                    total += grown
                    if grown > MEMBER_MAX_BYTES or total > TOTAL_MAX_BYTES:
                        raise _too_large(name)

    def _objects(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Yield kind, SHA-1 and bytes of every object."""
        from dulwich.object_format import SHA1
        from dulwich.pack import PackData, UnpackedObjectIterator

        with closing(PackData(str(self._path), SHA1)) as pack:
            unpacked: UnpackedObject
            for unpacked in UnpackedObjectIterator.for_pack_data(pack):
                kind = unpacked.obj_type_num
                if kind in (_COMMIT, _TREE, _BLOB):
                    yield kind, bytes(unpacked.sha()), b"".join(unpacked.obj_chunks or ())

    def _blobs(self, wanted: Set[bytes]) -> Iterator[tuple[bytes, bytes]]:
        for kind, sha, content in self._objects():
            if kind == _BLOB and sha in wanted:
                yield sha, content

    def _scan(self) -> _Contents:
        held = _Contents()
        for kind, sha, content in self._objects():
            if kind == _COMMIT:
                held.commits[sha] = content[:_ABOUT_BYTES]
            elif kind == _TREE:
                held.trees[sha] = content
            else:
                held.sizes[sha] = len(content)
                if len(content) < _POINTER_MAX_BYTES and content.startswith(_POINTER):
                    held.pointers.add(sha)
        return held

    def _ignore_files(self, held: _Contents) -> dict[str, list[str]]:
        places: dict[bytes, list[str]] = {}
        for leaf in self._leaves:
            folder, _, name = leaf.path.rpartition("/")
            if name in IGNORE_FILES and held.sizes.get(leaf.sha, IGNORE_FILE_BYTES + 1) <= IGNORE_FILE_BYTES:
                places.setdefault(leaf.sha, []).append(folder)
        found: dict[str, list[str]] = {}
        for sha, content in self._blobs(places.keys()) if places else ():
            for folder in places[sha]:
                found.setdefault(folder, []).extend(content.decode("utf-8", "replace").splitlines())
        return found

    def _raw(self, held: _Contents) -> Iterator[RawEntry]:
        for number, leaf in enumerate(self._leaves):
            size = held.sizes.get(leaf.sha, 0)
            yield RawEntry(number, leaf.path, size, size, odd=_odd(leaf, held.pointers))


def _only_commit(held: _Contents) -> tuple[bytes, bytes]:
    """The commit of a pack and its folder; a pack of several was not asked for."""
    ((commit, text),) = held.commits.items()
    tree = re.match(rb"tree ([0-9a-f]{40})\n", text)
    if tree is None:
        raise ValueError("no commit")
    return commit, bytes.fromhex(tree[1].decode())


def _leaves_of(tree: bytes, held: _Contents) -> tuple[list[_Leaf], bool]:
    """The files of a commit in the order of their paths, and whether the list was cut."""
    from dulwich.objects import parse_tree

    leaves: list[_Leaf] = []
    visited = 0
    todo = [("", tree, 0)]
    while todo:
        above, sha, depth = todo.pop()
        folders: list[tuple[str, bytes, int]] = []
        for name, mode, child in parse_tree(held.trees[sha], sha_len=20):
            visited += 1
            if visited > _VISITED_MAX or depth > _DEPTH_MAX:
                return leaves, True
            # Names that are no UTF-8 are shown as far as they can be read.
            path = above + name.decode("utf-8", "replace")
            raw = bytes.fromhex(child.decode("ascii"))
            if mode & _KIND == _FOLDER:
                folders.append((f"{path}/", raw, depth + 1))
            else:
                leaves.append(_Leaf(path, mode, raw))
        todo.extend(reversed(folders))
    return leaves, False


def _odd(leaf: _Leaf, pointers: set[bytes]) -> str:
    """Why an entry is no file to be read, if so."""
    kind = leaf.mode & _KIND
    if kind == _LINK:
        return "symbolic link"
    if kind == _SUBMODULE:
        return f"a submodule (another repository, at commit {leaf.sha.hex()[:12]})"
    return "kept outside the repository (Git LFS)" if leaf.sha in pointers else ""


def _about(commit: bytes, held: _Contents) -> Iterator[str]:
    yield f"Git commit {commit.hex()}"
    when = _COMMITTED.search(held.commits[commit])
    if when is not None and int(when[1]) < 253_402_300_800:  # the year 10000
        yield f"Committed {datetime.fromtimestamp(int(when[1]), UTC):%Y-%m-%d}"


def _stated_size(head: bytes) -> int:
    """The size in the head of an object: 4 bits, then 7 a byte, lowest first (gitformat-pack)."""
    size, shift = head[0] & 0x0F, 4
    for place, byte in enumerate(head[:10]):
        if place:
            size |= (byte & 0x7F) << shift
            shift += 7
        if not byte & 0x80:
            return size
    raise ValueError("a size of more than ten bytes")


def _delta_target(head: bytes) -> int:
    """The size that a delta says it makes: the second of the two numbers it begins with (gitformat-pack)."""
    sizes: list[int] = []
    size = shift = 0
    for byte in head:
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            sizes.append(size)
            size = shift = 0
        if len(sizes) == 2:
            return sizes[1]
    raise ValueError("a delta without sizes")


def _too_large(name: str) -> SourceTooLargeError:
    return SourceTooLargeError(
        f"'{name}' is not read: it unpacks to more than {MEMBER_MAX_BYTES:,} bytes a file,"
        f" {TOTAL_MAX_BYTES:,} bytes in all, or {_OBJECTS_MAX:,} objects.",
        hint="Clone it with git, and add the folders you need.",
    )


def _too_many() -> Fault:
    problem = f"It lists more than {_VISITED_MAX:,} files, or nests them too deep; the rest was left out."
    return Fault(
        code=SourceTooLargeError.code, message=problem, hint="Clone it with git, and add the folders you need."
    )
