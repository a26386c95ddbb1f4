"""A tree of HTML, or of trafilatura's TEI, in, its blocks out; what is boilerplate is not judged here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.preprocessing.blocks import CELL_JOINT, Block
from trisynapse_memory.preprocessing.trees import Element, walk

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_BLOCKS: Final = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figure figcaption footer form header "
    "hr html li main nav ol p section summary table tbody td tfoot th thead tr ul caption "
    "ab cell head item list quote row".split()
)
_ENTRIES: Final = frozenset({"li", "item"})
_ROWS: Final = ("tr", "row")
_CELLS: Final = frozenset({"td", "th", "cell"})
_NO_TEXT: Final = frozenset({"script", "style", "template", "noscript", "head", "title", "iframe", "svg", "graphic"})
_SPACE: Final = re.compile(r"[ \t\r\n\f\u00a0]+")


def read_blocks(root: Element) -> list[Block]:
    """Read a tree in document order. Walks without recursion, for pages may be nested hundreds deep."""
    blocks: list[Block] = []
    inline = _Inline()
    walker = walk(root, "start", "end", "comment", "pi")
    for event, element in walker:
        tag = _tag(element)
        if event == "start":
            whole = _whole(element, tag, root)
            if whole is not None:
                blocks += [*inline.flush(), *whole]
                walker.skip_subtree()
                continue
            inline.enter(tag, element)
            blocks += inline.ready()
            inline.add(element.text)
            continue
        if event == "end" and tag not in _NO_TEXT and _whole(element, tag, root) is None:
            inline.leave(tag)
            blocks += inline.ready()
        if element is not root:
            inline.add(element.tail)
    return [*blocks, *inline.flush()]


class _Inline:
    """Collects running text until a block begins or ends."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._done: list[Block] = []
        self._heading = 0
        self._entry = False
        self._kind = "body"

    def enter(self, tag: str, element: Element) -> None:
        if tag in ("br", "lb"):
            self._parts.append("\n")
        level = _level(tag, element)
        if tag not in _BLOCKS and not level:
            return
        self._close()
        self._heading, self._entry = level, tag in _ENTRIES
        self._kind = "heading" if level else "caption" if tag in ("caption", "figcaption") else "body"

    def leave(self, tag: str) -> None:
        if tag in _BLOCKS or tag in _HEADINGS:
            self._close()
            self._heading, self._entry, self._kind = 0, False, "body"

    def add(self, text: str | None) -> None:
        if text:
            self._parts.append(_SPACE.sub(" ", text))

    def ready(self) -> list[Block]:
        done, self._done = self._done, []
        return done

    def flush(self) -> list[Block]:
        self._close()
        return self.ready()

    def _close(self) -> None:
        text = re.sub(r" *\n[ \n]*", "\n", re.sub(r" {2,}", " ", "".join(self._parts))).strip()
        self._parts.clear()
        if text:
            words = f"- {text}" if self._entry else text
            self._done.append(Block(words, self._kind, self._heading, entry=self._entry))


def _tag(element: Element) -> str:
    return element.tag.lower() if isinstance(element.tag, str) else ""


def _level(tag: str, element: Element) -> int:
    if tag == "head":  # trafilatura's heading; an HTML head never comes here, it holds no text
        return _HEADINGS.get(element.get("rend") or "", 2)
    return _HEADINGS.get(tag, 0)


def _whole(element: Element, tag: str, root: Element) -> list[Block] | None:
    """Blocks of an element that is read as a whole, or None when it is walked through."""
    if tag in _NO_TEXT and element.get("rend") is None:
        return []
    if tag == "table" and element is not root:
        return _table(element)
    if tag == "pre" or (tag == "code" and element.getparent() is not None and _is_code_block(element)):
        text = _full_text(element).strip("\n").rstrip()
        return [Block(text, code=True)] if text.strip() else []
    return None


def mark_code(root: Element) -> None:
    """Say of preformatted lines that they are code: trafilatura makes quotes of them, and a quote loses its lines."""
    for element in list(root.iter("pre")):
        if element.find(".//code") is None and _is_code_block(element):
            element.tag = "code"


def _is_code_block(element: Element) -> bool:
    """Inline code stands inside a sentence; a block of code has lines."""
    return "\n" in _full_text(element).strip()


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
    rows = [row for row in table.iter(*_ROWS) if _owner(row) is table]
    cells = [[cell for cell in row if _tag(cell) in _CELLS] for row in rows]
    filled = [[_words(cell) for cell in row] for row in cells]
    wide = [row for row in filled if sum(map(bool, row)) > 1]
    if len(filled) < 2 or len(wide) < 2:
        return None
    blocks = [Block(words, "caption") for caption in table.findall("caption") if (words := _words(caption))]
    lines = [CELL_JOINT.join(row).rstrip() for row in filled if any(row)]
    heads = [word for word in filled[0] if word] if all(_is_header(cell) for cell in cells[0]) else []
    return [*blocks, Block("\n".join(lines), "table", headers=CELL_JOINT.join(heads))]


def _owner(row: Element) -> Element | None:
    return next(iter(row.iterancestors("table")), None)


def _is_header(cell: Element) -> bool:
    return _tag(cell) == "th" or cell.get("role") == "head"


def _words(element: Element) -> str:
    return " ".join(_spaced(element)).strip()


def _spaced(element: Element) -> Iterator[str]:
    """The words of a cell; paragraphs in it do not grow together, but E=mc and its raised 2 do."""
    words = ""
    for event, part in walk(element, "start", "end"):
        border = _tag(part) in _BLOCKS or _tag(part) in ("br", "lb")
        words += " " if border else ""
        if event == "start":
            words += "" if _tag(part) in _NO_TEXT else part.text or ""
        elif part is not element:
            words += part.tail or ""
    yield from words.split()
