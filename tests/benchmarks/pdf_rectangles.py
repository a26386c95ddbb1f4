"""PDF files in, how much of the ink of randomly quoted words their quads cover out. No vault is opened.

``python tests/benchmarks/pdf_rectangles.py FOLDER...`` quotes 200 spans of 2 to 12 words from the pages of all PDFs
under the folders, draws each page at twice its size with its rotation and crop box, and counts the dark pixels inside
the outlines of the quoted glyphs: those under a quad and those beside. What glyphs are quoted is found by the word
itself, nearest to where the quad says it is, so a quad that lies beside its word loses all of its ink.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray

from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.preprocessing.loaders.pdf import PdfLoader
from trisynapse_memory.text.geometry import quads_for, quads_in, unpack_layout
from trisynapse_memory.types import Page, Quad

ZOOM = 2.0
CONTRAST = 60  # of 255, summed over the channels, from the colour around the glyph
TOLERANCE_PX = 0.75  # of a drawn pixel: smoothed edges
FLAGS = pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_ACCURATE_BBOXES

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Quoted:
    """One span: where it is from, what it says, and its dark pixels under its quads and beside them."""

    file: str
    page: int
    rotation: int
    text: str
    covered: int
    missed: int

    @property
    def share(self) -> float:
        """The covered part of the ink, in [0, 1]."""
        return self.covered / max(self.covered + self.missed, 1)


def main() -> int:
    """Quote, draw, count, print; 1 where less than 99 % of the ink is covered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--spans", type=int, default=200)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    files = sorted({path for folder in options.folders for path in folder.rglob("*.pdf")})
    quoted = list(_quoted(files, options.spans, chance))
    covered, missed = sum(one.covered for one in quoted), sum(one.missed for one in quoted)
    for one in sorted(quoted, key=lambda one: one.share)[:12]:
        print(f"{one.share:.3f} {one.file} p.{one.page} rot {one.rotation}: {one.text[:70]!r}")
    share = covered / max(covered + missed, 1)
    whole = sum(one.share >= 0.99 for one in quoted)
    turned = sum(one.rotation != 0 for one in quoted)
    print(f"{len(quoted)} spans of {len(files)} files, {turned} on turned pages: {share:.4f} of the ink, {whole} whole")
    return 0 if share >= 0.99 and quoted else 1


def _quoted(files: Sequence[Path], count: int, chance: random.Random) -> Iterator[Quoted]:
    """The spans, spread evenly over the files that have text."""
    pages: list[tuple[Path, list[Page]]] = []
    for path in files:
        try:
            document = PdfLoader().open(path)
            read = [page for page, _ in document.pages(1) if page.layout]
            document.close()
        except TrisynapseError:
            continue
        if read:
            pages.append((path, read))
    for index in range(count):
        path, read = pages[index % len(pages)]
        yield from _quote(path, chance.choice(read), chance)


def _quote(path: Path, page: Page, chance: random.Random) -> Iterator[Quoted]:
    layout = unpack_layout(page.layout)
    first = chance.randrange(len(layout))
    last = min(first + chance.randrange(2, 13), len(layout)) - 1
    start, end = int(layout.starts[first]), int(layout.ends[last])
    drawn = pymupdf.open(path)[page.number - 1]
    matrix = drawn.rotation_matrix * pymupdf.Matrix(ZOOM, ZOOM)
    picture = drawn.get_pixmap(matrix=pymupdf.Matrix(ZOOM, ZOOM), alpha=False)
    pixels = np.frombuffer(picture.samples, dtype=np.uint8).reshape(picture.height, picture.width, 3).astype(int)
    glyphs = _glyphs(drawn)
    boxes: list[Box] = []
    for index in range(first, last + 1):
        own = int(layout.starts[index]), int(layout.ends[index])
        boxes += _outlines(page.text[own[0] : own[1]], quads_in(layout, *own), glyphs)
    ink = _ink(pixels, [tuple(pymupdf.Rect(box) * matrix) for box in boxes])
    under = _under([pymupdf.Quad(*_points(quad)) * matrix for quad in quads_for(page.layout, start, end)], ink.shape)
    covered, missed = int((ink & under).sum()), int((ink & ~under).sum())
    if covered + missed:
        yield Quoted(path.name, page.number, page.rotation, page.text[start:end], covered, missed)


def _glyphs(page: Any) -> list[tuple[str, Box]]:
    """All glyphs with the boxes of their outlines, on the page as it is not yet turned."""
    rotation = page.rotation
    page.set_rotation(0)
    raw = page.get_textpage(flags=FLAGS, clip=pymupdf.INFINITE_RECT()).extractRAWDICT()
    page.set_rotation(rotation)
    return [
        (glyph["c"], glyph["bbox"])
        for block in raw["blocks"]
        for line in block.get("lines", ())
        for span in line["spans"]
        for glyph in span["chars"]
        if glyph["c"].strip() and not glyph.get("synthetic")
    ]


def _outlines(word: str, quads: Sequence[Quad], glyphs: Sequence[tuple[str, Box]]) -> list[Box]:
    """The outlines of the glyphs that spell a word, in the order of the stream or against it, nearest to its quads."""
    x, y = np.mean([point for quad in quads for point in _points(quad)], axis=0)
    stream = "".join(char for char, _ in glyphs)
    best: tuple[float, list[Box]] | None = None
    for spelled in (word, word[::-1]):
        at = stream.find(spelled)
        while at >= 0:
            boxes = [box for _, box in glyphs[at : at + len(spelled)]]
            around = _union(boxes)
            away = abs((around[0] + around[2]) / 2 - x) + abs((around[1] + around[3]) / 2 - y)
            if best is None or away < best[0]:
                best = away, boxes
            at = stream.find(spelled, at + 1)
    return best[1] if best else []


def _union(boxes: Sequence[Box]) -> Box:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _points(quad: Quad) -> list[tuple[float, float]]:
    """Corners in the order of ``pymupdf.Quad``: upper left, upper right, lower left, lower right."""
    return [(quad[0], quad[1]), (quad[2], quad[3]), (quad[6], quad[7]), (quad[4], quad[5])]


def _ink(pixels: NDArray[np.int_], boxes: Sequence[Box]) -> NDArray[np.bool_]:
    """What differs, inside the outlines, from the colour that is most common around them."""
    ink = np.zeros(pixels.shape[:2], dtype=bool)
    for left, top, right, bottom in boxes:
        rows = slice(max(int(top), 0), int(np.ceil(bottom)))
        columns = slice(max(int(left), 0), int(np.ceil(right)))
        around = pixels[max(rows.start - 3, 0) : rows.stop + 3, max(columns.start - 3, 0) : columns.stop + 3]
        if not around.size:
            continue
        colours, counts = np.unique(around.reshape(-1, 3), axis=0, return_counts=True)
        ink[rows, columns] |= np.abs(pixels[rows, columns] - colours[counts.argmax()]).sum(axis=2) > CONTRAST
    return ink


def _under(quads: Sequence[Any], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The pixels whose middle lies in one of the quads, or a hair beside."""
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]] + 0.5
    under = np.zeros(shape, dtype=bool)
    for quad in quads:
        corners = [quad.ul, quad.ur, quad.lr, quad.ll]
        turns = 1.0 if _area(corners) > 0 else -1.0
        inside = np.ones(shape, dtype=bool)
        for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
            length = max(float(np.hypot(other.x - one.x, other.y - one.y)), 1e-6)
            away = ((other.x - one.x) * (y - one.y) - (other.y - one.y) * (x - one.x)) / length
            inside &= turns * away > -TOLERANCE_PX
        under |= inside
    return under


def _area(corners: Sequence[Any]) -> float:
    following = [*corners[1:], corners[0]]
    return sum(one.x * other.y - other.x * one.y for one, other in zip(corners, following, strict=True))


if __name__ == "__main__":
    sys.exit(main())
