"""An arrival in, its original in the blob store and its loader out; only here is the network asked, if at all."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from trisynapse_memory.contracts import SiteReader
from trisynapse_memory.errors import SourceError
from trisynapse_memory.log.blobs import Blob
from trisynapse_memory.pipelines import admission
from trisynapse_memory.pipelines.admission import Arrival
from trisynapse_memory.pipelines.drafting import bytes_of, path_of
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.fetching import Fetched, ServerStamp
from trisynapse_memory.preprocessing.loading import HEAD_BYTES, choose_loader
from trisynapse_memory.preprocessing.references.live_copy import copy_of
from trisynapse_memory.preprocessing.urls import host_of
from trisynapse_memory.preprocessing.web.pages import Asking, page_behind
from trisynapse_memory.preprocessing.web.papers import WebPage
from trisynapse_memory.preprocessing.web.politeness import PoliteDoor, everything_allowed
from trisynapse_memory.preprocessing.web.videos import file_stem, is_video
from trisynapse_memory.providers.offline import refuse_when_offline
from trisynapse_memory.types import FetchDetails, Kind, Link, SourceDetails, SourceId, SourceInput

_SQLITE: Final = b"SQLite format 3\0"


class Original(Struct, frozen=True, kw_only=True):
    """An arrival whose bytes are kept: ``arrival`` says what is known of it since, ``loader`` who reads it."""

    arrival: Arrival
    loader: str
    blob: Blob


def acquire(rooms: Rooms, arrival: Arrival, stop: threading.Event) -> Original:
    """Find the loader by content, then store the original.

    Args:
        rooms: the open vault.
        arrival: what is taken in.
        stop: once set, what is waited for in the network ends.

    Raises:
        SourceError: the bytes cannot be had, or no loader reads them.
        OfflineError: it lies in the network, and nothing may leave this machine.
    """
    if arrival.input.url is not None:
        return _acquire_page(rooms, arrival, stop)
    name = arrival.input.filename or arrival.label
    path = path_of(arrival)
    if path is None:
        content = bytes_of(arrival)
        loader = choose_loader(content[:HEAD_BYTES], name, rooms.registry)
        blob = rooms.blobs.put_bytes(content)
        if arrival.container:  # a large member need not stay in memory while its pages are read
            arrival = structs.replace(arrival, input=structs.replace(arrival.input, content=b""))
        return Original(arrival=arrival, loader=loader, blob=blob)
    head = admission.read_head(path, rooms.config.file_max_bytes)
    loader = choose_loader(head, name, rooms.registry)
    blob = rooms.blobs.link_file(path) if arrival.input.linked else _kept(rooms, path, head, stop)
    return Original(arrival=arrival, loader=loader, blob=blob)


def _kept(rooms: Rooms, path: Path, head: bytes, stop: threading.Event) -> Blob:
    """Store a file. Of a database that a program has open, what lies in its log beside it is part of it (Firefox)."""
    log = path.with_name(f"{path.name}-wal")
    if head.startswith(_SQLITE) and log.is_file() and log.stat().st_size:
        with copy_of(path) as copy:
            return rooms.blobs.put_file(copy, stop)
    return rooms.blobs.put_file(path, stop)


def fetch_page(rooms: Rooms, given: SourceInput, door: PoliteDoor, *, probes: bool = True) -> WebPage:
    """Fetch what lies behind an address she asked for; a page that has not changed is not sent again.

    Args:
        rooms: the open vault; nothing is written to it.
        given: an input with a ``url``.
        door: the door of the vault, with the manners that are due.
        probes: whether an address without a page is asked for a repository.

    Raises:
        SourceError: it cannot be had.
        InvalidInputError: it is no web address, or holds a user name or password.
        OfflineError: nothing may leave this machine.
    """
    url = given.url or ""
    refuse_when_offline(rooms.offline, f"'{url}'")
    current = rooms.shelf.active(url if given.source_key is None else given.source_key, given.namespace)
    known = None if current is None else _fetched_of(rooms, current.source_id)
    if is_video(url) and rooms.registry.is_available("site", "video"):
        return _video(rooms, url, door)
    if known is None:
        return page_behind(url, Asking(door, pause=door.pause, probes=probes))
    stamp = ServerStamp(known.etag, known.last_modified)
    return page_behind(url, Asking(door, known.asked_url, stamp, door.pause, probes=probes))


def _video(rooms: Rooms, url: str, door: PoliteDoor) -> WebPage:
    """What the page of a video says, with its captions, as one file."""
    door.ask_leave(url)
    reader: SiteReader = rooms.registry.load("site", "video")()
    content = reader.read(url, door.ask)
    return WebPage(Fetched(content, url, "application/json", "utf-8", f"{file_stem(url)}.json"), url)


def let_wait(rooms: Rooms, arrival: Arrival, run_id: str) -> str:
    """Let an address that she named wait for the network, where the switch of the vault is what keeps it back.

    Returns:
        What the result says of it; empty where nothing waits (a file, or one client's own wish to stay offline).
    """
    given = arrival.input
    if given.url is None or not rooms.egress.offline:
        return ""
    link = Link(
        url=given.url,
        host=host_of(given.url),
        namespace=given.namespace,
        collections=given.collections,
        tags=given.tags,
        run_id=run_id,
        is_named=True,
    )
    rooms.history.links.add([link])
    return "offline is on; the address waits, and is fetched once that is lifted"


def _acquire_page(rooms: Rooms, arrival: Arrival, stop: threading.Event) -> Original:
    """Store what an address gave as it came."""
    # A page that she named herself is asked for at once, whatever robots.txt says to those that read on their own.
    page = arrival.page or fetch_page(rooms, arrival.input, PoliteDoor(rooms.egress, everything_allowed, 0.0, stop))
    fetched = page.fetched
    if fetched.is_unchanged:
        return _as_it_was(rooms, arrival)
    loader = choose_loader(fetched.content[:HEAD_BYTES], fetched.filename, rooms.registry)
    came = FetchDetails(
        asked_url=page.asked_url,
        final_url=fetched.final_url,
        charset=fetched.charset,
        etag=fetched.stamp.etag,
        last_modified=fetched.stamp.last_modified,
    )
    named = structs.replace(
        arrival,
        input=structs.replace(arrival.input, filename=fetched.filename),
        page=None,
        fetched=came,
        attribution=page.attribution,
        notes=page.notes,
    )
    return Original(arrival=named, loader=loader, blob=rooms.blobs.put_bytes(fetched.content))


def _as_it_was(rooms: Rooms, arrival: Arrival) -> Original:
    """The page the vault has, of which its server says that it has not changed."""
    current = rooms.shelf.active(admission.key_of(arrival.input, ""), arrival.input.namespace)
    if current is None:
        raise SourceError("The page was taken out of the vault while it was asked for.", hint="Add it again.")
    kept = structs.replace(arrival, input=structs.replace(arrival.input, filename=current.filename), page=None)
    return Original(arrival=kept, loader=current.kind, blob=Blob(current.blob_hash, current.byte_size))


def _fetched_of(rooms: Rooms, source_id: SourceId) -> FetchDetails | None:
    (record, *_) = rooms.log.of_source(source_id, Kind.SOURCE)
    return record.payload.fetched if isinstance(record.payload, SourceDetails) else None
