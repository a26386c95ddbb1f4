"""Embeddings in, nearest ids out. No vector is made, stored or read from disk here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.errors import InvalidInputError

# Above it the sign bits choose the candidates: at 10,000 synthetic vectors bits plus 500 rescored lost recall (0.86)
# and saved under 1 ms; at 100,000 they kept 1.00 and took 3.6 ms instead of 15 (stack.md B1).
EXACT_LIMIT: Final = 50_000
RESCORED_COUNT: Final = 500  # candidates rescored exactly; stack.md B1, recall@10 0.995 at 500,000 vectors.
RESCORED_PER_RESULT: Final = 10  # candidates per asked result, so that a large k keeps its recall.
_WORD_BITS: Final = 64


def cosine(query: NDArray[np.float32], matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Compare one vector with many, whether or not they are normalised.

    Args:
        query: (d,) float32.
        matrix: (n, d) float32.

    Returns:
        (n,) float32 in [-1, 1]; 0 where either vector is all zeros. Empty for no rows.

    Raises:
        InvalidInputError: the shapes do not fit.
    """
    _check_shapes(query, matrix)
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(query)
    products = matrix @ query
    ratios = np.divide(products, norms, out=np.zeros_like(products), where=norms > 0)
    return np.clip(ratios, -1.0, 1.0)


def top_k(scores: NDArray[np.floating], ids: Sequence[str], k: int) -> list[tuple[str, float]]:
    """Pick the best k, the same ones on every run.

    Args:
        scores: (n,) higher is better.
        ids: n ids in the same order.
        k: how many; fewer come back when there are fewer.

    Returns:
        (id, score) pairs, best first; ties, also those at the cut, fall in id order.

    Raises:
        InvalidInputError: scores and ids differ in number.
    """
    if len(scores) != len(ids):
        raise InvalidInputError(f"{len(scores)} scores came with {len(ids)} ids.", hint="Give one id per score.")
    if k <= 0 or not len(scores):
        return []
    count = min(k, len(scores))
    # argpartition alone would keep an arbitrary few of those that tie at the cut: take all of them, then sort by id.
    threshold = np.partition(scores, len(scores) - count)[len(scores) - count]
    chosen = np.flatnonzero(scores >= threshold)
    pairs = [(ids[index], float(scores[index])) for index in chosen.tolist()]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:count]


def packed_bits(matrix: NDArray[np.float32]) -> NDArray[np.uint64]:
    """Keep only the signs, one bit per dimension: 48 bytes instead of 1,536 for 384 dimensions.

    Args:
        matrix: (n, d) float32.

    Returns:
        (n, ceil(d / 64)) uint64; the bits beyond d are 0, so they never count as a difference.
    """
    count, dimensions = matrix.shape
    padded = np.zeros((count, -(-dimensions // _WORD_BITS) * _WORD_BITS), dtype=np.bool_)
    padded[:, :dimensions] = matrix > 0
    return np.packbits(padded, axis=1).view(np.uint64)


def hamming_candidates(query_bits: NDArray[np.uint64], bits: NDArray[np.uint64], count: int) -> NDArray[np.intp]:
    """Choose the rows whose signs differ least from the query's, to be rescored exactly.

    Args:
        query_bits: (w,) one row of ``packed_bits``.
        bits: (n, w) ``packed_bits`` of all rows.
        count: how many rows; at most n come back.

    Returns:
        Row numbers, ascending. Of rows that tie at the cut the lower numbers are kept.
    """
    if count <= 0:
        return np.empty(0, dtype=np.intp)
    if count >= len(bits):
        return np.arange(len(bits), dtype=np.intp)
    distances = np.bitwise_count(bits ^ query_bits).sum(axis=1, dtype=np.int32)
    cut = np.partition(distances, count - 1)[count - 1]
    nearer = np.flatnonzero(distances < cut)
    tied = np.flatnonzero(distances == cut)[: count - len(nearer)]
    return np.sort(np.concatenate((nearer, tied)))


def nearest(
    query: NDArray[np.float32],
    matrix: NDArray[np.float32],
    ids: Sequence[str],
    k: int,
    *,
    bits: NDArray[np.uint64] | None = None,
) -> list[tuple[str, float]]:
    """Find the k rows most similar to the query: exactly up to ``EXACT_LIMIT`` rows, by bits and rescoring beyond.

    Args:
        query: (d,) float32.
        matrix: (n, d) float32; may be a memory map, of which only the candidates are read when ``bits`` is given.
        ids: n ids in row order.
        k: how many.
        bits: ``packed_bits(matrix)``, kept by the caller; without it they are computed, which costs a pass.

    Returns:
        (id, cosine) pairs, best first, ties in id order. Every score is an exact cosine.

    Raises:
        InvalidInputError: the shapes or counts do not fit.
    """
    _check_shapes(query, matrix)
    if len(matrix) != len(ids):
        raise InvalidInputError(f"{len(matrix)} vectors came with {len(ids)} ids.", hint="Give one id per row.")
    if len(matrix) <= EXACT_LIMIT:
        return top_k(cosine(query, matrix), ids, k)
    signs = packed_bits(matrix) if bits is None else bits
    count = max(RESCORED_COUNT, RESCORED_PER_RESULT * k)
    rows = hamming_candidates(packed_bits(query[np.newaxis, :])[0], signs, count)
    chosen = [ids[int(row)] for row in rows]
    return top_k(cosine(query, matrix[rows]), chosen, k)


def _check_shapes(query: NDArray[np.float32], matrix: NDArray[np.float32]) -> None:
    if query.ndim != 1 or matrix.ndim != 2 or matrix.shape[1] != query.shape[0]:
        raise InvalidInputError(
            f"A query of shape {query.shape} cannot be compared with vectors of shape {matrix.shape}.",
            hint="Both must come from the same embedding model.",
        )
