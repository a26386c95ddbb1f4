"""Vectors in, rows of one byte per dimension out, and back: what lies in the blocks of ``vectors.db``. Pure.

A row is the vector divided by a step of its own and rounded, so that its largest number becomes 127 or -127, and one
float32 that gives it back its length. The price is in docs/decisions/0005: on real vectors a cosine is off by 0.0004
(standard deviation), and 99.7 % of the nearest ten stay the nearest ten.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.contracts import FloatArray

_PEAK: Final = 127  # not -128 as well: a vector and its opposite must round alike
_SCALE_BYTES: Final = 4


def row_bytes(dimension: int) -> int:
    """Return how many bytes a row takes."""
    return dimension + _SCALE_BYTES


def pack_rows(vectors: FloatArray) -> bytes:
    """Pack ``(n, d) float32`` finite vectors, one row after the other; a vector of zeros becomes a row of zeros."""
    rows = np.zeros(len(vectors), dtype=_row_type(vectors.shape[1]))
    filled = vectors.any(axis=1)
    full = vectors[filled].astype(np.float64)
    levels = np.rint(full * (_PEAK / np.abs(full).max(axis=1, keepdims=True)))
    rows["levels"][filled] = levels
    rows["scale"][filled] = np.linalg.norm(full, axis=1) / np.linalg.norm(levels, axis=1)
    return rows.tobytes()


def unpack_rows(packed: bytes, dimension: int) -> FloatArray:
    """Return the ``(n, d) float32`` vectors of packed rows, each as long as it was."""
    rows = np.frombuffer(packed, dtype=_row_type(dimension))
    return rows["levels"].astype(np.float32) * rows["scale"][:, np.newaxis]


def multiply_rows(packed: bytes, query: FloatArray) -> NDArray[np.float32]:
    """Return the ``(n,)`` products of packed rows with a ``(d,) float32`` vector, in single precision."""
    rows = np.frombuffer(packed, dtype=_row_type(len(query)))
    return (rows["levels"].astype(np.float32) @ query) * rows["scale"]


def _row_type(dimension: int) -> np.dtype[np.void]:
    return np.dtype([("levels", np.int8, (dimension,)), ("scale", "<f4")])
