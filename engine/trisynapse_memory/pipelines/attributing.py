"""A page from the web on its way into the log in, what is known of it checked against its words out.

Case R33: what a catalogue says of a document is taken over only where the first page shows the title. Case R25: of a
page without text the address stays, searchable by its title like a bookmark.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final, TypeVar

from msgspec import structs

from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines import closing
from trisynapse_memory.pipelines.admission import Arrival, Decision
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.sandbox import LoadedPage
from trisynapse_memory.preprocessing.web.attributions import Attribution, fits
from trisynapse_memory.types import (
    Draft,
    Heading,
    IngestResult,
    Kind,
    Locator,
    Modality,
    Outcome,
    PageVerdict,
    SourceDetails,
    SourceStatus,
)

_SHOWN_CHARS: Final = 6000  # of the first page; a title page with a long abstract has 4,000
_NOTHING: Final = frozenset({PageVerdict.EMPTY.value})
PartT = TypeVar("PartT")


def attributed(arrival: Arrival, heading: Heading, parts: Iterator[PartT]) -> tuple[Arrival, Heading, Iterator[PartT]]:
    """Take over what somebody says of a document where its first page bears it out.

    Args:
        arrival: the document, with what is said of it.
        heading: what its loader knows of it.
        parts: its pages; the first one is looked at and handed on.

    Returns:
        The arrival, which now says who was believed; the heading to store; all parts.
    """
    said, fetched = arrival.attribution, arrival.fetched
    if said is None or fetched is None:
        return arrival, heading, parts
    first = next(parts, None)
    rest = parts if first is None else chain((first,), parts)
    shown = f"{heading.title}\n{first.page.text[:_SHOWN_CHARS] if isinstance(first, LoadedPage) else ''}"
    if shown.strip() and not fits(said, shown):
        note = f"{said.origin} calls it '{said.title}', which its first page does not show; that was not taken over"
        refused = structs.replace(fetched, refused_title=said.title)
        return structs.replace(arrival, fetched=refused, notes=(*arrival.notes, note)), heading, rest
    believed = structs.replace(fetched, attributed_by=said.origin)
    return structs.replace(arrival, fetched=believed), _joined(heading, said), rest


def _joined(heading: Heading, said: Attribution) -> Heading:
    return structs.replace(
        heading,
        title=said.title or heading.title,
        authors=said.authors or heading.authors,
        published=said.published or heading.published,
        identifiers={**heading.identifiers, **said.identifiers},
    )


def keep_address(rooms: Rooms, arrival: Arrival, decision: Decision) -> None:
    """Keep the address of a page that gave no words, so that a search for its title still finds it."""
    url = arrival.input.url
    if url is None or rooms.log.count_of_source(decision.source_id, Kind.RAW_SOURCE):
        return
    (record, *_) = rooms.log.of_source(decision.source_id, Kind.SOURCE)
    title = record.payload.title if isinstance(record.payload, SourceDetails) else record.text
    draft = Draft(
        kind=Kind.RAW_SOURCE,
        text=title or url,
        namespace=arrival.input.namespace,
        source_id=decision.source_id,
        group_id=decision.source_id,
        locator=Locator(kind="link", url=url),
        modality=Modality.BOOKMARK,
        fields={"url": url},
        observed_at=arrival.input.observed_at,
        external_key=f"source:{decision.source_id}:chunk:1:0",
    )
    rooms.log.append([draft])


def shows_less(rooms: Rooms, arrival: Arrival, decision: Decision) -> bool:
    """Tell whether a page that had text shows none now: a wall for cookies or a login has come before it."""
    current = decision.current
    if arrival.input.url is None or current is None or set(current.verdicts) <= _NOTHING:
        return False
    return {note.verdict.value for note in rooms.log.page_notes(decision.source_id)} <= _NOTHING


def keep_older(rooms: Rooms, arrival: Arrival, decision: Decision) -> IngestResult:
    """Leave the version with text in use; the newer one stays in the log, out of every answer."""
    if rooms.shelf.get(decision.source_id).status is not SourceStatus.FORGOTTEN:
        lifecycle.forget_source(rooms.log, rooms.shelf, decision.source_id, "it shows no article text")
    rooms.projector.catch_up()
    older = decision.current.source_id if decision.current else decision.source_id
    reason = "the page shows no article text now; the version before it stays in use"
    return closing.result_of(rooms, arrival, structs.replace(decision, source_id=older), Outcome.SKIPPED, reason)


def with_notes(arrival: Arrival, result: IngestResult) -> IngestResult:
    """Say in a result row what did not work on the way."""
    return structs.replace(result, reason="; ".join(filter(None, (result.reason, *arrival.notes))))
