"""Items and loaded pages in, drafts for the log out. Nothing is appended and no file is parsed here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from trisynapse_memory.log.blobs import Blob
from trisynapse_memory.log.store import page_key
from trisynapse_memory.pipelines import admission
from trisynapse_memory.pipelines.admission import Arrival, Decision
from trisynapse_memory.preprocessing.loading import media_type
from trisynapse_memory.preprocessing.notes.names import without_id
from trisynapse_memory.preprocessing.sandbox import LoadedPage
from trisynapse_memory.types import (
    Draft,
    Heading,
    Kind,
    Listing,
    Locator,
    Namespace,
    Page,
    PageDetails,
    PageVerdict,
    SourceDetails,
    SourceId,
    Terms,
)


class Origin(NamedTuple):
    """Whose page it is: the source, its namespace, and when it was said where the page does not tell."""

    source_id: SourceId
    namespace: Namespace
    observed_at: datetime | None = None


class Rereading(NamedTuple):
    """A page that is read in a further way: how, and the verdict that its new one takes the place of."""

    name: str
    instead_of: PageVerdict


def drafts_of(arrival: Arrival, decision: Decision, loaded: LoadedPage) -> Iterator[tuple[Draft, Terms | None]]:
    """Yield the drafts of one page of an arrival, the page itself first, each with its index terms."""
    return page_drafts(origin_of(arrival, decision), loaded)


def origin_of(arrival: Arrival, decision: Decision) -> Origin:
    """Return whose the pages of an arrival are."""
    return Origin(decision.source_id, arrival.input.namespace, arrival.input.observed_at)


def page_drafts(
    origin: Origin, loaded: LoadedPage, again: Rereading | None = None
) -> Iterator[tuple[Draft, Terms | None]]:
    """Yield the drafts of one loaded page, the page itself first, each with the index terms its worker counted."""
    base = Draft(kind=Kind.PAGE, namespace=origin.namespace, source_id=origin.source_id)
    yield structs.replace(base, **_page_fields(origin, loaded.page, again)), None
    for number, chunk in enumerate(loaded.chunks):
        draft = structs.replace(
            base,
            kind=Kind.RAW_SOURCE,
            text=chunk.text,
            locator=chunk.locator,
            modality=chunk.modality,
            fields=chunk.fields,
            observed_at=chunk.observed_at or origin.observed_at,
            group_id=origin.source_id,
            external_key=f"source:{origin.source_id}:chunk:{loaded.page.number}:{number}",
        )
        yield draft, chunk.terms


def _page_fields(origin: Origin, page: Page, again: Rereading | None) -> dict[str, object]:
    details = PageDetails(
        verdict=page.verdict,
        flags=page.flags,
        method=page.method,
        note=page.note,
        width=page.width,
        height=page.height,
        rotation=page.rotation,
        hidden_text=page.hidden_text,
        layout=page.layout,
        instead_of=again.instead_of if again else None,
    )
    return {
        "text": page.text,
        "locator": Locator(kind="page", page=page.number, page_label=page.label or None),
        "payload": details,
        "external_key": page_key(origin.source_id, page.number, again.name if again else ""),
    }


def details_of(arrival: Arrival, kind: str, blob: Blob, decision: Decision, heading: Heading) -> SourceDetails:
    """Return what the log keeps of a source: where it came from, what its loader knows of it, which version it is."""
    given, current = arrival.input, decision.current
    told = arrival.listing or Listing(key="", title="")  # what its container knows of it, where it says nothing itself
    # A rule about what may be sent hangs on a collection: a new version must not slip out of it.
    kept = () if current is None else current.collections
    return SourceDetails(
        source_key=admission.key_of(given, blob.content_hash),
        kind=kind,
        title=arrival.input.title or heading.title or title_of(arrival),
        version=decision.version,
        content_hash=blob.content_hash,
        blob_hash=blob.content_hash,
        byte_size=blob.byte_size,
        media_type=heading.media_type or media_type(b"", name_of(arrival)),
        filename=name_of(arrival),
        uri=given.url or (Path(given.path).absolute().as_uri() if given.path else told.url),
        replaces=None if current is None else current.source_id,
        loader=kind,
        page_count=heading.page_count,
        authors=heading.authors or told.authors,
        published=heading.published or told.published,
        language=heading.language,
        collections=tuple(dict.fromkeys((*kept, *given.collections))),
        tags=tuple(dict.fromkeys((*given.tags, *heading.tags))),
        identifiers={**told.identifiers, **heading.identifiers},
        container=arrival.container or None,
        fetched=arrival.fetched,
    )


def path_of(arrival: Arrival) -> Path | None:
    """Return the file an arrival names, or None for a text or bytes."""
    return None if arrival.input.path is None else Path(arrival.input.path)


def bytes_of(arrival: Arrival) -> bytes:
    """Return the bytes an arrival brought along."""
    given = arrival.input
    if given.content is not None:
        return given.content
    return (given.text or "").encode()


def name_of(arrival: Arrival) -> str:
    """Return the file name an arrival is known by."""
    return arrival.input.filename or arrival.input.title or Path(arrival.label).name


def title_of(arrival: Arrival) -> str:
    """Return what a source is called where it does not say so itself: the title she gave, or the name of its file."""
    return arrival.input.title or without_id(Path(name_of(arrival)).stem)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
