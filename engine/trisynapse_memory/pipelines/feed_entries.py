"""The bytes of a followed feed in, its entries in the vault out: one source each, once. Nothing is fetched here.

An entry is known by its address, or by its paper at arXiv; where its link moves, by the id that its feed gives it.
Entries that a feed shows no longer stay in the vault, and one that she forgot stays forgotten.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final, Protocol

from msgspec import structs

from trisynapse_memory.pipelines.member_drafts import Membership, key_of
from trisynapse_memory.pipelines.members import take_members
from trisynapse_memory.pipelines.portions import Parts, until
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.fetching import Fetched
from trisynapse_memory.preprocessing.sandbox import Sandbox
from trisynapse_memory.preprocessing.urls import host_of
from trisynapse_memory.types import Heading, IngestResult, Listing

LOADER: Final = "feed"
TITLE_MAX_CHARS: Final = 120
_GUID: Final = "guid"  # as ``loaders/feed.py`` calls the id of an entry


class Entries(Protocol):
    """Takes the bytes of one feed in; what became of each entry, and what the feed calls itself, comes back."""

    def __call__(self, fetched: Fetched, membership: Membership) -> tuple[Heading, tuple[IngestResult, ...]]:
        """Return what the feed says of itself, and what became of each of its entries."""
        ...


def take_entries(
    rooms: Rooms, sandbox: Sandbox, fetched: Fetched, membership: Membership, stop: threading.Event
) -> tuple[Heading, tuple[IngestResult, ...]]:
    """Read a feed in a worker and take its entries in.

    Args:
        rooms: the open vault.
        sandbox: reads it.
        fetched: what its address gave.
        membership: what its entries share; the container is the address that is followed. Without a collection they
            lie in one that is called as the feed calls itself.
        stop: once set, no further entry is taken in.

    Raises:
        SourceError: it is no feed, or nothing in it can be taken in.
    """
    blob = rooms.blobs.put_bytes(fetched.content)
    try:
        path = rooms.blobs.path(blob.content_hash)
        with closing(sandbox.load(path, LOADER, filename=fetched.filename, charset=fetched.charset)) as loaded:
            heading = next(loaded)
            assert isinstance(heading, Heading)
            listings = tuple(Parts(loaded).members())
    finally:
        if not rooms.shelf.holds_blob(blob.content_hash):
            rooms.blobs.discard(blob.content_hash)
    folder = membership.collections or (title_of(heading, membership.container),)
    whole = structs.replace(membership, collections=(), loader=LOADER, leaves_forgotten=True)
    listings = _as_known(rooms, whole, tuple(structs.replace(one, path=folder) for one in listings))
    return heading, tuple(take_members(rooms, whole, until(stop, iter(listings))))


def title_of(heading: Heading, url: str) -> str:
    """Return what a feed calls itself, short enough for the name of a collection; else the host of its address."""
    return " ".join(heading.title.split())[:TITLE_MAX_CHARS].strip() or host_of(url) or url


def _as_known(rooms: Rooms, membership: Membership, listings: Sequence[Listing]) -> tuple[Listing, ...]:
    """Give an entry whose link has moved the key under which the vault holds it.

    An id that stands at several links of one feed tells nothing, and is passed over: some feeds give all entries one.
    """
    counts = Counter(one.identifiers.get(_GUID, "") for one in listings if not one.duplicate_of)
    telling = {name for name, count in counts.items() if name and count == 1}
    known = dict(_known_ids(rooms, membership)) if telling else {}
    return tuple(
        structs.replace(one, key=key)
        if (name := one.identifiers.get(_GUID, "")) in telling
        and (key := known.get(name, "")) not in ("", one.key)
        and not rooms.shelf.versions(key_of(membership, one), membership.namespace)
        else one
        for one in listings
    )


def _known_ids(rooms: Rooms, membership: Membership) -> Iterator[tuple[str, str]]:
    """The ids of this feed's entries, each with the key of its listing."""
    for source in rooms.shelf.inside("bookmark:", membership.namespace):
        if source.container == membership.container and (name := source.identifiers.get(_GUID)):
            yield name, source.source_key.removeprefix("bookmark:")
