"""A proof covers log, originals and indexes; it says what is wrong and what mends it, and mends nothing itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines.integrity import validate
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import IngestRun, Kind


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
    full.lexical.drop([seq])
    full.vectors.drop([seq])
    findings = validate(full, ()).findings
    assert [(finding.code, finding.fix) for finding in findings] == [
        ("index.lexical", "reindex lexical"),
        ("index.vector", "reindex vector"),
    ]
    full.projector.rebuild()
    assert codes(full) == []


def test_an_index_that_is_merely_behind_is_no_fault(full: Rooms):
    full.projector.rebuild()
    full.lexical.wipe()
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
