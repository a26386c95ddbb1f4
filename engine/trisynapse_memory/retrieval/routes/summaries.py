"""A question in, the records of groups whose summary speaks of it out: of sources, chats, collections, concepts.

Summaries have a scale of their own: BM25 over their words, divided by the best one's. A summary leads to the records
its sentences were taken from, and to those candidates that belong to its group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import RecordReader, SummaryReader
from trisynapse_memory.scoring.activation import strongest
from trisynapse_memory.types import Candidate, QueryPlan, Scope, is_searchable

GROUP_COUNT: Final = 10  # best summaries that are followed; the tenth scores less than half of the first
_WHY: Final = "summed up"


class SummaryRoute:
    """Proposes the records that the best summaries lead to.

    Args:
        summaries: finds summaries by their words, and records by their groups.
        records: tells evidence from facts among what a summary cites.
        config: ``follow_limit`` is read.
    """

    name = "summaries"

    def __init__(self, summaries: SummaryReader, records: RecordReader, config: Config) -> None:
        self._summaries = summaries
        self._records = records
        self._limit = config.follow_limit

    def candidates(self, plan: QueryPlan, scope: Scope, seeds: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return candidates of the best groups and up to ``follow_limit`` records more, scored in (0, 1]."""
        groups = dict(self._summaries.search(plan.terms, scope, GROUP_COUNT))
        best = max(groups.values(), default=0.0)
        known = dict.fromkeys(seed.seq for seed in seeds)
        scores: dict[int, float] = {}
        for group_id, seqs in self._summaries.leads([*groups], [*known], scope).items():
            for seq in seqs:
                scores[seq] = max(groups[group_id] / best, scores.get(seq, 0.0))
        new = strongest({seq: score for seq, score in scores.items() if seq not in known}, self._limit)
        evidence = [record.seq for record in self._records.by_seqs([*new]) if is_searchable(record)]
        kept = {seq: scores[seq] for seq in (*known, *evidence) if seq in scores}
        return tuple(Candidate(seq, score, _WHY) for seq, score in strongest(kept, len(kept)).items())
