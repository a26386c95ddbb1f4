"""Fragments in, the stored text of a page with the place of every word and its blocks out. Nothing is judged here.

Lines are joined by a line feed, blocks by an empty line. Hyphens at line ends, ligatures and Arabic presentation forms
stay as the page has them: ``text/spans.py`` maps them when something is searched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from trisynapse_memory.preprocessing.pdf.bidi import RIGHT_TO_LEFT, is_right_to_left, logical_order, mirrored
from trisynapse_memory.preprocessing.pdf.columns import order_fragments
from trisynapse_memory.preprocessing.pdf.glyphs import Fragment, Frame, Look, float_column
from trisynapse_memory.text.geometry import pack_columns

SPACE_EM: Final = 0.15  # em; a wider hole is a word space that was not drawn
CELL_EM: Final = 2.0  # em; a wider hole in a row separates cells
BLOCK_PITCH: Final = 1.3  # times the usual distance of two lines
INDENT_EM: Final = 0.8  # em
SIZE_STEP: Final = 1.08  # times; other type size, other block
MINOR_CHARS: Final = 150  # characters; turned text shorter than this is a stamp or an axis label

_SOLID: Final = re.compile(r"\S+")
Box = tuple[float, float, float, float]
_SENTENCE_ENDS: Final = tuple('.!?:;\u3002\u06d4\u061f"\u201d)')


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text in its frame; a blank of its ``glyphs`` that only fills a gap has no width."""

    glyphs: Fragment
    left: float
    right: float
    top: float
    bottom: float
    size: float
    bold: bool
    cell_count: int


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the page's text that stands together: where it is, how it looks, and whether it is turned text."""

    start: int
    end: int
    size: float
    bold: bool
    line_count: int
    cell_rows: int
    top: float
    bottom: float
    minor: bool
    joins_previous: bool


@dataclass(frozen=True, slots=True)
class Composition:
    """A page as text, packed word geometry and blocks."""

    text: str
    layout: bytes
    blocks: tuple[Block, ...]
    uncertain: bool
    body_size: float


def compose(fragments: Sequence[Fragment]) -> Composition:
    """Put a page into reading order and write it down; the main direction of the text comes first."""
    frames: dict[Frame, list[Fragment]] = {}
    for fragment in fragments:
        frames.setdefault(fragment.frame, []).append(fragment)
    groups = sorted(frames.values(), key=lambda group: -_length(group))
    sizes = Counter[float]()
    for fragment in groups[0] if groups else ():
        sizes[round(fragment.looks[0].size, 1)] += len(fragment.text)
    body_size = sizes.most_common(1)[0][0] if sizes else 0.0
    scribe = _Scribe()
    uncertain = False
    for rank, group in enumerate(groups):
        regions, doubt = _ordered_lines(group, max(body_size, 1.0))
        minor = rank > 0 and _length(group) < MINOR_CHARS
        uncertain = uncertain or (doubt and not minor)
        for region in regions:
            for block in _blocks(region):
                scribe.write(block, minor)
    return Composition("".join(scribe.pieces), scribe.layout(), tuple(scribe.blocks), uncertain, body_size)


def _length(group: Sequence[Fragment]) -> int:
    return sum([len(fragment.text) for fragment in group])


def _ordered_lines(group: Sequence[Fragment], em: float) -> tuple[list[list[Line]], bool]:
    boxes = [fragment.box for fragment in group]
    placed = boxes
    text = "".join([fragment.text for fragment in group])
    if not text.isascii() and is_right_to_left(text):
        placed = [(-right, top, -left, bottom) for left, top, right, bottom in boxes]
    ordering = order_fragments(placed, [len(fragment.text) for fragment in group], em)
    regions = [
        [_line([(boxes[index], group[index]) for index in row]) for row in region] for region in ordering.regions
    ]
    return regions, ordering.uncertain


def _line(row: list[tuple[Box, Fragment]]) -> Line:
    if len(row) > 1:
        row.sort(key=lambda part: part[0][0])
    (left, top, right, bottom), glyphs = row[0]
    size = _usual_size(row)
    cell_count = 1
    if len(row) > 1:
        glyphs, cell_count = _joined(row, size)
        left, right = min([box[0] for box, _ in row]), max([box[2] for box, _ in row])
        top, bottom = min([box[1] for box, _ in row]), max([box[3] for box, _ in row])
    bold = all(_is_bold(fragment) for _, fragment in row)
    if not glyphs.text.isascii() and RIGHT_TO_LEFT.search(glyphs.text):
        glyphs = _reordered(glyphs)
    return Line(glyphs, left, right, top, bottom, size, bold, cell_count)


def _joined(row: Sequence[tuple[Box, Fragment]], size: float) -> tuple[Fragment, int]:
    """The glyphs of a row with a blank in each hole, and the number of cells that wide holes divide it into."""
    line = Fragment(row[0][1].frame)
    cell_count = 1
    for box, fragment in row:
        if line.text:
            hole = box[0] - max(line.rights[-3:])
            if hole > SPACE_EM * size:
                wide = hole > CELL_EM * size
                cell_count += wide
                line.text += "\t" if wide else " "
                line.lefts.append(line.rights[-1])
                line.rights.append(line.rights[-1])
                line.counts[-1] += 1
        line.text += fragment.text
        line.lefts += fragment.lefts
        line.rights += fragment.rights
        line.looks += fragment.looks
        line.counts += fragment.counts
    return line, cell_count


def _usual_size(row: Sequence[tuple[Box, Fragment]]) -> float:
    fragment = row[0][1]
    if len(row) == 1 and len(fragment.looks) == 1:
        return fragment.looks[0].size
    sizes: dict[float, int] = {}
    for _, fragment in row:
        for look, count in zip(fragment.looks, fragment.counts, strict=True):
            sizes[look.size] = sizes.get(look.size, 0) + count
    return max(sizes, key=sizes.__getitem__)


def _is_bold(fragment: Fragment) -> bool:
    """Whether all glyphs are bold; the weight of a blank does not show, unless there are only blanks."""
    weights = {look.bold for look in fragment.looks}
    if len(weights) == 1:
        return weights.pop()
    start = 0
    for look, count in zip(fragment.looks, fragment.counts, strict=True):
        if not look.bold and fragment.text[start : start + count].strip(" "):
            return False
        start += count
    return True


def _reordered(glyphs: Fragment) -> Fragment:
    middles = [left + right for left, right in zip(glyphs.lefts, glyphs.rights, strict=True)]
    visual = sorted(range(len(middles)), key=middles.__getitem__)
    order, from_right = logical_order([glyphs.text[index] for index in visual])
    places = [visual[index] for index in order]
    looks = [look for look, count in zip(glyphs.looks, glyphs.counts, strict=True) for _ in range(count)]
    chars = [glyphs.text[place] for place in places]
    return Fragment(
        glyphs.frame,
        "".join(map(mirrored, chars) if from_right else chars),
        [glyphs.lefts[place] for place in places],
        [glyphs.rights[place] for place in places],
        [looks[place] for place in places],
        [1] * len(places),
    )


def _blocks(lines: Sequence[Line]) -> list[list[Line]]:
    """Cut a region where the distance, the type size or the weight changes, or a first line is indented."""
    if not lines:
        return []
    steps = sorted(
        after.bottom - before.bottom
        for before, after in pairwise(lines)
        if 0 < after.bottom - before.bottom < 2.2 * before.size
    )
    pitch = steps[len(steps) // 2] if steps else 0.0
    edge = sorted(line.left for line in lines)[len(lines) // 4]
    blocks = [[lines[0]]]
    for before, after in pairwise(lines):
        if _starts_block(before, after, pitch, edge):
            blocks.append([])
        blocks[-1].append(after)
    return blocks


def _starts_block(before: Line, after: Line, pitch: float, edge: float) -> bool:
    step = after.bottom - before.bottom
    usual = max(pitch, before.size * 1.05) * BLOCK_PITCH
    larger, smaller = max(before.size, after.size), min(before.size, after.size)
    if step > usual or larger > smaller * SIZE_STEP or before.bold != after.bold:
        return True
    if before.cell_count > 1 or after.cell_count > 1:
        return (before.cell_count > 1) != (after.cell_count > 1)
    indented = INDENT_EM * after.size < after.left - edge < 4 * after.size
    return indented and before.left - edge < INDENT_EM * before.size / 2


class _Scribe:
    """Writes blocks one after the other and keeps the offsets."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.blocks: list[Block] = []
        self._frames: list[Frame] = []
        self._line_starts: list[int] = []
        # Parallel to the text, line feeds too; the looks are run lengths.
        self._lefts: list[float] = []
        self._rights: list[float] = []
        self._looks: list[Look] = []
        self._counts: list[int] = []

    def write(self, lines: Sequence[Line], minor: bool) -> None:
        """Append one block."""
        joins = bool(self.blocks) and not minor and self._goes_on(lines)
        if self.blocks:
            self._break("\n" if joins else "\n\n")
        start = len(self._lefts)
        for index, line in enumerate(lines):
            if index:
                self._break("\n")
            self._write_line(line)
        size = Counter({line.size: 0 for line in lines})
        for line in lines:
            size[line.size] += len(line.glyphs.text)
        block = Block(
            start, len(self._lefts), size.most_common(1)[0][0], all(line.bold for line in lines), len(lines),
            sum(line.cell_count > 2 for line in lines), lines[0].top, lines[-1].bottom, minor, joins,
        )  # fmt: skip
        self.blocks.append(block)

    def _goes_on(self, lines: Sequence[Line]) -> bool:
        """Whether a sentence runs on from the block before: across a column, or around an indented formula."""
        last = self.blocks[-1]
        tail = self.pieces[-1].rstrip()[-1:] if self.pieces else ""
        head = lines[0].glyphs.text.lstrip()[:1]
        same_look = abs(last.size - lines[0].size) < 0.5 and last.bold == lines[0].bold and last.cell_rows == 0
        return same_look and not last.minor and head.islower() and tail not in _SENTENCE_ENDS

    def _break(self, text: str) -> None:
        self.pieces.append(text)
        self._lefts += [0.0] * len(text)
        self._rights += [0.0] * len(text)
        self._counts[-1] += len(text)

    def _write_line(self, line: Line) -> None:
        glyphs = line.glyphs
        self._frames.append(glyphs.frame)
        self._line_starts.append(len(self._lefts))
        self.pieces.append(glyphs.text)
        self._lefts += glyphs.lefts
        self._rights += glyphs.rights
        self._looks += glyphs.looks
        self._counts += glyphs.counts

    def layout(self) -> bytes:
        """Return the packed geometry of all words written so far."""
        borders = [match.span() for match in _SOLID.finditer("".join(self.pieces))]
        if not borders:
            return b""
        words = np.array(borders, dtype=np.int64)
        lines = np.searchsorted(self._line_starts, words[:, 0], side="right") - 1
        lengths = words[:, 1] - words[:, 0]
        first = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        solid = np.arange(int(lengths.sum())) + np.repeat(words[:, 0] - first, lengths)
        lefts, rights = float_column(self._lefts)[solid], float_column(self._rights)[solid]
        look = np.repeat(np.arange(len(self._looks)), self._counts)[solid]
        tops, bottoms = (
            float_column([each.top for each in self._looks]),
            float_column([each.bottom for each in self._looks]),
        )
        left, right = np.minimum.reduceat(lefts, first), np.maximum.reduceat(rights, first)
        top, bottom = np.minimum.reduceat(tops[look], first), np.maximum.reduceat(bottoms[look], first)
        cos, sin = np.array(self._frames)[lines].T
        u, v = np.stack([left, right, right, left]), np.stack([top, top, bottom, bottom])
        quads = np.stack([u * cos - v * sin, u * sin + v * cos], axis=2).transpose(1, 0, 2).reshape(-1, 8)
        inset = np.repeat(left, lengths)
        return pack_columns(np.column_stack((words, lines)), quads, np.stack([lefts - inset, rights - inset], axis=1))
