"""Rank fusion and score fusion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from trisynapse_memory.errors import InvalidSettingError
from trisynapse_memory.scoring.fusion import fuse_convex, fuse_reciprocal

RANKING = st.dictionaries(st.sampled_from("abcdefg"), st.floats(0.001, 100), max_size=7).map(
    lambda scores: sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
)
RANKINGS = st.dictionaries(st.sampled_from(["graph", "lexical", "semantic", "temporal"]), RANKING, max_size=4)


def ranked(ids: str) -> list[tuple[str, float]]:
    return [(record_id, 1.0 / rank) for rank, record_id in enumerate(ids, start=1)]


def test_rank_two_in_both_routes_beats_rank_one_in_one():
    fused = fuse_reciprocal({"lexical": ranked("ab"), "semantic": ranked("cb")}, {})
    assert fused == [("b", approx(2 / 62)), ("a", approx(1 / 61)), ("c", approx(1 / 61))]


def test_reciprocal_weights_scale_votes_and_k_flattens():
    fused = fuse_reciprocal(
        {"lexical": ranked("ab"), "semantic": ranked("b")}, {"lexical": 3.0, "semantic": 0.5}, k=1.0
    )
    assert fused == [("a", approx(1.5)), ("b", approx(3 / 3 + 0.5 / 2))]


def test_a_repeated_id_votes_once_with_its_best_rank():
    assert fuse_reciprocal({"lexical": ranked("aba")}, {}) == fuse_reciprocal({"lexical": ranked("ab")}, {})


def test_convex_keeps_the_distance_that_ranks_forget():
    rankings = {"lexical": [("exact", 30.0), ("near", 3.0)], "semantic": [("near", 0.5), ("exact", 0.45)]}
    assert fuse_convex(rankings, {"lexical": 0.4, "semantic": 0.6}) == [
        ("exact", approx(0.4 + 0.6 * 0.9)),
        ("near", approx(0.4 * 0.1 + 0.6)),
    ]


def test_convex_counts_a_missing_score_as_zero():
    fused = fuse_convex(
        {"lexical": [("a", 2.0)], "semantic": [("b", 1.0), ("a", 0.5)]}, {"lexical": 1.0, "semantic": 1.0}
    )
    assert fused == [("a", approx(0.75)), ("b", approx(0.5))]


@pytest.mark.parametrize("silent", [[], [("z", 0.0)], [("z", -1.0)]])
def test_a_route_that_found_nothing_lowers_nobody(silent):
    fused = dict(fuse_convex({"lexical": [("a", 2.0), ("b", 1.0)], "graph": silent}, {"lexical": 0.2, "graph": 5.0}))
    assert (fused["a"], fused["b"]) == (approx(1.0), approx(0.5))
    assert fused.get("z", 0.0) == 0.0


def test_a_route_of_weight_zero_adds_its_ids_and_no_score():
    fused = fuse_convex({"lexical": [("a", 1.0)], "graph": [("z", 9.0)]}, {"lexical": 1.0, "graph": 0.0})
    assert fused == [("a", 1.0), ("z", 0.0)]


def test_negative_cosines_count_as_zero():
    assert fuse_convex({"semantic": [("a", 0.5), ("b", -0.3)]}, {}) == [("a", 1.0), ("b", 0.0)]


@pytest.mark.parametrize("fuse", [fuse_reciprocal, fuse_convex])
def test_nothing_in_nothing_out(fuse):
    assert fuse({}, {}) == []
    assert fuse({"lexical": []}, {"lexical": 1.0}) == []


@pytest.mark.parametrize("fuse", [fuse_reciprocal, fuse_convex])
@given(rankings=RANKINGS, order=st.randoms(use_true_random=False))
def test_order_of_routes_never_matters_and_ties_fall_in_id_order(fuse, rankings, order):
    names = list(rankings)
    order.shuffle(names)
    weights = {"graph": 0.3, "lexical": 0.7, "semantic": 0.1}
    fused = fuse(rankings, weights)
    assert fused == fuse({name: rankings[name] for name in names}, weights)
    assert fused == sorted(fused, key=lambda pair: (-pair[1], pair[0]))
    assert {record_id for record_id, _ in fused} == {
        record_id for ranking in rankings.values() for record_id, _ in ranking
    }


@given(RANKINGS, st.floats(0.01, 1000))
def test_convex_scores_lie_between_zero_and_one_and_scale_does_not_matter(rankings, scale):
    fused = fuse_convex(rankings, {})
    assert all(0 <= score <= 1 + 1e-12 for _, score in fused)
    scaled = {route: [(name, score * scale) for name, score in ranking] for route, ranking in rankings.items()}
    assert dict(fuse_convex(scaled, {})) == approx(dict(fused))


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("fuse", [fuse_reciprocal, fuse_convex])
def test_impossible_weights_are_refused(fuse, weight):
    with pytest.raises(InvalidSettingError):
        fuse({"lexical": ranked("a")}, {"lexical": weight})


@pytest.mark.parametrize("k", [0.0, -1.0, float("nan")])
def test_impossible_k_is_refused(k):
    with pytest.raises(InvalidSettingError):
        fuse_reciprocal({"lexical": ranked("a")}, {}, k=k)


def test_scores_that_are_no_numbers_are_refused():
    with pytest.raises(InvalidSettingError):
        fuse_convex({"lexical": [("a", float("nan"))]}, {})


def test_what_a_route_cannot_judge_is_left_to_the_others():
    rankings = {"lexical": [("a", 4.0), ("b", 2.0)], "semantic": [("b", 1.0)]}
    weights = {"lexical": 0.4, "semantic": 0.6}
    assert dict(fuse_convex(rankings, weights, {"semantic": {"a"}})) == approx({"a": 1.0, "b": 0.8})
    assert dict(fuse_convex(rankings, weights, {"semantic": set()})) == approx({"a": 0.4, "b": 0.8})


def test_what_no_route_can_judge_scores_nothing():
    assert dict(fuse_convex({"semantic": [("a", 1.0)]}, {}, {"semantic": {"a"}})) == {"a": 0.0}
