"""What candidates score and what was right in, weights that rank it higher out. Arrays only; nothing is retrieved.

A candidate's score is a base (the share of the routes) plus parts, each of which a factor stretches. With the parts
known, the ranking under any factors is a sum, so that thousands of settings are tried without asking the vault again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FACTORS: Final = (0.0, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
"""How a part may be stretched; 1 is as it is. Chosen: finer steps are below what thirty questions can tell apart."""
PENALTY: Final = 0.008
"""nDCG that a weight must bring for each squared step away from its default (a factor of 0 or 2; a share moved by
``SHARE_STEP``). LoCoMo, 60 and 100 questions: with 0.002 and 0.004 factors wander and unseen questions lose, with 0.016
a default that is set wrong on purpose is not found back (docs/benchmark.md, learned weights)."""
SHARE_STEP: Final = 0.2
ROUNDS: Final = 3  # passes over all factors; the third seldom changes anything
RESAMPLE_COUNT: Final = 4000
SEED: Final = 20_261  # any; fixed, so that a trial can be repeated to the last digit
TAIL: Final = 0.025  # one side of a 95 % interval


class Weighting(NamedTuple):
    """A setting of the ranking: the share of the lexical route in [0, 1], and a factor for each part."""

    share: float
    factors: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The candidates of all questions under one share: one row for each (question, right record).

    ``base``, ``exact`` and ``order`` are ``(m, c)``: score without parts, lift of exact words, log position; -inf, 0
    and 0 where a row has fewer candidates. ``parts`` is ``(m, c, k)``. ``right`` is ``(m,)``: the column of the right
    record, -1 where it is no candidate. ``owner`` is ``(m,)``: the number of the question, ascending from 0.
    """

    base: Floats
    exact: Floats
    order: Places
    parts: Floats
    right: Places
    owner: Places

    def gains(self, factors: tuple[float, ...]) -> Floats:
        """Return the nDCG of each question ``(n,)`` in [0, 1], over all candidates, each right record worth 1.

        Source:
            Jaervelin and Kekaelaeinen, TOIS 2002, logarithm base 2 of rank + 1, without a cutoff: a right record that
            climbs from rank 40 to rank 15 is a gain too.
        """
        return self.gains_of(self.base + self.parts @ np.asarray(factors, dtype=np.float64))

    def gains_of(self, scores: Floats) -> Floats:
        """Return the nDCG of each question for scores ``(m, c)``; ties fall in log order, as in the ranking."""
        rows, there = np.arange(len(self.right)), self.right >= 0
        column = np.where(there, self.right, 0)
        own, lift = scores[rows, column][:, None], self.exact[rows, column][:, None]
        place = self.order[rows, column][:, None]
        level = self.exact == lift
        ahead = (self.exact > lift) | (level & (scores > own)) | (level & (scores == own) & (self.order < place))
        ranks = 1 + ahead.sum(axis=1)
        worth = np.where(there, 1.0 / np.log2(1.0 + ranks), 0.0)
        counts = np.bincount(self.owner)
        best = 1.0 / np.log2(2.0 + np.arange(int(counts.max(initial=0)), dtype=np.float64))
        ideal = np.concatenate([[0.0], np.cumsum(best)])
        return np.bincount(self.owner, weights=worth) / ideal[counts]


def fit(sheets: Mapping[float, Sheet], default: float, chosen: Flags) -> Weighting:
    """Find the weights that rank what was right highest, held towards the defaults.

    Args:
        sheets: share of the lexical route -> the candidates under it; all of the same questions.
        default: the share that counts as unmoved; one of ``sheets``.
        chosen: ``(n,)`` which questions are learned from; at least one.

    Returns:
        Coordinate ascent over ``FACTORS``, for each share; of equals the one nearest to the defaults.

    Source:
        Metzler and Croft, "Linear feature-based models for information retrieval", Information Retrieval 2007
        (coordinate ascent on the measure itself), with a quadratic penalty.
    """
    best, found = -np.inf, Weighting(default, ())
    for share in sorted(sheets, key=lambda one: (abs(one - default), one)):
        value, factors = _climb(sheets[share], chosen)
        value -= PENALTY * ((share - default) / SHARE_STEP) ** 2
        if value > best + 1e-12:
            best, found = value, Weighting(share, factors)
    return found


def _climb(sheet: Sheet, chosen: Flags) -> tuple[float, tuple[float, ...]]:
    """The best factors under one share, and what they are worth after the penalty."""
    factors = [1.0] * sheet.parts.shape[2]
    scores = sheet.base + sheet.parts.sum(axis=2)
    best = float(sheet.gains_of(scores)[chosen].mean())
    moving = [number for number in range(len(factors)) if np.any(sheet.parts[:, :, number])]
    for _ in range(ROUNDS):
        before = best
        for number in moving:
            part, kept, start = sheet.parts[:, :, number], factors[number], scores
            others = sum((one - 1.0) ** 2 for place, one in enumerate(factors) if place != number)
            for factor in FACTORS:
                tried = start + (factor - kept) * part
                value = float(sheet.gains_of(tried)[chosen].mean()) - PENALTY * (others + (factor - 1.0) ** 2)
                if value > best + 1e-12:
                    best, factors[number], scores = value, factor, tried
        if best <= before:
            break
    return best, tuple(factors)


def lower_bound(differences: Floats) -> float:
    """Return the lower end of the 95 % percentile interval of a mean of paired differences ``(n,)``; 0 for none.

    Source:
        Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
    """
    count = len(differences)
    if count == 0:
        return 0.0
    drawn = np.random.default_rng(SEED).integers(0, count, size=(RESAMPLE_COUNT, count))
    return float(np.quantile(differences[drawn].mean(axis=1), TAIL))
