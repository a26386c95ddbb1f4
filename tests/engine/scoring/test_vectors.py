"""Nearest vectors: exact, by bits, and the same on every run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.scoring import vectors
from trisynapse_memory.scoring.vectors import cosine, hamming_candidates, nearest, packed_bits, top_k


def clustered(count: int, dimensions: int = 64, seed: int = 7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((20, dimensions))
    rows = centres[rng.integers(0, 20, count)] + 0.6 * rng.standard_normal((count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_cosine_ignores_length_and_keeps_sign():
    matrix = np.array([[2, 0], [0, 5], [-1, 0], [1, 1], [0, 0]], dtype=np.float32)
    assert cosine(np.array([3, 0], dtype=np.float32), matrix) == approx([1, 0, -1, 0.5**0.5, 0], abs=1e-6)


def test_a_zero_query_is_like_nothing():
    assert cosine(np.zeros(2, dtype=np.float32), np.ones((3, 2), dtype=np.float32)).tolist() == [0, 0, 0]


def test_cosine_stays_float32_and_inside_its_range():
    rows = clustered(500)
    scores = cosine(rows[0], rows)
    assert scores.dtype == np.float32
    assert -1 <= scores.min() <= scores.max() <= 1


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInputError):
        cosine(np.ones(3, dtype=np.float32), np.ones((2, 4), dtype=np.float32))
    with pytest.raises(InvalidInputError):
        nearest(np.ones(2, dtype=np.float32), np.ones((2, 2), dtype=np.float32), ["a"], 1)
    with pytest.raises(InvalidInputError):
        top_k(np.ones(2), ["a"], 1)


def test_ties_at_the_cut_fall_in_id_order():
    assert top_k(np.array([1.0, 2.0, 1.0, 1.0]), ["c", "d", "b", "a"], 3) == [("d", 2.0), ("a", 1.0), ("b", 1.0)]


@given(st.lists(st.integers(-3, 3), max_size=30), st.integers(-1, 40))
def test_top_k_equals_a_full_sort(values, k):
    ids = [f"r{(index * 7) % 31:02d}" for index in range(len(values))]
    full = sorted(zip(ids, map(float, values), strict=True), key=lambda pair: (-pair[1], pair[0]))
    assert top_k(np.array(values, dtype=np.float64), ids, k) == full[: max(k, 0)]


def test_bits_are_signs_and_padding_never_counts():
    bits = packed_bits(np.array([[1, -1, 0.5], [1, 1, 1]], dtype=np.float32))
    assert bits.shape == (2, 1)
    assert np.bitwise_count(bits).ravel().tolist() == [2, 3]
    assert packed_bits(np.ones((1, 65), dtype=np.float32)).shape == (1, 2)


def test_candidates_are_those_with_fewest_differing_signs_and_ties_keep_lower_rows():
    rows = np.array([[-1, -1, -1], [1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]], dtype=np.float32)
    bits = packed_bits(rows)
    assert hamming_candidates(bits[1], bits, 3).tolist() == [1, 2, 3]
    assert hamming_candidates(bits[1], bits, 9).tolist() == [0, 1, 2, 3, 4]
    assert hamming_candidates(bits[1], bits, 0).tolist() == []


def test_few_vectors_are_searched_exactly():
    rows = clustered(300)
    ids = [f"r{index:04d}" for index in range(300)]
    assert nearest(rows[5], rows, ids, 10) == top_k(cosine(rows[5], rows), ids, 10)


def test_beyond_the_limit_bits_choose_and_exact_scores_rank(monkeypatch):
    monkeypatch.setattr(vectors, "EXACT_LIMIT", 1_000)
    rows = clustered(6_000, dimensions=384)
    ids = [f"r{index:05d}" for index in range(len(rows))]
    bits = packed_bits(rows)
    found = hits = 0
    for row in range(0, 6_000, 300):
        exact = dict(top_k(cosine(rows[row], rows), ids, 10))
        near = nearest(rows[row], rows, ids, 10, bits=bits)
        assert near == nearest(rows[row], rows, ids, 10)
        assert all(score == approx(exact[record_id], abs=1e-6) for record_id, score in near if record_id in exact)
        found += len(near)
        hits += len(exact.keys() & dict(near).keys())
    assert hits / found >= 0.95


def test_nothing_to_search_finds_nothing():
    assert nearest(np.ones(4, dtype=np.float32), np.empty((0, 4), dtype=np.float32), [], 5) == []
