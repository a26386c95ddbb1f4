"""A RIS or PubMed (nbib) file in, each record as a source of its own out. No address in it is followed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol, cast

from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.references.dates import iso_of
from trisynapse_memory.preprocessing.references.entries import (
    Entry,
    ReferencesDocument,
    made_key,
    plain_text,
    read_bibliography,
)
from trisynapse_memory.preprocessing.references.extras import path_of_address
from trisynapse_memory.preprocessing.references.kinds import ENDNOTE_KINDS, RIS_KINDS
from trisynapse_memory.preprocessing.references.loose import as_list, as_text
from trisynapse_memory.preprocessing.references.tagged import (
    TaggedRecord,
    nbib_records,
    nbib_values,
    ris_records,
)
from trisynapse_memory.types import Modality

_RIS: Final = re.compile(r"\A\ufeff?(?:[^\n]{0,200}\n){0,40}?TY  ?- ?[A-Z][A-Za-z ]{2,30}$", re.MULTILINE)
_RIS_FIELD: Final = re.compile(r"^(?!TY|ER)[A-Z][A-Z0-9]  ?- ", re.MULTILINE)
_NBIB: Final = re.compile(r"\A\ufeff?\s*PMID- ?\d{1,8}\s*$", re.MULTILINE)
_ARTICLES: Final = re.compile(r"\b(?:Journal Article|Review|Letter|Editorial|Preprint)\b")

_FILES: Final = ("file_attachments1", "file_attachments2")

_Values = Mapping[str, object]


class _Rispy(Protocol):
    """What is used of rispy, which has no types of its own."""

    def loads(self, text: str, *, skip_unknown_tags: bool) -> list[dict[str, object]]: ...


class RisLoader:
    """Reads bibliographies in RIS and in the format of PubMed."""

    name = "ris"
    version = 1
    modality = Modality.STRUCTURED.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.97 where a record begins the file, whatever it is called, else 0."""
        if looks_binary(head):
            return 0.0
        text = head[:16_384].decode("utf-8", "replace").replace("\r", "")
        is_ris = _RIS.match(text) is not None and _RIS_FIELD.search(text) is not None
        return 0.97 if is_ris or _NBIB.match(text) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> ReferencesDocument:
        """Open a bibliography; it has no password. ``filename`` is the name it came under, for messages.

        Raises:
            SourceDamagedError: no record in it can be taken in.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        text = read_bibliography(path, name)
        if _NBIB.match(text.replace("\r", "")[:400]):
            return ReferencesDocument(name, partial(_nbib_entries, text), "application/nbib", "nbib")
        return ReferencesDocument(name, partial(_ris_entries, text), "application/x-research-info-systems", "ris")


def _ris_entries(text: str) -> Iterator[Entry]:
    # It takes 25 ms to load, which is paid only where such a file is read.
    rispy = cast("_Rispy", import_module("rispy"))
    for record in ris_records(text):
        if record.broken:
            yield _broken(record)
            continue
        # One at a time: a record that breaks the parser costs itself only.
        values = rispy.loads("\n".join(record.raw.splitlines()), skip_unknown_tags=True)[:1]
        yield _ris_entry(values[0], record) if values else _broken(record)


def _ris_entry(values: _Values, record: TaggedRecord) -> Entry:
    title = _text(values, "title", "primary_title", "translated_title", "short_title")
    authors = _names(values, "authors", "first_authors")
    editors = _names(values, "secondary_authors")
    published = next(
        (date for name in ("date", "year", "publication_year") if (date := iso_of(_text(values, name)))), ""
    )
    if not title and not authors:
        said = f"line {record.line}: the record has no title and no author"
        return Entry(key=f"line {record.line}", line=record.line, skipped=said)
    stated_kind = _text(values, "type_of_reference")
    kind = RIS_KINDS.get(stated_kind.upper()) or ENDNOTE_KINDS.get(stated_kind, "misc")
    venue = _text(values, "journal_name", "alternate_title3", "secondary_title", "alternate_title2")
    urls = _list(values, "urls")
    identifiers = _ris_identifiers(values, urls)
    fields = {
        ("booktitle" if kind in ("incollection", "inproceedings") else "journal"): venue,
        "series": _text(values, "tertiary_title"),
        "volume": _text(values, "volume"),
        "issue": _text(values, "number"),
        "pages": _pages(_text(values, "start_page"), _text(values, "end_page")),
        "publisher": _text(values, "publisher"),
        "place": _text(values, "place_published"),
        "edition": _text(values, "edition"),
        "language": _text(values, "language"),
        "accessed": iso_of(_text(values, "access_date")),
        "editors": "; ".join(editors) if authors else "",
    }
    stated = _text(values, "id", "label")
    return Entry(
        key=stated or made_key(title, authors or editors, published),
        line=record.line,
        kind=kind,
        title=title,
        authors=authors or editors,
        published=published,
        abstract=plain_text(_text(values, "abstract", "notes_abstract")),
        notes=tuple(plain_text(note) for note in (*_list(values, "notes"), *_list(values, "research_notes"))),
        keywords=_list(values, "keywords"),
        url=urls[0] if urls else "",
        files=tuple(path_of_address(one) for name in _FILES for one in _list(values, name)),
        identifiers={**identifiers, **({"citekey": stated} if stated and " " not in stated else {})},
        fields={name: value for name, value in fields.items() if value},
        raw=record.raw,
    )


def _ris_identifiers(values: _Values, urls: Sequence[str]) -> dict[str, str]:
    number = _text(values, "issn")
    digits = re.sub(r"\W", "", number)
    found = {
        "doi": _text(values, "doi") or next((url for url in urls if "doi.org/" in url), ""),
        # SN is both: an ISBN has ten or thirteen digits, an ISSN eight.
        ("isbn" if len(digits) in (10, 13) else "issn"): number,
        "arxiv": next((url for url in urls if "arxiv.org/" in url), ""),
    }
    if "pubmed" in _text(values, "name_of_database").lower():
        found["pmid"] = _text(values, "accession_number")
    return {scheme: value for scheme, value in found.items() if value}


def _nbib_entries(text: str) -> Iterator[Entry]:
    for record in nbib_records(text):
        yield _broken(record) if record.broken else _nbib_entry(nbib_values(record.raw), record)


def _nbib_entry(values: Mapping[str, list[str]], record: TaggedRecord) -> Entry:
    pmid = "".join(values.get("PMID", [""])[:1])
    authors = (*(values.get("FAU") or values.get("AU") or []), *values.get("CN", []))
    located = [*values.get("LID", []), *values.get("AID", [])]
    doi = next((one.removesuffix("[doi]").strip() for one in located if one.endswith("[doi]")), "")
    first = {tag: found[0] for tag, found in values.items() if found}
    fields = {
        "journal": first.get("JT") or first.get("TA", ""),
        "volume": first.get("VI", ""),
        "issue": first.get("IP", ""),
        "pages": first.get("PG", ""),
        "place": first.get("PL", ""),
        "language": first.get("LA", ""),
    }
    issn = next((one.split()[0] for one in values.get("IS", []) if one), "")
    # MeSH headings: "Humans", "*Neural Networks/methods".
    subjects = [heading.replace("*", "") for heading in (*values.get("OT", []), *values.get("MH", []))]
    return Entry(
        key=pmid,
        line=record.line,
        kind="article" if _ARTICLES.search(" ".join(values.get("PT", ["Journal Article"]))) else "misc",
        title=(first.get("TI") or first.get("BTI", "")).rstrip("."),
        authors=authors,
        published=iso_of(first.get("DP", "")),
        abstract=plain_text(first.get("AB", "")),
        keywords=tuple(subjects),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        identifiers={"pmid": pmid, "doi": doi, "issn": issn},
        fields={name: value for name, value in fields.items() if value},
        raw=record.raw,
    )


def _broken(record: TaggedRecord) -> Entry:
    return Entry(
        key=f"line {record.line}", line=record.line, skipped=record.broken or f"line {record.line}: cannot be read"
    )


def _text(values: _Values, *names: str) -> str:
    """The first value that is there, in one line."""
    return next((text for name in names if (text := as_text(values.get(name)))), "")


def _list(values: _Values, name: str) -> tuple[str, ...]:
    given = values.get(name)
    return tuple(text for one in (as_list(given) or [given]) if (text := as_text(one)))


def _names(values: _Values, *names: str) -> tuple[str, ...]:
    return next((found for name in names if (found := _list(values, name))), ())


def _pages(first: str, last: str) -> str:
    return f"{first}–{last}" if first and last and first != last and "-" not in first else first or last
