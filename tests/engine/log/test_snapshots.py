"""A named moment can be made, entered and left again, and the log only grows by it."""

from __future__ import annotations

import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownRecordError
from trisynapse_memory.log.moments import visible_as_of
from trisynapse_memory.log.snapshots import Snapshots
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Draft, Kind


@pytest.fixture
def snapshots(log: MemoryLog) -> Snapshots:
    return Snapshots(log)


def test_a_snapshot_is_everything_up_to_it_and_nothing_after(log: MemoryLog, snapshots: Snapshots):
    (before,) = log.append([Draft(kind=Kind.RAW_SOURCE, text="before")])
    made = snapshots.create(" Draft handed in ")
    (after,) = log.append([Draft(kind=Kind.RAW_SOURCE, text="after")])
    assert (made.label, made.cutoff_seq, made.entered) == ("Draft handed in", 1, False)
    assert visible_as_of(log, [before.seq, after.seq], made.cutoff_seq) == {before.seq}


def test_an_empty_log_can_have_a_snapshot(snapshots: Snapshots):
    assert snapshots.create("at the start").cutoff_seq == 0


def test_one_snapshot_is_entered_at_a_time_and_can_be_left(log: MemoryLog, snapshots: Snapshots):
    first, second = snapshots.create("first"), snapshots.create("second")
    assert snapshots.entered() is None
    assert snapshots.enter(first.snapshot_id).entered
    assert snapshots.enter(second.snapshot_id).entered
    assert [one.entered for one in snapshots.list()] == [True, False]
    head = log.head()
    snapshots.enter(second.snapshot_id)
    assert log.head() == head, "entering twice says nothing new"
    left = snapshots.leave()
    assert left is not None
    assert (left.snapshot_id, snapshots.entered(), snapshots.leave()) == (second.snapshot_id, None, None)


def test_folding_again_knows_which_one_is_entered(log: MemoryLog, snapshots: Snapshots):
    snapshots.enter(snapshots.create("first").snapshot_id)
    before = snapshots.list()
    log.refold()
    assert snapshots.list() == before


def test_a_snapshot_needs_a_label_and_an_id_that_is_known(log: MemoryLog, snapshots: Snapshots):
    with pytest.raises(InvalidInputError, match="label"):
        snapshots.create("  ")
    with pytest.raises(UnknownRecordError, match="r_x"):
        snapshots.enter("r_x")
    assert log.head() == 0
