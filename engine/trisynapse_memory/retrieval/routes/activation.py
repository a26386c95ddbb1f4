"""What was found in, records that activation spreading from it makes active out (Synapse). No text is read here.

The best seeds are as active as they scored; the article takes their cosine, and the score of fusion stands for both
anchors, words and meaning. Three rounds of fan effect, decay, lateral inhibition and sigmoid follow, on touched nodes
only (engine.md B3). The importance of what a record names is a prior, which idle work keeps
(``pipelines.consolidation``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TieReader
from trisynapse_memory.scoring.activation import Dynamics, spread, strongest
from trisynapse_memory.types import Candidate, QueryPlan, Scope, Tie

_WHY: Final = "active"


class ActivationRoute:
    """Proposes the records that are active when activation has spread.

    Args:
        ties: the record graph.
        config: the settings ``activation_...``, ``graph_seed_count``, ``graph_frontier_count`` and ``follow_limit``
            are read.
    """

    name = "activation"

    def __init__(self, ties: TieReader, config: Config) -> None:
        self._ties = ties
        self._config = config
        self._dynamics = Dynamics(
            spread=config.activation_spread,
            decay=config.activation_decay,
            inhibition=config.activation_inhibition,
            inhibitors=config.activation_inhibitor_count,
            gain=config.activation_gain,
            threshold=config.activation_threshold,
            in_limit=config.activation_in_count,
        )

    def candidates(self, plan: QueryPlan, scope: Scope, seeds: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return up to ``follow_limit`` records, seeds among them, by activation and prior together in (0, 1)."""
        active = {one.seq: one.score for one in seeds[: self._config.graph_seed_count] if one.score > 0}
        ties: dict[int, list[Tie]] = {}
        for _ in range(self._config.activation_rounds):
            fresh = {node: value for node, value in active.items() if node not in ties}
            asked = strongest(fresh, self._config.graph_frontier_count)
            ties |= {node: [] for node in asked}
            for tie in self._ties.ties([*asked], scope) if asked else ():
                ties[tie.source].append(tie)
            active = spread(active, [tie for held in ties.values() for tie in held], self._dynamics)
        records = {node: value for node, value in active.items() if node > 0}
        priors = self._priors(records, ties)
        share = self._config.activation_prior
        scores = {seq: (1.0 - share) * value + share * priors.get(seq, 0.0) for seq, value in records.items()}
        return tuple(Candidate(seq, score, _WHY) for seq, score in strongest(scores, self._config.follow_limit).items())

    def _priors(self, records: Mapping[int, float], ties: Mapping[int, Sequence[Tie]]) -> dict[int, float]:
        """The importance of the most important entity that leads to or from each record, in [0, 1]."""
        pairs = {(tie.source, tie.target) for held in ties.values() for tie in held if min(tie.source, tie.target) < 0}
        known = self._ties.importance_at(sorted({-min(pair) for pair in pairs}))
        priors: dict[int, float] = {}
        for pair in pairs:
            entity, seq = -min(pair), max(pair)
            if seq in records:
                priors[seq] = max(priors.get(seq, 0.0), known.get(entity, 0.0))
        return priors
