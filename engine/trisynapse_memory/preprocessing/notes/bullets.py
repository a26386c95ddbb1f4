"""A page that is one outline of bullets (Logseq) in, a section for each top bullet with all below it out. Pure."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from trisynapse_memory.types import Section

_TOP: Final = re.compile(r"^[-*+](?:[ \t]|$)", re.MULTILINE)
_HEADING: Final = re.compile(r"[-*+][ \t]+(#{1,6})[ \t]+(.+)")
_SHARE: Final = 0.9  # of the lines that are no bullets and not below one, at most the rest: a list in a text is none


def is_bulleted(text: str, start: int) -> bool:
    """Tell whether everything from ``start`` on hangs on bullets, as a page of Logseq does.

    Lines above the first bullet (properties of the page) do not count against it.
    """
    first = _TOP.search(text, start)
    if first is None or text[start : first.start()].count("\n\n") > 1 or "\n#" in text[start : first.start()]:
        return False
    lines = [line for line in text[first.start() :].split("\n") if line.strip()]
    hanging = sum(line[0] in "-*+ \t" for line in lines)
    return len(lines) > 1 and hanging >= _SHARE * len(lines)


def read_bullets(text: str, start: int) -> tuple[Section, ...]:
    """Return one section a top bullet; a bullet that is a heading is the path of those after it."""
    borders = [start, *(match.start() for match in _TOP.finditer(text, start)), len(text)]
    headings: list[tuple[int, str]] = []
    sections: list[Section] = []
    for begin, end in pairwise(borders):
        inner = text[begin:end].strip()
        if not any(letter.isalnum() for letter in inner):
            continue
        begin += text[begin:end].index(inner[0])
        kind = "body"
        if found := _HEADING.match(inner):
            level = len(found[1])
            headings = [*(one for one in headings if one[0] < level), (level, found[2].strip())]
            kind = "heading" if "\n" not in inner else "body"
        path = tuple(words for _, words in headings)
        sections.append(Section(start=begin, end=begin + len(inner), path=path, kind=kind))
    return tuple(sections)
