"""One record in, derived rows out: what the log says now, and said at every earlier position, about its records.

The derived tables (``schema.DERIVED_SCHEMA``) are a fold over the records in log order; folding again from the start
gives the same rows. Nothing else writes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec

from trisynapse_memory.log import spells
from trisynapse_memory.log.evidence import fold_evidence
from trisynapse_memory.log.marks import fold_sensitivity, fold_snapshot
from trisynapse_memory.log.matches import REFERENCE, fold_match, fold_names
from trisynapse_memory.log.rows import REMOVED_TEXT, namespace_key
from trisynapse_memory.log.visibility import citable_of_sources, seqs_of_ids, with_dependants
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import (
    CITABLE,
    CollectionDetails,
    CompletionDetails,
    Kind,
    MetadataDetails,
    PageDetails,
    PageVerdict,
    Record,
    ReinstatementDetails,
    RemovalDetails,
    RetractionDetails,
    SensitivityDetails,
    SnapshotDetails,
    SourceDetails,
    SourceStatus,
    TagDetails,
)

SOURCE_KEY: Final = "source_key"
"""The name of the metadata that gives a source another key: its file was renamed."""

TEXT_HASH: Final = "text_hash"
"""The name of the metadata that gives a source another hash: pages of it were read after it had arrived."""


def fold(connection: Connection, record: Record) -> None:
    """Bring the derived tables up to date with one record that was just appended."""
    connection.execute("INSERT OR IGNORE INTO namespaces VALUES (?)", (namespace_key(record.namespace),))
    match record.payload:
        case SourceDetails() as details:
            _fold_source(connection, record, details)
        case CompletionDetails() as details:
            _fold_completion(connection, record.seq, details)
        case RetractionDetails() as details:
            _hide(connection, details.target_record_ids, record.seq)
            _set_status(connection, details.target_source_ids, SourceStatus.FORGOTTEN, record.seq)
        case ReinstatementDetails() as details:
            _show(connection, details.target_record_ids, record.seq)
            _set_status(connection, details.target_source_ids, SourceStatus.ACTIVE, record.seq)
            _set_status(connection, _one(details.supersedes), SourceStatus.SUPERSEDED, record.seq)
        case CollectionDetails() as details:
            _change_list(connection, "collections", details)
        case TagDetails() as details:
            _change_list(connection, "tags", details)
        case MetadataDetails(name="title") as details:
            connection.execute(
                "UPDATE sources SET title = ? WHERE source_id = ?", (details.value, details.target_source_id)
            )
        case MetadataDetails(name=name) as details if name == SOURCE_KEY:
            _fold_move(connection, details)
        case MetadataDetails(name=name) as details if name == TEXT_HASH:
            connection.execute(
                "UPDATE sources SET text_hash = ? WHERE source_id = ?", (details.value, details.target_source_id)
            )
        case MetadataDetails(name=name) as details if name == REFERENCE:
            fold_match(connection, details)
        case PageDetails(instead_of=PageVerdict() as former) as details:
            _fold_rereading(connection, record, former, details.verdict)
        case SnapshotDetails() as details:
            fold_snapshot(connection, record, details)
        case SensitivityDetails() as details:
            fold_sensitivity(connection, details)
        case _:
            _fold_plain(connection, record)
    fold_evidence(connection, record)


def affected_seqs(connection: Connection, record: Record) -> set[int]:
    """Return the citable records whose visibility this record may have changed, those that depend on others included.

    A correction changes the facts whose evidence it strikes; a hidden or shown record changes the facts that rest on
    it; a hidden or shown correction changes what it strikes.
    """
    match record.payload:
        case CompletionDetails() as details:
            others = _other_versions(connection, details.target_source_id)
            sources = (details.target_source_id, *others, *_one(details.supersedes))
            direct = citable_of_sources(connection, sources)
        case RetractionDetails() as details:
            direct = _targets(connection, details.target_record_ids, details.target_source_ids)
        case ReinstatementDetails() as details:
            source_ids = (*details.target_source_ids, *_one(details.supersedes))
            direct = _targets(connection, details.target_record_ids, source_ids)
        case RemovalDetails() as details:
            direct = _targets(connection, (*details.target_record_ids, *details.freed_record_ids), ())
        case _ if (
            record.kind is Kind.FACT
            and connection.execute("SELECT 1 FROM struck WHERE by_seq = ?", (record.seq,)).fetchone()
        ):
            direct = {record.seq}
        case _:
            return set()
    return _citable(connection, with_dependants(connection, direct))


def _fold_plain(connection: Connection, record: Record) -> None:
    if record.text == REMOVED_TEXT and record.payload is None and record.kind is Kind.SOURCE:
        _fold_removed_source(connection, record)
    elif record.kind is Kind.RAW_SOURCE and record.source_id is not None:
        connection.execute(
            "UPDATE sources SET record_count = record_count + 1 WHERE source_id = ?", (record.source_id,)
        )


def _fold_source(connection: Connection, record: Record, details: SourceDetails) -> None:
    known = _status(connection, str(record.source_id))
    if known == SourceStatus.REMOVED.value:  # added again after a removal
        connection.execute("DELETE FROM sources WHERE source_id = ?", (record.source_id,))
    elif known:
        return
    connection.execute(
        "INSERT INTO sources (source_id, seq, source_key, namespace_key, content_hash, status, replaces, page_count,"
        " title, collections, tags) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
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
    fold_names(connection, str(record.source_id), details)
    spells.begin_source(connection, str(record.source_id), SourceStatus.ARRIVING, record.seq)


def _fold_removed_source(connection: Connection, record: Record) -> None:
    """Keep a row for a source that was removed for good: its id and its place, and nothing of what it was."""
    if record.source_id is None:
        return
    connection.execute(
        "INSERT OR IGNORE INTO sources (source_id, seq, source_key, namespace_key, content_hash, status)"
        " VALUES (?,?,'',?,'',?)",
        (record.source_id, record.seq, namespace_key(record.namespace), SourceStatus.REMOVED.value),
    )
    spells.begin_source(connection, record.source_id, SourceStatus.REMOVED, record.seq)


def _fold_rereading(connection: Connection, record: Record, former: PageVerdict, verdict: PageVerdict) -> None:
    """Count a page that was read again under its new verdict; a source that still arrives counts at its end."""
    row = connection.execute("SELECT verdicts FROM sources WHERE source_id = ?", (record.source_id,)).fetchone()
    verdicts = Counter(msgspec.json.decode(str(row[0]), type=dict[str, int])) if row else Counter[str]()
    if verdicts[former.value]:
        verdicts[former.value] -= 1
        verdicts[verdict.value] += 1
        connection.execute(
            "UPDATE sources SET verdicts = ? WHERE source_id = ?",
            (
                msgspec.json.encode({name: count for name, count in verdicts.items() if count}).decode(),
                record.source_id,
            ),
        )


def _fold_completion(connection: Connection, seq: int, details: CompletionDetails) -> None:
    source_id = details.target_source_id
    connection.execute(
        "UPDATE sources SET verdicts = ?, page_count = ?, text_hash = ? WHERE source_id = ?",
        (msgspec.json.encode(details.verdicts).decode(), details.page_count, details.text_hash, source_id),
    )
    if _status(connection, source_id) == SourceStatus.ARRIVING.value:
        _set_status(connection, (source_id,), SourceStatus.ACTIVE, seq)
    # A version that a crash left half read is retired by the first one of its key that is whole.
    halves = [
        other
        for other in _other_versions(connection, source_id)
        if _status(connection, other) == SourceStatus.ARRIVING.value
    ]
    _set_status(connection, (*halves, *_one(details.supersedes)), SourceStatus.SUPERSEDED, seq)


def _fold_move(connection: Connection, details: MetadataDetails) -> None:
    """Give a source its new key; what was marked as sensitive under the old one is so under the new one."""
    row = connection.execute(
        "SELECT source_key, namespace_key FROM sources WHERE source_id = ?", (details.target_source_id,)
    ).fetchone()
    if row is None:
        return
    connection.execute(
        "INSERT OR IGNORE INTO sensitive_sources (namespace_key, source_key)"
        " SELECT namespace_key, ? FROM sensitive_sources WHERE namespace_key = ? AND source_key = ?",
        (details.value, row[1], row[0]),
    )
    connection.execute(
        "UPDATE sources SET source_key = ? WHERE source_id = ?", (details.value, details.target_source_id)
    )


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


def _status(connection: Connection, source_id: str) -> str:
    row = connection.execute("SELECT status FROM sources WHERE source_id = ?", (source_id,)).fetchone()
    return "" if row is None else str(row[0])


_FIXED: Final = ("", SourceStatus.REMOVED.value)
"""What no verb changes: a source that the log does not know, and one that was removed for good."""


def _set_status(connection: Connection, source_ids: Iterable[str], status: SourceStatus, seq: int) -> None:
    for source_id in source_ids:
        if _status(connection, source_id) not in (*_FIXED, status.value):
            connection.execute("UPDATE sources SET status = ? WHERE source_id = ?", (status.value, source_id))
            spells.begin_source(connection, source_id, status, seq)


def _hide(connection: Connection, record_ids: Iterable[str], since: int) -> None:
    for seq in seqs_of_ids(connection, record_ids).values():
        spells.hide(connection, seq, since)


def _show(connection: Connection, record_ids: Iterable[str], since: int) -> None:
    for seq in seqs_of_ids(connection, record_ids).values():
        spells.show(connection, seq, since)


def _targets(connection: Connection, record_ids: Iterable[str], source_ids: Iterable[str]) -> set[int]:
    return set(seqs_of_ids(connection, record_ids).values()) | citable_of_sources(connection, source_ids)


def _citable(connection: Connection, seqs: set[int]) -> set[int]:
    rows = connection.execute(
        "SELECT seq FROM records WHERE seq IN (SELECT value FROM json_each(?)) AND kind IN (?,?)",
        (msgspec.json.encode(list(seqs)).decode(), *(kind.value for kind in CITABLE)),
    )
    return {int(row[0]) for row in rows}


def _one(value: str | None) -> tuple[str, ...]:
    return () if value is None else (value,)
