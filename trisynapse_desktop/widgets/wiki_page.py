"""A wiki page in, its HTML out: heading, other names, contents, sections, links to and from it.

Pure text; no widget is made here. Links read ``cite:<sentence key>:<number>``, ``page:<slug>``, ``claim:<claim id>``,
``accept:<key>``, ``reject:<key>`` and ``keep:<key>``; ``#<place>`` leads to a section.
"""

from __future__ import annotations

from html import escape
from itertools import groupby

from trisynapse_desktop.theme import Tones
from trisynapse_desktop.widgets.citation import SourceNames
from trisynapse_desktop.widgets.wiki_sections import PAGE, Ink, section_html
from trisynapse_memory.types import WikiPage

CONTENTS_FROM = 4  # sections; a shorter page is seen at a glance
SECTION = "section-"  # name of a section's anchor, before its number
HEAD = "margin: 20px 0 6px 0;"


def page_html(page: WikiPage, titles: dict[str, str], names: SourceNames, tones: Tones) -> str:
    """Return a page as HTML.

    Args:
        page: the page as displayed: stale sentences carry their proposal.
        titles: page titles by slug, for links.
        names: how sources are called on chips.
        tones: the colours of now.
    """
    ink = Ink(names, tones)
    parts = [f"<h1 style='margin: 0 0 4px 0;'>{escape(page.title)}</h1>", *_bylines(page, ink)]
    sections = contents_of(page)
    if len(sections) >= CONTENTS_FROM:
        links = (f"<a href='#{SECTION}{n}' style='{ink.link}'>{escape(one)}</a>" for n, one in enumerate(sections))
        parts.append(f"<p style='margin: 0 0 4px 0; line-height: 150%;'>{' &nbsp;·&nbsp; '.join(links)}</p>")
    for section, group in groupby(page.sentences, key=lambda one: one.section):
        if section:
            anchor = f"<a name='{SECTION}{sections.index(section)}'></a>"
            parts.append(f"<h3 style='{HEAD}'>{anchor}{escape(section)}</h3>")
        parts.append(section_html(section, list(group), ink))
    parts.append(_links("See also", page.links, titles, ink))
    parts.append(_links("Linked from", page.backlinks, titles, ink))
    return "".join(parts)


def contents_of(page: WikiPage) -> tuple[str, ...]:
    """Return the sections of a page, each once, in order."""
    return tuple(dict.fromkeys(one.section for one in page.sentences if one.section))


def _bylines(page: WikiPage, ink: Ink) -> list[str]:
    """Its other names, and when and why it last changed."""
    also = ", ".join(name for name in page.aliases if name.casefold() != page.title.casefold())
    changed = ": ".join(part for part in (f"Last changed {page.updated_at[:10]}".strip(), page.last_changed) if part)
    lines = [f"Also called {also}" if also else "", changed if page.updated_at or page.last_changed else ""]
    shown = [line for line in lines if line]
    return [f"<p style='margin: 0 0 10px 0; line-height: 140%;'>{'<br>'.join(map(ink.muted, shown))}</p>"] * bool(shown)


def _links(title: str, slugs: tuple[str, ...], titles: dict[str, str], ink: Ink) -> str:
    known = [slug for slug in slugs if slug in titles]
    if not known:
        return ""
    links = " &nbsp;·&nbsp; ".join(
        f"<a href='{PAGE}{escape(slug)}' style='{ink.link}'>{escape(titles[slug])}</a>" for slug in known
    )
    return f"<h3 style='{HEAD}'>{title}</h3><p style='margin: 0; line-height: 160%;'>{links}</p>"
