"""Fragments in, their words as pieces with boxes, rows of pieces, and the white strips between columns out.

The small geometry that tables are made of. Nothing decides here what is a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from trisynapse_memory.preprocessing.pdf.glyphs import Fragment

RUN_EM: Final = 0.55  # em; words with a smaller hole belong to one cell. Justified text reaches 0.5
WIDE_RUN_EM: Final = 1.0  # the same in the type of a typewriter, whose blank is as wide as an m
STRIP_EM: Final = 0.5  # em; a white strip between columns is at least this wide
FEW_ROWS: Final = 5  # rows; with fewer, the holes of words can lie above one another by chance
FEW_STRIP_EM: Final = 0.8
CROSSED: Final = 0.15  # of the rows may cross a strip: a label over a group of rows, a wide header
_WORD: Final = re.compile(r"\S+")

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Piece:
    """One word of a fragment, with its box in the frame."""

    fragment: Fragment
    left: float
    top: float
    right: float
    bottom: float

    @property
    def text(self) -> str:
        """What it says, from left to right."""
        return self.fragment.text

    @property
    def box(self) -> Box:
        """Where it stands."""
        return self.left, self.top, self.right, self.bottom


Row = Sequence[Piece]


def words_of(fragment: Fragment) -> list[Piece]:
    """Cut a fragment at its blanks."""
    return [_piece(fragment, *match.span()) for match in _WORD.finditer(fragment.text)]


def rows_of(pieces: Sequence[Piece]) -> list[Row]:
    """Gather pieces that stand at one height, from top to bottom, each row from left to right."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda one: one.top + one.bottom):
        home = None
        for row in reversed(rows[-2:]):
            tallest = max(row, key=lambda one: one.bottom - one.top)
            shared = min(tallest.bottom, piece.bottom) - max(tallest.top, piece.top)
            if shared > 0.5 * min(tallest.bottom - tallest.top, piece.bottom - piece.top):
                home = row
                break
        if home is None:
            rows.append([piece])
        else:
            home.append(piece)
    return [sorted(row, key=lambda one: one.left) for row in rows]


def runs_of(pieces: Sequence[Piece], em: float) -> list[list[Piece]]:
    """Join the pieces of one row that only the blank of a word parts."""
    runs: list[list[Piece]] = []
    reach = WIDE_RUN_EM if any(map(_is_typewritten, pieces)) else RUN_EM
    for piece in sorted(pieces, key=lambda one: one.left):
        size = min(piece.fragment.looks[0].size, em)
        if runs and piece.left - max(one.right for one in runs[-1]) < reach * size:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


def columns_of(lines: Sequence[Sequence[Sequence[Piece]]], em: float) -> tuple[float, ...]:
    """Find the white strips that nearly no run of words crosses, and return the middle of each."""
    spans = [(run[0].left, max(word.right for word in run)) for line in lines for run in line if len(line) > 1]
    if not spans:
        return ()
    start, stop = min(left for left, _ in spans), max(right for _, right in spans)
    covered = np.zeros(int(2 * (stop - start)) + 3)
    for left, right in spans:
        covered[int(2 * (left - start)) : int(np.ceil(2 * (right - start))) + 1] += 1
    several = sum(len(line) > 1 for line in lines)
    limit = 0 if several < FEW_ROWS else CROSSED * several
    narrow = (FEW_STRIP_EM if several < FEW_ROWS else STRIP_EM) * em
    marks = np.concatenate(([False], covered <= limit, [False])).astype(np.int8)
    steps = np.diff(marks)
    strips = zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True)
    return tuple(
        start + (first + last) / 4
        for first, last in strips
        if (last - first) / 2 >= narrow and first > 0 and last < len(covered) - 1
    )


def _is_typewritten(piece: Piece) -> bool:
    """Whether letters as different as i and m are equally wide."""
    fragment = piece.fragment
    if len(fragment.text) < 5 or not fragment.text.isalpha():
        return False
    steps = np.diff(fragment.lefts)
    return float(steps.max() - steps.min()) < 0.02 * fragment.looks[0].size


def _piece(fragment: Fragment, first: int, last: int) -> Piece:
    if first == 0 and last == len(fragment.text):
        return Piece(fragment, *fragment.box)
    own = Fragment(fragment.frame, fragment.text[first:last], fragment.lefts[first:last], fragment.rights[first:last])
    at = 0
    for look, count in zip(fragment.looks, fragment.counts, strict=True):
        shared = min(at + count, last) - max(at, first)
        if shared > 0:
            own.looks.append(look)
            own.counts.append(shared)
        at += count
    return Piece(own, *own.box)
