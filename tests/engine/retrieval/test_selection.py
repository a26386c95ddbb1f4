"""Whom to read: the best, what must be there, and what stands beside the best."""

from __future__ import annotations

from trisynapse_memory.retrieval.ranking import Fused
from trisynapse_memory.retrieval.selection import BESIDE_SHARE, HEAD_SHARE, HELD_SHARE, select
from trisynapse_memory.types import Beside

LIMIT = 4


def fused(*scores: float) -> list[Fused]:
    return [Fused(place, score, {}) for place, score in enumerate(scores, start=1)]


def chosen(candidates: list[Fused], kept: tuple[int, ...] = (), **known: dict[int, float]) -> list[int]:
    beside = {int(seq): Beside(int(before), None) for seq, before in known.get("before", {}).items()}
    return [one.seq for one in select(candidates, kept, beside, known.get("held", {}), LIMIT)]


def test_without_anything_around_the_best_are_read_in_their_order():
    assert chosen(fused(0.9, 0.8, 0.7, 0.6, 0.5, 0.4)) == [1, 2, 3, 4]


def test_a_turn_behind_a_strong_one_comes_in_for_a_lonely_one():
    gain = BESIDE_SHARE * 0.9
    assert chosen(fused(0.9, 0.8, 0.7, 0.6, 0.6 - gain + 0.01), before={5: 1}) == [1, 2, 3, 5]
    assert chosen(fused(0.9, 0.8, 0.7, 0.6, 0.6 - gain - 0.01), before={5: 1}) == [1, 2, 3, 4]


def test_a_record_that_holds_the_words_together_with_the_one_before_comes_in():
    assert chosen(fused(0.9, 0.8, 0.7, 0.6, 0.1), held={5: 0.51 / HELD_SHARE}) == [1, 2, 3, 5]


def test_what_must_be_read_is_read_but_never_before_the_head():
    assert chosen(fused(0.9, 0.8, 0.7, 0.6, 0.0, 0.0, 0.0), kept=(5, 6, 7)) == [1, 2, 5, 6]
    assert int(LIMIT * HEAD_SHARE) == 2


def test_no_more_than_the_limit_and_nobody_twice():
    assert chosen(fused(0.9, 0.8), kept=(1, 2)) == [1, 2]
