"""What was struck is blank and keeps its length; the correction stands before it, as of now or as of then."""

from __future__ import annotations

import pytest

from trisynapse_memory.grounding.corrections import Corrections, blanked, readable
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.lifecycle import Amendment
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.strikes import Stretch, Strike
from trisynapse_memory.types import REPLACED_FIELD, Draft, Kind, Record, RecordId

TEXT = "Light is slow. Light is white."
OLD = "Light is slow."


@pytest.fixture
def record(log: MemoryLog) -> Record:
    (found,) = log.append([Draft(kind=Kind.RAW_SOURCE, text=TEXT)])
    return found


def correct(log: MemoryLog, record: Record, text: str) -> Record:
    amendment = Amendment(strikes=(Stretch(record.id, 0, len(OLD)),))
    return log.get(lifecycle.correct(log, record.id, text, "measured", amendment).record_id)


def strike(start: int, end: int) -> Strike:
    return Strike(start, end, RecordId("r_by"), "why")


def test_blanks_keep_every_offset():
    assert blanked(TEXT, [strike(0, 14)]) == " " * 14 + TEXT[14:]
    assert blanked(TEXT, [strike(0, 8), strike(6, 14)]) == " " * 14 + TEXT[14:]
    assert blanked(TEXT, []) == TEXT


def test_a_gap_is_shown_as_one_and_other_text_is_left_alone():
    assert readable(blanked("One two three. Four.", [strike(4, 13)]), [strike(4, 13)]) == "One … . Four."
    assert readable("a   b", []) == "a   b"


def test_a_correction_is_placed_before_what_it_strikes_with_the_better_score(log: MemoryLog, record: Record):
    fixed = correct(log, record, "Light is fast.")
    placed, strikes = Corrections(log, None).place([(record.seq, 0.9, {"words": 0.9})])
    assert [(seq, score) for seq, score, _ in placed] == [(fixed.seq, 0.9), (record.seq, 0.9)]
    assert [(one.start, one.end, one.correction_id) for one in strikes[record.seq]] == [(0, len(OLD), fixed.id)]
    ranked = [(record.seq, 0.9, {}), (fixed.seq, 0.4, {"own": 0.4})]
    again, _ = Corrections(log, None).place(ranked)
    assert again == [(fixed.seq, 0.9, {"own": 0.4}), (record.seq, 0.9, {})]


def test_a_correction_that_was_corrected_itself_is_not_placed(log: MemoryLog, record: Record):
    first = correct(log, record, "Light is fast.")
    second = log.get(lifecycle.correct(log, first.id, "Light is very fast.", "again").record_id)
    placed, _ = Corrections(log, None).place([(record.seq, 1.0, {})])
    assert [seq for seq, _, _ in placed] == [second.seq, record.seq]


def test_as_of_an_earlier_end_nothing_was_struck_yet(log: MemoryLog, record: Record):
    correct(log, record, "Light is fast.")
    placed, strikes = Corrections(log, record.seq).place([(record.seq, 1.0, {})])
    assert ([seq for seq, _, _ in placed], strikes) == ([record.seq], {})


def test_a_correction_carries_the_words_it_replaced(log: MemoryLog, record: Record):
    fixed = correct(log, record, "Light is fast.")
    corrections = Corrections(log, None)
    assert corrections.mask(fixed, ()).fields[REPLACED_FIELD] == OLD
    (struck,) = corrections.replaced(fixed)
    assert (struck.text, struck.record_id, struck.correction_id, struck.reason) == (
        OLD,
        record.id,
        fixed.id,
        "measured",
    )
    assert corrections.replaced(record) == ()
