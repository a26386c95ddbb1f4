"""A connection to ``vectors.db`` in, its rows changed: SQL of the vector index. No text is kept, no vector made.

texts 1 - n owners      a record (seq) owns the hash of its indexed text, in a namespace and a source
texts 1 - n slots       the place of its vector in ``vector_blocks.py``, one for each model that has embedded the text
owners 1 - 1 pending    exactly for visible owners whose text has no vector of the wanted model

A record is found by its vector when its owner is visible and its text has a slot: hiding a record moves no vector.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing import vector_blocks as blocks
from trisynapse_memory.sqlite import Connection, SqlValue
from trisynapse_memory.types import Namespace, indexed_text

WAITS, FAILED, HELD = 0, 1, 2  # pending.failed: held back texts are not sent to the wanted model, and wait no longer
ATTEMPT_LIMIT: Final = 3  # tries before a text counts as failed (case R37); its words still find it

SCHEMA: Final = (
    """
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS namespaces (
    id INTEGER PRIMARY KEY, user_id TEXT, agent_id TEXT, project_id TEXT, session_id TEXT
);
CREATE TABLE IF NOT EXISTS sources (
    id INTEGER PRIMARY KEY, source_id TEXT NOT NULL UNIQUE, priority INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS texts (
    id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE,
    attempts INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS slots (
    text INTEGER NOT NULL, model INTEGER NOT NULL, slot INTEGER NOT NULL, PRIMARY KEY (text, model)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS owners (
    seq INTEGER PRIMARY KEY, text INTEGER NOT NULL, namespace INTEGER NOT NULL, source INTEGER NOT NULL,
    visible INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS owners_by_text ON owners (text);
CREATE TABLE IF NOT EXISTS pending (
    seq INTEGER PRIMARY KEY, text INTEGER NOT NULL, source INTEGER NOT NULL, priority INTEGER NOT NULL,
    failed INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS pending_by_need ON pending (failed, priority DESC, seq DESC);
CREATE INDEX IF NOT EXISTS pending_by_text ON pending (text);
CREATE INDEX IF NOT EXISTS pending_by_source ON pending (source);
"""
    + blocks.SCHEMA
)


def text_hash_of(text: str, fields: Mapping[str, str]) -> str:
    """Return the key under which the vector of a record's indexed text is kept (SHA-256, hex)."""
    return hashlib.sha256(indexed_text(text, dict(fields)).encode("utf-8", "surrogatepass")).hexdigest()


class Owner(NamedTuple):
    """A record as this index knows it: where it is, and which text it has."""

    seq: int
    text: int
    namespace: int
    source: int
    visible: bool


class VectorTable(NamedTuple):
    """The vectors of one model; at most two are live, while a new model's set is being built."""

    model: int
    dimension: int

    def row_count(self, connection: Connection) -> int:
        """Count the visible records that have a vector of this model."""
        return number_of(
            connection,
            "SELECT count(*) FROM owners o JOIN slots s ON s.text = o.text AND s.model = ? WHERE o.visible",
            (self.model,),
        )


# ---------------------------------------------------------------- state and dictionaries


def number_of(connection: Connection, sql: str, values: Sequence[SqlValue] = ()) -> int:
    """Return the one number a statement gives; 0 when it gives no row."""
    row = connection.execute(sql, values).fetchone()
    return 0 if row is None else int(row[0])


def state_of(connection: Connection, name: str) -> int:
    """Read one number of the index's state; 0 when it was never set."""
    return number_of(connection, "SELECT value FROM state WHERE name = ?", (name,))


def set_state(connection: Connection, name: str, value: int) -> None:
    """Write one number of the index's state."""
    connection.execute("INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)", (name, value))


def model_table(connection: Connection, name: str, dimension: int) -> VectorTable:
    """Return the table of a model by its name, noting a model seen for the first time."""
    connection.execute("INSERT OR IGNORE INTO models (name, dimension) VALUES (?, ?)", (name, dimension))
    row = connection.execute("SELECT id, dimension FROM models WHERE name = ?", (name,)).fetchone()
    assert row is not None
    return VectorTable(*row)


def namespace_ids(connection: Connection) -> dict[Namespace, int]:
    """Return every namespace any record was ever in."""
    rows = connection.execute("SELECT id, user_id, agent_id, project_id, session_id FROM namespaces")
    return {
        Namespace(user_id=user, agent_id=agent, project_id=project, session_id=session): number
        for number, user, agent, project, session in rows
    }


def add_namespace(connection: Connection, namespace: Namespace) -> int:
    """Note a namespace seen for the first time."""
    connection.execute(
        "INSERT INTO namespaces (user_id, agent_id, project_id, session_id) VALUES (?, ?, ?, ?)",
        (namespace.user_id, namespace.agent_id, namespace.project_id, namespace.session_id),
    )
    return connection.last_insert_rowid()


def source_number(connection: Connection, source_id: str | None) -> int:
    """Return the number of a source, noting one seen for the first time; 0 stands for no source."""
    if source_id is None:
        return 0
    connection.execute("INSERT OR IGNORE INTO sources (source_id) VALUES (?)", (source_id,))
    return number_of(connection, "SELECT id FROM sources WHERE source_id = ?", (source_id,))


def source_numbers(connection: Connection, source_ids: Sequence[str]) -> list[int]:
    """Return the numbers of those sources that are known."""
    rows = connection.execute(
        "SELECT id FROM sources WHERE source_id IN (SELECT value FROM json_each(?))", (json.dumps(list(source_ids)),)
    )
    return [number for (number,) in rows]


def text_number(connection: Connection, text_hash: str, *, add: bool = False) -> int | None:
    """Return the number of a text by its hash; None when no record has it (any more)."""
    key = bytes.fromhex(text_hash)
    if add:
        connection.execute("INSERT OR IGNORE INTO texts (hash) VALUES (?)", (key,))
    row = connection.execute("SELECT id FROM texts WHERE hash = ?", (key,)).fetchone()
    return None if row is None else row[0]


# ---------------------------------------------------------------- owners


def owner_of(connection: Connection, seq: int) -> Owner | None:
    """Return what is known of a record."""
    row = connection.execute(
        "SELECT seq, text, namespace, source, visible FROM owners WHERE seq = ?", (seq,)
    ).fetchone()
    return None if row is None else _owner(row)


def visible_owners(connection: Connection, text: int) -> list[Owner]:
    """Return the visible records that have this text."""
    rows = connection.execute(
        "SELECT seq, text, namespace, source, visible FROM owners WHERE text = ? AND visible", (text,)
    )
    return [_owner(row) for row in rows]


def save_owner(connection: Connection, owner: Owner) -> None:
    """Write what is known of a record over what was known before."""
    connection.execute(
        "INSERT OR REPLACE INTO owners (seq, text, namespace, source, visible) VALUES (?, ?, ?, ?, ?)", owner
    )


def delete_owner(connection: Connection, owner: Owner) -> None:
    """Forget a record, and with its last owner the text and every vector of it."""
    connection.execute("DELETE FROM owners WHERE seq = ?", (owner.seq,))
    if connection.execute("SELECT 1 FROM owners WHERE text = ?", (owner.text,)).fetchone() is None:
        kept = connection.execute(
            "SELECT s.slot, m.dimension FROM slots s JOIN models m ON m.id = s.model WHERE s.text = ?", (owner.text,)
        )
        for slot, dimension in kept.fetchall():
            blocks.erase(connection, slot, dimension)
        connection.execute("DELETE FROM slots WHERE text = ?", (owner.text,))
        connection.execute("DELETE FROM texts WHERE id = ?", (owner.text,))


# ---------------------------------------------------------------- the vectors


def is_embedded(connection: Connection, text: int, model: int) -> bool:
    """Tell whether a model has embedded a text, so that it is never embedded twice."""
    row = connection.execute("SELECT 1 FROM slots WHERE text = ? AND model = ?", (text, model)).fetchone()
    return row is not None


def keep_vectors(connection: Connection, table: VectorTable, texts: Sequence[int], vectors: FloatArray) -> None:
    """Store ``(n, d) float32`` vectors of texts that this model has not embedded before, by the number of the text."""
    places = blocks.store(connection, table.model, vectors)
    rows = [(text, table.model, slot) for text, slot in zip(texts, places, strict=True)]
    connection.executemany("INSERT INTO slots (text, model, slot) VALUES (?, ?, ?)", rows)


def vectors_by_seq(connection: Connection, seqs: Iterable[int], table: VectorTable) -> tuple[list[int], FloatArray]:
    """Read the vectors of visible records: those that have one, and the rows ``(n, d) float32`` in the same order."""
    rows = connection.execute(
        "SELECT o.seq, s.slot FROM json_each(?) asked JOIN owners o ON o.seq = asked.value "
        "JOIN slots s ON s.text = o.text AND s.model = ? WHERE o.visible",
        (json.dumps(list(seqs)), table.model),
    ).fetchall()
    return [seq for seq, _ in rows], blocks.load(connection, [slot for _, slot in rows], table.dimension)


# ---------------------------------------------------------------- what waits


def add_pending(connection: Connection, owner: Owner) -> None:
    """Let a record wait for its vector, with the priority of its source."""
    connection.execute(
        "INSERT OR IGNORE INTO pending (seq, text, source, priority, failed) SELECT ?, id, ?, "
        "coalesce((SELECT priority FROM sources WHERE id = ?), 0), attempts >= ? FROM texts WHERE id = ?",
        (owner.seq, owner.source, owner.source, ATTEMPT_LIMIT, owner.text),
    )


def rebuild_pending(connection: Connection, model: int) -> None:
    """Work out anew which records wait for a vector of this model, with fresh attempts."""
    connection.execute("UPDATE texts SET attempts = 0, reason = ''")
    connection.execute("DELETE FROM pending")
    connection.execute(
        "INSERT INTO pending (seq, text, source, priority, failed) "
        "SELECT o.seq, o.text, o.source, coalesce(c.priority, 0), 0 "
        "FROM owners o LEFT JOIN sources c ON c.id = o.source "
        "WHERE o.visible AND NOT EXISTS (SELECT 1 FROM slots s WHERE s.text = o.text AND s.model = ?)",
        (model,),
    )


def waiting(connection: Connection, limit: int) -> dict[str, int]:
    """Return up to ``limit`` distinct texts that wait, most wanted first: hash -> the record that wants it most."""
    found: dict[str, int] = {}
    rows = connection.execute(
        "SELECT p.seq, t.hash FROM pending p JOIN texts t ON t.id = p.text WHERE p.failed = 0 "
        "ORDER BY p.priority DESC, p.seq DESC"
    )
    # Records with the same text wait together; the cursor is stepped only until enough distinct texts are found.
    for seq, key in rows:
        if len(found) >= limit:
            break
        found.setdefault(key.hex(), seq)
    return found


def raise_priority(connection: Connection, source: int) -> None:
    """Move what waits of this source before everything else."""
    top = number_of(connection, "SELECT coalesce(max(priority), 0) + 1 FROM sources")
    connection.execute("UPDATE sources SET priority = ? WHERE id = ?", (top, source))
    connection.execute("UPDATE pending SET priority = ? WHERE source = ?", (top, source))


def note_failures(connection: Connection, reasons: Mapping[str, str]) -> None:
    """Count one failed attempt per text; after ``ATTEMPT_LIMIT`` its records no longer wait."""
    for text_hash, reason in reasons.items():
        key = bytes.fromhex(text_hash)
        connection.execute("UPDATE texts SET attempts = attempts + 1, reason = ? WHERE hash = ?", (reason, key))
        connection.execute(
            "UPDATE pending SET failed = 1 WHERE text = (SELECT id FROM texts WHERE hash = ? AND attempts >= ?)",
            (key, ATTEMPT_LIMIT),
        )


def _owner(row: Sequence[int]) -> Owner:
    seq, text, namespace, source, visible = row
    return Owner(seq, text, namespace, source, bool(visible))
