"""A record and a stretch of its text in, the place to paint out. Nothing is ranked here."""

from __future__ import annotations

from functools import lru_cache

from msgspec import structs

from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.text.geometry import Layout, quads_in, unpack_layout
from trisynapse_memory.text.lines import narrowed
from trisynapse_memory.types import CorrectionDetails, Locator, PageDetails, Quad, Record


class Places:
    """Finds where words stand on their page; the geometry of the pages last asked for is kept.

    Pages never change once they are in the log, but one that is a picture may be read again: only what has geometry is
    relied on.
    """

    def __init__(self, log: MemoryLog, kept_pages: int = 64) -> None:
        self._log = log
        self._layout = lru_cache(maxsize=kept_pages)(self._read_layout)

    def locate(self, record: Record, start: int, end: int) -> Locator | None:
        """Return the locator of ``record.text[start:end]``, with quads where the page has geometry."""
        place = record.locator
        if place is None or place.start is None:
            return place
        first, last = place.start + start, place.start + end
        if isinstance(record.payload, CorrectionDetails):  # her words stand nowhere; the place is that of the old ones
            first, last = place.start, place.end or place.start
        else:
            place = narrowed(place, record.text, start, end)
        quads: tuple[Quad, ...] = ()
        if record.source_id is not None and place.kind in ("page", "region") and place.page is not None:
            quads = self.quads(record.source_id, place.page, first, last)
        return structs.replace(place, start=first, end=last, quads=quads)

    def quads(self, source_id: str, page: int, start: int, end: int) -> tuple[Quad, ...]:
        """Return one quad per line that covers characters ``start`` to ``end`` of a page's text."""
        layout = self._layout(source_id, page)
        # A page without geometry may have been read from its picture since.
        return quads_in(layout if len(layout) else self._read_layout(source_id, page), start, end)

    def _read_layout(self, source_id: str, page: int) -> Layout:
        record = self._log.page(source_id, page)
        details = None if record is None else record.payload
        return unpack_layout(details.layout if isinstance(details, PageDetails) else b"")
