"""Boxes of fragments in, the order in which a person reads them out. No text is read here.

The stream of a page says little about its order: many programs write two columns row by row (case R3), and pymupdf then
puts both into one block. So columns are found from the white between boxes: a gutter is a strip that few boxes cross,
with prose on both sides at the same height. What crosses it (a title, a wide figure) cuts the page into bands, and each
band is read column by column. Short pieces side by side are a table or a list of authors: those are read row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

PROSE_CHARS: Final = 22  # characters; a line of prose, also in a narrow column. Chosen; see DOUBT_CHARS
DOUBT_CHARS: Final = 14  # characters; below this, pieces side by side are cells
DOUBT_SHARE: Final = 0.4  # of the height; a doubtful gutter this long makes the order of the page uncertain
MIN_SHARED_LINES: Final = 4  # lines of both columns that must stand side by side
MIN_GUTTER_EM: Final = 0.55  # em
_EDGE: Final = 0.12  # of the width; a gutter nearer to the edge separates line numbers or bullets, not columns
_CROSSING: Final = 0.45  # of the busiest strip; a title, a figure and two tables may cross a gutter
_MAX_DEPTH: Final = 6
_GRID_V: Final = 2.0  # points

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ordering:
    """Regions in reading order; a region is a list of rows, a row a list of fragment numbers from left to right."""

    regions: tuple[tuple[tuple[int, ...], ...], ...]
    uncertain: bool


@dataclass(frozen=True, slots=True)
class Boxes:
    """The fragments as columns: left, top, right, bottom in their frame, and how many characters each has."""

    left: FloatArray
    top: FloatArray
    right: FloatArray
    bottom: FloatArray
    chars: NDArray[np.int64]
    em: float


def order_fragments(boxes: Sequence[tuple[float, float, float, float]], chars: Sequence[int], em: float) -> Ordering:
    """Put fragments of one frame into reading order.

    Args:
        boxes: left, top, right, bottom of each fragment (mirrored by the caller for right-to-left pages).
        chars: characters of each fragment.
        em: the usual type size of the page, in points.

    Returns:
        Every fragment exactly once. ``uncertain`` where a long gutter could be a gutter or the space of a table.
    """
    if not boxes:
        return Ordering((), False)
    table = np.array(boxes, dtype=np.float64)
    page = Boxes(table[:, 0], table[:, 1], table[:, 2], table[:, 3], np.array(chars, dtype=np.int64), em)
    search = _Search(page)
    regions = search.cut(np.arange(len(boxes)), 0)
    return Ordering(tuple(_rows(page, region) for region in regions), search.uncertain)


class _Search:
    """The recursive cutting of one page, with the doubts met on the way."""

    def __init__(self, page: Boxes) -> None:
        self._page = page
        self._height = float(page.bottom.max() - page.top.min())
        self.uncertain = False

    def cut(self, members: NDArray[np.intp], depth: int) -> list[NDArray[np.intp]]:
        """Return the regions of these fragments in reading order."""
        gutter = self._gutter(members) if len(members) > 2 * MIN_SHARED_LINES and depth < _MAX_DEPTH else None
        if gutter is None:
            return [members]
        regions: list[NDArray[np.intp]] = []
        for crossing, group in self._bands(members, gutter):
            if crossing:
                regions.extend([group] if len(group) == len(members) else self.cut(group, depth + 1))
            else:
                regions.extend(self._columns(group, gutter, depth))
        return regions

    def _columns(self, band: NDArray[np.intp], gutter: float, depth: int) -> list[NDArray[np.intp]]:
        """Left before right; what is no prose at the top or the bottom of the band (authors, a plot) stays in rows."""
        above, core, below = self._peeled(band, gutter)
        middle = self._page.left[core] + self._page.right[core] < 2 * gutter
        parts = [above] if len(above) else []
        for side in (core[middle], core[~middle]):
            if len(side):
                parts.extend(self.cut(side, depth + 1))
        return parts + ([below] if len(below) else [])

    def _gutter(self, members: NDArray[np.intp]) -> float | None:
        page = self._page
        left, right = page.left[members], page.right[members]
        start, stop = float(left.min()), float(right.max())
        width = int(stop - start)
        if width < 12 * page.em:
            return None
        covered = np.zeros(width + 2)
        np.add.at(covered, np.clip((left - start).astype(int), 0, width + 1), 1)
        np.add.at(covered, np.clip(np.ceil(right - start).astype(int), 0, width + 1), -1)
        covered = np.cumsum(covered)[: width + 1]
        low, high = int(width * _EDGE), int(width * (1 - _EDGE))
        inner = covered[low:high]
        limit = _CROSSING * float(covered.max())
        best: tuple[float, float] | None = None
        doubtful = 0.0
        for first, last in _runs(inner <= np.maximum(limit, 0)):
            floor = float(inner[first:last].min())
            for a, b in _runs(inner[first:last] <= floor):
                centre = start + low + first + (a + b) / 2
                shared, typical = self._evidence(members, centre)
                if shared <= 0:
                    continue
                if typical >= PROSE_CHARS and (best is None or shared > best[0]):
                    best = (shared, centre)
                elif typical >= DOUBT_CHARS:
                    doubtful = max(doubtful, shared)
        if best is None and doubtful > DOUBT_SHARE * self._height:
            self.uncertain = True
        return None if best is None else best[1]

    def _evidence(self, members: NDArray[np.intp], centre: float) -> tuple[float, float]:
        """How many points of height have pieces on both sides of a strip, and how long a typical piece there is."""
        page = self._page
        to_left = members[page.right[members] <= centre + 0.5]
        to_right = members[page.left[members] >= centre - 0.5]
        if len(to_left) < MIN_SHARED_LINES or len(to_right) < MIN_SHARED_LINES:
            return 0.0, 0.0
        origin = float(page.top[members].min())
        size = int((float(page.bottom[members].max()) - origin) / _GRID_V) + 2
        both = _occupied(page, to_left, origin, size) & _occupied(page, to_right, origin, size)
        shared = float(both.sum()) * _GRID_V
        hole = _typical_hole(page, to_left, to_right)
        if shared < MIN_SHARED_LINES * page.em or hole < MIN_GUTTER_EM * page.em:
            return 0.0, 0.0
        return shared, min(_typical_chars(page, to_left), _typical_chars(page, to_right))

    def _bands(self, members: NDArray[np.intp], gutter: float) -> list[tuple[bool, NDArray[np.intp]]]:
        """Cut at what crosses the gutter; what merely sticks out of its column has a neighbour on the other side."""
        page = self._page
        crosses = (page.left[members] < gutter - 1) & (page.right[members] > gutter + 1)
        wide = np.zeros(len(members), dtype=bool)
        for index in np.flatnonzero(crosses):
            beside = _beside(page, members, int(members[index]))
            has_left = bool((beside & (page.right[members] <= gutter + 1)).any())
            has_right = bool((beside & (page.left[members] >= gutter - 1)).any())
            if has_left == has_right:
                wide[index] = True
                if has_left:
                    wide |= beside
        order = np.argsort((page.top[members] + page.bottom[members]) / 2, kind="stable")
        bands: list[tuple[bool, list[int]]] = []
        for index in order:
            flag = bool(wide[index])
            if not bands or bands[-1][0] != flag:
                bands.append((flag, []))
            bands[-1][1].append(int(members[index]))
        return [(flag, np.array(group, dtype=np.intp)) for flag, group in bands]

    def _peeled(
        self, band: NDArray[np.intp], gutter: float
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        stacks = _stacks(self._page, band)
        first, last = 0, len(stacks)
        while first < last - 1 and self._is_loose(stacks[first], gutter):
            first += 1
        while last - 1 > first and self._is_loose(stacks[last - 1], gutter):
            last -= 1
        empty = np.zeros(0, dtype=np.intp)
        above = np.concatenate([empty, *stacks[:first]])
        below = np.concatenate([empty, *stacks[last:]])
        return above, np.concatenate(stacks[first:last]), below

    def _is_loose(self, stack: NDArray[np.intp], gutter: float) -> bool:
        """Whether pieces on both sides of the gutter are too short for prose."""
        page = self._page
        middle = page.left[stack] + page.right[stack] < 2 * gutter
        sides = (stack[middle], stack[~middle])
        return all(len(side) and _typical_chars(page, side) < PROSE_CHARS for side in sides)


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    padded = np.concatenate(([False], flags, [False])).astype(np.int8)
    steps = np.diff(padded)
    return list(zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True))


def _occupied(page: Boxes, members: NDArray[np.intp], origin: float, size: int) -> NDArray[np.bool_]:
    marks = np.zeros(size + 1)
    np.add.at(marks, ((page.top[members] - origin) / _GRID_V).astype(int), 1)
    np.add.at(marks, np.ceil((page.bottom[members] - origin) / _GRID_V).astype(int), -1)
    return np.cumsum(marks)[:size] > 0


def _typical_hole(page: Boxes, to_left: NDArray[np.intp], to_right: NDArray[np.intp]) -> float:
    """The white between the sides, without the few boxes that stick out."""
    return float(np.percentile(page.left[to_right], 3) - np.percentile(page.right[to_left], 97))


def _typical_chars(page: Boxes, members: NDArray[np.intp]) -> float:
    """The length of the piece that a random character stands in."""
    counts = np.sort(page.chars[members])
    half = int(np.searchsorted(np.cumsum(counts), float(counts.sum()) / 2))
    return float(counts[min(half, len(counts) - 1)])


def _beside(page: Boxes, members: NDArray[np.intp], index: int) -> NDArray[np.bool_]:
    """Which members stand at the height of one fragment (half of the smaller height shared)."""
    shared = np.minimum(page.bottom[members], page.bottom[index]) - np.maximum(page.top[members], page.top[index])
    smaller = np.minimum(page.bottom[members] - page.top[members], page.bottom[index] - page.top[index])
    return (shared > 0.5 * smaller) & (members != index)


def _stacks(page: Boxes, members: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Cut at heights where no box stands, from top to bottom."""
    order = members[np.argsort(page.top[members], kind="stable")]
    reach = np.maximum.accumulate(page.bottom[order])
    cuts = np.flatnonzero(page.top[order][1:] > reach[:-1] + 0.3 * page.em) + 1
    return np.split(order, cuts)


def _rows(page: Boxes, members: NDArray[np.intp]) -> tuple[tuple[int, ...], ...]:
    """Gather the fragments of a region into rows, from top to bottom, each from left to right."""
    order = members[np.argsort(page.top[members] + page.bottom[members], kind="stable")]
    tops, bottoms = page.top.tolist(), page.bottom.tolist()
    rows: list[tuple[float, float, list[int]]] = []
    for index in order.tolist():
        top, bottom = tops[index], bottoms[index]
        home = None
        for place in range(len(rows) - 1, max(len(rows) - 4, -1), -1):
            row_top, row_bottom, fragments = rows[place]
            shared = min(bottom, row_bottom) - max(top, row_top)
            if shared > 0.5 * min(bottom - top, row_bottom - row_top) and not _collides(page, fragments, index):
                home = place
                break
        if home is None:
            rows.append((top, bottom, [index]))
            continue
        row_top, row_bottom, fragments = rows[home]
        fragments.append(index)
        # The tallest fragment is the row's measure: a union would swallow the next line through its superscripts.
        if bottom - top > row_bottom - row_top:
            rows[home] = (top, bottom, fragments)
    lefts = page.left.tolist()
    return tuple(tuple(sorted(fragments, key=lefts.__getitem__)) for _, _, fragments in rows)


def _collides(page: Boxes, fragments: Sequence[int], index: int) -> bool:
    """Whether a fragment would lie over one of the row: then it is a line of its own, however close."""
    for other in fragments:
        shared = min(page.right[other], page.right[index]) - max(page.left[other], page.left[index])
        if shared > 0.4 * min(page.right[other] - page.left[other], page.right[index] - page.left[index]):
            return True
    return False
