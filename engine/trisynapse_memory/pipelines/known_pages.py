"""A bookmark in, the bookmark of the same page that the vault holds already out. Nothing is appended here."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.preprocessing.urls import canonical
from trisynapse_memory.types import Listing, Namespace, Source

BOOKMARK_KEY: Final = "bookmark:"
"""What the source key of a bookmark begins with; its address as it stands in its file follows."""


class KnownPages:
    """The bookmarks of one namespace by the form that two addresses of one page share (case R23).

    The shelf is read once, at the first bookmark; a container without one costs nothing.
    """

    def __init__(self, shelf: Shelf, namespace: Namespace) -> None:
        self._shelf = shelf
        self._namespace = namespace

    def twin(self, listing: Listing) -> Source | None:
        """Return the bookmark in use whose page is this one's, under another address; None for anything but bookmarks.

        One with the very same address is a version of it, and no twin.
        """
        if listing.kind != "bookmark" or not listing.url:
            return None
        found = self._pages.get(canonical(listing.url), {})
        return None if listing.key in found else next(iter(found.values()), None)

    @cached_property
    def _pages(self) -> dict[str, dict[str, Source]]:
        pages: dict[str, dict[str, Source]] = {}
        for source in self._shelf.inside(BOOKMARK_KEY, self._namespace):
            address = source.source_key.removeprefix(BOOKMARK_KEY)
            pages.setdefault(canonical(address), {})[address] = source
        return pages
