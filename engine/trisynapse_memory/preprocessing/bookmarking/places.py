"""A Firefox database (``places.sqlite``) in, its bookmarks in order out. Read only, and as if nobody wrote to it.

The file is opened as immutable: it is a copy, its write-ahead log need not lie beside it, and no lock is taken on a
browser that runs. What only that log holds is put into the copy before (``pipelines/acquisition.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, cast
from urllib.parse import quote

from trisynapse_memory.preprocessing.bookmarking.entries import Bookmark
from trisynapse_memory.preprocessing.bookmarking.trees import FIREFOX_ROOTS, FIREFOX_TAGS, as_modified
from trisynapse_memory.preprocessing.moments import from_unix

_FOLDER: Final = 2  # moz_bookmarks.type: 1 bookmark, 2 folder, 3 separator
_MAX_DEPTH: Final = 1_000  # a folder that lies in itself would never end
_STEPS: Final = (
    50_000_000  # of SQLite's machine; a database made to be slow is stopped, 100,000 bookmarks take 3 million
)


class _Database(Protocol):
    def execute(self, statements: str) -> Iterator[tuple[object, ...]]: ...


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    kind: int
    place: int
    parent: int
    title: str
    added: str
    modified: str
    guid: str


def read_places(path: Path) -> list[Bookmark]:
    """Return the bookmarks of a Firefox profile, folder by folder as its menus show them.

    Raises:
        ValueError: the file is no such database, or it is damaged.
    """
    import apsw  # SQLite's own errors are needed here, and 10 ms that other loaders need not pay

    try:
        connection = apsw.Connection(
            f"file:{quote(str(path))}?immutable=1&mode=ro",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        )
    except apsw.Error as error:
        raise ValueError(str(error)) from error
    try:
        connection.set_progress_handler(lambda: True, _STEPS)
        return list(_read(cast("_Database", connection)))
    except apsw.Error as error:
        raise ValueError(str(error)) from error
    finally:
        connection.close()


def _read(connection: _Database) -> Iterator[Bookmark]:
    rows = [_row(row) for row in connection.execute(_BOOKMARKS)]
    pages = {_count(number): _words(url) for number, url in connection.execute("SELECT id, url FROM moz_places")}
    notes, keywords = _notes(connection), _keywords(connection)
    inside: dict[int, list[_Row]] = {}
    for row in rows:
        inside.setdefault(row.parent, []).append(row)
    roots = [row for row in rows if row.guid in FIREFOX_ROOTS]
    tags = _tags(next((row.number for row in rows if row.guid == FIREFOX_TAGS), 0), inside)
    for row, path in _walk(roots, inside):
        added = from_unix(row.added)
        yield Bookmark(
            url=pages.get(row.place, ""),
            title=row.title,
            description=notes.get(row.number, ""),
            path=path,
            tags=tuple(tags.get(row.place, ())),
            added=added,
            fields={
                "keyword": keywords.get(row.place, ""),
                "modified": as_modified(from_unix(row.modified), added),
            },
        )


_BOOKMARKS: Final = (
    "SELECT id, type, fk, parent, title, dateAdded, lastModified, guid FROM moz_bookmarks ORDER BY parent, position, id"
)


def _row(row: tuple[object, ...]) -> _Row:
    number, kind, place, parent, title, added, modified, guid = row
    return _Row(
        _count(number),
        _count(kind),
        _count(place),
        _count(parent),
        _words(title),
        _words(added),
        _words(modified),
        _words(guid),
    )


def _walk(roots: list[_Row], inside: dict[int, list[_Row]]) -> Iterator[tuple[_Row, tuple[str, ...]]]:
    """Yield the bookmarks below the roots in the order of the menus, each with its folders."""
    order = list(FIREFOX_ROOTS)
    firsts = sorted(roots, key=lambda one: order.index(one.guid), reverse=True)
    stack: list[tuple[_Row, tuple[str, ...]]] = [(row, ()) for row in firsts]
    seen: set[int] = set()
    while stack:
        row, path = stack.pop()
        if row.number in seen or len(path) > _MAX_DEPTH:
            continue
        seen.add(row.number)
        if row.kind == _FOLDER:
            name = FIREFOX_ROOTS.get(row.guid, row.title)
            inner = (*path, name) if name else path
            stack += [(child, inner) for child in reversed(inside.get(row.number, []))]
        elif row.place:
            yield row, path


def _tags(root: int, inside: dict[int, list[_Row]]) -> dict[int, list[str]]:
    """The tags of each page: a tag is a folder, and lies in the folder of tags."""
    found: dict[int, list[str]] = {}
    for folder in inside.get(root, []) if root else []:
        for row in inside.get(folder.number, []):
            if row.place and folder.title not in found.setdefault(row.place, []):
                found[row.place].append(folder.title)
    return found


def _notes(connection: _Database) -> dict[int, str]:
    """What she wrote about a bookmark, in versions of Firefox that let her."""
    if not {"moz_items_annos", "moz_anno_attributes"} <= _tables(connection):
        return {}
    sql = (
        "SELECT a.item_id, a.content FROM moz_items_annos a JOIN moz_anno_attributes n ON n.id = a.anno_attribute_id"
        " WHERE n.name = 'bookmarkProperties/description'"
    )
    return {_count(number): _words(text) for number, text in connection.execute(sql)}


def _keywords(connection: _Database) -> dict[int, str]:
    columns = {_words(row[1]) for row in connection.execute("PRAGMA table_info(moz_keywords)")}
    if not {"place_id", "keyword"} <= columns:
        return {}  # before Firefox 39 a keyword belonged to the bookmark
    rows = connection.execute("SELECT place_id, keyword FROM moz_keywords")
    return {_count(place): _words(word) for place, word in rows}


def _tables(connection: _Database) -> set[str]:
    return {_words(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _words(value: object) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
