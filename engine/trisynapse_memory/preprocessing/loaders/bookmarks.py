"""A Netscape bookmark file in, its bookmarks as sources of their own out; no page behind them is fetched.

Every browser and most services write this format, and none closes its tags (case R22), so it is read as a stream of
tags: ``DL`` opens and closes folders, ``H3`` names the next one, ``A`` is a bookmark, ``DD`` describes what stands
before it. Pocket writes lists (``UL``) under headings instead; the same stream reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from trisynapse_memory.preprocessing.bookmarking.entries import (
    FOLDER_NOTE,
    Bookmark,
    BookmarkDocument,
    as_note,
    one_line,
    open_bookmarks,
    split_tags,
)
from trisynapse_memory.preprocessing.charsets import decode, meta_charset
from trisynapse_memory.preprocessing.moments import from_unix
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.preprocessing.trees import stream
from trisynapse_memory.types import Modality

_SIGN: Final = b"netscape-bookmark-file"
_SHAPE: Final = re.compile(rb"<dt>\s*<(?:a\b[^>]*\bhref|h3\b)[^>]*\badd_date", re.IGNORECASE)
_POCKET: Final = re.compile(rb"<li>\s*<a\b[^>]*\btime_added=", re.IGNORECASE)
_FLUSHING: Final = frozenset({"dt", "dl", "a", "h3", "hr", "h1", "li", "ul"})
_DATES: Final = ("add_date", "time_added", "created", "last_modified")
_UNSET: Final = frozenset({"", "0", "false", "no"})


class BookmarksLoader:
    """Reads the bookmark files that browsers and bookmark services export as HTML."""

    name = "bookmarks"
    version = 2
    modality = Modality.BOOKMARK.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 1 with the format's own first line, 0.95 for its shape without it, else 0."""
        start = head[:1024].replace(b"\0", b"").lower()
        if _SIGN in start:
            return 1.0
        if _POCKET.search(head[:65_536]):
            return 0.95
        return 0.95 if b"<dl" in head[:65_536].lower() and _SHAPE.search(head[:65_536]) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> BookmarkDocument:
        """Open a bookmark file; it has no password. ``filename`` is the name it came under, for messages.

        Raises:
            SourceDamagedError: no bookmark in it can be taken in; "0 imported" is no success.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again="Export the bookmarks again.")
        text, _ = decode(raw, (meta_charset(raw[:4096]),))
        reader = _Reader()
        if not stream(text, reader):
            # What was read before the damage counts; nothing at all becomes "0 imported".
            reader.close()
        return open_bookmarks(
            name,
            [found.bookmark() for found in reader.found],
            title=reader.title,
            media_type="text/html",
            hint="Export the bookmarks as an HTML file and try again.",
        )


@dataclass(slots=True)
class _Folder:
    """One list that is open, with its name and what she wrote about it; the outermost has none."""

    name: str = ""
    note: str = ""


@dataclass(slots=True)
class _Anchor:
    """One ``A`` element as it stands in the file."""

    attributes: Mapping[str, str]
    path: tuple[str, ...]
    folder_note: str = ""
    title: str = ""
    description: str = ""

    def bookmark(self) -> Bookmark:
        of = self.attributes.get
        added = next((moment for name in _DATES if (moment := from_unix(of(name, "")))), None)
        modified = from_unix(of("last_modified", ""))
        fields = {
            "keyword": of("shortcuturl", "") or of("keyword", ""),
            "modified": modified.strftime("%Y-%m-%dT%H:%M:%SZ") if modified and modified != added else "",
            "private": _flag(of("private", "")),
            "to read": _flag(of("toread", "")),
            "feed": of("feedurl", ""),
            FOLDER_NOTE: self.folder_note,
        }
        return Bookmark(
            url=of("href", ""),
            title=self.title,
            description=self.description,
            path=self.path,
            tags=split_tags(of("tags", "") or of("labels", "")),
            added=added,
            fields=fields,
        )


def _flag(text: str) -> str:
    return "" if text.strip().lower() in _UNSET else "yes"


@dataclass(slots=True)
class _Reader:
    """The target of lxml's parser: it is told of tags one by one, and lxml makes up the ones that are missing."""

    title: str = ""
    found: list[_Anchor] = field(default_factory=list[_Anchor])
    _folders: list[_Folder] = field(default_factory=list[_Folder])
    _next: _Folder = field(default_factory=_Folder)
    _heading: str = ""
    _words: list[str] = field(default_factory=list[str])
    _collecting: str = ""
    _latest: _Anchor | None = None
    _has_terms: bool = False
    _in_list: bool = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open a folder, a bookmark, a name or a description; other tags inside a name are noise."""
        if self._collecting == "dd" and (tag in ("li", "ul", "hr", "h1") or (tag == "a" and self._has_terms)):
            return  # markup inside a description: only DT begins a bookmark in a file that has DT at all
        if tag == "br" and self._collecting == "dd":
            self._words.append("\n")
        if tag in _FLUSHING or tag in ("dd", "title"):
            self._finish()
        if tag == "dl":
            # The outermost list has no name; it is the file itself.
            self._folders.append(self._next)
            self._next, self._latest = _Folder(), None
        elif tag == "dt":
            self._has_terms = True
        elif tag == "a":
            self._open_anchor(attributes)
        elif tag in ("h3", "h1", "title", "dd"):
            self._collecting = tag
        if tag == "h3":
            self._latest = None
        if tag in ("ul", "li"):
            self._in_list = True

    def end(self, tag: str) -> None:
        """Close a folder or what was being collected."""
        if tag == self._collecting or tag == "dl":
            self._finish()
        if tag == "dl" and self._folders:
            self._folders.pop()
            self._latest = None
        if tag == "ul":
            self._in_list = False

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

    def _open_anchor(self, attributes: Mapping[str, str]) -> None:
        path = tuple(folder.name for folder in self._folders if folder.name)
        if not path and self._in_list and self._heading:
            path = (self._heading,)  # Pocket: "Unread" and "Read Archive" are headings over its lists
        note = self._folders[-1].note if self._folders else ""
        self._latest = _Anchor(dict(attributes), path, note)
        self.found.append(self._latest)
        self._collecting = "a"

    def _finish(self) -> None:
        words = "".join(self._words)
        kind, self._collecting = self._collecting, ""
        self._words.clear()
        if kind == "h3":
            self._next = _Folder(name=one_line(words))
        elif kind in ("h1", "title"):
            self._heading = one_line(words) if kind == "h1" else self._heading
            self.title = one_line(words) or self.title
        elif kind == "a" and self._latest is not None:
            self._latest.title = words
        elif kind == "dd" and as_note(words):
            self._describe(as_note(words))

    def _describe(self, note: str) -> None:
        if self._latest is not None:
            self._latest.description = f"{self._latest.description}\n{note}".strip()
        elif self._next.name:
            self._next.note = note
