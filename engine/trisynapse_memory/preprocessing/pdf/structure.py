"""The blocks of one page after the other in, sections with their heading path out. No text is changed here.

A PDF does not say what a heading is; what a person goes by does: larger or heavier type than the body, a number before
it, standing alone. The heading path lives on from page to page. Running heads, page numbers and stamps are recognised
without looking ahead, because reading the next page may hang (case R11): by their place, and by having been there on
one of the pages before.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from trisynapse_memory.preprocessing.pdf.captions import CAPTION
from trisynapse_memory.preprocessing.pdf.composition import Composition
from trisynapse_memory.preprocessing.pdf.metadata import plain_title
from trisynapse_memory.preprocessing.pdf.outline import Entry, folded, place_entries
from trisynapse_memory.preprocessing.pdf.scribe import Block
from trisynapse_memory.types import Section

MARGIN_KIND: Final = "margin"
"""Running heads, page numbers, stamps: text of the page, but no part of its sentences."""

HEAD_SHARE: Final = 0.09  # of the page height, above and below, where running heads and page numbers stand
MEMORY_PAGES: Final = 4  # pages; left and right pages have different heads
HEADING_MAX_CHARS: Final = 160
HEADING_MAX_LINES: Final = 3
PROSE_MIN_CHARS: Final = 200
LARGER: Final = 1.12  # times the body size

_NUMBERED: Final = re.compile(
    r"(?:(?:Appendix|Chapter|Section|Part)\s+)?(?P<number>\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){0,4}|[IVX]{1,5})"
    r"(?P<dot>[.:)]?)\s+(?=\S)"
)
_PAGE_NUMBER: Final = re.compile(
    r"(?:page|seite|p\.)?\s*[-\u2013\u2014|]?\s*(?:\d{1,4}|[ivxlc]{1,7})\s*[-\u2013\u2014|]?(?:\s*(?:/|of|von|sur)\s*\d{1,4})?",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r"(?:https?://|doi:?\s*(?:10\.)|www\.)\S+", re.IGNORECASE)  # of the paper itself
_PLAIN_HEADINGS: Final = frozenset(
    "abstract introduction references bibliography acknowledgments acknowledgements conclusion conclusions discussion"
    " results methods background appendix summary contents".split()
)


@dataclass(frozen=True, slots=True)
class _Open:
    """A heading whose section is still open.

    ``depth`` counts the parts of its number, ``level`` is its rank in the outline; both are 0 where there is none.
    """

    text: str
    size: float
    depth: int
    level: int = 0


class Structure:
    """Turns the blocks of the pages of one document into sections, in page order."""

    def __init__(self) -> None:
        self._sizes = Counter[float]()
        self._path: list[_Open] = []
        self._edges = deque[frozenset[str]](maxlen=MEMORY_PAGES)
        self._title = ""
        self._masthead = ""

    @property
    def largest_text(self) -> str:
        """The largest text of the first page that was read: its title, as far as a page can tell."""
        return self._title

    @property
    def masthead(self) -> str:
        """What stands on the first page between its title and its first prose."""
        return self._masthead

    def sections(
        self, page: Composition, height: tuple[float, float], first: bool, outline: Sequence[Entry] = ()
    ) -> tuple[Section, ...]:
        """Return the sections of the next page, in text order.

        Args:
            page: the page in reading order.
            height: top and bottom of the page in its main frame.
            first: whether this is page 1, whose largest text is the title and opens no section.
            outline: the entries of the document's outline that lead to this page.
        """
        for block in page.blocks:
            self._sizes[round(block.size, 1)] += block.end - block.start
        body = self._sizes.most_common(1)[0][0] if self._sizes else page.body_size
        margins = self._margins(page, height)
        title = self._find_title(page, body, margins) if first else frozenset[int]()
        masthead = _masthead(page, title)
        if first:
            self._masthead = "\n".join(page.text[page.blocks[i].start : page.blocks[i].end] for i in sorted(masthead))
        entries = place_entries(outline, page.text, page.blocks)
        parts: list[Section] = []
        for index, block in enumerate(page.blocks):
            entry, named = entries.get(index, (None, False))
            kind = "heading" if named and index not in title else self._kind(page, index, body, margins)
            if entry is not None and index not in title:
                self._open_heading(entry.title, block.size, entry.level)
            joined = kind == "heading" and not named and index not in masthead and _goes_on(page, index, parts)
            if index in title:
                part = Section(start=block.start, end=block.end, kind="heading")
            elif kind == "heading" and index in masthead and not named:
                part = Section(start=block.start, end=block.end, path=self._names())
            elif joined:
                self._extend_heading(page.text[block.start : block.end])
                part = Section(start=block.start, end=block.end, path=self._names(), kind=kind)
                parts[-1] = Section(start=parts[-1].start, end=parts[-1].end, path=part.path, kind=kind)
            else:
                if kind == "heading" and not named:
                    self._open_heading(page.text[block.start : block.end], block.size)
                if parts and parts[-1].kind == "caption" and _same_look(page, index):
                    kind = "caption"
                part = Section(start=block.start, end=block.end, path=self._names(), kind=kind)
            if parts and _runs_on(parts[-1], part, joined or index in title or block.joins_previous):
                parts[-1] = Section(start=parts[-1].start, end=part.end, path=part.path, kind=part.kind)
            else:
                parts.append(part)
        return tuple(parts)

    def _names(self) -> tuple[str, ...]:
        return tuple(heading.text for heading in self._path)

    def _kind(self, page: Composition, index: int, body: float, margins: frozenset[int]) -> str:
        block = page.blocks[index]
        if index in margins:
            return MARGIN_KIND
        text = page.text[block.start : block.end]
        if CAPTION.match(text):
            return "caption"
        if block.headers is not None:
            return "table"
        return "heading" if _is_heading(text, block, body) else "body"

    def _margins(self, page: Composition, height: tuple[float, float]) -> frozenset[int]:
        """The blocks that belong to the page and not to the text."""
        top, bottom = height
        band = (bottom - top) * HEAD_SHARE
        known = frozenset[str]().union(*self._edges)
        found: set[int] = set()
        edges: set[str] = set()
        for index, block in enumerate(page.blocks):
            if block.minor:
                found.add(index)
                continue
            above, below = block.bottom < top + band, block.top > bottom - band
            if not (above or below) or block.line_count > 2:
                continue
            text = page.text[block.start : block.end]
            mark = re.sub(r"\d+", "#", " ".join(text.split())).casefold()
            edges.add(mark)
            lone = _PAGE_NUMBER.fullmatch(text.strip()) or _ADDRESS.fullmatch(text.strip())
            if mark in known or mark == self._title.casefold() or lone:
                found.add(index)
        self._edges.append(frozenset(edges))
        return frozenset(found)

    def _find_title(self, page: Composition, body: float, margins: frozenset[int]) -> frozenset[int]:
        """The largest blocks of page 1, as far as they follow each other."""
        candidates = [
            (block.size, -index)
            for index, block in enumerate(page.blocks)
            if index not in margins and block.line_count <= 5 and 5 <= block.end - block.start <= 300
            if not _is_no_title(page.text[block.start : block.end])
        ]
        if not candidates or max(candidates)[0] < body * LARGER:
            return frozenset()
        size, first = max(candidates)
        last = -first
        while last + 1 < len(page.blocks) and abs(page.blocks[last + 1].size - size) < 0.3 and last + first < 3:
            last += 1
        members = range(-first, last + 1)
        self._title = plain_title(page.text[page.blocks[-first].start : page.blocks[last].end])
        return frozenset(members)

    def _open_heading(self, text: str, size: float, level: int = 0) -> None:
        heading = _Open(" ".join(text.split()), size, _depth(text), level)
        while self._path and _closes(self._path[-1], heading):
            self._path.pop()
        self._path.append(heading)

    def _extend_heading(self, text: str) -> None:
        """A heading may take several lines, the later ones hanging under its text instead of under its number."""
        last = self._path.pop()
        words = " ".join(text.split())
        if not last.level or not folded(last.text).endswith(folded(words)):
            last = replace(last, text=f"{last.text} {words}")
        self._path.append(last)


def _is_no_title(text: str) -> bool:
    """Whether a text names a part of a document, however large it is set."""
    return CAPTION.match(text) is not None or text.strip().rstrip(":.").casefold() in _PLAIN_HEADINGS


def _masthead(page: Composition, title: frozenset[int]) -> frozenset[int]:
    """What stands between the title and the first prose: names and addresses, often large, never headings."""
    found: set[int] = set()
    for index in range(max(title) + 1, len(page.blocks)) if title else ():
        block = page.blocks[index]
        text = " ".join(page.text[block.start : block.end].split())
        numbered = _NUMBERED.match(text)
        opens = numbered is not None and numbered["number"] in ("1", "I")
        if opens or len(text) >= PROSE_MIN_CHARS or text.rstrip(":.").casefold() in _PLAIN_HEADINGS:
            break
        found.add(index)
    return frozenset(found)


def _same_look(page: Composition, index: int) -> bool:
    block = page.blocks[index]
    return block.joins_previous and abs(block.size - page.blocks[index - 1].size) < 0.3


def _goes_on(page: Composition, index: int, parts: Sequence[Section]) -> bool:
    """Whether a heading is the next line of the one before it."""
    if not parts:
        return False
    before = parts[-1]
    block, last = page.blocks[index], page.blocks[index - 1]
    alike = abs(block.size - last.size) < 0.3 and block.bold == last.bold
    near = 0 <= block.top - last.bottom + 0.3 * block.size < block.size
    numbered = _NUMBERED.match(page.text[block.start : block.end]) is not None
    return before.kind == "heading" and bool(before.path) and last.end == before.end and alike and near and not numbered


def _runs_on(before: Section, part: Section, joined: bool) -> bool:
    """Whether a block goes into the section before it: body text of one path, or a sentence that is broken."""
    if before.path != part.path or before.kind != part.kind:
        return False
    return part.kind == "body" or (part.kind in ("caption", "heading") and joined)


def _depth(text: str) -> int:
    match = _NUMBERED.match(text)
    return match["number"].count(".") + 1 if match else 0


def _closes(last: _Open, heading: _Open) -> bool:
    """Whether a new heading ends an open one: outline, then numbers decide where both have one, else the type size."""
    if heading.level:
        return last.level >= heading.level or not last.level
    if heading.depth and last.depth:
        return last.depth >= heading.depth
    return last.size <= heading.size + 0.3


def _is_heading(text: str, block: Block, body: float) -> bool:
    stripped = " ".join(text.split())
    if (
        "@" in stripped
        or not 2 <= len(stripped) <= HEADING_MAX_CHARS
        or block.line_count > HEADING_MAX_LINES
        or block.cell_rows
    ):
        return False
    letters = sum(char.isalpha() for char in stripped)
    if letters < 2 or letters < 0.5 * len(stripped.replace(" ", "")):
        return False
    numbered = _NUMBERED.match(stripped) is not None
    if stripped.endswith((".", ",", ";", "-")) and not (numbered and block.bold):
        return False
    if block.size >= body * LARGER:
        return True
    upper = stripped.isupper() and letters >= 4
    if block.size < body * 0.95:
        return upper and numbered  # small capitals: most of their letters are set smaller
    plain = stripped.rstrip(":.").casefold() in _PLAIN_HEADINGS
    return plain or (block.bold and (numbered or stripped[0].isupper() or upper)) or (upper and numbered)
