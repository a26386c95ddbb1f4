"""The first 64 KiB of a file in, which package it is out; the directory at its end is not there to be asked.

A zip file repeats each part's name in front of its bytes, so the first ones are known without the directory. What says
most comes first in most files, but nobody has to put it there: so several signs are taken, in this order: the list of
content types, the ``mimetype`` of OpenDocument and EPUB, and the names of parts.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final, NamedTuple

from trisynapse_memory.preprocessing.office.compound import COMPOUND, sketched_kinds

WORD, SLIDES, SHEET, BOOK, TEXT, SHOW, ODS, DRAWING = "word", "slides", "sheet", "book", "odt", "odp", "ods", "odg"

# How sure: by what the head says; by the file's name, where the head does not say it all; by older files' own signs.
SURE, NAMED, UNNAMED = 0.95, 0.6, 0.5

_SIGN: Final = b"PK\x03\x04"
_HEADER: Final = struct.Struct("<4sHHHHHIIIHH")
_TYPES: Final = (
    (b"wordprocessingml", WORD),
    (b"ms-word.", WORD),
    (b"presentationml", SLIDES),
    (b"ms-powerpoint.", SLIDES),
    (b"spreadsheetml", SHEET),
    (b"ms-excel.", SHEET),
)
_MAIN_TYPE: Final = (b".main+xml", b"Enabled.main+xml", b"sheet.binary.macroEnabled.main", b".12.main")
_MIMETYPES: Final = (
    (b"application/epub+zip", BOOK),
    (b"opendocument.text", TEXT),
    (b"opendocument.presentation", SHOW),
    (b"opendocument.spreadsheet", ODS),
    (b"opendocument.graphics", DRAWING),
)
_FOLDERS: Final = (("word/", WORD), ("ppt/", SLIDES), ("xl/", SHEET))
_OFFICE_SIGNS: Final = ("[content_types].xml", "_rels/.rels", "docprops/")


class _Part(NamedTuple):
    name: str
    start: bytes


def sketch(head: bytes) -> str:
    """Name the package that a file begins as: word, slides, sheet, book, odt, odp, ods, odg; empty for any other."""
    if not head.startswith(_SIGN):
        return ""
    parts = list(_parts(head))
    by_name = {part.name: part.start for part in parts}
    types = by_name.get("[content_types].xml", b"")
    kind = next((kind for sign, kind in _TYPES if sign in types and any(main in types for main in _MAIN_TYPE)), "")
    if kind:
        # A document with a chart holds a workbook too: which of them is the main part, the folders say.
        inside = {folder for folder, _ in _FOLDERS if any(part.name.startswith(folder) for part in parts)}
        told = [one for folder, one in _FOLDERS if folder in inside]
        return told[0] if len(told) == 1 else kind
    mimetype = by_name.get("mimetype", b"")
    kind = next((kind for sign, kind in _MIMETYPES if sign in mimetype), "")
    if kind:
        return kind
    if any(part.name.startswith(_OFFICE_SIGNS) for part in parts):
        return next((kind for folder, kind in _FOLDERS if any(part.name.startswith(folder) for part in parts)), "")
    return BOOK if "meta-inf/container.xml" in by_name else ""


def suits_package(head: bytes, filename: str, kinds: frozenset[str], suffixes: frozenset[str], compound: str) -> float:
    """Say how sure a loader is that a file is its own, in [0, 1].

    Args:
        head: the first 64 KiB.
        filename: its name.
        kinds: the packages it reads, as ``sketch`` names them.
        suffixes: the endings of its files, in lower case with the dot.
        compound: what ``compound`` calls the older files of the same program; most are refused with a hint.
    """
    is_named = PurePath(filename).suffix.lower() in suffixes
    kind = sketch(head)
    if kind:
        return SURE if kind in kinds else 0.0
    if head.startswith(_SIGN):
        return NAMED if is_named else 0.0
    if not head.startswith(COMPOUND):
        return 0.0
    older = sketched_kinds(head)
    if not older or "encrypted" in older:  # which program's it is only the name says
        return NAMED if is_named else 0.0
    if compound not in older:
        return 0.0
    return NAMED if is_named else UNNAMED if older[0] == compound else 0.0


def _parts(head: bytes) -> Iterator[_Part]:
    """The parts whose headers stand in the head, with the first bytes of each."""
    place = 0
    while (place := head.find(_SIGN, place)) >= 0 and place + _HEADER.size <= len(head):
        fields = _HEADER.unpack_from(head, place)
        method, packed, name_size, extra_size = fields[3], fields[7], fields[9], fields[10]
        name = head[place + _HEADER.size : place + _HEADER.size + name_size]
        body = place + _HEADER.size + name_size + extra_size
        yield _Part(name.decode("utf-8", "replace").replace("\\", "/").lower(), _start(head[body:], method, packed))
        place = max(body + packed, place + 4)


def _start(body: bytes, method: int, packed: int) -> bytes:
    """The first 64 KiB of a part's content, as far as they stand in the head."""
    if method == 0:
        return body[: packed or 256]
    if method != zlib.DEFLATED:
        return b""
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, 65_536)
    except zlib.error:
        return b""
