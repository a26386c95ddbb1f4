"""Rows of a log in, what they say of each other that is not so out: evidence, corrections, verdicts, derived tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from trisynapse_memory.errors import VaultDamagedError
from trisynapse_memory.log.rows import Header, Remains, record_of, unpack
from trisynapse_memory.log.schema import DERIVED_SCHEMA, DERIVED_TABLES
from trisynapse_memory.log.state import fold
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.sqlite import Connection, SqlRow
from trisynapse_memory.types import (
    CorrectionDetails,
    Draft,
    FactDetails,
    Finding,
    Kind,
    PageDetails,
    RemovalDetails,
    SourceDetails,
)

FOLD_RECORDS: Final = 500
_COLUMNS: Final = (
    "seq, id, device_id, device_seq, written_at, kind, content_hash, chain_hash, salt, content, source_id,"
    " namespace_key"
)
_decode_draft = msgspec.json.Decoder(Draft).decode


class Row(NamedTuple):
    """One row as it lies in the log. ``broken`` says why it has no ``draft`` although it was not removed."""

    header: Header
    salt: bytes | None
    content: str | None
    remains: Remains
    draft: Draft | None = None
    broken: str = ""


class _Words(Struct):
    text: str = ""


def read_rows(log: MemoryLog, after_seq: int, limit: int) -> tuple[Row, ...]:
    """Return up to ``limit`` rows that follow a position, each as far as it can be read."""
    sql = f"SELECT {_COLUMNS} FROM records WHERE seq > ? ORDER BY seq LIMIT ?"
    with log.database.read() as connection:
        return tuple(_row_of(found) for found in connection.execute(sql, (after_seq, limit)))


def _row_of(columns: SqlRow) -> Row:
    header, (salt, stored, *remains) = Header(*columns[:8]), columns[8:]
    blank = Row(header, None, None, Remains(*remains))
    if stored is None and salt is None:
        return blank
    if stored is None or salt is None:
        return blank._replace(broken="it is half removed")
    try:
        content = str(unpack(stored))
    except VaultDamagedError as error:
        return blank._replace(broken=error.problem)
    try:
        return blank._replace(salt=salt, content=content, draft=_decode_draft(content))
    except msgspec.DecodeError as error:
        return blank._replace(salt=salt, content=content, broken=f"its content cannot be read ({error})")


def check_references(log: MemoryLog, rows: Sequence[Row]) -> Iterator[Finding]:
    """Yield what these rows name and is not there, spans that lie outside their text, and blanks nobody logged."""
    named = {one for row in rows if row.draft is not None for one in _names_of(row.draft)}
    lengths = _lengths(log, named)
    blank = [row.header.seq for row in rows if row.content is None and not row.broken]
    accounted = _removed(log, blank) if blank else set[int]()
    for row in rows:
        if row.header.seq in blank and row.header.seq not in accounted:
            yield _finding("log.unlogged", row.header, "it is blank, and no removal says so")
        if row.draft is not None:
            yield from _check_names(row.header, row.draft, lengths)


def _names_of(draft: Draft) -> Iterator[str]:
    yield from draft.evidence_ids
    if isinstance(draft.payload, CorrectionDetails):
        yield draft.payload.target_record_id
        yield from draft.payload.struck_record_ids


def _check_names(header: Header, draft: Draft, lengths: dict[str, int | None]) -> Iterator[Finding]:
    for record_id in dict.fromkeys(_names_of(draft)):
        if record_id not in lengths:
            yield _finding("log.evidence", header, f"it rests on '{record_id}', which is not there")
    match draft.payload:
        case FactDetails() as details:
            spans = zip(draft.evidence_ids, details.spans, strict=False)
        case CorrectionDetails() as details:
            spans = zip(details.struck_record_ids, details.struck, strict=False)
        case _:
            return
    for record_id, (start, end) in spans:
        length = lengths.get(record_id)  # None: unknown, which was said above, or removed
        if length is not None and not 0 <= start <= end <= length:
            yield _finding("log.span", header, f"[{start}, {end}) lies outside the text of '{record_id}'")


def _lengths(log: MemoryLog, record_ids: set[str]) -> dict[str, int | None]:
    """Return how long the texts of these records are; None for one whose text is gone or cannot be read."""
    sql = "SELECT id, content FROM records WHERE id IN (SELECT value FROM json_each(?))"
    with log.database.read() as connection:
        rows = connection.execute(sql, (msgspec.json.encode(sorted(record_ids)).decode(),)).fetchall()
    return {str(record_id): _length(stored) for record_id, stored in rows}


def _length(stored: str | bytes | None) -> int | None:
    try:
        content = unpack(stored)
        return None if content is None else len(msgspec.json.decode(content, type=_Words).text)
    except (VaultDamagedError, msgspec.DecodeError):
        return None


def _removed(log: MemoryLog, seqs: Sequence[int]) -> set[int]:
    sql = (
        "SELECT p.base_seq FROM pointers p JOIN records r ON r.seq = p.seq"
        " WHERE p.base_seq IN (SELECT value FROM json_each(?)) AND r.kind = ?"
    )
    with log.database.read() as connection:
        rows = connection.execute(sql, (msgspec.json.encode(list(seqs)).decode(), Kind.REMOVAL.value))
        return {int(row[0]) for row in rows}


def check_verdicts(log: MemoryLog, source_id: str, page_count: int, verdicts: str) -> Iterator[Finding]:
    """Yield whether the pages of a source that has arrived carry other verdicts than its totals say.

    A source of which a page was removed cannot be counted any more.
    """
    totals = msgspec.json.decode(verdicts, type=dict[str, int])
    # Of a page that was read again, the last record counts.
    latest: dict[int, str] = {}
    sql = "SELECT content FROM records WHERE source_id = ? AND kind = ? ORDER BY seq"
    with log.database.read() as connection:
        rows = connection.execute(sql, (source_id, Kind.PAGE.value)).fetchall()
    if any(row[0] is None for row in rows):
        return
    for (stored,) in rows:
        number, verdict = _verdict(stored)
        latest[number or -len(latest) - 1] = verdict
    found = dict(Counter(latest.values()))
    if found != totals or sum(totals.values()) != page_count:
        message = f"its pages carry {found}, its completion says {totals} of {page_count}"
        yield Finding(code="log.verdicts", where=source_id, message=message, fix="add it again")


def _verdict(stored: str | bytes) -> tuple[int, str]:
    """The number of a page, 0 where its record cannot be read, and its verdict."""
    try:
        draft = _decode_draft(unpack(stored) or "")
    except (VaultDamagedError, msgspec.DecodeError):
        return 0, "unreadable"
    number = (draft.locator.page if draft.locator else None) or 1
    return number, draft.payload.verdict.value if isinstance(draft.payload, PageDetails) else "none"


def original_hashes(log: MemoryLog) -> dict[str, str]:
    """Return source id -> hash of the original that must be there: those of removals are not expected any more."""
    gone = {
        content_hash
        for removal in log.of_kind(Kind.REMOVAL)
        if isinstance(removal.payload, RemovalDetails)
        for content_hash in removal.payload.originals
    }
    sql = "SELECT content FROM records WHERE kind = ? AND content IS NOT NULL ORDER BY seq"
    with log.database.read() as connection:
        rows = connection.execute(sql, (Kind.SOURCE.value,)).fetchall()
    hashes: dict[str, str] = {}
    for (stored,) in rows:
        try:
            draft = _decode_draft(unpack(stored) or "")
        except (VaultDamagedError, msgspec.DecodeError):
            continue
        if isinstance(draft.payload, SourceDetails) and draft.payload.blob_hash not in ("", *gone):
            hashes[str(draft.source_id)] = draft.payload.blob_hash
    return hashes


def check_refold(log: MemoryLog) -> list[Finding]:
    """Fold the log anew beside its derived tables, and return which of these hold something else."""
    with log.database.scratch() as connection:
        # Temporary tables hide those of the same name, so the fold runs as it is and writes to nothing of the log.
        temporary = DERIVED_SCHEMA.replace("TABLE IF NOT EXISTS", "TEMP TABLE")
        connection.execute(temporary.replace("INDEX IF NOT EXISTS ", "INDEX temp."))
        last = 0
        sql = f"SELECT {_COLUMNS} FROM main.records WHERE seq > ? ORDER BY seq LIMIT ?"
        while rows := [_row_of(found) for found in connection.execute(sql, (last, FOLD_RECORDS))]:
            for row in rows:
                fold(connection, record_of(row.header, row.content, row.remains))
            last = rows[-1].header.seq
        return [one for table in DERIVED_TABLES for one in _compare(connection, table)]


def _compare(connection: Connection, table: str) -> Iterator[Finding]:
    counts = [
        int(
            connection.execute(
                f"SELECT count(*) FROM (SELECT * FROM {one}.{table} EXCEPT SELECT * FROM {two}.{table})"
            ).get
        )
        for one, two in (("temp", "main"), ("main", "temp"))
    ]
    if any(counts):
        message = f"{counts[0]} rows are missing, {counts[1]} are not what the log says"
        yield Finding(code="log.derived", where=table, message=message, fix="reindex")


def _finding(code: str, header: Header, message: str) -> Finding:
    return Finding(code=code, where=f"seq {header.seq} ({header.id})", message=message, fix="restore a backup")
