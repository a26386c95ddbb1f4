"""A browser's own store of bookmarks in, its bookmarks as sources of their own out; nothing is fetched or written.

Chrome, Chromium, Edge, Brave, Opera and Vivaldi (``Bookmarks``, JSON), Firefox (backups as JSON or jsonlz4, and the
database ``places.sqlite``), Safari (``Bookmarks.plist``, binary or XML).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.bookmarking.entries import Bookmark, BookmarkDocument, open_bookmarks
from trisynapse_memory.preprocessing.bookmarking.mozlz4 import MAGIC, decompress
from trisynapse_memory.preprocessing.bookmarking.nodes import Node, is_node, nodes_of
from trisynapse_memory.preprocessing.bookmarking.trees import read_chromium, read_firefox, read_safari
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Modality

_SQLITE: Final = b"SQLite format 3\0"
_PLIST: Final = b"bplist00"
_CHROMIUM: Final = re.compile(rb'"roots"\s*:\s*\{\s*"[a-z_]+"\s*:\s*\{')
_FIREFOX: Final = re.compile(rb'"text/x-moz-place-container"|"root"\s*:\s*"placesRoot"')
_SURE: Final = 0.98
_AGAIN: Final = "Copy it from the browser's profile again."


class BrowserBookmarksLoader:
    """Reads the stores in which browsers keep bookmarks."""

    name = "browser_bookmarks"
    version = 1
    modality = Modality.BOOKMARK.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 1 for a format that nothing else writes, 0.98 for its shape, else 0."""
        if head.startswith(MAGIC):
            return 1.0
        if head.startswith(_SQLITE):
            return _SURE if b"moz_bookmarks" in head or b"moz_places" in head else 0.0
        start = head[:4096]
        if start.startswith(_PLIST) or b"<plist" in start:
            # The words stand somewhere in the file: in a binary list the strings come in the order they were met.
            return _SURE if b"WebBookmarkType" in head else 0.0
        if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return _SURE if _FIREFOX.search(head) or (_CHROMIUM.search(head) and b'"type"' in head) else 0.0
        return 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> BookmarkDocument:
        """Open a store of bookmarks; it has no password. ``filename`` is the name it came under, for messages.

        Raises:
            SourceDamagedError: it cannot be read, or no bookmark in it can be taken in; "0 imported" is no success.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        head = read_original(path, name, again=_AGAIN, first_bytes=len(_SQLITE))
        try:
            title, media_type, found = (
                _read_database(path) if head == _SQLITE else _read(read_original(path, name, again=_AGAIN))
            )
            bookmarks = list(found)
        except (ValueError, msgspec.DecodeError, RecursionError, OverflowError) as error:
            raise SourceDamagedError(
                f"'{name}' cannot be read as a browser's bookmarks ({_reason(error)}).",
                hint="Export the bookmarks as an HTML file in the browser, and add that one.",
            ) from error
        return open_bookmarks(
            name,
            bookmarks,
            title=title,
            media_type=media_type,
            hint="See that it is the store of the profile you mean, or export the bookmarks as an HTML file.",
        )


def _read_database(path: Path) -> tuple[str, str, Iterable[Bookmark]]:
    from trisynapse_memory.preprocessing.bookmarking.places import read_places

    return "Firefox bookmarks", "application/vnd.sqlite3", read_places(path)


def _read(raw: bytes) -> tuple[str, str, Iterable[Bookmark]]:
    """Title, media type and bookmarks of a store, told by its first bytes.

    Raises:
        ValueError: it is none of these stores, or damaged.
    """
    if raw.startswith(_PLIST) or b"<plist" in raw[:4096]:
        return "Safari bookmarks", "application/x-plist", read_safari(_property_list(raw))
    packed = raw.startswith(MAGIC)
    store = _json(decompress(raw) if packed else raw)
    if "roots" in store:
        return "Browser bookmarks", "application/json", read_chromium(store)
    return "Firefox bookmarks", "application/x-mozlz4" if packed else "application/json", read_firefox(store)


def _json(raw: bytes) -> Node:
    decoded: Any = msgspec.json.decode(raw.removeprefix(b"\xef\xbb\xbf"))
    if is_node(decoded):
        return decoded
    if nodes_of(decoded):
        return {"children": decoded}
    raise ValueError("it holds no folders")


def _property_list(raw: bytes) -> Node:
    import plistlib
    from xml.parsers.expat import ExpatError

    try:
        decoded: Any = plistlib.loads(raw)  # refuses entity declarations by itself
    except (plistlib.InvalidFileException, ExpatError, LookupError, TypeError, AttributeError, MemoryError) as error:
        raise ValueError("the property list is damaged") from error
    if not is_node(decoded):
        raise ValueError("it holds no folders")
    return decoded


def _reason(error: Exception) -> str:
    return "folders lie too deep" if isinstance(error, RecursionError) else str(error) or "it is damaged"
