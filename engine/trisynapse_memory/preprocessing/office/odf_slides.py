"""One page of an OpenDocument presentation or drawing in, its blocks in reading order out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.office.odf_styles import Looks
from trisynapse_memory.preprocessing.office.odf_text import TextReader
from trisynapse_memory.preprocessing.office.packages import Package
from trisynapse_memory.preprocessing.office.slides import Box, Shape, in_order
from trisynapse_memory.preprocessing.office.xml import attribute, children, name
from trisynapse_memory.preprocessing.trees import Element
from trisynapse_memory.types import Locator

_LENGTH: Final = re.compile(r"(-?\d{0,9}\.?\d{0,9})(cm|mm|in|pt|pc|px)?")
_MM: Final = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6, "px": 25.4 / 96, None: 1.0}
_MARGINS: Final = frozenset({"header", "footer", "date-time", "page-number"})
_NO_SHAPES: Final = frozenset({"notes", "forms", "layer-set", "animations", "par", "seq"})


class PageReader:
    """Reads one page."""

    def __init__(self, package: Package, looks: Looks, page: Element, number: int) -> None:
        self._looks = looks
        self._page = page
        self._locator = Locator(kind="slide", slide=number)
        self._reader = TextReader(package, looks, self._locator)

    @property
    def is_hidden(self) -> bool:
        """Whether the page is passed over when it is shown."""
        return self._looks.page_is_hidden(attribute(self._page, "style-name"))

    @property
    def picture_count(self) -> int:
        """How many pictures were met; known once the blocks are read."""
        return self._reader.picture_count

    def blocks(self) -> list[Block]:
        """Return all blocks: the title first, then from the top, then notes and comments."""
        shapes = [one for one in children(self._page) if name(one) not in _NO_SHAPES]
        titles = [one for one in shapes if attribute(one, "class") == "title"]
        margins = [one for one in shapes if attribute(one, "class") in _MARGINS]
        rest = [Shape(one, _box(one), None) for one in shapes if one not in titles and one not in margins]
        blocks = [block for one in titles for block in self._title(one)]
        blocks += [block for shape in in_order(rest) for block in self._reader.shape(shape.element)]
        for notes in children(self._page, "notes"):
            for frame in children(notes, "frame"):
                if attribute(frame, "class") == "notes" and attribute(frame, "placeholder") != "true":
                    blocks += self._noted(frame)
        for one in margins:
            blocks += [Block(block.text, "margin", locator=self._locator) for block in self._reader.shape(one)]
        return [*blocks, *self._reader.comments]

    def _title(self, frame: Element) -> Iterator[Block]:
        words = " ".join(" ".join(block.text.split()) for block in self._reader.shape(frame))
        if words:
            yield Block(words, "heading", 1, locator=self._locator)

    def _noted(self, frame: Element) -> list[Block]:
        words = "\n".join(block.text for block in self._reader.shape(frame))
        return [Block(words, fields={"note": "speaker notes"}, locator=self._locator)] if words else []


def _box(shape: Element) -> Box | None:
    numbers = [_millimetres(attribute(shape, key)) for key in ("x", "y", "width", "height")]
    left, top, width, height = numbers
    if left is None or top is None:
        return None
    return Box(left, top, left + (width or 0.0), top + (height or 0.0))


def _millimetres(text: str) -> float | None:
    match = _LENGTH.fullmatch(text.strip())
    try:
        return float(match.group(1)) * _MM[match.group(2)] if match else None
    except ValueError:
        return None
