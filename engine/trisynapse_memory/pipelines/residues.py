"""A vault's folder in, its files without what was removed out: history, compiled pages, set-aside files, free pages.

Her own notes and boards are never touched; they are named where they repeat what was removed.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.pipelines.quotations import Quotations, strings_of
from trisynapse_memory.sqlite import Connection, Database
from trisynapse_memory.wiki.folder import LEDGER

HISTORY: Final = "runs.db"
VECTORS: Final = "vectors.db"
COMPILED: Final = ("wiki",)
HERS: Final = ("notes", "boards")

_BASE64: Final = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")


def purge_history(folder: Path, quotations: Quotations, originals: Collection[str]) -> dict[str, int]:
    """Delete the rows of the history that repeat what was removed; return how many of each table.

    Args:
        folder: the vault.
        quotations: what was removed.
        originals: hashes of files that go; an ingest run keeps what it was given in base64.
    """
    path = folder / HISTORY
    if not path.exists():
        return {}
    database = Database(path, durable=False)
    counts: Counter[str] = Counter()
    try:
        with database.write() as connection:
            tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
            for (table,) in tables:
                counts[table] += _purge_table(connection, table, lambda text: _holds(text, quotations, originals))
            if counts["ingest_runs"]:
                connection.execute("DELETE FROM ingest_results WHERE run_id NOT IN (SELECT run_id FROM ingest_runs)")
    finally:
        database.close()
    return {table: count for table, count in counts.items() if count}


def _holds(text: str, quotations: Quotations, originals: Collection[str]) -> bool:
    """Tell whether a text of the history, or the file it holds in base64, repeats what was removed."""
    if quotations.holds(text):
        return True
    if len(text) % 4 or not _BASE64.fullmatch(text):
        return False
    content = base64.b64decode(text)
    return hashlib.sha256(content).hexdigest() in originals or quotations.holds(content.decode(errors="replace"))


def _purge_table(connection: Connection, table: str, repeats: Callable[[str], bool]) -> int:
    columns = [(str(row[1]), bool(row[5])) for row in connection.execute(f"PRAGMA table_info({table})")]
    keys = [name for name, is_key in columns if is_key] or ["rowid"]
    selected = ", ".join([*keys, *(name for name, _ in columns)])
    rows = connection.execute(f"SELECT {selected} FROM {table}").fetchall()
    found = [row[: len(keys)] for row in rows if any(map(repeats, strings_of(list(row[len(keys) :]))))]
    where = " AND ".join(f"{key} = ?" for key in keys)
    connection.executemany(f"DELETE FROM {table} WHERE {where}", found)
    return len(found)


def unclaimed_originals(blobs: BlobStore, shelf: Shelf, texts: Sequence[str], quotations: Quotations) -> Iterator[str]:
    """Yield the originals that no source names and that repeat what is removed: files of bookmarks, above all.

    Args:
        blobs: the stored originals.
        shelf: tells which of them a source names.
        texts: what the removed records say, word for word.
        quotations: what was removed.
    """
    for content_hash in blobs.hashes():
        if not shelf.holds_blob(content_hash):
            content = html.unescape(blobs.path(content_hash).read_bytes().decode("utf-8", errors="replace"))
            if quotations.holds(content) or any(text in content for text in texts):
                yield content_hash


def purge_pages(folder: Path, quotations: Quotations) -> int:
    """Delete compiled files that repeat what was removed; they are compiled anew from what is left."""
    found = [path for path in _files(folder, COMPILED) if path.name != LEDGER and _repeats(path, quotations)]
    for path in found:
        path.unlink()
    for drawer in COMPILED:
        _prune_ledger(folder / drawer, quotations)
    return len(found)


def _prune_ledger(root: Path, quotations: Quotations) -> None:
    """Take the files that are gone off the list of written ones: their names may tell what was in them."""
    path = root / LEDGER
    if not path.is_file():
        return
    try:
        listed = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except msgspec.DecodeError:
        listed = {}
    kept = {name: digest for name, digest in listed.items() if (root / name).is_file() and not quotations.holds(name)}
    if kept != listed:
        temporary = path.with_name(f"{LEDGER}.tmp")
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(kept, order="sorted"), indent=0) + b"\n")
        temporary.replace(path)


def purge_set_aside(folder: Path) -> int:
    """Delete index files that were damaged and set aside: nothing reads them, and they hold what the vault held."""
    found = list(folder.glob("*.damaged"))
    for path in found:
        path.unlink()
    return len(found)


def her_files(folder: Path, quotations: Quotations) -> tuple[str, ...]:
    """Return which of her own notes and boards repeat what was removed, by their paths inside the vault."""
    found = [path for path in _files(folder, HERS) if _quotes(path, quotations)]
    return tuple(path.relative_to(folder).as_posix() for path in found)


def compact(folder: Path, log_path: Path) -> None:
    """Rewrite every database of the vault but the log without its free pages, and empty the WALs."""
    for path in sorted(folder.glob("*.db")):
        if path != log_path:
            database = Database(path, vectors=path.name == VECTORS)
            try:
                database.compact()
            finally:
                database.close()


def _files(folder: Path, drawers: tuple[str, ...]) -> Iterator[Path]:
    for drawer in drawers:
        yield from (path for path in sorted((folder / drawer).rglob("*")) if path.is_file())


def _repeats(path: Path, quotations: Quotations) -> bool:
    text = path.read_bytes().decode("utf-8", errors="replace")
    return quotations.holds(path.stem) or quotations.holds(text) or any(map(quotations.holds, strings_of(text)))


def _quotes(path: Path, quotations: Quotations) -> bool:
    text = path.read_bytes().decode("utf-8", errors="replace")
    return any(map(quotations.quoted_in, strings_of(text)))
