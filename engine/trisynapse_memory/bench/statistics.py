"""Paired figures of two methods in, their mean difference with its interval out. No method is asked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from trisynapse_memory.bench.metrics import DIGITS, means
from trisynapse_memory.bench.report import Difference

RESAMPLE_COUNT: Final = 10_000
SEED: Final = 20_260  # any; fixed, so that a run can be repeated to the last digit
LEVEL: Final = 0.95
BATCH_COUNT: Final = 500  # resamples at a time; 500 x 1,190 questions are 5 MB
FEWEST: Final = 20  # questions; the interval of fewer is too narrow to call anything better
EDGE: Final = 1e-9  # a mean of zeros and ones that is off by the last bit is no lead

Row = Mapping[str, float]


def compare(
    ours: Sequence[Row], baselines: Mapping[str, Sequence[Row]], *, corpus: str, category: str
) -> tuple[Difference, ...]:
    """Hold one method against the best baseline of each measure, question by question.

    Args:
        ours: one row of figures for each question.
        baselines: name -> its rows, for the same questions in the same order.
        corpus: goes into the rows.
        category: goes into the rows; empty for all questions.

    Returns:
        One row for each measure that all rows have. The best baseline is the one with the highest mean of that
        measure, the first of equals: chosen after the fact, so the comparison is harder than with any fixed one.
    """
    measures = [name for name in ours[0] if all(name in rows[0] for rows in baselines.values())] if ours else []
    if not measures or not baselines:
        return ()
    averages = {name: means(rows) for name, rows in baselines.items()}
    best = {measure: max(averages, key=lambda name: averages[name][measure]) for measure in measures}
    gaps = np.array(
        [[ours[row][name] - baselines[best[name]][row][name] for name in measures] for row in range(len(ours))],
        dtype=np.float64,
    )
    lows, highs = interval_of_means(gaps)
    centre = gaps.mean(axis=0)
    return tuple(
        Difference(
            corpus=corpus,
            category=category,
            measure=measure,
            count=len(ours),
            baseline=best[measure],
            mean=round(float(centre[column]), DIGITS),
            low=round(float(lows[column]), DIGITS),
            high=round(float(highs[column]), DIGITS),
            better=bool(lows[column] > EDGE and len(ours) >= FEWEST),
        )
        for column, measure in enumerate(measures)
    )


def interval_of_means(
    rows: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Return the lower and upper end of the 95 % percentile interval of each column's mean.

    Args:
        rows: (n questions, m measures); a resample draws n rows with replacement, all measures of a row together.

    Source:
        Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13 (percentile interval); on paired
        differences as in Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006. 10,000 resamples.
    """
    random = np.random.default_rng(SEED)
    count = len(rows)
    drawn: list[np.ndarray[tuple[int, int], np.dtype[np.float64]]] = []
    for _ in range(0, RESAMPLE_COUNT, BATCH_COUNT):
        times = random.multinomial(count, np.full(count, 1.0 / count), size=BATCH_COUNT)
        drawn.append(times @ rows / count)
    tail = (1.0 - LEVEL) / 2
    low, high = np.quantile(np.concatenate(drawn), [tail, 1.0 - tail], axis=0)
    return low, high
