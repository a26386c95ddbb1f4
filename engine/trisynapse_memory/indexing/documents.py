"""What the lexical index knows of each record besides its words, in; who may see it, out. No posting is read here.

One fixed-width row per seq (present, visible, length, namespace, source), in blocks of 4,096: a commit rewrites one or
two blocks, and a reader keeps all of them as arrays (13 bytes per record) and loads again only what changed.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.indexing.postings import Flags, Integers
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Namespace, Scope

SCHEMA = """
CREATE TABLE IF NOT EXISTS lexical_blocks (
    block INTEGER PRIMARY KEY,
    stamp INTEGER NOT NULL,
    rows BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS lexical_stamps (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lexical_namespaces (id INTEGER PRIMARY KEY, keys TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS lexical_sources (id INTEGER PRIMARY KEY, source_id TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS lexical_counts (
    namespace INTEGER NOT NULL,
    source INTEGER NOT NULL,         -- 0: records without a source
    present_count INTEGER NOT NULL,
    visible_count INTEGER NOT NULL,
    visible_length INTEGER NOT NULL, -- words of the visible records
    PRIMARY KEY (namespace, source)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO lexical_stamps VALUES ('documents', 0);
"""

BLOCK_ROWS = 4096
NO_SOURCE = 0
_PRESENT, _VISIBLE = 1, 2
_ROW = np.dtype([("flags", "u1"), ("length", "<u4"), ("namespace", "<u4"), ("source", "<u4")])

Rows = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class NewDocument:
    """What is stored of a record; ``length`` is in words."""

    seq: int
    length: int
    namespace: Namespace
    source_id: str | None
    visible: bool


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 needs of a scope: how many visible records it has, and how many words they have together."""

    record_count: int
    total_length: int

    @property
    def average_length(self) -> float:
        """Mean number of words per record; 0 for an empty scope."""
        return self.total_length / self.record_count if self.record_count else 0.0


@dataclass(frozen=True, slots=True)
class Documents:
    """All records as arrays indexed by seq, and the namespaces they belong to."""

    visible: Flags
    present: Flags
    lengths: Integers
    namespaces: NDArray[np.uint32]
    sources: NDArray[np.uint32]
    namespace_ids: Mapping[Namespace, int]

    def seen_by(self, reader: Namespace) -> tuple[int, ...] | None:
        """Return the ids of the namespaces a reader sees, or None where those are all."""
        seen = tuple(number for namespace, number in self.namespace_ids.items() if reader.sees(namespace))
        return None if len(seen) == len(self.namespace_ids) else seen

    def mask(self, scope: Scope, sources: Sequence[int] | None) -> Flags:
        """Mark the visible records a scope holds; ``sources`` are the ids of its sources, None for no filter.

        Who reads as of an earlier moment is led to what is hidden now as well: it may have been visible then, and the
        log, which knows, is asked afterwards.
        """
        allowed = self.visible if scope.as_of_seq is None else self.present
        seen = self.seen_by(scope.namespace)
        if seen is not None:
            allowed = allowed & np.isin(self.namespaces, np.array(seen, np.uint32))
        if sources is not None:
            allowed = allowed & np.isin(self.sources, np.array(sources, np.uint32))
        if scope.as_of_seq is not None and scope.as_of_seq + 1 < allowed.size:
            allowed = allowed.copy()
            allowed[max(scope.as_of_seq + 1, 0) :] = False
        return allowed


@dataclass(frozen=True, slots=True)
class View:
    """One scope at one moment: which records it holds, how long they are, and the statistics over them.

    ``stamp`` is another number for every state of the records.
    """

    mask: Flags
    lengths: Integers
    sources: NDArray[np.uint32]
    statistics: Statistics
    stamp: int


class DocumentReader:
    """Keeps the rows of all records in memory for the threads that ask, and follows what other processes commit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stamp = -1
        self._blocks: dict[int, tuple[int, Rows]] = {}
        self._documents = _documents_of({}, {})

    def view(self, connection: Connection, scope: Scope) -> View:
        """Look at one scope as this read transaction sees it."""
        stamp = int(connection.execute("SELECT value FROM lexical_stamps WHERE name = 'documents'").get)
        documents = self._current(connection, stamp)
        sources = None if scope.source_ids is None else _source_numbers(connection, scope.source_ids)
        mask = documents.mask(scope, sources)
        if scope.as_of_seq is None:
            statistics = _counted(connection, documents.seen_by(scope.namespace), sources)
        else:
            statistics = Statistics(int(np.count_nonzero(mask)), int(documents.lengths[: mask.size][mask].sum()))
        return View(mask, documents.lengths, documents.sources, statistics, stamp)

    def _current(self, connection: Connection, stamp: int) -> Documents:
        with self._lock:
            if stamp == self._stamp:
                return self._documents
            blocks = self._loaded(connection)
            named = connection.execute("SELECT id, keys FROM lexical_namespaces").fetchall()
            namespace_ids = {_namespace_of(keys): int(number) for number, keys in named}
            documents = _documents_of({number: rows for number, (_, rows) in blocks.items()}, namespace_ids)
            # A thread whose transaction began earlier must not take the newer state away from the others.
            if stamp > self._stamp:
                self._stamp, self._blocks, self._documents = stamp, blocks, documents
            return documents

    def _loaded(self, connection: Connection) -> dict[int, tuple[int, Rows]]:
        blocks: dict[int, tuple[int, Rows]] = {}
        for number, stamp in connection.execute("SELECT block, stamp FROM lexical_blocks").fetchall():
            known = self._blocks.get(number)
            blocks[number] = (
                known if known is not None and known[0] == stamp else (stamp, _read_block(connection, number))
            )
        return blocks


def known_seqs(connection: Connection, seqs: Sequence[int]) -> Flags:
    """Mark the seqs that are stored already, so that a record is never counted twice."""
    return (_rows_at(connection, np.array(seqs, np.int64))["flags"] & _PRESENT) > 0


def add_documents(connection: Connection, documents: Sequence[NewDocument]) -> None:
    """Store records that are not there yet."""
    namespaces = {document.namespace for document in documents}
    namespace_ids = {
        namespace: _number(connection, "namespaces", "keys", _keys_of(namespace)) for namespace in namespaces
    }
    sources = {document.source_id for document in documents if document.source_id is not None}
    source_ids = {source: _number(connection, "sources", "source_id", source) for source in sources}
    rows = np.zeros(len(documents), _ROW)
    rows["flags"] = [_PRESENT | (_VISIBLE if document.visible else 0) for document in documents]
    rows["length"] = [document.length for document in documents]
    rows["namespace"] = [namespace_ids[document.namespace] for document in documents]
    rows["source"] = [source_ids.get(document.source_id or "", NO_SOURCE) for document in documents]
    _replace_rows(connection, np.array([document.seq for document in documents], np.int64), rows)


def show_documents(connection: Connection, visibility: Mapping[int, bool]) -> None:
    """Hide records, or show them again; seqs that are not stored are passed over."""
    seqs = np.array(sorted(visibility), np.int64)
    rows = _rows_at(connection, seqs)
    visible = np.array([visibility[seq] for seq in seqs.tolist()], np.bool_)
    present = (rows["flags"] & _PRESENT) > 0
    rows["flags"] = np.where(present, np.where(visible, _PRESENT | _VISIBLE, _PRESENT), 0)
    _replace_rows(connection, seqs, rows)


def erase_documents(connection: Connection, seqs: Sequence[int]) -> None:
    """Forget records, and the names of sources and namespaces that have none left."""
    unique = np.array(sorted(set(seqs)), np.int64)
    _replace_rows(connection, unique, np.zeros(unique.size, _ROW))
    connection.execute(
        """
        DELETE FROM lexical_counts WHERE present_count = 0;
        DELETE FROM lexical_sources WHERE id NOT IN (SELECT source FROM lexical_counts);
        DELETE FROM lexical_namespaces WHERE id NOT IN (SELECT namespace FROM lexical_counts);
        """
    )
    _next_stamp(connection)


def wipe_documents(connection: Connection) -> None:
    """Forget all records; the stamp goes on, for readers in other processes compare it."""
    connection.execute(
        """
        DELETE FROM lexical_blocks;
        DELETE FROM lexical_counts;
        DELETE FROM lexical_sources;
        DELETE FROM lexical_namespaces;
        """
    )
    _next_stamp(connection)


def _replace_rows(connection: Connection, seqs: Integers, rows: Rows) -> None:
    """Write the rows of these distinct seqs, and carry the difference into the counts."""
    if not seqs.size:
        return
    stamp = _next_stamp(connection)
    before = np.zeros(seqs.size, _ROW)
    numbers = seqs // BLOCK_ROWS
    for number in np.unique(numbers).tolist():
        here = np.flatnonzero(numbers == number)
        places = seqs[here] % BLOCK_ROWS
        block = _read_block(connection, number).copy()
        before[here] = block[places]
        block[places] = rows[here]
        connection.execute("INSERT OR REPLACE INTO lexical_blocks VALUES (?, ?, ?)", (number, stamp, block.tobytes()))
    _count_change(connection, before, rows)


def _count_change(connection: Connection, before: Rows, after: Rows) -> None:
    rows = np.concatenate((before, after))
    signs = np.repeat(np.array([-1, 1], np.int64), [before.size, after.size])
    keys, groups = np.unique((rows["namespace"].astype(np.int64) << 32) | rows["source"], return_inverse=True)
    visible = signs * ((rows["flags"] & _VISIBLE) > 0)
    sums = np.zeros((keys.size, 3), np.int64)
    np.add.at(sums[:, 0], groups, signs * ((rows["flags"] & _PRESENT) > 0))
    np.add.at(sums[:, 1], groups, visible)
    np.add.at(sums[:, 2], groups, visible * rows["length"].astype(np.int64))
    changed = np.flatnonzero(sums.any(axis=1))
    connection.executemany(
        """
        INSERT INTO lexical_counts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
            present_count = present_count + excluded.present_count,
            visible_count = visible_count + excluded.visible_count,
            visible_length = visible_length + excluded.visible_length
        """,
        [
            (key >> 32, key & 0xFFFFFFFF, *row)
            for key, row in zip(keys[changed].tolist(), sums[changed].tolist(), strict=True)
        ],
    )


def _next_stamp(connection: Connection) -> int:
    """Return a number no state of the records had before."""
    connection.execute("UPDATE lexical_stamps SET value = value + 1 WHERE name = 'documents'")
    return int(connection.execute("SELECT value FROM lexical_stamps WHERE name = 'documents'").get)


def _empty_block() -> Rows:
    return np.zeros(BLOCK_ROWS, _ROW)


def _read_block(connection: Connection, number: int) -> Rows:
    found = connection.execute("SELECT rows FROM lexical_blocks WHERE block = ?", (number,)).fetchone()
    return np.frombuffer(found[0], _ROW) if found is not None else _empty_block()


def _rows_at(connection: Connection, seqs: Integers) -> Rows:
    rows = np.zeros(seqs.size, _ROW)
    numbers = seqs // BLOCK_ROWS
    for number in np.unique(numbers).tolist():
        here = np.flatnonzero(numbers == number)
        rows[here] = _read_block(connection, number)[seqs[here] % BLOCK_ROWS]
    return rows


def _documents_of(blocks: Mapping[int, Rows], namespace_ids: Mapping[Namespace, int]) -> Documents:
    """Lay the blocks end to end; a block without any record was never written."""
    rows = np.zeros((max(blocks, default=-1) + 1) * BLOCK_ROWS, _ROW)
    for number, block in blocks.items():
        rows[number * BLOCK_ROWS : (number + 1) * BLOCK_ROWS] = block
    return Documents(
        visible=rows["flags"] == _PRESENT | _VISIBLE,
        present=(rows["flags"] & _PRESENT) > 0,
        lengths=np.ascontiguousarray(rows["length"]),
        namespaces=np.ascontiguousarray(rows["namespace"]),
        sources=np.ascontiguousarray(rows["source"]),
        namespace_ids=namespace_ids,
    )


def _counted(connection: Connection, namespaces: Sequence[int] | None, sources: Sequence[int] | None) -> Statistics:
    row = connection.execute(
        """
        SELECT coalesce(sum(visible_count), 0), coalesce(sum(visible_length), 0) FROM lexical_counts
        WHERE (?1 IS NULL OR namespace IN (SELECT value FROM json_each(?1)))
          AND (?2 IS NULL OR source IN (SELECT value FROM json_each(?2)))
        """,
        tuple(None if numbers is None else json.dumps(list(numbers)) for numbers in (namespaces, sources)),
    ).fetchall()[0]
    return Statistics(row[0], row[1])


def _number(connection: Connection, table: str, column: str, value: str) -> int:
    """Return the number of a name, giving it one when it is new."""
    connection.execute(f"INSERT OR IGNORE INTO lexical_{table} ({column}) VALUES (?)", (value,))
    return int(connection.execute(f"SELECT id FROM lexical_{table} WHERE {column} = ?", (value,)).get)


def _source_numbers(connection: Connection, source_ids: Sequence[str]) -> tuple[int, ...]:
    rows = connection.execute(
        "SELECT id FROM lexical_sources WHERE source_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(source_ids)),),
    )
    return tuple(number for (number,) in rows)


def _keys_of(namespace: Namespace) -> str:
    return json.dumps([namespace.user_id, namespace.agent_id, namespace.project_id, namespace.session_id])


def _namespace_of(keys: str) -> Namespace:
    user_id, agent_id, project_id, session_id = json.loads(keys)
    return Namespace(user_id=user_id, agent_id=agent_id, project_id=project_id, session_id=session_id)
