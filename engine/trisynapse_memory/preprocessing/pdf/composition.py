"""Fragments in, the stored text of a page with the place of every word and its blocks out. Nothing is judged here.

Lines are joined by a line feed, blocks by an empty line. Hyphens at line ends, ligatures and Arabic presentation forms
stay as the page has them: ``text/spans.py`` maps them when something is searched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from trisynapse_memory.preprocessing.pdf.bidi import RIGHT_TO_LEFT, is_right_to_left, logical_order, mirrored
from trisynapse_memory.preprocessing.pdf.columns import order_fragments
from trisynapse_memory.preprocessing.pdf.glyphs import Fragment, Frame, Look, distinct
from trisynapse_memory.text.geometry import pack_columns

SPACE_EM: Final = 0.15  # em; a wider hole is a word space that was not drawn
CELL_EM: Final = 2.0  # em; a wider hole in a row separates cells
BLOCK_PITCH: Final = 1.3  # times the usual distance of two lines
INDENT_EM: Final = 0.8  # em
SIZE_STEP: Final = 1.08  # times; other type size, other block
MINOR_CHARS: Final = 150  # characters; turned text shorter than this is a stamp or an axis label

_SOLID: Final = re.compile(r"\S+")
_SENTENCE_ENDS: Final = tuple('.!?:;\u3002\u06d4\u061f"\u201d)')


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of a line and their places, as parallel lists; a blank that only fills a gap has no width."""

    chars: list[str] = field(default_factory=list[str])
    lefts: list[float] = field(default_factory=list[float])
    rights: list[float] = field(default_factory=list[float])
    looks: list[Look] = field(default_factory=list[Look])

    def add(self, fragment: Fragment) -> None:
        """Append all glyphs of a fragment."""
        self.chars.extend(fragment.chars)
        self.lefts.extend(fragment.lefts)
        self.rights.extend(fragment.rights)
        self.looks.extend(fragment.looks)

    def add_blank(self, blank: str) -> None:
        """Append a blank that the page shows only as a gap."""
        self.chars.append(blank)
        self.lefts.append(self.rights[-1])
        self.rights.append(self.rights[-1])
        self.looks.append(self.looks[-1])

    def picked(self, order: Sequence[int]) -> Glyphs:
        """Return the glyphs in another order."""
        chars, looks = [self.chars[index] for index in order], [self.looks[index] for index in order]
        lefts, rights = [self.lefts[index] for index in order], [self.rights[index] for index in order]
        return Glyphs(chars, lefts, rights, looks)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text in its frame."""

    frame: Frame
    glyphs: Glyphs
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
    groups = sorted(frames.values(), key=lambda group: -sum(len(fragment.chars) for fragment in group))
    sizes = Counter[float]()
    for fragment in groups[0] if groups else ():
        sizes[round(fragment.looks[0].size, 1)] += len(fragment.looks)
    body_size = sizes.most_common(1)[0][0] if sizes else 0.0
    scribe = _Scribe()
    uncertain = False
    for rank, group in enumerate(groups):
        regions, doubt = _ordered_lines(group, max(body_size, 1.0))
        minor = rank > 0 and sum(len(fragment.chars) for fragment in group) < MINOR_CHARS
        uncertain = uncertain or (doubt and not minor)
        for region in regions:
            for block in _blocks(region):
                scribe.write(block, minor)
    return Composition("".join(scribe.pieces), scribe.layout(), tuple(scribe.blocks), uncertain, body_size)


def _ordered_lines(group: Sequence[Fragment], em: float) -> tuple[list[list[Line]], bool]:
    boxes = [fragment.box for fragment in group]
    if is_right_to_left("".join(fragment.text for fragment in group)):
        boxes = [(-right, top, -left, bottom) for left, top, right, bottom in boxes]
    ordering = order_fragments(boxes, [len(fragment.chars) for fragment in group], em)
    regions = [[_line([group[index] for index in row]) for row in region] for region in ordering.regions]
    return regions, ordering.uncertain


def _line(row: Sequence[Fragment]) -> Line:
    fragments = sorted(row, key=lambda fragment: min(fragment.lefts)) if len(row) > 1 else row
    size = _usual_size(fragments)
    glyphs = Glyphs()
    cell_count = 1
    for fragment in fragments:
        if glyphs.chars:
            hole = min(fragment.lefts) - max(glyphs.rights[-3:])
            if hole > SPACE_EM * size:
                wide = hole > CELL_EM * size
                cell_count += wide
                glyphs.add_blank("\t" if wide else " ")
        glyphs.add(fragment)
    text = "".join(glyphs.chars)
    if not text.isascii() and RIGHT_TO_LEFT.search(text):
        glyphs = _reordered(glyphs)
    boxes = [fragment.box for fragment in fragments]
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    top, bottom = min(box[1] for box in boxes), max(box[3] for box in boxes)
    bold = all(map(_is_bold, fragments))
    return Line(fragments[0].frame, glyphs, left, right, top, bottom, size, bold, cell_count)


def _usual_size(fragments: Sequence[Fragment]) -> float:
    looks = Counter[Look]()
    if len(fragments) == 1 and len(distinct(fragments[0].looks)) == 1:
        return fragments[0].looks[0].size
    for fragment in fragments:
        looks.update(fragment.looks)
    sizes = Counter[float]()
    for look, count in looks.items():
        sizes[look.size] += count
    return sizes.most_common(1)[0][0]


def _is_bold(fragment: Fragment) -> bool:
    weights = {look.bold for look in distinct(fragment.looks)}
    if len(weights) == 1:
        return weights.pop()
    return all(look.bold or char == " " for look, char in zip(fragment.looks, fragment.chars, strict=True))


def _reordered(glyphs: Glyphs) -> Glyphs:
    middles = [left + right for left, right in zip(glyphs.lefts, glyphs.rights, strict=True)]
    visual = glyphs.picked(sorted(range(len(middles)), key=middles.__getitem__))
    order, from_right = logical_order(visual.chars)
    read = visual.picked(order)
    if from_right:
        read.chars[:] = [mirrored(char) for char in read.chars]
    return read


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
        self._spans: list[tuple[int, int, int]] = []
        self._frames: list[Frame] = []
        self._tops: list[float] = []
        self._bottoms: list[float] = []
        self._glyphs = Glyphs()
        self._length = 0
        self._line = 0

    def write(self, lines: Sequence[Line], minor: bool) -> None:
        """Append one block."""
        joins = bool(self.blocks) and not minor and self._goes_on(lines)
        if self.blocks:
            self._put("\n" if joins else "\n\n")
        start = self._length
        for index, line in enumerate(lines):
            if index:
                self._put("\n")
            self._write_line(line)
        size = Counter({line.size: 0 for line in lines})
        for line in lines:
            size[line.size] += len(line.glyphs.chars)
        block = Block(
            start, self._length, size.most_common(1)[0][0], all(line.bold for line in lines), len(lines),
            sum(line.cell_count > 2 for line in lines), lines[0].top, lines[-1].bottom, minor, joins,
        )  # fmt: skip
        self.blocks.append(block)

    def _goes_on(self, lines: Sequence[Line]) -> bool:
        """Whether a sentence runs on from the block before: across a column, or around an indented formula."""
        last = self.blocks[-1]
        tail = self.pieces[-1].rstrip()[-1:] if self.pieces else ""
        head = next((char for char in lines[0].glyphs.chars if not char.isspace()), "")
        same_look = abs(last.size - lines[0].size) < 0.5 and last.bold == lines[0].bold and last.cell_rows == 0
        return same_look and not last.minor and head.islower() and tail not in _SENTENCE_ENDS

    def _put(self, text: str) -> None:
        self.pieces.append(text)
        self._length += len(text)

    def _write_line(self, line: Line) -> None:
        text = "".join(line.glyphs.chars)
        mine, theirs = self._glyphs, line.glyphs
        all_looks = distinct(theirs.looks)
        for match in _SOLID.finditer(text):
            first, last = match.span()
            self._spans.append((self._length + first, self._length + last, self._line))
            self._frames.append(line.frame)
            mine.lefts.extend(theirs.lefts[first:last])
            mine.rights.extend(theirs.rights[first:last])
            looks = all_looks if len(all_looks) == 1 else distinct(theirs.looks[first:last])
            self._tops.append(min(look.top for look in looks))
            self._bottoms.append(max(look.bottom for look in looks))
        self._put(text)
        self._line += 1

    def layout(self) -> bytes:
        """Return the packed geometry of all words written so far."""
        if not self._spans:
            return b""
        spans = np.array(self._spans, dtype=np.int64)
        lengths = spans[:, 1] - spans[:, 0]
        first = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        lefts, rights = np.array(self._glyphs.lefts), np.array(self._glyphs.rights)
        left, right = np.minimum.reduceat(lefts, first), np.maximum.reduceat(rights, first)
        top, bottom = np.array(self._tops), np.array(self._bottoms)
        cos, sin = np.array(self._frames).T
        u, v = np.stack([left, right, right, left]), np.stack([top, top, bottom, bottom])
        quads = np.stack([u * cos - v * sin, u * sin + v * cos], axis=2).transpose(1, 0, 2).reshape(-1, 8)
        inset = np.repeat(left, lengths)
        return pack_columns(spans, quads, np.stack([lefts - inset, rights - inset], axis=1))
