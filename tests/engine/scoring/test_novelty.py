"""1 - the highest cosine, its median and maximum, and the word for it: values worked out by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest

from trisynapse_memory.scoring.novelty import KNOWN_UNDER, NEW_FROM, SAMPLE_COUNT, level_of, spread_evenly, spread_of


def test_the_spread_is_the_median_and_the_highest_of_one_minus_cosine():
    assert spread_of([0.9, 0.4, 1.0]) == pytest.approx((0.1, 0.6))
    assert spread_of([0.9, 0.5]) == pytest.approx((0.3, 0.5))


def test_what_points_the_other_way_is_as_new_as_can_be_and_rounding_is_never_negative():
    assert spread_of([-0.3]) == (1.0, 1.0)
    assert spread_of([1.0000002]) == (0.0, 0.0)


def test_a_long_source_is_looked_at_in_evenly_spread_places():
    assert spread_evenly(3) == (0, 1, 2)
    places = spread_evenly(1000)
    assert (len(places), places[0], places[-1]) == (SAMPLE_COUNT, 0, 999)
    gaps = {later - earlier for earlier, later in pairwise(places)}
    assert gaps <= {15, 16}


def test_a_word_for_each_stretch():
    assert [level_of(one) for one in (0.0, KNOWN_UNDER, NEW_FROM - 0.001, NEW_FROM, 1.0)] == [
        "known",
        "mixed",
        "mixed",
        "new",
        "new",
    ]
