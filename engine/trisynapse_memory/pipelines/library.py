"""The sources of a vault as she uses them: list, look into, forget, bring back. Nothing is read from outside here."""

from __future__ import annotations

from trisynapse_memory.errors import UnknownSourceError
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Change, Kind, Namespace, PageNote, Quad, Record, Source


class Library:
    """The noun door ``engine.sources``."""

    def __init__(self, rooms: Rooms, places: Places, namespace: Namespace) -> None:
        self._rooms = rooms
        self._places = places
        self._namespace = namespace

    def list(self, *, include_all: bool = False, limit: int | None = None) -> tuple[Source, ...]:
        """Return the sources, newest first; superseded and forgotten ones only with ``include_all``."""
        return self._rooms.shelf.list(self._namespace, include_all=include_all, limit=limit)

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
            return self._rooms.log.of_source(source_id, Kind.PAGE)
        record = self._rooms.log.page(source_id, page)
        if record is None:
            raise UnknownSourceError(
                f"'{source.title}' has no page {page}.", hint=f"Its pages run from 1 to {source.page_count}."
            )
        return (record,)

    def original(self, source_id: str) -> str:
        """Return the path of the stored original; an empty string where a source has none (a bookmark, a chat)."""
        blob_hash = self._rooms.shelf.get(source_id).blob_hash
        return str(self._rooms.blobs.path(blob_hash)) if blob_hash else ""

    def quads(self, source_id: str, page: int, start: int, end: int) -> tuple[Quad, ...]:
        """Return where characters ``start`` to ``end`` of a page's text stand, one quad per line."""
        return self._places.quads(source_id, page, start, end)

    def forget(self, source_id: str, reason: str) -> Change:
        """Hide a source from every answer; the log keeps it and ``reinstate`` brings it back."""
        change = lifecycle.forget_source(self._rooms.log, self._rooms.shelf, source_id, reason)
        self._rooms.projector.catch_up()
        return change

    def reinstate(self, source_id: str, reason: str) -> Change:
        """Bring a forgotten or superseded version back."""
        change = lifecycle.reinstate_source(self._rooms.log, self._rooms.shelf, source_id, reason)
        self._rooms.projector.catch_up()
        return change
