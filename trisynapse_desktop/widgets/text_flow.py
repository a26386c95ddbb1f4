"""A source's stored text in, styled blocks that remember where each run stood in it out; nothing is laid out here.

Citations count characters of the stored text. What is shown leaves Markdown's signs out, so every run keeps its offset.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

TITLE_LENGTH = 90  # characters; a longer lone line of a web page is a paragraph, not a heading


class TextKind(StrEnum):
    """How a stored text is to be read."""

    MARKDOWN = "markdown"
    ARTICLE = "article"
    CODE = "code"
    PLAIN = "plain"


class BlockStyle(StrEnum):
    """What a block is."""

    BODY = "body"
    HEADING = "heading"
    ENTRY = "entry"
    QUOTE = "quote"
    CODE = "code"
    META = "meta"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of one look; ``start`` is the offset of its first character in the stored text."""

    text: str
    start: int
    bold: bool = False
    italic: bool = False
    code: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, list entry or table row. ``level`` ranks a heading or the depth of an entry.

    ``cells`` are the cells of a table row; every other block has its ``runs``. ``sign`` stands before an entry.
    """

    style: BlockStyle
    runs: tuple[Run, ...] = ()
    level: int = 0
    sign: str = ""
    cells: tuple[tuple[Run, ...], ...] = ()


_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_ENTRY = re.compile(r"([ \t]*)([-*+•]|\d{1,3}[.)])[ \t]+")
_QUOTE = re.compile(r"[ \t]*>[ \t]?")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_RULE = re.compile(r"[ \t]*([-*_])([ \t]*\1){2,}[ \t]*$")
_DIVIDER = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$")
_INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|\[\[(?P<wiki>[^\]|\n]+)(?:\|[^\]\n]*)?\]\]"
    r"|!?\[(?P<text>[^\]\n]*)\]\((?P<href>[^)\s]*)[^)\n]*\)"
    r"|\*\*(?P<bold>[^\n]+?)\*\*|__(?P<bold2>[^\n]+?)__"
    r"|(?<![\w*])\*(?=\S)(?P<italic>[^*\n]+?)(?<=\S)\*(?![\w*])|(?<![\w_])_(?P<italic2>[^_\s][^_\n]*?)_(?![\w_])"
)


def flow(text: str, kind: TextKind, start: int = 0) -> Iterator[Block]:
    """Read a text into blocks.

    Args:
        text: the stored text of a page.
        kind: how it is to be read.
        start: the offset of its first character, where several pages follow each other.
    """
    if kind is TextKind.MARKDOWN:
        yield from _markdown(text, start)
    elif kind is TextKind.ARTICLE:
        yield from _article(text, start)
    else:
        style = BlockStyle.CODE if kind is TextKind.CODE else BlockStyle.BODY
        for line, at in _lines(text):
            yield Block(style, (Run(line, start + at),))


def _markdown(text: str, start: int) -> Iterator[Block]:
    fenced, meta = False, False
    depth = -1
    paragraph: list[tuple[str, int]] = []
    for line, at in _lines(text):
        here = start + at
        if meta or (at == 0 and line.strip() == "---"):
            meta = not (meta and line.strip() == "---")
            if line.strip() != "---":
                yield Block(BlockStyle.META, (Run(line, here),))
            continue
        if _FENCE.match(line):
            yield from _joined(paragraph, depth)
            fenced = not fenced
        elif fenced:
            yield Block(BlockStyle.CODE, (Run(line, here, code=True),))
        elif (block := _own_block(line, here)) is not None:
            yield from _joined(paragraph, depth)
            depth = block.level if block.style is BlockStyle.ENTRY else -1
            yield block
        elif not line.strip() or _RULE.match(line) or _DIVIDER.match(line):
            yield from _joined(paragraph, depth)
        elif line.lstrip().startswith("|"):
            yield from _joined(paragraph, depth)
            yield Block(BlockStyle.TABLE, cells=_cells(line, here, "|"))
        else:
            # A line that is not indented ends the list, unless it only goes on with the entry's sentence.
            depth = depth if line[:1].isspace() or paragraph else -1
            paragraph.append((line, here))
    yield from _joined(paragraph, depth)


def _own_block(line: str, here: int) -> Block | None:
    """Read a line that is a block by itself: a heading, an entry, a quotation."""
    if found := _HEADING.match(line):
        return Block(BlockStyle.HEADING, tuple(_inline(found[2].rstrip(), here + found.start(2))), len(found[1]))
    if _RULE.match(line):
        return None
    if found := _ENTRY.match(line):
        depth = len(found[1].expandtabs(4)) // 2
        sign = found[2] if found[2][0].isdigit() else "•"
        return Block(BlockStyle.ENTRY, tuple(_inline(line[found.end() :], here + found.end())), depth, sign)
    if found := _QUOTE.match(line):
        return Block(BlockStyle.QUOTE, tuple(_inline(line[found.end() :], here + found.end())))
    return None


def _joined(paragraph: list[tuple[str, int]], depth: int = -1) -> Iterator[Block]:
    """Make one paragraph of the lines gathered, as Markdown does; under a list entry it belongs to the entry."""
    runs: list[Run] = []
    for line, here in paragraph:
        if runs:
            runs.append(Run(" ", here - 1))
        lead = len(line) - len(line.lstrip())
        runs.extend(_inline(line.strip(), here + lead))
    paragraph.clear()
    if runs:
        yield Block(BlockStyle.BODY, tuple(runs)) if depth < 0 else Block(BlockStyle.ENTRY, tuple(runs), depth)


def _article(text: str, start: int) -> Iterator[Block]:
    """Read the text of a web page: blank lines part blocks, a lone short line without a full stop is a heading."""
    lines = list(_lines(text))
    for place, (line, at) in enumerate(lines):
        if not line.strip():
            continue
        before = not place or not lines[place - 1][0].strip()
        after = place + 1 == len(lines) or not lines[place + 1][0].strip()
        here = start + at
        if " | " in line:
            yield Block(BlockStyle.TABLE, cells=_cells(line, here, " | "))
        elif before and after and len(line) <= TITLE_LENGTH and line.rstrip()[-1] not in ".!?:;,…”\"'":
            yield Block(BlockStyle.HEADING, (Run(line, here),), 1 if place == 0 else 2)
        elif not (before and after):
            yield Block(BlockStyle.ENTRY, (Run(line, here),), 0, "•")
        else:
            yield Block(BlockStyle.BODY, (Run(line, here),))


def _cells(line: str, here: int, mark: str) -> tuple[tuple[Run, ...], ...]:
    cells: list[tuple[Run, ...]] = []
    at = 0
    for part in line.split(mark):
        lead = len(part) - len(part.lstrip())
        if part.strip() or (at > 0 and at + len(part) < len(line)):
            cells.append(tuple(_inline(part.strip(), here + at + lead)))
        at += len(part) + len(mark)
    return tuple(cells)


def _inline(text: str, start: int, bold: bool = False, italic: bool = False, href: str = "") -> Iterator[Run]:
    at = 0
    for found in _INLINE.finditer(text):
        if found.start() > at:
            yield Run(text[at : found.start()], start + at, bold, italic, href=href)
        name = str(found.lastgroup) if found["text"] is None else "text"
        inner, place = found[name], start + found.start(name)
        if name == "code":
            yield Run(inner, place, bold, italic, True, href)
        elif name == "wiki":
            yield Run(inner, place, bold, italic, href=f"wiki:{inner}")
        elif name == "text":
            yield from _inline(inner, place, bold, italic, found["href"])
        else:
            yield from _inline(inner, place, bold or "bold" in name, italic or "italic" in name, href)
        at = found.end()
    if at < len(text):
        yield Run(text[at:], start + at, bold, italic, href=href)


def _lines(text: str) -> Iterator[tuple[str, int]]:
    at = 0
    for line in text.split("\n"):
        yield line, at
        at += len(line) + 1
