"""What is drawn on a page in, its straight rules out. No text is read here.

A rule is a line, a thin box, or the edge of a box. Rules that lie on one another or go on from each other are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from trisynapse_memory.preprocessing.pdf.glyphs import Frame

THIN_PT: Final = 3.0  # points; a box thinner than this is a rule
MIN_LENGTH_PT: Final = 4.0  # points; what is shorter is a dash or a stroke of a letter
SAME_PT: Final = 2.0  # points; rules nearer to each other are drawn twice
GAP_PT: Final = 3.5  # points; rules on one line with a smaller gap go on from each other
MAX_RULES: Final = 3_000  # of one page; more is a map or a plot
MIN_STROKES: Final = 3  # on a page with fewer, the edges of painted boxes count as rules
MANY_CURVES: Final = 3  # in one box; some are the mark of a cell, more are a drawing
LARGE_SHARE: Final = 0.2  # of a box; a curve as large is a drawing by itself
_LEVEL: Final = 0.6  # points; how much a line may lean

Json = Mapping[str, Any]
Box = tuple[float, float, float, float]


class Rule(NamedTuple):
    """A rule: ``at`` is where it lies across its direction, ``start`` and ``end`` along it, in points."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a page: ``flat`` ones lie at a height, ``upright`` ones at a distance from the left.

    ``curves`` are the boxes of what is neither: the lines of a plot, round corners, arrows.
    """

    flat: tuple[Rule, ...] = ()
    upright: tuple[Rule, ...] = ()
    curves: tuple[Box, ...] = ()

    def seen_from(self, frame: Frame) -> Rules:
        """Return the rules as they lie in a frame; a slanted one sees none."""
        if frame == (1.0, 0.0):
            return self
        if frame == (-1.0, 0.0):
            flat, upright = map(_turned, self.flat), map(_turned, self.upright)
        elif frame == (0.0, 1.0):  # u is y, v is -x
            flat, upright = map(_turned_across, self.upright), map(_turned_along, self.flat)
        elif frame == (0.0, -1.0):  # u is -y, v is x
            flat, upright = map(_turned_along, self.upright), map(_turned_across, self.flat)
        else:
            return Rules()
        return Rules(tuple(flat), tuple(upright), tuple(_box_in(frame, box) for box in self.curves))

    def is_drawn_over(self, box: Box) -> bool:
        """Tell whether a box holds a drawing: some curves, or a large one."""
        held = 0
        for left, top, right, bottom in self.curves:
            if box[0] <= (left + right) / 2 <= box[2] and box[1] <= (top + bottom) / 2 <= box[3]:
                held += 1
                large = (right - left) * (bottom - top) > LARGE_SHARE * (box[2] - box[0]) * (box[3] - box[1])
                if held >= MANY_CURVES or large:
                    return True
        return False


def read_rules(drawings: Iterable[Json], page: Box) -> Rules:
    """Gather the rules of a page.

    Args:
        drawings: as pymupdf lists them (``get_cdrawings``).
        page: the box of the page; a box as large as most of it is its ground, and gives no rules.

    Returns:
        The rules, joined: strokes and thin boxes, or the edges of painted boxes where there are none. Nothing for a
        page with more than ``MAX_RULES`` strokes.
    """
    strokes: tuple[list[Rule], list[Rule]] = ([], [])
    edges: tuple[list[Rule], list[Rule]] = ([], [])
    curves: list[Box] = []
    for drawing in drawings:
        filled = drawing["type"] == "f"
        for entry in drawing["items"]:
            if entry[0] == "l":
                if not _add_stroke(entry[1], entry[2], *strokes):
                    curves.append(_box_of(entry[1:]))
            elif entry[0] == "c":
                curves.append(_box_of(entry[1:]))
            elif entry[0] in ("re", "qu"):
                box = entry[1] if entry[0] == "re" else _box_of(entry[1])
                thin = min(box[2] - box[0], box[3] - box[1]) <= THIN_PT
                _add_box(box, page, *(strokes if thin or not filled else edges))
        if len(strokes[0]) + len(strokes[1]) + len(edges[0]) + len(edges[1]) + len(curves) > MAX_RULES:
            return Rules(curves=(page,))
    # Programs paint a ground under every line of a cell: where anything is ruled, only rules count.
    flat, upright = strokes if len(strokes[0]) + len(strokes[1]) >= MIN_STROKES else edges
    return Rules(_joined(flat), _joined(upright), tuple(curves))


def _box_of(quad: Sequence[Sequence[float]]) -> Box:
    across, down = [point[0] for point in quad], [point[1] for point in quad]
    return min(across), min(down), max(across), max(down)


def _add_stroke(one: Sequence[float], other: Sequence[float], flat: list[Rule], upright: list[Rule]) -> bool:
    """Take a straight stroke as a rule; False for one that leans. A short one is a tick or a dash, and nothing."""
    (x0, y0), (x1, y1) = one, other
    if abs(y1 - y0) <= _LEVEL:
        if abs(x1 - x0) >= MIN_LENGTH_PT:
            flat.append(Rule((y0 + y1) / 2, min(x0, x1), max(x0, x1)))
        return True
    if abs(x1 - x0) <= _LEVEL:
        if abs(y1 - y0) >= MIN_LENGTH_PT:
            upright.append(Rule((x0 + x1) / 2, min(y0, y1), max(y0, y1)))
        return True
    return False


def _add_box(box: Sequence[float], page: Box, flat: list[Rule], upright: list[Rule]) -> None:
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    if height <= THIN_PT and width >= MIN_LENGTH_PT:
        flat.append(Rule((y0 + y1) / 2, x0, x1))
    elif width <= THIN_PT and height >= MIN_LENGTH_PT:
        upright.append(Rule((x0 + x1) / 2, y0, y1))
    elif min(width, height) > THIN_PT and width * height < 0.6 * (page[2] - page[0]) * (page[3] - page[1]):
        flat += [Rule(y0, x0, x1), Rule(y1, x0, x1)]
        upright += [Rule(x0, y0, y1), Rule(x1, y0, y1)]


def _joined(rules: list[Rule]) -> tuple[Rule, ...]:
    """Rules of one height on one line; their common height is that of the first."""
    rules.sort()
    lines: list[list[Rule]] = []
    for rule in rules:
        if not lines or rule.at - lines[-1][0].at > SAME_PT:
            lines.append([])
        lines[-1].append(rule)
    whole: list[Rule] = []
    for line in lines:
        at = line[0].at
        start, end = float("nan"), float("-inf")
        for rule in sorted(line, key=lambda one: one.start):
            if rule.start - end > GAP_PT:
                if end > float("-inf"):
                    whole.append(Rule(at, start, end))
                start, end = rule.start, rule.end
            end = max(end, rule.end)
        whole.append(Rule(at, start, end))
    return tuple(whole)


def _box_in(frame: Frame, box: Box) -> Box:
    (u0, v0), (u1, v1) = frame.place(box[0], box[1]), frame.place(box[2], box[3])
    return min(u0, u1), min(v0, v1), max(u0, u1), max(v0, v1)


def _turned(rule: Rule) -> Rule:
    return Rule(-rule.at, -rule.end, -rule.start)


def _turned_across(rule: Rule) -> Rule:
    return Rule(-rule.at, rule.start, rule.end)


def _turned_along(rule: Rule) -> Rule:
    return Rule(rule.at, -rule.end, -rule.start)
