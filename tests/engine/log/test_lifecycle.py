"""Forget, reinstate, replace: every change is a record, and every change can be taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownRecordError, UnknownSourceError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.lifecycle import Amendment
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.strikes import Stretch, Strike, struck_spans
from trisynapse_memory.types import Change, CompletionDetails, CorrectionDetails, Kind, Record, SourceStatus

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


def test_a_correction_keeps_place_statement_and_source_of_its_target(
    log: MemoryLog, grow: Grow, derive: Callable[..., Record]
):
    base = chunk_of(log, grow("a", "Atlas launches on 1 May. Priya leads it."))
    words = {"subject": "Atlas", "relation": "launch_date", "object": "1 May", "qualifiers": {"version": "2"}}
    fact = derive(base, "Atlas launches on 1 May.", **words)
    head = log.head()
    change = lifecycle.correct(log, fact.id, " Atlas launches on 9 May. ", "it was moved", Amendment(object="9 May"))
    correction = log.get(change.record_id)
    assert log.head() == head + 1
    assert correction.text == "Atlas launches on 9 May."
    assert (correction.subject, correction.relation, correction.object) == ("Atlas", "launch_date", "9 May")
    assert (correction.source_id, correction.group_id) == (fact.source_id, fact.group_id)
    assert (correction.locator, correction.namespace) == (fact.locator, fact.namespace)
    assert (correction.confidence, correction.evidence_ids, correction.actor.type) == (1.0, (fact.id,), "user")
    assert correction.payload == CorrectionDetails(
        target_record_id=fact.id,
        reason="it was moved",
        struck_record_ids=(base.id,),
        struck=((0, 24),),
        qualifiers={"version": "2"},
    )
    assert [one.id for one in log.pointing_at(fact.id)] == [correction.id]
    assert [one.id for one in log.pointing_at(base.id)] == [fact.id, correction.id]


def test_a_raw_record_gives_up_the_stretches_named_and_else_all_of_it(log: MemoryLog, grow: Grow):
    base = chunk_of(log, grow("a", "Atlas launches on 1 May. Priya leads it."))
    named = lifecycle.correct(log, base.id, "x", "r", Amendment(strikes=(Stretch(base.id, 25, 40),)))
    assert struck_spans(log, [base.seq]) == {base.seq: (Strike(25, 40, named.record_id, "r"),)}
    whole = lifecycle.correct(log, base.id, "y", "s")
    assert struck_spans(log, [base.seq, named_seq(log, named)]) == {
        base.seq: (Strike(0, 40, whole.record_id, "s"), Strike(25, 40, named.record_id, "r"))
    }
    assert log.visible([base.seq]) == {base.seq}
    lifecycle.forget_record(log, named.record_id, "no")
    assert struck_spans(log, [base.seq]) == {base.seq: (Strike(0, 40, whole.record_id, "s"),)}


def named_seq(log: MemoryLog, change: Change) -> int:
    return log.get(change.record_id).seq


@pytest.mark.parametrize(("text", "reason"), [("", "r"), (" ", "r"), ("t", ""), ("t", " ")])
def test_a_correction_needs_words_and_a_reason(log: MemoryLog, grow: Grow, text: str, reason: str):
    base = chunk_of(log, grow("a", "one"))
    head = log.head()
    with pytest.raises(InvalidInputError):
        lifecycle.correct(log, base.id, text, reason)
    with pytest.raises(InvalidInputError, match="page record"):
        lifecycle.correct(log, log.of_source(str(base.source_id), Kind.PAGE)[0].id, "t", "r")
    assert log.head() == head
