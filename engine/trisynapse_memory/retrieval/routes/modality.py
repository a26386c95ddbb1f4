"""A question that names a kind of record ("in which table") in, the candidates of that kind out.

It has nothing to say where the question names none. Every candidate of a named kind scores 1 (engine.md A9.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trisynapse_memory.contracts import RecordReader
from trisynapse_memory.types import Candidate, QueryPlan, Scope

_WHY: Final = "kind"


class ModalityRoute:
    """Proposes the candidates that are of the kind a question asks for.

    Args:
        records: reads the candidates.
    """

    name = "modality"

    def __init__(self, records: RecordReader) -> None:
        self._records = records

    def candidates(self, plan: QueryPlan, scope: Scope, seeds: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return the seeds of a named kind, in their order; nothing where all are, for then it tells nothing."""
        if not plan.modalities or not seeds:
            return ()
        read = self._records.by_seqs([seed.seq for seed in seeds])
        found = [record.seq for record in read if record.modality in plan.modalities]
        return tuple(Candidate(seq, 1.0, _WHY) for seq in found) if len(found) < len(read) else ()
