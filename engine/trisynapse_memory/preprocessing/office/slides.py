"""One slide of a presentation in, its blocks in reading order out: title, text, tables, charts, diagrams, notes.

The file holds shapes in the order they were drawn. A reader begins with the title and goes on from the top, column by
column; so shapes are put in order by where they lie, and a placeholder without a place of its own lies where its
layout puts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.office.drawing import (
    body_text,
    chart_blocks,
    diagram_block,
    drawn_table,
    paragraph_text,
)
from trisynapse_memory.preprocessing.office.packages import Package, Relation
from trisynapse_memory.preprocessing.office.pictures import office_pictures
from trisynapse_memory.preprocessing.office.word_numbering import written
from trisynapse_memory.preprocessing.office.word_stories import signed
from trisynapse_memory.preprocessing.office.xml import (
    DEPTH_LIMIT,
    attribute,
    below,
    child,
    children,
    name,
    text_below,
)
from trisynapse_memory.preprocessing.trees import Element
from trisynapse_memory.types import Locator

_TITLES: Final = frozenset({"title", "ctrTitle"})
_MARGINS: Final = frozenset({"dt", "ftr", "sldNum", "hdr"})
_LISTED: Final = frozenset({"body", "obj", "", "tbl", "chart"})  # placeholders whose paragraphs carry bullets
_SHAPES: Final = ("sp", "grpSp", "graphicFrame", "pic", "cxnSp", "AlternateContent")
_AUTHORS: Final = frozenset({"ppt/commentauthors.xml", "ppt/authors.xml"})
_EMU_MAX: Final = 10**10  # a place outside of any slide is no place
_COUNTS: Final = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}


class Box(NamedTuple):
    """Where a shape lies, in EMU (914,400 an inch)."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape with its place on the slide, if it has one, and what kind of placeholder it is."""

    element: Element
    box: Box | None
    placeholder: str | None


@dataclass(frozen=True, slots=True)
class _Frame:
    """What a group does to the places of its shapes: offset and scale."""

    left: float = 0.0
    top: float = 0.0
    wide: float = 1.0
    high: float = 1.0

    def place(self, box: Box) -> Box:
        return Box(
            self.left + box.left * self.wide,
            self.top + box.top * self.high,
            self.left + box.right * self.wide,
            self.top + box.bottom * self.high,
        )


class SlideReader:
    """Reads one slide."""

    def __init__(self, package: Package, part: str, number: int) -> None:
        self._package = package
        self._part = part
        self._root = package.xml(part)
        self._relations = package.relations(part)
        self._locator = Locator(kind="slide", slide=number)
        self._places = self._inherited(part)
        self.picture_count = 0

    @property
    def is_readable(self) -> bool:
        """Whether there is a slide at all."""
        return child(self._root, "cSld") is not None

    @property
    def is_hidden(self) -> bool:
        """Whether the slide is passed over when it is shown."""
        return attribute(self._root, "show") in ("0", "false")

    def blocks(self) -> list[Block]:
        """Return all blocks: the title first, then from the top; notes and what stands on every slide last."""
        shapes = list(self._shapes(child(self._root, "cSld", "spTree"), _Frame(), 0))
        titles = [shape for shape in shapes if shape.placeholder in _TITLES]
        rest = [shape for shape in shapes if shape.placeholder not in _TITLES | _MARGINS]
        blocks = [block for shape in titles for block in self._title(shape)]
        blocks += [block for shape in in_order(rest) for block in self._shape(shape)]
        blocks += self._notes()
        for shape in shapes:
            if shape.placeholder in _MARGINS and (words := body_text(child(shape.element, "txBody"))):
                blocks.append(Block(words, "margin", locator=self._locator))
        return [*blocks, *self._comments()]

    def pictures(self) -> list[str]:
        """Return the parts of the pictures on the slide, in its order."""
        return list(office_pictures(self._package, self._part, self._root))

    def _inherited(self, part: str) -> dict[tuple[str, str], Box]:
        """Places of placeholders by (type, index), of the master and, where it says otherwise, of the layout."""
        chain: list[str] = []
        for kind in ("slideLayout", "slideMaster"):
            arrows = self._package.relations(chain[-1] if chain else part).values()
            target = next((arrow.target for arrow in arrows if arrow.kind == kind), "")
            if not target:
                break
            chain.append(target)
        found: dict[tuple[str, str], Box] = {}
        for target in reversed(chain):
            root = self._package.xml(target)
            for shape in children(child(root, "cSld", "spTree"), "sp"):
                holder, box = _placeholder(shape), _box(shape)
                if holder is not None and box is not None:
                    found[(attribute(holder, "type"), attribute(holder, "idx"))] = box
                    found.setdefault((attribute(holder, "type"), ""), box)
        return found

    def _shapes(self, tree: Element | None, frame: _Frame, depth: int) -> Iterator[Shape]:
        if tree is None or depth > DEPTH_LIMIT:
            return
        for element in children(tree, *_SHAPES):
            if name(element) == "AlternateContent":
                chosen = child(element, "Choice")
                yield from self._shapes(chosen if chosen is not None else child(element, "Fallback"), frame, depth + 1)
            elif name(element) == "grpSp":
                yield from self._shapes(element, _group_frame(element, frame), depth + 1)
            elif not _is_hidden(element):
                holder = _placeholder(element)
                kind = attribute(holder, "type") if holder is not None else None
                box = _box(element)
                if box is not None:
                    box = frame.place(box)
                elif holder is not None:
                    index = attribute(holder, "idx")
                    box = self._places.get((kind or "", index)) or self._places.get((kind or "", ""))
                yield Shape(element, box, kind)

    def _title(self, shape: Shape) -> Iterator[Block]:
        words = " ".join(body_text(child(shape.element, "txBody")).split())
        if words:
            yield Block(words, "heading", 1, locator=self._locator)

    def _shape(self, shape: Shape) -> Iterator[Block]:
        tag = name(shape.element)
        if tag == "pic":
            self.picture_count += 1
        elif tag == "graphicFrame":
            yield from self._graphic(shape.element)
        else:
            yield from self._paragraphs(shape)

    def _paragraphs(self, shape: Shape) -> Iterator[Block]:
        listed = shape.placeholder is not None and shape.placeholder in _LISTED
        body = child(shape.element, "txBody")
        paragraphs = children(body, "p")
        several = sum(bool(paragraph_text(one)) for one in paragraphs) > 1
        counts: dict[int, int] = {}
        for paragraph in paragraphs:
            words = paragraph_text(paragraph)
            if not words:
                counts.clear()
                continue
            mark, level = _mark(paragraph, listed and several, counts)
            text = f"{'  ' * level}{mark} {words}" if mark else words
            yield Block(text, entry=bool(mark), locator=self._locator)

    def _graphic(self, frame: Element) -> Iterator[Block]:
        graphic = child(frame, "graphic", "graphicData")
        for part in children(graphic):
            tag = name(part)
            if tag == "tbl":
                table = drawn_table(part, self._locator)
                yield from (table,) if table else ()
            elif tag == "chart":
                arrow = self._arrow(attribute(part, "id"))
                yield from chart_blocks(self._package, arrow.target, self._locator) if arrow else ()
            elif tag == "relIds":
                arrow = self._arrow(attribute(part, "dm"))
                block = diagram_block(self._package, arrow.target, self._locator) if arrow else None
                yield from (block,) if block else ()

    def _arrow(self, ident: str) -> Relation | None:
        arrow = self._relations.get(ident)
        return None if arrow is None or arrow.is_external else arrow

    def _notes(self) -> list[Block]:
        """What the speaker noted below the slide: said by the same author, but not shown."""
        part = next((arrow.target for arrow in self._relations.values() if arrow.kind == "notesSlide"), "")
        root = self._package.xml(part) if part else None
        blocks: list[Block] = []
        for shape in children(child(root, "cSld", "spTree"), "sp"):
            holder = _placeholder(shape)
            if holder is None or attribute(holder, "type") != "body":
                continue
            words = body_text(child(shape, "txBody"))
            if words:
                blocks.append(Block(words, fields={"note": "speaker notes"}, locator=self._locator))
        return blocks

    def _comments(self) -> Iterator[Block]:
        """What readers wrote on the slide, in the form of today's files and in that of older ones."""
        people = self._people()
        for arrow in self._relations.values():
            if arrow.kind != "comments" or arrow.is_external:
                continue
            for one in below(self._package.xml(arrow.target), "cm"):
                body = child(one, "txBody")
                words = " ".join(body_text(body).split()) if body is not None else text_below(child(one, "text"))
                who = people.get(attribute(one, "authorId"), "")
                if words:
                    told = signed(words, who, (attribute(one, "dt") or attribute(one, "created"))[:10])
                    yield Block(told, "margin", fields={"note": "comment"}, locator=self._locator)

    def _people(self) -> dict[str, str]:
        parts = [name for key, name in self._package.names.items() if key in _AUTHORS]
        people = (one for part in parts for one in below(self._package.xml(part), "cmAuthor", "author"))
        return {attribute(one, "id"): attribute(one, "name") for one in people}


def in_order(shapes: list[Shape]) -> list[Shape]:
    """Put shapes in reading order: cut by gaps that go across, then by gaps that go down, and so on inside.

    Shapes without a place come last, in the order of the file.
    """
    placed = [(shape.box, place) for place, shape in enumerate(shapes) if shape.box is not None]
    order = _cut(placed, 0)
    rest = [place for place, shape in enumerate(shapes) if shape.box is None]
    return [shapes[place] for place in (*order, *rest)]


def _cut(boxes: list[tuple[Box, int]], depth: int) -> list[int]:
    if len(boxes) <= 1:
        return [place for _, place in boxes]
    if depth < DEPTH_LIMIT:
        for low, high in ((1, 3), (0, 2)):
            bands = _bands(boxes, low, high)
            if len(bands) > 1:
                return [place for band in bands for place in _cut(band, depth + 1)]
    return [place for _, place in sorted(boxes, key=lambda one: (one[0].top, one[0].left, one[1]))]


def _bands(boxes: list[tuple[Box, int]], low: int, high: int) -> list[list[tuple[Box, int]]]:
    """Boxes in groups that do not overlap along one axis; a tenth of a box may reach into the next."""
    bands: list[list[tuple[Box, int]]] = []
    end = float("-inf")
    for one in sorted(boxes, key=lambda entry: (entry[0][low], entry[1])):
        slack = (one[0][high] - one[0][low]) / 10
        if not bands or one[0][low] + slack >= end:
            bands.append([])
        bands[-1].append(one)
        end = max(end, one[0][high] - slack)
    return bands


def _mark(paragraph: Element, listed: bool, counts: dict[int, int]) -> tuple[str, int]:
    """The mark in front of a paragraph and its level: a number, a bullet, or none."""
    properties = child(paragraph, "pPr")
    stated = attribute(properties, "lvl")
    level = int(stated) if stated.isdigit() and len(stated) == 1 else 0
    numbered = child(properties, "buAutoNum")
    for deeper in [one for one in counts if one > level or (one == level and numbered is None)]:
        del counts[deeper]
    if numbered is not None:
        start = attribute(numbered, "startAt")
        counts[level] = (
            counts[level] + 1 if level in counts else int(start) if start.isdigit() and len(start) < 6 else 1
        )
        style = attribute(numbered, "type")
        way = next((written_way for prefix, written_way in _COUNTS.items() if style.startswith(prefix)), "decimal")
        number = written(counts[level], way)
        return f"({number})" if style.endswith(
            "ParenBoth"
        ) else f"{number})" if "ParenR" in style else f"{number}.", level
    if child(properties, "buNone") is not None:
        return "", level
    has_bullet = child(properties, "buChar") is not None or child(properties, "buBlip") is not None
    return ("-" if has_bullet or listed else ""), level


def _placeholder(shape: Element) -> Element | None:
    for holder in ("nvSpPr", "nvGraphicFramePr", "nvPicPr"):
        found = child(shape, holder, "nvPr", "ph")
        if found is not None:
            return found
    return None


def _is_hidden(shape: Element) -> bool:
    for holder in ("nvSpPr", "nvGraphicFramePr", "nvPicPr"):
        if attribute(child(shape, holder, "cNvPr"), "hidden") in ("1", "true"):
            return True
    return False


def _box(shape: Element) -> Box | None:
    form = child(shape, "spPr", "xfrm")
    return _frame_box(form if form is not None else child(shape, "xfrm"), "off", "ext")


def _frame_box(form: Element | None, offset: str, extent: str) -> Box | None:
    start, size = child(form, offset), child(form, extent)
    if start is None or size is None:
        return None
    numbers = [attribute(start, "x"), attribute(start, "y"), attribute(size, "cx"), attribute(size, "cy")]
    try:
        left, top, width, height = (float(number) for number in numbers)
    except ValueError:
        return None
    if not all(abs(number) < _EMU_MAX for number in (left, top, width, height)):
        return None
    return Box(left, top, left + width, top + height)


def _group_frame(group: Element, frame: _Frame) -> _Frame:
    form = child(group, "grpSpPr", "xfrm")
    outer, inner = _frame_box(form, "off", "ext"), _frame_box(form, "chOff", "chExt")
    if outer is None or inner is None:
        return frame
    wide = (outer.right - outer.left) / ((inner.right - inner.left) or 1.0)
    high = (outer.bottom - outer.top) / ((inner.bottom - inner.top) or 1.0)
    own = _Frame(outer.left - inner.left * wide, outer.top - inner.top * high, wide, high)
    corner = frame.place(Box(own.left, own.top, own.left, own.top))
    return _Frame(corner.left, corner.top, own.wide * frame.wide, own.high * frame.high)
