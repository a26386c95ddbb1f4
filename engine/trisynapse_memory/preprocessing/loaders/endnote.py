"""An EndNote XML file in, each record as a source of its own out. No address and no file in it is opened."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.charsets import decode
from trisynapse_memory.preprocessing.office.xml import read_xml
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.preprocessing.references.dates import iso_of
from trisynapse_memory.preprocessing.references.entries import Entry, ReferencesDocument, made_key, plain_text
from trisynapse_memory.preprocessing.references.extras import path_of_address
from trisynapse_memory.preprocessing.references.kinds import ENDNOTE_KINDS
from trisynapse_memory.preprocessing.trees import Element
from trisynapse_memory.types import Modality

_START: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?<xml>\s*<records>", re.IGNORECASE)
_SIGN: Final = re.compile(rb"<ref-type\b|<source-app\b|<rec-number>")
_RECORD: Final = re.compile(r"<record\b[^>]*>.*?</record>", re.DOTALL)
_INTERNAL: Final = "internal-pdf://"

_NAMED: Final = {
    "volume": "volume", "issue": "number", "pages": "pages", "publisher": "publisher", "place": "pub-location",
    "edition": "edition", "language": "language", "series": "titles/tertiary-title",
}  # fmt: skip


class EndnoteLoader:
    """Reads libraries that EndNote, and programs that speak its format, export as XML."""

    name = "endnote"
    version = 1
    modality = Modality.STRUCTURED.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.97 for the two first elements of the format with a field of it, else 0."""
        start = head[:65_536]
        return 0.97 if _START.match(start) and _SIGN.search(start) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> ReferencesDocument:
        """Open a library; it has no password. ``filename`` is the name it came under, for messages.

        Raises:
            SourceDamagedError: it is no EndNote XML, or no record in it can be taken in.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again="Export the library again.")
        root, _ = read_xml(raw)
        records = [] if root is None else root.findall(".//record")
        if not records:
            raise SourceDamagedError(f"'{name}' holds no record of EndNote.", hint="Export the library again as XML.")
        texts = _RECORD.findall(decode(raw)[0])
        # Where the two do not agree, a record says what its elements say, and is not kept as it stood.
        kept = texts if len(texts) == len(records) else [""] * len(records)
        return ReferencesDocument(name, partial(_entries, records, kept), "application/x-endnote-library", "endnote")


def _entries(records: list[Element], texts: list[str]) -> Iterator[Entry]:
    for number, (record, raw) in enumerate(zip(records, texts, strict=True), start=1):
        yield _entry(record, raw, number)


def _entry(record: Element, raw: str, number: int) -> Entry:
    title = plain_text(_text(record, "titles/title"))
    authors, editors = _names(record, "authors"), _names(record, "secondary-authors")
    if not title and not authors:
        return Entry(key=f"record {number}", skipped=f"record {number} has no title and no author")
    published = iso_of(f"{_text(record, 'dates/pub-dates/date')} {_text(record, 'dates/year')}")
    kind_name = record.find("ref-type")
    kind = ENDNOTE_KINDS.get((kind_name.get("name") or "") if kind_name is not None else "", "misc")
    fields = {ours: text for ours, theirs in _NAMED.items() if (text := _text(record, theirs))}
    venue = _text(record, "periodical/full-title") or _text(record, "titles/secondary-title")
    fields["booktitle" if kind in ("incollection", "inproceedings") else "journal"] = venue
    urls, label = _texts(record, "urls/related-urls/url"), _text(record, "label")
    number_text = _text(record, "isbn")
    digits = re.sub(r"\W", "", number_text)
    return Entry(
        key=label or _text(record, "foreign-keys/key") or made_key(title, authors, published),
        kind=kind,
        title=title,
        authors=authors or editors,
        published=published,
        abstract=plain_text(_text(record, "abstract")),
        notes=tuple(text for name in ("notes", "research-notes") if (text := plain_text(_text(record, name)))),
        keywords=_texts(record, "keywords/keyword"),
        url=urls[0] if urls else "",
        files=tuple(_path(one) for one in _texts(record, "urls/pdf-urls/url")),
        identifiers={
            "doi": _text(record, "electronic-resource-num"),
            ("isbn" if len(digits) in (10, 13) else "issn"): number_text,
            "citekey": label if label and " " not in label else "",
        },
        fields={**fields, **({"editors": "; ".join(editors)} if editors and authors else {})},
        raw=raw,
    )


def _text(record: Element, path: str) -> str:
    """All words below the first element on a path; EndNote wraps them in elements of style."""
    found = record.find(path)
    return "" if found is None else _words(found)


def _texts(record: Element, path: str) -> tuple[str, ...]:
    return tuple(text for one in record.findall(path) if (text := _words(one)))


def _words(element: Element) -> str:
    parts = [
        part for one in element.iter() for part in ((one.text or ""), (one.tail or "") if one is not element else "")
    ]
    return " ".join("".join(parts).split())


def _names(record: Element, role: str) -> tuple[str, ...]:
    """A comma at the end of a name marks an organisation."""
    return tuple(name.rstrip(", ") for name in _texts(record, f"contributors/{role}/author"))


def _path(address: str) -> str:
    return address.removeprefix(_INTERNAL) if address.startswith(_INTERNAL) else path_of_address(address)
