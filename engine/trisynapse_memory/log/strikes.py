"""Records in, the stretches of their evidence and what her corrections struck of them out; nothing is appended here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from trisynapse_memory.log.evidence import NOTHING, WHOLE
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.visibility import STANDS_SQL, stood_sql
from trisynapse_memory.types import CorrectionDetails, Record, RecordId


class Stretch(NamedTuple):
    """Characters ``[start, end)`` of the text of one record."""

    record_id: RecordId
    start: int
    end: int


class Strike(NamedTuple):
    """Characters ``[start, end)`` of a record that no longer count, the correction that says so, and her reason."""

    start: int
    end: int
    correction_id: RecordId
    reason: str


def evidence_of(log: MemoryLog, record: Record) -> tuple[Stretch, ...]:
    """Return what a record rests on: the evidence of a fact, or for any other record its own whole text."""
    sql = (
        "SELECT b.id, e.start, e.end, e.base_seq FROM evidence e JOIN records b ON b.seq = e.base_seq"
        " WHERE e.seq = ? AND e.base_seq != ? ORDER BY e.base_seq, e.start"
    )
    with log.database.read() as connection:
        rows = connection.execute(sql, (record.seq, NOTHING)).fetchall()
    if not rows:
        return (Stretch(record.id, 0, len(record.text)),)
    lengths = {one.seq: len(one.text) for one in log.by_seqs([row[3] for row in rows if row[2] == WHOLE[1]])}
    return tuple(Stretch(RecordId(found), start, min(end, lengths.get(seq, end))) for found, start, end, seq in rows)


def struck_spans(log: MemoryLog, seqs: Sequence[int], as_of_seq: int | None = None) -> dict[int, tuple[Strike, ...]]:
    """Return what corrections in force strike of these records: spans of their text, in text order.

    Records of which nothing is struck are left out. Spans of two corrections may overlap.

    Args:
        log: the log.
        seqs: positions of any records.
        as_of_seq: look as of this end of the log instead of now.
    """
    stands = STANDS_SQL if as_of_seq is None else stood_sql("r")
    sql = (
        "SELECT k.base_seq, k.start, k.end, k.by_seq FROM struck k JOIN records r ON r.seq = k.by_seq"
        f" WHERE k.base_seq IN (SELECT value FROM json_each(:seqs)) AND {stands} ORDER BY k.start, k.end, k.by_seq"
    )
    bindings = {"seqs": msgspec.json.encode(list(seqs)).decode(), "then": as_of_seq}
    with log.database.read() as connection:
        rows = connection.execute(sql, bindings).fetchall()
    corrections = {one.seq: one for one in log.by_seqs(sorted({int(row[3]) for row in rows}))}
    found: dict[int, list[Strike]] = {}
    for base_seq, start, end, by_seq in rows:
        correction = corrections[by_seq]
        reason = correction.payload.reason if isinstance(correction.payload, CorrectionDetails) else ""
        found.setdefault(base_seq, []).append(Strike(start, end, correction.id, reason))
    return {seq: tuple(strikes) for seq, strikes in found.items()}
