"""The tables of the claims index, and the sums kept in them; what the sums mean is not known here.

A fact has one row. What its bucket is compiled from is summed per variant (``claims_sums``), with the sources and
groups behind it counted beside (``claims_tally``), so that one fact more costs the same however many there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast

import msgspec
from msgspec import structs

from trisynapse_memory.indexing.claim_facts import (
    MICRO,
    StoredFact,
    Variant,
    comparable_object,
    dates_of,
    variant_form,
)
from trisynapse_memory.indexing.claim_rules import Tally
from trisynapse_memory.indexing.claim_terms import NUMBER_OF, known_number, term_number
from trisynapse_memory.indexing.claim_voices import VOICE_OF
from trisynapse_memory.scoring.confidence import FULL_SUPPORT
from trisynapse_memory.sqlite import Connection, SqlValue
from trisynapse_memory.types import SourceId

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS claims_records (id TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims_sources (
    source_id TEXT NOT NULL,
    seq INTEGER NOT NULL,           -- of the record that gives the title; the latest counts
    title TEXT NOT NULL,
    PRIMARY KEY (source_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims_buckets (
    id INTEGER PRIMARY KEY,         -- in the order of their first facts, so that what is new lies together
    hash INTEGER NOT NULL UNIQUE
) STRICT;
CREATE TABLE IF NOT EXISTS claims_facts (
    seq INTEGER PRIMARY KEY,
    bucket INTEGER NOT NULL,        -- 0: not placed yet
    variant INTEGER NOT NULL,
    visible INTEGER NOT NULL,
    namespace INTEGER NOT NULL,
    source INTEGER NOT NULL,        -- numbers of ``claim_terms``
    grp INTEGER NOT NULL,
    subject_key TEXT NOT NULL,      -- as the fact names it; empty where it names nothing
    object_key TEXT NOT NULL,
    subject TEXT NOT NULL,          -- the entity it stands for
    object TEXT NOT NULL,
    newest INTEGER NOT NULL,        -- microseconds since 1970
    first TEXT NOT NULL,            -- first and last day the statement is dated to, or empty
    last TEXT NOT NULL,
    rank INTEGER NOT NULL,
    body BLOB NOT NULL              -- StoredFact without its source and group, msgpack
) STRICT;
CREATE INDEX IF NOT EXISTS claims_facts_bucket ON claims_facts (bucket, variant, visible, seq);
CREATE INDEX IF NOT EXISTS claims_facts_source ON claims_facts (source, bucket);
CREATE INDEX IF NOT EXISTS claims_facts_subject ON claims_facts (subject_key, grp);
CREATE INDEX IF NOT EXISTS claims_facts_object ON claims_facts (object_key, grp) WHERE object_key != '';
CREATE TABLE IF NOT EXISTS claims_evidence (
    record INTEGER NOT NULL,
    fact INTEGER NOT NULL,
    PRIMARY KEY (record, fact)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims_sums (
    bucket INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    form BLOB NOT NULL,             -- Variant, msgpack
    written TEXT NOT NULL,          -- the value as the best fact writes it, ready to compare
    facts INTEGER NOT NULL,
    confidence INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    first TEXT NOT NULL,
    last_start TEXT NOT NULL,
    last_end TEXT NOT NULL,
    best INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    PRIMARY KEY (bucket, variant)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims_tally (
    bucket INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    kind INTEGER NOT NULL,          -- 0: origins, 1: groups
    name INTEGER NOT NULL,          -- of a source or group, a number of ``claim_terms``
    facts INTEGER NOT NULL,
    PRIMARY KEY (bucket, variant, kind, name)
) STRICT, WITHOUT ROWID;
"""

ORIGIN, GROUP = 0, 1
_TALLY_COLUMNS: Final = (
    "variant, form, written, facts, confidence, newest, first, last_start, last_end, best, rank FROM claims_sums"
)


class FactRow(NamedTuple):
    """One fact as stored, with its place (bucket 0: not placed yet); ``voice`` as in ``claim_voices``."""

    fact: StoredFact
    bucket: int
    variant: int
    visible: bool
    namespace: int
    subject: str
    object: str
    voice: int = 0


_FACT_COLUMNS: Final = (
    f"body, bucket, variant, visible, namespace, subject, object, s.text, g.text, {VOICE_OF.format('s.text')}"
    " FROM claims_facts"
    " JOIN claims_terms s ON s.id = source JOIN claims_terms g ON g.id = grp"
)


def _fact_row(row: Sequence[SqlValue]) -> FactRow:
    body, bucket, variant, visible, namespace, subject, object_, source, group, voice = row
    bare = msgspec.msgpack.decode(cast("bytes", body), type=StoredFact)
    fact = structs.replace(bare, source_id=SourceId(str(source)) if source else None, group_id=str(group))
    numbers = int(bucket or 0), int(variant or 0), bool(visible), int(namespace or 0)
    return FactRow(fact, *numbers, str(subject), str(object_), int(voice or 0))


def fact_at(connection: Connection, seq: int) -> FactRow | None:
    """Return the fact at a log position."""
    row = connection.execute(f"SELECT {_FACT_COLUMNS} WHERE seq = ?", (seq,)).fetchone()
    return None if row is None else _fact_row(row)


def facts_of(connection: Connection, bucket: int) -> Iterator[FactRow]:
    """Yield all facts of a bucket, hidden ones too, in log order."""
    rows = connection.execute(f"SELECT {_FACT_COLUMNS} WHERE bucket = ? ORDER BY seq", (bucket,))
    return (_fact_row(row) for row in rows)


def visible_facts_of(connection: Connection, bucket: int, variants: Sequence[int], limit: int) -> list[FactRow]:
    """Return the first ``limit`` visible facts of some variants, in log order."""
    rows = connection.execute(
        f"SELECT {_FACT_COLUMNS} WHERE bucket = ? AND visible = 1 AND variant IN (SELECT value FROM json_each(?))"
        " ORDER BY seq LIMIT ?",
        (bucket, json.dumps(list(variants)), limit),
    )
    return [_fact_row(row) for row in rows]


def counted_facts_of(connection: Connection, source_id: str) -> list[FactRow]:
    """Return the facts of a source that are counted in where they are placed."""
    where = f"source = {NUMBER_OF.format('?')} AND bucket != 0 AND visible = 1"
    return [_fact_row(row) for row in connection.execute(f"SELECT {_FACT_COLUMNS} WHERE {where}", (source_id,))]


def insert_fact(connection: Connection, fact: StoredFact, namespace: int, keys: tuple[str, str], visible: bool) -> None:
    """Store a fact that is not placed yet; ``keys`` are what it calls its subject and object."""
    first, last = dates_of(fact)
    connection.execute(
        "INSERT INTO claims_facts VALUES (?, 0, 0, ?, ?, ?, ?, ?, ?, '', '', ?, ?, ?, ?, ?)",
        (
            fact.seq,
            int(visible),
            namespace,
            term_number(connection, fact.source_id or ""),
            term_number(connection, fact.group_id),
            *keys,
            fact.newest_us,
            first,
            last,
            fact.rank,
            msgspec.msgpack.encode(structs.replace(fact, source_id=None, group_id="")),
        ),
    )
    connection.execute(
        "INSERT OR IGNORE INTO claims_evidence SELECT seq, ? FROM claims_records"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (fact.seq, json.dumps(list(fact.evidence_ids))),
    )


def bucket_number(connection: Connection, bucket_hash: int) -> int:
    """Return the number of a bucket, giving it one when it is new."""
    found = bucket_at(connection, bucket_hash)
    if found is not None:
        return found
    connection.execute("INSERT INTO claims_buckets (hash) VALUES (?)", (bucket_hash,))
    return connection.last_insert_rowid()


def bucket_at(connection: Connection, bucket_hash: int | None) -> int | None:
    """Return the number of a bucket, or None where it has none."""
    found = connection.execute("SELECT id FROM claims_buckets WHERE hash = ?", (bucket_hash,)).get
    return None if found is None else int(found)


def bucket_hash_at(connection: Connection, bucket: int) -> int:
    """Return the hash behind the number of a bucket."""
    return int(connection.execute("SELECT hash FROM claims_buckets WHERE id = ?", (bucket,)).get)


def release_bucket(connection: Connection, bucket: int) -> None:
    """Forget a bucket that holds no fact any more."""
    connection.execute(
        "DELETE FROM claims_buckets WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM claims_facts WHERE bucket = ?1)",
        (bucket,),
    )


def add_to_sums(connection: Connection, row: FactRow) -> None:
    """Count a fact in where it is placed."""
    fact = row.fact
    first, last = dates_of(fact)
    connection.execute(
        """
        INSERT INTO claims_sums VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7, ?7, ?8, ?9, ?10)
        ON CONFLICT (bucket, variant) DO UPDATE SET
            written = CASE WHEN (?10, -?9) > (rank, -best) THEN ?4 ELSE written END,
            best = CASE WHEN (?10, -?9) > (rank, -best) THEN ?9 ELSE best END,
            rank = max(rank, ?10),
            facts = facts + 1,
            confidence = confidence + ?5,
            newest = max(newest, ?6),
            first = CASE WHEN ?7 = '' THEN first WHEN first = '' THEN ?7 ELSE min(first, ?7) END,
            last_end = CASE WHEN (?7, ?8) > (last_start, last_end) THEN ?8 ELSE last_end END,
            last_start = max(last_start, ?7)
        """,
        (
            row.bucket,
            row.variant,
            msgspec.msgpack.encode(variant_form(fact, row.object)),
            comparable_object(fact),
            round(fact.confidence * MICRO),
            fact.newest_us,
            first,
            last,
            fact.seq,
            fact.rank,
        ),
    )
    for kind, name in _voices(connection, row):
        connection.execute(
            "INSERT INTO claims_tally VALUES (?, ?, ?, ?, 1)"
            " ON CONFLICT (bucket, variant, kind, name) DO UPDATE SET facts = facts + 1",
            (row.bucket, row.variant, kind, name),
        )


def take_from_sums(connection: Connection, row: FactRow) -> bool:
    """Count a fact out; tell whether it was the newest, the best or an edge of its dates, which are then to be settled.

    It must be stored as hidden, or elsewhere, by the time they are.
    """
    fact, key = row.fact, (row.bucket, row.variant)
    extremes = connection.execute(
        "SELECT best, newest, first, last_start FROM claims_sums WHERE bucket = ? AND variant = ?", key
    ).fetchone()
    connection.execute(
        "UPDATE claims_sums SET facts = facts - 1, confidence = confidence - ? WHERE bucket = ? AND variant = ?",
        (round(fact.confidence * MICRO), *key),
    )
    for kind, name in _voices(connection, row):
        connection.execute(
            "UPDATE claims_tally SET facts = facts - 1 WHERE bucket = ? AND variant = ? AND kind = ? AND name = ?",
            (*key, kind, name),
        )
        connection.execute(
            "DELETE FROM claims_tally WHERE bucket = ? AND variant = ? AND kind = ? AND name = ? AND facts = 0",
            (*key, kind, name),
        )
    connection.execute("DELETE FROM claims_sums WHERE bucket = ? AND variant = ? AND facts = 0", key)
    day = dates_of(fact)[0]
    return extremes is not None and (
        extremes[0] == fact.seq or extremes[1] == fact.newest_us or bool(day and day in extremes[2:])
    )


def settle_extremes(connection: Connection, bucket: int, variant: int) -> None:
    """Look again for the newest, the dates and the best of a variant that facts were taken from."""
    rows = connection.execute(
        "SELECT newest, first, last, rank, -seq FROM claims_facts WHERE bucket = ? AND variant = ? AND visible = 1",
        (bucket, variant),
    ).fetchall()
    if not rows:
        return
    rank, best = max((row[3], row[4]) for row in rows)
    stored = fact_at(connection, -best)
    connection.execute(
        "UPDATE claims_sums SET newest = ?, first = ?, last_start = ?, last_end = ?, best = ?, rank = ?, written = ?"
        " WHERE bucket = ? AND variant = ?",
        (
            max(row[0] for row in rows),
            min((row[1] for row in rows if row[1]), default=""),
            *max((row[1], row[2]) for row in rows),
            -best,
            rank,
            comparable_object(stored.fact) if stored is not None else "",
            bucket,
            variant,
        ),
    )


def tallies_of(connection: Connection, bucket: int, limit: int) -> list[Tally]:
    """Return the sums of a bucket, at most ``limit`` variants, in a fixed order."""
    rows = connection.execute(f"SELECT {_TALLY_COLUMNS} WHERE bucket = ? ORDER BY variant LIMIT ?", (bucket, limit))
    return [_tally(connection, bucket, row) for row in rows.fetchall()]


def tally_at(connection: Connection, bucket: int, variant: int) -> Tally | None:
    """Return the sums of one variant."""
    found = connection.execute(f"SELECT {_TALLY_COLUMNS} WHERE bucket = ? AND variant = ?", (bucket, variant))
    row = found.fetchone()
    return None if row is None else _tally(connection, bucket, row)


def tally_facts(rows: Sequence[FactRow]) -> list[Tally]:
    """Sum facts of one bucket that stand in memory, as the tables would; for a scope narrower than the vault."""
    grouped: dict[int, list[FactRow]] = {}
    for row in rows:
        grouped.setdefault(row.variant, []).append(row)
    return [_sum_up(variant, grouped[variant]) for variant in sorted(grouped)]


def _sum_up(variant: int, rows: Sequence[FactRow]) -> Tally:
    facts = [row.fact for row in rows]
    dates = [dates_of(fact) for fact in facts]
    best = max(facts, key=lambda fact: (fact.rank, -fact.seq))
    last = max(dates)
    origins = sorted({_heard(row, row.fact.origin) for row in rows})
    groups = {_heard(row, row.fact.group_id) for row in rows if row.fact.group_id}
    return Tally(
        variant=variant,
        form=variant_form(best, rows[0].object),
        written=comparable_object(best),
        fact_count=len(facts),
        confidence=sum(round(fact.confidence * MICRO) for fact in facts),
        newest_us=max(fact.newest_us for fact in facts),
        first=min((first for first, _ in dates if first), default=""),
        last_start=last[0],
        last_end=last[1],
        best=best.seq,
        rank=best.rank,
        origins=frozenset({origins[0], origins[-1]}),
        groups=frozenset(sorted(groups)[:FULL_SUPPORT]),
    )


def _tally(connection: Connection, bucket: int, row: Sequence[SqlValue]) -> Tally:
    variant, form, written, facts, confidence, newest, first, last_start, last_end, best, rank = row
    where = "FROM claims_tally WHERE bucket = ? AND variant = ? AND kind = ?"
    ends = connection.execute(f"SELECT min(name), max(name) {where}", (bucket, variant, ORIGIN)).fetchall()[0]
    groups = connection.execute(
        f"SELECT name {where} ORDER BY name LIMIT ?", (bucket, variant, GROUP, FULL_SUPPORT)
    ).fetchall()
    return Tally(
        variant=int(variant or 0),
        form=msgspec.msgpack.decode(cast("bytes", form), type=Variant),
        written=str(written),
        fact_count=int(facts or 0),
        confidence=int(confidence or 0),
        newest_us=int(newest or 0),
        first=str(first),
        last_start=str(last_start),
        last_end=str(last_end),
        best=int(best or 0),
        rank=int(rank or 0),
        origins=frozenset(str(name) for name in ends),
        groups=frozenset(str(name) for (name,) in groups),
    )


def _voices(connection: Connection, row: FactRow) -> list[tuple[int, int]]:
    """Who speaks in a fact: its source, else its group; and its group. Copies of one text speak as one."""
    names = {ORIGIN: row.fact.origin, GROUP: row.fact.group_id}
    return [
        (kind, row.voice if _is_copy(row, name) else known_number(connection, name))
        for kind, name in names.items()
        if name or kind == ORIGIN
    ]


def _heard(row: FactRow, name: str) -> str:
    return str(row.voice) if _is_copy(row, name) else name


def _is_copy(row: FactRow, name: str) -> bool:
    """Whether a name is that of a source whose voice is made of its letters; a conversation is a voice of its own."""
    return bool(row.voice) and name == row.fact.source_id
