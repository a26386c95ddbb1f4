"""Ranking by a sum of stretched parts: gains are nDCG, what helps is found, what helps too little is left alone."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from trisynapse_memory.scoring.weighting import PENALTY, Sheet, Weighting, fit, lower_bound

Row = tuple[list[float], list[float], list[float], int, int]
"""Base scores, exact lifts, one part for each candidate, the column that is right, the number of the question."""


def _sheet(*rows: Row) -> Sheet:
    width = len(rows[0][0])
    return Sheet(
        base=np.array([row[0] for row in rows]),
        exact=np.array([row[1] for row in rows]),
        order=np.tile(np.arange(1, width + 1), (len(rows), 1)),
        parts=np.array([[[one] for one in row[2]] for row in rows]),
        right=np.array([row[3] for row in rows]),
        owner=np.array([row[4] for row in rows]),
    )


NOTHING = [0.0, 0.0, 0.0]


def test_the_gain_is_the_discount_of_the_rank():
    sheet = _sheet(([3.0, 2.0, 1.0], NOTHING, NOTHING, 2, 0))
    assert sheet.gains((1.0,)) == pytest.approx([1 / log2(4)])


def test_several_right_records_share_the_ideal():
    rows: list[Row] = [([3.0, 2.0, 1.0], NOTHING, NOTHING, place, 0) for place in (0, 2)]
    assert _sheet(*rows).gains((1.0,)) == pytest.approx([(1 + 1 / 2) / (1 + 1 / log2(3))])


def test_a_right_record_that_is_no_candidate_gains_nothing():
    rows: list[Row] = [([1.0, 2.0, 3.0], NOTHING, NOTHING, -1, 0), ([1.0, 2.0, 3.0], NOTHING, NOTHING, 2, 1)]
    assert list(_sheet(*rows).gains((1.0,))) == [0.0, 1.0]


def test_ties_fall_in_log_order_and_exact_words_stay_above():
    tied = _sheet(([1.0, 1.0, 1.0], NOTHING, NOTHING, 1, 0))
    assert tied.gains((1.0,)) == pytest.approx([1 / log2(3)])
    lifted = _sheet(([9.0, 1.0, 1.0], [0.0, 0.0, 1.0], NOTHING, 2, 0))
    assert list(lifted.gains((1.0,))) == [1.0]


def _part_helps(count: int) -> list[Row]:
    """The right candidate stands second, and its part is worth half of what it lacks."""
    return [([1.0, 0.8, 0.0], NOTHING, [0.0, 0.15, 0.0], 1, number) for number in range(count)]


def test_a_part_that_helps_is_stretched_just_enough():
    found = fit({0.3: _sheet(*_part_helps(4))}, 0.3, np.ones(4, dtype=np.bool_))
    assert found == Weighting(0.3, (1.5,))


def test_only_the_chosen_questions_teach():
    rows = [*_part_helps(2), ([1.0, 0.95, 0.0], NOTHING, [0.0, 0.1, 0.0], 0, 2)]
    chosen = np.array([False, False, True])
    assert fit({0.3: _sheet(*rows)}, 0.3, chosen).factors == (0.5,)
    assert fit({0.3: _sheet(*rows)}, 0.3, ~chosen).factors == (1.5,)


def test_what_helps_less_than_it_costs_is_left_alone():
    stays: list[Row] = [([2.0, 1.0, 0.0], NOTHING, [0.0, 0.1, 0.0], 0, number) for number in range(1000)]
    one = ([1.0, 0.8, 0.0], NOTHING, [0.0, 0.15, 0.0], 1, 1000)
    assert (1 - 1 / log2(3)) / 1001 < PENALTY * 0.25  # the gain of the one question, spread over all
    assert fit({0.3: _sheet(*stays, one)}, 0.3, np.ones(1001, dtype=np.bool_)) == Weighting(0.3, (1.0,))


def test_another_share_is_taken_where_it_ranks_better_and_of_equals_the_nearest():
    wrong, right = _sheet(([2.0, 1.0, 0.0], NOTHING, NOTHING, 1, 0)), _sheet(([1.0, 2.0, 0.0], NOTHING, NOTHING, 1, 0))
    chosen = np.ones(1, dtype=np.bool_)
    assert fit({0.3: wrong, 0.5: right, 0.8: right}, 0.3, chosen).share == 0.5
    assert fit({0.3: right, 0.1: right}, 0.3, chosen) == Weighting(0.3, (1.0,))


def test_the_lower_bound_of_a_sure_gain_is_above_zero_and_of_noise_below():
    assert lower_bound(np.full(30, 0.1)) == pytest.approx(0.1)
    assert lower_bound(np.array([1.0, -1.0] * 15)) < 0
    assert lower_bound(np.zeros(0)) == 0.0
