"""Records in, the edges out of them, read from the graph's rows; nothing is written and no record is fetched.

Kinds and weights (docs/formulas.md, "Record graph"). Every kind is a function of the visible records alone:

- followed_by: the next and the previous visible record of the same group and namespace; evidence only, no facts.
- about_same_entity: per entity, the six visible records before and the six after that are about it, same namespace.
- similar_to: at most five earlier records; and back, to the 15 most similar of those that chose this one.
- evidence: a fact and what it rests on. mention: an entity it names. citation: a source whose title an entry holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import log
from typing import Final, NamedTuple

from trisynapse_memory.indexing import graph_tables as tables
from trisynapse_memory.indexing.graph_tables import ABOUT, NAMED
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Edge, RecordId, Scope

FORWARD_WEIGHT: Final = 1.0  # followed_by; engine.md A4 step 4
BACK_WEIGHT: Final = 0.8
ENTITY_WEIGHT: Final = 0.92  # about_same_entity; engine.md A4 step 5
ENTITY_NEIGHBOURS: Final = 6  # on either side; engine.md A4 step 5
EVIDENCE_WEIGHT: Final = 1.0  # from a fact to its evidence
ABSTRACTION_WEIGHT: Final = 0.8  # engine.md B1: evidence to fact, and record to entity
CITATION_WEIGHT: Final = 0.8
PRUNED_COUNT: Final = 15  # strongest edges into one node, per kind; engine.md B2

_LAST: Final = 2**62
_ORDER: Final = {
    kind: place
    for place, kind in enumerate(
        ("followed_by", "about_same_entity", "evidence", "similar_to", "citation", "mention"), start=1
    )
}


class Vertex(NamedTuple):
    """A visible record as the graph knows it."""

    seq: int
    record_id: RecordId
    is_fact: bool
    namespace: int
    group_id: str
    source_id: str


class Bounds(NamedTuple):
    """A scope in the graph's own numbers; None means no limit."""

    namespaces: frozenset[int]
    sources: frozenset[str] | None
    last_seq: int

    def holds(self, vertex: Vertex) -> bool:
        """Tell whether a reader with this scope may see a record."""
        return (
            vertex.namespace in self.namespaces
            and vertex.seq <= self.last_seq
            and (self.sources is None or vertex.source_id in self.sources)
        )


def bounds_of(connection: Connection, scope: Scope) -> Bounds:
    """Translate a scope."""
    known = tables.namespaces(connection).items()
    return Bounds(
        namespaces=frozenset(number for number, namespace in known if scope.namespace.sees(namespace)),
        sources=None if scope.source_ids is None else frozenset(map(str, scope.source_ids)),
        last_seq=_LAST if scope.as_of_seq is None else scope.as_of_seq,
    )


def vertices(connection: Connection, seqs: Sequence[int], bounds: Bounds) -> dict[int, Vertex]:
    """Return those of the records that are visible and inside the bounds."""
    rows = connection.execute(
        "SELECT seq, id, is_fact, namespace, group_id, source_id FROM graph_records"
        " WHERE visible AND seq IN (SELECT value FROM json_each(?))",
        (json.dumps(list(seqs)),),
    )
    found = (
        Vertex(seq, RecordId(record_id), bool(is_fact), namespace, group_id, source_id)
        for seq, record_id, is_fact, namespace, group_id, source_id in rows
    )
    return {vertex.seq: vertex for vertex in found if bounds.holds(vertex)}


class _Link(NamedTuple):
    """An edge before its ends are looked up: to a record (``seq``), or to another node (``node``)."""

    kind: str
    weight: float
    seq: int = 0
    node: str = ""
    label: str = ""


def edges_out(connection: Connection, seqs: Sequence[int], bounds: Bounds, limit: int) -> tuple[Edge, ...]:
    """Return the edges out of each of these records, in the order asked, strongest first, ``limit`` a record.

    Ties fall in the order of the kinds above, then of the log.
    """
    starts = vertices(connection, seqs, bounds)
    links = {seq: list(_links(connection, vertex, bounds)) for seq, vertex in starts.items()}
    ends = vertices(connection, list({one.seq for found in links.values() for one in found if one.seq}), bounds)
    edges: list[Edge] = []
    for seq in dict.fromkeys(seqs):
        kept = [one for one in links.get(seq, ()) if one.node or one.seq in ends]
        kept.sort(key=lambda one: (-one.weight, _ORDER[one.kind], one.seq, one.node))
        edges.extend(_edge(starts[seq], one, ends) for one in kept[: max(limit, 0)])
    return tuple(edges)


def _edge(start: Vertex, link: _Link, ends: dict[int, Vertex]) -> Edge:
    evidence = (start.record_id, ends[link.seq].record_id) if link.seq else (start.record_id,)
    return Edge(
        source=f"record:{start.seq}",
        target=link.node or f"record:{link.seq}",
        kind=link.kind,
        label=link.label,
        weight=link.weight,
        record_ids=evidence,
    )


def _links(connection: Connection, start: Vertex, bounds: Bounds) -> Iterator[_Link]:
    if start.group_id and not start.is_fact:
        yield from _following(connection, start)
    yield from _same_entity(connection, start)
    yield from _evidence(connection, start)
    yield from _similar(connection, start)
    yield from _mentioned(connection, start)
    yield from _citations(connection, start, bounds)


def _following(connection: Connection, start: Vertex) -> Iterator[_Link]:
    # The index of groups leaves out those that are a source: they are found through it.
    alike = "namespace = ?2 AND is_fact = 0 AND visible = 1 AND seq"
    groups = ("source_id = ?1 AND group_id = source_id", "group_id = ?1 AND group_id <> source_id")
    after = " UNION ALL ".join(f"SELECT min(seq) s FROM graph_records WHERE {one} AND {alike} > ?3" for one in groups)
    before = " UNION ALL ".join(f"SELECT max(seq) s FROM graph_records WHERE {one} AND {alike} < ?3" for one in groups)
    row = connection.execute(
        f"SELECT (SELECT min(s) FROM ({after})), (SELECT max(s) FROM ({before}))",
        (start.group_id, start.namespace, start.seq),
    ).fetchone()
    following, previous = row or (None, None)
    if following is not None:
        yield _Link("followed_by", FORWARD_WEIGHT, following)
    if previous is not None:
        yield _Link("followed_by", BACK_WEIGHT, previous)


def _same_entity(connection: Connection, start: Vertex) -> Iterator[_Link]:
    keys = connection.execute(
        "SELECT m.entity, e.key FROM graph_mentions m JOIN graph_entities e USING (entity)"
        " WHERE m.seq = ?1 AND m.role = ?2",
        (start.seq, ABOUT),
    ).fetchall()
    found: dict[int, str] = {}
    same = "FROM graph_mentions WHERE entity = ?1 AND role = ?2 AND namespace = ?3 AND visible = 1 AND seq"
    for entity, key in sorted(keys, key=lambda row: row[1]):
        rows = connection.execute(
            f"SELECT * FROM (SELECT seq {same} < ?4 ORDER BY seq DESC LIMIT ?5)"
            f" UNION ALL SELECT * FROM (SELECT seq {same} > ?4 ORDER BY seq LIMIT ?5)",
            (entity, ABOUT, start.namespace, start.seq, ENTITY_NEIGHBOURS),
        )
        for (seq,) in rows:
            found.setdefault(seq, key)
    for seq, key in found.items():
        yield _Link("about_same_entity", ENTITY_WEIGHT, seq, label=key)


def _evidence(connection: Connection, start: Vertex) -> Iterator[_Link]:
    for (seq,) in connection.execute("SELECT seq FROM graph_links WHERE fact = ?", (start.seq,)):
        yield _Link("evidence", EVIDENCE_WEIGHT, seq)
    rows = connection.execute(
        "SELECT l.fact FROM graph_links l JOIN graph_records r ON r.seq = l.fact WHERE l.seq = ? AND r.visible"
        " ORDER BY l.fact LIMIT ?",
        (start.seq, PRUNED_COUNT),
    )
    for (seq,) in rows:
        yield _Link("evidence", ABSTRACTION_WEIGHT, seq)


def _similar(connection: Connection, start: Vertex) -> Iterator[_Link]:
    rows = connection.execute(
        "SELECT dst, cosine, (SELECT count(*) FROM (SELECT 1 FROM graph_similar o WHERE o.dst = s.dst"
        " AND (o.cosine > s.cosine OR (o.cosine = s.cosine AND o.src < s.src)) LIMIT ?2)) FROM graph_similar s"
        " WHERE src = ?1",
        (start.seq, PRUNED_COUNT),
    )
    for seq, cosine, stronger_count in rows.fetchall():
        if stronger_count < PRUNED_COUNT:
            yield _Link("similar_to", min(cosine, 1.0), seq)
    back = "SELECT src, cosine FROM graph_similar WHERE dst = ? ORDER BY cosine DESC, src LIMIT ?"
    for seq, cosine in connection.execute(back, (start.seq, PRUNED_COUNT)):
        yield _Link("similar_to", min(cosine, 1.0), seq)


def _mentioned(connection: Connection, start: Vertex) -> Iterator[_Link]:
    rows = connection.execute(
        "SELECT e.key, min(m.form), e.mention_count FROM graph_mentions m JOIN graph_entities e USING (entity)"
        " WHERE m.seq = ? AND m.visible GROUP BY e.entity",
        (start.seq,),
    )
    for key, form, count in rows:
        yield _Link("mention", mention_weight(count), node=f"entity:{key}", label=form or key)


def mention_weight(mention_count: int) -> float:
    """Say how much one mention ties a record to an entity that so many visible mentions share.

    Returns:
        0.8 / (1 + ln n), in (0, 0.8]; a name that everybody writes ties nothing together.

    Source:
        0.8 is the abstraction weight of engine.md B1; the damping is ours.
    """
    return ABSTRACTION_WEIGHT / (1.0 + log(max(mention_count, 1)))


def _citations(connection: Connection, start: Vertex, bounds: Bounds) -> Iterator[_Link]:
    """Sources whose title stands in an entry of this record, or in one that rests on it."""
    entries = connection.execute(
        "SELECT n.words FROM graph_entries n JOIN graph_records r ON r.seq = n.seq WHERE r.visible AND (n.seq = ?1"
        " OR n.seq IN (SELECT fact FROM graph_links WHERE seq = ?1))",
        (start.seq,),
    ).fetchall()
    cited: set[str] = set()
    for (words,) in entries:
        cited.update(_cited_sources(connection, words.split()))
    for source_id in sorted(cited - {start.source_id}):
        if _is_in_use(connection, source_id, bounds):
            yield _Link("citation", CITATION_WEIGHT, node=f"source:{source_id}")


def _cited_sources(connection: Connection, words: list[str]) -> Iterator[str]:
    size = tables.TITLE_LEAD_WORDS
    leads = [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]
    rows = connection.execute(
        "SELECT source_id, words FROM graph_titles t WHERE lead <> '' AND lead IN (SELECT value FROM json_each(?))"
        " AND NOT EXISTS (SELECT 1 FROM graph_titles n WHERE n.source_id = t.source_id AND n.seq > t.seq)",
        (json.dumps(leads),),
    ).fetchall()
    line = f" {' '.join(words)} "
    for source_id, title in rows:
        if tables.is_telling(title.split()) and f" {title} " in line:
            yield source_id


def _is_in_use(connection: Connection, source_id: str, bounds: Bounds) -> bool:
    if bounds.sources is not None and source_id not in bounds.sources:
        return False
    row = connection.execute(
        "SELECT 1 FROM graph_records WHERE source_id = ? AND visible = 1 AND seq <= ?"
        " AND namespace IN (SELECT value FROM json_each(?)) LIMIT 1",
        (source_id, bounds.last_seq, json.dumps(sorted(bounds.namespaces))),
    ).fetchone()
    return row is not None


def mentioning(connection: Connection, key: str, bounds: Bounds, limit: int) -> tuple[int, ...]:
    """Return up to ``limit`` records inside the bounds that name an entity, newest first."""
    row = connection.execute("SELECT entity FROM graph_entities WHERE key = ?", (key,)).fetchone()
    if row is None or limit <= 0:
        return ()
    chosen = "" if bounds.sources is None else " AND r.source_id IN (SELECT value FROM json_each(?6))"
    sql = (
        "SELECT DISTINCT m.seq FROM graph_mentions m JOIN graph_records r ON r.seq = m.seq WHERE m.entity = ?1"
        f" AND m.role = ?2 AND m.namespace = ?3 AND m.visible = 1 AND m.seq <= ?4{chosen} ORDER BY m.seq DESC LIMIT ?5"
    )
    found: set[int] = set()
    for namespace in bounds.namespaces:
        values = (row[0], NAMED, namespace, bounds.last_seq, limit)
        rows = connection.execute(sql, values if bounds.sources is None else (*values, json.dumps([*bounds.sources])))
        found.update(seq for (seq,) in rows)
    return tuple(sorted(found, reverse=True)[:limit])
