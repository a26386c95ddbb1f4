"""Many rankings in, one ranking out. Pure arithmetic; no record is read here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum, isfinite
from typing import Final, TypeVar

from trisynapse_memory.errors import InvalidSettingError

Key = TypeVar("Key", str, int)

RRF_K: Final = 60.0  # ranks; seed article, "Weighted Ranking" (engine.md A9.5).


def fuse_reciprocal(
    rankings: Mapping[str, Sequence[tuple[Key, float]]], weights: Mapping[str, float], k: float = RRF_K
) -> list[tuple[Key, float]]:
    """Merge rankings by position, so routes whose scores cannot be compared can vote together.

    Args:
        rankings: route name -> (record, score) pairs, best first; the scores are not read. A route may be empty;
            of a repeated id the best rank counts.
        weights: route name -> weight (unitless, >= 0). A route without one counts 1.0.
        k: rank offset, in ranks, > 0. Larger k flattens the top.

    Returns:
        (record, score) pairs, best first, ties in id order. Each score is in [0, sum of weights / (k + 1)].

    Raises:
        InvalidSettingError: k is not positive, or a weight is negative or not finite.

    Source:
        Seed article, "Weighted Ranking"; Cormack, Clarke and Buettcher, SIGIR 2009.
    """
    if not (k > 0 and isfinite(k)):
        raise InvalidSettingError(f"Fusion k is {k}; it must be above 0.", hint=f"The default is {RRF_K:g}.")
    votes: dict[Key, list[float]] = {}
    for route, ranking in rankings.items():
        weight = _weight(route, weights)
        # dict.fromkeys keeps the first, so the best, place of a repeated id.
        for rank, record_id in enumerate(dict.fromkeys(record_id for record_id, _ in ranking), start=1):
            votes.setdefault(record_id, []).append(weight / (k + rank))
    return _best_first(votes)


def fuse_convex(
    rankings: Mapping[str, Sequence[tuple[Key, float]]],
    weights: Mapping[str, float],
    unjudged: Mapping[str, Collection[Key]] | None = None,
) -> list[tuple[Key, float]]:
    """Merge rankings by score: keeps how far ahead the best is, which ranks forget.

    Each route is divided by its best score and the routes are summed with weights that add up to 1 over the routes
    that found anything: a route that is off or found nothing lowers nobody. A missing or negative score counts 0.

    Args:
        rankings: route name -> (record, score) pairs in any order, higher is better; of a repeated id the best
            score counts.
        weights: route name -> weight (unitless, >= 0). A route without one counts 1.0.
        unjudged: route name -> records it cannot judge (yet); of these the other routes alone decide.

    Returns:
        (record, score) pairs, best first, ties in id order; scores in [0, 1]. Ids of routes whose weight is 0, or
        whose scores are all 0 or below, are kept with what the others give them.

    Raises:
        InvalidSettingError: a weight is negative or not finite, or a score is not finite.

    Source:
        Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023 (convex combination);
        measured against RRF with k = 60 in engine.md 0.8: LoCoMo recall@10 .687 against .618.
    """
    best = {route: _best_scores(route, ranking) for route, ranking in rankings.items()}
    tops = {route: max(scores.values(), default=0.0) for route, scores in best.items()}
    active = {route: weight for route in best if (weight := _weight(route, weights)) and tops[route] > 0}
    blind = {route: frozenset(held) for route, held in (unjudged or {}).items() if route in active}
    shares: dict[Key, list[float]] = {}
    for route, scores in best.items():
        scale = active[route] / tops[route] if route in active else 0.0
        for record_id, score in scores.items():
            shares.setdefault(record_id, []).append(scale * score)
    hidden = {record_id for held in blind.values() for record_id in held}
    totals = {record_id: _judges(record_id, active, blind) for record_id in hidden}
    everybody = fsum(active.values())
    return _best_first(
        {
            record_id: [part / total for part in parts] if (total := totals.get(record_id, everybody)) > 0 else [0.0]
            for record_id, parts in shares.items()
        }
    )


def _judges(record_id: Key, active: Mapping[str, float], blind: Mapping[str, frozenset[Key]]) -> float:
    """The weight of the routes that can judge a record."""
    return fsum(weight for route, weight in active.items() if record_id not in blind.get(route, ()))


def _best_scores(route: str, ranking: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    scores: dict[Key, float] = {}
    for record_id, score in ranking:
        if not isfinite(score):
            raise InvalidSettingError(
                f"Route '{route}' scored a record {score}.", hint="Scores must be finite numbers, higher is better."
            )
        scores[record_id] = max(score, scores.get(record_id, 0.0))
    return scores


def _weight(route: str, weights: Mapping[str, float]) -> float:
    weight = weights.get(route, 1.0)
    if not (weight >= 0 and isfinite(weight)):
        raise InvalidSettingError(
            f"The weight of route '{route}' is {weight}; it must be 0 or more.",
            hint="Set it to 0 to silence the route.",
        )
    return weight


def _best_first(shares: Mapping[Key, Sequence[float]]) -> list[tuple[Key, float]]:
    # fsum, not +: equal totals added in another order differ in the last bit, and the ranking would flicker.
    scores = {record_id: fsum(parts) for record_id, parts in shares.items()}
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
