from __future__ import annotations

import numpy as np
import pytest

from trisynapse_memory.bench.baselines import Baselines, DenseBaseline, WordsBaseline
from trisynapse_memory.bench.machine import Stopwatch

TEXTS = ["The cat measures light.", "A dog sleeps.", "Measured light was slow.", "He was you"]


@pytest.fixture
def words():
    baseline = WordsBaseline(TEXTS)
    yield baseline
    baseline.close()


def test_words_meet_by_their_porter_stem(words):
    assert set(words.rank("measuring", 10)) == {0, 2}


def test_the_text_with_both_words_comes_first(words):
    assert words.rank("cats and light", 10)[0] == 0


def test_function_words_do_not_vote_beside_others(words):
    assert words.rank("Was that what sleeps, you?", 10) == [1]


def test_function_words_are_asked_where_there_is_nothing_else(words):
    assert words.rank("was you", 10)[0] == 3


@pytest.mark.parametrize("question", ["", "?!", '"'])
def test_a_question_without_words_finds_nothing(words, question):
    assert words.rank(question, 10) == []


def test_quotes_and_operators_are_words_and_no_syntax(words):
    assert set(words.rank('cat" OR NEAR(dog* AND -light', 10)) == {0, 1, 2}


def test_dense_orders_by_cosine_and_breaks_ties_by_row():
    matrix = np.array([[0, 1], [1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    assert DenseBaseline(matrix).rank(np.array([0, 1], dtype=np.float32), 3) == [0, 2, 3]


def test_reciprocal_rank_fusion_prefers_what_both_methods_find():
    texts = ["light light light", "light and shade", "nothing"]
    matrix = np.array([[-1, 0], [0.8, 0.6], [1, 0]], dtype=np.float32)
    baselines = Baselines(texts, matrix)
    watch = Stopwatch()
    rankings = baselines.rank("light shade", np.array([1, 0], dtype=np.float32), watch)
    baselines.close()
    assert rankings["dense"] == [2, 1, 0]
    assert rankings["fts5"] == [1, 0]
    assert rankings["rrf"][0] == 1
    assert sorted(rankings["rrf"]) == [0, 1, 2]
    assert len(watch.wall_ms) == 1


def test_the_convex_sum_keeps_how_far_ahead_the_best_is():
    texts = ["mirror mirror mirror", "mirror and lamp among many other plain words", "nothing"]
    matrix = np.array([[0.6, 0.8], [0.8, 0.6], [1, 0]], dtype=np.float32)
    baselines = Baselines(texts, matrix)
    rankings = baselines.rank("mirror", np.array([1, 0], dtype=np.float32))
    baselines.close()
    assert rankings["dense"] == [2, 1, 0]
    assert rankings["fts5"] == [0, 1]
    assert rankings["convex"][0] == 0  # 0.4 * 1 + 0.6 * 0.6, above 0.6 * 1 of the nearest text that lacks the word
    assert sorted(rankings["convex"]) == [0, 1, 2]


def test_the_convex_sum_knows_the_cosine_of_what_was_found_by_its_words_however_far_down_it_is():
    texts = ["filler"] * 149 + ["mirror"]
    cosines = np.linspace(1.0, 0.5, 150, dtype=np.float32)
    matrix = np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1)
    baselines = Baselines(texts, matrix)
    rankings = baselines.rank("mirror", np.array([1, 0], dtype=np.float32))
    baselines.close()
    assert rankings["dense"][-1] == 149
    assert rankings["convex"][0] == 149  # 0.4 * 1 + 0.6 * 0.5, above 0.6 * 1; by its words alone it would have 0.4
