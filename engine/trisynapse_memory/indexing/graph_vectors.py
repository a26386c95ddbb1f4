"""Positions of records in, the vectors they are found by out (``vectors.db``); nothing is embedded or searched here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing import vector_tables as tables
from trisynapse_memory.indexing.vector_models import serving_table
from trisynapse_memory.sqlite import Database


class StoredVectors:
    """The vectors that answer now, by record.

    Args:
        database: ``vectors.db``, with a ``VectorIndex`` open on it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, seqs: Sequence[int]) -> dict[int, FloatArray]:
        """Return the ``(d,) float32`` unit vector of each of these records that is visible and embedded."""
        with self._database.read() as connection:
            found, matrix = tables.vectors_by_seq(connection, seqs, serving_table(connection))
        return {seq: np.asarray(row, np.float32) for seq, row in zip(found, matrix, strict=True)}

    def awaits(self, seq: int) -> bool:
        """Tell whether a record without a vector may still get one: unknown yet, or in the queue and not failed."""
        with self._database.read() as connection:
            owner = tables.owner_of(connection, seq)
            if owner is None or not owner.visible:
                return True
            return tables.number_of(connection, "SELECT count(*) FROM pending WHERE seq = ? AND failed = 0", (seq,)) > 0
