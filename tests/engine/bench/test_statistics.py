from __future__ import annotations

import numpy as np
import pytest

from trisynapse_memory.bench.statistics import compare, interval_of_means


def rows(values, name="recall@10"):
    return [{name: value} for value in values]


def test_the_best_baseline_is_chosen_for_each_measure():
    ours = [{"a": 1.0, "b": 1.0}] * 10
    plain = {"x": [{"a": 0.9, "b": 0.1}] * 10, "y": [{"a": 0.1, "b": 0.8}] * 10}
    found = {row.measure: (row.baseline, row.mean) for row in compare(ours, plain, corpus="c", category="")}
    assert found == {"a": ("x", 0.1), "b": ("y", 0.2)}


def test_a_clear_lead_is_better_and_an_even_match_is_not():
    better, even = [1.0] * 40 + [0.0] * 10, [1.0, 0.0] * 25
    plain = {"x": rows([0.0, 1.0] * 25)}
    (lead,) = compare(rows(better), plain, corpus="", category="")
    (draw,) = compare(rows(even), plain, corpus="", category="")
    assert lead.mean == pytest.approx(0.3)
    assert (lead.better, draw.better) == (True, False)
    assert lead.low > 0.0 > draw.low
    assert draw.high > 0.0


def test_a_handful_of_questions_proves_nothing():
    few, enough = rows([1.0] * 19), rows([1.0] * 20)
    (row,) = compare(few, {"x": rows([0.0] * 19)}, corpus="", category="")
    assert (row.low, row.better) == (1.0, False)
    (row,) = compare(enough, {"x": rows([0.0] * 20)}, corpus="", category="")
    assert row.better


def test_what_is_equal_in_every_question_is_not_better():
    (row,) = compare(rows([1.0, 0.0, 1.0]), {"x": rows([1.0, 0.0, 1.0])}, corpus="", category="")
    assert (row.mean, row.low, row.high, row.better) == (0.0, 0.0, 0.0, False)


def test_pairing_tells_apart_what_the_means_cannot():
    # One question in ten is won and none is lost, while the questions themselves differ by more than that.
    plain = [0.0, 1.0] * 50
    ours = [1.0 if place % 10 == 0 else value for place, value in enumerate(plain)]
    (row,) = compare(rows(ours), {"x": rows(plain)}, corpus="", category="")
    assert row.better


def test_the_interval_is_that_of_the_normal_approximation_for_many_questions():
    drawn = np.random.default_rng(3).normal(0.2, 1.0, size=(1000, 1))
    low, high = interval_of_means(drawn)
    error = float(drawn.std() / np.sqrt(len(drawn)))
    assert float(low[0]) == pytest.approx(float(drawn.mean()) - 1.96 * error, abs=0.01)
    assert float(high[0]) == pytest.approx(float(drawn.mean()) + 1.96 * error, abs=0.01)


def test_a_second_run_gives_the_same_interval():
    drawn = np.random.default_rng(3).random((30, 2))
    assert np.array_equal(interval_of_means(drawn), interval_of_means(drawn))


def test_nothing_is_compared_without_questions_or_baselines():
    assert compare([], {"x": []}, corpus="", category="") == ()
    assert compare(rows([1.0]), {}, corpus="", category="") == ()
