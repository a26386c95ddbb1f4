"""A watched folder and what the vault holds of it in, what has changed out. Nothing is appended, and no file is parsed.

A file is the one the vault knows while its size is the same and it was not written since it was taken in; only others
are hashed. A file with the bytes of one that is gone from the folder was renamed or moved.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.drafting import digest_of
from trisynapse_memory.pipelines.unpacking import INSIDE
from trisynapse_memory.preprocessing.loading import expand
from trisynapse_memory.types import Kind, Namespace, Source, SourceStatus

GONE: Final = "deleted from its watched folder"
"""Why a source was archived that she did not forget herself: it comes back when its file does."""


class Renaming(NamedTuple):
    """A source, in all its versions and with all that lies in it, whose file has another path now."""

    old_key: str
    new_key: str


class Difference(NamedTuple):
    """What to do to bring the vault up to a folder: renamed first, then archived, then taken in."""

    renamed: tuple[Renaming, ...] = ()
    gone: tuple[Source, ...] = ()
    changed: tuple[Path, ...] = ()


def compare(log: MemoryLog, shelf: Shelf, root: Path, namespace: Namespace) -> Difference:
    """Compare a folder with the vault.

    A folder that is not there, or is empty, differs in nothing: its disk was taken out, and nobody wants a whole
    library archived for that.
    """
    try:
        if not root.is_dir() or not any(root.iterdir()):
            return Difference()
    except OSError:
        return Difference()
    files = {key_of(found.path): found.path for found in expand(root) if not found.skipped and found.error is None}
    known = {source.source_key: source for source in shelf.inside(f"{key_of(root)}/", namespace)}
    gone = {key: source for key, source in known.items() if INSIDE not in key and key not in files and not _exists(key)}
    renamed = tuple(_renamed(shelf, files, known, gone, namespace))
    for one in renamed:
        files.pop(one.new_key)
        gone.pop(one.old_key)
    changed = tuple(path for key, path in files.items() if _is_changed(log, shelf, key, path, known, namespace))
    inner = [source for key, source in known.items() if key.partition(INSIDE)[0] in gone and INSIDE in key]
    return Difference(renamed, (*gone.values(), *inner), changed)


def key_of(path: Path) -> str:
    """Return the source key of a file that was added by its path."""
    return unicodedata.normalize("NFC", str(path))


def _exists(key: str) -> bool:
    """A file that is left out now (a rule has changed) is not gone."""
    try:
        return Path(key).exists()
    except OSError:
        return False


def _renamed(
    shelf: Shelf, files: dict[str, Path], known: dict[str, Source], gone: dict[str, Source], namespace: Namespace
) -> Iterator[Renaming]:
    left = {key: source for key, source in gone.items() if source.blob_hash}
    for key, path in files.items():
        if not left or key in known or shelf.versions(key, namespace):
            continue
        same_size = [one for one in left.values() if one.byte_size == _size(path)]
        digest = digest_of(path) if same_size else ""
        old = next((one for one in same_size if one.content_hash == digest), None)
        if old is not None:
            left.pop(old.source_key)
            yield Renaming(old.source_key, key)


def _is_changed(
    log: MemoryLog, shelf: Shelf, key: str, path: Path, known: dict[str, Source], namespace: Namespace
) -> bool:
    current = known.get(key)
    if current is None:
        versions = shelf.versions(key, namespace)
        return not versions or not _is_forgotten_by_her(log, versions[-1])
    try:
        status = path.stat()
    except OSError:
        return False
    if current.added_at is None or status.st_size != current.byte_size:
        return True
    # Written in the same moment in which it was taken in: only its bytes can tell.
    return status.st_mtime > current.added_at.timestamp() - 2 and digest_of(path) != current.content_hash


def _is_forgotten_by_her(log: MemoryLog, latest: Source) -> bool:
    if latest.status is SourceStatus.REMOVED:
        return True
    if latest.status is not SourceStatus.FORGOTTEN:
        return False
    reasons = [record.text for record in log.of_source(latest.source_id, Kind.RETRACTION)]
    return bool(reasons) and reasons[-1] != GONE


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
