"""An open document of pymupdf in, what it holds beside the text of its pages out: claims, outline, marks, files.

Nothing is judged here. What pymupdf raises for broken objects is named by the caller, who alone imports it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trisynapse_memory.preprocessing.pdf.annotations import MARKING, MAX_ANNOTATIONS, MAX_NOTE_CHARS, Annotation
from trisynapse_memory.preprocessing.pdf.attachments import MAX_FILE_BYTES, MAX_FILES, Attachment
from trisynapse_memory.preprocessing.pdf.lines import Box
from trisynapse_memory.preprocessing.pdf.metadata import Stated, read_stated
from trisynapse_memory.preprocessing.pdf.outline import Entry, Line, entries_by_page

MAX_INFO_KEYS: Final = 100
MAX_PACKET_CHARS: Final = 1_000_000
FILE_ANNOTATION: Final = 17  # PDF_ANNOT_FILE_ATTACHMENT
MAX_PINNED_PAGES: Final = 2_000  # pages looked at for pinned files

Faults = tuple[type[Exception], ...]


def stated_in(document: Any, faults: Faults) -> Stated:
    """Return what the file states of itself, the names that only publishers use included."""
    known: dict[str, Any] = document.metadata or {}
    info = {name: str(value) for name, value in known.items() if value}
    packet = ""
    try:
        kind, place = document.xref_get_key(-1, "Info")
        if kind == "xref":
            xref = int(place.split()[0])
            for name in document.xref_get_keys(xref)[:MAX_INFO_KEYS]:
                info.setdefault(name.casefold(), str(document.xref_get_key(xref, name)[1]))
        packet = str(document.get_xml_metadata() or "")
    except faults:
        pass  # a broken trailer: what was read so far is all there is
    return read_stated(info, packet[:MAX_PACKET_CHARS])


def outline_of(document: Any, title: str, faults: Faults) -> dict[int, tuple[Entry, ...]]:
    """Return the entries of the outline by page; none for one that cannot be read."""
    try:
        listed = document.get_toc(simple=False)
    except faults:
        return {}
    lines: list[Line] = []
    for level, words, page, place in listed:
        point = place.get("to") if place.get("kind") == 1 else None  # named places count from the foot of the page
        lines.append(Line(int(level), str(words), int(page), float(point.y) if point is not None else None))
    return entries_by_page(lines, title)


def annotations_on(page: Any) -> list[Annotation]:
    """Return the marks readers left on a page."""
    found: list[Annotation] = []
    for annotation in page.annots():
        if len(found) == MAX_ANNOTATIONS:
            break
        info, corners = annotation.info, annotation.vertices or ()
        boxes = [tuple(annotation.rect)]
        if annotation.type[1] in MARKING and len(corners) >= 4 and len(corners) % 4 == 0:
            quads = [corners[start : start + 4] for start in range(0, len(corners), 4)]
            boxes = [_around(quad) for quad in quads]
        note = " ".join(str(info.get("content") or "").split())[:MAX_NOTE_CHARS]
        author = " ".join(str(info.get("title") or "").split())
        found.append(Annotation(annotation.type[1], author, note, tuple(boxes)))
    return found


def _around(corners: Sequence[tuple[float, float]]) -> Box:
    across, down = [x for x, _ in corners], [y for _, y in corners]
    return min(across), min(down), max(across), max(down)


def attachments_in(document: Any, faults: Faults) -> Iterator[Attachment]:
    """Yield the embedded files of the document, then those pinned to its pages."""
    for index in range(min(int(document.embfile_count()), MAX_FILES)):
        try:
            info = document.embfile_info(index)
            name = str(info.get("ufilename") or info.get("filename") or info.get("name") or "")
            size = int(info.get("length") or info.get("size") or 0)
            content = bytes(document.embfile_get(index)) if size <= MAX_FILE_BYTES else None
            yield Attachment(name, str(info.get("description") or ""), size, content)
        except faults:
            yield Attachment("", "", 0, None)
    for number in range(min(int(document.page_count), MAX_PINNED_PAGES)):
        try:
            page = document[number]
            pinned = list(page.annots(types=[FILE_ANNOTATION]))
        except faults:
            continue
        yield from (_pinned(annotation, faults) for annotation in pinned)


def _pinned(annotation: Any, faults: Faults) -> Attachment:
    try:
        info = annotation.file_info
        size = max(int(info.get("length") or 0), int(info.get("size") or 0))
        content = bytes(annotation.get_file()) if size <= MAX_FILE_BYTES else None
    except faults:
        return Attachment("", "", 0, None)
    return Attachment(str(info.get("filename") or ""), str(info.get("description") or ""), size, content)
