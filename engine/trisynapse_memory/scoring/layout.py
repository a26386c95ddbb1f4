"""A small graph in, a place for each node out, so that no two labels overlap. Pure: one graph, one picture.

Fruchterman-Reingold from a deterministic start, then labels are pushed apart. Known places are kept unless a newcomer's
label needs the room, so that a picture looks the same on the next visit.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

ROUNDS: Final = 150
SEPARATION_ROUNDS: Final = 400
PAIR_BUDGET: Final = 20_000
"""Rounds times nodes: a picture of 300 nodes gets fewer rounds, so that it is drawn within a second."""
CANVAS: Final = (1000.0, 640.0)
"""The canvas labels are measured on, in logical pixels: a pane of a 1280 x 800 window."""
CHARACTER_WIDTH: Final = 7.2
LABEL_HEIGHT: Final = 46.0  # dot, gap and one line of text
LABEL_GAP: Final = 10.0
LABEL_CHARACTERS: Final = 26
"""Longest label drawn; a view elides beyond."""
_GRAVITY: Final = 0.35  # keeps parts that are not connected from drifting apart


def place_nodes(
    node_ids: Sequence[str],
    edges: Sequence[tuple[str, str]],
    labels: Sequence[str],
    known: Mapping[str, tuple[float, float]] | None = None,
) -> dict[str, tuple[float, float]]:
    """Lay a graph of up to about 300 nodes out.

    Args:
        node_ids: each node once.
        edges: pairs of node ids; unknown ids and loops are passed over.
        labels: one per node; their length decides how much room a node needs.
        known: places from an earlier picture, in [0, 1]; those nodes stay near them.

    Returns:
        Node id -> (x, y), both in [0, 1], origin top left.

    Source:
        Fruchterman and Reingold 1991; the numbers are chosen by looking.
    """
    count = len(node_ids)
    if count == 0:
        return {}
    kept = known or {}
    places = np.array([kept.get(node_id) or _start(node_id) for node_id in node_ids], dtype=np.float64)
    fixed = np.array([node_id in kept for node_id in node_ids], dtype=np.bool_)
    links = _links(node_ids, edges)
    _seat_newcomers(places, fixed, links)
    if not fixed.any():
        _relax(places, links)
        places = _spread(places)
    sizes = np.array([_room(label) for label in labels], dtype=np.float64)
    _separate(places, sizes)
    return {node_id: (float(x), float(y)) for node_id, (x, y) in zip(node_ids, places, strict=True)}


def _start(node_id: str) -> tuple[float, float]:
    """A place that depends on the name alone, so that the picture does not depend on the order of the nodes."""
    digest = hashlib.sha256(node_id.encode()).digest()
    angle = int.from_bytes(digest[:4], "big") / 2**32 * 2 * math.pi
    radius = 0.15 + 0.3 * int.from_bytes(digest[4:8], "big") / 2**32
    return 0.5 + radius * math.cos(angle), 0.5 + radius * math.sin(angle)


def _links(node_ids: Sequence[str], edges: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
    at = {node_id: index for index, node_id in enumerate(node_ids)}
    pairs = {(min(at[a], at[b]), max(at[a], at[b])) for a, b in edges if a in at and b in at and a != b}
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _seat_newcomers(places: Points, fixed: NDArray[np.bool_], links: NDArray[np.int64]) -> None:
    """Put a node that is new beside the known nodes it is linked to."""
    for index in np.flatnonzero(~fixed).tolist() if fixed.any() else []:
        beside = [b if a == index else a for a, b in links.tolist() if index in (a, b)]
        seated = [other for other in beside if fixed[other]]
        if seated:
            places[index] = places[seated].mean(axis=0) + 0.06 * (places[index] - 0.5)


def _relax(places: Points, links: NDArray[np.int64]) -> None:
    ideal = 0.9 / math.sqrt(len(places))
    step = 0.12
    for _ in range(min(ROUNDS, PAIR_BUDGET // len(places))):
        apart = places[:, None, :] - places[None, :, :]
        squared = np.maximum((apart**2).sum(axis=2), 1e-6)
        force = (apart * (ideal**2 / squared)[:, :, None]).sum(axis=1)
        force += _GRAVITY * (0.5 - places) * ideal
        if len(links):
            along = places[links[:, 0]] - places[links[:, 1]]
            pull = along * (np.linalg.norm(along, axis=1, keepdims=True) / ideal)
            np.add.at(force, links[:, 0], -pull)
            np.add.at(force, links[:, 1], pull)
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        places += force / length * np.minimum(length, step)
        step = max(step * 0.97, 0.002)


def _spread(places: Points) -> Points:
    """Stretch the picture over the canvas, leaving a margin."""
    low, high = places.min(axis=0), places.max(axis=0)
    extent = np.where(high - low > 1e-6, high - low, 1.0)
    spread = np.asarray((places - low) / extent * 0.84 + 0.08, dtype=np.float64)
    return np.where(high - low > 1e-6, spread, 0.5)


def _room(label: str) -> tuple[float, float]:
    width = min(len(label), LABEL_CHARACTERS) * CHARACTER_WIDTH + LABEL_GAP
    return max(width, 40.0) / CANVAS[0], LABEL_HEIGHT / CANVAS[1]


def _separate(places: Points, sizes: Points) -> None:
    """Push label boxes apart along the axis that needs less, until none overlap or the rounds are spent."""
    margin = sizes / 2
    np.clip(places, margin, 1 - margin, out=places)
    needed = margin[:, None, :] + margin[None, :, :]
    others = ~np.eye(len(places), dtype=np.bool_)
    # Equal places have no direction; the order of the nodes gives one.
    order = np.sign(np.arange(len(places))[:, None] - np.arange(len(places))[None, :]).astype(np.float64)
    for _ in range(min(SEPARATION_ROUNDS, PAIR_BUDGET // len(places))):
        apart = places[:, None, :] - places[None, :, :]
        overlap = needed - np.abs(apart)
        clash = (overlap > 1e-6).all(axis=2) & others
        if not clash.any():
            break
        sideways = overlap[:, :, 0] < overlap[:, :, 1]
        for axis, chosen in ((0, clash & sideways), (1, clash & ~sideways)):
            direction = np.where(apart[:, :, axis] == 0, order, np.sign(apart[:, :, axis]))
            places[:, axis] += (np.where(chosen, overlap[:, :, axis], 0.0) * direction).sum(axis=1) * 0.35
        np.clip(places, margin, 1 - margin, out=places)
