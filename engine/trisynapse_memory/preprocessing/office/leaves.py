"""Blocks of a whole document in, its pages out: cut at top headings or at 64 KiB, hidden words kept apart.

An office file has no pages until it is printed; these are ours. They end where a chapter ends, so that a page is a
unit of progress and the same file gives the same pages again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block, compose, open_headings
from trisynapse_memory.types import Heading, Listing, Page, PageVerdict, Section

HIDDEN: Final = "hidden"
"""The kind of a block that a reader cannot see; it never becomes a section."""
LEAF_CHARS: Final = 65_536
_CHAPTER_CHARS: Final = 16_384  # a page that long ends at the next top heading

Headings = tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One page before it is written: its blocks, what a reader calls it, and the headings left open before it.

    ``verdict`` is that of a page without words.
    """

    blocks: tuple[Block, ...]
    label: str = ""
    flags: tuple[str, ...] = ()
    note: str = ""
    above: Headings = ()
    verdict: PageVerdict = PageVerdict.EMPTY


BROKEN: Final = Leaf((), note="the text breaks off here: the rest is broken in the file", verdict=PageVerdict.DAMAGED)
"""The page that stands for what could not be read of a document."""


def cut(blocks: Sequence[Block], label: str = "", above: Headings = ()) -> list[Leaf]:
    """Cut a document into pages; a table longer than a page goes on on the next one, with its headers."""
    leaves: list[Leaf] = []
    page: list[Block] = []
    start = headings = list(above)
    length = 0
    top = min((block.level for block in blocks if block.level), default=1)
    for block in (part for whole in blocks for part in _shortened(whole)):
        chapter = 0 < block.level <= top + 1 and length >= _CHAPTER_CHARS
        if page and (chapter or length + len(block.text) > LEAF_CHARS):
            leaves.append(Leaf(tuple(page), label, above=tuple(start)))
            page, length, start = [], 0, headings
        headings = open_headings(headings, block)
        page.append(block)
        length += len(block.text)
    if page or not leaves:
        leaves.append(Leaf(tuple(page), label, above=tuple(start)))
    return leaves


def _shortened(block: Block) -> Iterator[Block]:
    """A block longer than a page, in parts that end where lines do."""
    if len(block.text) <= LEAF_CHARS:
        yield block
        return
    part: list[str] = []
    length = 0
    for line in block.text.split("\n"):
        for start in range(0, max(1, len(line)), LEAF_CHARS):
            piece = line[start : start + LEAF_CHARS]
            if part and length + len(piece) > LEAF_CHARS:
                yield replace(block, text="\n".join(part))
                part, length = [], 0
            part.append(piece)
            length += len(piece) + 1
    if any(map(str.strip, part)):
        yield replace(block, text="\n".join(part))


def write_leaf(
    leaf: Leaf, number: int, method: str, observed_at: datetime | None = None
) -> tuple[Page, tuple[Section, ...]]:
    """Write one page: its text, its sections, its verdict."""
    shown = [block for block in leaf.blocks if block.kind != HIDDEN and block.text.strip()]
    hidden = "\n".join(block.text for block in leaf.blocks if block.kind == HIDDEN and block.text.strip())
    text, sections = compose(shown, observed_at, leaf.above)
    page = Page(
        number=number,
        text=text,
        verdict=PageVerdict.OK if text else leaf.verdict,
        label=leaf.label,
        flags=(*(("hidden-text",) if hidden else ()), *leaf.flags),
        method=method,
        note=leaf.note or ("" if text else "all of it is hidden" if hidden else "no words"),
        hidden_text=hidden,
    )
    return page, sections


class LeafDocument:
    """A document that is open: all its pages were read when it was opened."""

    def __init__(
        self, heading: Heading, leaves: Sequence[Leaf], members: Sequence[Listing] = (), said_at: datetime | None = None
    ) -> None:
        self.heading = heading
        self._leaves = leaves
        self._members = members
        self._said_at = said_at

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones."""
        for number in range(max(1, start), len(self._leaves) + 1):
            yield write_leaf(self._leaves[number - 1], number, self.heading.method, self._said_at)

    def members(self) -> Iterator[Listing]:
        """Yield the files that lie in this one."""
        yield from self._members

    def close(self) -> None:
        """Do nothing: the file was closed when it was read."""
