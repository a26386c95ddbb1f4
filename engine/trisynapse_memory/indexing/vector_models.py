"""A model or a file of an older version in, the models that answer and are wanted out. No vector is made here.

At most two models are live: the one that answers (serving) and, after a change, the one whose set is being built.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import InvalidSettingError, VaultFormatError
from trisynapse_memory.indexing import vector_tables as tables
from trisynapse_memory.indexing.vector_tables import VectorTable
from trisynapse_memory.sqlite import Connection

FORMAT: Final = 3
"""Raised when the tables change their meaning. 1: vectors in rows of their own, and vec0. 2: float32, 8 to a block."""

_MOVED_ROWS: Final = 1024  # at a time


def found_format(connection: Connection) -> int:
    """Return the format of a file, 0 for a new one.

    Raises:
        VaultFormatError: a newer version of the program wrote the file.
    """
    if not tables.number_of(connection, "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'state')"):
        return 0
    found = tables.state_of(connection, "format")
    if found > FORMAT:
        raise VaultFormatError(
            f"'vectors.db' has format {found}; this version reads up to {FORMAT}.",
            hint="Update the program, or delete the file: it is then built again, which takes a while.",
        )
    return found


def prepare(connection: Connection) -> bool:
    """Make the tables, and lay out anew what an older version wrote; tell whether that left free space in the file.

    No vector is made again: each is moved, and from float32 to a byte per dimension.

    Raises:
        VaultFormatError: a newer version of the program wrote the file.
    """
    found = found_format(connection)
    if found == 2:
        aside = "ALTER TABLE blocks RENAME TO blocks_2; ALTER TABLE slots RENAME TO slots_2; DROP TABLE gaps;"
        connection.execute(aside).fetchall()
    connection.execute(tables.SCHEMA).fetchall()
    match found:
        case 1:
            _move_rows(connection)
        case 2:
            _move_blocks(connection)
        case _:
            pass
    tables.set_state(connection, "format", FORMAT)
    return found in (1, 2)


def _move_rows(connection: Connection) -> None:
    """Move the vectors of format 1 into blocks, drop the copies that sqlite-vec kept, and halve the hashes."""
    for table in _models(connection):
        _move(
            connection, table, "SELECT text, vector FROM embeddings WHERE model = ? AND text > ? ORDER BY text LIMIT ?"
        )
        connection.execute(f"DROP TABLE IF EXISTS vectors_{table.model}")
    connection.execute("DROP TABLE embeddings")
    connection.execute("UPDATE texts SET hash = unhex(hash)")


def _move_blocks(connection: Connection) -> None:
    """Move the vectors of format 2 out of its blocks, which held 8 of them, 4 bytes a dimension."""
    for table in _models(connection):
        width = 4 * table.dimension
        vector = f"substr(b.vectors, s.slot % 8 * {width} + 1, {width})"
        tied = "slots_2 s JOIN blocks_2 b ON b.id = s.slot / 8"
        sql = f"SELECT s.text, {vector} FROM {tied} WHERE s.model = ? AND s.text > ? ORDER BY s.text LIMIT ?"
        _move(connection, table, sql)
    connection.execute("DROP TABLE slots_2; DROP TABLE blocks_2").fetchall()


def _models(connection: Connection) -> list[VectorTable]:
    return [VectorTable(*row) for row in connection.execute("SELECT id, dimension FROM models").fetchall()]


def _move(connection: Connection, table: VectorTable, sql: str) -> None:
    """Keep every vector that a statement gives: by model, last text and limit, the next texts with their float32."""
    reached = 0
    while rows := connection.execute(sql, (table.model, reached, _MOVED_ROWS)).fetchall():
        vectors: FloatArray = np.frombuffer(b"".join(row[1] for row in rows), np.float32)
        tables.keep_vectors(connection, table, [row[0] for row in rows], vectors.reshape(len(rows), -1))
        reached = rows[-1][0]


def begin(connection: Connection, model_id: str, dimension: int) -> None:
    """Make this the model of a new file; a file that has one keeps it until another one is adopted."""
    if tables.state_of(connection, "target") == 0:
        adopt(connection, model_id, dimension)


def adopt(connection: Connection, model_id: str, dimension: int) -> VectorTable:
    """Make this model the wanted one; what it has embedded before is found at once when it answers."""
    target = tables.model_table(connection, model_id, dimension)
    if target.dimension != dimension:
        raise InvalidSettingError(
            f"The model '{model_id}' has {target.dimension} dimensions in this vault, not {dimension}.",
            hint="Give the changed model a name of its own.",
        )
    if tables.state_of(connection, "serving") == 0:
        tables.set_state(connection, "serving", target.model)
    before = tables.state_of(connection, "target")
    if before == target.model:
        return target
    tables.rebuild_pending(connection, target.model)
    tables.set_state(connection, "target", target.model)
    tables.set_state(connection, "revision", tables.state_of(connection, "revision") + 1)
    if target.model == tables.state_of(connection, "serving"):
        tables.set_state(connection, "vector_count", target.row_count(connection))
    switch_if_whole(connection, target)
    return target


def switch_if_whole(connection: Connection, target: VectorTable) -> bool:
    """Let the wanted model answer once nothing waits for it; the old model's vectors stay in the cache.

    Not where it failed for most of the texts: a model that fails everywhere must not replace one that answers.
    """
    serving = serving_table(connection)
    if serving == target or tables.number_of(connection, "SELECT EXISTS (SELECT 1 FROM pending WHERE failed = 0)"):
        return False
    count = target.row_count(connection)
    left = tables.number_of(connection, "SELECT count(*) FROM pending")
    failed = tables.number_of(connection, "SELECT count(*) FROM pending WHERE failed = ?", (tables.FAILED,))
    if left and count <= failed:
        return False
    tables.set_state(connection, "serving", target.model)
    tables.set_state(connection, "vector_count", count)
    return True


def target_table(connection: Connection) -> VectorTable:
    """Return the table of the model whose vectors are wanted."""
    return _table_named(connection, "target")


def serving_table(connection: Connection) -> VectorTable:
    """Return the table that answers questions now."""
    return _table_named(connection, "serving")


def _table_named(connection: Connection, state: str) -> VectorTable:
    row = connection.execute(
        "SELECT id, dimension FROM models WHERE id = (SELECT value FROM state WHERE name = ?)", (state,)
    ).fetchone()
    assert row is not None  # set by the constructor of the index
    return VectorTable(*row)
