"""What she makes of her sources in, curation records out: highlights, tags, collections, titles. Kept for ever."""

from __future__ import annotations

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import (
    Actor,
    CollectionDetails,
    Draft,
    HighlightDetails,
    Kind,
    Locator,
    MetadataDetails,
    Payload,
    Record,
    SourceId,
    TagDetails,
)


class Curation:
    """Highlights, tags, collections and metadata of one log."""

    def __init__(self, log: MemoryLog, shelf: Shelf) -> None:
        self._log = log
        self._shelf = shelf

    def highlight(self, source_id: str, quote: str, locator: Locator, colour: str = "yellow", note: str = "") -> Record:
        """Mark a passage. It is anchored by its words and by its place, so that it survives a new version."""
        if not quote.strip():
            raise InvalidInputError("A highlight needs the words it marks.", hint="Select some text first.")
        details = HighlightDetails(colour=colour, note=note)
        return self._append(Kind.HIGHLIGHT, source_id, details, quote, locator)

    def unhighlight(self, record_id: str) -> Record:
        """Take a mark away, with its note and with the marks on the same words that came before it.

        Raises:
            UnknownRecordError: no record has that id.
            InvalidInputError: it is no highlight.
        """
        mark = self._log.get(record_id)
        if mark.kind is not Kind.HIGHLIGHT or mark.source_id is None:
            raise InvalidInputError(f"'{record_id}' is no highlight.", hint="`curation.highlights` gives their ids.")
        return self._append(Kind.HIGHLIGHT, mark.source_id, HighlightDetails(deleted=True), mark.text, mark.locator)

    def highlights(self, source_id: str) -> tuple[Record, ...]:
        """Return a source's highlights that she did not take away, in the order she made them."""
        kept: list[Record] = []
        for mark in self._log.of_source(source_id, Kind.HIGHLIGHT):
            if isinstance(mark.payload, HighlightDetails) and mark.payload.deleted:
                kept = [one for one in kept if (one.text, one.locator) != (mark.text, mark.locator)]
            else:
                kept.append(mark)
        return tuple(kept)

    def tag(self, source_id: str, name: str) -> Record:
        """Put a tag on a source."""
        return self._append(Kind.TAG, source_id, TagDetails(name=_name(name), target_source_ids=(source_id,)), name)

    def untag(self, source_id: str, name: str) -> Record:
        """Take a tag off a source."""
        details = TagDetails(name=_name(name), target_source_ids=(source_id,), removed=True)
        return self._append(Kind.TAG, source_id, details, name)

    def collect(self, source_id: str, name: str) -> Record:
        """Put a source, in all its versions, into a collection, which exists as long as something is in it."""
        details = CollectionDetails(name=_name(name), target_source_ids=self._versions(source_id))
        return self._append(Kind.COLLECTION, source_id, details, name)

    def uncollect(self, source_id: str, name: str) -> Record:
        """Take a source, in all its versions, out of a collection."""
        details = CollectionDetails(name=_name(name), target_source_ids=self._versions(source_id), removed=True)
        return self._append(Kind.COLLECTION, source_id, details, name)

    def retitle(self, source_id: str, title: str) -> Record:
        """Give a source the title she wants to see."""
        details = MetadataDetails(target_source_id=source_id, name="title", value=_name(title))
        return self._append(Kind.METADATA, source_id, details, title)

    def _versions(self, source_id: str) -> tuple[str, ...]:
        """The version that was named first, then the others: one that comes back must lie where she put it."""
        source = self._shelf.get(source_id)
        others = self._shelf.versions(source.source_key, source.namespace)
        return tuple(dict.fromkeys((source_id, *(other.source_id for other in others))))

    def _append(
        self, kind: Kind, source_id: str, details: Payload, text: str, locator: Locator | None = None
    ) -> Record:
        source = self._shelf.get(source_id)
        draft = Draft(
            kind=kind,
            text=text,
            namespace=source.namespace,
            source_id=SourceId(source_id),
            locator=locator,
            payload=details,
            actor=Actor(type="user"),
        )
        (record,) = self._log.append([draft])
        return record


def _name(name: str) -> str:
    if not name.strip():
        raise InvalidInputError("A name is needed.", hint="Type at least one letter.")
    return name.strip()
