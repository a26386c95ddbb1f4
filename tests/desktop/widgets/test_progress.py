from __future__ import annotations

import pytest

from trisynapse_desktop.widgets.progress import ProgressLine, Speed, duration_of, sentence_of
from trisynapse_memory.types import Progress


def step(done, total=0, stage="reading", label="Lewis 2020"):
    return Progress(run_id="r", stage=stage, label=label, done=done, total=total)


def test_the_sentence_says_how_far_how_fast_and_how_long():
    assert sentence_of(step(40, 120), 8.0) == "Reading Lewis 2020 · 40 of 120 pages · 8 pages/s · 10 s left"


def test_an_unknown_total_is_not_guessed():
    assert sentence_of(step(40), 8.0) == "Reading Lewis 2020 · 40 pages · 8 pages/s"
    assert sentence_of(step(0)) == "Reading Lewis 2020"


def test_speed_counts_the_last_ten_seconds_only():
    speed = Speed()
    for done, now in ((0, 0.0), (1000, 1.0), (1010, 20.0), (1030, 25.0)):
        speed.note(done, now)
    assert speed.per_second() == pytest.approx(4.0)


def test_speed_starts_over_when_a_new_stage_counts_from_zero():
    speed = Speed()
    for done, now in ((500, 0.0), (0, 1.0), (10, 2.0)):
        speed.note(done, now)
    assert speed.per_second() == pytest.approx(10.0)


def test_one_mark_is_no_speed():
    speed = Speed()
    speed.note(5, 0.0)
    assert speed.per_second() == 0.0


def test_durations_use_the_largest_unit_that_fits():
    assert [duration_of(seconds) for seconds in (0.2, 59, 240, 5400)] == ["1 s", "59 s", "4 min", "1.5 h"]


def test_a_bar_without_a_total_only_shows_that_something_moves(qtbot):
    line = ProgressLine()
    qtbot.addWidget(line)
    line.show_progress(step(3))
    assert (line._bar.minimum(), line._bar.maximum()) == (0, 0)
    line.show_progress(step(3, 4))
    assert (line._bar.value(), line._bar.maximum()) == (3, 4)
