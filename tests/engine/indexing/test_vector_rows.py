"""A vector in a byte per dimension: what comes back, how near it is, and what it costs a ranking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing.vector_rows import multiply_rows, pack_rows, row_bytes, unpack_rows
from vector_cases import kept

NUMBERS = st.floats(-1.0, 1.0, width=32).filter(lambda number: number == 0 or abs(number) > 1e-6)
MATRICES = arrays.arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(1, 40)), elements=NUMBERS)


def drawn(count: int, dimension: int = 384) -> FloatArray:
    rows = np.random.default_rng(3).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@given(vectors=MATRICES)
def test_no_number_is_off_by_more_than_half_a_step_and_the_length_stays(vectors: FloatArray) -> None:
    found = kept(vectors)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    assert np.linalg.norm(found.astype(np.float64), axis=1) == pytest.approx(lengths, rel=1e-5)
    peaks = np.abs(vectors).max(axis=1, keepdims=True)
    # Half a step, and as much again at most where the row is stretched back to its length.
    assert (np.abs(found - vectors) <= peaks / 127 + 1e-7).all()


@given(vectors=MATRICES)
def test_what_came_back_comes_back_unchanged_when_it_is_kept_again(vectors: FloatArray) -> None:
    once = kept(vectors)
    assert kept(once) == pytest.approx(once, rel=1e-6, abs=0)


@given(vectors=MATRICES)
def test_an_opposite_vector_gives_the_opposite_row(vectors: FloatArray) -> None:
    assert (kept(-vectors) == -kept(vectors)).all()


def test_products_are_those_with_what_comes_back() -> None:
    vectors, query = drawn(50), drawn(51)[50]
    packed = pack_rows(vectors)
    assert len(packed) == 50 * row_bytes(384) == 50 * 388
    assert multiply_rows(packed, query) == pytest.approx(unpack_rows(packed, 384) @ query, abs=1e-6)


def test_a_row_of_zeros_is_bytes_of_zeros() -> None:
    nothing = np.zeros((1, 5), np.float32)
    assert pack_rows(nothing) == bytes(row_bytes(5))
    assert (unpack_rows(bytes(row_bytes(5)), 5) == nothing).all()
    assert multiply_rows(bytes(row_bytes(5)), np.ones(5, np.float32)).tolist() == [0.0]


def test_no_vectors_are_no_bytes() -> None:
    assert pack_rows(np.zeros((0, 5), np.float32)) == b""
    assert unpack_rows(b"", 5).shape == (0, 5)


def test_cosines_move_by_a_thousandth_at_most() -> None:
    vectors = drawn(1000)
    moved = np.abs(vectors[:100] @ kept(vectors).T - vectors[:100] @ vectors.T)
    assert moved.max() < 0.003
    assert moved.std() < 0.0006


def test_in_dense_crowds_the_nearest_ten_stay_the_nearest_ten_but_for_one_in_fifty() -> None:
    random = np.random.default_rng(7)
    crowd = random.normal(size=(60, 384))[random.integers(0, 60, 3000)] + random.normal(size=(3000, 384)) * 0.6
    vectors = (crowd / np.linalg.norm(crowd, axis=1, keepdims=True)).astype(np.float32)
    questions = vectors[::100]
    exact = np.argsort(-(questions @ vectors.T), axis=1)[:, :10]
    found = np.argsort(-(questions @ kept(vectors).T), axis=1)[:, :10]
    same = [len(set(one) & set(other)) for one, other in zip(exact.tolist(), found.tolist(), strict=True)]
    assert sum(same) >= 0.98 * exact.size
