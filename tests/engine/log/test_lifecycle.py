"""Forget, reinstate, replace: every change is a record, and every change can be taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownRecordError, UnknownSourceError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import CompletionDetails, Kind, SourceStatus

Grow = Callable[..., str]


def chunk_of(log: MemoryLog, source_id: str):
    return log.of_source(source_id, Kind.RAW_SOURCE)[0]


def test_a_completion_counts_pages_and_names_what_it_supersedes(log: MemoryLog, grow: Grow):
    old = grow("a", "one")
    new = grow("a", "two", "three")
    first, second = (record.payload for record in log.of_kind(Kind.COMPLETION))
    assert first == CompletionDetails(target_source_id=old, verdicts={"ok": 1}, record_count=1, page_count=1)
    assert isinstance(second, CompletionDetails)
    assert (second.target_source_id, second.page_count, second.supersedes) == (new, 2, old)


def test_going_back_restores_the_first_version_and_retires_the_second(log: MemoryLog, shelf: Shelf, grow: Grow):
    first, second = grow("a", "one"), grow("a", "two")
    lifecycle.reinstate_source(log, shelf, first, "A again")
    assert shelf.get(first).status is SourceStatus.ACTIVE
    assert shelf.get(second).status is SourceStatus.SUPERSEDED


def test_forgetting_a_source_says_how_many_records_it_hid(log: MemoryLog, shelf: Shelf, grow: Grow):
    source_id = grow("a", "one", "two")
    change = lifecycle.forget_source(log, shelf, source_id, "wrong paper")
    assert (change.verb, change.affected_count) == ("retraction", 2)
    assert log.get(change.record_id).text == "wrong paper"


def test_forgetting_a_record_writes_one_record_and_deletes_none(log: MemoryLog, grow: Grow):
    source_id = grow("a", "one")
    head = log.head()
    target = chunk_of(log, source_id)
    change = lifecycle.forget_record(log, target.id, "no")
    assert log.head() == head + 1
    assert log.get(target.id) == target
    assert change.affected_count == 1


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_nothing_is_forgotten_without_a_reason(log: MemoryLog, shelf: Shelf, grow: Grow, reason: str):
    source_id = grow("a", "one")
    head = log.head()
    with pytest.raises(InvalidInputError, match="reason"):
        lifecycle.forget_source(log, shelf, source_id, reason)
    with pytest.raises(InvalidInputError, match="reason"):
        lifecycle.forget_record(log, chunk_of(log, source_id).id, reason)
    assert log.head() == head


def test_only_evidence_can_be_forgotten_by_its_record(log: MemoryLog, grow: Grow):
    source_id = grow("a", "one")
    page = log.of_source(source_id, Kind.PAGE)[0]
    with pytest.raises(InvalidInputError, match="page record"):
        lifecycle.forget_record(log, page.id, "no")


def test_unknown_targets_are_named(log: MemoryLog, shelf: Shelf):
    with pytest.raises(UnknownRecordError, match="r_x"):
        lifecycle.forget_record(log, "r_x", "no")
    with pytest.raises(UnknownSourceError, match="src_x"):
        lifecycle.forget_source(log, shelf, "src_x", "no")
