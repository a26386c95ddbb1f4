"""More candidates than may be read in, those worth reading out. Only log positions are known here, no record is read.

What is read is at most ``candidate_limit`` records (house.md 1), and a turn that answers often says little of the
question itself: the turn before it asks. So candidates beyond the best are chosen by what stands beside them as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from trisynapse_memory.retrieval.ranking import Fused
from trisynapse_memory.types import Beside

# Share of the limit that goes to the best of fusion as they are; LoCoMo gives the same for 0.3 to 0.6.
HEAD_SHARE: Final = 0.5
# Of the better score beside a record, and of the words it holds together with what is beside it: as turns are measured
# (``turn_neighbour_weight``, ``exchange_weight``). LoCoMo recall@10 .785 with both, .773 with the first alone.
BESIDE_SHARE: Final = 0.4
HELD_SHARE: Final = 0.8

_NOTHING: Final = Beside(None, None)


def select(
    fused: Sequence[Fused],
    kept: Collection[int],
    beside: Mapping[int, Beside],
    held: Mapping[int, float],
    limit: int,
) -> tuple[Fused, ...]:
    """Choose whom to read.

    Args:
        fused: the candidates, best first.
        kept: log positions that must be among them, such as sources that are named; the best of fusion go before.
        beside: what stands beside each.
        held: the share of the question's words that each holds together with what is beside it, in [0, 1].
        limit: how many.

    Returns:
        The chosen ones in the order of ``fused``.
    """
    scores = {one.seq: one.score for one in fused}

    def promise(one: Fused) -> float:
        near = max((scores.get(seq, 0.0) for seq in beside.get(one.seq, _NOTHING) if seq is not None), default=0.0)
        return one.score + BESIDE_SHARE * near + HELD_SHARE * held.get(one.seq, 0.0)

    head = [one.seq for one in fused[: int(limit * HEAD_SHARE)]]
    wanted = [one.seq for one in fused if one.seq in kept]
    others = sorted(fused, key=lambda one: (-promise(one), one.seq))
    chosen = set(list(dict.fromkeys([*head, *wanted, *(one.seq for one in others)]))[:limit])
    return tuple(one for one in fused if one.seq in chosen)
