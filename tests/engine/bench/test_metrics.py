from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis.strategies import integers, permutations, sets
from pytest import approx

from trisynapse_memory.bench import metrics
from trisynapse_memory.errors import InvalidInputError

RANKING = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]


def test_half_of_the_gold_within_depth_is_a_recall_of_one_half():
    assert metrics.recall_at(RANKING, {"b", "k"}, 10) == 0.5
    assert metrics.recall_at(RANKING, {"b", "k"}, 11) == 1.0
    assert metrics.recall_at(RANKING, {"z"}, 11) == 0.0


def test_gold_on_rank_three_has_a_reciprocal_rank_of_one_third():
    assert metrics.reciprocal_rank(RANKING, {"c", "d"}) == approx(1 / 3)
    assert metrics.reciprocal_rank(RANKING, {"z"}) == 0.0


def test_ndcg_of_gold_on_ranks_one_and_three_of_two_is_as_computed_by_hand():
    gained = 1 / log2(2) + 1 / log2(4)
    best = 1 / log2(2) + 1 / log2(3)
    assert metrics.ndcg_at(RANKING, {"a", "c"}, 10) == approx(gained / best)
    assert metrics.ndcg_at(RANKING, {"a", "c"}, 10) == approx(0.9197, abs=1e-4)


def test_ndcg_holds_nobody_to_more_gold_than_fits_the_depth():
    assert metrics.ndcg_at(RANKING, {"a", "b", "c"}, 2) == 1.0


def test_ndcg_gives_nothing_below_the_depth():
    assert metrics.ndcg_at(RANKING, {"k"}, 10) == 0.0


def test_all_at_eight_wants_every_gold_record_among_eight():
    assert metrics.all_within(RANKING, {"a", "h"}, 8) == 1.0
    assert metrics.all_within(RANKING, {"a", "i"}, 8) == 0.0


def test_graded_gain_prefers_the_better_document_first():
    grades = {"a": 1.0, "b": 2.0}
    swapped = (1.0 + 2.0 / log2(3)) / (2.0 + 1.0 / log2(3))
    assert metrics.graded_ndcg_at(["b", "a"], grades, 10) == approx(1.0)
    assert metrics.graded_ndcg_at(["a", "b"], grades, 10) == approx(swapped)
    assert metrics.graded_ndcg_at(["z", "b"], grades, 1) == 0.0


@given(sets(integers(0, 10), min_size=1), integers(1, 12))
def test_graded_gain_of_equal_grades_is_the_plain_one(places, depth):
    gold = {RANKING[place]: 1.0 for place in places}
    assert metrics.graded_ndcg_at(RANKING, gold, depth) == approx(metrics.ndcg_at(RANKING, gold, depth))


def test_one_gold_record_is_a_hit():
    assert metrics.hit_at(RANKING, {"a", "z"}, 1) == 1.0
    assert metrics.hit_at(RANKING, {"b", "z"}, 1) == 0.0


def test_the_figures_of_a_question_carry_the_names_the_command_line_promises():
    row = metrics.judge(RANKING, {"b": 1.0})
    assert row == {
        "recall@1": 0.0,
        "recall@2": 1.0,
        "recall@5": 1.0,
        "recall@10": 1.0,
        "mrr": 0.5,
        "ndcg@10": approx(1 / log2(3)),
        "all@8": 1.0,
    }


@pytest.mark.parametrize("measure", [metrics.reciprocal_rank, lambda r, g: metrics.ndcg_at(r, g, 5)])
def test_a_question_without_gold_is_refused_rather_than_counted(measure):
    with pytest.raises(InvalidInputError, match="without gold"):
        measure(RANKING, set())


@given(permutations(RANKING), sets(integers(0, 10), min_size=1))
def test_figures_stay_between_nothing_and_all_and_recall_grows_with_depth(ranking, places):
    gold = {RANKING[place]: 1.0 for place in places}
    row = metrics.judge(ranking, gold)
    assert all(0.0 <= value <= 1.0 for value in row.values())
    assert row["recall@2"] <= row["recall@5"] <= row["recall@10"]


@given(sets(integers(0, 10), min_size=1))
def test_gold_first_is_the_best_there_is(places):
    gold = [RANKING[place] for place in places]
    ranking = [*gold, *(key for key in RANKING if key not in gold)]
    assert metrics.ndcg_at(ranking, gold, 10) == approx(1.0)
    assert metrics.reciprocal_rank(ranking, gold) == 1.0


def test_a_mean_is_over_the_questions_that_have_the_figure():
    assert metrics.means([{"x": 1.0}, {"x": 0.0, "y": 0.25}]) == {"x": 0.5, "y": 0.25}
    assert metrics.means([]) == {}


def test_a_ratio_needs_both_figures_and_a_divisor():
    assert metrics.ratios({"x": 0.6, "y": 1.0, "only": 1.0}, {"x": 0.5, "y": 0.0}) == {"x": 1.2}


def test_percentiles_interpolate_between_values():
    assert metrics.percentile([4.0, 1.0, 2.0, 3.0], 0.5) == 2.5
    assert metrics.percentile([1.0, 2.0, 3.0, 4.0, 5.0], 0.95) == approx(4.8)
    assert metrics.percentile([], 0.5) == 0.0


def test_a_page_stands_where_its_best_record_stands():
    assert metrics.distinct(["p2", "p1", "p2", "p3", "p1"]) == ["p2", "p1", "p3"]
