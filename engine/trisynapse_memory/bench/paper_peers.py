"""Units by scope and questions in, what each peer ranks in a question's own scope and in all of them out.

A scope is a PDF, and "" the whole library. A peer gets a store of its own for each, as the baselines do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trisynapse_memory.bench.peer_runs import Embed, PeerRun, Units
from trisynapse_memory.contracts import FloatArray

EVERYWHERE = ""

Pair = tuple[list[int], list[int]]
"""Numbers of units within the scope, and within the library, best first."""


def ask_by_scope(
    peers: PeerRun,
    units: Mapping[str, Units],
    asked: Sequence[tuple[str, str, FloatArray]],
    count: int,
    embed: Embed,
    *,
    counted: bool,
) -> dict[str, list[Pair]]:
    """Ask every peer every question twice.

    Args:
        peers: who is asked.
        units: by scope; ``EVERYWHERE`` is one of them.
        asked: scope, question and vector.
        count: how many units a question asks for, at most.
        embed: gives a peer further vectors.
        counted: whether what the library costs goes into the figures.

    Returns:
        peer -> one pair for each question, in their order; only peers that answered all.
    """
    found: dict[tuple[str, str], dict[int, list[int]]] = {}
    for scope, chosen in units.items():
        numbers = [number for number, one in enumerate(asked) if scope in (EVERYWHERE, one[0])]
        if not numbers:
            continue
        questions = [asked[number][1:] for number in numbers]
        lists = peers.ask(chosen, questions, count, embed, counted=counted and scope == EVERYWHERE)
        for name, rankings in lists.items():
            found[name, scope] = dict(zip(numbers, rankings, strict=True))
    return {
        name: [(found[name, one[0]][number], found[name, EVERYWHERE][number]) for number, one in enumerate(asked)]
        for name in peers.figures
        if not peers.is_out(name)
    }
