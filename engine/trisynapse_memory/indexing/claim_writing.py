"""New facts, changed visibility and her own words in, the tables of the claims index brought up to date out.

A ``ClaimWriter`` lives for one transaction. What the tables hold afterwards depends only on which facts there are,
which of them are visible and what she said, never on the order or the batches in which that became known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from trisynapse_memory.indexing import claim_tables as tables
from trisynapse_memory.indexing import claim_terms
from trisynapse_memory.indexing.claim_facts import (
    StoredFact,
    bucket_hash_of,
    claim_id_of,
    names_entity,
    place_of,
    read_fact,
)
from trisynapse_memory.indexing.claim_merges import MergeReader
from trisynapse_memory.indexing.claim_names import ClaimNames
from trisynapse_memory.indexing.claim_rules import VALUES_LIMIT, Outline, outline_alone, outline_claims
from trisynapse_memory.indexing.claim_tables import FactRow
from trisynapse_memory.indexing.claim_voices import note_text, voice_of
from trisynapse_memory.log.rows import namespace_key
from trisynapse_memory.scoring.relations import relation_of
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.text.entities import entity_key, is_generic
from trisynapse_memory.types import (
    AliasDetails,
    CompletionDetails,
    MetadataDetails,
    Record,
    ResolutionDetails,
    SourceDetails,
)

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS claims_compiled (
    bucket INTEGER NOT NULL,
    claim_id TEXT NOT NULL,
    status TEXT NOT NULL,
    shown INTEGER NOT NULL,
    groups INTEGER NOT NULL,        -- up to four
    facts INTEGER NOT NULL,
    mean INTEGER NOT NULL,          -- confidence, millionths
    best INTEGER NOT NULL,          -- the fact that speaks for it
    outline BLOB NOT NULL,          -- Outline, msgpack
    PRIMARY KEY (bucket, claim_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_compiled_order ON claims_compiled (groups DESC, facts DESC, mean DESC, best);
CREATE INDEX IF NOT EXISTS claims_compiled_status
    ON claims_compiled (status, groups DESC, facts DESC, mean DESC, best);
CREATE TABLE IF NOT EXISTS claims_about (
    entity TEXT NOT NULL,           -- subject or object of any side
    bucket INTEGER NOT NULL,
    claim_id TEXT NOT NULL,
    shown INTEGER NOT NULL,
    PRIMARY KEY (entity, bucket, claim_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_about_bucket ON claims_about (bucket);
CREATE TABLE IF NOT EXISTS claims_crowded (bucket INTEGER PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS claims_entities (
    entity TEXT PRIMARY KEY,
    claims INTEGER NOT NULL         -- shown claims about it
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_entities_order ON claims_entities (claims DESC, entity);
CREATE TABLE IF NOT EXISTS claims_names (
    entity TEXT NOT NULL,
    name TEXT NOT NULL,             -- as visible facts write it
    key TEXT NOT NULL,
    facts INTEGER NOT NULL,
    PRIMARY KEY (entity, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_names_key ON claims_names (key);
CREATE TABLE IF NOT EXISTS claims_resolutions (
    claim_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    value TEXT NOT NULL,
    reason TEXT NOT NULL,
    removed INTEGER NOT NULL,
    PRIMARY KEY (claim_id, seq)
) STRICT, WITHOUT ROWID;
"""


class ClaimWriter:
    """Brings the tables up to date inside one write transaction; ``finish`` must be the last call."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._merges = MergeReader(connection)
        self._names = ClaimNames(connection, self._merges)
        self._unplaced: set[int] = set()
        self._changed: set[tuple[int, int]] = set()  # variants whose claims are to be compiled again
        self._lessened: set[tuple[int, int]] = set()  # variants that lost their newest or best fact
        self._rejudged: set[int] = set()  # buckets with a word of hers
        self._left: set[int] = set()  # buckets that a fact has left for good

    # ------------------------------------------------------------ what comes in

    def add(self, records: Sequence[tuple[Record, bool]]) -> None:
        """Take in new evidence, each with whether it is visible; a record that is there is only shown or hidden."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO claims_records VALUES (?, ?)", [(record.id, record.seq) for record, _ in records]
        )
        for record, visible in records:
            fact = read_fact(record)
            if fact is not None:
                self._add_fact(record, fact, visible)

    def show(self, visibility: Mapping[int, bool]) -> None:
        """Hide facts, or show them again; other positions are passed over."""
        for seq, visible in sorted(visibility.items()):
            row = tables.fact_at(self._connection, seq)
            if row is not None and row.visible != visible:
                self._set_visible(row, visible)

    def note(self, events: Sequence[Record]) -> None:
        """Take in what else the log says: titles and whole texts of sources, merges of names, words on disputes."""
        for record in events:
            match record.payload:
                case SourceDetails() as details if record.source_id is not None:
                    self._note_title(record.source_id, record.seq, details.title)
                case MetadataDetails(name="title") as details:
                    self._note_title(details.target_source_id, record.seq, details.value)
                case AliasDetails() as details:
                    self._names.take_alias(record, details)
                case ResolutionDetails() as details:
                    self._note_resolution(record, details)
                case CompletionDetails(target_source_id=source_id) | MetadataDetails(target_source_id=source_id):
                    self._note_text(source_id, record)
                case _:
                    pass

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase everything that is, or rests on, these records."""
        listed = json.dumps(list(seqs))
        inside = "IN (SELECT value FROM json_each(?1))"
        resting = self._connection.execute(
            f"SELECT seq FROM claims_facts WHERE seq {inside}"
            f" UNION SELECT fact FROM claims_evidence WHERE record {inside}",
            (listed,),
        ).fetchall()
        for (seq,) in resting:
            self._erase_fact(int(seq))
        self._names.drop(seqs)
        judged = self._connection.execute(
            f"SELECT claim_id FROM claims_resolutions WHERE seq {inside}", (listed,)
        ).fetchall()
        for (claim_id,) in judged:
            self._rejudge(claim_id)
        for table in ("claims_resolutions", "claims_sources", "claims_voices", "claims_records"):
            self._connection.execute(f"DELETE FROM {table} WHERE seq {inside}", (listed,))

    def finish(self) -> None:
        """Put facts where they belong now, and compile again what that changed."""
        for touched in self._names.touched():
            self._unplaced |= self._facts_named(touched.keys, touched.namespace, touched.group)
        for seq in sorted(self._unplaced):
            self._place(seq)
        for bucket, variant in sorted(self._lessened):
            tables.settle_extremes(self._connection, bucket, variant)
        changed: dict[int, set[int]] = {bucket: set() for bucket in self._rejudged}
        for bucket, variant in self._changed:
            changed.setdefault(bucket, set()).add(variant)
        for bucket in sorted(changed):
            self._compile(bucket, changed[bucket])
        for bucket in self._left:
            tables.release_bucket(self._connection, bucket)

    # ------------------------------------------------------------ facts

    def _add_fact(self, record: Record, fact: StoredFact, visible: bool) -> None:
        row = tables.fact_at(self._connection, fact.seq)
        if row is not None:
            if row.visible != visible:
                self._set_visible(row, visible)
            return
        namespace = claim_terms.namespace_number(self._connection, record.namespace)
        keys = (
            "" if is_generic(fact.subject) else entity_key(fact.subject),
            entity_key(fact.object) if names_entity(fact) else "",
        )
        tables.insert_fact(self._connection, fact, namespace, keys, visible)
        if visible:
            self._names.count(fact, namespace, 1)
        self._unplaced.add(fact.seq)

    def _set_visible(self, row: FactRow, visible: bool) -> None:
        self._connection.execute("UPDATE claims_facts SET visible = ? WHERE seq = ?", (int(visible), row.fact.seq))
        self._names.count(row.fact, row.namespace, 1 if visible else -1)
        if not row.bucket:
            return  # it comes in with this very transaction and is not counted yet
        if visible:
            self._count_in(row)
        else:
            self._count_out(row)

    def _erase_fact(self, seq: int) -> None:
        row = tables.fact_at(self._connection, seq)
        if row is None:
            return
        if row.visible:
            self._set_visible(row, False)
        self._connection.execute("DELETE FROM claims_facts WHERE seq = ?", (seq,))
        self._connection.execute("DELETE FROM claims_evidence WHERE fact = ?", (seq,))
        for text in (row.fact.source_id or "", row.fact.group_id):
            claim_terms.release_term(self._connection, text)
        self._unplaced.discard(seq)
        self._left.add(row.bucket)

    def _facts_named(self, keys: frozenset[str], namespace: int | None, group: str | None) -> set[int]:
        here = "" if group is None else f" AND grp = {claim_terms.NUMBER_OF.format('?2')}"
        found: set[int] = set()
        for key in keys:
            for column in ("subject_key", "object_key"):
                rows = self._connection.execute(
                    f"SELECT seq FROM claims_facts WHERE {column} = ?1 AND {column} != ''{here}"
                    " AND (?3 IS NULL OR namespace = ?3)",
                    (key, group, namespace),
                )
                found |= {int(seq) for (seq,) in rows}
        return found

    def _place(self, seq: int) -> None:
        row = tables.fact_at(self._connection, seq)
        if row is None:
            return
        fact = row.fact
        place = place_of(fact, lambda key: self._merges.entity(key, row.namespace, fact.group_id))
        bucket = tables.bucket_number(self._connection, place.bucket_hash)
        moved = row._replace(bucket=bucket, variant=place.variant, subject=place.subject, object=place.object)
        if moved == row:
            return
        self._connection.execute(
            "UPDATE claims_facts SET bucket = ?, variant = ?, subject = ?, object = ? WHERE seq = ?",
            (bucket, place.variant, place.subject, place.object, seq),
        )
        if row.visible:
            if row.bucket:
                self._count_out(row)
            self._count_in(moved)
        if row.bucket:
            self._left.add(row.bucket)

    def _count_in(self, row: FactRow) -> None:
        tables.add_to_sums(self._connection, row)
        self._count_names(row, 1)
        self._changed.add((row.bucket, row.variant))

    def _count_out(self, row: FactRow) -> None:
        if tables.take_from_sums(self._connection, row):
            self._lessened.add((row.bucket, row.variant))
        self._count_names(row, -1)
        self._changed.add((row.bucket, row.variant))

    def _count_names(self, row: FactRow, sign: int) -> None:
        for entity, name in ((row.subject, row.fact.subject), (row.object, row.fact.object)):
            if not entity:
                continue
            self._connection.execute(
                "INSERT INTO claims_names VALUES (?1, ?2, ?3, ?4)"
                " ON CONFLICT (entity, name) DO UPDATE SET facts = facts + ?4",
                (entity, name, entity_key(name), sign),
            )
            self._connection.execute(
                "DELETE FROM claims_names WHERE entity = ? AND name = ? AND facts = 0", (entity, name)
            )

    # ------------------------------------------------------------ claims

    def _compile(self, bucket: int, variants: set[int]) -> None:
        """Compile a bucket again; of a crowded one, where nothing is compared, only the variants that changed."""
        bucket_hash = tables.bucket_hash_at(self._connection, bucket)
        known = tables.tallies_of(self._connection, bucket, VALUES_LIMIT + 1)
        crowded = len(known) > VALUES_LIMIT
        was_crowded = (
            self._connection.execute("SELECT 1 FROM claims_crowded WHERE bucket = ?", (bucket,)).fetchone() is not None
        )
        if crowded and was_crowded:
            for variant in sorted(variants):
                self._withdraw(bucket, claim_id_of(bucket_hash, f"also|{variant:x}"))
                tally = tables.tally_at(self._connection, bucket, variant)
                if tally is not None:
                    self._store(bucket, bucket_hash, outline_alone(tally))
            return
        if crowded:
            self._connection.execute("INSERT INTO claims_crowded VALUES (?)", (bucket,))
        elif was_crowded:
            self._connection.execute("DELETE FROM claims_crowded WHERE bucket = ?", (bucket,))
        self._withdraw(bucket)
        if not known:
            return
        tallies = known if not crowded else tables.tallies_of(self._connection, bucket, -1)
        best = tables.fact_at(self._connection, tallies[0].best)
        if best is None:
            return
        relation = relation_of(best.fact.relation)
        outlines = outline_claims(
            tallies, relation, lambda mark: self._resolution(claim_id_of(bucket_hash, mark)), self._sentence_at
        )
        for outline in outlines:
            self._store(bucket, bucket_hash, outline)

    def _sentence_at(self, seq: int) -> str:
        row = tables.fact_at(self._connection, seq)
        return "" if row is None else row.fact.text

    def _withdraw(self, bucket: int, claim_id: str | None = None) -> None:
        """Take back the claims of a bucket, or one of them."""
        where, key = "bucket = ?1 AND (?2 IS NULL OR claim_id = ?2)", (bucket, claim_id)
        rows = self._connection.execute(f"SELECT entity FROM claims_about WHERE {where} AND shown = 1", key).fetchall()
        for (entity,) in rows:
            self._count_entity(entity, -1)
        self._connection.execute(f"DELETE FROM claims_about WHERE {where}", key)
        self._connection.execute(f"DELETE FROM claims_compiled WHERE {where}", key)

    def _store(self, bucket: int, bucket_hash: int, outline: Outline) -> None:
        claim_id = claim_id_of(bucket_hash, outline.mark)
        self._connection.execute(
            "INSERT INTO claims_compiled VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                bucket,
                claim_id,
                outline.status.value,
                int(outline.shown),
                outline.group_count,
                outline.fact_count,
                outline.mean,
                outline.best,
                msgspec.msgpack.encode(outline),
            ),
        )
        entities: set[str] = set()
        for side in outline.sides:
            best = tables.fact_at(self._connection, side.best)
            entities |= {best.subject, best.object} if best is not None else set[str]()
        for entity in sorted(entities - {""}):
            self._connection.execute(
                "INSERT INTO claims_about VALUES (?, ?, ?, ?)", (entity, bucket, claim_id, int(outline.shown))
            )
            if outline.shown:
                self._count_entity(entity, 1)

    def _count_entity(self, entity: str, sign: int) -> None:
        self._connection.execute(
            "INSERT INTO claims_entities VALUES (?1, ?2) ON CONFLICT (entity) DO UPDATE SET claims = claims + ?2",
            (entity, sign),
        )
        self._connection.execute("DELETE FROM claims_entities WHERE entity = ? AND claims = 0", (entity,))

    # ------------------------------------------------------------ what she and sources say

    def _resolution(self, claim_id: str) -> tuple[str, str] | None:
        row = self._connection.execute(
            "SELECT value, reason, removed FROM claims_resolutions WHERE claim_id = ? ORDER BY seq DESC LIMIT 1",
            (claim_id,),
        ).fetchone()
        return None if row is None or row[2] else (str(row[0]), str(row[1]))

    def _note_resolution(self, record: Record, details: ResolutionDetails) -> None:
        self._connection.execute(
            "INSERT OR IGNORE INTO claims_resolutions VALUES (?, ?, ?, ?, ?, ?)",
            (
                details.claim_id,
                record.seq,
                namespace_key(record.namespace),
                details.value,
                details.reason,
                int(details.removed),
            ),
        )
        self._rejudge(details.claim_id)

    def _rejudge(self, claim_id: str) -> None:
        bucket = tables.bucket_at(self._connection, bucket_hash_of(claim_id))
        if bucket is not None:
            self._rejudged.add(bucket)

    def _note_text(self, source_id: str, record: Record) -> None:
        """Count the facts of a source under the voice that it has now."""
        before = voice_of(self._connection, source_id)
        note_text(self._connection, record)
        if voice_of(self._connection, source_id) != before:
            for row in tables.counted_facts_of(self._connection, source_id):
                self._count_out(row._replace(voice=before))
                self._count_in(row)

    def _note_title(self, source_id: str, seq: int, title: str) -> None:
        self._connection.execute("INSERT OR IGNORE INTO claims_sources VALUES (?, ?, ?)", (source_id, seq, title))
