"""A vector and a scope in, records with their cosines out, straight from ``vectors.db``. Nothing is written here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import BadEmbeddingError
from trisynapse_memory.indexing import vector_tables as tables
from trisynapse_memory.indexing.vector_tables import VectorTable
from trisynapse_memory.sqlite import Connection, SqlValue
from trisynapse_memory.types import Scope

SCAN_LIMIT: Final = 4096  # the most neighbours vec0 0.1.9 returns

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


def scan(connection: Connection, table: VectorTable, query: FloatArray, bounds: Bounds, limit: int) -> dict[int, float]:
    """Compare every vector in bounds; ask for more while records beyond the cut tie with the last one inside."""
    filters, values = _filters(bounds)
    sql = f"SELECT seq, namespace, distance FROM {table.name} WHERE embedding MATCH ? AND k = ?{filters}"
    asked = min(limit + 1, SCAN_LIMIT)
    while True:
        rows = connection.execute(sql, (query.tobytes(), asked, *values)).fetchall()
        if asked == SCAN_LIMIT or not _ties_beyond(rows, limit, asked):
            return {seq: max(-1.0, min(1.0, 1.0 - distance)) for seq, _, distance in rows}
        asked = min(asked * 2, SCAN_LIMIT)


def _filters(bounds: Bounds) -> tuple[str, list[SqlValue]]:
    sql, values = "", list[SqlValue]()
    for column, numbers in (("namespace", bounds.namespaces), ("source", bounds.sources)):
        if numbers is not None:
            sql += f" AND {column} IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(numbers))
    if bounds.as_of_seq is not None:
        sql += " AND position <= ?"
        values.append(bounds.as_of_seq)
    return sql, values


def _ties_beyond(rows: Sequence[tuple[int, int, float]], limit: int, asked: int) -> bool:
    """Tell whether a partition was cut inside a run of equal distances that reaches the overall cut."""
    if len(rows) <= limit:
        return False
    cut = sorted(distance for _, _, distance in rows)[limit - 1]
    counts: dict[int, int] = {}
    lasts: dict[int, float] = {}
    for _, namespace, distance in rows:
        counts[namespace] = counts.get(namespace, 0) + 1
        lasts[namespace] = max(distance, lasts.get(namespace, distance))
    # Without a namespace filter the rows of all partitions were cut together.
    if len(rows) == asked:
        return max(lasts.values()) <= cut
    return any(count == asked and lasts[namespace] <= cut for namespace, count in counts.items())


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
