"""A tree of folders as browsers keep them in, its bookmarks in order out. Nothing is read from a file here.

Chromium and its relatives keep JSON with times in microseconds since 1601, Firefox JSON with microseconds since 1970,
Safari a property list without times. All are walked without recursion: nothing bounds how deep folders lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from trisynapse_memory.preprocessing.bookmarking.entries import Bookmark, split_tags
from trisynapse_memory.preprocessing.bookmarking.nodes import Node, is_node, node_at, nodes_at, words_at
from trisynapse_memory.preprocessing.moments import from_unix

FIREFOX_ROOTS: Final = {
    "menu________": "Bookmarks Menu",
    "toolbar_____": "Bookmarks Toolbar",
    "unfiled_____": "Other Bookmarks",
    "mobile______": "Mobile Bookmarks",
}
"""The four folders of Firefox by the ids they have in every profile, as its menus call them."""
FIREFOX_TAGS: Final = "tags________"
"""The folder in which Firefox keeps one folder a tag, each with the bookmarks that have it."""

_FIREFOX_NAMES: Final = {
    "bookmarksMenuFolder": "menu________",
    "toolbarFolder": "toolbar_____",
    "unfiledBookmarksFolder": "unfiled_____",
    "mobileFolder": "mobile______",
    "tagsFolder": FIREFOX_TAGS,
}
_FIREFOX_DESCRIPTION: Final = "bookmarkProperties/description"
_SAFARI_ROOTS: Final = {
    "BookmarksBar": "Favorites",
    "BookmarksMenu": "Bookmarks Menu",
    "com.apple.ReadingList": "Reading List",
}


def read_chromium(store: Node) -> Iterator[Bookmark]:
    """Yield the bookmarks of a ``Bookmarks`` file of Chrome, Chromium, Edge, Brave, Opera or Vivaldi."""
    roots = [root for root in node_at(store, "roots").values() if is_node(root)]
    for path, node in _walk(roots, "children", "name"):
        if "url" not in node:
            continue
        extra = node_at(node, "meta_info")
        yield Bookmark(
            url=words_at(node, "url"),
            title=words_at(node, "name"),
            description=words_at(extra, "Description"),
            path=path,
            added=from_unix(words_at(node, "date_added")),
            fields={"keyword": words_at(extra, "Nickname")},
        )


def read_firefox(store: Node) -> Iterator[Bookmark]:
    """Yield the bookmarks of a Firefox backup; the folder of tags becomes the tags of the bookmarks in it."""
    tagged: dict[str, list[str]] = {}
    found: list[Bookmark] = []
    for root in nodes_at(store, "children") or [store]:
        guid = _FIREFOX_NAMES.get(words_at(root, "root"), words_at(root, "guid"))
        if guid == FIREFOX_TAGS:
            for path, node in _walk([root], "children", "title"):
                if "uri" in node and len(path) > 1:
                    tagged.setdefault(words_at(node, "uri"), []).append(path[1])
            continue
        named = {**root, "title": FIREFOX_ROOTS.get(guid, words_at(root, "title"))}
        found += [_firefox(path, node) for path, node in _walk([named], "children", "title") if "uri" in node]
    for bookmark in found:
        tags = tuple(dict.fromkeys((*bookmark.tags, *tagged.get(bookmark.url, ()))))
        yield replace(bookmark, tags=tags)


def read_safari(store: Node) -> Iterator[Bookmark]:
    """Yield the bookmarks and the reading list of ``Bookmarks.plist``; of the latter its preview is the note."""
    roots = [
        {**root, "Title": _SAFARI_ROOTS.get(words_at(root, "Title"), words_at(root, "Title"))}
        for root in nodes_at(store, "Children")
    ]
    for path, node in _walk(roots, "Children", "Title"):
        if "URLString" not in node:
            continue
        reading = node_at(node, "ReadingList")
        added = reading.get("DateAdded")
        yield Bookmark(
            url=words_at(node, "URLString"),
            title=words_at(node_at(node, "URIDictionary"), "title"),
            description=words_at(reading, "PreviewText"),
            path=path,
            added=added.replace(tzinfo=UTC) if isinstance(added, datetime) else None,
        )


def _firefox(path: tuple[str, ...], node: Node) -> Bookmark:
    notes = (words_at(one, "value") for one in nodes_at(node, "annos") if one.get("name") == _FIREFOX_DESCRIPTION)
    added, modified = from_unix(words_at(node, "dateAdded")), from_unix(words_at(node, "lastModified"))
    return Bookmark(
        url=words_at(node, "uri"),
        title=words_at(node, "title"),
        description=next(notes, ""),
        path=path,
        tags=split_tags(words_at(node, "tags")),
        added=added,
        fields={"keyword": words_at(node, "keyword"), "modified": as_modified(modified, added)},
    )


def as_modified(modified: datetime | None, added: datetime | None) -> str:
    """Return when a bookmark was changed, to the second, as its field says it; empty where that is when it was made."""
    if modified is None or (added is not None and int(modified.timestamp()) == int(added.timestamp())):
        return ""
    return modified.strftime("%Y-%m-%dT%H:%M:%SZ")


def _walk(roots: Sequence[Node], children: str, name: str) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yield everything below and including the roots in order, each with the names of the folders around it."""
    stack: list[tuple[tuple[str, ...], Node]] = [((), root) for root in reversed(roots)]
    while stack:
        path, node = stack.pop()
        yield path, node
        inner = (*path, words_at(node, name)) if words_at(node, name) else path
        stack += [(inner, child) for child in reversed(nodes_at(node, children))]
