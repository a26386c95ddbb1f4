"""Term counts in, BM25 scores out. No posting is read and no document is chosen here."""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trisynapse_memory.errors import InvalidSettingError

K1: Final = 1.5  # Unitless, >= 0; how soon more of the same word stops counting. Seed article, as in engine.md A8.2.
B: Final = 0.75  # Unitless, 0..1; share of the length correction. Seed article, as in engine.md A8.2.


def idf(document_frequency: int, document_count: int) -> float:
    """Say how much one term tells, from how many documents hold it.

    Args:
        document_frequency: documents that hold the term, 0..document_count.
        document_count: documents searched.

    Returns:
        ln(1 + (N - df + 0.5) / (df + 0.5)), above 0 for every term, so that a match never lowers a score.

    Raises:
        InvalidSettingError: the frequency is negative or above the count.

    Source:
        Robertson and Zaragoza 2009, section 3.4, with the 1 added inside the logarithm as Lucene does; engine.md A8.2.
    """
    if not 0 <= document_frequency <= document_count:
        raise InvalidSettingError(
            f"A document frequency of {document_frequency} does not fit {document_count} documents.",
            hint="Count both over the same documents.",
        )
    return log(1.0 + (document_count - document_frequency + 0.5) / (document_frequency + 0.5))


def bm25_scores(
    term_frequencies: ArrayLike,
    lengths: ArrayLike,
    *,
    term_idf: float,
    average_length: float,
    weight: float = 1.0,
    k1: float = K1,
    b: float = B,
) -> NDArray[np.float64]:
    """Score the postings of one term; the score of a document is the sum over the unique terms of the question.

    Args:
        term_frequencies: (n,) occurrences of the term in each document, >= 0.
        lengths: (n,) lengths of the same documents, in positions.
        term_idf: ``idf`` of the term.
        average_length: mean length of the searched documents, in positions; below 1 counts as 1.
        weight: share of the term in the question (``QueryTerm.weight``).
        k1: saturation, >= 0.
        b: share of the length correction, 0..1.

    Returns:
        (n,) float64, each in [0, weight * idf * (k1 + 1)); 0 where the frequency is 0. Empty for no postings.

    Raises:
        InvalidSettingError: k1 is negative or b lies outside 0..1.

    Source:
        Robertson and Zaragoza 2009, equation 3.15; engine.md A8.2.
    """
    if k1 < 0 or not 0 <= b <= 1:
        raise InvalidSettingError(
            f"BM25 has k1 = {k1} and b = {b}; k1 must be 0 or more and b between 0 and 1.",
            hint=f"The defaults are {K1} and {B}.",
        )
    frequency = np.asarray(term_frequencies, dtype=np.float64)
    relative_length = np.asarray(lengths, dtype=np.float64) / max(average_length, 1.0)
    saturation = frequency + k1 * (1.0 - b + b * relative_length)
    # The denominator is 0 only where the frequency is (k1 = 0, or b = 1 with an empty document): no match, no score.
    shares = np.divide(frequency * (k1 + 1.0), saturation, out=np.zeros_like(saturation), where=saturation > 0)
    return weight * term_idf * shares
