"""A model or a file of an older version in, the models that answer and are wanted out. No vector is made here.

At most two models are live: the one that answers (serving) and, after a change, the one whose set is being built.
"""

from __future__ import annotations

from typing import Final

from trisynapse_memory.errors import InvalidSettingError, VaultFormatError
from trisynapse_memory.indexing import vector_tables as tables
from trisynapse_memory.indexing.vector_tables import VectorTable
from trisynapse_memory.sqlite import Connection

FORMAT: Final = 2  # raise it when the tables change their meaning; 1 kept vectors in rows of their own, and in vec0

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

    No vector is made again: each is moved.

    Raises:
        VaultFormatError: a newer version of the program wrote the file.
    """
    found = found_format(connection)
    connection.execute(tables.SCHEMA).fetchall()
    if found == 1:
        _move_rows(connection)
    tables.set_state(connection, "format", FORMAT)
    return found == 1


def _move_rows(connection: Connection) -> None:
    """Move the vectors of format 1 into blocks, drop the copies that sqlite-vec kept, and halve the hashes."""
    models = [VectorTable(*row) for row in connection.execute("SELECT id, dimension FROM models").fetchall()]
    for table in models:
        reached = 0
        while rows := connection.execute(
            "SELECT id, text, vector FROM embeddings WHERE model = ? AND id > ? ORDER BY id LIMIT ?",
            (table.model, reached, _MOVED_ROWS),
        ).fetchall():
            tables.keep_vectors(connection, table, {text: vector for _, text, vector in rows})
            reached = rows[-1][0]
        connection.execute(f"DROP TABLE IF EXISTS vectors_{table.model}")
    connection.execute("DROP TABLE embeddings")
    connection.execute("UPDATE texts SET hash = unhex(hash)")


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
    """Let the wanted model answer once nothing waits for it; the old model's vectors stay in the cache."""
    serving = serving_table(connection)
    if serving == target or tables.number_of(connection, "SELECT EXISTS (SELECT 1 FROM pending WHERE failed = 0)"):
        return False
    tables.set_state(connection, "serving", target.model)
    tables.set_state(connection, "vector_count", target.row_count(connection))
    return True


def serving_table(connection: Connection) -> VectorTable:
    """Return the table that answers questions now."""
    row = connection.execute(
        "SELECT id, dimension FROM models WHERE id = (SELECT value FROM state WHERE name = 'serving')"
    ).fetchone()
    assert row is not None  # set by the constructor
    return VectorTable(*row)
