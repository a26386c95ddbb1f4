"""A tiny data folder of Zotero, made by code: its tables as Zotero 7 has them, and the files of its storage."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT, name TEXT);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
CREATE TABLE fieldsCombined (fieldID INTEGER PRIMARY KEY, fieldName TEXT UNIQUE);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT, dateAdded TEXT, libraryID INT, key TEXT);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT, PRIMARY KEY (itemID, fieldID));
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT UNIQUE);
CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE itemTags (itemID INT, tagID INT, type INT);
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT, parentCollectionID INT,
    libraryID INT, key TEXT);
CREATE TABLE collectionItems (collectionID INT, itemID INT, orderIndex INT);
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT, path TEXT);
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT, type INT, text TEXT, comment TEXT,
    color TEXT, pageLabel TEXT, sortIndex TEXT, position TEXT);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY);
INSERT INTO libraries VALUES (1, 'user'), (2, 'group'), (3, 'feed');
INSERT INTO groups VALUES (4711, 2, 'Our lab');
"""


class ZoteroFolder:
    """A data folder that grows by calls; every call is written at once, as Zotero does it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        with closing(self.connect()) as connection:
            connection.executescript(SCHEMA)

    def connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.folder / "zotero.sqlite", isolation_level=None)

    def run(self, sql: str, *values: Any) -> int:
        with closing(self.connect()) as connection:
            return int(connection.execute(sql, values).lastrowid or 0)

    def named(self, table: str, number: str, column: str, value: Any) -> int:
        with closing(self.connect()) as connection:
            found = connection.execute(f"SELECT {number} FROM {table} WHERE {column} = ?", (value,)).fetchone()
        return int(found[0]) if found else self.run(f"INSERT INTO {table} ({column}) VALUES (?)", value)

    def item(self, key: str, kind: str = "journalArticle", library: int = 1, **fields: Any) -> int:
        number = self.run(
            "INSERT INTO items (itemTypeID, dateAdded, libraryID, key) VALUES (?, '2024-05-06 07:08:09', ?, ?)",
            self.named("itemTypes", "itemTypeID", "typeName", kind),
            library,
            key,
        )
        for name, value in fields.items():
            self.set(number, name, value)
        return number

    def set(self, item: int, name: str, value: Any) -> None:
        field = self.named("fieldsCombined", "fieldID", "fieldName", name)
        self.run(
            "INSERT OR REPLACE INTO itemData VALUES (?,?,?)",
            item,
            field,
            self.named("itemDataValues", "valueID", "value", value),
        )

    def creator(self, item: int, family: str, given: str = "", role: str = "author", mode: int = 0) -> None:
        number = self.run("INSERT INTO creators (firstName, lastName, fieldMode) VALUES (?,?,?)", given, family, mode)
        kind = self.named("creatorTypes", "creatorTypeID", "creatorType", role)
        self.run("INSERT INTO itemCreators VALUES (?,?,?,?)", item, number, kind, number)

    def tag(self, item: int, name: str) -> None:
        self.run("INSERT INTO itemTags VALUES (?,?,0)", item, self.named("tags", "tagID", "name", name))

    def collection(self, name: str, parent: int | None = None, library: int = 1) -> int:
        return self.run(
            "INSERT INTO collections (collectionName, parentCollectionID, libraryID) VALUES (?,?,?)",
            name,
            parent,
            library,
        )

    def collect(self, collection: int, item: int) -> None:
        self.run("INSERT INTO collectionItems VALUES (?,?,0)", collection, item)

    def note(self, key: str, html: str, parent: int | None = None) -> int:
        number = self.item(key, "note")
        self.run("INSERT INTO itemNotes VALUES (?,?,?,'')", number, parent, html)
        return number

    def attach(self, key: str, path: str, parent: int | None = None, mode: int = 0, content: bytes = b"") -> int:
        number = self.item(key, "attachment", title="PDF")
        self.run("INSERT INTO itemAttachments VALUES (?,?,?,'application/pdf',?)", number, parent, mode, path)
        if content:
            place = self.folder / "storage" / key / path.removeprefix("storage:")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        return number

    def annotate(
        self, key: str, file: int, text: str, comment: str = "", colour: str = "#ffd400", page: int = 1
    ) -> int:
        number = self.item(key, "annotation")
        position = json.dumps({"pageIndex": page - 1, "rects": [[72, 700, 200, 712]]})
        self.run(
            "INSERT INTO itemAnnotations VALUES (?,?,1,?,?,?,?,?,?)",
            number,
            file,
            text,
            comment,
            colour,
            str(page),
            f"{page:05}|{number:06}",
            position,
        )
        return number

    def bin(self, item: int) -> None:
        self.run("INSERT INTO deletedItems VALUES (?)", item)
