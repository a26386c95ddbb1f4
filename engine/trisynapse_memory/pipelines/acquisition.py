"""An arrival in, its original in the blob store and its loader out; only here is the network asked, if at all."""

from __future__ import annotations

from msgspec import Struct, structs

from trisynapse_memory.log.blobs import Blob
from trisynapse_memory.pipelines import admission
from trisynapse_memory.pipelines.admission import Arrival
from trisynapse_memory.pipelines.drafting import bytes_of, path_of
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.fetching import fetch
from trisynapse_memory.preprocessing.loading import HEAD_BYTES, choose_loader
from trisynapse_memory.providers.offline import refuse_when_offline


class Original(Struct, frozen=True, kw_only=True):
    """An arrival whose bytes are kept: ``arrival`` says what is known of it since, ``loader`` who reads it."""

    arrival: Arrival
    loader: str
    blob: Blob


def acquire(rooms: Rooms, arrival: Arrival) -> Original:
    """Find the loader by content, then store the original.

    Raises:
        SourceError: the bytes cannot be had, or no loader reads them.
        OfflineError: it lies in the network, and nothing may leave this machine.
    """
    if arrival.input.url is not None:
        return _acquire_page(rooms, arrival, arrival.input.url)
    name = arrival.input.filename or arrival.label
    path = path_of(arrival)
    if path is None:
        content = bytes_of(arrival)
        loader = choose_loader(content[:HEAD_BYTES], name, rooms.registry)
        return Original(arrival=arrival, loader=loader, blob=rooms.blobs.put_bytes(content))
    head = admission.read_head(path, rooms.config.file_max_bytes)
    return Original(arrival=arrival, loader=choose_loader(head, name, rooms.registry), blob=rooms.blobs.put_file(path))


def _acquire_page(rooms: Rooms, arrival: Arrival, url: str) -> Original:
    """Fetch a web page she asked for, and store the answer as it came."""
    refuse_when_offline(rooms.offline, f"'{url}'")
    page = fetch(url, rooms.egress)
    loader = choose_loader(page.content[:HEAD_BYTES], page.filename, rooms.registry)
    named = structs.replace(arrival, input=structs.replace(arrival.input, filename=page.filename))
    return Original(arrival=named, loader=loader, blob=rooms.blobs.put_bytes(page.content))
