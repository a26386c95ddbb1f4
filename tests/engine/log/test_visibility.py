"""Facts leave with their evidence and come back with it; a correction strikes what it corrects, till taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Draft, FactDetails, Kind, Record, RecordId

Grow = Callable[..., str]
Derive = Callable[..., Record]

TEXT = "Atlas launches on 1 May. Priya leads Atlas."


@pytest.fixture
def base(log: MemoryLog, grow: Grow) -> Record:
    return log.of_source(grow("a", TEXT), Kind.RAW_SOURCE)[0]


def seen(log: MemoryLog, *records: Record) -> list[bool]:
    visible = log.visible([record.seq for record in records])
    return [record.seq in visible for record in records]


def changed_by(log: MemoryLog, record_id: str) -> dict[int, bool]:
    return log.changed_visibility([log.get(record_id)])


def test_a_fact_leaves_and_comes_back_with_its_evidence(log: MemoryLog, base: Record, derive: Derive):
    fact = derive(base, "Priya leads Atlas.")
    change = lifecycle.forget_record(log, base.id, "no")
    assert changed_by(log, change.record_id) == {base.seq: False, fact.seq: False}
    assert seen(log, base, fact) == [False, False]
    back = lifecycle.reinstate_record(log, base.id, "yes")
    assert changed_by(log, back.record_id) == {base.seq: True, fact.seq: True}
    assert seen(log, base, fact) == [True, True]


def test_a_fact_with_other_evidence_stays(log: MemoryLog, base: Record, grow: Grow):
    other = log.of_source(grow("b", "So it is: Priya leads Atlas."), Kind.RAW_SOURCE)[0]
    details = FactDetails(pattern="p", extractor="pattern", extractor_version=1, spans=((25, 43), (10, 28)))
    draft = Draft(kind=Kind.FACT, text="x", evidence_ids=(base.id, other.id), payload=details)
    (fact,) = log.append([draft])
    lifecycle.forget_record(log, base.id, "no")
    assert seen(log, fact) == [True]
    lifecycle.forget_record(log, other.id, "no")
    assert seen(log, fact) == [False]


def test_a_fact_leaves_with_its_source_and_stays_hidden_when_hidden_itself(
    log: MemoryLog, shelf: Shelf, base: Record, derive: Derive
):
    kept, dropped = derive(base, "Priya leads Atlas."), derive(base, "Atlas launches on 1 May.")
    lifecycle.forget_record(log, dropped.id, "wrongly read")
    lifecycle.forget_source(log, shelf, str(base.source_id), "all")
    assert seen(log, base, kept, dropped) == [False, False, False]
    lifecycle.reinstate_source(log, shelf, str(base.source_id), "back")
    assert seen(log, base, kept, dropped) == [True, True, False]


def test_a_fact_on_a_fact_leaves_with_the_first_evidence(log: MemoryLog, base: Record, derive: Derive):
    first = derive(base, "Priya leads Atlas.")
    second = derive(first, "Priya")
    change = lifecycle.forget_record(log, base.id, "no")
    assert changed_by(log, change.record_id) == {base.seq: False, first.seq: False, second.seq: False}


@pytest.mark.parametrize("evidence_ids", [(), ("r_nothing",)])
def test_a_fact_that_was_read_out_of_nothing_is_never_seen(log: MemoryLog, evidence_ids: tuple[str, ...]):
    details = FactDetails(pattern="p", extractor="pattern", extractor_version=1)
    ids = tuple(RecordId(one) for one in evidence_ids)
    (fact,) = log.append([Draft(kind=Kind.FACT, text="f", evidence_ids=ids, payload=details)])
    assert seen(log, fact) == [False]


def test_a_fact_she_wrote_herself_needs_no_evidence(log: MemoryLog):
    (fact,) = log.append([Draft(kind=Kind.FACT, text="my own")])
    assert seen(log, fact) == [True]


def test_a_correction_strikes_the_evidence_of_a_fact_and_nothing_else(log: MemoryLog, base: Record, derive: Derive):
    launch, lead = derive(base, "Atlas launches on 1 May."), derive(base, "Priya leads Atlas.")
    change = lifecycle.correct(log, launch.id, "Atlas launches on 9 May.", "it was moved")
    correction = log.get(change.record_id)
    assert changed_by(log, correction.id) == {launch.seq: False, correction.seq: True}
    assert seen(log, base, launch, lead, correction) == [True, False, True, True]
    assert change.affected_count == 1


def test_forgetting_a_correction_brings_back_what_it_struck(log: MemoryLog, base: Record, derive: Derive):
    launch = derive(base, "Atlas launches on 1 May.")
    correction = log.get(lifecycle.correct(log, launch.id, "Atlas launches on 9 May.", "it was moved").record_id)
    change = lifecycle.forget_record(log, correction.id, "it was not")
    assert changed_by(log, change.record_id) == {launch.seq: True, correction.seq: False}
    assert seen(log, launch, correction) == [True, False]
    back = lifecycle.reinstate_record(log, correction.id, "it was")
    assert changed_by(log, back.record_id) == {launch.seq: False, correction.seq: True}


def test_a_corrected_correction_gives_way_and_does_not_let_the_first_error_back(
    log: MemoryLog, base: Record, derive: Derive
):
    launch = derive(base, "Atlas launches on 1 May.")
    first = log.get(lifecycle.correct(log, launch.id, "On 9 May.", "moved").record_id)
    second = log.get(lifecycle.correct(log, first.id, "On 12 May.", "moved again").record_id)
    assert seen(log, launch, first, second) == [False, False, True]
    lifecycle.forget_record(log, second.id, "no")
    assert seen(log, launch, first, second) == [False, True, False]
    lifecycle.reinstate_record(log, second.id, "yes")
    lifecycle.forget_record(log, first.id, "no")
    assert seen(log, launch, first, second) == [False, False, True]
    lifecycle.forget_record(log, second.id, "no")
    assert seen(log, launch, first, second) == [True, False, False]


def test_a_fact_read_later_out_of_a_struck_span_is_not_seen(log: MemoryLog, base: Record, derive: Derive):
    launch = derive(base, "Atlas launches on 1 May.")
    lifecycle.correct(log, launch.id, "Atlas launches on 9 May.", "it was moved")
    assert seen(log, derive(base, "launches on 1 May"), derive(base, "Priya leads")) == [False, True]


def test_a_fact_without_a_span_leaves_with_any_strike_on_its_evidence(log: MemoryLog, base: Record, derive: Derive):
    details = FactDetails(pattern="p", extractor="llm", extractor_version=1)
    (loose,) = log.append([Draft(kind=Kind.FACT, text="x", evidence_ids=(base.id,), payload=details)])
    assert seen(log, loose) == [True]
    lifecycle.correct(log, derive(base, "Priya leads Atlas.").id, "Ann leads Atlas.", "she took over")
    assert seen(log, loose) == [False]
