"""Facts, corrections and verbs in, rows of ``evidence``, ``struck`` and ``pointers`` out: who rests on whom, and where.

An ``evidence`` row says that a fact rests on ``base_seq`` at ``[start, end)`` of its text. Where no span is known it is
``WHOLE``: whatever a correction strikes there takes the fact away, since it may have been what the fact says. A fact
that names no evidence, and every correction, rests on its own words; a fact that was read out of something
(``FactDetails``) but names nothing rests on nothing and is never seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trisynapse_memory.log.visibility import seqs_of_ids
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import (
    CorrectionDetails,
    FactDetails,
    Kind,
    Record,
    ReinstatementDetails,
    RemovalDetails,
    RetractionDetails,
    SensitivityDetails,
    TagDetails,
)

NOTHING: Final = 0
"""The position that no record has: what a fact rests on when its evidence is not in the log."""

WHOLE: Final = (0, 2**31 - 1)


def fold_evidence(connection: Connection, record: Record) -> None:
    """Write down what one record rests on, strikes or points at."""
    if record.kind is Kind.FACT:
        _rest(connection, record)
    if isinstance(record.payload, CorrectionDetails):
        _strike(connection, record.seq, record.payload)
    names = tuple(dict.fromkeys(_named(record)))
    for base_seq in seqs_of_ids(connection, names).values() if names else ():
        if base_seq != record.seq:
            connection.execute("INSERT OR IGNORE INTO pointers (base_seq, seq) VALUES (?,?)", (base_seq, record.seq))


def _rest(connection: Connection, record: Record) -> None:
    rows: list[tuple[int, int, int, int]] = []
    stands_alone = isinstance(record.payload, CorrectionDetails) or not record.evidence_ids
    if stands_alone and not isinstance(record.payload, FactDetails):
        rows = [(record.seq, record.seq, 0, len(record.text))]
    else:
        spans = record.payload.spans if isinstance(record.payload, FactDetails) else ()
        known = seqs_of_ids(connection, record.evidence_ids)
        for index, record_id in enumerate(record.evidence_ids):
            start, end = spans[index] if index < len(spans) else WHOLE
            rows.append((record.seq, known.get(record_id, NOTHING), start, end))
    connection.executemany(
        "INSERT OR IGNORE INTO evidence (seq, base_seq, start, end) VALUES (?,?,?,?)",
        rows or [(record.seq, NOTHING, *WHOLE)],
    )


def _strike(connection: Connection, seq: int, details: CorrectionDetails) -> None:
    known = seqs_of_ids(connection, details.struck_record_ids)
    rows = [
        (known[record_id], start, end, seq)
        for record_id, (start, end) in zip(details.struck_record_ids, details.struck, strict=False)
        if record_id in known
    ]
    connection.executemany("INSERT OR IGNORE INTO struck (base_seq, start, end, by_seq) VALUES (?,?,?,?)", rows)


def _named(record: Record) -> Iterator[str]:
    """Yield the ids that a verb, a note or a description names; facts are found through their evidence."""
    match record.payload:
        case (
            RetractionDetails() | ReinstatementDetails() | RemovalDetails() | TagDetails() | SensitivityDetails()
        ) as details:
            yield from details.target_record_ids
        case CorrectionDetails() as details:
            yield details.target_record_id
            yield from details.struck_record_ids
        case _ if record.kind in (Kind.NOTE, Kind.DESCRIPTION):
            yield from record.evidence_ids
        case _:
            return
