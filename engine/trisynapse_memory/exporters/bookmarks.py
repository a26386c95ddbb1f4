"""Bookmarks of the library in, a Netscape bookmark file out that every browser and service imports.

Text only: nothing is read or written. Addresses, folders, tags, dates and notes go out as they came in. What a file
cannot say (separators, empty folders, what was left out as no web address) was in no source and is not here either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import Final

from trisynapse_memory.contracts import Holding
from trisynapse_memory.types import Record

HEAD: Final = """\
<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file.
     It will be read and overwritten.
     DO NOT EDIT! -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
"""
# What the browsers call the folder whose bookmarks they show under the address line; the mark puts it back there.
TOOLBARS: Final = frozenset({"bookmarks bar", "bookmarks toolbar", "favorites bar", "favourites bar", "favorites"})
FOLDER_SIGN: Final = " > "


@dataclass(slots=True)
class _Folder:
    """A folder with what lies in it, in the order it was first named."""

    note: str = ""
    folders: dict[str, _Folder] = field(default_factory=dict[str, "_Folder"])
    content: list[str | tuple[str, str]] = field(default_factory=list[str | tuple[str, str]])

    def inside(self, path: Sequence[str]) -> _Folder:
        """Return the folder at a path below this one, made when it is not there."""
        here = self
        for name in path:
            if name not in here.folders:
                here.folders[name] = _Folder()
                here.content.append(("folder", name))
            here = here.folders[name]
        return here


class BookmarksExporter:
    """The format ``bookmarks``."""

    name = "bookmarks"
    kinds = ("bookmark",)
    suffixes = (".html", ".htm")

    def compose(self, holdings: Sequence[Holding]) -> str:
        """Return the text of the file; a bookmark of several folders stands in each of them."""
        root = _Folder()
        for holding in holdings:
            entry, paths = "\n".join(_entry(holding)), _paths(holding.records)
            for path in paths:
                root.inside(path).content.append(entry)
            if paths[0]:
                folder = root.inside(paths[0])
                folder.note = folder.note or _field(holding.records, "folder note")
        return HEAD + "\n".join(_lines(root)) + "\n"


def _entry(holding: Holding) -> Iterator[str]:
    """The lines of one bookmark, without indent: a note may have several, and its own indent is part of it.

    Chromium reads this format line by line, so tag, title and closing tag stand on one.
    """
    source, records = holding.source, holding.records
    observed = records[0].observed_at if records else None
    modified = _field(records, "modified")
    attributes = {
        "HREF": _quoted(source.uri),
        "ADD_DATE": str(int(observed.timestamp())) if observed else "",
        "LAST_MODIFIED": _seconds(modified),
        "SHORTCUTURL": _quoted(_field(records, "keyword")),
        "FEEDURL": _quoted(_field(records, "feed")),
        "PRIVATE": "1" if _field(records, "private") else "",
        "TOREAD": "1" if _field(records, "to read") else "",
        "TAGS": _quoted(",".join(tag.replace(",", " ") for tag in source.tags)),
    }
    told = " ".join(f'{name}="{value}"' for name, value in attributes.items() if value)
    yield f"<DT><A {told}>{escape(source.title, quote=False)}</A>"
    note = holding.text.partition("\n")[2]
    if note:
        yield f"<DD>{escape(note, quote=False)}"


def _quoted(text: str) -> str:
    """An attribute's value. Chromium knows four escapes and none for the single quote, so that one stays as it is."""
    return escape(text, quote=False).replace('"', "&quot;")


def _lines(root: _Folder) -> Iterator[str]:
    """The file's lists. Without recursion: nothing bounds how deep folders lie."""
    stack: list[tuple[_Folder, Iterator[str | tuple[str, str]]]] = [(root, iter(root.content))]
    yield "<DL><p>"
    while stack:
        folder, content = stack[-1]
        indent = "    " * len(stack)
        part = next(content, None)
        if part is None:
            stack.pop()
            yield f"{indent[4:]}</DL><p>"
        elif isinstance(part, str):
            yield indent + part
        else:
            inner = folder.folders[part[1]]
            toolbar = ' PERSONAL_TOOLBAR_FOLDER="true"' if len(stack) == 1 and part[1].lower() in TOOLBARS else ""
            yield f"{indent}<DT><H3{toolbar}>{escape(part[1], quote=False)}</H3>"
            if inner.note:
                yield f"<DD>{escape(inner.note, quote=False)}"
            yield f"{indent}<DL><p>"
            stack.append((inner, iter(inner.content)))


def _paths(records: Sequence[Record]) -> list[tuple[str, ...]]:
    """Where a bookmark lies: its own folder, then the further ones."""
    locator = records[0].locator if records else None
    first = locator.path if locator else ()
    further = [tuple(path.split(FOLDER_SIGN)) for path in _field(records, "also in").split("\n") if path]
    return [first, *(path for path in further if path != first)]


def _field(records: Sequence[Record], name: str) -> str:
    return records[0].fields.get(name, "") if records else ""


def _seconds(moment: str) -> str:
    """Seconds since 1970 of a moment as the loaders write it; nothing for what is no moment."""
    try:
        return str(int(datetime.fromisoformat(moment).timestamp())) if moment else ""
    except ValueError:
        return ""
