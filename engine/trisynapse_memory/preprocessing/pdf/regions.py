"""The sections of a page and what is drawn on it in, its figures and tables as places with their captions out.

A figure is what is drawn next to a caption that says so; a table is known already. Both get the rectangle that has to
be cut out of the page to look at them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import structs

from trisynapse_memory.preprocessing.blocks import header_line
from trisynapse_memory.preprocessing.pdf.captions import TABLE_CAPTION
from trisynapse_memory.preprocessing.pdf.lines import Box
from trisynapse_memory.preprocessing.pdf.scribe import Block
from trisynapse_memory.types import Locator, Modality, Section

NEAR_PT: Final = 45.0  # points between a caption and what it is about
TOGETHER_PT: Final = 14.0  # points between the parts of one figure
MIN_SIDE_PT: Final = 20.0  # points; what is smaller is a rule, a bullet or a letter
MAX_SHARE: Final = 0.9  # of the page; what is larger is its ground
MAX_PARTS: Final = 1_000  # pictures and shapes of one page that are looked at
MAX_CAPTION_CHARS: Final = 600


def with_regions(
    text: str, sections: Sequence[Section], blocks: Sequence[Block], drawn: Callable[[], Sequence[Box]], page: Box
) -> tuple[Section, ...]:
    """Say of tables, figures and their captions where they lie, and of tables what their columns are called.

    Args:
        text: the text of the page.
        sections: of the page, in text order.
        blocks: of the page.
        drawn: the boxes of pictures and shapes; asked only where a caption needs them.
        page: the box of the page.
    """
    boxes = [_box_of([b.box for b in blocks if section.start <= b.start < section.end]) for section in sections]
    captions = {i: text[s.start : s.end] for i, s in enumerate(sections) if s.kind == "caption"}
    tables = [i for i, section in enumerate(sections) if section.kind == "table"]
    if not captions and not tables:
        return tuple(sections)
    pairs = _paired(tables, [i for i, caption in captions.items() if TABLE_CAPTION.match(caption)], boxes)
    headers = {block.start: block.headers for block in blocks if block.headers}
    placed = list(sections)
    for index in tables:
        caption = _plain(captions[pairs[index]]) if index in pairs else ""
        placed[index] = _table(sections[index], boxes[index], headers.get(sections[index].start, ()), caption)
    owners = {caption: boxes[table] for table, caption in pairs.items()}
    figures = [i for i, caption in captions.items() if i not in owners and not TABLE_CAPTION.match(caption)]
    parts = _clusters(drawn(), page, [boxes[index] for index in captions]) if figures else []
    for index in captions:
        rect = owners.get(index) or (_nearest(boxes[index], parts) if index in figures else None)
        if rect is not None:
            locator = Locator(kind="region", rect=_rounded(rect), caption=_plain(captions[index]))
            placed[index] = structs.replace(sections[index], locator=locator)
    return tuple(placed)


def _table(section: Section, box: Box, headers: Sequence[str], caption: str) -> Section:
    fields = {"headers": told} if (told := header_line(headers)) else {}
    if caption:
        fields["caption"] = caption
    locator = Locator(kind="region", rect=_rounded(box), caption=caption or None, headers=tuple(headers))
    return structs.replace(section, modality=Modality.TABLE, fields=fields, locator=locator)


def _paired(tables: Sequence[int], captions: Sequence[int], boxes: Sequence[Box]) -> dict[int, int]:
    """Give every table the nearest caption, and every caption one table.

    Documents put captions above their tables or below; of two tables with one between, that tells whose it is.
    """
    order = sorted((_gap(boxes[table], boxes[caption]), table, caption) for table in tables for caption in captions)
    near = [(table, caption) for gap, table, caption in order if gap <= NEAR_PT]
    above = [pair for pair in near if boxes[pair[1]][1] < boxes[pair[0]][1]]
    below = [pair for pair in near if boxes[pair[1]][1] >= boxes[pair[0]][1]]
    sides = sorted((above, below), key=lambda side: -len(_matched(side)))
    usual = near if len(_matched(above)) == len(_matched(below)) else [*sides[0], *sides[1]]
    return _matched(usual)


def _matched(pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for table, caption in pairs:
        if table not in found and caption not in found.values():
            found[table] = caption
    return found


def _nearest(caption: Box, parts: Sequence[Box]) -> Box | None:
    near = [part for part in parts if _gap(caption, part) <= NEAR_PT]
    return min(near, key=lambda part: (round(_gap(caption, part)), -(part[2] - part[0]))) if near else None


def _clusters(boxes: Sequence[Box], page: Box, captions: Sequence[Box]) -> list[Box]:
    """Join what lies together, and leave out rules and grounds; what lies under a caption is a ground."""
    whole = (page[2] - page[0]) * (page[3] - page[1])
    clusters: list[Box] = []
    for left, top, right, bottom in boxes[:MAX_PARTS]:
        box = max(left, page[0]), max(top, page[1]), min(right, page[2]), min(bottom, page[3])
        if box[2] < box[0] or box[3] < box[1] or (box[2] - box[0]) * (box[3] - box[1]) > MAX_SHARE * whole:
            continue
        if any(_holds(box, caption) for caption in captions):
            continue
        while True:
            touching = [one for one in clusters if _gap(one, box) <= TOGETHER_PT]
            if not touching:
                break
            clusters = [one for one in clusters if one not in touching]
            box = _box_of([box, *touching])
        clusters.append(box)
    return [one for one in clusters if min(one[2] - one[0], one[3] - one[1]) >= MIN_SIDE_PT]


def _holds(box: Box, caption: Box) -> bool:
    x, y = (caption[0] + caption[2]) / 2, (caption[1] + caption[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _gap(one: Box, other: Box) -> float:
    """The white between two boxes; boxes that lie diagonally are as far apart as both ways together."""
    across = max(one[0] - other[2], other[0] - one[2], 0.0)
    down = max(one[1] - other[3], other[1] - one[3], 0.0)
    return across + down


def _box_of(boxes: Sequence[Box]) -> Box:
    if not boxes:
        return (0.0, 0.0, 0.0, 0.0)
    return (
        min(box[0] for box in boxes), min(box[1] for box in boxes),
        max(box[2] for box in boxes), max(box[3] for box in boxes),
    )  # fmt: skip


def _rounded(box: Box) -> Box:
    return round(box[0], 2), round(box[1], 2), round(box[2], 2), round(box[3], 2)


def _plain(caption: str) -> str:
    return " ".join(caption.split())[:MAX_CAPTION_CHARS]
