"""The body of an OpenDocument text in, its blocks in reading order out; a drawing page gives its shapes the same way.

Deleted text of tracked changes lies apart in the file and is not read. A footnote follows its paragraph, comments are
margins, hidden words are blocks of their own kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.office.equations import equation_text
from trisynapse_memory.preprocessing.office.grids import Cell, grid_block, spread
from trisynapse_memory.preprocessing.office.leaves import HIDDEN
from trisynapse_memory.preprocessing.office.odf_styles import Looks, shown_mark
from trisynapse_memory.preprocessing.office.packages import Package
from trisynapse_memory.preprocessing.office.word_numbering import BULLET
from trisynapse_memory.preprocessing.office.word_runs import raised, tidy
from trisynapse_memory.preprocessing.office.word_stories import signed
from trisynapse_memory.preprocessing.office.xml import DEPTH_LIMIT, attribute, below, child, children, name, text_below
from trisynapse_memory.preprocessing.trees import Element
from trisynapse_memory.types import Locator

_LEFT_OUT: Final = frozenset(
    {"tracked-changes", "sequence-decls", "variable-decls", "user-field-decls", "forms", "desc", "title", "ruby-text",
     "placeholder", "note-citation", "annotation-end", "event-listeners", "scripts"}
)  # fmt: skip
_INDEXES: Final = frozenset(
    {"table-of-content", "illustration-index", "table-index", "object-index", "user-index", "alphabetical-index"}
)
_SHAPES: Final = frozenset(
    {"frame", "g", "custom-shape", "rect", "ellipse", "circle", "line", "path", "polygon", "polyline", "connector",
     "caption", "a", "control", "page-thumbnail", "text-box"}
)  # fmt: skip
_SPACES_MAX: Final = 1000
_REPEAT_MAX: Final = 1000
_DESCRIPTION_CHARS: Final = 1000


class TextReader:
    """Reads what an OpenDocument part says; lists and notes are counted as they come, so a part is read once."""

    def __init__(self, package: Package, looks: Looks, locator: Locator | None = None) -> None:
        self._package = package
        self._looks = looks
        self._locator = locator
        self._note_count = 0
        self._headings: list[int] = []
        self._ended: dict[str, int] = {}  # where numbered lists stopped, for those that go on
        self._shift = 0
        self.comments: list[Block] = []
        self.titled = ""
        self.picture_count = 0

    def read(self, container: Element, depth: int = 0) -> Iterator[Block]:
        """Yield the blocks of a text, a section, a cell or a box."""
        if depth > DEPTH_LIMIT:
            yield Block(text_below(container), locator=self._locator)
            return
        if depth == 0:
            self._shift = int(any(self._is_title(one) for one in children(container, "p")))
        for element in container:
            yield from self._one(element, depth)

    def shape(self, element: Element) -> Iterator[Block]:
        """Yield the blocks of one shape of a page."""
        yield from self._shape(element, 1)

    def _one(self, element: Element, depth: int) -> Iterator[Block]:
        tag = name(element)
        if tag in ("p", "h"):
            yield from self._paragraph(element, depth)
        elif tag == "list":
            yield from self._list(element, depth, [], "")
        elif tag == "table":
            yield from self._table(element, depth)
        elif tag in _INDEXES:
            words = [words for one in below(child(element, "index-body"), "p", "h") if (words := text_below(one))]
            yield from [Block("\n".join(words), "margin")] if words else []
        elif tag == "section" and attribute(element, "display") == "none":
            yield Block(text_below(element), HIDDEN)
        elif tag in _SHAPES:
            yield from self._shape(element, depth)
        elif tag in ("section", "numbered-paragraph", "bibliography", "index-body", "index-title", "change-region"):
            yield from self.read(element, depth + 1)

    def _is_title(self, paragraph: Element) -> bool:
        return self._looks.look(attribute(paragraph, "style-name")).is_like("title")

    def _paragraph(self, paragraph: Element, depth: int, mark: str = "", level: int = 0) -> Iterator[Block]:
        look = self._looks.look(attribute(paragraph, "style-name"))
        line = _Line(self._looks, look.is_hidden)
        line.read(paragraph)
        text = line.text
        if text:
            if name(paragraph) == "h":
                yield self._heading(paragraph, text)
            elif look.is_like("title") and depth == 0:
                self.titled = self.titled or text
                yield Block(text, "heading", 1, locator=self._locator)
            elif mark:
                yield Block(f"{'  ' * level}{mark} {text}", entry=True, locator=self._locator)
            else:
                kind = "caption" if look.is_like("caption", "illustration", "figure", "table", "drawing") else "body"
                code = look.is_like("preformatted text", "source code")
                yield Block(text, kind, code=code, locator=self._locator)
        if line.hidden:
            yield Block(line.hidden, HIDDEN)
        yield from self._beside(line, depth)

    def _heading(self, heading: Element, text: str) -> Block:
        stated = attribute(heading, "outline-level")
        level = min(int(stated), 9) if stated.isdigit() and 0 < len(stated) < 3 else 1
        level = max(level, 1)
        self._headings = [*self._headings[: level - 1], *[1] * (level - 1 - len(self._headings)),
                          self._headings[level - 1] + 1 if len(self._headings) >= level else 1]  # fmt: skip
        rule = self._looks.outline.get(level)
        mark = shown_mark(rule, self._looks.outline, self._headings) if rule is not None else ""
        words = f"{mark} {text}" if mark and mark != BULLET else text
        return Block(words, "heading", level + self._shift, locator=self._locator)

    def _beside(self, line: _Line, depth: int) -> Iterator[Block]:
        for shape in line.shapes:
            yield from self._shape(shape, depth + 1)
        for note in line.notes:
            words = " ".join(self._words(child(note, "note-body"), depth))
            if words:
                self._note_count += 1
                sort = "endnote" if attribute(note, "note-class") == "endnote" else "footnote"
                fields = {"note": f"{sort} {self._note_count}"}
                yield Block(f"[{self._note_count}] {words}", fields=fields, locator=self._locator)
        for comment in line.comments:
            words = " ".join(self._words(comment, depth))
            who, day = text_below(child(comment, "creator")), text_below(child(comment, "date"))[:10]
            if words:
                told = signed(words, who, day)
                self.comments.append(Block(told, "margin", fields={"note": "comment"}, locator=self._locator))

    def _words(self, container: Element | None, depth: int) -> list[str]:
        """The words of a container's paragraphs, a line each; what they point at is not followed."""
        if container is None or depth > DEPTH_LIMIT:
            return []
        lines: list[str] = []
        for paragraph in below(container, "p", "h"):
            line = _Line(self._looks, False)
            line.read(paragraph)
            lines.append(" ".join(line.text.split()))
        return [line for line in lines if line]

    def _list(self, element: Element, depth: int, counts: list[int], style: str) -> Iterator[Block]:
        if depth > DEPTH_LIMIT:
            yield Block(text_below(element), entry=True, locator=self._locator)
            return
        style = attribute(element, "style-name") or style
        level = len(counts) + 1
        goes_on = attribute(element, "continue-numbering") == "true" or bool(attribute(element, "continue-list"))
        number = self._ended.get(f"{style} {level}", 0) if goes_on else 0
        number = number or self._looks.start(style, level) - 1
        for entry in children(element, "list-item", "list-header"):
            stated = attribute(entry, "start-value")
            first = (
                child(
                    entry,
                    "p",
                )
                is not None
                or child(entry, "h") is not None
            )
            if name(entry) == "list-item" and first:
                number = int(stated) if stated.isdigit() and len(stated) < 9 else number + 1
            path = [*counts, max(number, 0)]
            mark = self._looks.mark(style, level, path) if name(entry) == "list-item" else ""
            for part in entry:
                if name(part) == "list":
                    yield from self._list(part, depth + 1, path, style)
                elif name(part) in ("p", "h"):
                    yield from self._paragraph(part, depth + 1, mark, level - 1)
                    mark = "" if name(part) == "p" else mark
                else:
                    yield from self._one(part, depth + 1)
        self._ended[f"{style} {level}"] = number

    def _table(self, table: Element, depth: int) -> Iterator[Block]:
        rows: list[list[Cell]] = []
        beside: list[Block] = []
        stated = 0
        for row, is_header in _rows(table, False):
            cells: list[Cell] = []
            for cell in children(row, "table-cell"):
                one = self._cell(cell, depth, beside)
                cells += [one] * (_repeat(cell, "number-columns-repeated") if one.text or one.columns == 1 else 1)
            filled = any(cell.text for cell in cells)
            rows += [cells] * (_repeat(row, "number-rows-repeated") if filled else 1)
            stated += is_header and stated == len(rows) - 1
        if all(len(row) <= 1 for row in rows):
            for cell in (cell for row, _ in _rows(table, False) for cell in children(row, "table-cell")):
                yield from self.read(cell, depth + 1)
            return
        block = grid_block(spread(rows), stated, self._locator)
        yield from (block,) if block else ()
        yield from beside

    def _cell(self, cell: Element, depth: int, beside: list[Block]) -> Cell:
        words: list[str] = []
        for block in self.read(cell, depth + 1):
            if block.kind in ("margin", HIDDEN) or "note" in block.fields:
                beside.append(block)
            else:
                text = block.text.replace(" | ", " ") if block.kind == "table" else block.text
                words.append(" ".join(text.split()))
        columns, count = (_repeat(cell, key) for key in ("number-columns-spanned", "number-rows-spanned"))
        return Cell(" ".join(words), columns, count)

    def _shape(self, shape: Element, depth: int) -> Iterator[Block]:
        """The words of a frame or a drawn shape, of the table, formula or chart in it; a picture is counted."""
        if depth > DEPTH_LIMIT:
            return
        for part in (shape, *shape) if name(shape) in ("p", "h") else shape:
            tag = name(part)
            if tag == "image":
                self.picture_count += 1
                yield from self._described(shape)
                yield from self._shape(part, depth + 1)
            elif tag == "object":
                yield from self._object(part)
                return  # what follows is a picture of the same object
            elif tag in _SHAPES:
                yield from self._shape(part, depth + 1)
            else:
                yield from self._one(part, depth + 1)

    def _described(self, frame: Element) -> Iterator[Block]:
        """What a picture shows, as its author describes it; a single word is a name of a file."""
        words = text_below(child(frame, "desc")) or text_below(child(frame, "title"))
        if " " in words and len(words) <= _DESCRIPTION_CHARS:
            yield Block(words, "caption", locator=self._locator)

    def _object(self, element: Element) -> Iterator[Block]:
        inner = child(element, "math")
        target = attribute(element, "href").removeprefix("./")
        root = inner if inner is not None else self._package.xml(f"{target}/content.xml") if target else None
        if root is None:
            return
        if name(root) == "math":
            words = equation_text(root)
            yield from [Block(words, locator=self._locator)] if words else []
            return
        charts = list(below(root, "chart"))
        if charts:
            chart = charts[-1]  # the body around it has the same name in another vocabulary
            title = " ".join(self._words(child(chart, "title"), 0))
            yield from [Block(title, "caption", locator=self._locator)] if title else []
            for table in children(chart, "table"):
                yield from self._table(table, 1)
        else:
            body = child(root, "body")
            for part in children(body):
                yield from self.read(part, 1)


def _rows(table: Element, is_header: bool) -> Iterator[tuple[Element, bool]]:
    for part in table:
        tag = name(part)
        if tag == "table-row":
            yield part, is_header
        elif tag in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(part, is_header or tag == "table-header-rows")


def _repeat(element: Element, key: str) -> int:
    stated = attribute(element, key)
    return max(1, min(int(stated), _REPEAT_MAX)) if stated.isdigit() and len(stated) < 8 else 1


class _Line:
    """The words of one paragraph, the hidden ones, and what it points at."""

    def __init__(self, looks: Looks, is_hidden: bool) -> None:
        self._looks = looks
        self._is_hidden = is_hidden
        self._shown: list[str] = []
        self._apart: list[str] = []
        self.notes: list[Element] = []
        self.comments: list[Element] = []
        self.shapes: list[Element] = []

    @property
    def text(self) -> str:
        """What a reader sees."""
        return tidy("".join(self._shown))

    @property
    def hidden(self) -> str:
        """What a reader does not see."""
        return tidy("".join(self._apart))

    def read(self, paragraph: Element) -> None:
        """Read a paragraph, without recursion: spans may be nested thousands deep."""
        waiting: list[tuple[Element | str, bool]] = [(paragraph, self._is_hidden)]
        while waiting:
            part, is_hidden = waiting.pop()
            if isinstance(part, str):
                (self._apart if is_hidden else self._shown).append(part)
                continue
            hidden, content = self._enter(part, is_hidden)
            if content:
                inner: list[tuple[Element | str, bool]] = [(_plain(part.text), hidden)]
                for one in part:
                    inner += [(one, hidden), (_plain(one.tail), hidden)]
                waiting += reversed(inner)

    def _enter(self, part: Element, is_hidden: bool) -> tuple[bool, bool]:
        """Say whether what is in an element is hidden, and whether it is read at all; take note of what it is."""
        tag = name(part)
        sign = _sign(part, tag)
        if sign:
            (self._apart if is_hidden else self._shown).append(sign)
        elif tag == "note":
            self.notes.append(part)
        elif tag == "annotation":
            self.comments.append(part)
        elif tag in _SHAPES and tag != "a":
            self.shapes.append(part)
        elif tag == "span":
            look = self._looks.look(attribute(part, "style-name"))
            if look.is_raised and raised(part.text or "", self._shown).startswith("^"):
                self._shown.append("^")
            return is_hidden or look.is_hidden, True
        elif tag in ("hidden-text", "hidden-paragraph"):
            return True, True
        elif tag and tag not in _LEFT_OUT:
            return is_hidden, True
        return is_hidden, False


def _sign(part: Element, tag: str) -> str:
    if tag == "s":
        stated = attribute(part, "c")
        return " " * (min(int(stated), _SPACES_MAX) if stated.isdigit() and len(stated) < 6 else 1)
    return {"tab": "\t", "line-break": "\n"}.get(tag, "")


def _plain(text: str | None) -> str:
    # White space of the markup is one blank; real blanks are elements.
    return " ".join(f"|{text}|".split())[1:-1] if text else ""
