"""What is marked stays marked: new versions, facts read out of it, and the neighbours that repeat its sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownRecordError, UnknownSourceError
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Draft, Kind, Locator, Record, SourceId


@pytest.fixture
def sensitivity(log: MemoryLog) -> Sensitivity:
    return Sensitivity(log)


def raw(log: MemoryLog, source_id: str) -> Record:
    return log.of_source(source_id, Kind.RAW_SOURCE)[0]


def test_a_source_is_marked_with_all_its_versions_and_facts(
    log: MemoryLog, sensitivity: Sensitivity, grow: Callable[..., str], derive: Callable[..., Record]
):
    old, other = grow("a", "first words"), grow("b", "other words")
    sensitivity.mark(source_ids=[old])
    new = grow("a", "second words")
    fact = derive(raw(log, new), "second")
    assert [sensitivity.is_sensitive(one) for one in (old, new, other)] == [True, True, False]
    seqs = [raw(log, old).seq, raw(log, new).seq, fact.seq, raw(log, other).seq]
    assert sensitivity.sensitive_seqs(seqs) == set(seqs[:3])
    sensitivity.mark(source_ids=[new], sensitive=False)
    assert sensitivity.sensitive_seqs(seqs) == set()


def test_a_marked_record_takes_its_facts_and_overlapping_neighbours_along(
    log: MemoryLog, sensitivity: Sensitivity, grow: Callable[..., str], derive: Callable[..., Record]
):
    source_id = SourceId(grow("a", "One. Two. Three."))
    first = raw(log, source_id)
    for number, (start, end) in enumerate([(5, 16), (10, 16)], start=1):
        place = Locator(kind="page", page=1, start=start, end=end)
        key = f"source:{source_id}:chunk:1:{number}"
        text = first.text[start:end]
        log.append([Draft(kind=Kind.RAW_SOURCE, text=text, source_id=source_id, locator=place, external_key=key)])
    _, second, third = log.of_source(source_id, Kind.RAW_SOURCE)
    fact = derive(third, "Three.")
    sensitivity.mark(record_ids=[third.id])
    assert sensitivity.sensitive_seqs([first.seq, second.seq, third.seq, fact.seq]) == {
        first.seq,
        second.seq,
        third.seq,
        fact.seq,
    }
    log.refold()
    assert sensitivity.sensitive_seqs([fact.seq]) == {fact.seq}
    assert not sensitivity.is_sensitive(source_id)


def test_unknown_or_no_targets_mark_nothing(log: MemoryLog, sensitivity: Sensitivity):
    with pytest.raises(InvalidInputError):
        sensitivity.mark()
    with pytest.raises(UnknownSourceError, match="src_x"):
        sensitivity.mark(source_ids=["src_x"])
    with pytest.raises(UnknownRecordError, match="r_x"):
        sensitivity.mark(record_ids=["r_x"])
    assert log.head() == 0
