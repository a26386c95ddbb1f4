"""A vector and a scope in, records with their cosines out, straight from ``vectors.db``. Nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import BadEmbeddingError
from trisynapse_memory.indexing import vector_blocks as blocks
from trisynapse_memory.indexing import vector_tables as tables
from trisynapse_memory.indexing.vector_tables import VectorTable
from trisynapse_memory.indexing.vector_view import IntArray
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Scope

_TINY: Final = 1e-12  # keeps a zero vector from dividing by zero


class Bounds(NamedTuple):
    """A scope in this index's own numbers; None is no bound."""

    namespaces: tuple[int, ...] | None
    sources: tuple[int, ...] | None
    as_of_seq: int | None


def bounds_of(connection: Connection, scope: Scope) -> Bounds | None:
    """Translate a scope; None when nothing can be in it."""
    known = tables.namespace_ids(connection)
    seen = tuple(number for namespace, number in known.items() if scope.namespace.sees(namespace))
    if not seen:
        return None
    sources = None
    if scope.source_ids is not None:
        sources = tuple(tables.source_numbers(connection, scope.source_ids))
        if not sources:
            return None
    return Bounds(None if len(seen) == len(known) else seen, sources, scope.as_of_seq)


def foremost(connection: Connection, query: FloatArray, seqs: IntArray, slots: IntArray, limit: int) -> list[int]:
    """Compare every one of these records, and return all that may be among the nearest ``limit``.

    Args:
        connection: reads the state of the file that the slots belong to.
        query: ``(d,) float32``.
        seqs: ``(n,)``, the records.
        slots: ``(n,)``, the places of their vectors.
        limit: how many are wanted.

    Returns:
        The nearest ones and those that are too close to the cut to be told apart in single precision.
    """
    if len(seqs) <= limit:
        return [int(seq) for seq in seqs]
    scores = blocks.products(connection, slots, query)
    cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    # Twice the most that a sum of d products of unit vectors is wrong by: Higham, Accuracy and Stability of Numerical
    # Algorithms, 3.1. The query need not be a unit vector.
    margin = 2.0 * len(query) * float(np.finfo(np.float32).eps) * float(np.linalg.norm(query))
    return [int(seq) for seq in seqs[scores >= cut - margin]]


def cosines(connection: Connection, table: VectorTable, query: FloatArray, seqs: Sequence[int]) -> dict[int, float]:
    """Compare exactly with the vectors of these records, as far as they are visible and embedded."""
    found, matrix = tables.vectors_by_seq(connection, seqs, table)
    # In double, then rounded: BLAS adds some rows in another order, and the same passage found twice must tie.
    wide = query.astype(np.float64)
    ratios = (matrix.astype(np.float64) @ wide / max(float(np.linalg.norm(wide)), _TINY)).astype(np.float32)
    return dict(zip(found, map(float, np.clip(ratios, -1.0, 1.0)), strict=True))


def checked(vector: FloatArray, dimension: int) -> FloatArray:
    """Refuse a vector that cannot be compared with this index's.

    Raises:
        BadEmbeddingError: it has another number of dimensions, or is not finite.
    """
    query = np.ascontiguousarray(vector, dtype=np.float32)
    if query.shape != (dimension,) or not np.isfinite(query).all():
        raise BadEmbeddingError(
            f"A vector of shape {vector.shape} was given; this vault has {dimension} dimensions.",
            hint="Questions and records must be embedded by the same model.",
        )
    return query
