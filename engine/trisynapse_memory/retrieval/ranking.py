"""The rankings of all routes in, one ranking out, exact rare tokens never buried. No record is read here.

The default is the convex sum of max-normalised scores; weighted reciprocal rank fusion is the preset ``rrf``
(engine.md A9.5). A record that holds a rare identifier of the question is lifted above every record that does not
(engine.md 0.1 row 2).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from trisynapse_memory.config import Config
from trisynapse_memory.scoring.fusion import fuse_convex, fuse_reciprocal
from trisynapse_memory.types import Candidate, QueryPlan


class Fused(Struct, frozen=True):
    """One candidate after fusion: log position, score, and the parts of the score by name."""

    seq: int
    score: float
    parts: dict[str, float]


def fuse(
    plan: QueryPlan,
    rankings: Mapping[str, Sequence[Candidate]],
    rare_holders: Mapping[str, Sequence[int]],
    config: Config,
    unjudged: Mapping[str, Collection[int]] | None = None,
    keep: Collection[int] = (),
    limit: int = 0,
) -> tuple[Fused, ...]:
    """Merge the routes' rankings.

    Args:
        plan: gives the routes' weights and the fusion.
        rankings: route name -> candidates, best first.
        rare_holders: rare term -> the records that hold it exactly.
        config: gives ``rrf_k`` and ``rare_term_bonus``.
        unjudged: route name -> records it cannot judge yet (no vector); of these the others alone decide.
        keep: records that stay, however low they stand.
        limit: how many candidates; 0 for ``plan.candidate_limit``.

    Returns:
        The best ``limit`` candidates and those to keep, best first, ties in log order. A score is in
        [0, 1] plus the bonus.
    """
    lists = {route: [(found.seq, found.score) for found in ranking] for route, ranking in rankings.items()}
    if plan.fusion == "rrf":
        merged = dict(fuse_reciprocal(lists, plan.route_weights, config.rrf_k))
    else:
        merged = dict(fuse_convex(lists, plan.route_weights, unjudged))
    bonuses = _bonuses(rare_holders, config.rare_term_bonus)
    scores = {seq: merged.get(seq, 0.0) + bonuses.get(seq, 0.0) for seq in merged.keys() | bonuses.keys()}
    best = sorted(scores.items(), key=lambda pair: (-bonuses.get(pair[0], 0.0), -pair[1], pair[0]))
    count = limit or plan.candidate_limit
    kept = best[:count] + [pair for pair in best[count:] if pair[0] in keep]
    routes = {route: dict(pairs) for route, pairs in lists.items()}
    return tuple(Fused(seq, score, _parts(seq, routes, bonuses)) for seq, score in kept)


def rerank(fused: Sequence[Fused], parts: Mapping[int, Mapping[str, float]]) -> tuple[Fused, ...]:
    """Order candidates anew by what each gains or loses besides its score.

    Args:
        fused: the candidates; no exact match is buried by what others gain.
        parts: log position -> what is added to its score, by name; may be missing.

    Returns:
        The same candidates, best first, ties in log order, with the added parts among theirs.
    """
    added = {one.seq: dict(parts.get(one.seq, {})) for one in fused}
    raised = [Fused(one.seq, one.score + sum(added[one.seq].values()), one.parts | added[one.seq]) for one in fused]
    return tuple(sorted(raised, key=lambda one: (-one.parts.get("exact", 0.0), -one.score, one.seq)))


def reorder(fused: Sequence[Fused], logits: Sequence[float], name: str) -> tuple[Fused, ...]:
    """Put the first candidates in the order that a model gives them; each place keeps its score.

    Args:
        fused: the candidates, best first.
        logits: what the model gives the first of them, higher for what answers better; the others keep their places.
        name: of the part that tells what it gave, as a probability in [0, 1].

    Returns:
        The same candidates. What holds an exact rare word of the question stays before what does not.
    """
    read = list(zip(fused, logits, strict=False))
    order = sorted(range(len(read)), key=lambda place: (-fused[place].parts.get("exact", 0.0), -logits[place], place))
    parts = [one.parts | {name: _probability(logit)} for one, logit in read]
    moved = (Fused(fused[came].seq, fused[place].score, parts[came]) for place, came in enumerate(order))
    return (*moved, *fused[len(read) :])


def _probability(logit: float) -> float:
    return 0.5 * (1.0 + math.tanh(0.5 * logit))  # the logistic function, without an overflow


def _bonuses(rare_holders: Mapping[str, Sequence[int]], bonus: float) -> dict[int, float]:
    """A record's bonus grows with each rare term it holds, so that no score of the routes buries an exact match."""
    held = Counter(seq for seqs in rare_holders.values() for seq in seqs)
    return {seq: bonus * count for seq, count in held.items()}


def _parts(seq: int, routes: Mapping[str, Mapping[int, float]], bonuses: Mapping[int, float]) -> dict[str, float]:
    parts = {route: scores[seq] for route, scores in routes.items() if seq in scores}
    if seq in bonuses:
        parts["exact"] = bonuses[seq]
    return parts
