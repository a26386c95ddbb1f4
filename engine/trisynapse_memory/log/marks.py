"""Snapshot and sensitivity records in, their derived rows out; the doors that write such records are elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from trisynapse_memory.log.visibility import seqs_of_ids
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Record, SensitivityDetails, SnapshotDetails

CREATE, ENTER, LEAVE = "create", "enter", "leave"


def fold_snapshot(connection: Connection, record: Record, details: SnapshotDetails) -> None:
    """Note a named moment, or which one is read as of from here on. At most one is entered."""
    if details.verb == CREATE:
        cutoff = seqs_of_ids(connection, (details.cutoff_record_id,)).get(details.cutoff_record_id, 0)
        connection.execute(
            "INSERT INTO snapshots (seq, label, cutoff_seq) VALUES (?,?,?)", (record.seq, details.label, cutoff)
        )
        return
    wanted = details.snapshot_id if details.verb == ENTER else ""
    entered = seqs_of_ids(connection, (wanted,)).get(wanted, 0)
    connection.execute("UPDATE snapshots SET entered = (seq = ?) WHERE entered != (seq = ?)", (entered, entered))


def fold_sensitivity(connection: Connection, details: SensitivityDetails) -> None:
    """Mark or unmark records, and sources with every version of theirs that is here or will come."""
    keys = _keys_of(connection, details.target_source_ids)
    seqs = [(seq,) for seq in seqs_of_ids(connection, details.target_record_ids).values()]
    if details.sensitive:
        connection.executemany("INSERT OR IGNORE INTO sensitive_sources (namespace_key, source_key) VALUES (?,?)", keys)
        connection.executemany("INSERT OR IGNORE INTO sensitive_records (seq) VALUES (?)", seqs)
    else:
        connection.executemany("DELETE FROM sensitive_sources WHERE namespace_key = ? AND source_key = ?", keys)
        connection.executemany("DELETE FROM sensitive_records WHERE seq = ?", seqs)


def _keys_of(connection: Connection, source_ids: Iterable[str]) -> list[tuple[str, str]]:
    rows = connection.execute(
        "SELECT namespace_key, source_key FROM sources WHERE source_id IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(list(source_ids)).decode(),),
    )
    return [(str(namespace), str(key)) for namespace, key in rows]
