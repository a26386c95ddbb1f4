"""Places, sizes and labels of a graph in, where each stands and what lies next to it out. Nothing is painted here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QPolygonF

from trisynapse_memory.types import Edge, Node

LABEL_CHARACTERS = 26  # the length the layout leaves room for
SMALLEST, LARGEST = 5.0, 13.0  # px, radius of a node by its weight
GAP = 3.0  # px between a node and its label
HEAD = 8.0  # px, length of an arrow's head
EDGE_SHARES = (0.5, 0.4, 0.6, 0.3, 0.7)  # where along an edge its label may stand, best first


@dataclass(frozen=True, slots=True)
class Wish:
    """One label: where it may stand, best place first. One that ``must`` be seen covers others if it has to."""

    key: object
    boxes: Sequence[QRectF]
    must: bool = False


def place_labels(wishes: Iterable[Wish], taken: Iterable[QRectF], bounds: QRectF) -> dict[object, QRectF]:
    """Give each label the first of its places that covers nothing; a label without such a place is left out.

    Args:
        wishes: the labels, most important first.
        taken: what may not be covered: nodes and signs.
        bounds: the picture; a label is never cut at its edge, unless it must be seen.

    Returns:
        Key of the wish -> its box.
    """
    covered = list(taken)
    placed: dict[object, QRectF] = {}
    for wish in wishes:
        free = (box for box in wish.boxes if bounds.contains(box) and not any(box.intersects(one) for one in covered))
        box = next(free, wish.boxes[0] if wish.must and wish.boxes else None)
        if box is not None:
            placed[wish.key] = box
            covered.append(box)
    return placed


def beside_node(place: QPointF, radius: float, size: QSizeF, neighbours: Sequence[QPointF] = ()) -> tuple[QRectF, ...]:
    """Return where the label of a node may stand: below it, above it, right, left; first where no edge runs."""
    across, down = radius + GAP + size.width() / 2, radius + GAP + size.height() / 2
    middles = (QPointF(0, down), QPointF(0, -down), QPointF(across, 0), QPointF(-across, 0))
    boxes = [_around(place + middle, size) for middle in middles]
    return tuple(sorted(boxes, key=lambda box: sum(_crosses(place, other, box) for other in neighbours)))


def _crosses(start: QPointF, end: QPointF, box: QRectF) -> bool:
    """Whether a line runs through a box: the stretches of it between both pairs of sides overlap."""
    first, last = 0.0, 1.0
    for at, along, low, high in (
        (start.x(), end.x() - start.x(), box.left(), box.right()),
        (start.y(), end.y() - start.y(), box.top(), box.bottom()),
    ):
        if along == 0:
            if not low <= at <= high:
                return False
            continue
        near, far = sorted(((low - at) / along, (high - at) / along))
        first, last = max(first, near), min(last, far)
    return first <= last


def along_edge(start: QPointF, end: QPointF, size: QSizeF) -> tuple[QRectF, ...]:
    """Return where the label of an edge may stand: on it, near its middle."""
    return tuple(_around(start + (end - start) * share, size) for share in EDGE_SHARES)


def _around(middle: QPointF, size: QSizeF) -> QRectF:
    box = QRectF(QPointF(0, 0), size)
    box.moveCenter(middle)
    return box


def arrow_head(start: QPointF, end: QPointF, radius: float) -> QPolygonF:
    """Return the head of an arrow at the rim of the node it points to; empty where the nodes touch."""
    along = end - start
    length = math.hypot(along.x(), along.y())
    if length <= radius + HEAD:
        return QPolygonF()
    step = along / length
    tip, aside = end - step * (radius + 2), QPointF(-step.y(), step.x()) * (HEAD / 2)
    return QPolygonF([tip, tip - step * HEAD + aside, tip - step * HEAD - aside])


def next_place(places: Mapping[str, QPointF], here: str, across: int, down: int) -> str:
    """Return the nearest node in a direction, for arrow keys; ``here`` itself where there is none.

    What lies aside counts twice, so that a key goes where it points.
    """
    best, best_cost = here, math.inf
    for name, place in places.items():
        there = place - places[here]
        ahead = there.x() * across + there.y() * down
        aside = abs(there.x() * down) + abs(there.y() * across)
        if name != here and ahead > 1 and ahead + 2 * aside < best_cost:
            best, best_cost = name, ahead + 2 * aside
    return best


def radius_of(node: Node) -> float:
    """Return the radius of a node in pixels, by its weight in [0, 1]."""
    return SMALLEST + (LARGEST - SMALLEST) * min(max(node.weight, 0.0), 1.0)


def short(label: str) -> str:
    """Cut a label to what a picture can hold."""
    return label if len(label) <= LABEL_CHARACTERS else f"{label[: LABEL_CHARACTERS - 1].rstrip()}…"


def spoken(edge: Edge) -> str:
    """Return the relation of an edge as it is read."""
    return edge.label.replace("_", " ")


def is_same(edge: Edge, other: Edge | None) -> bool:
    """Tell whether two edges are one, though its evidence or status may have changed."""
    return other is not None and (edge.source, edge.target, edge.kind, edge.label) == (
        other.source,
        other.target,
        other.kind,
        other.label,
    )


def disc(middle: QPointF, radius: float) -> QRectF:
    """Return the square around a disc."""
    return QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)


def distance(point: QPointF, start: QPointF, end: QPointF) -> float:
    """Return how far a point is from a stretch of line, in pixels."""
    along = end - start
    length = along.x() ** 2 + along.y() ** 2
    share = 0.0 if length == 0 else min(max(QPointF.dotProduct(point - start, along) / length, 0.0), 1.0)
    nearest = start + along * share
    return math.hypot(point.x() - nearest.x(), point.y() - nearest.y())
