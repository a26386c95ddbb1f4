"""A chosen model in, the state of ``vectors.db`` changed: whose vectors are wanted, who made them, what is held back.

No vector is made or read here. The index itself (``indexes/vector.py``) lets the wanted model answer once its set is
whole; until then the old one does (case R35).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from trisynapse_memory.indexing import vector_tables as tables
from trisynapse_memory.indexing.vector_models import adopt, serving_table, target_table
from trisynapse_memory.indexing.vector_tables import FAILED, HELD, WAITS, VectorTable
from trisynapse_memory.sqlite import Connection, Database

ORIGINS_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS origins (
    model INTEGER PRIMARY KEY, service TEXT NOT NULL, name TEXT NOT NULL
);
"""

_KNOWN: Final = (
    "SELECT m.name, m.dimension, coalesce(o.service, ''), coalesce(o.name, '') "
    "FROM models m LEFT JOIN origins o ON o.model = m.id WHERE "
)


class KnownModel(NamedTuple):
    """A model that has, or is to have, vectors in this vault: its id and length, and where it is found.

    ``service`` and ``name`` are what she chose; empty where the file does not say (an older version wrote it).
    """

    model_id: str
    dimension: int
    service: str = ""
    name: str = ""


class VectorModels:
    """The models of one ``vectors.db``, beside its index; the index must have been opened first.

    Only the thread that embeds may ``adopt``: vectors that are on their way would be taken for the new model's.

    Args:
        database: ``vectors.db``.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        with database.write() as connection:
            connection.execute(ORIGINS_SCHEMA).fetchall()

    def target(self) -> KnownModel:
        """Return the model whose vectors are wanted."""
        with self._database.read() as connection:
            return _known(connection, target_table(connection))

    def serving(self) -> KnownModel:
        """Return the model whose vectors answer now."""
        with self._database.read() as connection:
            return _known(connection, serving_table(connection))

    def dimension_of(self, model_id: str) -> int:
        """Return how long the vectors of a model are; 0 where it was never used here."""
        with self._database.read() as connection:
            return tables.number_of(connection, "SELECT dimension FROM models WHERE name = ?", (model_id,))

    def adopt(self, model: KnownModel) -> None:
        """Want this model's vectors from now on. It answers at once if none is missing, else when none is any more.

        Raises:
            InvalidSettingError: it is known with another number of dimensions.
        """
        with self._database.write() as connection:
            table = adopt(connection, model.model_id, model.dimension)
            connection.execute(
                "INSERT OR REPLACE INTO origins (model, service, name) VALUES (?, ?, ?)",
                (table.model, model.service, model.name),
            )

    def missing_count(self, model_id: str) -> int:
        """Return how many visible records have no vector of a model."""
        sql = (
            "SELECT count(*) FROM owners o WHERE o.visible AND NOT EXISTS (SELECT 1 FROM slots s "
            "WHERE s.text = o.text AND s.model = (SELECT id FROM models WHERE name = ?))"
        )
        with self._database.read() as connection:
            return tables.number_of(connection, sql, (model_id,))

    # ------------------------------------------------------------ what must not be sent

    def owners_of(self, text_hashes: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """Return every record that has one of these texts, also those that answers may not see."""
        sql = "SELECT o.seq FROM texts t JOIN owners o ON o.text = t.id WHERE t.hash = ? ORDER BY o.seq"
        with self._database.read() as connection:
            return {
                text_hash: tuple(seq for (seq,) in connection.execute(sql, (bytes.fromhex(text_hash),)))
                for text_hash in text_hashes
            }

    def hold(self, text_hashes: Iterable[str], reason: str) -> None:
        """Let texts wait no longer without embedding them: the wanted model must not be sent them."""
        keys = [bytes.fromhex(text_hash) for text_hash in text_hashes]
        chosen = "(SELECT id FROM texts WHERE hash = ?)"
        with self._database.write() as connection:
            connection.executemany("UPDATE texts SET reason = ? WHERE hash = ?", [(reason, key) for key in keys])
            connection.executemany(
                f"UPDATE pending SET failed = ? WHERE text = {chosen}", [(HELD, key) for key in keys]
            )

    def release(self) -> int:
        """Let everything that is held back wait again, to be looked at anew; return how many records that are."""
        with self._database.write() as connection:
            count = _count(connection, HELD)
            connection.execute("UPDATE pending SET failed = ? WHERE failed = ?", (WAITS, HELD))
            return count

    def held_count(self) -> int:
        """Return how many records the wanted model must not be sent."""
        with self._database.read() as connection:
            return _count(connection, HELD)

    def failed_count(self) -> int:
        """Return how many records the wanted model could not embed."""
        with self._database.read() as connection:
            return _count(connection, FAILED)


def _known(connection: Connection, table: VectorTable) -> KnownModel:
    row = connection.execute(f"{_KNOWN} m.id = ?", (table.model,)).fetchone()
    assert row is not None  # the table was found by this number
    return KnownModel(*row)


def _count(connection: Connection, state: int) -> int:
    return tables.number_of(connection, "SELECT count(*) FROM pending WHERE failed = ?", (state,))
