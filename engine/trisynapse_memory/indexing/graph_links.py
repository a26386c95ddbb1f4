"""Records in, what stands beside them or is named by them out, read from the graph's rows; nothing is written here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from trisynapse_memory.indexing.graph_edges import Bounds, vertices
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Beside, TitleLink

# One statement for all: a round trip for each record took three times as long. The index of groups leaves out those
# that are a source, so each kind is looked up by its own index.
_ENDS: Final = """
SELECT r.seq, (SELECT max(b.seq) FROM graph_records b WHERE {same} AND b.seq < r.seq),
    (SELECT min(b.seq) FROM graph_records b WHERE {same} AND b.seq > r.seq)
FROM json_each(?1) asked JOIN graph_records r ON r.seq = asked.value WHERE {kind}
"""
_ALIKE: Final = " AND b.namespace = r.namespace AND b.is_fact = 0 AND b.visible = 1"
_IN_SOURCE: Final = _ENDS.format(
    same="b.source_id = r.source_id AND b.group_id = b.source_id" + _ALIKE, kind="r.group_id = r.source_id"
)
_IN_GROUP: Final = _ENDS.format(
    same="b.group_id = r.group_id AND b.group_id <> b.source_id" + _ALIKE, kind="r.group_id <> r.source_id"
)


def beside(connection: Connection, seqs: Sequence[int], bounds: Bounds) -> dict[int, Beside]:
    """Return the visible records before and after each of these in the same group; facts stand beside nothing.

    In the group of a source only its own records count, and not what else was put into it.
    """
    starts = vertices(connection, seqs, bounds)
    asked = json.dumps([seq for seq, one in starts.items() if one.group_id and not one.is_fact])
    ends = {row[0]: row[1:] for sql in (_IN_SOURCE, _IN_GROUP) for row in connection.execute(sql, (asked,))}
    wanted = {seq for pair in ends.values() for seq in pair if seq is not None}
    seen = set(vertices(connection, sorted(wanted), bounds))
    return {
        seq: Beside(*(one if one in seen else None for one in pair)) for seq, pair in ends.items() if seen & {*pair}
    }


def in_scope(connection: Connection, links: Sequence[TitleLink], bounds: Bounds) -> tuple[TitleLink, ...]:
    """Leave out what a text says of its own source, and sources that the bounds hide."""
    own = {seq: one.source_id for seq, one in vertices(connection, [link.seq for link in links], bounds).items()}
    seen = entrances(connection, sorted({link.source_id for link in links}), bounds, ())
    return tuple(link for link in links if link.source_id in seen and own.get(link.seq) != link.source_id)


def entrances(
    connection: Connection, source_ids: Sequence[str], bounds: Bounds, known: Sequence[int]
) -> dict[str, tuple[int, ...]]:
    """Return for each source its first record that words lead to, and those of the known ones that belong to it."""
    inside = " AND visible = 1 AND is_fact = 0 AND is_searchable = 1 AND seq <= ?2"
    inside += " AND namespace IN (SELECT value FROM json_each(?3))"
    limits = (bounds.last_seq, json.dumps(sorted(bounds.namespaces)))
    allowed = [one for one in source_ids if bounds.sources is None or one in bounds.sources]
    found: dict[str, tuple[int, ...]] = {}
    for source_id in allowed:
        first = connection.execute(
            f"SELECT seq FROM graph_records WHERE source_id = ?1{inside} ORDER BY seq LIMIT 1", (source_id, *limits)
        ).fetchone()
        if first is not None:
            found[source_id] = (first[0],)
    rows = connection.execute(
        f"SELECT source_id, seq FROM graph_records WHERE seq IN (SELECT value FROM json_each(?1)){inside}",
        (json.dumps(list(known)), *limits),
    )
    for source_id, seq in rows:
        if source_id in found and seq not in found[source_id]:
            found[source_id] = (*found[source_id], seq)
    return found
