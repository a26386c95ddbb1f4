"""The rules of a page in, the grids they draw out: where rows and columns end, and which cells are one. No text here.

A *grid* is a set of rules that cross or touch each other. A *stack* is what books draw: flat rules of one width above
one another, and nothing upright; where its columns are, only its text can tell.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from trisynapse_memory.preprocessing.pdf.rules import Rule, Rules

TOUCH_PT: Final = 3.0  # points; rules that end this near to another touch it
SAME_EDGE_PT: Final = 6.0  # points; rules of one stack begin and end no further apart
MAX_LINES: Final = 200  # rows or columns of one grid; more is a plot
MAX_FIELDS: Final = 6_000
MAX_LOOSE: Final = 600  # flat rules that cross nothing; more is a plot or a form
WHOLE: Final = 0.9  # of the width of a grid; a flat rule as long goes from side to side
MIN_STACK: Final = 2  # rules of a stack

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows end at ``heights``, columns at ``places``; ``owner[row][column]`` numbers the cell that holds a field.

    ``is_open`` where all flat rules go from side to side: the upright ones then need not part all columns.
    """

    box: Box
    places: tuple[float, ...]
    heights: tuple[float, ...]
    owner: tuple[tuple[int, ...], ...]
    is_open: bool

    def column_of(self, at: float) -> int:
        """Return the column that a place along the rows lies in."""
        return _slot(self.places, at)

    def owner_of(self, box: Box) -> int:
        """Return the number of the cell in which the middle of a box lies."""
        row = _slot(self.heights, (box[1] + box[3]) / 2)
        return self.owner[row][self.column_of((box[0] + box[2]) / 2)]

    def parted(self, cells: Set[int]) -> Grid:
        """Return the grid with the fields of some cells parted again, column by column."""
        width = len(self.places) - 1
        owner = tuple(
            tuple((own // width) * width + column if own in cells else own for column, own in enumerate(row))
            for row in self.owner
        )
        return Grid(self.box, self.places, self.heights, owner, self.is_open)


@dataclass(frozen=True, slots=True)
class Stack:
    """Flat rules of one width, from top to bottom."""

    left: float
    right: float
    heights: tuple[float, ...]


def find_grids(rules: Rules) -> tuple[list[Grid], list[Stack]]:
    """Return the grids, the largest first, and the stacks of the rules that take part in none."""
    grids: list[Grid] = []
    loose: list[Rule] = list(rules.flat)
    for flat, upright in _crossing_sets(rules):
        grid = _grid(flat, upright)
        if grid is not None:
            grids.append(grid)
            loose = [rule for rule in loose if rule not in flat]
    grids.sort(key=lambda grid: -(grid.box[2] - grid.box[0]) * (grid.box[3] - grid.box[1]))
    return grids, _stacks(loose)


def _crossing_sets(rules: Rules) -> list[tuple[list[Rule], list[Rule]]]:
    """Rules that touch each other, directly or over others."""
    if not rules.flat or not rules.upright:
        return []
    flat, upright = np.array(rules.flat), np.array(rules.upright)
    touches = (
        (upright[None, :, 0] >= flat[:, None, 1] - TOUCH_PT)
        & (upright[None, :, 0] <= flat[:, None, 2] + TOUCH_PT)
        & (flat[:, None, 0] >= upright[None, :, 1] - TOUCH_PT)
        & (flat[:, None, 0] <= upright[None, :, 2] + TOUCH_PT)
    )
    parents = list(range(len(flat) + len(upright)))
    for one, other in np.argwhere(touches).tolist():
        _unite(parents, one, len(flat) + other)
    sets: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index in range(len(parents)):
        members = sets.setdefault(_root(parents, index), ([], []))
        if index < len(flat):
            members[0].append(rules.flat[index])
        else:
            members[1].append(rules.upright[index - len(flat)])
    return [members for members in sets.values() if len(members[0]) >= 2 and members[1]]


def _grid(flat: Sequence[Rule], upright: Sequence[Rule]) -> Grid | None:
    """The cells between rules; sides that are left open are closed where the others end."""
    left, right = min(rule.start for rule in flat), max(rule.end for rule in flat)
    top, bottom = min(rule.start for rule in upright), max(rule.end for rule in upright)
    places = _lines([*(rule.at for rule in upright), left, right])
    heights = _lines([*(rule.at for rule in flat), top, bottom])
    if (
        not (3 <= len(places) <= MAX_LINES and 2 <= len(heights) <= MAX_LINES)
        or len(places) * len(heights) > MAX_FIELDS
    ):
        return None
    owner = _owners(places, heights, flat, upright)
    is_open = all(rule.end - rule.start > WHOLE * (right - left) for rule in flat)
    return Grid((places[0], heights[0], places[-1], heights[-1]), tuple(places), tuple(heights), owner, is_open)


def _lines(values: Sequence[float]) -> list[float]:
    """Different places, in order: what lies closer than a touch is one."""
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > TOUCH_PT:
            kept.append(value)
    return kept


def _owners(
    places: Sequence[float], heights: Sequence[float], flat: Sequence[Rule], upright: Sequence[Rule]
) -> tuple[tuple[int, ...], ...]:
    """Fields without a rule between them are one cell."""
    width, height = len(places) - 1, len(heights) - 1
    walls = [[rule for rule in upright if abs(rule.at - place) <= TOUCH_PT] for place in places]
    floors = [[rule for rule in flat if abs(rule.at - level) <= TOUCH_PT] for level in heights]
    parents = list(range(width * height))
    for row, (top, bottom) in enumerate(pairwise(heights)):
        for column, (left, right) in enumerate(pairwise(places)):
            field = row * width + column
            if column + 1 < width and not _is_closed(walls[column + 1], (top + bottom) / 2):
                _unite(parents, field, field + 1)
            if row + 1 < height and not _is_closed(floors[row + 1], (left + right) / 2):
                _unite(parents, field, field + width)
    return tuple(tuple(_root(parents, row * width + column) for column in range(width)) for row in range(height))


def _is_closed(rules: Sequence[Rule], middle: float) -> bool:
    return any(rule.start <= middle <= rule.end for rule in rules)


def _stacks(rules: Sequence[Rule]) -> list[Stack]:
    open_stacks: list[list[Rule]] = []
    if len(rules) > MAX_LOOSE:
        return []
    for rule in sorted(rules):
        for stack in open_stacks:
            if abs(stack[0].start - rule.start) < SAME_EDGE_PT and abs(stack[0].end - rule.end) < SAME_EDGE_PT:
                stack.append(rule)
                break
        else:
            open_stacks.append([rule])
    return [
        Stack(min(rule.start for rule in stack), max(rule.end for rule in stack), tuple(rule.at for rule in stack))
        for stack in open_stacks
        if len(stack) >= MIN_STACK
    ]


def _slot(borders: Sequence[float], at: float) -> int:
    return min(max(sum(border <= at for border in borders) - 1, 0), len(borders) - 2)


def _root(parents: list[int], index: int) -> int:
    while parents[index] != index:
        parents[index] = parents[parents[index]]
        index = parents[index]
    return index


def _unite(parents: list[int], one: int, other: int) -> None:
    first, second = sorted((_root(parents, one), _root(parents, other)))
    parents[second] = first
