"""The outline of a document as its file states it in, its entries by page and where they stand on it out.

An outline is a claim like any other: an entry counts where the page shows its words, or at the height it names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from trisynapse_memory.preprocessing.pdf.scribe import Block

MAX_ENTRIES: Final = 5_000  # of one outline; more is no table of contents
MIN_ENTRIES: Final = 2
MAX_LINES: Final = 4  # of a block that can be a heading
_REACH_PT: Final = 6.0  # points; an entry may name a height a little below the top of its heading


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the outline: its words, its rank (1 is outermost), and the height on its page, where one is named."""

    title: str
    level: int
    top: float | None


class Line(NamedTuple):
    """A line as the file states it: rank, words, page (from 1; below: none), and a height on it in points."""

    level: int
    title: str
    page: int
    top: float | None


def entries_by_page(outline: Sequence[Line], title: str) -> dict[int, tuple[Entry, ...]]:
    """Sort an outline by page.

    Args:
        outline: the lines of the whole outline, in order.
        title: of the document; an outline that hangs below it as a whole is told without it.
    """
    if not MIN_ENTRIES <= len(outline) <= MAX_ENTRIES:
        return {}
    roots = [line for line in outline if line.level == 1]
    first = outline[0]
    rooted = len(roots) == 1 and first.level == 1 and (first.page <= 1 or folded(first.title) == folded(title))
    pages: dict[int, list[Entry]] = {}
    for line in outline[1:] if rooted else outline:
        words = " ".join(line.title.split())
        if words and line.page >= 1:
            pages.setdefault(line.page, []).append(Entry(words, line.level - rooted, line.top))
    return {page: tuple(entries) for page, entries in pages.items()}


def place_entries(entries: Sequence[Entry], text: str, blocks: Sequence[Block]) -> dict[int, tuple[Entry, bool]]:
    """Find the block at which each entry opens its section, and whether that block is its heading.

    Entries whose words the page does not show open at the first block below the height they name; without one they
    are left out.
    """
    placed: dict[int, tuple[Entry, bool]] = {}
    start = 0
    for entry in entries:
        name = folded(entry.title)
        found = next(
            (
                index
                for index in range(start, len(blocks))
                if index not in placed
                and blocks[index].line_count <= MAX_LINES
                and _says(folded(text[blocks[index].start : blocks[index].end]), name)
            ),
            None,
        )
        if found is not None:
            placed[found] = entry, True
            start = found + 1
        elif entry.top is not None:
            below = [i for i, b in enumerate(blocks) if b.top >= entry.top - _REACH_PT and not b.minor and i >= start]
            if below and below[0] not in placed:
                placed[below[0]] = entry, False
    return placed


def folded(text: str) -> str:
    """Letters and digits alone, in one case: what stays the same between an outline and a page."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


def _says(block: str, name: str) -> bool:
    """Whether a block is a heading of these words, with its number or without, whole or its first line."""
    if not name or not block:
        return False
    bare = re.sub(r"^(?:appendix|chapter|section|part)?[\dIVXivx.]{0,6}", "", block) if block != name else block
    return block == name or bare == name or (len(block) >= 8 and name.startswith(block)) or (block.endswith(name) and (
        len(block) - len(name) <= 6
    ))  # fmt: skip
