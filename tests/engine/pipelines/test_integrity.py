"""A proof covers log, originals and indexes; it says what is wrong and what mends it, and mends nothing itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from trisynapse_memory.contracts import Index
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines.integrity import Proof, validate
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Draft, FactDetails, IngestRun, Kind


@pytest.fixture
def full(take: Callable[..., IngestRun], papers: Path, rooms: Rooms) -> Rooms:
    take(papers)
    return rooms


def codes(rooms: Rooms, conflicts: tuple[str, ...] = ()) -> list[str]:
    return [finding.code for finding in validate(rooms, conflicts).findings]


def test_a_whole_vault_is_proven_with_the_numbers_that_were_looked_at(full: Rooms):
    result = validate(full, ())
    assert (result.ok, result.findings) == (True, ())
    assert result.checked == {"records": 8, "blobs": 2, "sources": 2, "visible_records": 2}


def test_an_empty_vault_is_whole(rooms: Rooms):
    assert validate(rooms, ()).ok


def test_hidden_records_are_no_finding(full: Rooms):
    lifecycle.forget_record(full.log, full.log.of_kind(Kind.RAW_SOURCE)[0].id, "no")
    result = validate(full, ())
    assert result.ok
    assert result.checked["visible_records"] == 1


def test_an_index_that_lost_a_record_is_found_and_the_mending_is_named(full: Rooms):
    seq = full.log.of_kind(Kind.RAW_SOURCE)[0].seq
    for index in (full.lexical, full.vectors):
        cast(Index, index).drop([seq])
    findings = validate(full, ()).findings
    assert [(finding.code, finding.fix) for finding in findings] == [
        ("index.lexical", "reindex lexical"),
        ("index.vector", "reindex vector"),
    ]
    full.projector.rebuild()
    assert codes(full) == []


def test_an_index_that_is_merely_behind_is_no_fault(full: Rooms):
    full.projector.rebuild()
    cast(Index, full.lexical).wipe()
    assert codes(full) == []


def test_a_swapped_original_and_a_sync_conflict_are_found(full: Rooms):
    name = next(full.blobs.hashes())
    full.blobs.path(name).write_bytes(b"swapped")
    result = validate(full, ("log (conflicted copy).db",))
    assert not result.ok
    assert [(finding.code, finding.where) for finding in result.findings] == [
        ("blob.damaged", name),
        ("vault.conflict", "log (conflicted copy).db"),
    ]


def test_facts_of_a_pattern_are_no_words_of_the_index_and_no_fault(full: Rooms):
    base = full.log.of_kind(Kind.RAW_SOURCE)[0]
    for extractor in ("pattern", "model"):
        details = FactDetails(pattern="p", extractor=extractor, extractor_version=1, spans=((0, 8),))
        full.log.append([Draft(kind=Kind.FACT, text=base.text[:8], evidence_ids=(base.id,), payload=details)])
    result = validate(full, ())
    assert result.findings == ()
    assert result.checked["visible_records"] == 4
    lifecycle.forget_record(full.log, base.id, "no")
    result = validate(full, ())
    assert result.findings == ()
    assert result.checked["visible_records"] == 1


def test_a_proof_that_was_stopped_goes_on_from_its_place(full: Rooms):
    name = next(full.blobs.hashes())
    full.blobs.path(name).write_bytes(b"swapped")
    whole = validate(full, ("x (conflict).db",))
    proof = Proof(full, ("x (conflict).db",))
    while not proof.is_done:
        proof.step()
        proof = Proof(full, ("x (conflict).db",), proof.place)  # a stop: only its place is left
    assert proof.result() == whole


def test_a_stop_tells_what_was_found_so_far(full: Rooms):
    looks = iter([False, False, True])
    result = validate(full, (), lambda: next(looks))
    assert result.checked["records"] == 8
    assert result.checked["blobs"] == 0


def test_a_place_that_cannot_be_read_is_named(full: Rooms):
    with pytest.raises(InvalidInputError, match="place"):
        Proof(full, (), "{")


def test_proving_mends_nothing(full: Rooms):
    with full.log.database.write() as connection:
        connection.execute("UPDATE sources SET title = 'other'")
    assert codes(full) == codes(full) == ["log.derived"]
    full.log.refold()
    assert codes(full) == []
