"""What a service that keeps links exports in, its links as sources of their own out; no page behind them is fetched.

CSV of Pocket, Instapaper, Raindrop, Diigo and Readwise Reader; JSON and XML of Pinboard and of what took over its
format; JSON of Wallabag and Karakeep. Their HTML exports are Netscape bookmark files.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.bookmarking.entries import Bookmark, BookmarkDocument, open_bookmarks
from trisynapse_memory.preprocessing.bookmarking.services import posts_of, read_posts, read_rows, service_of
from trisynapse_memory.preprocessing.charsets import decode, looks_binary, meta_charset
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Modality

_SURE: Final = 0.95
_CELL_CHARS: Final = 4_000_000  # csv refuses longer cells; a highlight is a page of text at most
_XML_POSTS: Final = re.compile(rb"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<posts\b", re.DOTALL)
_JSON_POSTS: Final = re.compile(rb'^\s*\[\s*\{[^{}\[\]]*"href"\s*:[^{}\[\]]*"(?:description|extended)"\s*:')
_OTHER_POSTS: Final = (
    re.compile(rb'^\s*\[\s*\{(?=.*"is_archived"\s*:)(?=.*"created_at"\s*:)(?=.*"url"\s*:)', re.DOTALL),
    re.compile(rb'^\s*\{\s*"bookmarks"\s*:\s*\[\s*\{(?=.*"createdAt"\s*:)', re.DOTALL),
)
_HEADER: Final = re.compile(rb"^[^\r\n]{3,2000}")


class SavedLinksLoader:
    """Reads the exports of services that keep links."""

    name = "saved_links"
    version = 1
    modality = Modality.BOOKMARK.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 for the columns or posts of a service it knows, else 0."""
        if looks_binary(head[:4096]):
            return 0.0
        start = head[:65_536].removeprefix(b"\xef\xbb\xbf")
        if _XML_POSTS.match(start):
            return _SURE if b"href=" in start else 0.0
        if _JSON_POSTS.match(start) or any(pattern.match(start) for pattern in _OTHER_POSTS):
            return _SURE
        return _SURE if _columns(start) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> BookmarkDocument:
        """Open an export; it has no password. ``filename`` is the name it came under, for messages.

        Raises:
            SourceDamagedError: it cannot be read, or no link in it can be taken in; "0 imported" is no success.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again=_AGAIN)
        try:
            title, media_type, found = _read(raw)
            bookmarks = list(found)
        except (ValueError, csv.Error, msgspec.DecodeError, RecursionError) as error:
            raise SourceDamagedError(
                f"'{name}' cannot be read as an export of saved links ({error or 'it is damaged'}).", hint=_AGAIN
            ) from error
        return open_bookmarks(name, bookmarks, title=title, media_type=media_type, hint=_AGAIN)


_AGAIN: Final = "Export the links again, as CSV, JSON or HTML."


def _read(raw: bytes) -> tuple[str, str, Iterable[Bookmark]]:
    """Name of the service, media type and links of an export, told by how it begins.

    Raises:
        ValueError: it is no export of a service that is known here.
    """
    if raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{"):
        decoded: Any = msgspec.json.decode(raw.removeprefix(b"\xef\xbb\xbf"))
        posts = posts_of(decoded)
        service = service_of(posts[0]) if posts else None
        return service.name if service else "", "application/json", read_posts(posts)
    text, _ = decode(raw, (meta_charset(raw[:256]),))
    if _XML_POSTS.match(raw.removeprefix(b"\xef\xbb\xbf")[:65_536]):
        return "Pinboard", "application/xml", read_posts(_posts(text))
    csv.field_size_limit(_CELL_CHARS)
    rows = csv.reader(io.StringIO(text, newline=""))
    columns = next(rows, list[str]())
    service = service_of(columns)
    if service is None:
        raise ValueError("its columns are those of no known service")
    return service.name, "text/csv", read_rows(service, columns, rows)


def _columns(start: bytes) -> bool:
    """Tell whether a table begins with the columns of a service."""
    line = _HEADER.match(start)
    if line is None or b"," not in line.group():
        return False
    try:
        columns = next(csv.reader([line.group().decode("utf-8", "replace")]), list[str]())
    except csv.Error:
        return False
    return service_of(columns) is not None


def _posts(text: str) -> Iterator[dict[str, Any]]:
    """The posts of an XML export, as their attributes; expat knows no file and no address, so none is opened.

    Raises:
        ValueError: it is not well formed, or it declares entities.
    """
    from xml.parsers import expat

    found: list[dict[str, Any]] = []
    parser = expat.ParserCreate()

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "post":
            found.append(dict(attributes))

    def refuse(*_: object) -> None:
        raise ValueError("it declares entities")

    parser.StartElementHandler = start
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(re.sub(r"^\s*<\?xml[^>]*\?>", "", text), True)
    except expat.ExpatError as error:
        raise ValueError("it is not well formed") from error
    return iter(found)
