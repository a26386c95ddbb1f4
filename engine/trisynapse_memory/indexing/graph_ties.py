"""Nodes of the record graph in, the ties out of all of them out, in a few statements; nothing is written here.

A node is a record, by its log position, or an entity, by its number as a negative one. Ties are those of
``graph_edges`` between passages: who follows, who is alike, who names what; facts are left out, for what they say of an
entity counts as named by their evidence. A walk or a spreading of activation asks for hundreds of nodes at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from trisynapse_memory.indexing import graph_links
from trisynapse_memory.indexing.graph_edges import (
    ABSTRACTION_WEIGHT,
    BACK_WEIGHT,
    FORWARD_WEIGHT,
    PRUNED_COUNT,
    Bounds,
    mention_weight,
    vertices,
)
from trisynapse_memory.indexing.graph_tables import NAMED
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Tie

# Visible mentions of an entity that ties records together; one that more of them write ties nothing (a speaker's own
# name in a chat), and one row a mention is read.
HUB_MENTIONS: Final = 30

_NAMING: Final = """
SELECT DISTINCT m.seq, m.entity, e.mention_count FROM json_each(?1) asked
JOIN graph_mentions m ON m.seq = asked.value JOIN graph_entities e ON e.entity = m.entity
WHERE m.role = ?2 AND m.visible = 1 AND e.mention_count BETWEEN 2 AND ?3
"""
_NAMED: Final = """
SELECT DISTINCT m.entity, m.seq FROM json_each(?1) asked CROSS JOIN json_each(?3) seen
JOIN graph_mentions m ON m.entity = asked.value AND m.role = ?2 AND m.namespace = seen.value AND m.visible = 1
"""
_ALIKE: Final = "SELECT s.src, s.dst, s.cosine FROM json_each(?) asked JOIN graph_similar s ON s.src = asked.value"
_ALIKE_BACK: Final = "SELECT src, cosine FROM graph_similar WHERE dst = ? ORDER BY cosine DESC, src LIMIT ?"


def ties_out(connection: Connection, nodes: Sequence[int], bounds: Bounds) -> tuple[Tie, ...]:
    """Return the ties out of these nodes to records inside the bounds, and to entities; none for an unknown node."""
    seqs = sorted(vertices(connection, [node for node in nodes if node > 0], bounds))
    entities = [-node for node in nodes if node < 0]
    found = [
        *_following(connection, seqs, bounds),
        *_alike(connection, seqs),
        *_naming(connection, seqs),
        *_named(connection, entities, bounds),
    ]
    ends = _searchable(connection, {tie.target for tie in found if tie.target > 0}, bounds)
    return tuple(tie for tie in found if tie.target < 0 or tie.target in ends)


def _following(connection: Connection, seqs: Sequence[int], bounds: Bounds) -> Iterator[Tie]:
    for seq, pair in graph_links.beside(connection, seqs, bounds).items():
        if pair.after is not None:
            yield Tie(seq, pair.after, FORWARD_WEIGHT)
        if pair.before is not None:
            yield Tie(seq, pair.before, BACK_WEIGHT)


def _alike(connection: Connection, seqs: Sequence[int]) -> Iterator[Tie]:
    for seq, other, cosine in connection.execute(_ALIKE, (json.dumps(seqs),)):
        yield Tie(seq, other, min(cosine, 1.0))
    for seq in seqs:
        for other, cosine in connection.execute(_ALIKE_BACK, (seq, PRUNED_COUNT)):
            yield Tie(seq, other, min(cosine, 1.0))


def _naming(connection: Connection, seqs: Sequence[int]) -> Iterator[Tie]:
    for seq, entity, count in connection.execute(_NAMING, (json.dumps(seqs), NAMED, HUB_MENTIONS)):
        yield Tie(seq, -entity, mention_weight(count))


def _named(connection: Connection, entities: Sequence[int], bounds: Bounds) -> Iterator[Tie]:
    seen = json.dumps(sorted(bounds.namespaces))
    for entity, seq in connection.execute(_NAMED, (json.dumps(entities), NAMED, seen)):
        yield Tie(-entity, seq, ABSTRACTION_WEIGHT)


def _searchable(connection: Connection, seqs: set[int], bounds: Bounds) -> set[int]:
    """Those of the records that are inside the bounds and that words lead to: what a search may show."""
    rows = connection.execute(
        "SELECT seq, namespace, source_id FROM graph_records WHERE visible = 1 AND is_searchable = 1 AND seq <= ?2"
        " AND seq IN (SELECT value FROM json_each(?1))",
        (json.dumps(sorted(seqs)), bounds.last_seq),
    )
    return {
        seq
        for seq, namespace, source_id in rows
        if namespace in bounds.namespaces and (bounds.sources is None or source_id in bounds.sources)
    }


def importance_at(connection: Connection, entities: Sequence[int]) -> dict[int, float]:
    """Return the cached importance of entities by number, scaled by the largest to [0, 1], where above 0."""
    largest = connection.execute("SELECT coalesce(max(importance), 0) FROM graph_entities WHERE importance > 0").get
    if not largest:
        return {}
    rows = connection.execute(
        "SELECT entity, importance FROM graph_entities WHERE entity IN (SELECT value FROM json_each(?))",
        (json.dumps(list(entities)),),
    )
    return {int(entity): float(value) / float(largest) for entity, value in rows if value > 0}
