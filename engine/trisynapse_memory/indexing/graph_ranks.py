"""Rows of entities in, what idle work needs of them out: mentions to rank by, names to compare, and where to keep it.

Nothing is ranked or embedded here; ``scoring.importance`` and the pipelines do that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing.graph_tables import ABOUT, NAMED
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import RecordId

ACTIVE_COUNT: Final = 10_000  # entities compared with each other, the most important ones; engine.md B2
COMPARED_FROM: Final = 3  # visible mentions; a name that comes once or twice is not worth a merge
WINDOW_RECORDS: Final = 1_000  # log positions a window holds; engine.md B2 leaves it open, this is ours
RETENTION: Final = 0.5  # of activation per window without a touch; delta of engine.md B3
DORMANT_BELOW: Final = 0.01  # epsilon; engine.md B2
DORMANT_WINDOWS: Final = 10  # W: so many windows in a row below epsilon make an entity dormant; engine.md B2


class Mention(NamedTuple):
    """One visible mention: entity number, log position."""

    entity: int
    seq: int


class Twins(NamedTuple):
    """Two entities whose names mean nearly the same: a proposal to merge them, never done unasked."""

    first: str
    second: str
    cosine: float
    record_ids: tuple[RecordId, ...]


def mentions_between(connection: Connection, after: int, through: int) -> list[Mention]:
    """Return the distinct visible mentions of the records at these positions, in log order."""
    rows = connection.execute(
        "SELECT DISTINCT entity, seq FROM graph_mentions WHERE seq > ? AND seq <= ? AND visible = 1 ORDER BY seq",
        (after, through),
    )
    return [Mention(entity, seq) for entity, seq in rows]


def last_seq(connection: Connection) -> int:
    """Return the position of the newest record the graph holds."""
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM graph_records").get)


def entity_keys(connection: Connection) -> dict[int, str]:
    """Return the key of every entity by number."""
    return {int(entity): str(key) for entity, key in connection.execute("SELECT entity, key FROM graph_entities")}


def save_importance(connection: Connection, importance: Mapping[int, float]) -> None:
    """Keep the importance of these entities."""
    connection.executemany(
        "UPDATE graph_entities SET importance = ? WHERE entity = ? AND importance <> ?1",
        [(value, entity) for entity, value in importance.items()],
    )


def forget_unmentioned(connection: Connection) -> None:
    """Set the importance of entities to 0 that no visible record names or is about any more."""
    connection.execute(
        "UPDATE graph_entities SET importance = 0 WHERE importance > 0 AND NOT EXISTS"
        " (SELECT 1 FROM graph_mentions m WHERE m.entity = graph_entities.entity AND m.visible)"
    )


def importance_of(connection: Connection, keys: Sequence[str]) -> dict[str, float]:
    """Return the cached importance of these keys, scaled to [0, 1] by the largest; 0 for unknown ones."""
    sql = "SELECT coalesce(max(importance), 0) FROM graph_entities WHERE importance > 0"
    largest = float(connection.execute(sql).get)
    rows = connection.execute(
        "SELECT key, importance FROM graph_entities WHERE key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(keys)),),
    )
    found = {str(key): float(value) / largest for key, value in rows} if largest > 0 else {}
    return {key: found.get(key, 0.0) for key in keys}


def activity_of(connection: Connection, keys: Sequence[str], head: int) -> dict[str, float]:
    """Return how lately each entity was named, in [0, 1]; 0 for a dormant or unknown one.

    One mention makes it 1; every window of ``WINDOW_RECORDS`` log positions without one halves it, and after
    ``DORMANT_WINDOWS`` windows below ``DORMANT_BELOW`` it is dormant until it is named again. A prior for ranking:
    no evidence is lost by it.

    Source:
        engine.md 0.9, B2, B3.
    """
    found: dict[str, float] = {}
    for key in keys:
        last = connection.execute(
            "SELECT max((SELECT max(seq) FROM graph_mentions m WHERE m.entity = e.entity AND m.role = r.value"
            " AND m.namespace = n.id AND m.visible = 1))"
            " FROM graph_entities e, graph_namespaces n, json_each(?) r WHERE e.key = ?",
            (json.dumps([NAMED, ABOUT]), key),
        ).get
        found[key] = 0.0 if last is None else activation(head // WINDOW_RECORDS - int(last) // WINDOW_RECORDS)
    return found


def activation(idle_windows: int) -> float:
    """Return what is left of an activation of 1 after so many windows without a touch; 0 once dormant."""
    left = RETENTION ** max(idle_windows, 0)
    below = sum(RETENTION**window < DORMANT_BELOW for window in range(max(idle_windows, 0) + 1))
    return 0.0 if below >= DORMANT_WINDOWS else left


def unembedded(connection: Connection, model: str, limit: int) -> list[tuple[int, str]]:
    """Return (entity, key) of the most important entities whose name has no vector of this model yet.

    Only names with ``COMPARED_FROM`` visible mentions, and of these the ``ACTIVE_COUNT`` most important ones; a name
    has no importance before the graph is ranked.
    """
    rows = connection.execute(
        "SELECT entity, key FROM (SELECT entity, key, model FROM graph_entities"
        f" WHERE importance > 0 AND mention_count >= {COMPARED_FROM} ORDER BY importance DESC, key LIMIT ?)"
        " WHERE model <> ? LIMIT ?",
        (ACTIVE_COUNT, model, limit),
    )
    return [(int(entity), str(key)) for entity, key in rows]


def embedded(connection: Connection, model: str, dimension: int) -> tuple[list[tuple[int, str]], FloatArray]:
    """Return the entities that have a vector of this model, and the vectors ``(n, d)`` in the same order."""
    rows = connection.execute(
        "SELECT entity, key, vector FROM graph_entities WHERE model = ? AND model <> '' ORDER BY key", (model,)
    ).fetchall()
    joined = b"".join(vector for _, _, vector in rows)
    matrix = np.frombuffer(joined, np.float32).reshape(len(rows), dimension)
    return [(int(entity), str(key)) for entity, key, _ in rows], matrix


def save_names(connection: Connection, model: str, vectors: Mapping[int, FloatArray]) -> None:
    """Keep the vectors of names; pairs found with another model go."""
    for entity, vector in vectors.items():
        connection.execute(
            "UPDATE graph_entities SET model = ?, vector = ? WHERE entity = ?",
            (model, np.asarray(vector, np.float32).tobytes(), entity),
        )
        connection.execute("DELETE FROM graph_twins WHERE first = ?1 OR second = ?1", (entity,))


def save_twins(connection: Connection, pairs: Mapping[tuple[int, int], float]) -> None:
    """Keep pairs of entities (numbers, the smaller key first) with the cosine of their names."""
    connection.executemany(
        "INSERT OR REPLACE INTO graph_twins VALUES (?, ?, ?)",
        [(first, second, cosine) for (first, second), cosine in pairs.items()],
    )


def twins(connection: Connection, limit: int) -> tuple[Twins, ...]:
    """Return pairs of entities that visible records name often, the most alike first, with records that name them."""
    rows = connection.execute(
        "SELECT a.key, b.key, t.cosine, t.first, t.second FROM graph_twins t"
        " JOIN graph_entities a ON a.entity = t.first JOIN graph_entities b ON b.entity = t.second"
        f" WHERE a.mention_count >= {COMPARED_FROM} AND b.mention_count >= {COMPARED_FROM}"
        " ORDER BY t.cosine DESC, a.key, b.key LIMIT ?",
        (limit,),
    ).fetchall()
    return tuple(
        Twins(first, second, cosine, (*_evidence(connection, one), *_evidence(connection, other)))
        for first, second, cosine, one, other in rows
    )


def _evidence(connection: Connection, entity: int) -> tuple[RecordId, ...]:
    rows = connection.execute(
        "SELECT DISTINCT r.id FROM graph_mentions m JOIN graph_records r ON r.seq = m.seq"
        " WHERE m.entity = ? AND m.role = ? AND m.visible ORDER BY m.seq LIMIT 3",
        (entity, NAMED),
    )
    return tuple(RecordId(record_id) for (record_id,) in rows)
