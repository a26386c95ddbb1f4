"""The bytes of a rich text file in, the document out: its pages, and what it says about itself."""

from __future__ import annotations

from dataclasses import replace

from trisynapse_memory.preprocessing.office.leaves import LeafDocument, cut
from trisynapse_memory.preprocessing.office.properties import Properties, stated, title_of
from trisynapse_memory.preprocessing.office.rtf_text import RtfReader
from trisynapse_memory.preprocessing.office.rtf_tokens import tokens
from trisynapse_memory.types import Heading, PageVerdict


def read_rtf(raw: bytes) -> LeafDocument:
    """Read a whole document; what is broken in it is passed over."""
    reader = RtfReader()
    for token in tokens(raw):
        reader.feed(token)
    text = reader.finish()
    properties = _properties(text.stated)
    leaves = cut(text.blocks)
    if text.picture_count:
        note = f"{text.picture_count} picture{'s' if text.picture_count > 1 else ''}, not read"
        leaves[0] = replace(leaves[0], note=note, verdict=PageVerdict.IMAGE_ONLY)
    heading = Heading(
        page_count=len(leaves),
        title=title_of(properties, text.blocks, text.titled),
        authors=properties.authors,
        published=properties.published,
        media_type="application/rtf",
        method="rtf",
    )
    return LeafDocument(heading, leaves, said_at=properties.written_at)


def _properties(told: dict[str, str]) -> Properties:
    dates = [
        "-".join(told.get(f"{key} {part}", "").zfill(2) for part in ("yr", "mo", "dy")) for key in ("revtim", "creatim")
    ]
    return stated(told.get("title", ""), told.get("author", "").split(";"), dates)
