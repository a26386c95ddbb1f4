"""The spans of a page in, the same without the glyphs that are drawn twice out. Nothing is joined here.

Programs without a bold font draw a text twice, a hair apart; a reader sees one glyph.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.preprocessing.pdf.glyphs import Frame, Span, float_column

DUPLICATE_EM: Final = 0.1  # em; twins nearer than this are one glyph drawn twice; a narrow "ll" stands 0.2 apart

# Rounding cuts some twins apart, so the rows are laid a second time, moved by half a row.
_ROW_SHIFTS: Final = (0.0, 0.5)
_LEFT_STEPS: Final = 32  # steps of a point in which the quick look for twins counts
_LEFT_BITS: Final = 20  # of a key: 32,768 points, more than a page may be wide
_FOLD_BITS: Final = 19  # of a kind that are laid over its lower ones; ASCII keeps a kind of its own per character


def drop_twins(spans: Sequence[Span]) -> list[Span]:
    """Collapse glyphs that are drawn twice at nearly the same place (fake bold), keeping the first."""
    if not spans:
        return []
    lengths = [len(span.text) for span in spans]
    owner = np.repeat(np.arange(len(spans)), lengths)
    size = float_column([max(span.style.size, 0.05) for span in spans])[owner]
    # Two layings of rows of this height tell all twins that stand no more than half of it apart.
    row_height = max(float(np.median(size)) * 2 * DUPLICATE_EM, 0.1)
    glyphs = _Columns(
        np.frombuffer("".join([span.text for span in spans]).encode("utf-32-le"), dtype="<u4").astype(np.int64),
        float_column(list(chain.from_iterable([span.lefts for span in spans]))),
        size,
        float_column([span.base for span in spans])[owner] / row_height,
        np.array([_way(span.frame) for span in spans], dtype=np.int64)[owner],
    )
    if not _may_hold_twins(glyphs):
        return list(spans)
    keep = ~_twins(glyphs)
    if keep.all():
        return list(spans)
    return [each for each in _without(spans, lengths, keep) if each.text]


class _Columns(NamedTuple):
    """All glyphs of a page: code point, left (u), size in points, base line in rows, direction as bits of a key."""

    codes: NDArray[np.int64]
    left: NDArray[np.float64]
    size: NDArray[np.float64]
    row: NDArray[np.float64]
    way: NDArray[np.int64]

    def kinds(self, shift: float) -> NDArray[np.int64]:
        """A number for each glyph, which twins share: character, direction, row."""
        return self.codes << 36 | self.way | np.floor(self.row + shift).astype(np.int64) & 0xFFFFFF


def _may_hold_twins(glyphs: _Columns) -> bool:
    """Whether a closer look is worth it: few pages have twins, and one sort of numbers tells most of the others.

    Kinds are folded and places rounded so that both fit one number: that may cry wolf, but overlooks none.
    """
    solid = glyphs.codes != ord(" ")
    left = glyphs.left - glyphs.left.min()
    if not left.max() * _LEFT_STEPS < 1 << _LEFT_BITS:
        return True
    steps = (left * _LEFT_STEPS).astype(np.int64)
    reach = DUPLICATE_EM * float(glyphs.size.max()) * _LEFT_STEPS + 1
    for shift in _ROW_SHIFTS:
        kinds = glyphs.kinds(shift)
        folded = (kinds ^ kinds >> _FOLD_BITS) & ((1 << 63 - _LEFT_BITS) - 1)
        keys = np.sort((folded << _LEFT_BITS | steps)[solid])
        if (keys[1:] - keys[:-1] <= reach).any():
            return True
    return False


def _twins(glyphs: _Columns) -> NDArray[np.bool_]:
    """The glyphs that stand where the same one already stood."""
    left = glyphs.left
    twins = np.zeros(len(left), dtype=bool)
    for shift in _ROW_SHIFTS:
        kinds = glyphs.kinds(shift)
        order = np.lexsort((left, kinds))
        near = (np.diff(kinds[order]) == 0) & (np.diff(left[order]) < DUPLICATE_EM * glyphs.size[order][1:])
        twins[np.maximum(order[1:], order[:-1])[near]] = True
    return twins & (glyphs.codes != ord(" "))


@lru_cache(maxsize=256)
def _way(frame: Frame) -> int:
    """The direction in degrees, as bits of a key."""
    return (round(math.degrees(math.atan2(frame.sin, frame.cos))) & 0xFFF) << 24


def _without(spans: Sequence[Span], lengths: list[int], keep: NDArray[np.bool_]) -> Iterator[Span]:
    cursor = 0
    for span, length in zip(spans, lengths, strict=True):
        kept: list[int] = np.flatnonzero(keep[cursor : cursor + length]).tolist()
        cursor += length
        yield span if len(kept) == length else span.picked(kept)
