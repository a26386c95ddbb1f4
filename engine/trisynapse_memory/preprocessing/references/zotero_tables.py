"""A copy of ``zotero.sqlite`` in, its rows by item out. Nothing is interpreted here and nothing is written.

Only tables and columns are named that Zotero 5 to 8 share; one that is missing counts as empty.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from trisynapse_memory.errors import SourceDamagedError

STEPS_MAX: Final = 500_000_000  # of SQLite's machine: 20,000 items take 10 million; one made to be slow is stopped

_ITEMS: Final = """
    SELECT i.itemID, i.key, i.libraryID, t.typeName, i.dateAdded FROM items i JOIN itemTypes t USING (itemTypeID)
    WHERE i.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY i.itemID
"""
_VALUES: Final = """
    SELECT d.itemID, f.fieldName, v.value FROM itemData d JOIN itemDataValues v USING (valueID)
    JOIN {fields} f USING (fieldID)
"""
_CREATORS: Final = """
    SELECT i.itemID, t.creatorType, c.firstName, c.lastName, c.fieldMode FROM itemCreators i
    JOIN creators c USING (creatorID) JOIN creatorTypes t USING (creatorTypeID) ORDER BY i.itemID, i.orderIndex
"""
_TAGS: Final = "SELECT i.itemID, t.name FROM itemTags i JOIN tags t USING (tagID) ORDER BY i.itemID, t.name"
_COLLECTIONS: Final = "SELECT collectionID, collectionName, parentCollectionID, libraryID FROM collections"
_COLLECTED: Final = "SELECT itemID, collectionID FROM collectionItems ORDER BY itemID, collectionID"
_NOTES: Final = "SELECT itemID, parentItemID, note FROM itemNotes ORDER BY itemID"
_ATTACHMENTS: Final = "SELECT itemID, parentItemID, linkMode, contentType, path FROM itemAttachments ORDER BY itemID"
_ANNOTATIONS: Final = """
    SELECT itemID, parentItemID, type, text, comment, color, pageLabel, position FROM itemAnnotations
    ORDER BY parentItemID, sortIndex
"""
_GROUPS: Final = "SELECT libraryID, groupID, name FROM groups"


@dataclass(slots=True)
class Creator:
    """One person of an item, or an organisation (then ``given`` is empty and ``is_whole`` is set)."""

    role: str
    given: str
    family: str
    is_whole: bool


@dataclass(slots=True)
class ZoteroRow:
    """One item as the tables say it; ``number`` is its row, ``key`` its name in its library."""

    number: int
    key: str
    library: int
    kind: str
    added: str
    values: dict[str, str] = field(default_factory=dict[str, str])
    creators: list[Creator] = field(default_factory=list[Creator])
    tags: list[str] = field(default_factory=list[str])
    collections: list[int] = field(default_factory=list[int])


@dataclass(slots=True)
class NoteRow:
    """A note, in HTML; ``parent`` is the row of its item, 0 for one that stands by itself."""

    number: int
    parent: int
    html: str


@dataclass(slots=True)
class AttachmentRow:
    """A file of an item; ``mode`` is 0 or 1 inside Zotero's folder, 2 elsewhere, 3 for an address."""

    number: int
    parent: int
    mode: int
    media_type: str
    path: str


@dataclass(slots=True)
class AnnotationRow:
    """A mark in a file; ``parent`` is the row of the attachment, ``position`` JSON with page index and rectangles."""

    number: int
    parent: int
    kind: int
    text: str
    comment: str
    colour: str
    page_label: str
    position: str


@dataclass(slots=True)
class ZoteroTables:
    """Everything of a library that is used; collections by number: name, parent (0: none) and library."""

    items: dict[int, ZoteroRow] = field(default_factory=dict[int, ZoteroRow])
    notes: list[NoteRow] = field(default_factory=list[NoteRow])
    attachments: list[AttachmentRow] = field(default_factory=list[AttachmentRow])
    annotations: list[AnnotationRow] = field(default_factory=list[AnnotationRow])
    collections: dict[int, tuple[str, int, int]] = field(default_factory=dict[int, tuple[str, int, int]])
    groups: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    citekeys: dict[str, str] = field(default_factory=dict[str, str])


def read_tables(path: Path) -> ZoteroTables:
    """Read a copy of ``zotero.sqlite``.

    Raises:
        SourceDamagedError: it is no library of Zotero, or it is damaged.
    """
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.text_factory = _decoded
            connection.set_progress_handler(lambda: 1, STEPS_MAX)
            return _read(connection)
    except (sqlite3.Error, ValueError, OverflowError) as error:
        raise SourceDamagedError(
            f"'{path.name}' cannot be read as a library of Zotero ({error}).", hint="Open it in Zotero, then try again."
        ) from error


def read_citekeys(path: Path) -> dict[str, str]:
    """Read the citekeys of Better BibTeX, by the key of their item; none where it keeps them in another way."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute("SELECT itemKey, citationKey FROM citationkey").fetchall()
    except sqlite3.Error:
        return {}
    return {str(key): str(citekey) for key, citekey in rows if citekey}


def _read(connection: sqlite3.Connection) -> ZoteroTables:
    names = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table','view')")}
    if not {"items", "itemTypes", "itemData", "deletedItems"} <= names:
        raise ValueError("its tables are not there")
    fields = "fieldsCombined" if "fieldsCombined" in names else "fields"
    tables = ZoteroTables()
    feeds = _feeds(connection) if "libraries" in names else set[int]()
    for number, key, library, kind, added in connection.execute(_ITEMS):
        if library in feeds:  # news that came by themselves are no part of her library
            continue
        tables.items[int(number)] = ZoteroRow(int(number), _text(key), int(library or 1), _text(kind), _text(added))
    _fill_items(connection, tables, fields)
    for number, parent, html in connection.execute(_NOTES):
        tables.notes.append(NoteRow(int(number), int(parent or 0), _text(html)))
    for number, parent, mode, media_type, place in connection.execute(_ATTACHMENTS):
        row = AttachmentRow(int(number), int(parent or 0), int(mode or 0), _text(media_type), _text(place))
        tables.attachments.append(row)
    if "itemAnnotations" in names:  # since Zotero 6
        tables.annotations += map(_annotation, connection.execute(_ANNOTATIONS))
    for number, name, parent, library in connection.execute(_COLLECTIONS):
        tables.collections[int(number)] = (_text(name), int(parent or 0), int(library or 1))
    if "groups" in names:
        for library, group, name in connection.execute(_GROUPS):
            tables.groups[int(library)] = (int(group), _text(name))
    return tables


def _feeds(connection: sqlite3.Connection) -> set[int]:
    return {int(row[0]) for row in connection.execute("SELECT libraryID FROM libraries WHERE type = 'feed'")}


def _fill_items(connection: sqlite3.Connection, tables: ZoteroTables, fields: str) -> None:
    items = tables.items
    for number, name, value in connection.execute(_VALUES.format(fields=fields)):
        if number in items:
            items[number].values[_text(name)] = _text(value)
    for number, role, given, family, mode in connection.execute(_CREATORS):
        if number in items:
            items[number].creators.append(Creator(_text(role), _text(given), _text(family), mode == 1))
    for number, name in connection.execute(_TAGS):
        if number in items:
            items[number].tags.append(_text(name))
    for number, collection in connection.execute(_COLLECTED):
        if number in items:
            items[number].collections.append(int(collection))


def _annotation(row: tuple[object, ...]) -> AnnotationRow:
    number, parent, kind, text, comment, colour, label, position = row
    return AnnotationRow(
        int(str(number)), int(str(parent or 0)), int(str(kind or 0)), _text(text), _text(comment), _text(colour),
        _text(label), _text(position),
    )  # fmt: skip


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _text(value: object) -> str:
    return "" if value is None else str(value)
