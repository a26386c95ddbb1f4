"""What services that keep links for her export in, bookmarks out. Rows and posts come decoded; no file is opened here.

A service is told by its columns, never by the file's name: Pocket, Instapaper, Raindrop, Diigo and Readwise write CSV,
Pinboard and the services that took over its format JSON or XML, Wallabag and Karakeep JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from trisynapse_memory.preprocessing.bookmarking.entries import Bookmark, split_tags
from trisynapse_memory.preprocessing.bookmarking.nodes import Node, is_node, node_at, nodes_at, nodes_of, words_at
from trisynapse_memory.preprocessing.moments import from_iso, from_unix


@dataclass(frozen=True, slots=True)
class Service:
    """How one service names its columns; an empty name is a column that it has not.

    ``needed`` are the columns that tell it from any other table with addresses in it; ``notes`` are put together in
    their order; ``tag_signs`` stand between tags; ``inbox`` is its folder that means none.
    """

    name: str
    needed: frozenset[str]
    url: str = "url"
    title: str = "title"
    notes: tuple[str, ...] = ()
    folder: str = ""
    folder_sign: str = ""
    tags: str = "tags"
    tag_signs: tuple[str, ...] = (",",)
    added: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    inbox: tuple[str, ...] = ()


SERVICES: Final = (
    Service(
        name="Raindrop",
        needed=frozenset({"url", "title", "folder", "tags", "created"}),
        notes=("note", "excerpt", "highlights"),
        folder="folder",
        folder_sign="/",
        added="created",
        fields=(("favourite", "favorite"),),
        inbox=("Unsorted",),
    ),
    Service(
        name="Pocket",
        needed=frozenset({"title", "url", "time_added", "tags", "status"}),
        folder="status",
        tag_signs=("|", ","),
        added="time_added",
    ),
    Service(
        name="Instapaper",
        needed=frozenset({"url", "title", "selection", "folder"}),
        notes=("selection",),
        folder="folder",
        added="timestamp",
    ),
    Service(
        name="Diigo",
        needed=frozenset({"title", "url", "tags", "description", "comments"}),
        notes=("description", "comments", "annotations"),
        tag_signs=(",",),
        added="created_at",
    ),
    Service(
        name="Readwise",
        needed=frozenset({"title", "url", "document tags", "saved date"}),
        folder="location",
        tags="document tags",
        added="saved date",
    ),
    Service(
        name="Pinboard",
        needed=frozenset({"href", "description", "tags"}),
        url="href",
        title="description",
        notes=("extended",),
        tag_signs=(" ",),
        added="time",
        fields=(("private", "shared"), ("to read", "toread")),
    ),
    Service(
        name="Pinboard",
        needed=frozenset({"href", "description", "tag"}),
        url="href",
        title="description",
        notes=("extended",),
        tags="tag",
        tag_signs=(" ",),
        added="time",
        fields=(("private", "shared"), ("to read", "toread")),
    ),
    Service(
        name="Wallabag",
        needed=frozenset({"url", "title", "tags", "is_archived", "created_at"}),
        tag_signs=("\n",),
        added="created_at",
        fields=(("favourite", "is_starred"),),
    ),
    Service(
        name="Karakeep",
        needed=frozenset({"createdat", "title", "tags", "content"}),
        notes=("note", "summary", "text"),
        tag_signs=("\n",),
        added="createdat",
        fields=(("favourite", "favourited"),),
    ),
)
"""The services in the order in which they are asked: the one with the most columns of its own first."""

_NO: Final = frozenset({"", "0", "no", "false"})


def service_of(columns: Iterable[str]) -> Service | None:
    """Return the service whose columns these are, whatever their case and order; None where they are nobody's."""
    named = {one.strip().lower() for one in columns}
    return next((service for service in SERVICES if service.needed <= named), None)


def read_rows(service: Service, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[Bookmark]:
    """Yield one bookmark a row of a table; a row that is too short lacks its last columns."""
    names = [one.strip().lower() for one in columns]
    for row in rows:
        if any(cell.strip() for cell in row):
            yield _bookmark(service, dict(zip(names, row, strict=False)))


def read_posts(posts: Iterable[Node]) -> Iterator[Bookmark]:
    """Yield one bookmark a post, as services write them in JSON and (Pinboard, as attributes) in XML."""
    for post in posts:
        service = service_of(post)
        if service is not None:
            cells = {name.lower(): _cell(post, name) for name in post}
            inner = node_at(post, "content")  # Karakeep: what is kept is a link, or a text of her own
            yield _bookmark(service, {**cells, **{name: words_at(inner, name) for name in ("url", "text") if inner}})


def posts_of(decoded: object) -> list[Node]:
    """Return the posts of a JSON export: it is a list of them, or holds one."""
    return nodes_at(decoded, "bookmarks") if is_node(decoded) else nodes_of(decoded)


def _cell(post: Node, name: str) -> str:
    """A part of a post as text: a list of names has one a line, a yes is a 1."""
    value = post.get(name)
    if isinstance(value, list):
        return "\n".join(one for one in cast("list[object]", value) if isinstance(one, str))
    return "1" if value is True else words_at(post, name)


def _bookmark(service: Service, cells: Mapping[str, str]) -> Bookmark:
    notes = (cells.get(name, "").strip() for name in service.notes)
    added = cells.get(service.added, "")
    return Bookmark(
        url=cells.get(service.url, ""),
        title=cells.get(service.title, ""),
        description="\n\n".join(dict.fromkeys(note for note in notes if note)),
        path=_folders(service, cells.get(service.folder, "").strip()),
        tags=split_tags(_listed(cells.get(service.tags, "")), *service.tag_signs),
        added=from_unix(added) or from_iso(added),
        fields={name: _flag(name, cells.get(column, "")) for name, column in service.fields},
    )


def _folders(service: Service, text: str) -> tuple[str, ...]:
    if not text or text in service.inbox:
        return ()
    parts = text.split(service.folder_sign) if service.folder_sign else [text]
    return tuple(part.strip() for part in parts if part.strip())


def _listed(text: str) -> str:
    """Tags written as a list (``['a', 'b']``, ``["a", "b"]``) between commas, as anywhere else."""
    text = text.strip()
    return text[1:-1].replace("'", "").replace('"', "") if text.startswith("[") and text.endswith("]") else text


def _flag(name: str, value: str) -> str:
    said = value.strip().lower()
    if name == "private":  # its column says the opposite: whether it is shared
        return "yes" if said in _NO and said else ""
    return "" if said in _NO else "yes"
