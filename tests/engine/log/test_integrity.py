"""Tampering is found: a record changed, removed, moved or slipped in, a verdict lost, an original swapped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Draft, Kind, RecordId

Grow = Callable[..., str]


@pytest.fixture
def full(log: MemoryLog, grow: Grow) -> MemoryLog:
    grow("a", "one", "two")
    return log


def codes(log: MemoryLog, blobs: BlobStore) -> set[str]:
    return {finding.code for finding in check_log(log, blobs)[0]}


def tamper(log: MemoryLog, *statements: str) -> None:
    with log.database.write() as connection:
        for statement in statements:
            connection.execute(statement)


def test_a_whole_log_has_no_finding_and_says_what_was_looked_at(full: MemoryLog, blobs: BlobStore):
    findings, checked = check_log(full, blobs)
    assert findings == []
    assert checked == {"records": 6, "blobs": 0, "sources": 0}


@pytest.mark.parametrize(
    ("statements", "code"),
    [
        (["UPDATE records SET content = replace(content, 'one', 'won') WHERE seq = 3"], "log.content"),
        (["UPDATE records SET salt = zeroblob(16) WHERE seq = 3"], "log.content"),
        (["UPDATE records SET written_at = '2000-01-01T00:00:00.000000+00:00' WHERE seq = 3"], "log.chain"),
        (["UPDATE records SET kind = 'fact' WHERE seq = 3"], "log.chain"),
        (["UPDATE records SET id = 'r_other' WHERE seq = 3"], "log.chain"),
        (["DELETE FROM records WHERE seq = 3"], "log.gap"),
        (["DELETE FROM records WHERE seq = 3"], "log.device_gap"),
        (["DELETE FROM records WHERE seq = 1"], "log.gap"),
        (["UPDATE records SET content = NULL WHERE seq = 3"], "log.content"),
        (["UPDATE records SET salt = NULL WHERE seq = 3"], "log.content"),
        (
            # Two records change places, and so do their numbers: only the chain can tell.
            [
                "UPDATE records SET seq = 100, device_seq = 100 WHERE seq = 3",
                "UPDATE records SET seq = 3, device_seq = 3 WHERE seq = 5",
                "UPDATE records SET seq = 5, device_seq = 5 WHERE seq = 100",
            ],
            "log.chain",
        ),
        (
            [
                (
                    "INSERT INTO records SELECT 7, 'r_new', device_id, 7, written_at, kind, content_hash, chain_hash,"
                    " salt, content, source_id, group_id, NULL, namespace_key FROM records WHERE seq = 3"
                )
            ],
            "log.chain",
        ),
        (["DELETE FROM records WHERE seq = 4", "UPDATE sources SET page_count = 1"], "log.verdicts"),
        (["UPDATE sources SET verdicts = '{\"ok\":3}'"], "log.verdicts"),
    ],
)
def test_every_kind_of_tampering_is_found(full: MemoryLog, blobs: BlobStore, statements: list[str], code: str):
    tamper(full, *statements)
    assert code in codes(full, blobs)


def test_a_finding_says_where(full: MemoryLog, blobs: BlobStore):
    tamper(full, "UPDATE records SET content = replace(content, 'one', 'won') WHERE seq = 3")
    (finding,) = check_log(full, blobs)[0]
    assert finding.where.startswith("seq 3 (r_")
    assert finding.fix


def test_a_blanked_record_leaves_the_chain_whole(full: MemoryLog, blobs: BlobStore):
    # Physical removal is the one logged exception: the rest must still be proven.
    tamper(full, "UPDATE records SET salt = NULL, content = NULL WHERE seq = 3")
    assert codes(full, blobs) == set()
    tamper(full, "UPDATE records SET content = replace(content, 'two', 'too') WHERE seq = 5")
    assert codes(full, blobs) == {"log.content"}


def test_a_fact_that_rests_on_nothing_is_found(full: MemoryLog, blobs: BlobStore):
    full.append([Draft(kind=Kind.FACT, text="f", evidence_ids=(RecordId("r_nothing"),))])
    assert codes(full, blobs) == {"log.evidence"}


def test_a_changed_original_is_found(log: MemoryLog, grow: Grow, blobs: BlobStore):
    blob = blobs.put_bytes(b"the original")
    grow("a", "one", blob_hash=blob.content_hash)
    findings, checked = check_log(log, blobs)
    assert (findings, checked["blobs"]) == ([], 1)
    blobs.path(blob.content_hash).write_bytes(b"another one!")
    assert codes(log, blobs) == {"blob.damaged"}


def test_a_source_that_is_still_arriving_need_not_add_up(log: MemoryLog, grow: Grow, blobs: BlobStore):
    grow("a", "one", complete=False)
    assert codes(log, blobs) == set()
