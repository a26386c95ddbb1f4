"""A CSL JSON file in, each entry as a source of its own out. No address in it is followed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.references.dates import iso_of, of_parts
from trisynapse_memory.preprocessing.references.entries import (
    Entry,
    ReferencesDocument,
    made_key,
    plain_text,
    read_bibliography,
)
from trisynapse_memory.preprocessing.references.extras import stated_in
from trisynapse_memory.preprocessing.references.kinds import CSL_KINDS
from trisynapse_memory.preprocessing.references.loose import as_list, as_map, as_text
from trisynapse_memory.preprocessing.references.names import in_order
from trisynapse_memory.types import Modality

_START: Final = re.compile(r'\A\ufeff?\s*(?:\[|\{\s*"items"\s*:\s*\[)?\s*\{')
_KIND: Final = re.compile(rf'"type"\s*:\s*"(?:{"|".join(map(re.escape, CSL_KINDS))})"')
_SIGN: Final = re.compile(
    r'"(?:issued|container-title|citation-key|publisher-place|date-parts|family|title-short|DOI|ISBN)"\s*:'
)
_ITEMS: Final = re.compile(r'\A\s*(?:\[|\{\s*"items"\s*:\s*\[)')
_BETWEEN: Final = re.compile(r"[\s,]*")

_NAMED: Final = {
    "journal": "container-title", "series": "collection-title", "volume": "volume", "issue": "issue", "pages": "page",
    "publisher": "publisher", "place": "publisher-place", "edition": "edition", "chapter": "chapter-number",
    "language": "language", "event": "event-title", "number": "number",
}  # fmt: skip


class CslLoader:
    """Reads bibliographies in CSL JSON, as Zotero, Mendeley and Crossref write them."""

    name = "csl"
    version = 1
    modality = Modality.STRUCTURED.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.97 for JSON whose first entries have a kind and a field of CSL, else 0."""
        if looks_binary(head):
            return 0.0
        text = head.decode("utf-8", "replace")
        return 0.97 if _START.match(text) and _KIND.search(text) and _SIGN.search(text) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> ReferencesDocument:
        """Open a bibliography; it has no password. ``filename`` is the name it came under, for messages.

        Raises:
            SourceDamagedError: no entry in it can be taken in.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        text = read_bibliography(path, name)
        media_type = "application/vnd.citationstyles.csl+json"
        return ReferencesDocument(name, partial(_entries, text.lstrip("\ufeff")), media_type, "csl")


def _entries(text: str) -> Iterator[Entry]:
    decoder = json.JSONDecoder()
    match = _ITEMS.match(text)
    place = match.end() if match else 0
    while (place := _next(text, place)) < len(text) and text[place] not in "]}":
        line = text.count("\n", 0, place) + 1
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            # Where one entry ends is not known any more, so the rest cannot be read either.
            reason = getattr(error, "msg", "nested too deep")
            yield Entry(key=f"line {line}", line=line, skipped=f"line {line} and all after it: {reason}")
            return
        yield _entry(value, text[place:end], line)
        place = end
        if not match:
            return


def _next(text: str, place: int) -> int:
    found = _BETWEEN.match(text, place)
    return found.end() if found else place


def _entry(value: object, raw: str, line: int) -> Entry:
    values = as_map(value)
    if not values:
        return Entry(key=f"line {line}", line=line, skipped=f"line {line}: no entry, but {type(value).__name__}")
    title, authors = plain_text(_text(values, "title")), _names(values, "author")
    editors, published = _names(values, "editor"), _date(values, "issued")
    if not title and not authors:
        return Entry(key=f"line {line}", line=line, skipped=f"line {line}: the entry has no title and no author")
    kind = CSL_KINDS.get(_text(values, "type"), "misc")
    stated = _text(values, "citation-key") or _text(values, "id")
    return Entry(
        key=_text(values, "id") or made_key(title, authors, published),
        line=line,
        kind=kind,
        title=title,
        authors=authors or editors,
        published=published,
        abstract=plain_text(_text(values, "abstract")),
        notes=tuple(note for name in ("note", "annote") if (note := plain_text(_text(values, name)))),
        keywords=_keywords(values),
        url=_text(values, "URL"),
        identifiers=_identifiers(values, stated),
        fields={**_fields(values, kind), **({"editors": "; ".join(editors)} if editors and authors else {})},
        raw=raw,
    )


def _identifiers(values: Mapping[str, object], stated: str) -> dict[str, str]:
    note = values.get("note")
    noted = stated_in(note) if isinstance(note, str) else {}
    found = {scheme.lower(): text for scheme in ("DOI", "ISBN", "ISSN", "PMID") if (text := _text(values, scheme))}
    if "arxiv" in _text(values, "archive").lower():
        found["arxiv"] = _text(values, "archive_location", "number")
    if re.fullmatch(r"[^\s/{}\"]{1,200}", stated):
        found["citekey"] = stated
    return {**noted, **found}


def _fields(values: Mapping[str, object], kind: str) -> dict[str, str]:
    found = {ours: plain_text(_text(values, theirs)) for ours, theirs in _NAMED.items()}
    if kind in ("incollection", "inproceedings", "inreference"):
        found["booktitle"] = found.pop("journal")
    found["accessed"] = _date(values, "accessed")
    return {name: text for name, text in found.items() if text}


def _text(values: Mapping[str, object], *names: str) -> str:
    return next((text for name in names if (text := as_text(values.get(name)))), "")


def _names(values: Mapping[str, object], role: str) -> tuple[str, ...]:
    return tuple(name for one in as_list(values.get(role)) if (name := _name(as_map(one))))


def _name(parts: Mapping[str, object]) -> str:
    whole = _text(parts, "literal", "name")
    if whole:
        return whole
    particles = f"{_text(parts, 'dropping-particle')} {_text(parts, 'non-dropping-particle')}"
    return in_order(_text(parts, "given"), f"{particles} {_text(parts, 'family')}", _text(parts, "suffix"))


def _date(values: Mapping[str, object], name: str) -> str:
    given = values.get(name)
    if isinstance(given, str):
        return iso_of(given)
    date = as_map(given)
    first = next(iter(as_list(date.get("date-parts"))), None)
    year, month, day, *_ = (*(as_text(part) for part in as_list(first)[:3]), "", "", "")
    return of_parts(year, month, day) or iso_of(_text(date, "raw", "literal"))


def _keywords(values: Mapping[str, object]) -> tuple[str, ...]:
    named = [as_text(one) for one in as_list(values.get("categories"))]
    return tuple(word for part in (*re.split(r"[;,]", _text(values, "keyword")), *named) if (word := part.strip()))
