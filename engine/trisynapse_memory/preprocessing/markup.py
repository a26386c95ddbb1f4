"""A tree of HTML in, its blocks in document order out; which of them are the article is not judged here.

Each block is told with what a judge needs of it: how many of its letters are links, and whether it stands in the frame
of a page (menus, banners, footers) as its elements say. Walks without recursion, for pages may be nested hundreds deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.hypertext.formulas import formula_of
from trisynapse_memory.preprocessing.office.grids import COLUMNS_MAX, ROWS_SPAN_MAX, Cell, grid_block, spread
from trisynapse_memory.preprocessing.trees import Element, walk

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_BLOCKS: Final = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figure figcaption footer "
    "form header hgroup hr html legend li main menu nav ol optgroup option p section summary table tbody td tfoot th "
    "thead tr ul caption".split()
)
_LISTS: Final = frozenset({"ol", "ul", "menu", "dir"})
_CAPTIONS: Final = frozenset({"caption", "figcaption"})
_CELLS: Final = frozenset({"td", "th"})
_NO_TEXT: Final = frozenset(
    {"script", "style", "template", "noscript", "head", "title", "iframe", "svg", "object", "audio", "video", "canvas",
     "colgroup", "rp"}
)  # fmt: skip
_MARKS: Final = ("mw-editsection", "mw-cite-backlink")  # Wikipedia's "[edit]" and the arrows back from a reference
_SPACE: Final = re.compile(r"[ \t\r\n\f\u00a0]+")
_LANGUAGE: Final = re.compile(r"(?:^|[\s])(?:lang(?:uage)?|brush|highlight-source)[-:]\s*([\w+#-]{1,20})")

_FRAME: Final = frozenset({"nav", "aside", "footer", "form"})
_FRAME_ROLES: Final = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar"}
)
_FRAME_NAMES: Final = re.compile(
    r"(?:^|[-_\s])(?:nav|navbar|navigation|menu|footer|sidebar|cookies?|consent|gdpr|share|sharing|social|related|"
    r"recommend(?:ed|ations)?|newsletter|subscribe|promo|adverts?|advertisement|breadcrumbs?|popup|modal|masthead)"
    r"(?:$|[-_\s])",
    re.IGNORECASE,
)
_CELLS_MAX: Final = 500_000  # of one table; one that claims more is hostile
_LAYOUT_CELL_CHARS: Final = 1_000  # no cell of data is longer
_ALT_CHARS: Final = (4, 1_000)  # of the description of an image; shorter is an icon


@dataclass(frozen=True, slots=True)
class Stretch:
    """One block of a page, with how many of its letters are links and whether it stands in the frame of the page."""

    block: Block
    link_chars: int = 0
    framed: bool = False


def read_blocks(root: Element) -> list[Block]:
    """Read a tree in document order: paragraphs, headings, list entries, tables, captions, formulas, code."""
    return [stretch.block for stretch in read_stretches(root)]


def read_stretches(root: Element) -> list[Stretch]:
    """Read a tree as ``read_blocks`` does, and tell of each block what a judge of pages needs."""
    reader = _Reader()
    walker = walk(root, "start", "end", "comment", "pi")
    for event, element in walker:
        tag = _tag(element)
        if event == "start":
            if element is not root and reader.take_whole(tag, element):
                walker.skip_subtree()
                continue
            reader.enter(tag, element)
        elif event == "end" and tag:
            reader.leave(tag, element)
        if event != "start" and element is not root:
            reader.add(element.tail)
    return reader.finish()


class _Reader:
    """Collects running text until a block begins or ends."""

    def __init__(self) -> None:
        self._done: list[Stretch] = []
        self._parts: list[str] = []
        self._link_chars = 0
        self._levels: list[int] = []
        self._captions = 0
        self._marker = ""
        self._lists: list[list[int] | None] = []
        self._frames: list[Element] = []
        self._links = 0

    def take_whole(self, tag: str, element: Element) -> bool:
        """Read an element that is read as a whole; False when it is walked through."""
        if tag in _NO_TEXT or (tag == "span" and (element.get("class") or "").startswith(_MARKS)):
            return True
        if tag == "math":
            self._parts.append(formula_of(element))
            return True
        if tag == "img":
            self._take_image(element)
            return True
        if tag == "pre" or (tag == "code" and "\n" in _full_text(element).strip()):
            self._close()
            text = _full_text(element).strip("\n").rstrip()
            if text.strip():
                self._push(Block(text, code=True, fields=_language(element)))
            return True
        blocks = _table(element) if tag == "table" else None
        if blocks is None:
            return False
        self._close()
        for block in blocks:
            self._push(block)
        return True

    def enter(self, tag: str, element: Element) -> None:
        if _is_frame(tag, element):
            self._close()
            self._frames.append(element)
        if tag in ("br", "lb"):
            self._parts.append("\n")
        elif tag == "a":
            self._links += 1
        elif tag in _LISTS:
            self._close()
            self._lists.append(_counter(element) if tag == "ol" else None)
        if tag in _BLOCKS or tag in _HEADINGS:
            self._close()
            if tag in _HEADINGS:
                self._levels.append(_HEADINGS[tag])
            self._captions += tag in _CAPTIONS
            if tag == "li":
                self._marker = self._next_marker(element)
        self.add(element.text)

    def leave(self, tag: str, element: Element) -> None:
        if self._frames and self._frames[-1] is element:
            self._close()
            self._frames.pop()
        if tag == "a":
            self._links = max(0, self._links - 1)
        if tag in _BLOCKS or tag in _HEADINGS:
            self._close()
        if tag in _HEADINGS and self._levels:
            self._levels.pop()
        if tag in _CAPTIONS:
            self._captions -= 1
        if tag == "li":
            self._marker = ""
        if tag in _LISTS and self._lists:
            self._lists.pop()

    def add(self, text: str | None) -> None:
        if text:
            words = _SPACE.sub(" ", text)
            self._parts.append(words)
            self._link_chars += len(words.strip()) if self._links else 0

    def finish(self) -> list[Stretch]:
        self._close()
        return self._done

    def _next_marker(self, element: Element) -> str:
        counter = self._lists[-1] if self._lists else None
        if counter is None:
            return "- "
        value = element.get("value")
        if value is not None and value.strip().lstrip("-").isdigit():
            counter[0] = int(value)
        marker = f"{counter[0]}. "
        counter[0] += counter[1]
        return marker

    def _take_image(self, element: Element) -> None:
        """Keep what an image shows, as its author describes it, where it stands alone; inside a sentence it is told."""
        alt = " ".join((element.get("alt") or "").split())
        if element.get("class") and "math" in (element.get("class") or "") and alt:
            self._parts.append(f"${alt}$")
            return
        if not _ALT_CHARS[0] <= len(alt) <= _ALT_CHARS[1] or " " not in alt or "".join(self._parts).strip():
            return
        if self._frames or any(one.block.text == alt for one in self._done[-3:]):
            return
        self._push(Block(alt, "caption"))

    def _close(self) -> None:
        text = re.sub(r" *\n[ \n]*", "\n", re.sub(r" {2,}", " ", "".join(self._parts))).strip()
        self._parts.clear()
        links, self._link_chars = self._link_chars, 0
        if not text:
            return
        level = self._levels[-1] if self._levels else 0
        marker, self._marker = ("" if level else self._marker), ""
        kind = "heading" if level else "caption" if self._captions > 0 else "body"
        block = Block(marker + text, kind, level, entry=bool(marker))
        self._push(block, links)

    def _push(self, block: Block, links: int = 0) -> None:
        self._done.append(Stretch(block, links, bool(self._frames)))


def _tag(element: Element) -> str:
    return element.tag.lower() if isinstance(element.tag, str) else ""


def _is_frame(tag: str, element: Element) -> bool:
    if tag in ("html", "body", "main", "article", ""):
        return False
    if tag in _FRAME or (element.get("role") or "").strip().lower() in _FRAME_ROLES:
        return True
    if tag == "header":
        return element.find(".//h1") is None and element.getparent() is not None and not _in_article(element)
    if tag not in _BLOCKS:
        return False
    return any(_FRAME_NAMES.search(element.get(name) or "") for name in ("class", "id"))


def _in_article(element: Element) -> bool:
    return next(iter(element.iterancestors("article", "main")), None) is not None


def _counter(element: Element) -> list[int]:
    """The number of the next entry of an ordered list, and the step to the one after."""
    start = (element.get("start") or "").strip()
    reverse = "reversed" in element.attrib
    entries = sum(1 for child in element if _tag(child) == "li") if reverse else 1
    return [int(start) if re.fullmatch(r"-?\d{1,9}", start) else entries, -1 if reverse else 1]


def _language(element: Element) -> dict[str, str]:
    for one in (element, *element.findall(".//code")):
        match = _LANGUAGE.search(one.get("class") or "")
        if match:
            return {"language": match.group(1).lower()}
    return {}


def _full_text(element: Element) -> str:
    parts: list[str] = []
    for event, part in walk(element, "start", "end"):
        if event == "start":
            parts.append("\n" if _tag(part) in ("br", "lb") else part.text or "")
        elif part is not element:
            parts.append(part.tail or "")
    return "".join(parts)


def _table(table: Element) -> list[Block] | None:
    """A table as lines of cells; None for a table that only sets out a page."""
    rows = [row for row in table.iter("tr") if next(iter(row.iterancestors("table")), None) is table]
    widest = max(1, min(COLUMNS_MAX, _CELLS_MAX // max(1, len(rows))))
    cells = [[_cell(cell, widest) for cell in row if _tag(cell) in _CELLS] for row in rows]
    filled = [sum(bool(cell.text) for cell in row) for row in cells]
    heads = [_heads(row) for row in rows]
    if sum(map(bool, filled)) < 2 or sum(count > 1 for count in filled) < 2 or _is_layout(table, cells, heads):
        return None
    captions = [Block(words, "caption") for caption in table.findall("caption") if (words := _words(caption))]
    block = grid_block(spread(cells), next((at for at, head in enumerate(heads) if not head), 1))
    return [*captions, block] if block is not None else None


def _heads(row: Element) -> bool:
    """Say whether a row names columns, as its author marked it: in the head of the table, or of header cells only."""
    parent = row.getparent()
    if parent is not None and _tag(parent) == "thead":
        return True
    cells = [(cell, words) for cell in row if _tag(cell) in _CELLS and (words := _words(cell))]
    return bool(cells) and all(_tag(cell) == "th" or _is_bold(cell, words) for cell, words in cells)


def _is_bold(cell: Element, words: str) -> bool:
    bold = next((found for tag in ("strong", "b") if (found := cell.find(f".//{tag}")) is not None), None)
    return bold is not None and _words(bold) == words


def _is_layout(table: Element, cells: list[list[Cell]], heads: list[bool]) -> bool:
    """Tell a table that sets out a page from one of data; what has headers or a caption is one of data."""
    if (table.get("role") or "").lower() in ("presentation", "none"):
        return True
    if any(heads) or table.find("caption") is not None or table.find(".//th") is not None:
        return False
    return any(len(cell.text) > _LAYOUT_CELL_CHARS for row in cells for cell in row)


def _cell(cell: Element, widest: int) -> Cell:
    return Cell(_words(cell), _span(cell.get("colspan"), widest), _span(cell.get("rowspan"), ROWS_SPAN_MAX))


def _span(written: str | None, most: int) -> int:
    """A span as its author wrote it; 1 where that is no number."""
    digits = (written or "").strip()
    return max(1, min(int(digits), most)) if digits.isdecimal() and len(digits) < 10 else 1


def _words(element: Element) -> str:
    return " ".join(_spaced(element)).strip()


def _spaced(element: Element) -> Iterator[str]:
    """The words of a cell; paragraphs in it do not grow together, but E=mc and its raised 2 do."""
    parts: list[str] = []
    walker = walk(element, "start", "end", "comment", "pi")
    counters: list[list[int] | None] = []
    for event, part in walker:
        tag = _tag(part)
        parts.append(" " if tag in _BLOCKS or tag in ("br", "lb") else "")
        if event == "start":
            if part is not element and (tag in _NO_TEXT or tag in ("math", "img")):
                parts.append(
                    formula_of(part) if tag == "math" else f" {part.get('alt') or ''} " if tag == "img" else ""
                )
                walker.skip_subtree()
                continue
            if tag in _LISTS:
                counters.append(_counter(part) if tag == "ol" else None)
            parts.append(_entry_marker(tag, counters) + (part.text or ""))
        else:
            if tag in _LISTS and counters:
                counters.pop()
            if part is not element:
                parts.append(part.tail or "")
    yield from "".join(parts).split()


def _entry_marker(tag: str, counters: list[list[int] | None]) -> str:
    if tag != "li" or not counters:
        return ""
    counter = counters[-1]
    if counter is None:
        return "- "
    counter[0] += counter[1]
    return f"{counter[0] - counter[1]}. "
