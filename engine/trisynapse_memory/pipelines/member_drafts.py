"""A member of a container file in, the drafts of all that it is out. Nothing is appended or decided here."""

from __future__ import annotations

import hashlib

import msgspec
from msgspec import Struct, structs

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TokenCounter
from trisynapse_memory.log.store import page_key
from trisynapse_memory.pipelines.admission import Decision
from trisynapse_memory.preprocessing.bookmarking.entries import join_places
from trisynapse_memory.preprocessing.chunking import chunk_page
from trisynapse_memory.types import (
    CompletionDetails,
    Draft,
    Kind,
    Listing,
    Locator,
    Modality,
    Namespace,
    Page,
    PageDetails,
    PageVerdict,
    Section,
    SourceDetails,
)

PATH_JOINT = " > "
SHORT_CHARS = 1_000  # of a bookmark; the embedder sees about as much of it at once


class Membership(Struct, frozen=True, kw_only=True):
    """What the members of one container share; ``loader`` is who read it.

    ``leaves_forgotten``: it comes again by itself, so that what she forgot of it stays so.
    """

    label: str
    container: str
    namespace: Namespace
    collections: tuple[str, ...] = ()
    loader: str = "bookmarks"
    leaves_forgotten: bool = False


class Standing(Struct, frozen=True, kw_only=True):
    """The collections and tags that she gave the version in use herself; what another file says of the same page."""

    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    elsewhere: Listing | None = None


def key_of(membership: Membership, listing: Listing) -> str:
    """Return the identity of a member.

    A bookmark is its address, whatever file it stands in; its page, once fetched, is a source of its own under the bare
    address. An entry is its key in its bibliography: two bibliographies may say different things under one key.
    """
    if listing.kind == "reference":
        return f"reference:{membership.container}#{listing.key}"
    if not listing.url:  # an entry of a feed that leads nowhere: its id means something in its feed only
        return f"bookmark:{membership.container}#{listing.key}"
    return f"bookmark:{listing.key}"


def name_of(listing: Listing) -> str:
    """Return what a member is called."""
    return listing.title or listing.url or listing.key


def digest_of(listing: Listing) -> str:
    """Return the SHA-256 of all that its file says of a member: one in another folder, or with another tag, is new."""
    return hashlib.sha256(msgspec.json.encode(structs.replace(listing, duplicate_of="", skipped=""))).hexdigest()


def drafts_of(
    membership: Membership,
    listing: Listing,
    decision: Decision,
    standing: Standing,
    config: Config,
    counter: TokenCounter,
) -> list[Draft]:
    """Return everything a member is: its source, its one page, the records that answers cite, and its completion."""
    details = _details(membership, listing, decision, standing)
    listing = _joined(listing, standing.elsewhere)
    text, source_id = _text_of(listing), decision.source_id
    base = Draft(
        kind=Kind.SOURCE,
        text=name_of(listing),
        payload=details,
        namespace=membership.namespace,
        source_id=source_id,
        observed_at=listing.observed_at,
        external_key=f"source:{source_id}",
    )
    page = structs.replace(
        base,
        kind=Kind.PAGE,
        text=text,
        payload=PageDetails(verdict=PageVerdict.OK, method=listing.kind),
        locator=_place(listing, 0, len(text)),
        external_key=page_key(source_id, 1),
    )
    records = [
        structs.replace(
            page,
            kind=Kind.RAW_SOURCE,
            text=text[start:end],
            payload=None,
            locator=_place(listing, start, end),
            modality=_modality(listing),
            fields=_fields(listing) if number == 0 else {"title": listing.title},
            group_id=membership.container,
            external_key=f"source:{source_id}:chunk:1:{number}",
        )
        for number, (start, end) in enumerate(_stretches(listing, text, config, counter))
    ]
    done = structs.replace(
        base,
        kind=Kind.COMPLETION,
        text=f"{base.text} has arrived.",
        payload=_completion(decision, len(records)),
        external_key=f"source:{source_id}:done",
    )
    return [base, page, *records, done]


def _joined(listing: Listing, elsewhere: Listing | None) -> Listing:
    """A bookmark with what another file knows of it: folders, tags, the earlier date, a note where it has none."""
    if elsewhere is None:
        return listing
    dates = [day for day in (listing.observed_at, elsewhere.observed_at) if day is not None]
    has_note = "\n" in listing.text or "\n" not in elsewhere.text
    text = listing.text if has_note else f"{name_of(listing)}\n{elsewhere.text.partition(chr(10))[2]}"
    return structs.replace(join_places(listing, elsewhere), text=text, observed_at=min(dates, default=None))


def _place(listing: Listing, start: int, end: int) -> Locator:
    if listing.kind == "bookmark" or listing.url:
        return Locator(kind="link", url=listing.url, path=listing.path, page=1, start=start, end=end)
    return Locator(kind="section", path=listing.path, heading=listing.title, page=1, start=start, end=end)


def _modality(listing: Listing) -> Modality:
    """What an entry says is a row of a catalogue: a byline in it is no sentence of a paper."""
    return Modality.BOOKMARK if listing.kind == "bookmark" else Modality.STRUCTURED


def _stretches(listing: Listing, text: str, config: Config, counter: TokenCounter) -> list[tuple[int, int]]:
    """Where the records of a member lie: one for all of it, and further ones where its note is long."""
    if listing.kind == "bookmark" and len(text) <= SHORT_CHARS:
        return [(0, len(text))]
    page = Page(number=1, text=text, verdict=PageVerdict.OK)
    sections = (Section(start=0, end=len(text), modality=_modality(listing)),)
    chunks = chunk_page(page, sections, counter, config)
    return [(chunk.locator.start or 0, chunk.locator.end or len(text)) for chunk in chunks] or [(0, len(text))]


def _details(membership: Membership, listing: Listing, decision: Decision, standing: Standing) -> SourceDetails:
    return SourceDetails(
        source_key=key_of(membership, listing),
        kind=listing.kind,
        title=name_of(listing),
        version=decision.version,
        content_hash=digest_of(listing),
        filename=listing.filename,
        uri=listing.url,
        loader=membership.loader,
        replaces=None if decision.current is None else decision.current.source_id,
        page_count=1,
        authors=listing.authors,
        published=listing.published,
        container=membership.container,
        collections=_once(*membership.collections, *_collections(listing), *standing.collections),
        tags=_once(*listing.tags, *standing.tags),
        identifiers=listing.identifiers,
        entry=listing.entry,
    )


def _once(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _collections(listing: Listing) -> tuple[str, ...]:
    """The collections that a bibliography puts its entry into; of a bookmark its folder and each one around it.

    A rule or a question about "Research" means what lies in "Research > Memory" too.
    """
    if listing.kind == "bookmark":
        around = (PATH_JOINT.join(listing.path[:depth]) for depth in range(1, len(listing.path) + 1))
        return _once(*around, *listing.collections)
    if listing.kind != "reference" or not listing.path:
        return listing.collections
    return _once(PATH_JOINT.join(listing.path), *listing.collections)


def _fields(listing: Listing) -> dict[str, str]:
    fields = {"url": listing.url, "folder": PATH_JOINT.join(listing.path), "tags": ", ".join(listing.tags)}
    if listing.kind == "bookmark" and listing.observed_at is not None:
        fields["added"] = f"{listing.observed_at:%Y-%m-%d, %-d %B %Y}"  # both ways a person asks for a day
    return {name: value for name, value in {**fields, **listing.fields}.items() if value}


def _completion(decision: Decision, record_count: int) -> CompletionDetails:
    return CompletionDetails(
        target_source_id=decision.source_id,
        verdicts={PageVerdict.OK.value: 1},
        record_count=record_count,
        page_count=1,
        supersedes=None if decision.current is None else decision.current.source_id,
    )


def _text_of(listing: Listing) -> str:
    return listing.text or name_of(listing)
