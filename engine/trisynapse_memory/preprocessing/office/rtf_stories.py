"""The words of a rich text file as they come in, blocks out: paragraphs, headings, entries, tables, notes, boxes.

One story is open at a time: the body, or a note, a comment or a box inside it, which ends before its paragraph does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.office.grids import Cell, grid_block, spread
from trisynapse_memory.preprocessing.office.leaves import HIDDEN
from trisynapse_memory.preprocessing.office.word_runs import tidy

_CELLS_MAX: Final = 1024
_LEVELS: Final = 9


@dataclass(slots=True)
class Paragraph:
    """What the open paragraph is so far; ``level`` counts from 0, as the file does."""

    shown: list[str] = field(default_factory=list[str])
    hidden: list[str] = field(default_factory=list[str])
    mark: list[str] = field(default_factory=list[str])
    style: int | None = None
    level: int | None = None
    list_level: int = 0
    in_table: bool = False


@dataclass(slots=True)
class Story:
    """One run of paragraphs: the body, a note, a box; ``beside`` waits for the paragraph or table to end."""

    kind: str
    blocks: list[Block] = field(default_factory=list[Block])
    paragraph: Paragraph = field(default_factory=Paragraph)
    beside: list[Block] = field(default_factory=list[Block])
    cells: list[str] = field(default_factory=list[str])
    cell_words: list[str] = field(default_factory=list[str])
    rows: list[list[Cell]] = field(default_factory=list[list[Cell]])
    header_count: int = 0
    row_is_header: bool = False


class Stories:
    """Writes the stories of one file."""

    def __init__(self) -> None:
        self.styles: dict[int, tuple[str, int]] = {}
        self.titled = ""
        self._open = [Story("body")]
        self._note_count = 0
        self._margins: list[Block] = []
        self._comments: list[Block] = []

    @property
    def current(self) -> Story:
        """The story that words go to now."""
        return self._open[-1]

    def begin(self, kind: str) -> Story:
        """Open a story inside the current one: note, comment, margin, box."""
        self._open.append(Story(kind))
        return self._open[-1]

    def end(self, story: Story) -> None:
        """End a story, and leave what it says beside the one around it."""
        self.end_paragraph()
        self._end_table(story)
        if len(self._open) > 1:
            self._open.remove(story)
        outer = self.current
        outer.beside += [block for block in story.blocks if block.kind == HIDDEN]
        shown = [block for block in story.blocks if block.kind != HIDDEN]
        words = " ".join(" ".join(block.text.split()) for block in shown)
        if not words:
            return
        if story.kind == "note":
            self._note_count += 1
            outer.beside.append(Block(f"[{self._note_count}] {words}", fields={"note": f"footnote {self._note_count}"}))
        elif story.kind == "comment":
            self._comments.append(Block(words, "margin", fields={"note": "comment"}))
        elif story.kind == "box":
            outer.beside += shown
        elif all(block.text != words for block in self._margins):
            self._margins.append(Block(words, "margin"))

    def finish(self) -> list[Block]:
        """End everything, and return all blocks in order."""
        while len(self._open) > 1:
            self.end(self.current)
        self.end_paragraph()
        self._end_table(self._open[0])
        return [*self._margins, *self._open[0].blocks, *self._comments]

    def end_paragraph(self) -> None:
        """End the open paragraph; in a table it is a line of its cell."""
        story = self.current
        paragraph = story.paragraph
        if paragraph.in_table:
            self.end_line()
            return
        self._end_table(story)
        text = tidy(whole(paragraph.shown))
        if text:
            story.blocks.append(self._block(text, paragraph))
        if hidden := tidy(whole(paragraph.hidden)):
            story.blocks.append(Block(hidden, HIDDEN))
        story.blocks += story.beside
        story.beside = []
        # A paragraph goes on with the looks of the one before until the file says otherwise.
        story.paragraph = Paragraph(style=paragraph.style, level=paragraph.level, list_level=paragraph.list_level)

    def end_line(self) -> None:
        """End a paragraph inside a cell; a cell of an inner table is such a line, too."""
        story = self.current
        paragraph = story.paragraph
        words = " ".join(tidy(whole(paragraph.shown)).split())
        mark = whole(paragraph.mark).strip()
        if words:
            story.cell_words.append(f"{_bulleted(mark)} {words}" if mark else words)
        if hidden := tidy(whole(paragraph.hidden)):
            story.beside.append(Block(hidden, HIDDEN))
        story.paragraph = Paragraph(style=paragraph.style, in_table=paragraph.in_table)

    def end_cell(self) -> None:
        """End a cell of a row."""
        self.end_line()
        story = self.current
        if len(story.cells) < _CELLS_MAX:
            story.cells.append(" ".join(story.cell_words))
        story.cell_words = []

    def end_row(self) -> None:
        """End a row of a table."""
        story = self.current
        if story.cells:
            story.rows.append([Cell(cell) for cell in story.cells])
            story.header_count += story.row_is_header and story.header_count == len(story.rows) - 1
        story.cells, story.row_is_header = [], False

    def _block(self, text: str, paragraph: Paragraph) -> Block:
        label, level = self.styles.get(paragraph.style or 0, ("", 0))
        if paragraph.level is not None:
            level = paragraph.level + 1 if 0 <= paragraph.level < _LEVELS else 0
        mark = whole(paragraph.mark).strip()
        if label == "title":
            self.titled = self.titled or text
            return Block(text, "heading", 1)
        if level:
            return Block(f"{mark} {text}" if mark else text, "heading", level)
        if label == "caption" or label.startswith("toc "):
            return Block(text, "caption" if label == "caption" else "margin")
        return Block(f"{'  ' * paragraph.list_level}{_bulleted(mark)} {text}", entry=True) if mark else Block(text)

    def _end_table(self, story: Story) -> None:
        if story.cell_words:
            story.cells.append(" ".join(story.cell_words))
            story.cell_words = []
        if story.cells:
            story.rows.append([Cell(cell) for cell in story.cells])
            story.cells = []
        if not story.rows:
            return
        rows, story.rows = story.rows, []
        if all(len(row) == 1 for row in rows):
            story.blocks += [Block(row[0].text) for row in rows if row[0].text]
        else:
            block = grid_block(spread(rows), story.header_count)
            story.blocks += [block] if block else []
        story.header_count = 0
        story.blocks += story.beside
        story.beside = []


def whole(parts: Sequence[str]) -> str:
    """Join words; halves of characters become one, and a half without its other half a sign that one is missing."""
    return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _bulleted(mark: str) -> str:
    """A bullet as we write it; a number stays."""
    return mark if any(letter.isalnum() for letter in mark) else "-"
