"""Sentence choice: values by hand, and what must hold of any sentences."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.scoring.salience import SAME_FROM, centrality, choose_diverse, sentence_similarities

SENTENCES = st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=8)


def test_similarity_by_hand():
    # df: a 2, b 1, c 1 of 2 sentences; idf(a) = ln 2, idf(b) = idf(c) = ln 3.
    found = sentence_similarities([["a", "b"], ["a", "c"]])
    assert found[0, 1] == pytest.approx(log(2) ** 2 / (log(2) ** 2 + log(3) ** 2))
    assert found[0, 0] == pytest.approx(1.0)


def test_a_repeated_term_weighs_more_and_an_empty_sentence_is_like_nothing():
    found = sentence_similarities([["a", "a", "b"], ["b"], []])
    two, one = 2 * log(1 + 3 / 1), log(1 + 3 / 2)
    assert found[0, 1] == pytest.approx(one / sqrt(two**2 + one**2))
    assert found[2].tolist() == [0.0, 0.0, 0.0]
    assert sentence_similarities([]).shape == (0, 0)


def test_the_middle_of_a_star_is_central():
    star = np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.0], [0.5, 0.0, 1.0]])
    # By symmetry m = .05 + .85 * 2s, s = .05 + .85 * m / 2.
    middle = (0.05 + 1.7 * 0.05) / (1 - 1.7 * 0.425)
    assert centrality(star).tolist() == pytest.approx([middle, (1 - middle) / 2, (1 - middle) / 2])


def test_centrality_of_nothing_and_of_strangers():
    assert centrality(np.zeros((0, 0))).size == 0
    assert centrality(np.eye(4)).tolist() == pytest.approx([0.25] * 4)
    with pytest.raises(InvalidInputError, match="shape"):
        centrality(np.zeros((2, 3)))


def test_a_near_copy_is_passed_over_for_something_new():
    likeness = np.array([[1.0, 0.65, 0.0], [0.65, 1.0, 0.0], [0.0, 0.0, 1.0]])
    # Second choice: .7 * .9 - .3 * .65 = .435 against .7 * .7 - 0 = .49.
    assert choose_diverse(np.array([1.0, 0.9, 0.7]), likeness, 3) == [0, 2, 1]


def test_what_says_the_same_again_is_never_chosen():
    likeness = np.array([[1.0, SAME_FROM], [SAME_FROM, 1.0]])
    assert choose_diverse(np.array([0.5, 1.0]), likeness, 2) == [1]


def test_nothing_above_zero_is_nothing_to_choose():
    assert choose_diverse(np.zeros(3), np.eye(3), 2) == []
    assert choose_diverse(np.zeros(0), np.zeros((0, 0)), 2) == []
    assert choose_diverse(np.array([1.0, 0.0]), np.eye(2), 2) == [0]


@given(SENTENCES)
def test_similarities_are_cosines_and_ranks_sum_to_one(sentences: list[list[str]]):
    found = sentence_similarities(sentences)
    assert np.allclose(found, found.T)
    assert ((found >= 0) & (found <= 1)).all()
    if sentences:
        ranks = centrality(found)
        assert ranks.sum() == pytest.approx(1.0)
        assert (ranks > 0).all()
        chosen = choose_diverse(ranks, found, 4)
        assert len(set(chosen)) == len(chosen) <= 4
        assert all(found[one, other] < SAME_FROM for one in chosen for other in chosen if one != other)
