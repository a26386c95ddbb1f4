"""Repetitions step back, and nothing else moves."""

from __future__ import annotations

import numpy as np
import pytest

from trisynapse_memory.retrieval.diversity import diversify
from trisynapse_memory.retrieval.ranking import Fused


def ranked(*scores: float, exact: tuple[int, ...] = ()) -> list[Fused]:
    return [
        Fused(place, score, {"exact": 1.0} if place in exact else {}) for place, score in enumerate(scores, start=1)
    ]


def likeness(count: int, *pairs: tuple[int, int, float]) -> np.ndarray:
    matrix = np.eye(count, dtype=np.float32)
    for left, right, value in pairs:
        matrix[left - 1, right - 1] = matrix[right - 1, left - 1] = value
    return matrix


def order(fused: list[Fused], matrix: np.ndarray, weight: float) -> list[int]:
    return [one.seq for one in diversify(fused, matrix, weight)]


def test_a_repetition_steps_behind_what_says_something_new():
    assert order(ranked(0.9, 0.85, 0.8), likeness(3, (1, 2, 1.0)), 0.1) == [1, 3, 2]


def test_the_price_is_the_weight_times_the_likeness():
    fused = ranked(0.9, 0.85, 0.8)
    assert order(fused, likeness(3, (1, 2, 0.5)), 0.11) == [1, 3, 2]
    assert order(fused, likeness(3, (1, 2, 0.5)), 0.09) == [1, 2, 3]


def test_only_the_likest_of_those_before_counts():
    fused = ranked(0.9, 0.88, 0.8, 0.75)
    assert order(fused, likeness(4, (1, 3, 0.4), (2, 3, 0.4)), 0.1) == [1, 2, 3, 4]


def test_weight_0_and_a_single_candidate_change_nothing():
    assert order(ranked(0.9, 0.85, 0.8), likeness(3, (1, 2, 1.0)), 0.0) == [1, 2, 3]
    assert order(ranked(0.9), likeness(1), 1.0) == [1]
    assert order([], np.zeros((0, 0), np.float32), 1.0) == []


def test_what_lies_beyond_the_matrix_stays_behind_in_its_order():
    assert order(ranked(0.9, 0.85, 0.8, 0.79, 0.78), likeness(3, (1, 2, 1.0)), 0.3) == [1, 3, 2, 4, 5]


def test_an_exact_match_is_buried_by_no_newcomer():
    assert order(ranked(1.9, 1.8, 0.9, exact=(1, 2)), likeness(3, (1, 2, 1.0)), 2.0) == [1, 2, 3]


def test_opposites_cost_nothing_and_scores_stay():
    fused = ranked(0.9, 0.85)
    again = diversify(fused, likeness(2, (1, 2, -1.0)), 1.0)
    assert [one.score for one in again] == pytest.approx([0.9, 0.85])
