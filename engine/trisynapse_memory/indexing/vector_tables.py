"""A connection to ``vectors.db`` in, its rows changed: SQL of the vector index. No text is kept, no vector made.

texts 1 - n owners        a record (seq) owns the hash of its indexed text, in a namespace and a source
texts 1 - n embeddings    the cache: one vector per text and model, kept until its last owner is dropped
owners 1 - 1 vec0 row     per live model, exactly for visible owners whose vector is cached
owners 1 - 1 pending      exactly for visible owners whose vector for the wanted model is not cached
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.sqlite import Connection, SqlValue
from trisynapse_memory.types import Namespace, indexed_text

ATTEMPT_LIMIT: Final = 3  # tries before a text counts as failed (case R37); its words still find it

# 128 rows: a namespace takes at least one chunk (196 KB at 384 dimensions), and chats make a namespace each. At 10,000
# vectors 128, 256 and 1,024 (the default) scan equally fast (13 ms).
_CHUNK_ROWS: Final = 128

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS namespaces (
    id INTEGER PRIMARY KEY, user_id TEXT, agent_id TEXT, project_id TEXT, session_id TEXT
);
CREATE TABLE IF NOT EXISTS sources (
    id INTEGER PRIMARY KEY, source_id TEXT NOT NULL UNIQUE, priority INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS texts (
    id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE,
    attempts INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS embeddings (
    id INTEGER PRIMARY KEY, text INTEGER NOT NULL, model INTEGER NOT NULL, vector BLOB NOT NULL, UNIQUE (text, model)
);
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
    """The vec0 table of one model; at most two are live, while a new model's set is being built."""

    model: int
    dimension: int

    @property
    def name(self) -> str:
        """The table's name in SQL."""
        return f"vectors_{self.model}"

    def create(self, connection: Connection) -> None:
        """Make the table if it is missing."""
        # position repeats seq: vec0 filters on metadata before the cut, but on its primary key after it.
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {self.name} USING vec0("
            f"seq INTEGER PRIMARY KEY, namespace INTEGER PARTITION KEY, source INTEGER, position INTEGER, "
            f"embedding FLOAT[{self.dimension}] distance_metric=cosine, chunk_size={_CHUNK_ROWS})"
        )

    def destroy(self, connection: Connection) -> None:
        """Drop the table; the cache keeps the vectors."""
        connection.execute(f"DROP TABLE IF EXISTS {self.name}")

    def insert(self, connection: Connection, owner: Owner, vector: bytes) -> None:
        """Let the record be found by its vector."""
        connection.execute(
            f"INSERT INTO {self.name} (seq, namespace, source, position, embedding) VALUES (?, ?, ?, ?, ?)",
            (owner.seq, owner.namespace, owner.source, owner.seq, vector),
        )

    def erase(self, connection: Connection, seq: int) -> bool:
        """Take the record's row out; tell whether there was one.

        vec0 0.1.9 blanks the bytes of a deleted vector; a test looks for them: a text can be guessed from its vector.
        """
        if connection.execute(f"SELECT 1 FROM {self.name}_rowids WHERE rowid = ?", (seq,)).fetchone() is None:
            return False
        connection.execute(f"DELETE FROM {self.name} WHERE seq = ?", (seq,))
        return True

    def fill(self, connection: Connection) -> None:
        """Insert every visible owner whose vector is cached and who has no row yet."""
        connection.execute(
            f"INSERT INTO {self.name} (seq, namespace, source, position, embedding) "
            "SELECT o.seq, o.namespace, o.source, o.seq, e.vector FROM owners o "
            "JOIN embeddings e ON e.text = o.text AND e.model = ? "
            f"WHERE o.visible AND o.seq NOT IN (SELECT rowid FROM {self.name}_rowids) ORDER BY o.seq",
            (self.model,),
        )

    def row_count(self, connection: Connection) -> int:
        """Count the rows."""
        return number_of(connection, f"SELECT count(*) FROM {self.name}_rowids")


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
    if add:
        connection.execute("INSERT OR IGNORE INTO texts (hash) VALUES (?)", (text_hash,))
    row = connection.execute("SELECT id FROM texts WHERE hash = ?", (text_hash,)).fetchone()
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
        connection.execute("DELETE FROM embeddings WHERE text = ?", (owner.text,))
        connection.execute("DELETE FROM texts WHERE id = ?", (owner.text,))


# ---------------------------------------------------------------- the cache


def cached_vector(connection: Connection, text: int, model: int) -> bytes | None:
    """Return the vector of a text by one model, if it was ever computed."""
    row = connection.execute("SELECT vector FROM embeddings WHERE text = ? AND model = ?", (text, model)).fetchone()
    return None if row is None else row[0]


def cache_vector(connection: Connection, text: int, model: int, vector: bytes) -> None:
    """Keep a vector, so that this text is never embedded twice by this model."""
    connection.execute("INSERT INTO embeddings (text, model, vector) VALUES (?, ?, ?)", (text, model, vector))


def vectors_by_seq(connection: Connection, seqs: Iterable[int], table: VectorTable) -> tuple[list[int], FloatArray]:
    """Read the vectors of visible records: those that have one, and the rows ``(n, d) float32`` in the same order."""
    rows = connection.execute(
        "SELECT o.seq, e.vector FROM json_each(?) asked JOIN owners o ON o.seq = asked.value "
        "JOIN embeddings e ON e.text = o.text AND e.model = ? WHERE o.visible",
        (json.dumps(list(seqs)), table.model),
    ).fetchall()
    joined = b"".join(vector for _, vector in rows)
    return [seq for seq, _ in rows], np.frombuffer(joined, dtype=np.float32).reshape(len(rows), table.dimension)


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
        "SELECT o.seq, o.text, o.source, coalesce(s.priority, 0), 0 "
        "FROM owners o LEFT JOIN sources s ON s.id = o.source "
        "WHERE o.visible AND NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.text = o.text AND e.model = ?)",
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
    for seq, text_hash in rows:
        if len(found) >= limit:
            break
        found.setdefault(text_hash, seq)
    return found


def raise_priority(connection: Connection, source: int) -> None:
    """Move what waits of this source before everything else."""
    top = number_of(connection, "SELECT coalesce(max(priority), 0) + 1 FROM sources")
    connection.execute("UPDATE sources SET priority = ? WHERE id = ?", (top, source))
    connection.execute("UPDATE pending SET priority = ? WHERE source = ?", (top, source))


def note_failures(connection: Connection, reasons: Mapping[str, str]) -> None:
    """Count one failed attempt per text; after ``ATTEMPT_LIMIT`` its records no longer wait."""
    for text_hash, reason in reasons.items():
        connection.execute("UPDATE texts SET attempts = attempts + 1, reason = ? WHERE hash = ?", (reason, text_hash))
        connection.execute(
            "UPDATE pending SET failed = 1 WHERE text = (SELECT id FROM texts WHERE hash = ? AND attempts >= ?)",
            (text_hash, ATTEMPT_LIMIT),
        )


def _owner(row: Sequence[int]) -> Owner:
    seq, text, namespace, source, visible = row
    return Owner(seq, text, namespace, source, bool(visible))
