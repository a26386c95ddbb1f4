"""A BibTeX or BibLaTeX file in, each entry as a source of its own out. No file that an entry names is opened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.references.attachments import paths_of
from trisynapse_memory.preprocessing.references.bibtex_blocks import BibtexRecord, records_of
from trisynapse_memory.preprocessing.references.dates import iso_of, of_parts
from trisynapse_memory.preprocessing.references.entries import Entry, ReferencesDocument, read_bibliography
from trisynapse_memory.preprocessing.references.latex import readable, verbatim
from trisynapse_memory.preprocessing.references.names import people
from trisynapse_memory.text.identifiers import mentions
from trisynapse_memory.types import Modality

_KINDS: Final = (
    "article|book|mvbook|inbook|bookinbook|suppbook|booklet|collection|mvcollection|incollection|suppcollection|"
    "dataset|manual|misc|online|electronic|www|patent|periodical|suppperiodical|proceedings|mvproceedings|"
    "inproceedings|conference|reference|inreference|report|techreport|software|thesis|phdthesis|mastersthesis|"
    "bachelorsthesis|unpublished|xdata|set|string|preamble|comment"
)
_FIRST: Final = re.compile(
    rf"\A\ufeff?(?:\s|%[^\n]*\n)*@\s*(?:{_KINDS})\s*[{{(]\s*[^\s,{{}}()=\"]*\s*[,=\"{{]", re.IGNORECASE
)
_ANYWHERE: Final = re.compile(rf"^[ \t]*@\s*(?:{_KINDS})\s*[{{(]", re.IGNORECASE | re.MULTILINE)
_ENCODING: Final = re.compile(rb"^%\s*Encoding\s*:\s*([\w-]{2,40})", re.IGNORECASE | re.MULTILINE)  # as JabRef says it
_SUFFIXES: Final = (".bib", ".bibtex", ".biblatex")

_NAMED: Final = {
    "journal": ("journaltitle", "journal"),
    "booktitle": ("booktitle", "maintitle"),
    "series": ("series",),
    "volume": ("volume",),
    "issue": ("number", "issue"),
    "pages": ("pages",),
    "publisher": ("publisher", "organization"),
    "place": ("location", "address"),
    "edition": ("edition",),
    "chapter": ("chapter",),
    "institution": ("institution", "school"),
    "language": ("langid", "language"),
    "accessed": ("urldate",),
    "event": ("eventtitle",),
}
"""Our name of a field, and the names it has in BibLaTeX and BibTeX, the first that is there."""


class BibtexLoader:
    """Reads bibliographies in BibTeX and BibLaTeX, as written by hand or by any reference manager."""

    name = "bibtex"
    version = 1
    modality = Modality.STRUCTURED.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.97 where the file begins with an entry, 0.9 by name and an entry anywhere."""
        if looks_binary(head):
            return 0.0
        text = head.decode("utf-8", "replace")
        if _FIRST.match(text):
            return 0.97
        return 0.9 if filename.lower().endswith(_SUFFIXES) and _ANYWHERE.search(text) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> ReferencesDocument:
        """Open a bibliography; it has no password. ``filename`` is the name it came under, for messages.

        Raises:
            SourceDamagedError: no entry in it can be taken in.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        text = read_bibliography(path, name, _stated_encoding)
        return ReferencesDocument(name, partial(_entries, text), "application/x-bibtex", "bibtex")


def _entries(text: str) -> Iterator[Entry]:
    for record in records_of(text):
        if record.broken:
            yield Entry(key=record.key, line=record.line, title=record.key, skipped=record.broken)
        elif not record.values:
            yield Entry(key=record.key, line=record.line, skipped=f"line {record.line}: the entry says nothing")
        else:
            yield _entry(record)


def _entry(record: BibtexRecord) -> Entry:
    values = record.values
    key = record.key or f"line {record.line}"
    authors = people(values.get("author", ""))
    editors = people(values.get("editor", ""))
    return Entry(
        key=key,
        line=record.line,
        kind=record.kind,
        title=_title(values),
        authors=authors or editors,
        published=_published(values),
        abstract=readable(values.get("abstract", "")),
        notes=tuple(text for name in ("note", "annotation", "annote", "comment") if (text := _shown(values, name))),
        keywords=_listed(values, "keywords", "mendeley-tags"),
        collections=_collections(values),
        url=_url(values),
        files=paths_of(values.get("file", "")),
        identifiers={**_identifiers(values), "citekey": record.key},
        fields={**_fields(values), **({"editors": "; ".join(editors)} if editors else {})},
        raw=record.raw,
    )


def _shown(values: Mapping[str, str], *names: str) -> str:
    return next((text for name in names if (text := readable(values.get(name, "")))), "")


def _title(values: Mapping[str, str]) -> str:
    title, rest = _shown(values, "title"), _shown(values, "subtitle", "titleaddon")
    return f"{title}: {rest}" if title and rest else title


def _published(values: Mapping[str, str]) -> str:
    stated = iso_of(verbatim(values.get("date") or ("" if "year" in values else values.get("origdate", ""))))
    month = _shown(values, "month")  # also "jun # {~12}": the day stands behind it
    day = _shown(values, "day") or next(iter(re.findall(r"[A-Za-z.]\s+(\d{1,2})\b", month)), "")
    return stated or of_parts(verbatim(values.get("year", "")), month, day)


def _fields(values: Mapping[str, str]) -> dict[str, str]:
    return {ours: text for ours, theirs in _NAMED.items() if (text := _shown(values, *theirs))}


def _identifiers(values: Mapping[str, str]) -> dict[str, str]:
    found = {scheme: verbatim(values.get(scheme, "")) for scheme in ("doi", "isbn", "issn", "pmid")}
    eprint = verbatim(values.get("eprint", ""))
    archive = (values.get("eprinttype") or values.get("archiveprefix") or "").strip("{} ").lower()
    if eprint and archive in ("arxiv", ""):
        found["arxiv"] = eprint
    elif eprint and archive == "pubmed":
        found["pmid"] = found["pmid"] or eprint
    if not found.get("arxiv"):
        # Google Scholar: journal = {arXiv preprint arXiv:1706.03762}.
        place = f"{values.get('journal', '')} {values.get('note', '')} {values.get('howpublished', '')}"
        found["arxiv"] = next(iter(mentions("arxiv", place)), "")
    return {scheme: value for scheme, value in found.items() if value}


def _url(values: Mapping[str, str]) -> str:
    stated = verbatim(values.get("url", ""))
    if stated:
        return stated
    named = re.search(r"https?://\S+", verbatim(values.get("howpublished", "")))
    return named[0].rstrip(".,") if named else ""


def _listed(values: Mapping[str, str], *names: str) -> tuple[str, ...]:
    found = [readable(part) for name in names for part in re.split(r"[;,]", values.get(name, ""))]
    return tuple(part for part in found if part)


def _collections(values: Mapping[str, str]) -> tuple[str, ...]:
    """The groups of JabRef, and the folders of Mendeley with their parents."""
    folders = [part.replace("/", " > ") for part in _listed(values, "mendeley-groups")]
    return (*_listed(values, "groups"), *folders)


def _stated_encoding(head: bytes) -> tuple[str, ...]:
    declared = _ENCODING.search(head)
    return (declared[1].decode("ascii"),) if declared else ()
