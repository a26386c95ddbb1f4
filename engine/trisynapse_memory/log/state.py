"""One record in, derived rows out: what the log says now about sources and hidden records.

The tables ``sources`` and ``hidden`` are a fold over the records in log order; folding again from the start gives the
same rows. Nothing else writes them.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from trisynapse_memory.log.rows import namespace_key
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import (
    CITABLE,
    CollectionDetails,
    CompletionDetails,
    Kind,
    MetadataDetails,
    Record,
    ReinstatementDetails,
    RetractionDetails,
    SourceDetails,
    SourceStatus,
    TagDetails,
)


def fold(connection: Connection, record: Record) -> None:
    """Bring the derived tables up to date with one record that was just appended."""
    match record.payload:
        case SourceDetails() as details:
            _fold_source(connection, record, details)
        case CompletionDetails() as details:
            _fold_completion(connection, details)
        case RetractionDetails() as details:
            _hide(connection, details.target_record_ids)
            _set_status(connection, details.target_source_ids, SourceStatus.FORGOTTEN)
        case ReinstatementDetails() as details:
            _show(connection, details.target_record_ids)
            _set_status(connection, details.target_source_ids, SourceStatus.ACTIVE)
            _set_status(connection, _one(details.supersedes), SourceStatus.SUPERSEDED)
        case CollectionDetails() as details:
            _change_list(connection, "collections", details)
        case TagDetails() as details:
            _change_list(connection, "tags", details)
        case MetadataDetails(name="title") as details:
            connection.execute(
                "UPDATE sources SET title = ? WHERE source_id = ?", (details.value, details.target_source_id)
            )
        case _:
            if record.kind in CITABLE and record.source_id is not None:
                connection.execute(
                    "UPDATE sources SET record_count = record_count + 1 WHERE source_id = ?", (record.source_id,)
                )


def affected_seqs(connection: Connection, record: Record) -> set[int]:
    """Return the citable records whose visibility this lifecycle record may have changed."""
    match record.payload:
        case CompletionDetails() as details:
            others = _other_versions(connection, details.target_source_id)
            return _seqs_of_sources(connection, (details.target_source_id, *others, *_one(details.supersedes)))
        case RetractionDetails() as details:
            record_ids, source_ids = details.target_record_ids, details.target_source_ids
        case ReinstatementDetails() as details:
            record_ids = details.target_record_ids
            source_ids = (*details.target_source_ids, *_one(details.supersedes))
        case _:
            return set()
    return _seqs_of_records(connection, record_ids) | _seqs_of_sources(connection, source_ids)


VISIBLE_SQL = """
    r.seq NOT IN (SELECT seq FROM hidden)
    AND (r.source_id IS NULL OR EXISTS (
        SELECT 1 FROM sources s WHERE s.source_id = r.source_id
        AND (s.status = 'active' OR (s.status = 'arriving' AND s.replaces IS NULL))))
"""
"""A record is seen when nobody hid it and its source is in use, or arriving without an older version to protect."""


def visible_seqs(connection: Connection, seqs: Iterable[int]) -> set[int]:
    """Return those of the given records that answers may see now."""
    rows = connection.execute(
        "SELECT r.seq FROM records r WHERE r.seq IN (SELECT value FROM json_each(?)) AND r.content IS NOT NULL"
        f" AND {VISIBLE_SQL}",
        (msgspec.json.encode(list(seqs)).decode(),),
    )
    return {int(row[0]) for row in rows}


def _fold_source(connection: Connection, record: Record, details: SourceDetails) -> None:
    connection.execute(
        "INSERT INTO sources (source_id, seq, source_key, namespace_key, content_hash, status, replaces, page_count,"
        " title, collections, tags) VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (source_id) DO NOTHING",
        (
            record.source_id,
            record.seq,
            details.source_key,
            namespace_key(record.namespace),
            details.content_hash,
            SourceStatus.ARRIVING.value,
            details.replaces,
            details.page_count,
            details.title,
            msgspec.json.encode(details.collections).decode(),
            msgspec.json.encode(details.tags).decode(),
        ),
    )


def _fold_completion(connection: Connection, details: CompletionDetails) -> None:
    connection.execute(
        "UPDATE sources SET verdicts = ?, page_count = ?,"
        " status = CASE status WHEN 'arriving' THEN 'active' ELSE status END WHERE source_id = ?",
        (msgspec.json.encode(details.verdicts).decode(), details.page_count, details.target_source_id),
    )
    # A version that a crash left half read is retired by the first one of its key that is whole.
    for source_id in _other_versions(connection, details.target_source_id):
        connection.execute(
            "UPDATE sources SET status = 'superseded' WHERE source_id = ? AND status = 'arriving'", (source_id,)
        )
    _set_status(connection, _one(details.supersedes), SourceStatus.SUPERSEDED)


def _other_versions(connection: Connection, source_id: str) -> tuple[str, ...]:
    rows = connection.execute(
        "SELECT o.source_id FROM sources o JOIN sources t ON o.source_key = t.source_key"
        " AND o.namespace_key = t.namespace_key WHERE t.source_id = ? AND o.source_id != t.source_id",
        (source_id,),
    )
    return tuple(str(row[0]) for row in rows)


def _change_list(connection: Connection, column: str, details: CollectionDetails | TagDetails) -> None:
    for source_id in details.target_source_ids:
        row = connection.execute(f"SELECT {column} FROM sources WHERE source_id = ?", (source_id,)).fetchone()
        if row is None:
            continue
        names = [name for name in msgspec.json.decode(row[0], type=list[str]) if name != details.name]
        if not details.removed:
            names.append(details.name)
        text = msgspec.json.encode(names).decode()
        connection.execute(f"UPDATE sources SET {column} = ? WHERE source_id = ?", (text, source_id))


def _set_status(connection: Connection, source_ids: Iterable[str], status: SourceStatus) -> None:
    for source_id in source_ids:
        connection.execute("UPDATE sources SET status = ? WHERE source_id = ?", (status.value, source_id))


def _hide(connection: Connection, record_ids: Iterable[str]) -> None:
    for seq in _seqs_of_records(connection, record_ids):
        connection.execute("INSERT OR IGNORE INTO hidden (seq) VALUES (?)", (seq,))


def _show(connection: Connection, record_ids: Iterable[str]) -> None:
    for seq in _seqs_of_records(connection, record_ids):
        connection.execute("DELETE FROM hidden WHERE seq = ?", (seq,))


def _seqs_of_records(connection: Connection, record_ids: Iterable[str]) -> set[int]:
    rows = connection.execute(
        "SELECT seq FROM records WHERE id IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(list(record_ids)).decode(),),
    )
    return {int(row[0]) for row in rows}


def _seqs_of_sources(connection: Connection, source_ids: Iterable[str]) -> set[int]:
    rows = connection.execute(
        "SELECT seq FROM records WHERE source_id IN (SELECT value FROM json_each(?)) AND kind IN (?, ?)",
        (msgspec.json.encode(list(source_ids)).decode(), Kind.RAW_SOURCE.value, Kind.FACT.value),
    )
    return {int(row[0]) for row in rows}


def _one(value: str | None) -> tuple[str, ...]:
    return () if value is None else (value,)
