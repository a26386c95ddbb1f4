"""Who is named together in, how important each is out (PageRank). Pure arithmetic; no name and no record is known here.

Nodes are entities; a record that names several of them links each to all. The walk goes from an entity to one of the
records that name it, and from there to one of the entities it names, which weighs a pair by how rarely its record
names others, and needs no table of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.errors import InvalidInputError

DAMPING: Final = 0.85  # chance to walk on instead of jumping anywhere; Page et al. 1999
TOLERANCE: Final = 1e-9  # sum of absolute changes in a round below which the ranks stand
ROUND_LIMIT: Final = 100  # 0.85 ** 100 is below 1e-7: more rounds change nothing that is shown

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MentionWalk:
    """A graph of mentions prepared for walking: (m,) entity and record numbers, each counted from 0, none missing.

    Made by ``prepare_walk``; the same mentions in the same order give the same ranks to the last bit.
    """

    entities: Integers
    records: Integers
    record_counts: Floats  # (entities,) records that name each entity
    entity_counts: Floats  # (records,) entities that each record names

    def start(self) -> Floats:
        """Return the ranks before the first round: all equal, with sum 1."""
        count = self.record_counts.size
        return np.full(count, 1.0 / max(count, 1))

    def advance(self, ranks: Floats) -> tuple[Floats, float]:
        """Walk one round.

        Args:
            ranks: (entities,), sum 1.

        Returns:
            The new ranks, sum 1, and the sum of absolute changes.

        Source:
            Page, Brin, Motwani and Winograd 1999; the walk over a bipartite graph as in co-citation analysis.
        """
        if not ranks.size:
            return ranks, 0.0
        out = (ranks / self.record_counts)[self.entities]
        held = np.bincount(self.records, weights=out, minlength=self.entity_counts.size) / self.entity_counts
        into = np.bincount(self.entities, weights=held[self.records], minlength=ranks.size)
        walked: Floats = np.asarray((1.0 - DAMPING) / ranks.size + DAMPING * into, np.float64)
        return walked, float(np.abs(walked - ranks).sum())


def prepare_walk(entities: Integers, records: Integers) -> MentionWalk:
    """Count what a walk needs.

    Args:
        entities: (m,) the entity of each mention, numbered 0, 1, ... without a gap.
        records: (m,) its record, numbered likewise; a pair must not come twice.

    Raises:
        InvalidInputError: the arrays differ in length.
    """
    if entities.shape != records.shape:
        raise InvalidInputError(
            f"{entities.size} entities came with {records.size} records.", hint="Give one pair per mention."
        )
    return MentionWalk(
        entities,
        records,
        np.bincount(entities).astype(np.float64),
        np.bincount(records).astype(np.float64),
    )


def rank_entities(entities: Integers, records: Integers) -> Floats:
    """Walk until the ranks stand; return (entities,) float64 with sum 1. Empty for no mention."""
    walk = prepare_walk(entities, records)
    ranks, change = walk.start(), 1.0
    for _ in range(ROUND_LIMIT):
        if change < TOLERANCE:
            break
        ranks, change = walk.advance(ranks)
    return ranks
