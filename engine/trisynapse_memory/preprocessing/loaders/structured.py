"""JSON, JSON Lines, YAML, TOML, INI and XML in, records with their key paths out; nothing is constructed or fetched.

What is not valid is still a text: it is read as such, and every page says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import IO, Final, TypeAlias

from trisynapse_memory.preprocessing.blocks import compose
from trisynapse_memory.preprocessing.charsets import looks_binary, meta_charset
from trisynapse_memory.preprocessing.cutting import cut_pages
from trisynapse_memory.preprocessing.paging import PagedText, open_text, open_utf8
from trisynapse_memory.preprocessing.plaintext import TextDocument, UnreadableError, doubts
from trisynapse_memory.preprocessing.structured import json_text
from trisynapse_memory.preprocessing.structured.pages import element_pages, line_pages
from trisynapse_memory.preprocessing.structured.records import LIST_MAX, Stretch, element, stretches, write
from trisynapse_memory.preprocessing.structured.values import SHORTENED, Pairs, Value
from trisynapse_memory.types import Heading, Listing, Modality, Page, PageVerdict, Section

_KINDS: Final = {
    **dict.fromkeys((".json", ".geojson", ".topojson", ".jsonld", ".har", ".webmanifest"), "json"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".yaml", ".yml", ".cff"), "yaml"),
    **dict.fromkeys((".ini", ".cfg", ".conf", ".properties", ".editorconfig", ".desktop"), "ini"),
    **dict.fromkeys(
        (".xml", ".xsd", ".xsl", ".xslt", ".kml", ".gpx", ".rdf", ".owl", ".opml", ".graphml", ".tei", ".dbk",
         ".docbook", ".musicxml", ".plist", ".wsdl"), "xml",
    ),
    ".toml": "toml",
}  # fmt: skip
_MEDIA_TYPES: Final = {
    "json": "application/json", "jsonl": "application/x-ndjson", "yaml": "application/yaml",
    "toml": "application/toml", "ini": "text/plain", "xml": "application/xml",
}  # fmt: skip
NAMED, BY_CONTENT = 0.6, 0.45  # below exports that are known by their keys; above a text
IN_SHORT: Final = "long lists of numbers are told in short"
OUTLINE_MAX_BYTES: Final = 4 * 1024 * 1024  # YAML is read at some 2 MB a second
XML_MAX_BYTES: Final = 32 * 1024 * 1024
_JSON_START: Final = re.compile(rb'\s*(?:\{\s*"[^"\n]{0,200}"\s*:|\[\s*(?:\{\s*"|\[))')
Written: TypeAlias = tuple[str, tuple[Section, ...], str]  # the text of a page, its sections, and a note
_XML_START: Final = re.compile(rb"\s*<\?xml\s")


class StructuredLoader:
    """Reads data files: what has keys and no pages."""

    name = "structured"
    version = 1
    modality = Modality.STRUCTURED.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.6 for a data file's name, 0.45 for any text that begins as one."""
        suffix = PurePath(filename).suffix.lower()
        if not head.strip() or looks_binary(head):
            return 0.0
        if suffix in _KINDS:
            return NAMED
        return BY_CONTENT if _kind_of(head) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> TextDocument | RecordsDocument:
        """Open a data file; it has no password.

        Args:
            path: the file.
            password: not used.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceUnsupportedError: the file is not text.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        declared = (meta_charset(_head(path)),) if _KINDS.get(PurePath(name).suffix.lower(), "xml") == "xml" else ()
        file, reading = open_utf8(path, name=name, declared=declared)
        whole = PagedText(file, ((0, _size(file)),), reading)
        file.seek(0)
        kind = _KINDS.get(PurePath(name).suffix.lower(), "") or _kind_of(file.read(4096)) or "json"
        try:
            return _open(kind, whole)
        except UnreadableError as error:
            whole.close()
            note = f"{error}; read as plain text"
            paged = open_text(path, name=name, declared=declared)
            return TextDocument(paged, Modality.STRUCTURED, media_type=_MEDIA_TYPES[kind], note=note)


class _TooLargeError(UnreadableError):
    """A file is too large to be read as a whole; the message says how large."""


class RecordsDocument:
    """A data file that is open, page by page."""

    def __init__(self, paged: PagedText, heading: Heading, page: Callable[[int], Written]) -> None:
        self._paged = paged
        self._page = page
        self.heading = heading
        self.note = ""

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones: some 64 KiB of records each."""
        flags, doubt = doubts(self._paged)
        for number in range(max(1, start), self.heading.page_count + 1):
            text, sections, told = self._page(number)
            verdict = PageVerdict.OK if text.strip() else PageVerdict.EMPTY
            short = IN_SHORT if SHORTENED.search(text) else ""
            note = "; ".join(filter(None, (doubt, self.note, told, short))) if text.strip() else "no value holds a word"
            yield Page(number=number, text=text, verdict=verdict, flags=flags, method="records", note=note), sections

    def members(self) -> Iterator[Listing]:
        """Yield nothing: what is in a data file is no source of its own."""
        yield from ()

    def close(self) -> None:
        """Let go of the file."""
        self._paged.close()


def _open(kind: str, whole: PagedText) -> RecordsDocument:
    size = whole.spans[0][1]
    if kind == "jsonl":
        return _listed(whole, kind)
    if kind == "json":
        return _listed(whole, kind) if size > json_text.WHOLE_MAX_BYTES else _json(whole)
    limit = XML_MAX_BYTES if kind == "xml" else OUTLINE_MAX_BYTES
    if size > limit:
        raise _TooLargeError(f"larger than the {limit // 1_048_576} MiB that are read as {kind.upper()}")
    return _xml(whole) if kind == "xml" else _outlined(whole, kind)


def _json(whole: PagedText) -> RecordsDocument:
    text = whole.page(1)
    if text.lstrip()[:1] == "[" and text.count("},") > LIST_MAX:
        return _listed(whole, "json")
    value = json_text.parse(text)
    return _written(whole, list(stretches(value)), "json", _title(value))


def _listed(whole: PagedText, kind: str) -> RecordsDocument:
    """A list of any length: its elements are read page by page."""
    if kind == "json" and whole.file.seek(0) == 0 and whole.file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"[":
        limit = json_text.WHOLE_MAX_BYTES // 1_048_576
        raise _TooLargeError(f"a single value larger than the {limit} MiB that are read as JSON")
    read = json_text.lines if kind == "jsonl" else json_text.elements
    places, count = line_pages(whole.file) if kind == "jsonl" else element_pages(whole.file)

    def page(number: int) -> Written:
        place = places[number - 1]
        found = list(read(whole.file, place.start, place.end, place.first))
        text, sections = write([stretch for one in found for stretch in _told(one, kind, long=count > LIST_MAX)])
        broken = next((one.number for one in found if one.value is None), 0)
        return text, sections, f"line {broken} is not valid JSON; such lines are told as they stand" if broken else ""

    return RecordsDocument(whole, _heading(kind, len(places)), page)


def _told(one: json_text.Element, kind: str, *, long: bool) -> Iterator[Stretch]:
    name = f"line {one.number}" if kind == "jsonl" else f"[{one.number - 1}]"
    if one.value is None:
        yield Stretch(one.raw, (name,))
    elif long:
        yield from element(one.value, one.number)
    else:
        yield from stretches(one.value, (name,))


def _xml(whole: PagedText) -> RecordsDocument:
    # Here and below: each format's patterns cost some milliseconds, which only its own files need pay.
    from trisynapse_memory.preprocessing.structured import xml_text

    raw = re.sub(rb"^\s*<\?xml[^>]*\?>", b"", whole.page(1).encode("utf-8", "replace").lstrip(), count=1)
    root = xml_text.parse(raw)
    if xml_text.is_prose(root):
        text, sections = compose(list(xml_text.blocks_of(root)))
        title = next((section.path[-1] for section in sections if section.path), "")
        return _cut(whole, text, sections, "xml", title)
    value = xml_text.value_of(root)
    return _written(whole, list(stretches(value, (xml_text.root_name(root),))), "xml", "")


def _outlined(whole: PagedText, kind: str) -> RecordsDocument:
    from trisynapse_memory.preprocessing.structured import outlines

    text = whole.page(1)
    borders = outlines.yaml_borders(text) if kind == "yaml" else outlines.table_borders(text)
    document = _cut(whole, text, outlines.sections_of(text, borders), kind, "")
    fault = outlines.toml_fault(text) if kind == "toml" else ""
    document.note = f"{fault}; read as it stands" if fault else ""
    return document


def _written(whole: PagedText, told: Sequence[Stretch], kind: str, title: str) -> RecordsDocument:
    text, sections = write(told)
    return _cut(whole, text, sections, kind, title)


def _cut(whole: PagedText, text: str, sections: Sequence[Section], kind: str, title: str) -> RecordsDocument:
    pages = cut_pages(text, sections)
    return RecordsDocument(whole, _heading(kind, len(pages), title), lambda number: (*pages[number - 1], ""))


def _heading(kind: str, page_count: int, title: str = "") -> Heading:
    return Heading(page_count=page_count, title=title, media_type=_MEDIA_TYPES[kind], method="records")


def _title(value: Value) -> str:
    """What a whole file calls itself."""
    entries = value.entries if isinstance(value, Pairs) else ()
    return next((inner.strip() for name, inner in entries if name.casefold() == "title" and isinstance(inner, str)), "")


def _kind_of(head: bytes) -> str:
    """Tell JSON and XML by how they begin; the other formats have no beginning of their own."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    return "json" if _JSON_START.match(head) else "xml" if _XML_START.match(head) else ""


def _head(path: Path) -> bytes:
    """The first bytes, or none where opening will say why not."""
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError:
        return b""


def _size(file: IO[bytes]) -> int:
    return file.seek(0, 2)
