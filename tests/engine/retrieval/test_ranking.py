"""Routes vote together, and what holds the exact rare token of a question is buried by nothing."""

from __future__ import annotations

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.retrieval.ranking import Fused, fuse, reorder, rerank
from trisynapse_memory.types import Candidate, Intent, QueryPlan

CONFIG = Config()


def plan(**fields) -> QueryPlan:
    weights = {"lexical": 0.4, "semantic": 0.6}
    return QueryPlan(question="?", intent=Intent.FACT, terms=(), route_weights=weights, **fields)


def ranking(*pairs: tuple[int, float]) -> tuple[Candidate, ...]:
    return tuple(Candidate(seq, score) for seq, score in pairs)


def test_the_convex_sum_weighs_scores_by_the_best_of_their_route():
    fused = fuse(plan(), {"lexical": ranking((1, 8.0), (2, 4.0)), "semantic": ranking((2, 0.5), (3, 0.25))}, {}, CONFIG)
    assert [(one.seq, pytest.approx(one.score)) for one in fused] == [(2, 0.8), (1, 0.4), (3, 0.3)]


def test_the_parts_are_the_routes_own_scores():
    (one,) = fuse(plan(), {"lexical": ranking((1, 8.0)), "semantic": ranking((1, 0.5))}, {}, CONFIG)
    assert one.parts == {"lexical": 8.0, "semantic": 0.5}


def test_reciprocal_ranks_know_no_scores():
    lists = {"lexical": ranking((1, 100.0), (2, 1.0)), "semantic": ranking((2, 0.2), (1, 0.1))}
    fused = fuse(plan(fusion="rrf"), lists, {}, CONFIG)
    assert [one.seq for one in fused] == [2, 1]
    assert fused[0].score == pytest.approx(0.4 / 62 + 0.6 / 61)


def test_the_holder_of_a_rare_token_beats_the_best_of_both_routes():
    lists = {"lexical": ranking((1, 9.0), (7, 0.1)), "semantic": ranking((1, 1.0))}
    fused = fuse(plan(), lists, {"kx-00120": (7,)}, CONFIG)
    assert [one.seq for one in fused] == [7, 1]
    assert fused[0].parts["exact"] == CONFIG.rare_term_bonus


def test_a_holder_that_no_route_proposed_comes_in_nevertheless():
    fused = fuse(plan(), {"lexical": ranking((1, 1.0))}, {"kx": (42,)}, CONFIG)
    assert fused[0].seq == 42


def test_two_of_two_rare_tokens_beat_one_of_two():
    fused = fuse(plan(), {"lexical": ranking((1, 1.0), (2, 0.9))}, {"a": (1, 2), "b": (2,), "c": ()}, CONFIG)
    assert [one.seq for one in fused] == [2, 1]
    assert [one.parts["exact"] for one in fused] == [2.0, 1.0]


def test_ties_fall_in_log_order_and_the_list_is_cut():
    lists = {"lexical": ranking((3, 1.0), (1, 1.0), (2, 1.0))}
    assert [one.seq for one in fuse(plan(candidate_limit=2), lists, {}, CONFIG)] == [1, 2]
    lists = {"lexical": ranking((3, 1.0), (1, 1.0), (2, 1.0), (4, 0.5))}
    assert [one.seq for one in fuse(plan(candidate_limit=1), lists, {}, CONFIG, keep={4})] == [1, 4]


def test_a_record_that_a_route_cannot_judge_yet_is_ranked_by_the_others_alone():
    lists = {"lexical": ranking((1, 8.0), (2, 8.0)), "semantic": ranking((3, 0.9), (2, 0.3))}
    fused = fuse(plan(), lists, {}, CONFIG, {"semantic": {1}})
    assert [(one.seq, pytest.approx(one.score)) for one in fused] == [(1, 1.0), (2, 0.6), (3, 0.6)]


def test_reranking_adds_named_parts_and_buries_no_exact_match():
    fused = (Fused(1, 1.5, {"exact": 1.0}), Fused(2, 0.9, {}), Fused(3, 0.8, {}))
    found = rerank(fused, {2: {"speaker": -0.2}, 3: {"mention": 2.0}, 99: {"mention": 5.0}})
    assert [(one.seq, pytest.approx(one.score)) for one in found] == [(1, 1.5), (3, 2.8), (2, 0.7)]
    assert found[1].parts == {"mention": 2.0}


def test_nothing_found_is_nothing_fused():
    assert fuse(plan(), {"lexical": (), "semantic": ()}, {}, CONFIG) == ()


def test_a_models_order_takes_the_places_and_their_scores_and_buries_no_exact_match():
    fused = [Fused(1, 1.9, {"exact": 1.0}), Fused(2, 0.8, {}), Fused(3, 0.7, {}), Fused(4, 0.6, {}), Fused(5, 0.5, {})]
    found = reorder(fused, [-9.0, -1.0, 0.0, 0.0], "model")
    assert [(one.seq, one.score) for one in found] == [(1, 1.9), (3, 0.8), (4, 0.7), (2, 0.6), (5, 0.5)]
    assert found[1].parts == {"model": 0.5}
    assert found[-1].parts == {}


def test_logits_of_any_size_are_probabilities():
    found = reorder([Fused(1, 0.9, {}), Fused(2, 0.8, {})], [-1e6, 1e6], "model")
    assert [(one.seq, one.parts["model"]) for one in found] == [(2, 1.0), (1, 0.0)]
    assert reorder([Fused(1, 0.9, {})], [], "model") == (Fused(1, 0.9, {}),)
