"""A ranking and the likeness of its best in, the same with repetitions behind what says something new out. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.retrieval.ranking import Fused


def diversify(fused: Sequence[Fused], likeness: FloatArray, weight: float) -> tuple[Fused, ...]:
    """Choose again and again the candidate with the best score less its likeness to what was chosen before.

    Args:
        fused: candidates, best first.
        likeness: ``(k, k)`` cosines between the first ``k`` of them, 0 for what has no vector; the others stay behind.
        weight: what a full likeness (1) costs, in units of the score, >= 0; likeness below 0 costs nothing.

    Returns:
        The same candidates with their scores, so that a place says more than a score. What holds an exact rare word of
        the question stays before what does not.

    Source:
        Carbonell and Goldstein, "The use of MMR", SIGIR 1998, with the weight on the second term alone.
    """
    count = len(likeness)
    if not weight or count < 2:
        return tuple(fused)
    scores = np.array([one.score for one in fused[:count]])
    exact = np.array([one.parts.get("exact", 0.0) for one in fused[:count]])
    cost, waiting, order = np.zeros(count), np.ones(count, np.bool_), list[int]()
    while waiting.any():
        open_now = waiting & (exact == exact[waiting].max())
        values = np.where(open_now, scores - weight * cost, -np.inf)
        best = int(values.argmax())  # of equal ones the first, so that the order of the ranking decides
        order.append(best)
        waiting[best] = False
        cost = np.maximum(cost, likeness[best])
    return (*(fused[place] for place in order), *fused[count:])
