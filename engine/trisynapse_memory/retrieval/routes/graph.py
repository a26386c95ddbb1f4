"""What was found in, records that a walk over the record graph reaches from it out. No text is read here.

The walk begins at the best seeds; the score of a path is the seed's times the weights along it, that of a record its
best path's (engine.md A9.4). Only records the walk newly reaches are proposed, never where it began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TieReader
from trisynapse_memory.scoring.activation import step, strongest
from trisynapse_memory.types import Candidate, QueryPlan, Scope

_WHY: Final = "linked"


class GraphRoute:
    """Proposes the records that a max-product walk leads to.

    Args:
        ties: the record graph.
        config: ``graph_seed_count``, ``graph_hops``, ``graph_frontier_count`` and ``follow_limit`` are read.
    """

    name = "graph"

    def __init__(self, ties: TieReader, config: Config) -> None:
        self._ties = ties
        self._seed_count = config.graph_seed_count
        self._hops = config.graph_hops
        self._frontier_count = config.graph_frontier_count
        self._limit = config.follow_limit

    def candidates(self, plan: QueryPlan, scope: Scope, seeds: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return up to ``follow_limit`` records that were no starting points, by their product in (0, 1]."""
        starts = {one.seq: one.score for one in seeds[: self._seed_count] if one.score > 0}
        reached, frontier = dict(starts), starts
        for _ in range(self._hops + plan.extra_hops + 1):  # engine.md A9.4
            if not frontier:
                break
            better = step(reached, frontier, self._ties.ties([*frontier], scope))
            reached |= better
            least = self._least(_new(reached, starts))
            frontier = strongest({node: one for node, one in better.items() if one > least}, self._frontier_count)
        best = strongest(_new(reached, starts), self._limit)
        return tuple(Candidate(seq, score, _WHY) for seq, score in best.items())

    def _least(self, found: Mapping[int, float]) -> float:
        """Below this no path can lead to a record that is proposed: no weight is above 1."""
        if len(found) < self._limit:
            return 0.0
        return min(strongest(found, self._limit).values())


def _new(reached: Mapping[int, float], starts: Mapping[int, float]) -> dict[int, float]:
    """The records among what was reached, but for where the walk began."""
    return {node: score for node, score in reached.items() if node > 0 and node not in starts}
