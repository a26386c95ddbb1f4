"""Tampering is found: a record changed, removed, moved or slipped in, a verdict lost, an original swapped."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from trisynapse_memory.log import integrity
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.integrity import DONE, Cursor, advance, check_log, counts_of
from trisynapse_memory.log.removal import blank, log_removal
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import CorrectionDetails, Draft, FactDetails, Kind, RecordId

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
    target = full.by_seqs([3])[0]
    removal = log_removal(full, [target.id], "not mine", ())
    blank(full, removal)
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


def test_a_blank_that_nobody_logged_is_found(full: MemoryLog, blobs: BlobStore):
    tamper(full, "UPDATE records SET salt = NULL, content = NULL WHERE seq = 3")
    assert "log.unlogged" in codes(full, blobs)


def test_a_packed_content_that_was_spoilt_is_found_and_stops_nothing(log: MemoryLog, grow: Grow, blobs: BlobStore):
    grow("a", "a long page " * 40, "another one " * 40)
    tamper(log, "UPDATE records SET content = substr(content, 1, 60) WHERE seq IN (2, 3)")
    found = check_log(log, blobs)[0]
    assert {one.code for one in found} == {"log.content", "log.verdicts"}
    assert [one.where[:6] for one in found if one.code == "log.content"] == ["seq 2 ", "seq 3 "]


@pytest.mark.parametrize(
    ("payload", "evidence", "code"),
    [
        (FactDetails(pattern="p", extractor="x", extractor_version=1, spans=((0, 4),)), True, "log.span"),
        (FactDetails(pattern="p", extractor="x", extractor_version=1, spans=((2, 1),)), True, "log.span"),
        (CorrectionDetails(target_record_id="r_nothing", reason="r"), True, "log.evidence"),
        (
            CorrectionDetails(target_record_id="r_x", reason="r", struck_record_ids=("r_x",), struck=((0, 1),)),
            False,
            "log.evidence",
        ),
    ],
)
def test_a_reference_that_leads_nowhere_is_found(
    full: MemoryLog, blobs: BlobStore, payload: FactDetails | CorrectionDetails, evidence: bool, code: str
):
    base = full.by_seqs([3])[0]
    assert base.text == "one"
    ids = (base.id,) if evidence else ()
    full.append([Draft(kind=Kind.FACT, text="f", evidence_ids=ids, payload=payload)])
    assert codes(full, blobs) == {code}


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO hidden (seq) VALUES (3)",
        "DELETE FROM source_spells",
        "UPDATE sources SET title = 'other'",
        "INSERT INTO struck VALUES (3, 0, 1, 5)",
        "INSERT INTO evidence VALUES (3, 5, 0, 1)",
    ],
)
def test_derived_rows_that_the_log_does_not_say_are_found_and_mended_by_folding(
    full: MemoryLog, blobs: BlobStore, statement: str
):
    tamper(full, statement)
    assert codes(full, blobs) == {"log.derived"}
    full.refold()
    assert codes(full, blobs) == set()


def test_a_proof_can_be_stopped_anywhere_and_goes_on_from_its_place(
    log: MemoryLog, grow: Grow, blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
):
    blob = blobs.put_bytes(b"the original")
    grow("a", "one", "two", blob_hash=blob.content_hash)
    grow("b", "three")
    tamper(log, "UPDATE records SET content = replace(content, 'two', 'too') WHERE seq = 5")
    blobs.path(blob.content_hash).write_bytes(b"another one!")
    whole = check_log(log, blobs)
    monkeypatch.setattr(integrity, "STEP_RECORDS", 2)
    monkeypatch.setattr(integrity, "STEP_SOURCES", 1)
    cursor, steps = Cursor(), 0
    while cursor.stage != DONE:
        kept = msgspec.json.encode(cursor)  # a stop: only the text of the cursor is left
        cursor = advance(log, blobs, msgspec.json.decode(kept, type=Cursor))
        steps += 1
    assert steps > 10
    assert (list(cursor.findings), counts_of(cursor)) == whole
    assert advance(log, blobs, cursor) == cursor


def test_what_was_appended_after_a_stop_is_proven_too(full: MemoryLog, blobs: BlobStore):
    cursor = Cursor()
    while cursor.seq < full.head():
        cursor = advance(full, blobs, cursor)
    full.append([Draft(kind=Kind.RAW_SOURCE, text="later")])
    tamper(full, f"UPDATE records SET content = replace(content, 'later', 'never') WHERE seq = {full.head()}")
    while cursor.stage != DONE:
        cursor = advance(full, blobs, cursor)
    assert [one.code for one in cursor.findings] == ["log.content"]
