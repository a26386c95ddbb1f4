"""A page in, what it says of itself out: title, authors, date, language, identifiers; its prose is not searched.

What a page states in its head for machines is taken first (``citation_*``, Open Graph, Dublin Core, JSON-LD), then what
it marks up for readers. Each is the page's own word, no proof (case R33).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.preprocessing.trees import Element, walk
from trisynapse_memory.text.identifiers import normalise

_TITLES: Final = ("citation_title", "dc.title", "dcterms.title", "og:title", "twitter:title", "parsely-title")
_AUTHORS: Final = (
    "citation_author", "dc.creator", "dcterms.creator", "parsely-author", "author", "article:author", "byl",
    "sailthru.author",
)  # fmt: skip
_DATES: Final = (
    "citation_publication_date", "citation_date", "citation_online_date", "article:published_time", "dc.date",
    "dcterms.date", "dc.date.issued", "dcterms.issued", "prism.publicationdate", "parsely-pub-date", "datepublished",
    "pubdate", "date", "sailthru.date",
)  # fmt: skip
_IDENTIFIERS: Final[Mapping[str, tuple[str, ...]]] = {
    "doi": ("citation_doi", "dc.identifier", "dcterms.identifier", "prism.doi", "bepress_citation_doi", "doi"),
    "arxiv": ("citation_arxiv_id",),
    "pmid": ("citation_pmid",),
    "isbn": ("citation_isbn",),
    "issn": ("citation_issn", "prism.issn"),
}
_JSON_CHARS: Final = 500_000  # of one JSON-LD script; more is a shop, not an article
_JSON_NODES: Final = 200
_ARTICLE_TYPES: Final = re.compile(
    r"(?:article|posting|report|book|thesis|webpage|techarticle|chapter)$", re.IGNORECASE
)
_BYLINE: Final = re.compile(
    r"^(?:(?:posted|written|published|story|text)\s+)?(?:by|par|von|por)\b[:\s]+", re.IGNORECASE
)
_NAME: Final = re.compile(r"[^\W\d_][\w.'\u2019\u2010-]*(?:[ ,]+[^\W\d_][\w.'\u2019\u2010-]*){0,5}$")
_NAME_CHARS: Final = 80
_SITE_WORDS: Final = 3  # of the name of a site behind a bar
_SIGNED: Final = re.compile(r"(?:^|[\s_-])(?:author|byline)(?:$|[\s_-]|name|s\b)")
_SEPARATOR: Final = re.compile(r"\s+[|\u2013\u2014\u00b7\u00bb:-]\s+|\s*\u00bb\s*")
_PLACEHOLDERS: Final = frozenset({"username", "admin", "author", "staff", "editor", "anonymous", "none", "unknown"})
_DAY: Final = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?")


@dataclass(slots=True)
class Statements:
    """What a page says of itself; empty where it says nothing."""

    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    language: str = ""
    identifiers: dict[str, str] = field(default_factory=dict[str, str])


def statements_of(root: Element) -> Statements:
    """Read the head and the marks of a page."""
    metas = _metas(root)
    linked = list(_linked(root))
    return Statements(
        title=_title(root, metas, linked),
        authors=_authors(root, metas, linked),
        published=_published(root, metas, linked),
        language=(root.get("lang") or root.get("xml:lang") or _first(metas, ("og:locale",))).strip()[:35],
        identifiers=_identifiers(root, metas),
    )


def _metas(root: Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for meta in root.iter("meta"):
        content = " ".join((meta.get("content") or "").split())
        names = f"{meta.get('name') or ''} {meta.get('property') or ''} {meta.get('itemprop') or ''}".lower().split()
        for name in names if content else ():
            found.setdefault(name.replace("dc:", "dc.").replace("dcterm:", "dcterms."), []).append(content)
    return found


def _first(metas: Mapping[str, list[str]], names: tuple[str, ...]) -> str:
    return next((metas[name][0] for name in names if metas.get(name)), "")


def _linked(root: Element) -> Iterator[Mapping[str, object]]:
    """The nodes of the page's JSON-LD that describe a text."""
    for script in root.iter("script"):
        source = script.text or ""
        if "ld+json" not in (script.get("type") or "") or len(source) > _JSON_CHARS:
            continue
        try:
            told: object = json.loads(source, strict=False)
        except (ValueError, RecursionError):
            continue
        for node in _nodes(told):
            kinds: object = node.get("@type")
            listed = cast("list[object]", kinds) if isinstance(kinds, list) else [kinds]
            if any(_ARTICLE_TYPES.search(str(kind)) for kind in listed):
                yield node


def _nodes(told: object) -> Iterator[dict[str, object]]:
    waiting, count = [told], 0
    while waiting and count < _JSON_NODES:
        count += 1
        one = waiting.pop(0)
        if isinstance(one, list):
            waiting += cast("list[object]", one)[:_JSON_NODES]
        elif isinstance(one, dict):
            node = cast("dict[str, object]", one)
            yield node
            waiting.append(node.get("@graph"))


def _title(root: Element, metas: Mapping[str, list[str]], linked: list[Mapping[str, object]]) -> str:
    told = _first(metas, _TITLES) or next((_line(node.get("headline")) for node in linked if node.get("headline")), "")
    named = root.find(".//head/title")
    window = " ".join(_text(named).split()) if named is not None else ""
    return told or _without_site(window, _first(metas, ("og:site_name",)), _heads(root)) or next(_heads(root), "")


def _heads(root: Element) -> Iterator[str]:
    for head in root.iter("h1"):
        if words := " ".join(_text(head).split()):
            yield words


def _without_site(window: str, site: str, heads: Iterator[str]) -> str:
    """A window title without the name of its site, where the page's own heading says which part that is."""
    parts = _SEPARATOR.split(window)
    if len(parts) < 2:
        return window
    known = {head.casefold() for head in heads}
    return next(
        (part for part in parts if part.casefold() in known),
        window
        if site.casefold() not in (parts[-1].casefold(),)
        else _SEPARATOR.sub(" - ", window).rpartition(" - ")[0],
    )


def _authors(root: Element, metas: Mapping[str, list[str]], linked: list[Mapping[str, object]]) -> tuple[str, ...]:
    for name in _AUTHORS:
        found = _names(metas.get(name, []), is_citation=name.startswith(("citation", "dc")))
        if found:
            return found
    found = _names([name for node in linked for name in _people(node.get("author"))])
    return found or _names(_signed(root))


def _people(author: object) -> list[str]:
    entries = cast("list[object]", author) if isinstance(author, list) else [author]
    names = [cast("dict[str, object]", one).get("name") if isinstance(one, dict) else one for one in entries[:50]]
    return [_line(name) for name in names if isinstance(name, str)]


def _signed(root: Element) -> list[str]:
    """The name in the first place that the page marks up as its author's."""
    for element in root.iter("a", "span", "p", "div", "address", "cite", "li"):
        marks = f"{element.get('rel') or ''} {element.get('itemprop') or ''} {element.get('class') or ''}".lower()
        if not _SIGNED.search(marks):
            continue
        for place in (*element.iter("a"), element):
            words = " ".join(_text(place).split())
            if len(words) < _NAME_CHARS and _names([words]):
                return [words]
    return []


def _names(written: list[str], *, is_citation: bool = False) -> tuple[str, ...]:
    """Single names: lists are cut at their joints, "Lee, Ann" of a citation is turned round, addresses are no names."""
    found: dict[str, None] = {}
    for entry in written:
        text = _BYLINE.sub("", entry.strip())
        if is_citation and text.count(",") == 1 and ";" not in text:
            family, _, given = text.partition(",")
            text = f"{given.strip()} {family.strip()}"
        for part in re.split(r";|\s+(?:and|&|und|et)\s+|,\s+(?=[^\W\d_]+\s)" if not is_citation else r";", text):
            name = _BYLINE.sub("", part.strip(" ,."))
            if _NAME.match(name) and name.casefold() not in _PLACEHOLDERS and len(name) < _NAME_CHARS:
                found.setdefault(name)
    return tuple(found)


def _published(root: Element, metas: Mapping[str, list[str]], linked: list[Mapping[str, object]]) -> str:
    marked = (one.get("datetime") or one.get("content") or "" for one in root.iter("time", "meta", "span")
              if "pubdate" in one.attrib or "datepublished" in (one.get("itemprop") or "").lower())  # fmt: skip
    told = (
        *(metas[name][0] for name in _DATES if metas.get(name)),
        *(_line(node.get("datePublished")) for node in linked),
        *marked,
    )
    return next((day for text in told if (day := _day(text))), "")


def _day(text: str) -> str:
    """A date as it is kept: the day, or the year or month where no more is said."""
    match = _DAY.match(text.strip())
    if not match or not 1400 <= int(match[1]) <= 2200:
        return ""
    day = "-".join([match[1], *(part.zfill(2) for part in match.groups()[1:] if part)])
    return day if len(day) < 10 or from_iso(day) is not None else match[1]


def _identifiers(root: Element, metas: Mapping[str, list[str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for scheme, names in _IDENTIFIERS.items():
        values = (normalise(scheme, value) for name in names for value in metas.get(name, []))
        value = next((value for value in values if value), "")
        if value:
            found[scheme] = value
    links = (one.get("href") or "" for one in root.iter("link") if "canonical" in (one.get("rel") or "").lower())
    url = next((link for link in (*links, _first(metas, ("og:url",))) if link.startswith(("http://", "https://"))), "")
    return {**found, "url": url} if url else found


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _text(element: Element) -> str:
    parts: list[str] = []
    for event, part in walk(element, "start", "end"):
        if event == "start" and isinstance(part.tag, str):
            parts.append(part.text or "")
        elif event == "end" and part is not element:
            parts.append(part.tail or "")
    return "".join(parts)
