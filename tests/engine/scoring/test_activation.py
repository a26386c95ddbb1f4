"""Activation and walks by hand: each rule of a round alone, then their order, and that nothing untouched appears."""

from __future__ import annotations

from math import exp

import pytest

from trisynapse_memory.scoring.activation import SYNAPSE, Dynamics, spread, step, strongest
from trisynapse_memory.types import Tie

# Nothing but what a test turns on: all is kept, nobody is held down.
PLAIN = Dynamics(spread=1.0, decay=0.0, inhibition=0.0, gain=5.0, threshold=0.5)
FLOOR = 1.0 / (1.0 + exp(2.5))


def squashed(value: float) -> float:
    return 1.0 / (1.0 + exp(-5.0 * (value - 0.5))) - FLOOR


def test_the_preset_is_that_of_the_article():
    article = Dynamics(spread=0.8, decay=0.5, inhibition=0.15, inhibitors=7, gain=5.0, threshold=0.5, in_limit=15)
    assert article == SYNAPSE
    assert pytest.approx(0.0759, abs=1e-4) == FLOOR  # engine.md B3, our notes


def test_nothing_active_stays_nothing():
    assert spread({}, [Tie(1, 2, 1.0)]) == {}


def test_a_node_without_ties_keeps_what_decay_leaves():
    kept = spread({1: 0.8}, [], Dynamics(decay=0.5, inhibition=0.0))
    assert kept == {1: pytest.approx(squashed(0.4))}


def test_what_a_node_spreads_is_divided_by_its_fan():
    one = spread({1: 1.0}, [Tie(1, 2, 0.5)], PLAIN)
    four = spread({1: 1.0}, [Tie(1, other, 0.5) for other in (2, 3, 4, 5)], PLAIN)
    assert one[2] == pytest.approx(squashed(0.5))
    assert four[2] == pytest.approx(squashed(0.125))


def test_what_comes_from_several_sides_adds_up():
    found = spread({1: 1.0, 2: 0.5}, [Tie(1, 3, 0.4), Tie(2, 3, 0.4)], PLAIN)
    assert found[3] == pytest.approx(squashed(0.6))


def test_all_nodes_move_at_once():
    found = spread({1: 1.0}, [Tie(1, 2, 1.0), Tie(2, 3, 1.0)], PLAIN)
    assert 3 not in found  # two steps away is not reached in one round


def test_the_strongest_hold_the_others_down_by_their_distance():
    held = spread({1: 0.9, 2: 0.5}, [], Dynamics(decay=0.0, inhibition=0.5, inhibitors=1))
    assert held == {1: pytest.approx(squashed(0.9)), 2: pytest.approx(squashed(0.3))}


def test_who_is_held_down_wholly_is_not_active():
    assert set(spread({1: 0.9, 2: 0.05}, [], Dynamics(decay=0.0, inhibition=0.5, inhibitors=1))) == {1}


def test_inhibition_comes_before_the_sigmoid():
    # The other order would subtract from 0.5 / (1 + e^0) and give another number.
    (first, second) = spread({1: 1.0, 2: 0.5}, [], Dynamics(decay=0.0, inhibition=0.2, inhibitors=1)).values()
    assert (first, second) == (pytest.approx(squashed(1.0)), pytest.approx(squashed(0.4)))


def test_only_the_strongest_ties_into_a_node_count():
    ties = [Tie(1, 9, 0.2), Tie(2, 9, 0.9), Tie(3, 9, 0.5), Tie(3, 8, 0.1)]
    found = spread({1: 1.0, 2: 1.0, 3: 1.0}, ties, Dynamics(spread=1.0, decay=0.0, inhibition=0.0, in_limit=2))
    assert found[9] == pytest.approx(squashed(0.9 + 0.5 / 2))  # a pruned tie still belongs to its node's fan
    assert found[8] == pytest.approx(squashed(0.1 / 2))


def test_a_round_of_the_article_by_hand():
    found = spread({1: 0.8}, [Tie(1, 2, 1.0), Tie(1, 3, 0.5)])
    u = {1: 0.4, 2: 0.8 * 0.8 / 2, 3: 0.8 * 0.4 / 2}
    hatted = {node: value - 0.15 * sum(max(other - value, 0.0) for other in u.values()) for node, value in u.items()}
    assert found == {node: pytest.approx(squashed(value)) for node, value in hatted.items()}


def test_a_step_keeps_the_best_product_and_tells_only_what_got_better():
    starts = {1: 0.5, 2: 1.0}
    better = step({1: 0.5, 2: 1.0, 5: 0.9}, starts, [Tie(1, 3, 0.8), Tie(2, 3, 0.3), Tie(2, 1, 0.4), Tie(2, 5, 0.5)])
    assert better == {3: pytest.approx(0.4)}


def test_the_strongest_come_first_and_ties_by_number():
    assert list(strongest({7: 0.5, 3: 0.5, 1: 0.2, 9: 0.9}, 3)) == [9, 3, 7]
