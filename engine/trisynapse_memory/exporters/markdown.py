"""Wiki pages in, Markdown files out that open clean in Obsidian: front matter, links, tables, boxes, footnotes.

Text only: nothing is read or written, and nothing is judged. What may not leave has left the pages before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from trisynapse_memory.contracts import Refer
from trisynapse_memory.types import Source, WikiPage, WikiSentence
from trisynapse_memory.types.compiled import WikiSection

FOLDERS: Final = {"concept": "Concepts", "source": "Sources", "collection": "Collections"}
INDEX: Final = "Wiki index.md"
CAUTIOUS_NAME: Final = 3  # letters; "of" inside "OF" and "It" inside "IT" are other words

_SPECIAL: Final = re.compile(r"[\\`*_\[\]{}<>|$]|~~|==|%%|\^(?=[\w\[])|#(?=\S)|&(?=#?\w+;)")
_LINE_START: Final = re.compile(r"^(?:[-+>](?=\s)|\d{1,9}(?=[.)]\s)|#{1,6}(?=\s)|[-=]{3,}$)")
_LABEL: Final = str.maketrans({"[": "(", "]": ")", "|": "/", "\n": " "})
_DOT: Final = " \u00b7 "
_SPACE: Final = re.compile(r"\s+")
_TAG: Final = re.compile(r"[^\w/-]+")


class MarkdownExporter:
    """The format ``markdown``."""

    name = "markdown"

    def render(
        self, pages: Sequence[WikiPage], sources: Mapping[str, Source], refer: Refer, *, flat: bool = False
    ) -> dict[str, str]:
        """Return the files of a folder: path inside it -> text.

        Args:
            pages: what may leave; links to other pages are dropped.
            sources: what is known of the pages' sources, by id.
            refer: the words of a footnote.
            flat: all pages in one folder and no index, instead of one folder a kind.
        """
        pages_by_slug = {page.slug: page for page in pages}
        made = {
            f"{page.slug}.md" if flat else f"{FOLDERS[page.kind]}/{page.slug}.md": _Sheet(
                page, pages_by_slug, sources, refer
            ).text()
            for page in pages
        }
        return made if flat else {**made, INDEX: _index(pages)}


class _Sheet:
    """One page while it is written: footnotes are numbered and names linked in the order of the text."""

    def __init__(
        self, page: WikiPage, pages: Mapping[str, WikiPage], sources: Mapping[str, Source], refer: Refer
    ) -> None:
        self._page = page
        self._pages = pages
        self._sources = sources
        self._refer = refer
        self._notes: dict[str, int] = {}
        self._linked: set[str] = set()
        self._names = _Names(page, pages)
        self._source_pages = {one.about: one for one in pages.values() if one.kind == "source"}

    def text(self) -> str:
        blocks = [f"# {_escaped(self._page.title)}", self._byline()]
        for section, group in groupby(self._page.sentences, key=lambda one: one.section):
            if section:
                blocks.append(f"## {section}")
            blocks.append(self._section(section, list(group)))
        blocks += [self._further(), "\n".join(self._footnotes())]
        body = "\n\n".join(block for block in blocks if block)
        return f"{_front_matter(self._page, self._sources)}\n{body}\n"

    def _section(self, section: str, sentences: Sequence[WikiSentence]) -> str:
        writers: dict[str, Callable[[Sequence[WikiSentence]], str]] = {
            WikiSection.LEAD: self._paragraph,
            WikiSection.RESULTS: self._table,
            WikiSection.RELATIONS: self._relations,
            WikiSection.TIMELINE: self._timeline,
            WikiSection.CONTESTED: self._disputes,
            WikiSection.DISAGREEMENTS: self._disputes,
            WikiSection.SUPERSEDED: self._former,
            WikiSection.CONTENTS: self._contents,
            WikiSection.SOURCES: self._by_source,
        }
        return writers.get(section, self._bullets)(sentences)

    def _paragraph(self, sentences: Sequence[WikiSentence]) -> str:
        return _line_start(" ".join(self._said(sentence) for sentence in sentences))

    def _bullets(self, sentences: Sequence[WikiSentence]) -> str:
        return "\n".join(f"- {_line_start(self._said(sentence))}" for sentence in sentences)

    def _table(self, sentences: Sequence[WikiSentence]) -> str:
        """One row a value; a column in which every row says the same, or nothing, is left out."""
        head = ("What", "Value", "Conditions", "Source", "Date")
        rows: list[tuple[str, ...]] = []
        for one in sentences:
            what, value, conditions, date = one.cells
            shown = self._marked(_escaped(value), one)
            rows.append((_escaped(what), shown, self._prose(conditions), self._source_links(one), _escaped(date)))
        used = [place for place in range(len(head)) if any(row[place] for row in rows)]
        used = used if len({row[0] for row in rows}) > 1 else used[1:]
        lines = [
            [head[place] for place in used],
            ["---"] * len(used),
            *([row[place] for place in used] for row in rows),
        ]
        return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)

    def _relations(self, sentences: Sequence[WikiSentence]) -> str:
        lines: list[str] = []
        for phrase, group in groupby(sentences, key=lambda one: one.cells[0] if one.cells else ""):
            if not phrase:
                lines += [f"- {self._said(sentence)}" for sentence in group]
                continue
            ends = [self._marked(self._prose(sentence.cells[1]), sentence) for sentence in group]
            lines.append(f"- *{_escaped(phrase)}* {', '.join(ends)}")
        return "\n".join(lines)

    def _timeline(self, sentences: Sequence[WikiSentence]) -> str:
        return "\n".join(f"- **{_escaped(one.cells[0])}** \u2014 {self._said(one)}" for one in sentences)

    def _disputes(self, sentences: Sequence[WikiSentence]) -> str:
        boxes: list[str] = []
        for _, group in groupby(sentences, key=lambda one: one.claim_ids):
            sides = list(group)
            is_open = all(one.status != "resolved" for one in sides)
            kind, state = ("warning", "Sources disagree") if is_open else ("note", "Sources disagreed")
            lines = [
                f"> [!{kind}] {state}: {_escaped(sides[0].cells[0])}",
                *(f"> - {self._side(one)}" for one in sides),
            ]
            boxes.append("\n".join(lines))
        return "\n\n".join(boxes)

    def _side(self, sentence: WikiSentence) -> str:
        value, date = _escaped(sentence.cells[1]), sentence.cells[2]
        if sentence.status == "resolved":
            return f"Your decision: **{value}**, because {_escaped(sentence.text)}"
        when = f" ({date})" if date else ""
        return f"**{value}**{when}: {self._said(sentence)}"

    def _former(self, sentences: Sequence[WikiSentence]) -> str:
        lines: list[str] = []
        for one in sentences:
            _, spell, why = one.cells
            rest = "; ".join(_escaped(part) for part in (spell, why) if part)
            lines.append(f"- ~~{_escaped(one.text)}~~{self._marks(one)}" + (f" ({rest})" if rest else ""))
        return "\n".join(lines)

    def _contents(self, sentences: Sequence[WikiSentence]) -> str:
        lines = (
            f"- {_escaped(one.text)}" + (f", {_escaped(one.cells[0])}" if one.cells and one.cells[0] else "")
            for one in sentences
        )
        return "\n".join(lines)

    def _by_source(self, sentences: Sequence[WikiSentence]) -> str:
        return "\n".join(f"- {self._source_links(one)}: {self._said(one)}" for one in sentences)

    def _said(self, sentence: WikiSentence) -> str:
        return self._prose(sentence.text) + self._marks(sentence)

    def _marked(self, text: str, sentence: WikiSentence) -> str:
        mark = " (contested)" if sentence.status == "contested" else ""
        return f"{text}{mark}{self._marks(sentence)}"

    def _marks(self, sentence: WikiSentence) -> str:
        numbers = [
            self._notes.setdefault(self._refer(one, self._page.about), len(self._notes) + 1)
            for one in sentence.supports
        ]
        return "".join(f"[^{number}]" for number in dict.fromkeys(numbers))

    def _footnotes(self) -> Iterator[str]:
        for words, number in self._notes.items():
            yield f"[^{number}]: {_escaped(words)}"

    def _prose(self, text: str) -> str:
        """Escape a text and link the first mention of each page that this one leads to."""
        parts: list[str] = []
        end = 0
        for start, stop, slug in self._names.mentions(text):
            if slug in self._linked:
                continue
            self._linked.add(slug)
            parts += [_escaped(text[end:start]), _link(slug, text[start:stop])]
            end = stop
        return "".join([*parts, _escaped(text[end:])])

    def _source_links(self, sentence: WikiSentence) -> str:
        names = dict.fromkeys((one.source_id or "", one.title) for one in sentence.supports)
        return "; ".join(self._source_link(source_id, title) for source_id, title in names)

    def _source_link(self, source_id: str, title: str) -> str:
        page = self._source_pages.get(source_id)
        if page is None or page.slug == self._page.slug:
            return _escaped(title)
        self._linked.add(page.slug)
        return _link(page.slug, page.title)

    def _byline(self) -> str:
        source = self._sources.get(self._page.about) if self._page.kind == "source" else None
        parts = [", ".join(source.authors), source.published] if source is not None else []
        also = ", ".join(name for name in self._page.aliases if name != self._page.title)
        line = _DOT.join(_escaped(part) for part in parts if part)
        return line or (f"*Also: {_escaped(also)}*" if also else "")

    def _further(self) -> str:
        """Link what the text did not: the page's sources, then the other pages it leads to."""
        left = [self._pages[slug] for slug in self._page.links if slug in self._pages and slug not in self._linked]
        groups = (
            ("Sources", [page for page in left if page.kind == "source"]),
            ("See also", [page for page in left if page.kind != "source"]),
        )
        return "\n\n".join(
            f"{title}: {_DOT.join(_link(page.slug, page.title) for page in found)}" for title, found in groups if found
        )


class _Names:
    """Where a text names pages that one page leads to; the longest name wins."""

    def __init__(self, page: WikiPage, pages: Mapping[str, WikiPage]) -> None:
        self._slugs: dict[str, str] = {}
        for slug in page.links:
            target = pages.get(slug)
            for name in (target.title, *target.aliases) if target is not None and target.kind == "concept" else ():
                self._slugs.setdefault(_folded(name), slug)
        ordered = sorted(filter(None, self._slugs), key=lambda name: (-len(name), name))
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(_as_pattern, ordered))})(?!\w)" if ordered else r"(?!)")

    def mentions(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and slug of each mention."""
        for match in self._pattern.finditer(text):
            yield match.start(), match.end(), self._slugs[_folded(match[0])]


def _folded(name: str) -> str:
    return name if len(name) <= CAUTIOUS_NAME else name.casefold()


def _as_pattern(name: str) -> str:
    return re.escape(name) if len(name) <= CAUTIOUS_NAME else f"(?i:{re.escape(name)})"


def _front_matter(page: WikiPage, sources: Mapping[str, Source]) -> str:
    source = sources.get(page.about) if page.kind == "source" else None
    names = [page.title, *(name for name in page.aliases if name != page.title)]
    tags = [f"wiki/{page.kind}", *(_tag(tag) for tag in (source.tags if source is not None else ()))]
    rows: list[tuple[str, object]] = [
        ("title", page.title),
        ("aliases", names),
        ("tags", [tag for tag in tags if tag]),
        ("sources", len(page.source_ids)),
    ]
    if page.updated_at:
        rows.append(("updated", page.updated_at[:10]))
    if source is not None:
        rows += [("authors", list(source.authors)), ("published", source.published), ("url", _web(source.uri))]
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in rows if value not in ("", [])]
    return "\n".join(["---", *lines, "---", ""])


def _web(uri: str) -> str:
    """Return an address others can open; a path of this machine stays here."""
    return uri if uri.startswith(("http://", "https://")) else ""


def _tag(name: str) -> str:
    tag = _TAG.sub("-", name.strip()).strip("-/")
    return f"tag-{tag}" if tag.isdigit() else tag  # Obsidian takes no number for a tag


def _index(pages: Sequence[WikiPage]) -> str:
    blocks = ["# Wiki index"]
    for kind, title in FOLDERS.items():
        found = sorted((page for page in pages if page.kind == kind), key=lambda one: (one.title.casefold(), one.slug))
        if found:
            blocks += [f"## {title}", "\n".join(f"- {_link(page.slug, page.title)}" for page in found)]
    return "\n\n".join(blocks) + "\n"


def _link(slug: str, label: str) -> str:
    shown = " ".join(label.translate(_LABEL).split())
    return f"[[{slug}]]" if shown == slug else f"[[{slug}|{shown}]]"


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return _SPECIAL.sub(_escape, _SPACE.sub(" ", text))


def _escape(match: re.Match[str]) -> str:
    return "&amp;" if match[0] == "&" else "".join(f"\\{sign}" for sign in match[0])


def _line_start(text: str) -> str:
    return _LINE_START.sub(lambda match: f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}", text)


def _cell(text: str) -> str:
    """Return text for a table: a bar that is not escaped yet would end the cell."""
    return re.sub(r"(?<!\\)\|", r"\\|", text)
