"""References of the library in, a BibTeX file out. Text only: nothing is read or written.

An entry that came from a BibTeX file goes out exactly as it came in: key, order of fields, braces, unknown fields. Its
macros stand before the first entry that uses them. What came in another format is written from what it says.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from trisynapse_memory.contracts import Holding
from trisynapse_memory.text.works import surname_of, title_words

OWN_FORMAT: Final = "bibtex"

_NAMED: Final = {
    "journal": "journal", "booktitle": "booktitle", "series": "series", "volume": "volume", "issue": "number",
    "pages": "pages", "publisher": "publisher", "place": "address", "edition": "edition", "chapter": "chapter",
    "institution": "institution", "editors": "editor", "doi": "doi", "isbn": "isbn", "issn": "issn", "pmid": "pmid",
    "arxiv": "eprint", "url": "url", "language": "language", "accessed": "urldate", "file": "file",
}  # fmt: skip
_VERBATIM: Final = frozenset({"doi", "url", "eprint", "file"})
_PEOPLE: Final = frozenset({"editors"})
_UNKNOWN: Final = frozenset({"audio", "video", "inreference"})
"""Kinds that only BibLaTeX knows, and few styles."""

_LATEX: Final = str.maketrans(
    {"&": "\\&", "%": "\\%", "$": "\\$", "#": "\\#", "_": "\\_", "{": "\\{", "}": "\\}", "~": "\\textasciitilde{}",
     "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
)  # fmt: skip
_MACRO: Final = re.compile(r"@\s*string\s*[{(]\s*([^\s=]+)", re.IGNORECASE)
_KEY: Final = re.compile(r"(@\s*\w+\s*[{(]\s*)([^\s,{}()]*)")


class BibtexExporter:
    """Writes bibliographies that BibTeX, BibLaTeX and every reference manager read."""

    name = "bibtex"
    kinds = ("reference",)
    suffixes = (".bib", ".bibtex")

    def compose(self, holdings: Sequence[Holding]) -> str:
        """Return the text of the file: every reference once, in the order given."""
        file = _File()
        blocks = [block for holding in holdings for block in file.blocks_of(holding)]
        return "".join(f"{block}\n\n" for block in blocks)


class _File:
    """The keys and macros that stand in the file so far."""

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}
        self._macros: dict[str, str] = {}

    def blocks_of(self, holding: Holding) -> Iterator[str]:
        """Yield what a reference adds to the file; nothing for one that stands in it already, word for word."""
        *needed, entry = _parts(holding.entry) if holding.loader == OWN_FORMAT and holding.entry else [_made(holding)]
        for block in needed:
            macro = _MACRO.match(block)
            name = macro[1].lower() if macro else _key_of(block)
            if self._macros.get(name) != block:
                self._macros[name] = block
                yield block
        key = _key_of(entry)
        if self._entries.get(key) == entry:
            return
        if key in self._entries:
            # Two bibliographies use one key for two works; BibTeX would refuse the file.
            free = next(name for number in range(2, 10_000_000) if (name := f"{key}-{number}") not in self._entries)
            entry, key = _KEY.sub(lambda match: match[1] + free, entry, count=1), free
        self._entries[key] = entry
        yield entry


def _parts(text: str) -> list[str]:
    """The blocks of a kept entry, the entry itself last."""
    from bibtexparser.splitter import Splitter

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL + 1)
    found = [block.raw for block in Splitter(text).split().blocks if block.raw]
    return found if "\n".join(found) == text else [text]


def _key_of(entry: str) -> str:
    match = _KEY.match(entry.lstrip())
    return match[2] if match else ""


def _made(holding: Holding) -> str:
    """Write an entry from what a source says."""
    source = holding.source
    said: Mapping[str, str] = holding.records[0].fields if holding.records else {}
    kind = said.get("type", "misc")
    lines = [("author", " and ".join(map(_person, source.authors))), ("title", _escaped(source.title))]
    lines += _date_lines(source.published)
    for ours, theirs in _NAMED.items():
        value = said.get(ours, "")
        if value:
            lines.append((theirs, _value(ours, theirs, value)))
    if "arxiv" in said:
        lines.append(("archiveprefix", "arXiv"))
    if source.tags:
        lines.append(("keywords", ", ".join(map(_escaped, source.tags))))
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in lines if value)
    return f"@{'misc' if kind in _UNKNOWN else kind}{{{_citekey(holding)},\n{body}\n}}"


def _value(ours: str, theirs: str, value: str) -> str:
    if ours in _PEOPLE:
        return " and ".join(map(_person, value.split("; ")))
    if theirs in _VERBATIM:
        return value.replace("{", "").replace("}", "").replace("\n", ";")
    return _escaped(value.replace("–", "--") if ours == "pages" else value)


def _person(name: str) -> str:
    """A name without a comma is that of an organisation, which braces keep whole."""
    return _escaped(name) if "," in name or " " not in name else f"{{{_escaped(name)}}}"


def _date_lines(published: str) -> list[tuple[str, str]]:
    year, month, day = (*published.split("-"), "", "", "")[:3]
    return [("year", year), ("month", month.lstrip("0")), ("date", published if day else "")]


def _citekey(holding: Holding) -> str:
    stated = holding.source.identifiers.get("citekey", "")
    if stated:
        return stated
    source = holding.source
    words = [surname_of(source.authors[0]) if source.authors else "", source.published[:4]]
    first = next((word for word in title_words(source.title) if len(word) > 3), "")
    return re.sub(r"[^a-z0-9]", "", "".join((*words, first))) or str(source.source_id)


def _escaped(text: str) -> str:
    return text.translate(_LATEX)
