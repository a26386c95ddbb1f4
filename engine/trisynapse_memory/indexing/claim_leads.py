"""Names in, what visible facts state about them and which evidence each rests on out. Nothing is compiled here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, cast

import msgspec

from trisynapse_memory.indexing.claim_facts import StoredFact
from trisynapse_memory.log.rows import namespace_of
from trisynapse_memory.sqlite import Connection, SqlValue
from trisynapse_memory.types import Scope, Statement

# The newest facts about one name that are read; 10 microseconds a fact.
FACTS_PER_NAME: Final = 40
_LAST: Final = 2**62

_ABOUT: Final = """
SELECT seq FROM claims_facts WHERE subject_key = ?1 AND visible = 1 UNION
SELECT seq FROM claims_facts WHERE object_key = ?1 AND object_key <> '' AND visible = 1 ORDER BY seq DESC LIMIT ?2
"""
_FACTS: Final = """
SELECT f.body FROM json_each(?1) asked JOIN claims_facts f ON f.seq = asked.value
JOIN claims_terms s ON s.id = f.source
WHERE f.namespace IN (SELECT value FROM json_each(?2)) AND f.seq <= ?3
AND (?4 IS NULL OR s.text IN (SELECT value FROM json_each(?4))) ORDER BY f.seq
"""
_PLACES: Final = "SELECT id, seq FROM claims_records WHERE id IN (SELECT value FROM json_each(?))"


def statements_about(connection: Connection, keys: Sequence[str], scope: Scope) -> tuple[Statement, ...]:
    """Return what facts in scope that are visible now state about entity keys, in log order, each with its evidence."""
    seqs: set[int] = set()
    for key in keys:
        seqs.update(int(str(seq)) for (seq,) in connection.execute(_ABOUT, (key, FACTS_PER_NAME)))
    known = connection.execute("SELECT id, keys FROM claims_namespaces").fetchall()
    namespaces = [number for number, held in known if scope.namespace.sees(namespace_of(str(held)))]
    sources = None if scope.source_ids is None else json.dumps(list(scope.source_ids))
    last = _LAST if scope.as_of_seq is None else scope.as_of_seq
    values: tuple[SqlValue, ...] = (json.dumps(sorted(seqs)), json.dumps(namespaces), last, sources)
    rows = connection.execute(_FACTS, values).fetchall()
    facts = [msgspec.msgpack.decode(cast("bytes", body), type=StoredFact) for (body,) in rows]
    ids = json.dumps([one for fact in facts for one in fact.evidence_ids])
    places = {str(record_id): int(str(seq)) for record_id, seq in connection.execute(_PLACES, (ids,))}
    return tuple(
        Statement(
            fact.seq,
            f"{fact.subject} {fact.relation} {fact.object} {fact.text}",
            tuple(places[one] for one in fact.evidence_ids if one in places),
        )
        for fact in facts
    )
