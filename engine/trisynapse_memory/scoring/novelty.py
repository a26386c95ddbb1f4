"""How near each passage of a source comes to what was there before in, how new the source is out. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

SAMPLE_COUNT: Final = 64
"""Passages of one source that are compared, evenly spread: a book costs as much as a paper, about a second at 100,000
vectors. The median of 64 of a spread of 0.2 is known to about 0.03."""
KNOWN_UNDER: Final = 0.15
"""A median under it: the vault says this already. tests/benchmarks/novelty.py, MiniLM, 926 paragraphs in the vault: the
same text has 0.00, one with a sentence less and typing errors 0.13 in the median."""
NEW_FROM: Final = 0.50
"""A median from it on: nothing in the vault says this. Same run: 9 of 10 sources that say in other words what is there
lie under 0.45, 9 of 10 about something else above 0.56."""


class Spread(NamedTuple):
    """The median and the highest novelty of a source's passages, each in [0, 1]."""

    median: float
    highest: float


def spread_evenly(count: int, limit: int = SAMPLE_COUNT) -> tuple[int, ...]:
    """Return up to ``limit`` of the places 0 to ``count - 1``, the first and the last among them, evenly spread."""
    if count <= limit:
        return tuple(range(count))
    return tuple(int(place) for place in np.linspace(0, count - 1, limit).round())


def spread_of(cosines: Sequence[float]) -> Spread:
    """Return how new a source is.

    Args:
        cosines: for each of its passages the highest cosine [-1, 1] to an earlier passage of another source; 0 where
            there is none. At least one.

    Returns:
        Median and maximum of 1 - cosine; a cosine under 0 counts as 0, and rounding above 1 as 1.

    Source:
        engine.md part C, 4 (novelty badge).
    """
    novelty = 1.0 - np.clip(np.asarray(cosines, np.float64), 0.0, 1.0)
    return Spread(float(np.median(novelty)), float(novelty.max()))


def level_of(median: float) -> str:
    """Return ``known``, ``mixed`` or ``new`` for the median novelty [0, 1] of a source."""
    if median < KNOWN_UNDER:
        return "known"
    return "new" if median >= NEW_FROM else "mixed"
