"""Words with their place on a page in, packed bytes out; later a span in, quads to paint out. No file is read here.

A layout is kept with every page row of the log, so it must stay small (about 3 KB for a full page);
``layout_columns.py`` packs its numbers.

Coordinates are PDF points of the unrotated crop box, origin top left, y down. A quad starts at the upper left corner as
the reader of that text sees it, and goes on clockwise, so it says where the text runs also on a page that is turned or
skewed. Words are parallelograms: a corner (the upper left), the way along the text, and the way down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.text.layout_columns import Columns, pack_numbers, unpack_numbers
from trisynapse_memory.types import Quad

UNITS_PER_POINT: Final = 20
"""Fixed point: a twentieth of a point is a third of a pixel at four times the usual screen resolution."""

_TOUCH_PT: Final = 0.2  # two quads of one line that share less than this only touch

IntArray = NDArray[np.int32]


class Word(NamedTuple):
    """A word as a loader found it. Start and end are offsets into the page text as it is stored.

    ``line`` tells words that may share one quad from those that may not. ``edges`` holds left and right edge of each
    character in turn, in points along the text from the quad's left side (2 x (end - start) numbers); empty means that
    the characters share the width equally.
    """

    start: int
    end: int
    quad: Quad
    line: int
    edges: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """The unpacked words of a page, in text order, as arrays over ``n`` words and ``m`` characters.

    ``corners`` ``(n, 2)`` upper left, ``along`` ``(n, 2)`` to the upper right, ``down`` ``(n, 2)`` to the lower left,
    all in points; ``edges`` ``(m, 2)`` left and right of each character as a share of ``along``, the characters of word
    ``i`` standing at ``first[i]``.
    """

    starts: IntArray
    ends: IntArray
    lines: IntArray
    corners: NDArray[np.float64]
    along: NDArray[np.float64]
    down: NDArray[np.float64]
    edges: NDArray[np.float64]
    first: IntArray

    def __len__(self) -> int:
        return len(self.starts)


def pack_layout(words: Sequence[Word]) -> bytes:
    """Pack the words of a page so that any later span of its text can be painted.

    Args:
        words: in text order, not overlapping, of any count; ``Word.edges`` empty or two numbers per character.

    Returns:
        Versioned bytes; empty for no words.

    Raises:
        InvalidInputError: words overlap, stand out of order, or have a wrong number of edges.
    """
    if not words:
        return b""
    for word in words:
        if word.edges and len(word.edges) != 2 * (word.end - word.start):
            raise InvalidInputError(f"The word at {word.start}-{word.end} has {len(word.edges)} edges.")
    edges = [value for word in words for value in (word.edges or _even_edges(word))]
    spans = np.array([(word.start, word.end, word.line) for word in words], dtype=np.int64)
    quads = np.array([word.quad for word in words], dtype=np.float64)
    return pack_columns(spans, quads, np.array(edges, dtype=np.float64).reshape(-1, 2))


def pack_columns(spans: NDArray[np.int64], quads: NDArray[np.float64], edges: NDArray[np.float64]) -> bytes:
    """Do the same for words that already are columns: a full page has 4,000 characters, and this runs for each page.

    Args:
        spans: ``(n, 3)`` start, end and line of each word.
        quads: ``(n, 8)`` points.
        edges: ``(m, 2)`` left and right of each character of each word, in points from the quad's left side.

    Raises:
        InvalidInputError: words overlap, stand out of order, or have a wrong number of edges.
    """
    if not len(spans):
        return b""
    lengths = spans[:, 1] - spans[:, 0]
    gaps = spans[:, 0] - np.concatenate(([0], spans[:-1, 1]))
    if (lengths <= 0).any() or (gaps < 0).any():
        raise InvalidInputError("Words of a layout are empty, overlap, or stand out of order.")
    if int(lengths.sum()) != len(edges):
        raise InvalidInputError(f"{int(lengths.sum())} characters of a layout have {len(edges)} pairs of edges.")
    scaled = quads * UNITS_PER_POINT
    corners = np.rint(scaled[:, 0:2])
    # Rounded up: a quad may stand a twentieth of a point over its ink, never under it.
    along = np.rint(scaled[:, 2:4] + np.sign(np.rint(scaled[:, 2:4] - scaled[:, 0:2])) * 0.4) - corners
    down = np.rint(scaled[:, 6:8] + np.sign(np.rint(scaled[:, 6:8] - scaled[:, 0:2])) * 0.4) - corners
    whole = (array.astype(np.int64) for array in (corners, along, down, np.rint(edges * UNITS_PER_POINT)))
    return pack_numbers(Columns(gaps, lengths, spans[:, 2], *whole))


def unpack_layout(layout: bytes) -> Layout:
    """Undo ``pack_layout``; no bytes give a layout of no words.

    Raises:
        InvalidInputError: the bytes are no layout, or one of a later version.
    """
    if not layout:
        nothing = np.zeros(0, dtype=np.int32)
        pairs = np.zeros((0, 2))
        return Layout(nothing, nothing, nothing, pairs, pairs, pairs, pairs, nothing)
    words = unpack_numbers(layout)
    ends = np.cumsum(words.gaps + words.lengths, dtype=np.int32)
    lengths = words.lengths.astype(np.int32)
    first = np.cumsum(lengths, dtype=np.int32) - lengths
    corners, along, down = (array / UNITS_PER_POINT for array in (words.corners, words.along, words.down))
    widths = np.repeat(np.hypot(words.along[:, 0], words.along[:, 1]), lengths)
    edges = words.edges / np.maximum(widths, 1.0)[:, None]
    return Layout(ends - lengths, ends, words.lines.astype(np.int32), corners, along, down, edges, first)


def quads_for(layout: bytes, start: int, end: int) -> tuple[Quad, ...]:
    """Return what to paint for ``page.text[start:end]``: one quad per line, in text order.

    A word cut by the span is cut at the edges of its characters. A line gives several quads only where one would lie
    over a word that is not meant (a number inside a Hebrew line). A span without a word gives nothing.
    """
    if end <= start:
        return ()
    return quads_in(unpack_layout(layout), start, end)


def quads_in(page: Layout, start: int, end: int) -> tuple[Quad, ...]:
    """Return what ``quads_for`` does, for a page that is unpacked already."""
    chosen = np.flatnonzero((page.starts < end) & (page.ends > start))
    if not len(chosen):
        return ()
    if _is_upright(page, chosen):
        return _upright_quads(page, chosen, start, end)
    quads: list[Quad] = []
    for line in dict.fromkeys(page.lines[chosen].tolist()):
        members = chosen[page.lines[chosen] == line]
        quads.extend(_line_quads(page, members, start, end))
    return tuple(quads)


def _is_upright(page: Layout, chosen: NDArray[np.intp]) -> bool:
    """Whether words run from left to right and stand straight, as on nearly every page."""
    along, down = page.along[chosen], page.down[chosen]
    straight = (along[:, 1] == 0.0) & (down[:, 0] == 0.0)
    return bool((straight & (along[:, 0] > 0.0) & (down[:, 1] > 0.0)).all())


def _upright_quads(page: Layout, chosen: NDArray[np.intp], start: int, end: int) -> tuple[Quad, ...]:
    """What ``_line_quads`` gives, for all lines at once: twelve hits of a search have a hundred lines."""
    lines, first, of_word = np.unique(page.lines[chosen], return_index=True, return_inverse=True)
    boxes = _boxes(_clipped(page, chosen, start, end))
    low, high = np.full((len(lines), 2), np.inf), np.full((len(lines), 2), -np.inf)
    np.minimum.at(low, of_word, boxes[:, :2])
    np.maximum.at(high, of_word, boxes[:, 2:])
    split = _is_crossed(page, chosen, lines, low[:, 0], high[:, 0])
    quads: list[Quad] = []
    for line in np.argsort(first).tolist():
        parts = boxes[of_word == line] if split[line] else np.concatenate([low[line], high[line]])[None]
        quads.extend(_box_quad(*part) for part in parts.tolist())
    return tuple(quads)


def _is_crossed(
    page: Layout, chosen: NDArray[np.intp], lines: IntArray, left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Say of each line whether one quad from ``left`` to ``right`` would lie over a word that is not chosen."""
    others = np.flatnonzero((page.lines >= lines[0]) & (page.lines <= lines[-1]))
    line = np.searchsorted(lines, page.lines[others])
    foreign = lines[line] == page.lines[others]
    foreign &= (others < chosen[0]) | (others > chosen[-1])  # the words of a span stand in a row
    others, line = others[foreign], line[foreign]
    crossed = np.zeros(len(lines), dtype=np.bool_)
    if not len(others):
        return crossed
    boxes = _boxes(_corners(page, others))
    shared = np.minimum(right[line], boxes[:, 2]) - np.maximum(left[line], boxes[:, 0])
    crossed[line[shared > _TOUCH_PT]] = True
    return crossed


def _boxes(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Left, top, right and bottom ``(n, 4)`` of quads ``(n, 4, 2)``."""
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)


def _box_quad(left: float, top: float, right: float, bottom: float) -> Quad:
    x0, y0, x1, y1 = round(left, 3), round(top, 3), round(right, 3), round(bottom, 3)
    return (x0, y0, x1, y0, x1, y1, x0, y1)


def _even_edges(word: Word) -> tuple[float, ...]:
    count = word.end - word.start
    width = float(np.hypot(word.quad[2] - word.quad[0], word.quad[3] - word.quad[1]))
    return tuple(width * (index // 2 + index % 2) / count for index in range(2 * count))


def _line_quads(page: Layout, members: NDArray[np.intp], start: int, end: int) -> list[Quad]:
    """One quad over all chosen words of a line, or one each where a word that is not chosen lies between them."""
    parts = _clipped(page, members, start, end)
    whole = _merged(parts)
    others = np.setdiff1d(np.flatnonzero(page.lines == page.lines[members[0]]), members, assume_unique=True)
    if len(parts) > 1 and len(others) and _lies_over(whole, _corners(page, others)):
        return [_quad(part) for part in parts]
    return [_quad(whole)]


def _clipped(page: Layout, members: NDArray[np.intp], start: int, end: int) -> NDArray[np.float64]:
    """Return the corners ``(n, 4, 2)`` of words, the first and last of them cut where the span begins and ends."""
    low, high = np.zeros(len(members)), np.ones(len(members))
    for place in np.flatnonzero((page.starts[members] < start) | (page.ends[members] > end)).tolist():
        index = members[place]
        word_start, word_end = int(page.starts[index]), int(page.ends[index])
        offset = int(page.first[index]) - word_start
        edges = page.edges[offset + max(start, word_start) : offset + min(end, word_end)]
        low[place], high[place] = max(float(edges.min()), 0.0), min(float(edges.max()), 1.0)
    return _corners(page, members, low[:, None], high[:, None])


def _corners(
    page: Layout,
    members: NDArray[np.intp],
    low: NDArray[np.float64] | float = 0.0,
    high: NDArray[np.float64] | float = 1.0,
) -> NDArray[np.float64]:
    """The corners ``(n, 4, 2)`` of words, from ``low`` to ``high`` of their width."""
    left = page.corners[members] + page.along[members] * low
    right = page.corners[members] + page.along[members] * high
    down = page.down[members]
    return np.stack([left, right, right + down, left + down], axis=1)


def _merged(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The smallest parallelogram ``(4, 2)``, turned like the widest part, that holds all parts."""
    if len(parts) == 1:
        return parts[0]
    widest = parts[int(np.argmax(((parts[:, 1] - parts[:, 0]) ** 2).sum(axis=1)))]
    corner = widest[0]
    right, below = widest[1] - corner, widest[3] - corner
    frame = np.stack([right / (np.hypot(*right) or 1.0), below / (np.hypot(*below) or 1.0)])
    if abs(frame[0, 0] * frame[1, 1] - frame[0, 1] * frame[1, 0]) < 1e-6:
        frame = np.eye(2)
    places = (parts.reshape(-1, 2) - corner) @ np.linalg.inv(frame)
    (left, top), (far, bottom) = places.min(axis=0), places.max(axis=0)
    return np.array([(left, top), (far, top), (far, bottom), (left, bottom)]) @ frame + corner


def _lies_over(whole: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Whether a quad shares more than a touch along the text with any other word of its line."""
    right = whole[1] - whole[0]
    way = right / (np.hypot(*right) or 1.0)
    mine, theirs = whole @ way, others @ way
    shared = np.minimum(mine.max(), theirs.max(axis=1)) - np.maximum(mine.min(), theirs.min(axis=1))
    return bool((shared > _TOUCH_PT).any())


def _quad(corners: NDArray[np.float64]) -> Quad:
    x0, y0, x1, y1, x2, y2, x3, y3 = (round(value, 3) for value in corners.ravel().tolist())
    return (x0, y0, x1, y1, x2, y2, x3, y3)
