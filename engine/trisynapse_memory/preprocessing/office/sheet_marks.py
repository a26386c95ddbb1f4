"""A worksheet's XML in, what the cell library does not tell of it out: its extent, hidden rows and columns, comments.

The part is streamed and looked at with patterns, never held as a tree: a sheet may have a gigabyte of XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Final

from trisynapse_memory.preprocessing.office.drawing import body_text
from trisynapse_memory.preprocessing.office.packages import UNREADABLE, Package
from trisynapse_memory.preprocessing.office.word_stories import signed
from trisynapse_memory.preprocessing.office.xml import attribute, below, child, children, text_below

AREA_MAX: Final = 30_000_000
"""Cells between the first and the last one of a sheet: the library keeps 24 bytes for each, empty ones included."""
_BLOCK_BYTES: Final = 1024**2
_ROW: Final = re.compile(rb"<(?:\w+:)?row\b[^>]*>")
_COLUMN: Final = re.compile(rb"<(?:\w+:)?col\b[^>]*>")
# Cells that hold something; what a sheet says of its own extent is not believed.
_FILLED: Final = re.compile(rb"""\br\s*=\s*["']([A-Z]{1,8})(\d{1,12})["'][^>]*(?<!/)>""")
_NUMBER: Final = re.compile(rb"""\br\s*=\s*["'](\d{1,12})["']""")
_HIDDEN: Final = re.compile(rb"""\bhidden\s*=\s*["'](?:1|true)["']""")
_RANGE: Final = re.compile(rb"""\b(min|max)\s*=\s*["'](\d{1,5})["']""")
_COLUMNS: Final = 16_384


Extent = tuple[int, int, int, int]
"""First column and row, last column and row of what a sheet holds, from 1."""


@dataclass(slots=True)
class SheetMarks:
    """What was found: the number of cells the sheet spans, and which rows and columns (from 1) are hidden.

    ``is_filtered`` says that rows are hidden by a filter, which hides what a reader knows to be there.
    """

    area: int = 0
    hidden_rows: set[int] = field(default_factory=set[int])
    hidden_columns: set[int] = field(default_factory=set[int])
    is_filtered: bool = False


def sheet_marks(package: Package, part: str) -> SheetMarks:
    """Look through one worksheet; a part that cannot be read says nothing."""
    marks = SheetMarks()
    file = package.stream(part)
    if file is None:
        return marks
    extent: Extent | None = None
    with file:
        for block in _blocks(file):
            _note_hidden(block, marks)
            extent = _grown(extent, block)
    marks.area = _area(extent) if extent else 0
    return marks


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    """Blocks that end where a tag ends."""
    rest = b""
    while block := _read(file):
        block = rest + block
        end = block.rfind(b">") + 1
        rest = block[end:] if len(block) - end < _BLOCK_BYTES else b""
        yield block[:end]


def _read(file: IO[bytes]) -> bytes:
    try:
        return file.read(_BLOCK_BYTES)
    except UNREADABLE:  # the rest is damaged; the cell library says so
        return b""


def _note_hidden(block: bytes, marks: SheetMarks) -> None:
    if b"filterColumn" in block or b"<filter" in block:
        marks.is_filtered = True
    if b"hidden" not in block:
        return
    for match in _ROW.finditer(block):
        tag = match.group()
        number = _NUMBER.search(tag)
        if number and _HIDDEN.search(tag):
            marks.hidden_rows.add(int(number.group(1)))
    for match in _COLUMN.finditer(block):
        tag = match.group()
        ends = {name: int(value) for name, value in _RANGE.findall(tag)}
        if _HIDDEN.search(tag) and b"min" in ends:
            marks.hidden_columns.update(range(ends[b"min"], min(ends.get(b"max", ends[b"min"]), _COLUMNS) + 1))


def _grown(extent: Extent | None, block: bytes) -> Extent | None:
    for match in _FILLED.finditer(block):
        column, row = _column(match.group(1)), int(match.group(2))
        if extent is None:
            extent = (column, row, column, row)
        elif not (extent[0] <= column <= extent[2] and extent[1] <= row <= extent[3]):
            extent = (
                min(extent[0], column), min(extent[1], row), max(extent[2], column), max(extent[3], row)
            )  # fmt: skip
    return extent


def _area(extent: Extent) -> int:
    left, top, right, bottom = extent
    return max(0, right - left + 1) * max(0, bottom - top + 1)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def sheet_parts(package: Package) -> dict[str, str]:
    """Return the part of each sheet of an Open XML workbook, by the sheet's name."""
    main = package.main_part("xl/workbook.xml")
    relations = package.relations(main)
    found: dict[str, str] = {}
    for sheet in children(child(package.xml(main), "sheets"), "sheet"):
        ident = next((value for key, value in sheet.attrib.items() if key.endswith("}id")), "")
        arrow = relations.get(ident)
        if arrow is not None and not arrow.is_external:
            found[attribute(sheet, "name")] = arrow.target
    return found


@dataclass(frozen=True, slots=True)
class Remark:
    """What is written on a sheet beside its cells: a comment on a cell (``row`` from 1), or a box (no cell)."""

    words: str
    cell: str = ""

    @property
    def row(self) -> int | None:
        """The row of the cell that is commented on."""
        digits = self.cell.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ$")
        return int(digits) if digits.isdecimal() and len(digits) < 8 else None


def sheet_remarks(package: Package, part: str) -> list[Remark]:
    """Return the remarks of a sheet: comments in the order of their rows, then boxes.

    A discussion is kept twice, as it is and as one old comment that says how to read it; the old one is left out.
    """
    arrows = list(package.relations(part).values())
    found: list[Remark] = []
    for arrow in arrows:
        if arrow.kind == "threadedComment":
            found += _threads(package, arrow.target)
    told = {remark.cell for remark in found}
    for arrow in arrows:
        if arrow.kind == "comments":
            found += [remark for remark in _comments(package, arrow.target) if remark.cell not in told]
    found.sort(key=lambda remark: remark.row or 0)
    boxes = (arrow.target for arrow in arrows if arrow.kind == "drawing")
    return [*found, *(Remark(words) for target in boxes for words in _boxes(package, target))]


def _threads(package: Package, part: str) -> Iterator[Remark]:
    people = _people(package)
    for one in children(package.xml(part), "threadedComment"):
        who = people.get(attribute(one, "personId"), "")
        words = text_below(child(one, "text"))
        if words:
            yield Remark(signed(words, who, attribute(one, "dT")[:10]), attribute(one, "ref"))


def _comments(package: Package, part: str) -> Iterator[Remark]:
    root = package.xml(part)
    authors = [text_below(one) for one in children(child(root, "authors"), "author")]
    for one in below(root, "comment"):
        index = attribute(one, "authorId")
        who = authors[int(index)] if index.isdecimal() and int(index) < len(authors) else ""
        words = text_below(child(one, "text"), ("t",))
        if words:
            yield Remark(signed(words, who), attribute(one, "ref"))


def _boxes(package: Package, part: str) -> Iterator[str]:
    for shape in below(package.xml(part), "txBody"):
        words = body_text(shape)
        if words:
            yield words


def _people(package: Package) -> dict[str, str]:
    parts = [name for key, name in package.names.items() if key.startswith("xl/persons/")]
    people = (one for part in parts for one in below(package.xml(part), "person"))
    return {attribute(one, "id"): attribute(one, "displayName") for one in people}
