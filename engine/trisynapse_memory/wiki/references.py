"""A place in a source in, the words of its footnote out: author, title, page, quote. Plain text; no format is known.

"Michelson 1880, Annapolis and Washington, p. 2 ("That value did not stand.")"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trisynapse_memory.types import Locator, Source, Support
from trisynapse_memory.wiki.wording import reading

QUOTE_LENGTH: Final = 300  # characters of a footnote's quote; the words behind it are a click away
AUTHORS_NAMED: Final = 2


def author_year(source: Source) -> str:
    """Return ``Lewis 2020``, ``Lewis and Meyer 2020`` or ``Lewis et al. 2020``, or what of it is known."""
    names = [_surname(author) for author in source.authors if author.strip()]
    who = " and ".join(names) if len(names) <= AUTHORS_NAMED else f"{names[0]} et al."
    year = source.published[:4] if source.published[:4].isdigit() else ""
    return f"{who} {year}".strip()


def place_of(locator: Locator | None) -> str:
    """Return where a passage stands, as a reader of that source would say: its page, heading, row, line or time."""
    if locator is None:
        return ""
    if locator.kind == "row" and locator.row is not None:
        sheet = f"{locator.sheet}, " if locator.sheet else ""
        return f"{sheet}row {locator.row}"
    if locator.kind == "symbol" and locator.start_line is not None:
        return f"line {locator.start_line}"
    if locator.kind == "time" and locator.start_s is not None:
        return _clock(locator.start_s)
    if locator.kind == "slide" and locator.slide is not None:
        return f"slide {locator.slide}"
    if locator.kind in {"page", "region"} and (locator.page_label or locator.page is not None):
        return f"p. {locator.page_label or locator.page}"
    return reading(locator.heading or locator.speaker or "")


def reference(support: Support, sources: Mapping[str, Source], about: str = "") -> str:
    """Return the footnote of a place, without full stop.

    Args:
        support: the place and its words.
        sources: what is known of sources, by id; of one that is not there the title alone is told.
        about: the source whose own page the footnote stands on; there its place is enough.
    """
    source = sources.get(support.source_id or "")
    title = reading(source.title if source is not None else support.title)
    place = place_of(support.locator)
    parts = [author_year(source) if source is not None else "", title, "" if place == title else place]
    if place and support.source_id == about:
        parts = [place]
    quote = reading(support.excerpt)
    if len(quote) > QUOTE_LENGTH:
        quote = f"{quote[:QUOTE_LENGTH].rsplit(' ', 1)[0]} \u2026"
    return ", ".join(part for part in parts if part) + (f' ("{quote}")' if quote else "")


def _surname(author: str) -> str:
    family, comma, _ = author.partition(",")
    return family.strip() if comma else author.split()[-1]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
