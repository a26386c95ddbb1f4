"""BM25 against the formula worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from trisynapse_memory.errors import InvalidSettingError
from trisynapse_memory.scoring.bm25 import K1, B, bm25_scores, idf


def test_the_constants_are_those_of_the_article():
    assert (K1, B) == (1.5, 0.75)


def test_idf_follows_the_formula():
    assert idf(3, 10) == approx(1.1451323, abs=1e-7)  # ln(1 + 7.5 / 3.5)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_idf_is_positive_and_rarer_terms_tell_more(first, second):
    rare, common = sorted((first, second))
    assert idf(rare, 10_000) >= idf(common, 10_000) > 0


def test_scores_follow_the_formula():
    # 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 8 / 10)) = 5 / 3.275, times idf 2
    assert bm25_scores([2], [8], term_idf=2.0, average_length=10.0)[0] == approx(3.0534351, abs=1e-7)


def test_an_average_length_below_one_counts_as_one():
    low = bm25_scores([1], [3], term_idf=1.0, average_length=0.0)
    assert low[0] == bm25_scores([1], [3], term_idf=1.0, average_length=1.0)[0]
    assert low[0] == approx(2.5 / (1 + 1.5 * (0.25 + 2.25)))


def test_more_matches_and_shorter_documents_score_higher_and_never_reach_the_ceiling():
    scores = bm25_scores([1, 2, 100_000, 1], [10, 10, 10, 5], term_idf=1.0, average_length=10.0)
    assert scores[0] < scores[1] < scores[2] < 2.5
    assert scores[0] < scores[3]


def test_no_match_scores_nothing_whatever_the_settings():
    assert bm25_scores([0], [0], term_idf=3.0, average_length=5.0, k1=0.0).tolist() == [0.0]
    assert bm25_scores([0], [0], term_idf=3.0, average_length=5.0, b=1.0).tolist() == [0.0]


def test_the_weight_scales_the_score():
    half = bm25_scores([2, 1], [8, 4], term_idf=2.0, average_length=10.0, weight=0.5)
    assert half == approx(0.5 * bm25_scores([2, 1], [8, 4], term_idf=2.0, average_length=10.0))


def test_no_postings_give_no_scores():
    scores = bm25_scores(np.array([], dtype=np.int64), [], term_idf=1.0, average_length=1.0)
    assert scores.shape == (0,)


@pytest.mark.parametrize("settings", [{"k1": -0.1}, {"b": 1.1}, {"b": -0.1}])
def test_impossible_settings_are_refused(settings):
    with pytest.raises(InvalidSettingError):
        bm25_scores([1], [1], term_idf=1.0, average_length=1.0, **settings)


@pytest.mark.parametrize("counts", [(-1, 5), (6, 5)])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(InvalidSettingError):
        idf(*counts)
