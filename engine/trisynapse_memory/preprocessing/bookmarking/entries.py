"""Bookmarks as some program keeps them in, listings of a container out: duplicates found, what is no page left out.

The stored address is never changed; its canonical form only finds duplicates (case R23). Nothing is fetched here.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from textwrap import dedent
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.urls import WEB_SCHEMES, canonical, host_of, scheme_of
from trisynapse_memory.types import Heading, Listing, Page, Section

FOLDER_SIGN: Final = " > "
"""Between the names of a folder path where it is shown or searched as one line."""
ALSO_IN: Final = "also in"
"""The field that holds the further folders of a bookmark, one path a line."""
FOLDER_NOTE: Final = "folder note"
"""The field that holds what she wrote about the folder of a bookmark."""

MAX_FOLDERS: Final = 64  # around one bookmark; nobody sorts deeper, and each of them is a collection

_ESCAPED: Final = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#\d{1,7}|#x[0-9A-Fa-f]{1,6});")
_BLANK_LINES: Final = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bookmark:
    """One bookmark, whatever wrote it; ``path`` are its folders, outermost first, ``fields`` searchable extras.

    ``key`` is what it is known by where that is not its address (the id of a paper, of an entry without a link).
    ``authors``, ``published`` and ``identifiers`` are of what lies behind it, see ``Heading``.
    """

    url: str
    title: str = ""
    description: str = ""
    path: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    added: datetime | None = None
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    key: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    identifiers: Mapping[str, str] = field(default_factory=dict[str, str])


class BookmarkDocument:
    """A bookmark file that is open: a container without pages of its own."""

    def __init__(self, title: str, media_type: str, listings: tuple[Listing, ...]) -> None:
        self.heading = Heading(page_count=0, title=title, media_type=media_type, method="bookmarks")
        self._listings = listings

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield nothing: what it says stands in its members."""
        yield from ()

    def members(self) -> Iterator[Listing]:
        """Yield every bookmark in file order, those left out with their reason, repeated ones with what they repeat."""
        yield from self._listings

    def close(self) -> None:
        """Do nothing: the file was closed when it was read."""


def open_bookmarks(
    name: str, bookmarks: Iterable[Bookmark], *, title: str = "", media_type: str, hint: str
) -> BookmarkDocument:
    """Return the open document of a file whose bookmarks were read.

    Args:
        name: what messages call the file.
        bookmarks: what it holds, in its order.
        title: what the file calls itself.
        media_type: of the file.
        hint: what to do where nothing in it can be taken in.

    Raises:
        SourceDamagedError: no bookmark in it can be taken in; "0 imported" is no success (case R22).
    """
    listings = list_bookmarks(bookmarks)
    if all(listing.skipped for listing in listings):
        left_out = f" ({len(listings)} left out, none of them a web address)" if listings else ""
        raise SourceDamagedError(f"'{name}' holds no bookmark that can be taken in{left_out}.", hint=hint)
    return BookmarkDocument(title, media_type, listings)


def list_bookmarks(bookmarks: Iterable[Bookmark]) -> tuple[Listing, ...]:
    """Return one listing a bookmark, in order.

    A page that stands in the file twice is taken in once; its tags and folders are those of all its places, so that
    it is found under each of them.
    """
    listings: list[Listing] = []
    places: dict[str, int] = {}
    for number, bookmark in enumerate(bookmarks, start=1):
        listing = _listing(bookmark, number)
        page = bookmark.key or canonical(listing.url)
        if listing.skipped:
            listings.append(listing)
        elif page in places:
            first = listings[places[page]]
            listings[places[page]] = join_places(first, listing)
            listings.append(structs.replace(listing, duplicate_of=first.key))
        else:
            places[page] = len(listings)
            listings.append(listing)
    return tuple(listings)


def join_places(first: Listing, again: Listing) -> Listing:
    """Return a bookmark with the tags and the folders of another place where its page is kept."""
    tags = tuple(dict.fromkeys((*first.tags, *again.tags)))
    folders = (*_lines(first), FOLDER_SIGN.join(again.path), *_lines(again))
    further = dict.fromkeys(one for one in folders if one and one != FOLDER_SIGN.join(first.path))
    return structs.replace(first, tags=tags, fields=filled({**first.fields, ALSO_IN: "\n".join(further)}))


def _lines(listing: Listing) -> list[str]:
    return listing.fields.get(ALSO_IN, "").split("\n")


def one_line(text: str) -> str:
    """Return a title on one line; what an export escaped twice is unescaped once more, for the eye only (case R22)."""
    return " ".join(_unescaped(text).split())


def as_note(text: str) -> str:
    """Return a description with its lines, without what only indents or spaces out all of them."""
    whole = _unescaped(text).replace("\r\n", "\n").replace("\r", "\n").strip()
    first, _, rest = whole.partition("\n")
    lines = "\n".join(line.rstrip() for line in (first, *dedent(rest).split("\n")))
    return _BLANK_LINES.sub("\n\n", lines).strip()


def split_tags(text: str, *separators: str) -> tuple[str, ...]:
    """Return the tags of one line, each once, in order; without separators they stand between commas."""
    for separator in separators or (",",):
        text = text.replace(separator, "\n")
    return tuple(dict.fromkeys(tag for part in text.split("\n") if (tag := " ".join(part.split()))))


def filled(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that say something."""
    return {name: value for name, value in fields.items() if value}


def _unescaped(text: str) -> str:
    return html.unescape(text) if _ESCAPED.search(text) else text


def _listing(bookmark: Bookmark, number: int) -> Listing:
    url = bookmark.url.strip()
    title = one_line(bookmark.title) or host_of(url) or url or f"bookmark {number}"
    note = as_note(bookmark.description)
    return Listing(
        key=bookmark.key or url or f"bookmark:{number}",
        title=title,
        url=url,
        text=f"{title}\n{note}" if note and note != title else title,
        path=tuple(name for one in bookmark.path if (name := one_line(one)))[:MAX_FOLDERS],
        tags=bookmark.tags,
        observed_at=bookmark.added,
        skipped="" if bookmark.key and note and not url else _reason_to_skip(url, note),
        fields=filled(bookmark.fields),
        authors=bookmark.authors,
        published=bookmark.published,
        identifiers=filled(bookmark.identifiers),
    )


def _reason_to_skip(url: str, note: str) -> str:
    if not url:
        return "no address"
    scheme = scheme_of(url)
    if scheme not in WEB_SCHEMES:
        if scheme:
            return f"'{scheme}:' is no web address"
        # A note of Shaarli has an address inside Shaarli only ("?lY47tw"); what she wrote in it is hers to find.
        return "" if note else "not a full web address"
    return "" if host_of(url) else "no host in its address"
