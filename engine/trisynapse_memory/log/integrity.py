"""A log in, findings out: numbers, hashes, references, derived rows and stored originals. Nothing is repaired here.

What it sees: a record that was changed, removed from the middle, reordered or inserted; a changed or missing original.
What it cannot see: records cut off at the end together with everything that names them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from trisynapse_memory.errors import VaultDamagedError
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.rows import GENESIS, Header, hash_content, hash_link
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Draft, Finding, Kind, PageDetails, SourceDetails

_decode_draft = msgspec.json.Decoder(Draft).decode


class _Row(NamedTuple):
    header: Header
    salt: bytes | None
    content: str | None


def check_log(log: MemoryLog, blobs: BlobStore) -> tuple[list[Finding], dict[str, int]]:
    """Prove a log: return what is wrong, and how many records, links and originals were looked at."""
    findings: list[Finding] = []
    checked = {"records": 0, "blobs": 0, "sources": 0}
    with log.database.read() as connection:
        findings += _check_file(connection)
        chains: dict[str, tuple[int, str]] = {}
        expected = 1
        for row in _rows(connection):
            checked["records"] += 1
            if row.header.seq != expected:
                findings.append(_finding("log.gap", row, f"position {expected} is missing", "restore a backup"))
            expected = row.header.seq + 1
            findings += _check_link(row, chains)
            findings += _check_content(connection, row)
        findings += _check_sources(connection)
        hashes = _blob_hashes(connection)
    checked["sources"] = len(hashes)
    for content_hash in sorted(set(hashes.values())):
        checked["blobs"] += 1
        findings += _check_blob(blobs, content_hash)
    return findings, checked


def _rows(connection: Connection) -> Iterator[_Row]:
    columns = "seq, id, device_id, device_seq, written_at, kind, content_hash, chain_hash, salt, content"
    for row in connection.execute(f"SELECT {columns} FROM records ORDER BY seq"):
        yield _Row(Header(*row[:8]), row[8], row[9])


def _check_file(connection: Connection) -> list[Finding]:
    result = str(connection.execute("PRAGMA quick_check(1)").get)
    if result == "ok":
        return []
    return [Finding(code="log.file", where="log.db", message=f"SQLite reports: {result}", fix="restore a backup")]


def _check_link(row: _Row, chains: dict[str, tuple[int, str]]) -> list[Finding]:
    header = row.header
    last_seq, previous = chains.get(header.device_id, (0, GENESIS))
    chains[header.device_id] = (header.device_seq, header.chain_hash)
    if header.device_seq != last_seq + 1:
        return [_finding("log.device_gap", row, f"record {last_seq + 1} of its device is missing", "restore a backup")]
    if hash_link(previous, header) != header.chain_hash:
        return [_finding("log.chain", row, "its link in the hash chain does not fit", "restore a backup")]
    return []


def _check_content(connection: Connection, row: _Row) -> list[Finding]:
    if row.content is None or row.salt is None:
        return [] if row.content is None and row.salt is None else [_finding("log.content", row, "half removed", "")]
    if hash_content(row.salt, row.content) != row.header.content_hash:
        return [_finding("log.content", row, "its content was changed after it was written", "restore a backup")]
    try:
        draft = _decode_draft(row.content)
    except msgspec.DecodeError as error:
        return [_finding("log.content", row, f"its content cannot be read ({error})", "update the program")]
    missing = [ref for ref in draft.evidence_ids if not _exists(connection, ref)]
    return [_finding("log.evidence", row, f"it rests on '{ref}', which is not there", "") for ref in missing]


def _exists(connection: Connection, record_id: str) -> bool:
    return connection.execute("SELECT 1 FROM records WHERE id = ?", (record_id,)).fetchone() is not None


def _check_sources(connection: Connection) -> list[Finding]:
    """Every page of a source that has arrived has exactly one verdict, and the totals agree."""
    findings: list[Finding] = []
    rows = connection.execute(
        "SELECT source_id, page_count, verdicts FROM sources WHERE source_id IN"
        " (SELECT source_id FROM records WHERE kind = ?)",
        (Kind.COMPLETION.value,),
    ).fetchall()
    for source_id, page_count, verdicts in rows:
        totals = msgspec.json.decode(str(verdicts), type=dict[str, int])
        found: dict[str, int] = {}
        pages = connection.execute(
            "SELECT content FROM records WHERE source_id = ? AND kind = ?", (str(source_id), Kind.PAGE.value)
        )
        for (content,) in pages:
            details = None if content is None else _decode_draft(str(content)).payload
            if isinstance(details, PageDetails):
                found[details.verdict.value] = found.get(details.verdict.value, 0) + 1
        if found != totals or sum(totals.values()) != int(str(page_count)):
            message = f"its pages carry {found}, its completion says {totals} of {page_count}"
            findings.append(Finding(code="log.verdicts", where=str(source_id), message=message, fix="add it again"))
    return findings


def _blob_hashes(connection: Connection) -> dict[str, str]:
    rows = connection.execute("SELECT content FROM records WHERE kind = ?", (Kind.SOURCE.value,))
    hashes: dict[str, str] = {}
    for (content,) in rows:
        draft = None if content is None else _decode_draft(str(content))
        if draft is not None and isinstance(draft.payload, SourceDetails) and draft.payload.blob_hash:
            hashes[str(draft.source_id)] = draft.payload.blob_hash
    return hashes


def _check_blob(blobs: BlobStore, content_hash: str) -> list[Finding]:
    try:
        blobs.verify(content_hash)
    except VaultDamagedError as error:
        return [Finding(code="blob.damaged", where=content_hash, message=error.problem, fix=error.hint)]
    return []


def _finding(code: str, row: _Row, message: str, fix: str) -> Finding:
    return Finding(code=code, where=f"seq {row.header.seq} ({row.header.id})", message=message, fix=fix)
