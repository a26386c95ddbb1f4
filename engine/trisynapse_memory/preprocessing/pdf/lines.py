"""The fragments of one row in, a line of text with the place of every glyph out. No row is chosen here.

Holes between fragments become blanks, wide ones tabulators; right-to-left text is put into its logical order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.pdf.bidi import RIGHT_TO_LEFT, changes_script, logical_order, mirrored
from trisynapse_memory.preprocessing.pdf.glyphs import Fragment, Look

SPACE_EM: Final = 0.15  # em; a wider hole is a word space that was not drawn
CELL_EM: Final = 2.0  # em; a wider hole in a row separates cells

Box = tuple[float, float, float, float]


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


def line_of(row: list[tuple[Box, Fragment]]) -> Line:
    """Join the fragments of one row, each given with its box, from left to right."""
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
    line = Fragment(glyphs.frame)
    for place in places:
        char = glyphs.text[place]
        if line.text and changes_script(line.text[-1], char):
            # Programs that lay out both scripts often draw no blank between them; a search needs two words.
            _add(line, " ", (line.rights[-1], line.rights[-1]), looks[place])
        _add(line, mirrored(char) if from_right else char, (glyphs.lefts[place], glyphs.rights[place]), looks[place])
    return line


def _add(line: Fragment, char: str, edges: tuple[float, float], look: Look) -> None:
    line.text += char
    line.lefts.append(edges[0])
    line.rights.append(edges[1])
    line.looks.append(look)
    line.counts.append(1)
