"""A scope in, its claims out, with their facts, confidence and reasons. Nothing is written here.

A reader of the whole vault gets the claims as they were compiled with the last commit. A narrower scope (a namespace,
chosen sources, an earlier moment) is compiled on the spot from the facts it holds, by the same rules, so that what lies
outside never shows through.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from trisynapse_memory.indexing import claim_tables as tables
from trisynapse_memory.indexing.claim_facts import MICRO, StoredFact, bucket_hash_of, claim_id_of
from trisynapse_memory.indexing.claim_rules import Outline, SideOutline, outline_claims
from trisynapse_memory.indexing.claim_tables import FactRow
from trisynapse_memory.indexing.claim_terms import NUMBER_OF
from trisynapse_memory.log.rows import namespace_of
from trisynapse_memory.scoring.confidence import Backing, confidence_of, explain_confidence
from trisynapse_memory.scoring.relations import relation_of
from trisynapse_memory.sqlite import Connection, SqlValue
from trisynapse_memory.text.entities import entity_key
from trisynapse_memory.types import QUALIFIERS, Claim, ClaimSide, ClaimStatus, Scope, Support

SUPPORTS_LIMIT: Final = 30
"""Facts that are listed for one side; statistics count all of them."""

VisibleAsOf = Callable[[Sequence[int], int], set[int]]
"""Positions and a moment in, those of them that answers would have seen when the log ended there."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ORDER: Final = "ORDER BY groups DESC, facts DESC, mean DESC, best"


class Found(NamedTuple):
    """One claim before it is built, and the facts it was compiled from (None: they are read when needed)."""

    claim_id: str
    bucket: int
    outline: Outline
    rows: tuple[FactRow, ...] | None


class ClaimView:
    """The claims of one scope at one moment, inside one read transaction.

    Args:
        connection: the read connection.
        scope: whose claims, from which sources, up to which position.
        now: the moment recency is counted from.
        visible_as_of: what was visible at an earlier position; without it, what is visible now counts.
    """

    def __init__(
        self, connection: Connection, scope: Scope, now: datetime, visible_as_of: VisibleAsOf | None = None
    ) -> None:
        self._connection = connection
        self._scope = scope
        self._now = now
        self._visible_as_of = visible_as_of
        rows = connection.execute("SELECT id, keys FROM claims_namespaces").fetchall()
        seen = {int(number): scope.namespace.sees(namespace_of(str(keys))) for number, keys in rows}
        self._namespaces = frozenset(number for number, sees in seen.items() if sees)
        head = connection.execute("SELECT applied_seq FROM projections WHERE name = 'claims'").get
        is_present = scope.as_of_seq is None or scope.as_of_seq >= int(head or 0)
        self._is_whole = all(seen.values()) and scope.source_ids is None and is_present
        self._labels: dict[str, str] = {}
        self._titles: dict[str, str] = {}

    # ------------------------------------------------------------ finding

    def find(self, *, status: str, about: str, shown: bool | None, limit: int) -> list[Found]:
        """Return claims, the best supported first; a negative limit is none."""
        entities = self.entities_named(about) if about else None
        if not self._is_whole:
            buckets = self._buckets_in_scope() if entities is None else self._buckets_about(about)
            found = [one for one in self._compiled(buckets) if _fits(one.outline, status, shown)]
            found = [one for one in found if entities is None or self.entities_of(one) & entities]
            return sorted(found, key=lambda one: one.outline.order)[: limit if limit >= 0 else None]
        conditions = ["1"]
        values: list[SqlValue] = []
        if status:
            conditions.append("status = ?")
            values.append(status)
        if shown is not None:
            conditions.append("shown = ?")
            values.append(int(shown))
        if entities is not None:
            conditions.append(
                "(bucket, claim_id) IN (SELECT bucket, claim_id FROM claims_about"
                " WHERE entity IN (SELECT value FROM json_each(?)))"
            )
            values.append(json.dumps(sorted(entities)))
        return self._stored(f"WHERE {' AND '.join(conditions)} {_ORDER} LIMIT ?", (*values, limit))

    def find_one(self, claim_id: str) -> Found | None:
        """Return one claim by its id."""
        bucket = tables.bucket_at(self._connection, bucket_hash_of(claim_id))
        if bucket is None:
            return None
        if self._is_whole:
            return next(iter(self._stored("WHERE bucket = ? AND claim_id = ?", (bucket, claim_id))), None)
        return next((one for one in self._compiled([bucket]) if one.claim_id == claim_id), None)

    def find_resting_on(self, seqs: Sequence[int]) -> list[Found]:
        """Return the claims that rest on any of these records, the best supported first."""
        rows = self._connection.execute(
            "SELECT seq, bucket, variant FROM claims_facts WHERE seq IN (SELECT value FROM json_each(?1)) UNION"
            " SELECT f.seq, f.bucket, f.variant FROM claims_evidence e JOIN claims_facts f ON f.seq = e.fact"
            " WHERE e.record IN (SELECT value FROM json_each(?1))",
            (json.dumps(list(seqs)),),
        ).fetchall()
        return self._holding([(int(seq), int(bucket), int(variant)) for seq, bucket, variant in rows])

    def find_of_source(self, source_id: str, shown: bool | None, limit: int) -> list[Found]:
        """Return the claims that rest on a source, contested ones first, then the best supported."""
        rows = self._connection.execute(
            f"SELECT seq, bucket, variant FROM claims_facts WHERE source = {NUMBER_OF.format('?')}", (source_id,)
        ).fetchall()
        found = self._holding([(int(seq), int(bucket), int(variant)) for seq, bucket, variant in rows])
        kept = [one for one in found if _fits(one.outline, "", shown)]
        return sorted(kept, key=lambda one: (one.outline.status is not ClaimStatus.CONTESTED, one.outline.order))[
            :limit
        ]

    # ------------------------------------------------------------ building

    def build(self, found: Found) -> Claim:
        """Return a claim with its sides, its evidence and its confidence."""
        outline = found.outline
        rows = {side.variants: self._rows_of(found, side) for side in outline.sides}
        first = self._best(rows[outline.sides[0].variants], outline.sides[0])
        fact = first.fact
        # Where only some sides deny, each says so itself; where all do, the claim says it once.
        denies = all(side.negated for side in outline.sides)
        # "Low-Rank Adaptation stands for LoRA": two names of one entity are told apart by their own spelling only.
        same = bool(first.subject) and first.subject == first.object
        subject = fact.subject if same else self._label(first.subject, found, fact.subject)
        object_ = fact.object if same else self._label(first.object, found, fact.object)
        backing = Backing(
            mean=outline.confidence / outline.fact_count / MICRO,
            group_count=outline.group_count,
            newest=_EPOCH + timedelta(microseconds=outline.newest_us),
            contested=outline.status is ClaimStatus.CONTESTED,
        )
        return Claim(
            claim_id=found.claim_id,
            subject=subject,
            relation=fact.relation,
            object=f"not {object_}" if outline.sides[0].negated and not denies else object_,
            text=fact.text,
            status=outline.status,
            sides=tuple(self._side(side, rows[side.variants], denies) for side in outline.sides),
            qualifiers={name: value for name, value in fact.qualifiers.items() if name in QUALIFIERS},
            negated=denies,
            confidence=confidence_of(backing, self._now),
            confidence_parts=explain_confidence(backing, self._now),
            valid_from=outline.sides[0].valid_from,
            valid_to=outline.sides[0].valid_to,
            shown=outline.shown,
            resolution=outline.resolution,
            subject_entity=first.subject,
            object_entity=first.object,
        )

    def entities_of(self, found: Found) -> frozenset[str]:
        """Return the entities a claim is about: its subject, and the object of every side."""
        entities: set[str] = set()
        for side in found.outline.sides:
            best = tables.fact_at(self._connection, side.best)
            entities |= {best.subject, best.object} if best is not None else set[str]()
        return frozenset(entities - {""})

    def entities_named(self, name: str) -> frozenset[str]:
        """Return the entities that go by a name."""
        key = entity_key(name)
        rows = self._connection.execute("SELECT DISTINCT entity FROM claims_names WHERE key = ?", (key,)).fetchall()
        # What was said before it was forgotten has no name any more, but an earlier moment still knows it.
        placed = self._connection.execute(
            "SELECT DISTINCT subject FROM claims_facts WHERE subject_key = ?1"
            " UNION SELECT DISTINCT object FROM claims_facts WHERE object_key = ?1 AND object_key != ''",
            (key,),
        ).fetchall()
        return frozenset({key, *(str(entity) for (entity,) in (*rows, *(() if self._is_whole else placed)))})

    def holds(self, row: FactRow) -> bool:
        """Tell whether a fact lies in the scope, whatever its visibility."""
        sources, as_of = self._scope.source_ids, self._scope.as_of_seq
        return (
            row.namespace in self._namespaces
            and (sources is None or row.fact.source_id in sources)
            and (as_of is None or row.fact.seq <= as_of)
        )

    @property
    def is_whole(self) -> bool:
        """Whether the scope holds all there is now."""
        return self._is_whole

    # ------------------------------------------------------------ inside

    def _stored(self, clause: str, values: Sequence[SqlValue]) -> list[Found]:
        rows = self._connection.execute(f"SELECT claim_id, bucket, outline FROM claims_compiled {clause}", values)
        return [Found(str(row[0]), int(row[1]), _outline(row[2]), None) for row in rows.fetchall()]

    def _buckets_in_scope(self) -> list[int]:
        sources = self._scope.source_ids
        rows = self._connection.execute(
            "SELECT DISTINCT bucket FROM claims_facts WHERE namespace IN (SELECT value FROM json_each(?1))"
            " AND (?2 IS NULL OR source IN"
            " (SELECT id FROM claims_terms WHERE text IN (SELECT value FROM json_each(?2))))"
            " AND (?3 IS NULL OR seq <= ?3)"
            " ORDER BY bucket",
            (
                json.dumps(sorted(self._namespaces)),
                None if sources is None else json.dumps(list(sources)),
                self._scope.as_of_seq,
            ),
        )
        return [int(bucket) for (bucket,) in rows.fetchall()]

    def _buckets_about(self, name: str) -> list[int]:
        keys = {str(key) for entity in self.entities_named(name) for key in (entity, *self._keys_of(entity))}
        rows = self._connection.execute(
            "SELECT bucket FROM claims_facts WHERE subject_key IN (SELECT value FROM json_each(?1)) UNION"
            " SELECT bucket FROM claims_facts WHERE object_key != ''"
            " AND object_key IN (SELECT value FROM json_each(?1)) ORDER BY 1",
            (json.dumps(sorted(keys)),),
        )
        return [int(bucket) for (bucket,) in rows.fetchall()]

    def _keys_of(self, entity: str) -> list[str]:
        rows = self._connection.execute("SELECT DISTINCT key FROM claims_names WHERE entity = ?", (entity,)).fetchall()
        return [str(key) for (key,) in rows]

    def _compiled(self, buckets: Iterable[int]) -> list[Found]:
        """Compile buckets from the facts that the scope holds."""
        found: list[Found] = []
        for bucket in buckets:
            rows = self._visible(row for row in tables.facts_of(self._connection, bucket) if self.holds(row))
            if not rows:
                continue
            relation = relation_of(rows[0].fact.relation)
            bucket_hash = tables.bucket_hash_at(self._connection, bucket)
            sentences = {row.fact.seq: row.fact.text for row in rows}
            outlines = outline_claims(
                tables.tally_facts(rows),
                relation,
                lambda mark, of=bucket_hash: self._resolution(claim_id_of(of, mark)),
                sentences.__getitem__,
            )
            found += [Found(claim_id_of(bucket_hash, one.mark), bucket, one, rows) for one in outlines]
        return found

    def _visible(self, rows: Iterable[FactRow]) -> tuple[FactRow, ...]:
        listed = tuple(rows)
        as_of = self._scope.as_of_seq
        if as_of is None or self._visible_as_of is None:
            return tuple(row for row in listed if row.visible)
        seen = self._visible_as_of([row.fact.seq for row in listed], as_of)
        return tuple(row for row in listed if row.fact.seq in seen)

    def _resolution(self, claim_id: str) -> tuple[str, str] | None:
        rows = self._connection.execute(
            "SELECT value, reason, removed, namespace FROM claims_resolutions WHERE claim_id = ?"
            " AND (?2 IS NULL OR seq <= ?2) ORDER BY seq DESC",
            (claim_id, self._scope.as_of_seq),
        ).fetchall()
        for value, reason, removed, namespace in rows:
            if self._scope.namespace.sees(namespace_of(str(namespace))):
                return None if removed else (str(value), str(reason))
        return None

    def _holding(self, places: Sequence[tuple[int, int, int]]) -> list[Found]:
        """Return the claims with one of these facts (position, bucket, variant) on one of their sides."""
        buckets = sorted({bucket for _, bucket, _ in places})
        if self._is_whole:
            kept = self._visible_places(places)
            found = self._stored("WHERE bucket IN (SELECT value FROM json_each(?))", (json.dumps(buckets),))
        else:
            found = self._compiled(buckets)
            inside = {row.fact.seq for one in found for row in one.rows or ()}
            kept = {(bucket, variant) for seq, bucket, variant in places if seq in inside}
        held = [
            one
            for one in found
            if any((one.bucket, variant) in kept for side in one.outline.sides for variant in side.variants)
        ]
        return sorted(held, key=lambda one: one.outline.order)

    def _visible_places(self, places: Sequence[tuple[int, int, int]]) -> set[tuple[int, int]]:
        rows = self._connection.execute(
            "SELECT seq FROM claims_facts WHERE visible = 1 AND seq IN (SELECT value FROM json_each(?))",
            (json.dumps([seq for seq, _, _ in places]),),
        )
        visible = {int(seq) for (seq,) in rows.fetchall()}
        return {(bucket, variant) for seq, bucket, variant in places if seq in visible}

    def _rows_of(self, found: Found, side: SideOutline) -> list[FactRow]:
        if found.rows is not None:
            return [row for row in found.rows if row.variant in side.variants]
        rows = tables.visible_facts_of(self._connection, found.bucket, side.variants, SUPPORTS_LIMIT)
        if all(row.fact.seq != side.best for row in rows):
            best = tables.fact_at(self._connection, side.best)
            rows = [*([best] if best else []), *rows[: SUPPORTS_LIMIT - 1]]
        return rows

    def _best(self, rows: Sequence[FactRow], side: SideOutline) -> FactRow:
        return next(row for row in rows if row.fact.seq == side.best)

    def _side(self, side: SideOutline, rows: Sequence[FactRow], denies: bool) -> ClaimSide:
        written = self._best(rows, side).fact.object
        ordered = sorted(rows, key=lambda row: (row.fact.seq != side.best, row.fact.seq))[:SUPPORTS_LIMIT]
        return ClaimSide(
            value=f"not {written}" if side.negated and not denies else written,
            normalised=side.normalised,
            supports=tuple(support for row in ordered for support in self._supports(row.fact)),
            valid_from=side.valid_from,
            valid_to=side.valid_to,
            preferred=side.preferred,
        )

    def _supports(self, fact: StoredFact) -> list[Support]:
        """One support per evidence record; a correction, and a fact that rests on nothing else, speaks for itself."""
        evidence = (fact.fact_id,) if fact.corrected else fact.evidence_ids or (fact.fact_id,)
        spans = fact.spans if len(fact.spans) == len(evidence) else ((0, len(fact.text)),) * len(evidence)
        return [
            Support(
                fact_id=fact.fact_id,
                record_id=record_id,
                source_id=fact.source_id,
                title=self._title(fact.source_id or ""),
                excerpt=fact.text,
                start=start,
                end=end,
                locator=fact.locator,
                observed_at=fact.observed_at,
                pattern=fact.pattern,
            )
            for record_id, (start, end) in zip(evidence, spans, strict=True)
        ]

    def _title(self, source_id: str) -> str:
        if source_id not in self._titles:
            found = self._connection.execute(
                "SELECT title FROM claims_sources WHERE source_id = ? ORDER BY seq DESC LIMIT 1", (source_id,)
            ).get
            self._titles[source_id] = str(found or "")
        return self._titles[source_id]

    def _label(self, entity: str, found: Found, written: str) -> str:
        """The name most facts use for an entity; of a narrower scope, most of its facts."""
        if not entity:
            return written
        if found.rows is not None:
            names = Counter(
                name
                for row in found.rows
                for key, name in ((row.subject, row.fact.subject), (row.object, row.fact.object))
                if key == entity
            )
            return min(names, key=lambda name: (-names[name], name))
        if entity not in self._labels:
            self._labels[entity] = label_of(self._connection, entity) or written
        return self._labels[entity]


def label_of(connection: Connection, entity: str) -> str:
    """Return the name most visible facts use for an entity, or nothing."""
    found = connection.execute(
        "SELECT name FROM claims_names WHERE entity = ? ORDER BY facts DESC, name LIMIT 1", (entity,)
    ).get
    return str(found or "")


def _outline(stored: bytes) -> Outline:
    return msgspec.msgpack.decode(stored, type=Outline)


def _fits(outline: Outline, status: str, shown: bool | None) -> bool:
    return (not status or outline.status.value == status) and (shown is None or outline.shown is shown)
