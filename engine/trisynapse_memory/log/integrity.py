"""A log in, findings out: numbers, hashes, references, derived rows and stored originals. Nothing is repaired here.

What it sees: a record that was changed, removed from the middle, reordered, inserted or blanked without a word; a
reference that leads nowhere; a changed or missing original. What it cannot see: records cut off at the end together
with everything that names them.

The proof goes in steps of a few hundred records or a few originals. Between two steps it can be stopped; its
``Cursor``, kept as JSON, lets another one go on from there: the log only grows, so what was proven stays proven.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from trisynapse_memory.errors import VaultDamagedError
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.references import check_references, check_refold, check_verdicts, original_hashes, read_rows
from trisynapse_memory.log.rows import GENESIS, Header, hash_content, hash_link
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Finding

STEP_RECORDS: Final = 500
STEP_SOURCES: Final = 50
STEP_BLOBS: Final = 8  # originals; of papers, some tens of megabytes
STAGES: Final = ("file", "records", "derived", "sources", "blobs")
DONE: Final = "done"
COUNTED: Final = ("records", "blobs", "sources")


class Cursor(Struct, frozen=True, kw_only=True):
    """How far a proof has come: its stage, the place inside it, the chain so far, and what it has found."""

    stage: str = STAGES[0]
    seq: int = 0
    key: str = ""
    chains: dict[str, tuple[int, str]] = {}
    checked: dict[str, int] = {}
    findings: tuple[Finding, ...] = ()


def check_log(log: MemoryLog, blobs: BlobStore) -> tuple[list[Finding], dict[str, int]]:
    """Prove a whole log: return what is wrong, and how many records, sources and originals were looked at."""
    cursor = Cursor()
    while cursor.stage != DONE:
        cursor = advance(log, blobs, cursor)
    return list(cursor.findings), counts_of(cursor)


def counts_of(cursor: Cursor) -> dict[str, int]:
    """Return how many records, sources and originals a proof has looked at so far."""
    return {name: cursor.checked.get(name, 0) for name in COUNTED}


def advance(log: MemoryLog, blobs: BlobStore, cursor: Cursor) -> Cursor:
    """Do one step of a proof and return where it stands then; a proof that is done stays as it is."""
    match cursor.stage:
        case "file":
            return _next_stage(cursor, _check_file(log))
        case "records":
            return _check_records(log, cursor)
        case "derived":
            # Rows that cannot be read cannot be folded; they have their own findings.
            unreadable = any(one.code == "log.content" for one in cursor.findings)
            return _next_stage(cursor, [] if unreadable else check_refold(log))
        case "sources":
            return _check_sources(log, cursor)
        case "blobs":
            return _check_blobs(log, blobs, cursor)
        case _:
            return cursor


def _next_stage(cursor: Cursor, findings: Sequence[Finding] = ()) -> Cursor:
    following = (*STAGES, DONE)[STAGES.index(cursor.stage) + 1]
    return structs.replace(cursor, stage=following, key="", findings=(*cursor.findings, *findings))


def _counted(cursor: Cursor, name: str, count: int, findings: Sequence[Finding]) -> Cursor:
    checked = {**cursor.checked, name: cursor.checked.get(name, 0) + count}
    return structs.replace(cursor, checked=checked, findings=(*cursor.findings, *findings))


def _check_file(log: MemoryLog) -> list[Finding]:
    with log.database.read() as connection:
        result = str(connection.execute("PRAGMA quick_check(1)").get)
    if result == "ok":
        return []
    return [Finding(code="log.file", where="log.db", message=f"SQLite reports: {result}", fix="restore a backup")]


def _check_records(log: MemoryLog, cursor: Cursor) -> Cursor:
    rows = read_rows(log, cursor.seq, STEP_RECORDS)
    if not rows:
        return _next_stage(cursor)
    chains = dict(cursor.chains)
    findings: list[Finding] = []
    expected = cursor.seq + 1
    for row in rows:
        if row.header.seq != expected:
            findings.append(finding("log.gap", row.header, f"position {expected} is missing", "restore a backup"))
        expected = row.header.seq + 1
        findings += _check_link(row.header, chains)
        if row.broken:
            findings.append(finding("log.content", row.header, row.broken, "restore a backup"))
        elif row.salt is not None and hash_content(row.salt, row.content or "") != row.header.content_hash:
            message = "its content was changed after it was written"
            findings.append(finding("log.content", row.header, message, "restore a backup"))
    findings += check_references(log, rows)
    return structs.replace(_counted(cursor, "records", len(rows), findings), seq=rows[-1].header.seq, chains=chains)


def _check_link(header: Header, chains: dict[str, tuple[int, str]]) -> Iterator[Finding]:
    last_seq, previous = chains.get(header.device_id, (0, GENESIS))
    chains[header.device_id] = (header.device_seq, header.chain_hash)
    if header.device_seq != last_seq + 1:
        message = f"record {last_seq + 1} of its device is missing"
        yield finding("log.device_gap", header, message, "restore a backup")
    elif hash_link(previous, header) != header.chain_hash:
        yield finding("log.chain", header, "its link in the hash chain does not fit", "restore a backup")


def _check_sources(log: MemoryLog, cursor: Cursor) -> Cursor:
    sql = (
        "SELECT source_id, page_count, verdicts FROM sources WHERE source_id > ? AND status != 'removed' AND source_id"
        " IN (SELECT source_id FROM records WHERE kind = 'completion') ORDER BY source_id LIMIT ?"
    )
    with log.database.read() as connection:
        rows = connection.execute(sql, (cursor.key, STEP_SOURCES)).fetchall()
    if not rows:
        return _next_stage(cursor)
    findings = [one for row in rows for one in check_verdicts(log, str(row[0]), int(row[1]), str(row[2]))]
    return structs.replace(cursor, key=str(rows[-1][0]), findings=(*cursor.findings, *findings))


def _check_blobs(log: MemoryLog, blobs: BlobStore, cursor: Cursor) -> Cursor:
    hashes = original_hashes(log)
    left = sorted(one for one in set(hashes.values()) if one > cursor.key)[:STEP_BLOBS]
    if not left:
        return structs.replace(_next_stage(cursor), checked={**cursor.checked, "sources": len(hashes)})
    findings: list[Finding] = []
    for content_hash in left:
        try:
            blobs.verify(content_hash)
        except VaultDamagedError as error:
            findings.append(Finding(code="blob.damaged", where=content_hash, message=error.problem, fix=error.hint))
    return structs.replace(_counted(cursor, "blobs", len(left), findings), key=left[-1])


def finding(code: str, header: Header, message: str, fix: str) -> Finding:
    """Return what is wrong with one record."""
    return Finding(code=code, where=f"seq {header.seq} ({header.id})", message=message, fix=fix)
