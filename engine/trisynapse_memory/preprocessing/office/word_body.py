"""The body of a Word document in, its blocks in reading order out: headings, paragraphs, lists, tables, boxes, notes.

A footnote follows the paragraph that refers to it, a text box the paragraph it is anchored in; comments, headers and
footers are margins, and hidden words are blocks of their own kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.office.drawing import chart_blocks, diagram_block
from trisynapse_memory.preprocessing.office.grids import Cell, grid_block, spread
from trisynapse_memory.preprocessing.office.leaves import HIDDEN
from trisynapse_memory.preprocessing.office.packages import Package
from trisynapse_memory.preprocessing.office.word_numbering import BULLET, Numbering
from trisynapse_memory.preprocessing.office.word_runs import Line, Lines
from trisynapse_memory.preprocessing.office.word_stories import Stories, language_of, margins
from trisynapse_memory.preprocessing.office.word_styles import Style, Styles, is_list_end, is_on, outline_level
from trisynapse_memory.preprocessing.office.xml import DEPTH_LIMIT, attribute, below, child, children, name
from trisynapse_memory.preprocessing.trees import Element

_WRAPPERS: Final = frozenset({"sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "body", "docPartObj"})
_CONTENTS: Final = re.compile(r"toc \d|table of (?:figures|contents).*|toc heading|contents \d", re.IGNORECASE)
_CODE: Final = re.compile(r"html preformatted|(?:source )?code.*|preformatted text|macro|.*\blisting", re.IGNORECASE)
_ASIDE: Final = frozenset({"margin", HIDDEN})


class BodyReader:
    """Reads the blocks of one document; each list and note is counted as it comes, so the body is read once."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._root = package.xml(part)
        self._relations = package.relations(part)
        parts = {arrow.kind: arrow.target for arrow in self._relations.values() if not arrow.is_external}
        styles = package.xml(parts.get("styles", "word/styles.xml"))
        self._styles = Styles(styles)
        self._numbering = Numbering(package.xml(parts.get("numbering", "word/numbering.xml")), self._styles)
        self._lines = Lines(self._styles)
        self._stories = Stories(package, self._relations, self._words)
        self._shift = 0
        self._comments: list[Block] = []
        self.language = language_of(styles)
        self.titled = ""
        self.picture_count = 0

    @property
    def is_document(self) -> bool:
        """Whether there is a body to read."""
        return child(self._root, "body") is not None

    def blocks(self) -> list[Block]:
        """Return all blocks in order: headers, body, comments, footers."""
        body = child(self._root, "body")
        if body is None:
            return []
        # Where a title is shown, chapters are one step below it.
        self._shift = int(any(self._style_of(one).name.lower() == "title" for one in children(body, "p")))
        inner = _joined(self._read(body, 0))
        around = {
            kind: margins(self._package, self._relations, body, self._words, kind) for kind in ("header", "footer")
        }
        return [*around["header"], *inner, *self._comments, *around["footer"]]

    def _read(self, container: Element, depth: int) -> Iterator[Block]:
        if depth > DEPTH_LIMIT:
            words = " ".join(part.text or "" for part in below(container, "t"))
            yield Block(" ".join(words.split()))
            return
        for element in container:
            tag = name(element)
            if tag == "p":
                yield from self._paragraph(element, depth)
            elif tag == "tbl":
                yield from self._table(element, depth)
            elif tag in _WRAPPERS and not is_on(child(element, "sdtPr", "showingPlcHdr")):
                yield from self._read(element, depth + 1)
            elif tag == "AlternateContent":
                chosen = child(element, "Choice")
                yield from self._read(chosen if chosen is not None else element, depth + 1)

    def _style_of(self, paragraph: Element) -> Style:
        return self._styles.style(attribute(child(paragraph, "pPr", "pStyle"), "val") or self._styles.default)

    def _paragraph(self, paragraph: Element, depth: int) -> Iterator[Block]:
        style = self._style_of(paragraph)
        properties = child(paragraph, "pPr")
        line = self._lines.read(paragraph, style)
        self.picture_count += line.picture_count
        mark, list_level = self._mark(properties, style)
        if line.text:
            yield self._block(line.text, style, properties, (mark, list_level))
        if line.hidden:
            yield Block(line.hidden, HIDDEN)
        yield from self._beside(line, depth)

    def _mark(self, properties: Element | None, style: Style) -> tuple[str, int]:
        """What stands in front of a list entry, and how deep it lies; empty for what is none."""
        numbered = child(properties, "numPr")
        list_id = attribute(child(numbered, "numId"), "val") or style.list_id
        if not list_id or list_id == "0" or is_list_end(properties):
            return "", 0
        stated = attribute(child(numbered, "ilvl"), "val")
        if stated.isdigit() and len(stated) < 3:
            level = int(stated)
        else:
            style_id = attribute(child(properties, "pStyle"), "val")
            level = self._numbering.level_of(list_id, style_id, style.list_level)
        return self._numbering.mark(list_id, level), level

    def _block(self, text: str, style: Style, properties: Element | None, listed: tuple[str, int]) -> Block:
        mark, list_level = listed
        label = style.name.lower()
        own = child(properties, "outlineLvl")
        level = outline_level(own) if own is not None else style.level
        if label == "title":
            self.titled = self.titled or text
            return Block(text, "heading", 1)
        if _CONTENTS.fullmatch(label):
            return Block(text, "margin")
        if level:
            numbered = f"{mark} {text}" if mark and mark != BULLET else text
            return Block(numbered, "heading", level + self._shift)
        if label == "caption":
            return Block(text, "caption")
        if mark:
            return Block(f"{'  ' * list_level}{mark} {text}", entry=True)
        return Block(text, code=bool(_CODE.fullmatch(label)))

    def _beside(self, line: Line, depth: int) -> Iterator[Block]:
        """What a paragraph points at: boxes, charts, diagrams, notes."""
        for box in line.boxes:
            yield from self._read(box, depth + 1)
        for graphic in line.drawn:
            yield from self._drawn(graphic)
        for story, ident in line.notes:
            block = self._stories.note(story, ident)
            if block is None:
                continue
            if story == "comments":
                self._comments.append(block)
            else:
                yield block

    def _drawn(self, graphic: Element) -> Iterator[Block]:
        for part in graphic:
            if name(part) == "chart":
                arrow = self._relations.get(attribute(part, "id"))
                yield from chart_blocks(self._package, arrow.target) if arrow else ()
            elif name(part) == "relIds":
                arrow = self._relations.get(attribute(part, "dm"))
                block = diagram_block(self._package, arrow.target) if arrow else None
                yield from (block,) if block else ()

    def _table(self, table: Element, depth: int) -> Iterator[Block]:
        rows = [row for row in self._rows(table) if child(row, "trPr", "del") is None]
        cells = [self._cells_of(row) for row in rows]
        if all(len(row) == 1 for row in cells):
            # A frame around text, not a table: what is in it is read like the rest.
            for row in cells:
                yield from self._read(row[0], depth + 1)
            return
        beside: list[Block] = []
        stated = 0
        for row in rows:
            if not is_on(child(row, "trPr", "tblHeader")):
                break
            stated += 1
        lines = [[self._cell(cell, depth, beside) for cell in row] for row in cells]
        grid = spread(_spans(rows, cells, lines))
        block = grid_block(grid, stated)
        yield from (block,) if block else ()
        yield from beside

    def _rows(self, table: Element) -> Iterator[Element]:
        for part in table:
            if name(part) == "tr":
                yield part
            elif name(part) in _WRAPPERS:
                yield from self._rows(part)

    def _cells_of(self, row: Element) -> list[Element]:
        cells: list[Element] = []
        for part in row:
            if name(part) == "tc":
                cells.append(part)
            elif name(part) in _WRAPPERS:
                cells += self._cells_of(part)
        return cells

    def _cell(self, cell: Element, depth: int, beside: list[Block]) -> str:
        """The words of a cell in one line; notes and hidden words go beside the table."""
        words: list[str] = []
        for block in self._read(cell, depth + 1):
            if block.kind in _ASIDE or "note" in block.fields:
                beside.append(block)
            else:
                text = block.text.replace(" | ", " ") if block.kind == "table" else block.text
                words.append(" ".join(text.split()))
        return " ".join(words)

    def _words(self, root: Element) -> str:
        lines = Lines(self._styles)  # a field that is open in the body is not open in a note
        parts = (lines.read(paragraph, self._style_of(paragraph)).text for paragraph in below(root, "p"))
        return " ".join(words for part in parts if (words := " ".join(part.split())))


def _spans(rows: list[Element], cells: list[list[Element]], lines: list[list[str]]) -> list[list[Cell]]:
    """Cells with how far they reach; a cell that goes on from the row above is part of that one."""
    grid: list[list[Cell]] = []
    above: dict[int, tuple[int, int]] = {}  # column -> row and place of the cell that may go on
    for number, (row, parts, words) in enumerate(zip(rows, cells, lines, strict=True)):
        line: list[Cell] = []
        before = attribute(child(row, "trPr", "gridBefore"), "val")
        column = int(before) if before.isdigit() and len(before) < 4 else 0
        line += [Cell("")] * column
        reached: dict[int, tuple[int, int]] = {}
        for part, text in zip(parts, words, strict=True):
            span = attribute(child(part, "tcPr", "gridSpan"), "val")
            width = max(1, int(span)) if span.isdigit() and len(span) < 4 else 1
            merge = child(part, "tcPr", "vMerge")
            goes_on = merge is not None and attribute(merge, "val") in ("", "continue")
            if goes_on and column in above:
                place = above[column]
                old = grid[place[0]][place[1]]
                grid[place[0]][place[1]] = Cell(old.text, old.columns, number - place[0] + 1)
                reached[column] = place
            else:
                line.append(Cell(text, width))
                if merge is not None:
                    reached[column] = (number, len(line) - 1)
            column += width
        above = reached
        grid.append(line)
    return grid


def _joined(blocks: Iterator[Block]) -> list[Block]:
    """Neighbouring lines of code are one block."""
    joined: list[Block] = []
    for block in blocks:
        if joined and block.code and joined[-1].code:
            joined[-1] = Block(f"{joined[-1].text}\n{block.text}", code=True)
        else:
            joined.append(block)
    return joined
