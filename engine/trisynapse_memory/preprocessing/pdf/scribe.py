"""Lines in, the stored text of a page with the place of every word and its blocks out. Nothing is put in order here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from trisynapse_memory.preprocessing.blocks import CELL_JOINT
from trisynapse_memory.preprocessing.pdf.glyphs import Frame, Look, float_column
from trisynapse_memory.preprocessing.pdf.lines import Box, Line
from trisynapse_memory.text.geometry import pack_columns

_SOLID: Final = re.compile(r"\S+")
_SENTENCE_ENDS: Final = tuple('.!?:;\u3002\u06d4\u061f"\u201d)')
_NO_LOOK: Final = Look(0.0, 0.0, 0.0, False)


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the page's text that stands together: where it is, how it looks, and whether it is turned text.

    ``box`` is where it lies on the page, the others are told in its frame. ``headers`` are those of the columns of a
    table, empty where they have no names, and None where the block is no table.
    """

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
    box: Box
    headers: tuple[str, ...] | None = None


class Scribe:
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
        self._bars: set[int] = set()

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
            sum(line.cell_count > 2 for line in lines), lines[0].top, lines[-1].bottom, minor, joins, _page_box(lines),
        )  # fmt: skip
        self.blocks.append(block)

    def write_table(self, rows: Sequence[Sequence[Sequence[Line]]], headers: tuple[str, ...], minor: bool) -> None:
        """Append a table: a line for every row, its cells parted by bars that stand nowhere on the page."""
        if self.blocks:
            self._break("\n\n")
        start = len(self._lefts)
        for index, row in enumerate(rows):
            if index:
                self._break("\n")
            last = max(column for column, cell in enumerate(row) if cell)
            for column, cell in enumerate(row[: last + 1]):
                if column:
                    self._bar()
                for place, line in enumerate(cell):
                    if place:
                        self._break(" ")
                    self._write_line(line)
        lines = [line for row in rows for cell in row for line in cell]
        size = Counter(round(line.size, 1) for line in lines).most_common(1)[0][0]
        block = Block(
            start, len(self._lefts), size, False, len(rows), len(rows), min(line.top for line in lines),
            max(line.bottom for line in lines), minor, False, _page_box(lines), headers,
        )  # fmt: skip
        self.blocks.append(block)

    def _bar(self) -> None:
        self._bars.add(len(self._lefts) + CELL_JOINT.index("|"))
        self._break(CELL_JOINT)

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
        if self._counts:
            self._counts[-1] += len(text)
        else:  # the first cell of a page is empty
            self._looks.append(_NO_LOOK)
            self._counts.append(len(text))

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
        borders = [match.span() for match in _SOLID.finditer("".join(self.pieces)) if match.start() not in self._bars]
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


def _page_box(lines: Sequence[Line]) -> Box:
    """The upright box on the page around lines of one frame."""
    frame = lines[0].glyphs.frame
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    top, bottom = min(line.top for line in lines), max(line.bottom for line in lines)
    corners = [
        (u * frame.cos - v * frame.sin, u * frame.sin + v * frame.cos) for u in (left, right) for v in (top, bottom)
    ]
    return (
        min(x for x, _ in corners), min(y for _, y in corners), max(x for x, _ in corners), max(y for _, y in corners)
    )  # fmt: skip
