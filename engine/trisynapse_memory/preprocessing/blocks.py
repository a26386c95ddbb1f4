"""Blocks of a document in, one page's text with its sections out: what readers of all formats with structure share.

The stored text is made here once: blocks with a blank line between them, list entries and table rows on lines of their
own. Every offset counts in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from trisynapse_memory.types import Locator, Modality, Section

CELL_JOINT: Final = " | "


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, list entry, table or stretch of code; ``level`` is the rank of a heading, else 0.

    ``headers`` are the column headers of a table (``header_line``); ``fields`` are searchable extras; ``locator`` says
    where the block lies when page and offsets do not say it all (a slide, a row, a cell).
    """

    text: str
    kind: str = "body"
    level: int = 0
    headers: str = ""
    code: bool = False
    entry: bool = False
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    locator: Locator | None = None
    modality: Modality | None = None


def table_block(
    rows: Sequence[Sequence[str]], headers: Sequence[str] = (), locator: Locator | None = None
) -> Block | None:
    """Write a table as lines of cells.

    Args:
        rows: the cells of every row, the header row included where there is one; line breaks in cells become spaces.
        headers: the header of each column, so that every chunk of a long table carries them; empty: none is known.
        locator: where the table lies, if page and offsets do not say it all.

    Returns:
        The block, or None when no cell holds a word.
    """
    lines = [
        CELL_JOINT.join(" ".join(cell.split()) for cell in row).rstrip() for row in rows if any(map(str.strip, row))
    ]
    return Block("\n".join(lines), "table", headers=header_line(headers), locator=locator) if lines else None


def header_line(headers: Sequence[str]) -> str:
    """Write the column headers of a table as one line. One without a word keeps its place, for those behind it.

    Returns:
        The line, to be split at ``CELL_JOINT`` again; empty where no header has a word.
    """
    names = [" ".join(header.split()) for header in headers]
    return CELL_JOINT.join(names) if any(names) else ""


def compose(
    blocks: Sequence[Block], observed_at: datetime | None = None, above: Sequence[tuple[int, str]] = ()
) -> tuple[str, tuple[Section, ...]]:
    """Write blocks as one text, and say where each lies and under which headings.

    Args:
        blocks: the blocks of one page, in order.
        observed_at: when what they say was said.
        above: the headings (level, words) that the pages before left open.
    """
    parts: list[str] = []
    sections: list[Section] = []
    headings = list(above)
    length, previous = 0, None
    for block in blocks:
        if previous is not None:
            joint = "\n" if previous.entry and block.entry else "\n\n"
            parts.append(joint)
            length += len(joint)
        headings = open_headings(headings, block)
        sections.append(_section(block, length, tuple(words for _, words in headings), observed_at))
        parts.append(block.text)
        length += len(block.text)
        previous = block
    return "".join(parts), tuple(sections)


def open_headings(headings: Sequence[tuple[int, str]], block: Block) -> list[tuple[int, str]]:
    """Return the headings (level, words) that stand open behind a block, outermost first."""
    if not block.level:
        return list(headings)
    return [*(one for one in headings if one[0] < block.level), (block.level, " ".join(block.text.split()))]


def _section(block: Block, start: int, path: tuple[str, ...], observed_at: datetime | None) -> Section:
    told = Modality.TABLE if block.kind == "table" else Modality.CODE if block.code else Modality.DOCUMENT
    return Section(
        start=start,
        end=start + len(block.text),
        path=path,
        kind=block.kind,
        modality=block.modality or told,
        fields={**block.fields, **({"headers": block.headers} if block.headers else {})},
        locator=block.locator,
        observed_at=observed_at,
    )
