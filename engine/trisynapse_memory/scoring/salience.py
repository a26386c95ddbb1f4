"""Terms of sentences in, how central each is and which few to keep out. Pure arithmetic; no text is read here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.errors import InvalidInputError

DAMPING: Final = 0.85  # Mihalcea and Tarau 2004
TOLERANCE: Final = 1e-9  # sum of absolute changes in a round
ROUND_LIMIT: Final = 100
RELEVANCE_SHARE: Final = (
    0.7  # lambda of MMR; the rest counts against what is said already. Carbonell and Goldstein 1998
)
SAME_FROM: Final = 0.7  # likeness from which a sentence says again what is chosen; ours: chunks overlap by a sentence

Floats = NDArray[np.float64]


def sentence_similarities(sentences: Sequence[Sequence[str]]) -> Floats:
    """Compare sentences by their terms.

    Args:
        sentences: n sequences of terms, repeated where they repeat.

    Returns:
        (n, n) cosines in [0, 1] of tf-idf rows with idf = ln(1 + n / df) over these sentences; 0 for one without terms.

    Source:
        Erkan and Radev, LexRank, 2004 (idf-modified cosine).
    """
    count = len(sentences)
    frequencies = Counter(term for sentence in sentences for term in set(sentence))
    places = {term: place for place, term in enumerate(sorted(frequencies))}
    weights = np.zeros((count, len(places)))
    for row, sentence in zip(weights, sentences, strict=True):
        for term, times in Counter(sentence).items():
            row[places[term]] = times * log(1.0 + count / frequencies[term])
    norms = np.linalg.norm(weights, axis=1, keepdims=True)
    rows = np.divide(weights, norms, out=np.zeros_like(weights), where=norms > 0)
    return np.clip(rows @ rows.T, 0.0, 1.0)


def centrality(similarities: Floats) -> Floats:
    """Rank sentences by how much the others say the same.

    Args:
        similarities: (n, n), symmetric, >= 0; the diagonal is left out.

    Returns:
        (n,) ranks with sum 1. A sentence that is like no other jumps to all of them alike.

    Raises:
        InvalidInputError: the matrix is not square.

    Source:
        Mihalcea and Tarau, TextRank, 2004.
    """
    count = len(similarities)
    if similarities.shape != (count, count):
        raise InvalidInputError(f"Similarities have the shape {similarities.shape}.", hint="Give a square matrix.")
    if not count:
        return np.zeros(0)
    links = similarities.copy()
    np.fill_diagonal(links, 0.0)
    sums = links.sum(axis=1, keepdims=True)
    steps = np.where(sums > 0, links / np.where(sums > 0, sums, 1.0), 1.0 / count)
    ranks = np.full(count, 1.0 / count)
    for _ in range(ROUND_LIMIT):
        walked = (1.0 - DAMPING) / count + DAMPING * (ranks @ steps)
        change = float(np.abs(walked - ranks).sum())
        ranks = walked
        if change < TOLERANCE:
            break
    return ranks


def choose_diverse(scores: Floats, similarities: Floats, limit: int, share: float = RELEVANCE_SHARE) -> list[int]:
    """Choose sentences that matter and do not repeat each other.

    Args:
        scores: (n,) >= 0; scaled by the largest.
        similarities: (n, n) in [0, 1].
        limit: how many at most.
        share: of the score against the likeness to what is chosen, in [0, 1].

    Returns:
        Places in the order of choice; ties go to the first. Fewer than ``limit`` when nothing else scores above 0 or
        all that is left says the same again (``SAME_FROM``).

    Source:
        Carbonell and Goldstein, Maximal Marginal Relevance, 1998.
    """
    if not len(scores) or scores.max() <= 0:
        return []
    relevance = scores / scores.max()
    chosen: list[int] = []
    likeness = np.zeros(len(scores))
    barred = scores <= 0
    while len(chosen) < limit and not barred.all():
        marginal: Floats = np.where(barred, -np.inf, share * relevance - (1.0 - share) * likeness)
        rounded: Floats = np.round(marginal, 12)  # so that a tie is one on every machine
        best = int(np.argmax(rounded))
        chosen.append(best)
        likeness = np.maximum(likeness, similarities[best])
        barred |= likeness >= SAME_FROM
        barred[best] = True
    return chosen
