"""One whole text with its sections in, pages of about 64 KiB out, cut between sections. Nothing is read or stored here.

For files that must be read as a whole before their sections are known: code, notebooks, settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from trisynapse_memory.preprocessing.paging import PAGE_BYTES
from trisynapse_memory.text.lines import narrowed
from trisynapse_memory.types import Section

PAGE_CHARS: Final = PAGE_BYTES
_LONGEST: Final = PAGE_CHARS * 5 // 4


def cut_pages(text: str, sections: Sequence[Section]) -> tuple[tuple[str, tuple[Section, ...]], ...]:
    """Cut a text into pages that together are the text.

    Args:
        text: the whole.
        sections: in order, without overlap. One that is longer than a page is cut at lines, its line numbers with it.

    Returns:
        The text of each page with its sections, their offsets counted in it; at least one page.
    """
    pages: list[tuple[str, tuple[Section, ...]]] = []
    begun, kept = 0, list[Section]()
    for section in (part for whole in sections for part in _parts(text, whole)):
        if kept and (section.end - begun > _LONGEST or section.start - begun >= PAGE_CHARS):
            border = section.start
            pages.append(_page(text, begun, border, kept))
            begun, kept = border, []
        kept.append(section)
    pages.append(_page(text, begun, len(text), kept))
    return tuple(pages)


def _page(text: str, begun: int, end: int, sections: Sequence[Section]) -> tuple[str, tuple[Section, ...]]:
    moved = (structs.replace(one, start=one.start - begun, end=one.end - begun) for one in sections)
    return text[begun:end], tuple(moved)


def _parts(text: str, section: Section) -> Iterator[Section]:
    start = section.start
    while section.end - start > _LONGEST:
        cut = text.rfind("\n", start + PAGE_CHARS // 2, start + PAGE_CHARS) + 1 or start + PAGE_CHARS
        yield from _part(text, section, start, cut)
        start = cut
    yield from _part(text, section, start, section.end)


def _part(text: str, section: Section, start: int, end: int) -> Iterator[Section]:
    if not text[start:end].strip():
        return
    place = section.locator
    if place is not None:
        words = text[section.start : section.end]
        place = narrowed(place, words, start - section.start, end - section.start)
    yield structs.replace(section, start=start, end=end, locator=place)
