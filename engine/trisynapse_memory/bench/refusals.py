"""Scores of questions that can be answered and of such that cannot in, how well they are told apart out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from trisynapse_memory.bench.metrics import DIGITS

COVERAGES: Final = (0.2, 0.4, 0.6, 0.8, 1.0)
RESAMPLE_COUNT: Final = 1_000
SEED: Final = 20_260  # any; fixed, so that a run can be repeated
FALSE_SHARES: Final = (0.025, 0.05)  # of the answerable questions; the two points of the curve


def auroc(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """Return the chance that a question that can be answered scores above one that cannot; ties count half.

    Returns:
        [0, 1]; 0.5 is chance, also where one side is empty.

    Source:
        Hanley and McNeil, "The meaning and use of the area under a ROC curve", Radiology 1982 (Mann-Whitney form).
    """
    if not answerable or not unanswerable:
        return 0.5
    low = np.sort(np.asarray(unanswerable, dtype=np.float64))
    below = np.searchsorted(low, answerable, side="left")
    level = np.searchsorted(low, answerable, side="right") - below
    return round(float((below + level / 2).mean() / len(low)), DIGITS)


def auroc_interval(answerable: Sequence[float], unanswerable: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the 95 % interval of ``auroc``: both sides drawn anew, each with replacement.

    Source:
        Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13; 1,000 resamples, seeded.
    """
    if not answerable or not unanswerable:
        return 0.0, 1.0
    random = np.random.default_rng(SEED)
    there, gone = np.asarray(answerable), np.asarray(unanswerable)
    drawn = [
        auroc(list(random.choice(there, size=len(there))), list(random.choice(gone, size=len(gone))))
        for _ in range(RESAMPLE_COUNT)
    ]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return round(float(low), DIGITS), round(float(high), DIGITS)


def refused_at(answerable: Sequence[float], unanswerable: Sequence[float], false_share: float) -> float:
    """Return the share of unanswerable questions that a threshold refuses at a price of false refusals.

    Args:
        answerable: scores; a question below the threshold is refused.
        unanswerable: scores.
        false_share: at most this share of the answerable may be refused, (0, 1); the threshold is read off this very
            set, so the figure says how well the scores tell apart, not what a shipped threshold does.
    """
    if not answerable or not unanswerable:
        return 0.0
    allowed = int(false_share * len(answerable) + 1e-9)
    threshold = sorted(answerable)[allowed]
    return round(sum(score < threshold for score in unanswerable) / len(unanswerable), DIGITS)


def risk_at(answerable: Sequence[float], unanswerable: Sequence[float], coverage: float) -> float:
    """Return the share of unanswerable questions among the best scored ``coverage`` of all; of equals the worse first.

    Source:
        El-Yaniv and Wiener, "On the foundations of noise-free selective classification", JMLR 2010.
    """
    marked = [(-score, 0) for score in unanswerable] + [(-score, 1) for score in answerable]
    count = max(1, round(coverage * len(marked)))
    return round(sum(not side for _, side in sorted(marked)[:count]) / count, DIGITS) if marked else 0.0


def curve_of(answerable: Sequence[float], unanswerable: Sequence[float]) -> dict[str, float]:
    """Return all figures that need no threshold of ours, by their names in the report."""
    low, high = auroc_interval(answerable, unanswerable)
    return {
        "auroc": auroc(answerable, unanswerable),
        "auroc_low": low,
        "auroc_high": high,
        **{f"refused@{share:.1%}": refused_at(answerable, unanswerable, share) for share in FALSE_SHARES},
        **{f"risk@{coverage:g}": risk_at(answerable, unanswerable, coverage) for coverage in COVERAGES},
    }
