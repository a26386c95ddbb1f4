"""Text that a reader cannot see on its page in, evidence out, because she looked at it and said that it counts.

Without her word it stays apart for good (cases R12, R26). Its records name the page, but no place on it: it has none.
She takes an approval back by forgetting them.
"""

from __future__ import annotations

from typing import Final

from trisynapse_memory.errors import InvalidInputError, UnknownSourceError
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.chunking import chunk_page, estimated_counts
from trisynapse_memory.types import (
    Actor,
    Draft,
    Kind,
    Locator,
    Page,
    PageDetails,
    PageVerdict,
    Record,
    RecordId,
)

FIELD: Final = "visibility"
WORDS: Final = "not visible on the page; approved by hand"


def approve_hidden(rooms: Rooms, source_id: str, number: int) -> tuple[RecordId, ...]:
    """Let the hidden text of one page (from 1) be found and cited; saying so twice writes nothing new.

    Returns:
        The ids of its records.

    Raises:
        UnknownSourceError: no source has that id, or it has no such page.
        InvalidInputError: nothing is hidden on that page.
    """
    source = rooms.shelf.get(source_id)
    page = rooms.log.page(source_id, number)
    if page is None:
        hint = f"Its pages run from 1 to {source.page_count}."
        raise UnknownSourceError(f"'{source.title}' has no page {number}.", hint=hint)
    hidden = page.payload.hidden_text if isinstance(page.payload, PageDetails) else ""
    if not hidden.strip():
        raise InvalidInputError(
            f"Nothing is hidden on page {number} of '{source.title}'.",
            hint="`sources text ID --json` tells the hidden text of each page.",
        )
    records = rooms.log.append(_drafts(rooms, page, number, hidden))
    rooms.projector.catch_up()
    return tuple(record.id for record in records)


def _drafts(rooms: Rooms, page: Record, number: int, hidden: str) -> list[Draft]:
    told = Page(number=number, text=hidden, verdict=PageVerdict.OK)
    label = page.locator.page_label if page.locator else None
    return [
        Draft(
            kind=Kind.RAW_SOURCE,
            text=chunk.text,
            namespace=page.namespace,
            actor=Actor(type="user"),
            source_id=page.source_id,
            group_id=page.source_id,
            observed_at=page.observed_at,
            locator=Locator(kind="page", page=number, page_label=label),
            fields={FIELD: WORDS},
            external_key=f"source:{page.source_id}:hidden:{number}:{index}",
        )
        # The engine's process has no tokenizer.
        for index, chunk in enumerate(chunk_page(told, (), estimated_counts, rooms.config))
    ]
