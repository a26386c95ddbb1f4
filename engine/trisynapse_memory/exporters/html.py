"""Wiki pages in, HTML files out: plain pages with links, tables, boxes and footnotes that any browser opens.

Text only: nothing is read or written, no script and no font is fetched. What may not leave has left the pages before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Final

from trisynapse_memory.contracts import Refer
from trisynapse_memory.types import Source, WikiPage, WikiSentence
from trisynapse_memory.types.compiled import WikiSection

INDEX: Final = "index.html"
FOLDERS: Final = {"concept": "Concepts", "source": "Sources", "collection": "Collections"}

_DOT: Final = " \u00b7 "
_STYLE: Final = """
:root { color-scheme: light dark; }
body { max-width: 42em; margin: 2em auto; padding: 0 1em; font: 1em/1.55 system-ui, sans-serif; }
h1, h2 { line-height: 1.25; } h2 { margin-top: 1.8em; font-size: 1.2em; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3em .6em; vertical-align: top; }
tr + tr td, thead + tbody td { border-top: 1px solid #8884; }
.box { border-left: 4px solid #d08a00; background: #d08a0014; padding: .5em 1em; margin: 1em 0; }
.settled { border-color: #8888; background: #8881; } .muted, s { opacity: .75; } sup a { text-decoration: none; }
.notes { font-size: .9em; }
""".strip()


class HtmlExporter:
    """The format ``html``."""

    name = "html"

    def render(
        self, pages: Sequence[WikiPage], sources: Mapping[str, Source], refer: Refer, *, flat: bool = False
    ) -> dict[str, str]:
        """Return the files of a folder: path inside it -> text.

        Args:
            pages: what may leave; links to other pages are dropped.
            sources: what is known of the pages' sources, by id.
            refer: the words of a footnote.
            flat: without an index page; all pages stand in one folder either way.
        """
        by_slug = {page.slug: page for page in pages}
        made = {f"{page.slug}.html": _Sheet(page, by_slug, sources, refer).text() for page in pages}
        if flat:
            return made
        return {(INDEX if INDEX not in made else "wiki-index.html"): _index(pages), **made}


class _Sheet:
    """One page while it is written: footnotes are numbered in the order of the text."""

    def __init__(
        self, page: WikiPage, pages: Mapping[str, WikiPage], sources: Mapping[str, Source], refer: Refer
    ) -> None:
        self._page = page
        self._pages = pages
        self._source = sources.get(page.about) if page.kind == "source" else None
        self._refer = refer
        self._notes: dict[str, int] = {}
        self._source_pages = {one.about: one.slug for one in pages.values() if one.kind == "source"}

    def text(self) -> str:
        parts = [f"<h1>{escape(self._page.title)}</h1>", self._byline()]
        for section, group in groupby(self._page.sentences, key=lambda one: one.section):
            parts += [f"<h2>{escape(section)}</h2>" if section else "", self._section(section, list(group))]
        parts += [self._further(), "".join(self._footnotes())]
        return _document(self._page.title, "\n".join(part for part in parts if part))

    def _section(self, section: str, sentences: Sequence[WikiSentence]) -> str:
        if section == WikiSection.LEAD:
            return f"<p>{' '.join(map(self._said, sentences))}</p>"
        if section == WikiSection.RESULTS:
            return self._table(sentences)
        if section in (WikiSection.CONTESTED, WikiSection.DISAGREEMENTS):
            return "\n".join(self._box(list(group)) for _, group in groupby(sentences, key=lambda one: one.claim_ids))
        return _listed(self._line(section, one) for one in sentences)

    def _line(self, section: str, sentence: WikiSentence) -> str:
        if section == WikiSection.TIMELINE:
            return f"<b>{escape(sentence.cells[0])}</b> \u2014 {self._said(sentence)}"
        if section == WikiSection.SUPERSEDED:
            rest = "; ".join(escape(part) for part in sentence.cells[1:] if part)
            return f"<s>{escape(sentence.text)}</s>{self._marks(sentence)}" + (f" ({rest})" if rest else "")
        if section == WikiSection.CONTENTS:
            return escape(", ".join(part for part in (sentence.text, *sentence.cells[:1]) if part))
        if section == WikiSection.SOURCES:
            return f"{self._sources_of(sentence)}: {self._said(sentence)}"
        return self._said(sentence)

    def _table(self, sentences: Sequence[WikiSentence]) -> str:
        head = ("What", "Value", "Conditions", "Source", "Date")
        rows: list[tuple[str, ...]] = []
        for one in sentences:
            what, value, conditions, date = (escape(cell) for cell in one.cells)
            mark = " (contested)" if one.status == "contested" else ""
            rows.append((what, f"{value}{mark}{self._marks(one)}", conditions, self._sources_of(one), date))
        used = [place for place in range(len(head)) if any(row[place] for row in rows)]
        used = used if len({row[0] for row in rows}) > 1 else used[1:]
        lines = "\n".join(f"<tr>{''.join(f'<td>{row[place]}</td>' for place in used)}</tr>" for row in rows)
        titles = "".join(f"<th>{head[place]}</th>" for place in used)
        return f"<table>\n<thead><tr>{titles}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n</table>"

    def _box(self, sides: Sequence[WikiSentence]) -> str:
        is_open = all(one.status != "resolved" for one in sides)
        head = f"{'Sources disagree' if is_open else 'Sources disagreed'}: {escape(sides[0].cells[0])}"
        kind = "box" if is_open else "box settled"
        return f'<div class="{kind}"><b>{head}</b>\n{_listed(map(self._side, sides))}</div>'

    def _side(self, sentence: WikiSentence) -> str:
        value, date = escape(sentence.cells[1]), escape(sentence.cells[2])
        if sentence.status == "resolved":
            return f"Your decision: <b>{value}</b>, because {escape(sentence.text)}"
        return f"<b>{value}</b>{f' ({date})' if date else ''}: {self._said(sentence)}"

    def _said(self, sentence: WikiSentence) -> str:
        return escape(sentence.text) + self._marks(sentence)

    def _marks(self, sentence: WikiSentence) -> str:
        words = dict.fromkeys(self._refer(one, self._page.about) for one in sentence.supports)
        numbers = [self._notes.setdefault(one, len(self._notes) + 1) for one in words]
        return "".join(f'<sup><a href="#note-{number}">[{number}]</a></sup>' for number in numbers)

    def _footnotes(self) -> Iterator[str]:
        if self._notes:
            lines = "\n".join(f'<li id="note-{number}">{escape(words)}</li>' for words, number in self._notes.items())
            yield f'<h2>Notes</h2>\n<ol class="notes">\n{lines}\n</ol>'

    def _sources_of(self, sentence: WikiSentence) -> str:
        names = dict.fromkeys((one.source_id or "", one.title) for one in sentence.supports)
        return "; ".join(self._source_link(source_id, title) for source_id, title in names)

    def _source_link(self, source_id: str, title: str) -> str:
        slug = self._source_pages.get(source_id, "")
        return _link(self._pages[slug]) if slug and slug != self._page.slug else escape(title)

    def _byline(self) -> str:
        known = [", ".join(self._source.authors), self._source.published] if self._source is not None else []
        also = ", ".join(name for name in self._page.aliases if name != self._page.title)
        line = _DOT.join(part for part in known if part) or (f"Also: {also}" if also else "")
        return f'<p class="muted">{escape(line)}</p>' if line else ""

    def _further(self) -> str:
        found = [self._pages[slug] for slug in self._page.links if slug in self._pages]
        return f"<p>See also: {_DOT.join(map(_link, found))}</p>" if found else ""


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(["<ul>", *(f"<li>{line}</li>" for line in lines), "</ul>"])


def _index(pages: Sequence[WikiPage]) -> str:
    parts = ["<h1>Wiki index</h1>"]
    for kind, title in FOLDERS.items():
        found = sorted((page for page in pages if page.kind == kind), key=lambda one: (one.title.casefold(), one.slug))
        if found:
            parts.append(f"<h2>{title}</h2>\n{_listed(map(_link, found))}")
    return _document("Wiki index", "\n".join(parts))


def _link(page: WikiPage) -> str:
    return f'<a href="{escape(page.slug)}.html">{escape(page.title)}</a>'


def _document(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
