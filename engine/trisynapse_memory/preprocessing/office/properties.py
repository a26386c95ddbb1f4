"""What an office file says about itself in, its title, authors and date out; what programs fill in is left out.

A title that a template brought along is no title: one that the file states but does not show loses to the one shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.preprocessing.office.packages import Package
from trisynapse_memory.preprocessing.office.xml import below, text_below

_NO_TITLE: Final = re.compile(
    r"untitled|unknown|title|document\s?\d*|dokument\s?\d*|microsoft .*|powerpoint.*|slide ?\d+|presentation\s?\d*|"
    r"pr[äe]sentation\s?\d*|folie \d+|(?:book|mappe|workbook|sheet)\s?\d*|\S+\.(?:docx?|pptx?|xlsx?|odt|rtf|tex)|"
    r"[\W\d_]*|word document|normal(?:\.dot[mx]?)?",
    re.IGNORECASE,
)
_NO_AUTHOR: Final = re.compile(
    r"author|admin(?:istrator)?|user|users?|owner|python-docx|python-pptx|openpyxl|xlsxwriter|unknown|microsoft.*|"
    r"apache poi|libreoffice|docx4j|windows user|steve canny|un-named|[\W\d_]*",
    re.IGNORECASE,
)
_TAG_CHARS: Final = 60  # a longer keyword is a sentence
_TAGS_MAX: Final = 12
_HEAD_CHARS: Final = 4000  # a title is shown near the beginning
_TITLE_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class Properties:
    """What the file states: raw title, authors, the moment it was last written, language, keywords."""

    title: str = ""
    authors: tuple[str, ...] = ()
    written_at: datetime | None = None
    language: str = ""
    tags: tuple[str, ...] = ()

    @property
    def published(self) -> str:
        """The day it was last written, in ISO 8601; empty where the file does not say."""
        return self.written_at.date().isoformat() if self.written_at else ""


def core_properties(package: Package) -> Properties:
    """Read the core properties of an Open XML package."""
    arrows = package.relations().values()
    part = next((arrow.target for arrow in arrows if arrow.kind == "core-properties"), "docProps/core.xml")
    root = package.xml(part)
    keys = ("title", "creator", "modified", "created", "language", "keywords")
    found = {tag: text_below(next(below(root, tag), None)) for tag in keys}
    properties = stated(
        found["title"], found["creator"].split(";"), (found["modified"], found["created"]), found["language"]
    )
    return replace(properties, tags=tags_of([found["keywords"]]))


def odf_properties(package: Package) -> Properties:
    """Read the metadata of an OpenDocument package."""
    root = package.xml("meta.xml")
    keys = ("title", "initial-creator", "creator", "date", "creation-date", "language")
    found = {tag: text_below(next(below(root, tag), None)) for tag in keys}
    author = found["initial-creator"] or found["creator"]
    # LibreOffice writes nanoseconds, which are no ISO 8601 here.
    dates = [re.sub(r"(\.\d{6})\d+", r"\1", found[key]) for key in ("date", "creation-date")]
    properties = stated(found["title"], author.split(";"), dates, found["language"])
    return replace(properties, tags=tags_of([text_below(one) for one in below(root, "keyword")]))


def tags_of(keywords: Sequence[str]) -> tuple[str, ...]:
    """Return keywords as their author gave them, several of one field apart; at most twelve, no sentences."""
    parts = (" ".join(part.split()) for one in keywords for part in re.split(r"[;,\n]", one))
    return tuple(dict.fromkeys(part for part in parts if part and len(part) <= _TAG_CHARS))[:_TAGS_MAX]


def stated(title: str, authors: Sequence[str], dates: Sequence[str], language: str = "") -> Properties:
    """Return properties without what programs fill in; the first date that can be read counts."""
    names = (" ".join(author.split()) for author in authors)
    moments = (from_iso(date.replace("Z", "+00:00")) for date in dates if date.strip())
    return Properties(
        title="" if _NO_TITLE.fullmatch(title.strip()) else " ".join(title.split())[:_TITLE_CHARS],
        authors=tuple(dict.fromkeys(name for name in names if not _NO_AUTHOR.fullmatch(name))),
        written_at=next((moment for moment in moments if moment is not None), None),
        language=language.strip()[:35],
    )


def title_of(properties: Properties, blocks: Sequence[Block], titled: str = "") -> str:
    """Return the title of a document.

    Args:
        properties: what the file states.
        blocks: its first blocks.
        titled: what it shows in the style of a title.
    """
    head = " ".join(" ".join(block.text.split()) for block in blocks[:40])[:_HEAD_CHARS].casefold()
    if properties.title and properties.title.casefold() in head:
        return properties.title
    heading = next((block.text for block in blocks[:10] if block.level), "")
    return " ".join((titled or properties.title or heading).split())[:_TITLE_CHARS]
