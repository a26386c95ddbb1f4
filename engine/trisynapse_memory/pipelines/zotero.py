"""A Zotero data folder in, its items, files and marks in the vault out. Nothing in that folder is ever written.

The database is read from a copy, so a Zotero that runs is neither blocked nor read half written. Files stay where they
lie. Taken in again, only what has changed is new; what has left Zotero is archived, and comes back with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.matches import REFERENCE
from trisynapse_memory.pipelines import matching
from trisynapse_memory.pipelines.admission import Arrival, key_of
from trisynapse_memory.pipelines.members import Membership, foresee_members, take_members
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.zotero_marks import take_marks
from trisynapse_memory.preprocessing.references.entries import listings
from trisynapse_memory.preprocessing.references.live_copy import copy_of
from trisynapse_memory.preprocessing.references.zotero import ZoteroFile, ZoteroLibrary
from trisynapse_memory.preprocessing.references.zotero_folder import CITEKEYS, DATABASE
from trisynapse_memory.preprocessing.references.zotero_tables import read_citekeys, read_tables
from trisynapse_memory.types import IngestResult, Kind, Listing, Outcome, Source, SourceInput, SourceStatus

LOADER: Final = "zotero"
GONE: Final = "no longer in Zotero"
BY_HER: Final = "forgotten by you; bring it back from the library"

Take = Callable[[Arrival], Iterator[IngestResult]]


def take_zotero(rooms: Rooms, arrival: Arrival, take: Take, stop: threading.Event) -> Iterator[IngestResult]:
    """Take in a data folder: its entries, then the files they have, then the marks in them; archive what has left it.

    Args:
        rooms: the open vault.
        arrival: names the folder.
        take: takes in one file.
        stop: asked between two files; what is done stays, and nothing is archived then.

    Raises:
        SourceError: the database cannot be read, or holds nothing at all.
    """
    folder = folder_of(arrival)
    library = read_library(folder)
    membership = membership_of(arrival, folder)
    members = list(_members(rooms, membership, library))
    changed: set[str] = set()
    for result in take_members(rooms, membership, members):
        yield result
        if result.status is Outcome.SUCCESS:
            changed.add(result.source_key)
    sources: dict[str, str] = {}
    for file in library.files():
        if stop.is_set():
            return
        one = _unless_forgotten(rooms, arrival_of(arrival, membership, file))
        results = _unchanged(rooms, one) or list(take(one))
        yield from results
        source_id = _own_id(one, results)
        if source_id:
            sources[file.key] = source_id
            _connect(rooms, membership, file, source_id)
        if source_id and _key(membership, file.entry) in changed:
            _collect(rooms, source_id, one.input)
    take_marks(rooms, library.marks(), sources)
    yield from _archive(rooms, membership, folder, library)


def _unchanged(rooms: Rooms, arrival: Arrival) -> list[IngestResult]:
    """The row of a file that was not written to since it was taken in: 20 GB need not be read to know that."""
    source = rooms.shelf.active(key_of(arrival.input, ""), arrival.input.namespace)
    if source is None or arrival.skipped or not rooms.blobs.is_as_linked(source.blob_hash, Path(arrival.label)):
        return []
    return [
        IngestResult(
            input=arrival.label,
            status=Outcome.SKIPPED,
            source_id=source.source_id,
            source_key=source.source_key,
            kind=source.kind,
            title=source.title,
            version=source.version,
            record_count=source.record_count,
            verdicts=source.verdicts,
            reason="unchanged",
        )
    ]


def _own_id(arrival: Arrival, results: list[IngestResult]) -> str:
    """The source of a file itself, not of what lies in it; of a copy, that which has its bytes already."""
    whole = [one for one in results if one.source_id is not None and one.status is not Outcome.FAILED]
    own = [one for one in whole if one.source_key == key_of(arrival.input, "")] or whole[-1:]
    return str(own[0].source_id) if own else ""


def _collect(rooms: Rooms, source_id: str, given: SourceInput) -> None:
    """Put a file into the collections, and under the tags, that its entry has now: a rule may hang on them."""
    source, curation = rooms.shelf.get(source_id), Curation(rooms.log, rooms.shelf)
    for name in given.collections:
        if name not in source.collections:
            curation.collect(source_id, name)
    for name in given.tags:
        if name not in source.tags:
            curation.tag(source_id, name)


def foresee_zotero(
    rooms: Rooms, arrival: Arrival, foresee: Callable[[Arrival], Iterator[IngestResult]]
) -> Iterator[IngestResult]:
    """Say what would become of a data folder; nothing is written."""
    folder = folder_of(arrival)
    library, membership = read_library(folder), membership_of(arrival, folder)
    yield from foresee_members(rooms, membership, _members(rooms, membership, library))
    for file in library.files():
        yield from foresee(arrival_of(arrival, membership, file))


def folder_of(arrival: Arrival) -> Path:
    """Return the data folder that an arrival names."""
    path = Path(arrival.input.path or arrival.label).expanduser().absolute()
    return path.parent if path.is_file() else path


def read_library(folder: Path) -> ZoteroLibrary:
    """Read a data folder from a copy of its database.

    Raises:
        SourceError: the database cannot be read, or holds nothing at all.
    """
    with copy_of(folder / DATABASE) as copy:
        tables = read_tables(copy)
    if (folder / CITEKEYS).is_file():
        with copy_of(folder / CITEKEYS) as copy:
            tables.citekeys = read_citekeys(copy)
    if not tables.items:
        # Rather that than archiving a whole library because its profile is new, or still being fetched.
        raise SourceDamagedError(f"The library of Zotero in '{folder}' is empty.", hint="Is it the right folder?")
    return ZoteroLibrary(tables, folder)


def membership_of(arrival: Arrival, folder: Path) -> Membership:
    """Return what everything in a data folder shares."""
    key = key_of(structs.replace(arrival.input, path=str(folder)), "")
    return Membership(
        label=str(folder),
        container=key,
        namespace=arrival.input.namespace,
        collections=arrival.input.collections,
        loader=LOADER,
    )


def arrival_of(arrival: Arrival, membership: Membership, file: ZoteroFile) -> Arrival:
    """Return the arrival of one file of an item."""
    given = SourceInput(
        path=str(file.path),
        filename=file.path.name,
        collections=tuple(dict.fromkeys((*membership.collections, *file.collections))),
        tags=file.tags,
        namespace=membership.namespace,
        linked=True,
    )
    missing = "" if file.path.is_file() else "its file is not on this machine; open it in Zotero to fetch it"
    return Arrival(label=str(file.path), input=given, skipped=missing, container=membership.container)


def _members(rooms: Rooms, membership: Membership, library: ZoteroLibrary) -> Iterator[Listing]:
    """The entries, without those that she forgot here: that Zotero still has them does not bring them back."""
    for listing in listings(library.entries()):
        versions = rooms.shelf.versions(_key(membership, listing.key), membership.namespace)
        if versions and not listing.skipped and _is_forgotten_by_her(rooms, versions[-1]):
            yield structs.replace(listing, skipped=BY_HER)
        else:
            yield listing


def _unless_forgotten(rooms: Rooms, arrival: Arrival) -> Arrival:
    """The same for a file."""
    versions = rooms.shelf.versions(key_of(arrival.input, ""), arrival.input.namespace)
    is_forgotten = bool(versions) and not arrival.skipped and _is_forgotten_by_her(rooms, versions[-1])
    return structs.replace(arrival, skipped=BY_HER) if is_forgotten else arrival


def _is_forgotten_by_her(rooms: Rooms, latest: Source) -> bool:
    if latest.status is not SourceStatus.FORGOTTEN:
        return False
    reasons = [record.text for record in rooms.log.of_source(latest.source_id, Kind.RETRACTION)]
    return bool(reasons) and reasons[-1] != GONE


def _connect(rooms: Rooms, membership: Membership, file: ZoteroFile, source_id: str) -> None:
    """Say which entry describes a file: Zotero knows it, so nothing needs to be compared."""
    if not file.entry:
        return
    entry = rooms.shelf.active(_key(membership, file.entry), membership.namespace)
    if entry is not None:
        matching.keep_match(rooms, rooms.shelf.get(source_id), entry, LOADER)


def _archive(rooms: Rooms, membership: Membership, folder: Path, library: ZoteroLibrary) -> Iterator[IngestResult]:
    """Forget what has left Zotero since; it stays in the log, and comes back when it comes back there."""
    known = {_key(membership, entry.key) for entry in library.entries()}
    known |= {key_of(SourceInput(path=str(file.path)), "") for file in library.files()}
    prefixes = (_key(membership, ""), f"{key_of(SourceInput(path=str(folder / 'storage')), '')}/")
    for source in (one for prefix in prefixes for one in rooms.shelf.inside(prefix, membership.namespace)):
        if source.source_key in known or source.container != membership.container:
            continue
        lifecycle.forget_source(rooms.log, rooms.shelf, source.source_id, GONE)
        yield IngestResult(
            input=source.source_key,
            status=Outcome.SKIPPED,
            source_id=source.source_id,
            source_key=source.source_key,
            kind=source.kind,
            title=source.title,
            reason=f"{GONE}: archived",
        )
    rooms.projector.catch_up()


def _key(membership: Membership, key: str) -> str:
    return f"{REFERENCE}:{membership.container}#{key}"
