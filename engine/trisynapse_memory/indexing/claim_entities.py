"""The entities of a scope and the merges of their names out, each with its evidence. Nothing is written here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from trisynapse_memory.indexing import claim_tables as tables
from trisynapse_memory.indexing.claim_facts import StoredFact
from trisynapse_memory.indexing.claim_merges import Merge, MergeReader
from trisynapse_memory.indexing.claim_tables import FactRow
from trisynapse_memory.indexing.claim_terms import NUMBER_OF
from trisynapse_memory.indexing.claim_views import ClaimView, label_of
from trisynapse_memory.log.rows import namespace_of
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.text.entities import entity_key
from trisynapse_memory.types import Alias, Namespace, Node, RecordId, Scope

ENTITY_PREFIX: Final = "entity:"
"""Node ids of entities are this and the entity's key."""

_EVIDENCE_LIMIT: Final = 5  # records named for one entity or merge; the claims themselves name all


def list_entities(connection: Connection, view: ClaimView, prefix: str, limit: int) -> tuple[Node, ...]:
    """Return entities that shown claims of a scope are about, the most connected first, each with its other names.

    ``prefix`` keeps those of which any name begins with it, whatever its case. ``weight`` is the number of claims about
    an entity, scaled to the largest of the scope.
    """
    named = _stored_names(connection) if view.is_whole else _names_in(view)
    nodes: list[Node] = []
    top = 0
    for entity, claim_count, names in named:
        top = top or claim_count
        if names and any(name.casefold().startswith(prefix.casefold()) for name in names):
            nodes.append(
                Node(
                    node_id=ENTITY_PREFIX + entity,
                    kind="entity",
                    label=names[0],
                    weight=claim_count / top,
                    aliases=tuple(names[1:]),
                    record_ids=_evidence(_facts_about(connection, view, entity)),
                )
            )
        if len(nodes) == limit:
            break
    return tuple(nodes)


def list_aliases(connection: Connection, view: ClaimView, scope: Scope) -> tuple[Alias, ...]:
    """Return all merged names: hers first, then those that evidence in the scope supports."""
    merges = MergeReader(connection)
    found: dict[str, Alias] = {}
    for alias in merges.said():
        if _is_seen(scope.namespace, alias.namespace) and (scope.as_of_seq is None or alias.seq <= scope.as_of_seq):
            found[alias.alias_id] = Alias(
                alias_id=alias.alias_id, canonical=alias.canonical, names=alias.names, origin="user"
            )
    for merge in merges.merges():
        alias = _alias_of(connection, view, merges, merge)
        if alias is not None:
            found.setdefault(alias.alias_id, alias)
    return tuple(found.values())


def _is_seen(reader: Namespace, writer: str) -> bool:
    return reader.sees(namespace_of(writer))


def _stored_names(connection: Connection) -> Iterator[tuple[str, int, list[str]]]:
    """Yield entity, number of shown claims, and names, the most used first."""
    rows = connection.execute("SELECT entity, claims FROM claims_entities ORDER BY claims DESC, entity").fetchall()
    for entity, claim_count in rows:
        names = connection.execute(
            "SELECT name FROM claims_names WHERE entity = ? ORDER BY facts DESC, name", (entity,)
        ).fetchall()
        yield str(entity), int(claim_count), [str(name) for (name,) in names]


def _names_in(view: ClaimView) -> Iterator[tuple[str, int, list[str]]]:
    """Yield the same for a narrower scope, from its own facts."""
    counts: Counter[str] = Counter()
    names: dict[str, Counter[str]] = {}
    seen: set[int] = set()
    for found in view.find(status="", about="", shown=None, limit=-1):
        if found.outline.shown:
            counts.update(view.entities_of(found))
        for row in found.rows or ():
            if row.fact.seq in seen:
                continue
            seen.add(row.fact.seq)
            for entity, name in ((row.subject, row.fact.subject), (row.object, row.fact.object)):
                names.setdefault(entity, Counter())[name] += 1
    for entity in sorted(counts, key=lambda entity: (-counts[entity], entity)):
        known = names.get(entity, Counter())
        yield entity, counts[entity], sorted(known, key=lambda name: (-known[name], name))


def _facts_about(connection: Connection, view: ClaimView, entity: str) -> list[StoredFact]:
    """A few facts of the scope that name an entity, in log order."""
    keys = connection.execute(
        "SELECT DISTINCT key FROM claims_names WHERE entity = ? ORDER BY key", (entity,)
    ).fetchall()
    seqs: set[int] = set()
    for (key,) in keys:
        for column in ("subject_key", "object_key"):
            rows = connection.execute(
                f"SELECT seq FROM claims_facts WHERE {column} = ? AND {column} != '' AND visible = 1 LIMIT ?",
                (key, _EVIDENCE_LIMIT),
            ).fetchall()
            seqs |= {int(seq) for (seq,) in rows}
    found = [row for seq in sorted(seqs) if (row := tables.fact_at(connection, seq)) is not None]
    return [row.fact for row in found if entity in (row.subject, row.object) and view.holds(row)][:_EVIDENCE_LIMIT]


def _alias_of(connection: Connection, view: ClaimView, merges: MergeReader, merge: Merge) -> Alias | None:
    rows = [row for row in _rows_behind(connection, merge) if row.visible and view.holds(row)]
    written = dict.fromkeys(name for row in rows for name in (row.fact.subject, row.fact.object))
    names = [name for name in written if entity_key(name) in (merge.short, merge.long)]
    if not names:
        return None
    entity = merges.entity(merge.long, merge.namespace, merge.group)
    return Alias(
        alias_id=merge.alias_id,
        canonical=label_of(connection, entity) or names[0],
        names=tuple(sorted(names, key=lambda name: (-len(name), name))),
        origin="evidence",
        record_ids=_evidence(row.fact for row in rows),
    )


def _rows_behind(connection: Connection, merge: Merge) -> list[FactRow]:
    """The facts behind a merge: those that say what a short form stands for, or that use either name of a person."""
    group = NUMBER_OF.format("?3")
    if merge.is_person:
        named = (
            f"SELECT seq FROM (SELECT seq FROM claims_facts WHERE {column} = ?{name} AND {column} != '' AND visible = 1"
            f" AND grp = {group} LIMIT ?4)"
            for column in ("subject_key", "object_key")
            for name in (1, 2)
        )
        query = " UNION ".join(named) + " ORDER BY 1"
    else:
        query = (
            "SELECT seq FROM claims_facts WHERE subject_key = ?1 AND object_key = ?2 AND visible = 1"
            f" AND (?3 = '' OR grp = {group})"
            " UNION SELECT seq FROM claims_facts WHERE subject_key = ?2 AND object_key = ?1 AND visible = 1"
            f" AND (?3 = '' OR grp = {group}) ORDER BY seq LIMIT ?4"
        )
    seqs = connection.execute(query, (merge.short, merge.long, merge.group, _EVIDENCE_LIMIT)).fetchall()
    rows = [row for (seq,) in seqs if (row := tables.fact_at(connection, int(seq))) is not None]
    return [row for row in rows if row.namespace == merge.namespace]


def _evidence(facts: Iterable[StoredFact]) -> tuple[RecordId, ...]:
    ids = dict.fromkeys(record_id for fact in facts for record_id in fact.evidence_ids or (fact.fact_id,))
    return tuple(ids)[:_EVIDENCE_LIMIT]
