"""The members of a container file in, one source each out: bookmarks today. No link is followed here.

A bookmark is searchable by its title, folders, tags, description and date the moment its file is read; its page is
fetched only when she says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct, structs

from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.store import page_key
from trisynapse_memory.pipelines import admission
from trisynapse_memory.pipelines.admission import Admission, Decision
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import (
    CompletionDetails,
    Draft,
    IngestResult,
    Kind,
    Listing,
    Locator,
    Modality,
    Namespace,
    Outcome,
    PageDetails,
    PageNote,
    PageVerdict,
    SourceDetails,
)

BATCH_MEMBERS = 200  # one transaction: 3,000 bookmarks are searchable in a second, and a crash costs at most one batch


class Membership(Struct, frozen=True, kw_only=True):
    """What the members of one container share."""

    label: str
    container: str
    namespace: Namespace
    collections: tuple[str, ...] = ()


def take_members(rooms: Rooms, membership: Membership, listings: Iterable[Listing]) -> Iterator[IngestResult]:
    """Append the members of a container batch by batch, and yield what became of each, in order."""
    remaining = iter(listings)
    while batch := tuple(islice(remaining, BATCH_MEMBERS)):
        yield from _take_batch(rooms, membership, batch)


def _take_batch(rooms: Rooms, membership: Membership, batch: tuple[Listing, ...]) -> list[IngestResult]:
    results: list[IngestResult] = []
    drafts: list[Draft] = []
    for listing in batch:
        reason = listing.skipped or (f"duplicate of {listing.duplicate_of}" if listing.duplicate_of else "")
        if reason:
            results.append(_skipped(membership, listing, reason))
            continue
        digest = hashlib.sha256(_text_of(listing).encode()).hexdigest()
        decision = admission.decide(rooms.shelf, membership.namespace, key_of(listing), digest)
        if decision.admission in (Admission.UNCHANGED, Admission.DUPLICATE):
            results.append(_skipped(membership, listing, "unchanged", decision))
            continue
        if decision.admission is Admission.RESTORED:
            lifecycle.reinstate_source(rooms.log, rooms.shelf, decision.source_id, "added again")
        else:
            drafts += _drafts_of(membership, listing, digest, decision)
        results.append(_taken(membership, listing, decision))
    rooms.log.append(drafts)
    rooms.projector.catch_up()
    return results


def _drafts_of(membership: Membership, listing: Listing, digest: str, decision: Decision) -> list[Draft]:
    """Everything a bookmark is: its source, its one page, the record that answers cite, and its completion."""
    text, source_id = _text_of(listing), decision.source_id
    base = Draft(
        kind=Kind.SOURCE,
        text=listing.title or listing.url,
        payload=_details(membership, listing, digest, decision),
        namespace=membership.namespace,
        source_id=source_id,
        observed_at=listing.observed_at,
        external_key=f"source:{source_id}",
    )
    page = structs.replace(
        base,
        kind=Kind.PAGE,
        text=text,
        payload=PageDetails(verdict=PageVerdict.OK, method="bookmark"),
        locator=Locator(kind="link", url=listing.url, path=listing.path, page=1, start=0, end=len(text)),
        external_key=page_key(source_id, 1),
    )
    record = structs.replace(
        page,
        kind=Kind.RAW_SOURCE,
        payload=None,
        modality=Modality.BOOKMARK,
        fields=_fields(listing),
        group_id=membership.container,
        external_key=f"source:{source_id}:chunk:1:0",
    )
    done = structs.replace(
        base,
        kind=Kind.COMPLETION,
        text=f"{base.text} has arrived.",
        payload=_completion(decision),
        external_key=f"source:{source_id}:done",
    )
    return [base, page, record, done]


def _details(membership: Membership, listing: Listing, digest: str, decision: Decision) -> SourceDetails:
    return SourceDetails(
        source_key=key_of(listing),
        kind="bookmark",
        title=listing.title or listing.url,
        version=decision.version,
        content_hash=digest,
        uri=listing.url,
        loader="bookmarks",
        replaces=None if decision.current is None else decision.current.source_id,
        page_count=1,
        container=membership.container,
        collections=membership.collections,
        tags=listing.tags,
    )


def _fields(listing: Listing) -> dict[str, str]:
    fields = {"url": listing.url, "folder": " > ".join(listing.path), "tags": ", ".join(listing.tags)}
    return {name: value for name, value in fields.items() if value}


def _completion(decision: Decision) -> CompletionDetails:
    return CompletionDetails(
        target_source_id=decision.source_id,
        verdicts={PageVerdict.OK.value: 1},
        record_count=1,
        page_count=1,
        supersedes=None if decision.current is None else decision.current.source_id,
    )


def key_of(listing: Listing) -> str:
    """Return the identity of a bookmark; its page, once fetched, is a source of its own under the bare address."""
    return f"bookmark:{listing.key}"


def _text_of(listing: Listing) -> str:
    return listing.text or listing.title or listing.url


def _taken(membership: Membership, listing: Listing, decision: Decision) -> IngestResult:
    return IngestResult(
        input=listing.url or membership.label,
        status=Outcome.SUCCESS,
        source_id=decision.source_id,
        source_key=key_of(listing),
        kind="bookmark",
        title=listing.title or listing.url,
        version=decision.version,
        record_count=1,
        verdicts={PageVerdict.OK.value: 1},
        pages=(PageNote(page=1, verdict=PageVerdict.OK),),
    )


def _skipped(membership: Membership, listing: Listing, reason: str, decision: Decision | None = None) -> IngestResult:
    return IngestResult(
        input=listing.url or membership.label,
        status=Outcome.SKIPPED,
        source_id=None if decision is None else decision.source_id,
        source_key=key_of(listing),
        kind="bookmark",
        title=listing.title or listing.url,
        reason=reason,
    )
