"""The front matter of an article in XML in, what is known of it before its text out. Its text is not read here.

Title, authors, date and identifiers are the publisher's own statement about the article they stand in.
"""

from __future__ import annotations

from typing import Final

from trisynapse_memory.preprocessing.jats.wording import words
from trisynapse_memory.preprocessing.office.xml import attribute, below, child, children, text_below
from trisynapse_memory.preprocessing.trees import Element
from trisynapse_memory.text.identifiers import normalise
from trisynapse_memory.types import Heading

_DATE_ORDER: Final = ("epub", "epub-ppub", "pub", "ppub", "collection", "preprint", "")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SIGNATURES: Final = (("name",), ("name-alternatives", "name"), ("string-name",))
_ROLES: Final = frozenset({"", "author"})


def meta_of(article: Element) -> Element | None:
    """The ``article-meta`` of an article, or the ``front-stub`` of a part of one."""
    return _first(child(article, "front", "article-meta"), child(article, "front-stub"))


def _first(*elements: Element | None) -> Element | None:
    return next((one for one in elements if one is not None), None)


def heading_of(article: Element, page_count: int) -> Heading:
    """Say what is known of an article: title, authors, date, language, identifiers."""
    meta = meta_of(article)
    return Heading(
        page_count=page_count,
        title=title_of(article),
        authors=authors_of(meta),
        published=_published(meta),
        language=attribute(article, "lang"),
        media_type="application/jats+xml",
        method="jats",
        identifiers=_identifiers(article, meta),
    )


def title_of(article: Element) -> str:
    """The title of an article with its subtitle."""
    group = child(meta_of(article), "title-group")
    parts = [words(child(group, kind)) for kind in ("article-title", "subtitle")]
    return ": ".join(part.rstrip(":") for part in parts if part)


def journal_of(article: Element) -> str:
    """The journal an article stands in; empty where none is named."""
    meta = child(article, "front", "journal-meta")
    return words(_first(child(meta, "journal-title-group", "journal-title"), child(meta, "journal-title")))


def authors_of(meta: Element | None) -> tuple[str, ...]:
    """The authors as they sign, given name first; editors and translators are none."""
    found: list[str] = []
    for group in children(meta, "contrib-group"):
        for person in children(group, "contrib"):
            if (person.get("contrib-type") or "").lower() not in _ROLES:
                continue
            signed = _first(*(child(person, *path) for path in _SIGNATURES))
            given, family = text_below(child(signed, "given-names")), text_below(child(signed, "surname"))
            name = " ".join(part for part in (given, family) if part) or words(signed) or words(child(person, "collab"))
            if name:
                found.append(name)
    return tuple(dict.fromkeys(found))


def affiliations_of(meta: Element | None) -> tuple[str, ...]:
    """Where the authors work, each place once, without the marks that point to it; not where the editors do."""
    people = [one for group in children(meta, "contrib-group") for one in children(group, "contrib")]
    authors = [one for one in people if (one.get("contrib-type") or "").lower() in _ROLES]
    named = {rid for one in authors for mark in below(one, "xref") for rid in (mark.get("rid") or "").split()}
    found: list[str] = []
    for place in below(meta, "aff"):
        if named and place.get("id") and place.get("id") not in named:
            continue
        label = text_below(child(place, "label"))
        found.append(words(place).removeprefix(label).strip(" ,;"))
    return tuple(dict.fromkeys(place for place in found if place))


def _published(meta: Element | None) -> str:
    dates: dict[str, str] = {}
    for date in children(meta, "pub-date"):
        kind = date.get("pub-type") or date.get("date-type") or ""
        day = _day(date)
        if day:
            dates.setdefault(kind if kind in _DATE_ORDER else "", day)
    full = [dates[kind] for kind in _DATE_ORDER if len(dates.get(kind, "")) == 10]
    return next(iter((*full, *(dates[kind] for kind in _DATE_ORDER if kind in dates))), "")


def _day(date: Element) -> str:
    year, month, day = (text_below(child(date, part)) for part in ("year", "month", "day"))
    if not (year.isdecimal() and len(year) == 4):
        return ""
    number = int(month) if month.isdecimal() and len(month) <= 2 else _month(month)
    if not 1 <= number <= 12:
        return year
    known = day.isdecimal() and len(day) <= 2 and 1 <= int(day) <= 31
    return f"{year}-{number:02}" + (f"-{int(day):02}" if known else "")


def _month(name: str) -> int:
    return next((at for at, one in enumerate(_MONTHS, start=1) if name.lower().startswith(one)), 0)


def _identifiers(article: Element, meta: Element | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in children(meta, "article-id"):
        scheme = (one.get("pub-id-type") or "").lower()
        if scheme in ("doi", "pmid", "arxiv") and (value := normalise(scheme, text_below(one))):
            found.setdefault(scheme, value)
    journal = child(article, "front", "journal-meta")
    issns = [normalise("issn", text_below(one)) for one in children(journal, "issn")]
    issn = next((value for value in issns if value), "")
    return {**found, "issn": issn} if issn else found
