"""The sources of a vault as she uses them: list, look into, forget, bring back, remove. Nothing is taken in here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

from trisynapse_memory.errors import UnknownSourceError
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.pipelines.activity import is_unfinished
from trisynapse_memory.pipelines.anchoring import follow
from trisynapse_memory.pipelines.approvals import approve_hidden
from trisynapse_memory.pipelines.cards import Cards
from trisynapse_memory.pipelines.exports import export_sources
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.pipelines.removal import remove
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import (
    Change,
    Kind,
    Novelty,
    PageNote,
    Place,
    Quad,
    Receipt,
    Record,
    RecordId,
    SameText,
    Source,
    SourceCard,
    SourceExport,
)


class Library:
    """The noun door ``engine.sources``."""

    def __init__(
        self,
        rooms: Rooms,
        places: Places,
        reading: Reading,
        settle: Callable[[], None],
        held: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._rooms = rooms
        self._places = places
        self._reading = reading
        self._settle = settle
        self._held = held
        self._cards = Cards(rooms.shelf, rooms.claims, rooms.summaries, reading.scope, partial(is_unfinished, rooms))

    def list(self, *, include_all: bool = False, limit: int | None = None) -> tuple[Source, ...]:
        """Return the sources, newest first; superseded and forgotten ones only with ``include_all``."""
        return self._rooms.shelf.list(self._reading.namespace, include_all=include_all, limit=limit)

    def show(self, source_id: str) -> Source:
        """Return one version of a source.

        Raises:
            UnknownSourceError: no source has that id.
        """
        return self._rooms.shelf.get(source_id)

    def pages(self, source_id: str) -> tuple[PageNote, ...]:
        """Return the verdict of every page."""
        self._rooms.shelf.get(source_id)
        return self._rooms.log.page_notes(source_id)

    def text(self, source_id: str, page: int | None = None) -> tuple[Record, ...]:
        """Return the page records of a source, or of one page (1-based), with text, verdict and geometry.

        Raises:
            UnknownSourceError: no source has that id, or it has no such page.
        """
        source = self._rooms.shelf.get(source_id)
        if page is None:
            return _latest_readings(self._rooms.log.of_source(source_id, Kind.PAGE))
        record = self._rooms.log.page(source_id, page)
        if record is None:
            raise UnknownSourceError(
                f"'{source.title}' has no page {page}.", hint=f"Its pages run from 1 to {source.page_count}."
            )
        return (record,)

    def copies(self, source_id: str) -> tuple[SameText, ...]:
        """Return the other sources in use that say the same words, oldest first; they count as one source in claims.

        Raises:
            UnknownSourceError: no source has that id.
        """
        return self._rooms.shelf.copies([self._rooms.shelf.get(source_id).source_id]).get(source_id, ())

    def original(self, source_id: str) -> str:
        """Return the path of the stored original; an empty string where a source has none (a bookmark, a chat)."""
        blob_hash = self._rooms.shelf.get(source_id).blob_hash
        return str(self._rooms.blobs.path(blob_hash)) if blob_hash else ""

    def quads(self, source_id: str, page: int, start: int, end: int) -> tuple[Quad, ...]:
        """Return where characters ``start`` to ``end`` of a page's text stand, one quad per line."""
        return self._places.quads(source_id, page, start, end)

    def follow(self, record_id: str, excerpt: str = "") -> Place:
        """Say where a cited passage stands in the version in use, and how sure that is."""
        return follow(self._rooms, record_id, excerpt)

    def approve_hidden(self, source_id: str, page: int) -> tuple[RecordId, ...]:
        """Let the text that cannot be seen on a page (from 1) be found and cited; return its records.

        Raises:
            UnknownSourceError: no source has that id, or it has no such page.
            InvalidInputError: nothing is hidden on that page.
        """
        approved = approve_hidden(self._rooms, source_id, page)
        self._settle()
        return approved

    def forget(self, source_id: str, reason: str) -> Change:
        """Hide a source from every answer; the log keeps it and ``reinstate`` brings it back."""
        return self._settled(lifecycle.forget_source(self._rooms.log, self._rooms.shelf, source_id, reason))

    def reinstate(self, source_id: str, reason: str) -> Change:
        """Bring a forgotten or superseded version back."""
        return self._settled(lifecycle.reinstate_source(self._rooms.log, self._rooms.shelf, source_id, reason))

    def remove(self, source_id: str, reason: str) -> Receipt:
        """Erase a source from the vault for good: every record of it, its original, and all that was made of them.

        Raises:
            UnknownSourceError: no source has that id.
            InvalidInputError: the reason is empty.
        """
        with self._held():
            receipt = remove(self._rooms, source_id=source_id, reason=reason)
        self._settle()
        return receipt

    def card(self, source_id: str) -> SourceCard:
        """Return what a source brings: summary, key claims, what disagrees, new concepts, questions it answers."""
        return self._cards.card(source_id)

    def novelty(self, source_ids: Sequence[str] | None = None) -> tuple[Novelty, ...]:
        """Return how new sources were to the vault when they came; one that was not compared yet is left out.

        Args:
            source_ids: these, in this order; all in use by default.
        """
        wanted = [str(one.source_id) for one in self.list()] if source_ids is None else source_ids
        found = self._rooms.novelty.of(wanted)
        return tuple(found[one] for one in wanted if one in found)

    def export(self, path: str, format: str = "", only: Sequence[str] = ()) -> SourceExport:
        """Write bookmarks or references into one file that browsers, or reference programs, read.

        Args:
            path: where to; a file that is there is replaced.
            format: a format of the registry, such as ``bookmarks``; empty: the one whose files end like this one.
            only: ids of sources, or names of collections; all by default. A sensitive source goes out only by its id.

        Raises:
            InvalidInputError: no format is meant, there is nothing it could hold, or the file cannot be written.
            UnknownBranchError: there is no such format.
        """
        place = Path(path).expanduser().absolute()
        return export_sources(self._rooms, self._reading.namespace, place, format, only)

    def mark_sensitive(self, source_id: str, sensitive: bool = True) -> Record:
        """Say that a source never goes to a remote provider nor into an export unless named; or that it may again."""
        record = Sensitivity(self._rooms.log).mark((source_id,), sensitive=sensitive)
        self._settle()  # what a model may read now, or must not read any more, is work for the background
        return record

    def _settled(self, change: Change) -> Change:
        self._settle()
        return change


def _latest_readings(records: Sequence[Record]) -> tuple[Record, ...]:
    """The last record of each page, in page order: a page read again has a further one."""
    latest = {(record.locator.page if record.locator else None) or 1: record for record in records}
    return tuple(latest[number] for number in sorted(latest))
