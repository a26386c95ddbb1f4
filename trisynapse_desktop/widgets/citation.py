"""A citation and what is known of its source in, the words of a chip, a tooltip and a copied reference out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

from trisynapse_desktop.widgets.hit_list import page_text
from trisynapse_memory.types import Answer, AnswerForm, Citation, CitationVerdict, Locator, Nearest, Source

SHORT_TITLE = 26  # characters; a chip is read in passing
TOOLTIP_WIDTH = 360  # px
HEADING_LENGTH = 24  # characters of the heading a passage stands under
PARAPHRASE_SIGN = "≈"
UNPAGED = frozenset({"section", "link", "turn", "symbol"})
"""Kinds of place whose source has no pages: the engine counts all of it as page 1, a reader does not."""

MARK_WORDS = {
    CitationVerdict.PARAPHRASE: "In other words than the source",
    CitationVerdict.NORMALISED: "Word for word, but for spaces and hyphens",
    CitationVerdict.VERBATIM: "Word for word",
}


def short_title(title: str) -> str:
    """Cut a title to its first part: before a colon, else at a word's end."""
    head = re.split(r"[:–—]\s|\s[-–—]\s", title.strip(), maxsplit=1)[0].strip() or title.strip()
    if len(head) <= SHORT_TITLE:
        return head
    return f"{head[:SHORT_TITLE].rsplit(' ', 1)[0].rstrip(',;')}…"


def author_year(source: Source) -> str:
    """Return ``Lewis 2020``, ``Lewis & Meyer 2020`` or ``Lewis et al. 2020``; empty where author or year is unknown."""
    year = source.published[:4]
    names = [_surname(author) for author in source.authors if author.strip()]
    if not names or not year.isdigit():
        return ""
    who = names[0] if len(names) == 1 else f"{names[0]} & {names[1]}" if len(names) == 2 else f"{names[0]} et al."
    return f"{who} {year}"


class SourceNames:
    """Names sources as chips do: by author and year where that names one source only, else by a short title."""

    def __init__(self, sources: Sequence[Source] = ()) -> None:
        self._sources: Mapping[str, Source] = {source.source_id: source for source in sources}
        self._shared = Counter(author_year(source) for source in sources)

    def name(self, source_id: str | None, title: str) -> str:
        """Return the name of a source; ``title`` is used for one that is not in the library any more."""
        source = self._sources.get(source_id or "")
        known = author_year(source) if source is not None else ""
        return known if known and self._shared[known] == 1 else short_title(title or (source.title if source else ""))

    def chip(self, citation: Citation) -> str:
        """Return what a chip reads, e.g. ``Lewis 2020, p. 4``; a paraphrase is marked."""
        sign = f"{PARAPHRASE_SIGN} " if citation.verdict is CitationVerdict.PARAPHRASE else ""
        return sign + with_place(self.name(citation.source_id, citation.title), citation.locator)

    def reference(self, source_id: str | None, title: str) -> str:
        """Return one line of a list of sources: authors, title, year."""
        source = self._sources.get(source_id or "")
        if source is None:
            return title
        year = f" ({source.published[:4]})" if source.published else ""
        authors = f"{', '.join(source.authors)}. " if source.authors else ""
        return f"{authors}{source.title}{year}"


def place_text(locator: Locator | None) -> str:
    """Say where a passage stands, as a reader of that source would: its page, or the heading it stands under."""
    if locator is None or locator.kind not in UNPAGED or locator.page_label:
        return page_text(locator)
    if locator.kind == "symbol" and locator.start_line is not None:
        return page_text(Locator(kind="symbol", start_line=locator.start_line, end_line=locator.end_line))
    heading = locator.symbol or locator.speaker or locator.heading or ""
    return heading if len(heading) <= HEADING_LENGTH else f"{heading[: HEADING_LENGTH - 1].rstrip()}…"


def with_place(name: str, locator: Locator | None) -> str:
    """Return a name and where in it, e.g. ``The turning mirror, p. iii``."""
    place = place_text(locator)
    return f"{name}, {place}" if place else name


def tooltip_of(citation: Citation | Nearest) -> str:
    """Return what hovering over a chip shows: title, place, the words of the source, and how close the answer is."""
    lines = [f"<b>{escape(with_place(citation.title, citation.locator))}</b>"]
    if citation.excerpt:
        lines.append(f"“{escape(' '.join(citation.excerpt.split()))}”")
    if isinstance(citation, Citation) and citation.verdict in MARK_WORDS:
        lines.append(f"<i>{MARK_WORDS[citation.verdict]}</i>")
    return f"<table width='{TOOLTIP_WIDTH}'><tr><td>{'<br>'.join(lines)}</td></tr></table>"


def text_with_citations(answer: Answer, names: SourceNames) -> str:
    """Return an answer as Markdown to paste: each sentence or bullet with its places, then the list of sources."""
    by_number = {citation.n: citation for citation in answer.citations}
    lines: list[str] = [answer.lead] if answer.lead else []
    part = ""
    for sentence in answer.sentences:
        cited = [by_number[number] for number in sentence.citations if number in by_number]
        places = dict.fromkeys(with_place(names.name(one.source_id, one.title), one.locator) for one in cited)
        if sentence.part != part:
            part = sentence.part
            lines += ["", part] if part else [""]
        behind = f" ({'; '.join(places)})" if places else ""
        lines += sentence.lines(behind, listed=answer.form is AnswerForm.LIST)
    if not answer.sentences:
        lines.append(answer.answer or answer.reason)
    sources = dict.fromkeys(names.reference(one.source_id, one.title) for one in answer.citations)
    listed = [f"- {source}" for source in sources]
    return "\n".join(["\n".join(lines), *(["", "Sources", *listed] if listed else [])])


def _surname(author: str) -> str:
    author = author.strip()
    return author.split(",")[0].strip() if "," in author else author.split()[-1]
