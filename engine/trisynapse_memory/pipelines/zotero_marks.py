"""Passages that were marked in Zotero in, highlights on the same words out. Marks she made here are never touched.

A mark is found by its words on the page that Zotero names. One whose words are not there stays in the text of its
entry and gets no highlight: a rectangle in the wrong place is worse than none.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.references.zotero import ZoteroMark
from trisynapse_memory.text.spans import find_quote
from trisynapse_memory.types import Draft, HighlightDetails, Kind, Locator, Record, SourceId

OWN: Final = "zotero:"
_COLOURS: Final = {
    "#ffd400": "yellow", "#ff6666": "red", "#5fb236": "green", "#2ea8e5": "blue", "#a28ae5": "purple",
    "#e56eee": "pink", "#f19837": "orange", "#aaaaaa": "grey",
}  # fmt: skip


def take_marks(rooms: Rooms, marks: Iterable[ZoteroMark], sources: Mapping[str, str]) -> None:
    """Make the highlights of each file those that Zotero has in it now.

    Args:
        rooms: the open vault.
        marks: all marks of the library.
        sources: the source id of each file, by its key in Zotero.
    """
    drafts: defaultdict[str, list[Draft]] = defaultdict(list)
    for mark in marks:
        draft = _draft(rooms, mark, sources[mark.file]) if mark.file in sources else None
        if draft is not None:
            drafts[sources[mark.file]].append(draft)
    for source_id in dict.fromkeys(sources.values()):
        standing = _standing(rooms, source_id)
        # What she marked here herself, or what came along from the version before, needs no second mark.
        hers = {_place(one) for one in standing if not _is_own(one)}
        wanted = [draft for draft in drafts[source_id] if _place(draft) not in hers]
        keys = {draft.external_key for draft in wanted}
        gone = [one for one in standing if _is_own(one) and one.external_key not in keys]
        rooms.log.append([*map(_taken_back, gone), *wanted])


def _draft(rooms: Rooms, mark: ZoteroMark, source_id: str) -> Draft | None:
    source = rooms.shelf.get(source_id)
    page = rooms.log.page(source_id, mark.page or 1)
    if page is None:
        return None
    found = find_quote(page.text, mark.quote)
    if not found:
        return None
    start, end = found[0]
    said = hashlib.sha256(f"{mark.quote}\n{mark.comment}\n{mark.colour}".encode()).hexdigest()[:12]
    return Draft(
        kind=Kind.HIGHLIGHT,
        text=page.text[start:end],
        namespace=source.namespace,
        source_id=SourceId(source_id),
        locator=Locator(kind="page", page=mark.page or 1, start=start, end=end),
        payload=HighlightDetails(colour=_COLOURS.get(mark.colour.lower(), "yellow"), note=mark.comment),
        external_key=f"{OWN}{source_id}:{mark.key}:{said}",
    )


def _standing(rooms: Rooms, source_id: str) -> list[Record]:
    """The highlights of a file that nobody has taken away."""
    standing: dict[tuple[str, Locator | None], Record] = {}
    for record in rooms.log.of_source(source_id, Kind.HIGHLIGHT):
        if isinstance(record.payload, HighlightDetails) and record.payload.deleted:
            standing.pop((record.text, record.locator), None)
        else:
            standing[record.text, record.locator] = record
    return list(standing.values())


def _is_own(record: Record) -> bool:
    return (record.external_key or "").startswith(OWN)


def _place(one: Draft | Record) -> tuple[int | None, int | None, int | None]:
    return (one.locator.page, one.locator.start, one.locator.end) if one.locator else (None, None, None)


def _taken_back(record: Record) -> Draft:
    return Draft(
        kind=Kind.HIGHLIGHT,
        text=record.text,
        namespace=record.namespace,
        source_id=record.source_id,
        locator=record.locator,
        payload=HighlightDetails(deleted=True),
    )
