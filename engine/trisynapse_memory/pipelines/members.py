"""The members of a container file in, one source each out: bookmarks and references. No link is followed here.

A bookmark is searchable by its title, folders, tags, description and date the moment its file is read; its page is
fetched only when she says so. An entry of a bibliography is a source of its own before its file is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import structs

from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines import admission, matching
from trisynapse_memory.pipelines.admission import Admission, Decision
from trisynapse_memory.pipelines.known_pages import KnownPages
from trisynapse_memory.pipelines.member_drafts import Membership, Standing, digest_of, drafts_of, key_of, name_of
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import (
    Draft,
    IngestResult,
    Kind,
    Listing,
    Outcome,
    PageNote,
    PageVerdict,
    Record,
    Source,
    SourceDetails,
    SourceStatus,
)

__all__ = ["BATCH_MEMBERS", "FORGOTTEN", "UNCHANGED", "Membership", "foresee_members", "take_members"]

BATCH_MEMBERS = 200  # one transaction: 3,000 bookmarks are searchable in a second, and a crash costs at most one batch
UNCHANGED = "unchanged"
FORGOTTEN = "forgotten; it stays so"
_FORESEEN = {Admission.UNCHANGED: "duplicate", Admission.RESUMED: "new"}


def take_members(rooms: Rooms, membership: Membership, listings: Iterable[Listing]) -> Iterator[IngestResult]:
    """Append the members of a container batch by batch, and yield what became of each, in order."""
    remaining = iter(listings)
    known = KnownPages(rooms.shelf, membership.namespace)
    while batch := tuple(islice(remaining, BATCH_MEMBERS)):
        yield from _take_batch(rooms, membership, batch, known)


def foresee_members(rooms: Rooms, membership: Membership, listings: Iterable[Listing]) -> Iterator[IngestResult]:
    """Say what would become of each member, in order; nothing is written.

    Args:
        rooms: the open vault.
        membership: what the members share.
        listings: the members of a container that was opened where it lies.

    Yields:
        One row a member: new, changed, duplicate, duplicate of another one, or why it is left out.
    """
    known = KnownPages(rooms.shelf, membership.namespace)
    for listing in listings:
        if reason := _reason_to_skip(listing, known):
            yield _skipped(membership, listing, reason)
            continue
        key = key_of(membership, listing)
        decision = _decide(rooms, membership, key, digest_of(listing))
        word = _FORESEEN.get(decision.admission, decision.admission.value)
        yield _skipped(membership, listing, word, decision)


def _take_batch(
    rooms: Rooms, membership: Membership, batch: tuple[Listing, ...], known: KnownPages
) -> list[IngestResult]:
    results: list[IngestResult] = []
    drafts: list[Draft] = []
    held = _held(rooms, membership, batch)
    for listing in batch:
        if reason := _reason_to_skip(listing, known):
            results.append(_skipped(membership, listing, reason))
            continue
        key, digest = key_of(membership, listing), digest_of(listing)
        same = held.get(admission.source_id_of(membership.namespace, key, digest))
        if membership.leaves_forgotten and _is_forgotten(rooms, membership, key, same):
            results.append(_skipped(membership, listing, FORGOTTEN))
            continue
        decision = _as_it_is(same) or _decide(rooms, membership, key, digest)
        if decision.admission in (Admission.UNCHANGED, Admission.DUPLICATE):
            results.append(_skipped(membership, listing, _reason_to_leave(decision), decision))
            continue
        if decision.admission is Admission.RESTORED:
            lifecycle.reinstate_source(rooms.log, rooms.shelf, decision.source_id, "added again")
            restored = _taken(membership, listing, decision, 1)
            results.append(structs.replace(restored, reason=f"version {decision.version} restored"))
            continue
        standing = _standing(rooms, decision.current, membership.container)
        made = drafts_of(membership, listing, decision, standing, rooms.config, rooms.embedder.token_counts)
        drafts += made
        results.append(_taken(membership, listing, decision, sum(one.kind is Kind.RAW_SOURCE for one in made)))
    rooms.log.append(drafts)
    rooms.projector.catch_up()
    return _matched(rooms, results)


def _decide(rooms: Rooms, membership: Membership, key: str, digest: str) -> Decision:
    """Compare a member with what the vault holds of it.

    What another file has said of it since is newer, and holds what this one says too (``_standing``): the same file
    again changes nothing.
    """
    decision = admission.decide(rooms.shelf, membership.namespace, key, digest)
    newer = decision.current
    if decision.admission is Admission.RESTORED and newer is not None and newer.container != membership.container:
        return structs.replace(decision, admission=Admission.UNCHANGED)
    return decision


def _held(rooms: Rooms, membership: Membership, batch: tuple[Listing, ...]) -> dict[str, Source]:
    """What the vault holds of a batch in exactly these words, by id: one look instead of one a member."""
    names = ((key_of(membership, one), digest_of(one)) for one in batch)
    return rooms.shelf.titles([admission.source_id_of(membership.namespace, *name) for name in names])


def _as_it_is(same: Source | None) -> Decision | None:
    """What is in use with the very same words is unchanged, and needs no look at its other versions."""
    if same is None or same.status is not SourceStatus.ACTIVE:
        return None
    unchanged = Admission.UNCHANGED
    return Decision(admission=unchanged, source_id=same.source_id, version=same.version, current=same, known=same)


def _is_forgotten(rooms: Rooms, membership: Membership, key: str, same: Source | None) -> bool:
    """Tell whether she forgot a member, or removed it for good.

    Of what was removed no key is left: it is known by its id alone, which another version of it does not have.
    """
    if same is not None and same.status in (SourceStatus.ACTIVE, SourceStatus.REMOVED):
        return same.status is SourceStatus.REMOVED
    versions = rooms.shelf.versions(key, membership.namespace)
    return bool(versions) and versions[-1].status is SourceStatus.FORGOTTEN


def _reason_to_skip(listing: Listing, known: KnownPages) -> str:
    """Why a member is no source of its own; empty where it is one."""
    if listing.skipped or listing.duplicate_of:
        return listing.skipped or f"duplicate of {listing.duplicate_of}"
    twin = known.twin(listing)
    return f"duplicate of '{twin.title}' ({twin.uri})" if twin is not None else ""


def _standing(rooms: Rooms, current: Source | None, container: str) -> Standing:
    """What she did herself to the version in use, or another file says of it: a new version keeps it.

    A page that she keeps in two browsers is one bookmark, and lies in the folders of both.
    """
    if current is None:
        return Standing()
    (first, *records) = rooms.log.of_source(current.source_id, Kind.SOURCE, Kind.RAW_SOURCE)
    given = first.payload if isinstance(first.payload, SourceDetails) else None
    if given is None or given.container != container:
        elsewhere = _told_by(records[0], current) if records and current.kind == "bookmark" else None
        return Standing(collections=current.collections, tags=current.tags, elsewhere=elsewhere)
    return Standing(
        collections=tuple(name for name in current.collections if name not in given.collections),
        tags=tuple(name for name in current.tags if name not in given.tags),
    )


def _told_by(record: Record, source: Source) -> Listing:
    """A bookmark of another file, as far as a new version takes over from it."""
    return Listing(
        key=source.source_key,
        title=source.title,
        text=record.text,
        path=record.locator.path if record.locator else (),
        tags=source.tags,
        observed_at=record.observed_at,
        fields=record.fields,
    )


def _matched(rooms: Rooms, results: list[IngestResult]) -> list[IngestResult]:
    """Link the references among new members with the files that are there already, and tell what is in doubt."""
    return [_with_doubt(rooms, one) for one in results]


def _with_doubt(rooms: Rooms, result: IngestResult) -> IngestResult:
    if result.kind != "reference" or result.status is not Outcome.SUCCESS or result.source_id is None:
        return result
    doubt = matching.match_reference(rooms, result.source_id)
    return structs.replace(result, reason="; ".join(filter(None, (result.reason, doubt)))) if doubt else result


def _reason_to_leave(decision: Decision) -> str:
    if decision.admission is Admission.UNCHANGED:
        return UNCHANGED
    return f"duplicate of '{decision.known.title if decision.known else decision.source_id}'"


def _taken(membership: Membership, listing: Listing, decision: Decision, record_count: int) -> IngestResult:
    return IngestResult(
        input=_input_of(membership, listing),
        status=Outcome.SUCCESS,
        source_id=decision.source_id,
        source_key=key_of(membership, listing),
        kind=listing.kind,
        title=name_of(listing),
        version=decision.version,
        record_count=record_count,
        verdicts={PageVerdict.OK.value: 1},
        pages=(PageNote(page=1, verdict=PageVerdict.OK),),
        reason="" if decision.version == 1 else "new version",
    )


def _skipped(membership: Membership, listing: Listing, reason: str, decision: Decision | None = None) -> IngestResult:
    return IngestResult(
        input=_input_of(membership, listing),
        status=Outcome.SKIPPED,
        source_id=None if decision is None else decision.source_id,
        source_key=key_of(membership, listing),
        kind=listing.kind,
        title=name_of(listing),
        reason=reason,
    )


def _input_of(membership: Membership, listing: Listing) -> str:
    """What was taken in: a bookmark is its address, an entry lies in its file."""
    if listing.kind == "bookmark":
        return listing.url or membership.label
    return f"{membership.label}#{listing.key}"
