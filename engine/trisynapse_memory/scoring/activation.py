"""Ties of a graph and what is active in it in, how activation spreads and how far a walk leads out. Arithmetic only.

Nodes are whole numbers without a meaning here. Everything is sparse: what no tie reaches is not there, and counts 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from trisynapse_memory.types import Tie

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Dynamics(Struct, frozen=True, kw_only=True):
    """The constants of one round, all unitless, as the article has them (engine.md B3, B5).

    ``spread`` S, ``decay`` delta, ``inhibition`` beta, ``inhibitors`` M, ``gain`` gamma, ``threshold`` theta and
    ``in_limit`` K, the strongest ties into a node that count.
    """

    spread: float = 0.8
    decay: float = 0.5
    inhibition: float = 0.15
    inhibitors: int = 7
    gain: float = 5.0
    threshold: float = 0.5
    in_limit: int = 15


SYNAPSE: Final = Dynamics()
"""The preset of the article."""


def spread(active: Mapping[int, float], ties: Sequence[Tie], dynamics: Dynamics = SYNAPSE) -> dict[int, float]:
    """Let activation spread for one round: propagate, inhibit, squash, in this order and all nodes at once.

    Args:
        active: node -> activation in [0, 1].
        ties: all ties out of those active nodes that may spread; a node divides what it spreads by their number (fan).
        dynamics: the constants.

    Returns:
        Node -> activation in (0, 1); a node that nothing reaches, or that others inhibit wholly, is left out. The floor
        of the sigmoid, which every untouched node would have, is taken off.

    Source:
        engine.md B3 (Synapse, arXiv 2601.02744); pruning B2.
    """
    if not active:
        return {}
    ends = np.array([(tie.source, tie.target) for tie in ties], np.int64).reshape(-1, 2)
    weights = np.array([tie.weight for tie in ties], np.float64)
    nodes, places = np.unique(np.concatenate([np.array([*active], np.int64), ends.ravel()]), return_inverse=True)
    before = np.zeros(nodes.size)
    before[places[: len(active)]] = [*active.values()]
    sources, targets = places[len(active) :].reshape(-1, 2).T
    fans = np.bincount(sources, minlength=nodes.size)
    kept = _strongest_into(targets, weights, dynamics.in_limit)
    sources, targets, weights = sources[kept], targets[kept], weights[kept]
    flow = dynamics.spread * weights * before[sources] / fans[sources]
    into = np.bincount(targets, weights=flow, minlength=nodes.size)
    held = _inhibit((1.0 - dynamics.decay) * before + into, dynamics)
    after = _squash(held, dynamics)
    return {node: value for node, value in zip(nodes.tolist(), after.tolist(), strict=True) if value > 0}


def _strongest_into(targets: Integers, weights: Floats, limit: int) -> Integers:
    """The places of the ``limit`` strongest ties into each node; of equal ones those that come first."""
    order = np.lexsort((np.arange(targets.size), -weights, targets))
    ordered = targets[order]
    starts = np.searchsorted(ordered, ordered)  # where the ties into the same node begin
    return np.sort(order[np.arange(targets.size) - starts < limit])


def _inhibit(held: Floats, dynamics: Dynamics) -> Floats:
    """Let the most active nodes hold the others down, the more the further these are below them."""
    strongest = np.sort(held)[::-1][: dynamics.inhibitors]
    pressure = np.maximum(strongest[:, None] - held[None, :], 0.0).sum(axis=0)
    return np.maximum(held - dynamics.inhibition * pressure, 0.0)


def _squash(held: Floats, dynamics: Dynamics) -> Floats:
    floor = 1.0 / (1.0 + np.exp(dynamics.gain * dynamics.threshold))
    squashed = 1.0 / (1.0 + np.exp(-dynamics.gain * (held - dynamics.threshold)))
    return np.where(held > 0, squashed - floor, 0.0)


def step(reached: Mapping[int, float], starts: Mapping[int, float], ties: Sequence[Tie]) -> dict[int, float]:
    """Walk one step of a max-product walk.

    Args:
        reached: node -> the best product so far, in (0, 1].
        starts: the nodes this step begins at, with their product.
        ties: all ties out of the starts.

    Returns:
        The nodes that are reached for the first time, or better than before, with their product.

    Source:
        engine.md A9.4: the score of a path is the product of its weights, that of a node its best path's.
    """
    better: dict[int, float] = {}
    for tie in ties:
        product = starts[tie.source] * tie.weight
        if product > max(reached.get(tie.target, 0.0), better.get(tie.target, 0.0)):
            better[tie.target] = product
    return better


def strongest(scores: Mapping[int, float], limit: int) -> dict[int, float]:
    """Return the ``limit`` nodes with the highest scores, best first, ties by number."""
    return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit])
