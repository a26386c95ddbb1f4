"""Rankings and gold sets in, quality figures out; or times in, percentiles out. Nothing is asked or read here.

A ranking is a sequence of ids, best first, without repeats; gold is the set of ids that answer the question, each of
them equally, or, where a corpus grades them, as much as its grade says. Definitions and sources are also told in
``docs/benchmark.md``.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from math import log2
from typing import Final, TypeVar

import numpy as np

from trisynapse_memory.errors import InvalidInputError

Key = TypeVar("Key", bound=Hashable)

ALL_DEPTH: Final = (
    8  # records; "perfect retrieval of all gold among 8", as fast-graphrag reports it (benchmark notes 1.8)
)
DIGITS: Final = 4  # of a reported figure; the sets hold at most some thousand questions


def recall_at(ranking: Sequence[Key], gold: Collection[Key], depth: int) -> float:
    """Say which share of the gold is among the first ``depth``.

    Returns:
        [0, 1].

    Raises:
        InvalidInputError: there is no gold, so there is no share of it.

    Source:
        Manning, Raghavan and Schuetze, "Introduction to Information Retrieval", 2008, section 8.4 (recall at k).
    """
    _check_gold(gold)
    return len(set(ranking[:depth]).intersection(gold)) / len(set(gold))


def all_within(ranking: Sequence[Key], gold: Collection[Key], depth: int) -> float:
    """Say whether every gold record is among the first ``depth``, which is what a multi-hop answer needs.

    Returns:
        1.0 or 0.0.

    Source:
        fast-graphrag's "perfect retrieval".
    """
    return float(recall_at(ranking, gold, depth) == 1.0)


def hit_at(ranking: Sequence[Key], gold: Collection[Key], depth: int) -> float:
    """Say whether any gold record is among the first ``depth``.

    Returns:
        1.0 or 0.0.
    """
    return float(recall_at(ranking, gold, depth) > 0.0)


def reciprocal_rank(ranking: Sequence[Key], gold: Collection[Key]) -> float:
    """Return 1 / rank of the first gold record, 0 where the ranking holds none; its mean is the MRR.

    Source:
        Voorhees, "The TREC-8 Question Answering Track Report", 1999.
    """
    _check_gold(gold)
    wanted = set(gold)
    return next((1.0 / rank for rank, key in enumerate(ranking, start=1) if key in wanted), 0.0)


def ndcg_at(ranking: Sequence[Key], gold: Collection[Key], depth: int) -> float:
    """Say how near the first ``depth`` are to the best order there could be, with gold worth 1 and the rest nothing.

    Returns:
        [0, 1]; 1 where the ranking begins with the gold.

    Source:
        Jaervelin and Kekaelaeinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002, with the logarithm
        base 2 of rank + 1.
    """
    _check_gold(gold)
    wanted = set(gold)
    gained = sum(1.0 / log2(rank + 1) for rank, key in enumerate(ranking[:depth], start=1) if key in wanted)
    best = sum(1.0 / log2(rank + 1) for rank in range(1, min(len(wanted), depth) + 1))
    return gained / best


def graded_ndcg_at(ranking: Sequence[Key], grades: Mapping[Key, float], depth: int) -> float:
    """Say how near the first ``depth`` are to the best order there could be, each gold record worth its grade.

    Args:
        ranking: best first.
        grades: gold record -> its grade, above 0; all of grade 1 give ``ndcg_at``.
        depth: how many of the ranking are looked at.

    Returns:
        [0, 1].

    Source:
        Jaervelin and Kekaelaeinen, TOIS 2002, with the gain of a grade taken as it is and the logarithm base 2 of
        rank + 1, as trec_eval and BEIR compute it.
    """
    _check_gold(grades)
    gained = sum(grades.get(key, 0.0) / log2(rank + 1) for rank, key in enumerate(ranking[:depth], start=1))
    best = sorted(grades.values(), reverse=True)[:depth]
    return gained / sum(grade / log2(rank + 1) for rank, grade in enumerate(best, start=1))


def judge(ranking: Sequence[Key], grades: Mapping[Key, float]) -> dict[str, float]:
    """Return every ranking figure of one question by the name the command line promises.

    Args:
        ranking: best first.
        grades: the gold with its grades, 1 where the corpus gives none; only ``ndcg@10`` looks at them.
    """
    gold = grades.keys()
    return {
        "recall@1": recall_at(ranking, gold, 1),
        "recall@2": recall_at(ranking, gold, 2),
        "recall@5": recall_at(ranking, gold, 5),
        "recall@10": recall_at(ranking, gold, 10),
        "mrr": reciprocal_rank(ranking, gold),
        "ndcg@10": graded_ndcg_at(ranking, grades, 10),
        f"all@{ALL_DEPTH}": all_within(ranking, gold, ALL_DEPTH),
    }


def means(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each figure over the questions that have it (macro average); empty for no questions."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return {name: round(sum(values) / len(values), DIGITS) for name, values in columns.items()}


def ratios(ours: Mapping[str, float], theirs: Mapping[str, float]) -> dict[str, float]:
    """Return ours / theirs for every figure both have and theirs is above 0.

    Both come from one run on one machine, so the ratio holds where the figures themselves depend on the machine.
    """
    return {name: round(ours[name] / value, 3) for name, value in theirs.items() if name in ours and value > 0}


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that ``share`` of the values do not exceed, interpolated linearly; 0 for no values.

    Args:
        values: in any order.
        share: 0..1.

    Source:
        Hyndman and Fan, "Sample quantiles in statistical packages", 1996, definition 7 (numpy's default).
    """
    return round(float(np.quantile(np.asarray(values, dtype=np.float64), share)), 3) if values else 0.0


def distinct(keys: Iterable[Key]) -> list[Key]:
    """Return each key once, at its first place: how records become a ranking of their pages."""
    return list(dict.fromkeys(keys))


def _check_gold(gold: Collection[object]) -> None:
    if not gold:
        raise InvalidInputError("A question without gold records cannot be judged.", hint="Leave it out, and count it.")
