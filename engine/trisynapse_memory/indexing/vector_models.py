"""A model in, the tables of the models that answer and are wanted out. No vector is made here.

At most two models are live: the one that answers (serving) and, after a change, the one whose set is being built.
"""

from __future__ import annotations

from typing import Final

from trisynapse_memory.errors import InvalidSettingError, VaultFormatError
from trisynapse_memory.indexing import vector_tables as tables
from trisynapse_memory.indexing.vector_tables import VectorTable
from trisynapse_memory.sqlite import Connection

FORMAT: Final = 1  # raise it when the tables change their meaning


def check_format(connection: Connection) -> None:
    """Note the form of the tables in a new file, and refuse a file of a later one.

    Raises:
        VaultFormatError: a newer version of the program wrote the file.
    """
    found = tables.state_of(connection, "format")
    if found > FORMAT:
        raise VaultFormatError(
            f"'vectors.db' has format {found}; this version reads up to {FORMAT}.",
            hint="Update the program, or delete the file: it is then built again, which takes a while.",
        )
    tables.set_state(connection, "format", FORMAT)


def adopt(connection: Connection, model_id: str, dimension: int) -> VectorTable:
    """Make this model the wanted one; whatever of its vectors is cached is in place afterwards."""
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
    serving = tables.state_of(connection, "serving")
    if before not in (0, serving):
        VectorTable(before, 0).destroy(connection)
    target.create(connection)
    target.fill(connection)
    tables.rebuild_pending(connection, target.model)
    tables.set_state(connection, "target", target.model)
    tables.set_state(connection, "revision", tables.state_of(connection, "revision") + 1)
    if target.model == serving:
        tables.set_state(connection, "vector_count", target.row_count(connection))
    switch_if_whole(connection, target)
    return target


def switch_if_whole(connection: Connection, target: VectorTable) -> bool:
    """Let the wanted model answer once nothing waits for it; the old model's vectors stay in the cache."""
    serving = serving_table(connection)
    if serving == target or tables.number_of(connection, "SELECT EXISTS (SELECT 1 FROM pending WHERE failed = 0)"):
        return False
    serving.destroy(connection)
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
