"""A Netscape bookmark file in, its bookmarks as sources of their own out; no page behind them is fetched.

Every browser writes this format, and none closes its tags (case R22), so it is read as a stream of tags: ``DL`` opens
and closes folders, ``H3`` names the next one, ``A`` is a bookmark, ``DD`` describes what stands before it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import (
    SourceDamagedError,
)
from trisynapse_memory.preprocessing.charsets import decode, meta_charset
from trisynapse_memory.preprocessing.moments import from_unix
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.preprocessing.trees import stream
from trisynapse_memory.preprocessing.urls import WEB_SCHEMES, canonical, host_of, scheme_of
from trisynapse_memory.types import Heading, Listing, Modality, Page, Section

_SIGN: Final = b"netscape-bookmark-file"
_SHAPE: Final = re.compile(rb"<dt>\s*<(?:a\b[^>]*\bhref|h3\b)[^>]*\badd_date", re.IGNORECASE)
_ESCAPED: Final = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#\d{1,7}|#x[0-9A-Fa-f]{1,6});")
_FLUSHING: Final = frozenset({"dt", "dl", "a", "h3", "hr", "h1"})


class BookmarksLoader:
    """Reads the bookmark files that browsers and bookmark services export."""

    name = "bookmarks"
    version = 1
    modality = Modality.BOOKMARK.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 1 with the format's own first line, 0.95 for its shape without it, else 0."""
        start = head[:1024].replace(b"\0", b"").lower()
        if _SIGN in start:
            return 1.0
        return 0.95 if b"<dl" in head[:65_536].lower() and _SHAPE.search(head[:65_536]) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> BookmarksDocument:
        """Open a bookmark file; it has no password. ``filename`` is the name it came under, for messages.

        Raises:
            SourceDamagedError: no bookmark in it can be taken in; "0 imported" is no success.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again="Export the bookmarks again.")
        text, _ = decode(raw, (meta_charset(raw[:4096]),))
        title, found = _parse(text)
        listings = tuple(_listings(found))
        if all(listing.skipped for listing in listings):
            left_out = f" ({len(listings)} left out, none of them a web address)" if listings else ""
            raise SourceDamagedError(
                f"'{name}' holds no bookmark that can be taken in{left_out}.",
                hint="Export the bookmarks as an HTML file and try again.",
            )
        return BookmarksDocument(title, listings)


class BookmarksDocument:
    """A bookmark file that is open: a container without pages of its own."""

    def __init__(self, title: str, listings: tuple[Listing, ...]) -> None:
        self.heading = Heading(page_count=0, title=title, media_type="text/html", method="bookmarks")
        self._listings = listings

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield nothing: what it says stands in its members."""
        yield from ()

    def members(self) -> Iterator[Listing]:
        """Yield every bookmark in file order, those left out with their reason, repeated ones with what they repeat."""
        yield from self._listings

    def close(self) -> None:
        """Do nothing: the file was closed when it was read."""


@dataclass(slots=True)
class _Bookmark:
    """One ``A`` element as it stands in the file."""

    attributes: Mapping[str, str]
    path: tuple[str, ...]
    title: str = ""
    description: str = ""

    @property
    def url(self) -> str:
        return self.attributes.get("href", "").strip()


@dataclass(slots=True)
class _Reader:
    """The target of lxml's parser: it is told of tags one by one, and lxml makes up the ones that are missing."""

    title: str = ""
    found: list[_Bookmark] = field(default_factory=list[_Bookmark])
    _folders: list[str] = field(default_factory=list[str])
    _named: str = ""
    _words: list[str] = field(default_factory=list[str])
    _collecting: str = ""
    _latest: _Bookmark | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open a folder, a bookmark, a name or a description; other tags inside a name are noise."""
        if tag in _FLUSHING or tag in ("dd", "title"):
            self._finish()
        if tag == "dl":
            # The outermost list has no name; it is the file itself.
            self._folders.append(self._named)
            self._named, self._latest = "", None
        elif tag == "a":
            self._latest = _Bookmark(dict(attributes), tuple(name for name in self._folders if name))
            self.found.append(self._latest)
            self._collecting = "a"
        elif tag in ("h3", "h1", "title", "dd"):
            self._collecting = tag
        if tag == "h3":
            self._latest = None

    def end(self, tag: str) -> None:
        """Close a folder or what was being collected."""
        if tag == self._collecting or tag == "dl":
            self._finish()
        if tag == "dl" and self._folders:
            self._folders.pop()
            self._latest = None

    def data(self, text: str) -> None:
        """Take words of what is being collected."""
        if self._collecting:
            self._words.append(text)

    def comment(self, text: str) -> None:
        """Pass over comments."""

    def close(self) -> _Reader:
        """Finish the last bookmark."""
        self._finish()
        return self

    def _finish(self) -> None:
        words = _shown("".join(self._words))
        kind, self._collecting = self._collecting, ""
        self._words.clear()
        if kind == "h3":
            self._named = words
        elif kind in ("h1", "title"):
            self.title = words or self.title
        elif kind == "a" and self._latest is not None:
            self._latest.title = words
        elif kind == "dd" and self._latest is not None and words:
            self._latest.description = f"{self._latest.description} {words}".strip()


def _shown(text: str) -> str:
    """One line; what an export escaped twice is unescaped once more, for the eye only."""
    if _ESCAPED.search(text):
        text = html.unescape(text)
    return " ".join(text.split())


def _parse(text: str) -> tuple[str, list[_Bookmark]]:
    reader = _Reader()
    if not stream(text, reader):
        # What was read before the damage counts; nothing at all becomes the caller's "0 imported".
        reader.close()
    return reader.title, reader.found


def _listings(found: list[_Bookmark]) -> Iterator[Listing]:
    first_keys: dict[str, str] = {}
    for number, bookmark in enumerate(found, start=1):
        listing = _listing(bookmark, number)
        page = canonical(listing.url)
        if not listing.skipped and page in first_keys:
            listing = structs.replace(listing, duplicate_of=first_keys[page])
        elif not listing.skipped:
            first_keys[page] = listing.key
        yield listing


def _listing(bookmark: _Bookmark, number: int) -> Listing:
    url = bookmark.url
    tags = tuple(dict.fromkeys(tag for part in bookmark.attributes.get("tags", "").split(",") if (tag := part.strip())))
    title = bookmark.title or host_of(url) or f"bookmark {number}"
    lines = (title, bookmark.description, " > ".join(bookmark.path), ", ".join(tags), host_of(url))
    return Listing(
        key=url or f"bookmark:{number}",
        title=title,
        url=url,
        text="\n".join(dict.fromkeys(line for line in lines if line)),
        path=bookmark.path,
        tags=tags,
        observed_at=from_unix(bookmark.attributes.get("add_date", "")),
        skipped=_reason_to_skip(url),
    )


def _reason_to_skip(url: str) -> str:
    if not url:
        return "no address"
    scheme = scheme_of(url)
    if scheme not in WEB_SCHEMES:
        return f"'{scheme}:' is no web address" if scheme else "not a full web address"
    return "" if host_of(url) else "no host in its address"
