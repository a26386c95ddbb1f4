"""Two versions of a source in, her highlights on the newer one out, each with how sure its place is. None is dropped.

A highlight whose words are gone comes along without a place and with confidence 0, so that she sees what became of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import structs

from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.same_texts import page_seqs
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.zotero_marks import OWN as FROM_ZOTERO
from trisynapse_memory.text.anchors import Anchor, Mark, anchors, context_of
from trisynapse_memory.types import Draft, HighlightDetails, Kind, Locator, Place, Record, SourceId


class Carried(NamedTuple):
    """The drafts of highlights that go to a newer version, and how many of them have no place there."""

    drafts: tuple[Draft, ...] = ()
    orphan_count: int = 0

    @property
    def told(self) -> str:
        """What a result row says of them."""
        moved = len(self.drafts) - self.orphan_count
        parts = [f"{moved} highlight{'s' if moved != 1 else ''} moved"] if moved else []
        parts += [f"{self.orphan_count} without a place"] if self.orphan_count else []
        return ", ".join(parts)


def carry_highlights(rooms: Rooms, old_id: str, new_id: str) -> Carried:
    """Find the highlights of one version in another; nothing is appended here.

    Those that Zotero keeps are left to Zotero. One that came from the other version, as when an earlier version is
    brought back, is there already.
    """
    curation = Curation(rooms.log, rooms.shelf)
    there = rooms.log.of_source(new_id, Kind.HIGHLIGHT)
    known = {str(one.id) for one in there} | {origin for one in there if (origin := _origin(one))}
    records = [one for one in curation.highlights(old_id) if _is_hers(one) and not {str(one.id), _origin(one)} & known]
    if not records:
        return Carried()
    marks = [_mark_of(rooms.log, one) for one in records]
    places = anchors(marks, _pages(rooms.log, new_id), rooms.shelf.get(new_id).page_count or 1)
    drafts = tuple(
        _draft(rooms.log, record, mark, place, SourceId(new_id))
        for record, mark, place in zip(records, marks, places, strict=True)
    )
    return Carried(drafts, sum(place is None for place in places))


def follow(rooms: Rooms, record_id: str, excerpt: str = "") -> Place:
    """Say where a cited passage stands in the version that is in use.

    Args:
        rooms: the open vault.
        record_id: the record that was cited.
        excerpt: the words of it that were shown; all of it by default.

    Returns:
        Its place; without a locator and with confidence 0 where the newer version does not say it any more, or where
        its source is in no version in use.

    Raises:
        UnknownRecordError: no record has that id.
    """
    record = rooms.log.get(record_id)
    if record.source_id is None:
        return Place(source_id=None, locator=record.locator, confidence=1.0)
    source = rooms.shelf.get(record.source_id)
    current = rooms.shelf.active(source.source_key, source.namespace)
    mark = _mark_of(rooms.log, record, excerpt)
    if current is None:
        return Place(source_id=source.source_id, locator=None, confidence=0.0)
    (place,) = anchors([mark], _pages(rooms.log, current.source_id), current.page_count or 1)
    if place is None:
        return Place(source_id=current.source_id, locator=None, confidence=0.0)
    locator = _locator(rooms.log, place, current.source_id)
    return Place(source_id=current.source_id, locator=locator, confidence=place.confidence)


def _mark_of(log: MemoryLog, record: Record, excerpt: str = "") -> Mark:
    """A record as it is looked for: its words, what stood around them, and where."""
    details = record.payload if isinstance(record.payload, HighlightDetails) else HighlightDetails()
    quote, locator = excerpt or record.text, record.locator
    number = (locator.page if locator else None) or 1
    page = log.page(str(record.source_id), number)
    pages = max(1, len(page_seqs(log, str(record.source_id))))
    if page is None or locator is None or locator.start is None or locator.end is None:
        return Mark(quote, details.prefix, details.suffix, (number - 1) / pages)
    start, end = locator.start, locator.end
    within = page.text.find(excerpt, start, end) if excerpt else -1
    if within >= 0:
        start, end = within, within + len(excerpt)
    before, after = context_of(page.text, start, end)
    share = (number - 1 + start / max(1, len(page.text))) / pages
    return Mark(quote, details.prefix or before, details.suffix or after, share)


def _pages(log: MemoryLog, source_id: str) -> Iterator[tuple[int, str]]:
    for number, seq in page_seqs(log, source_id).items():
        (record,) = log.by_seqs([seq])
        yield number, record.text


def _draft(log: MemoryLog, record: Record, mark: Mark, place: Anchor | None, new_id: SourceId) -> Draft:
    details = record.payload if isinstance(record.payload, HighlightDetails) else HighlightDetails()
    return Draft(
        kind=Kind.HIGHLIGHT,
        text=record.text,
        namespace=record.namespace,
        actor=record.actor,
        source_id=new_id,
        locator=None if place is None else _locator(log, place, new_id),
        payload=structs.replace(
            details,
            prefix=mark.before,
            suffix=mark.after,
            moved_from=str(record.id),
            confidence=0.0 if place is None else place.confidence,
        ),
        external_key=f"highlight:{new_id}:{record.id}",
    )


def _locator(log: MemoryLog, place: Anchor, source_id: str) -> Locator:
    page = log.page(source_id, place.page)
    label = page.locator.page_label if page is not None and page.locator is not None else None
    return Locator(kind="page", page=place.page, page_label=label, start=place.start, end=place.end)


def _is_hers(record: Record) -> bool:
    return not (record.external_key or "").startswith(FROM_ZOTERO)


def _origin(record: Record) -> str:
    return record.payload.moved_from if isinstance(record.payload, HighlightDetails) else ""
