"""The last editions of all pages beside what would be compiled now; everything is read, nothing is appended here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import msgspec
from msgspec import structs

from trisynapse_memory.log.rows import REMOVED_TEXT
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.strikes import struck_spans
from trisynapse_memory.log.visibility import seqs_of_ids
from trisynapse_memory.pipelines.subjects import Subjects
from trisynapse_memory.types import EditionDetails, Kind, Record, Scope, Source, SourceId, SourceStatus, WikiPage
from trisynapse_memory.wiki.changes import Comparison, Evidence, Fate, compare

GROUP: Final = "wiki:"
"""An edition's ``group_id`` is this and its page id: all editions of one page, whatever it is called by then."""

_FATES: Final = MappingProxyType({SourceStatus.SUPERSEDED: Fate.REPLACED, SourceStatus.REMOVED: Fate.REMOVED})


@dataclass(frozen=True, slots=True)
class Edition:
    """The last edition of a page: its record and what it holds."""

    record: Record
    details: EditionDetails


@dataclass(frozen=True, slots=True)
class Standing:
    """One page at this moment: its identity, its last edition if it was built, and how it compares."""

    page_id: str
    edition: Edition | None
    comparison: Comparison


class Standings:
    """How every page stands.

    Args:
        log: where editions are kept.
        shelf: the sources.
        subjects: reads what pages are about.
        scope: whose memory is read, and as of when; asked anew at each call.
    """

    def __init__(self, log: MemoryLog, shelf: Shelf, subjects: Subjects, scope: Callable[[], Scope]) -> None:
        self._log = log
        self._shelf = shelf
        self._subjects = subjects
        self._scope = scope
        self._seen: tuple[object, tuple[Standing, ...]] | None = None

    def all(self) -> tuple[Standing, ...]:
        """Return every page that has something to show, in the order concepts, sources, collections."""
        state = self._subjects.state(self._scope())  # taken before anything is read: a change meanwhile is seen later
        if state is not None and self._seen is not None and self._seen[0] == state:
            return self._seen[1]
        found = self._read()
        self._seen = None if state is None else (state, found)
        return found

    def _read(self) -> tuple[Standing, ...]:
        editions = self._editions()
        evidence = self._evidence(editions.values())
        taken = {page_id: edition.details.slug for page_id, edition in editions.items()}
        atlas = self._subjects.gather(self._scope(), taken)
        fresh = {topic.page_id: atlas.compile(topic) for topic in atlas.topics}
        for page_id, edition in editions.items():
            fresh.setdefault(page_id, empty_page(edition.details))
        found = (_stand(page_id, editions.get(page_id), page, evidence) for page_id, page in fresh.items())
        return tuple(one for one in found if any(said.text or said.proposal for said in one.comparison.page.sentences))

    def _editions(self) -> dict[str, Edition]:
        """Return the last edition of each page, by page id."""
        scope = self._scope()
        last: dict[str, Edition] = {}
        for record in self._log.of_kind(Kind.EDITION):
            is_past = scope.as_of_seq is None or record.seq <= scope.as_of_seq
            if is_past and isinstance(record.payload, EditionDetails) and scope.namespace.sees(record.namespace):
                last[(record.group_id or "").removeprefix(GROUP)] = Edition(record, record.payload)
        return {page_id: edition for page_id, edition in last.items() if edition.details.sentences}

    def _evidence(self, editions: Iterable[Edition]) -> Evidence:
        """Return what became of every record that accepted sentences rest on."""
        wanted = {
            record_id
            for edition in editions
            for sentence in edition.details.sentences
            for record_id in sentence.record_ids
        }
        with self._log.database.read() as connection:
            seqs = seqs_of_ids(connection, sorted(wanted))
        visible = self._log.visible(tuple(seqs.values()))
        hidden = [record_id for record_id in wanted if seqs.get(record_id) not in visible]
        ids = {seq: record_id for record_id, seq in seqs.items()}
        strikes = struck_spans(self._log, tuple(visible))
        return Evidence(
            fates={**self._unread(ids, visible), **self._fates(hidden, seqs)},
            corrections={ids[seq]: found[0].reason for seq, found in strikes.items()},
        )

    def _unread(self, ids: Mapping[int, str], visible: Iterable[int]) -> dict[str, Fate]:
        """Return the visible records of sources whose facts or summary are still to be made."""
        sql = "SELECT seq, source_id FROM records WHERE seq IN (SELECT value FROM json_each(?))"
        with self._log.database.read() as connection:
            rows = connection.execute(sql, (msgspec.json.encode(list(visible)).decode(),)).fetchall()
        waiting = {name for name in {row[1] for row in rows} if name and self._subjects.is_pending(SourceId(name))}
        return {ids[int(seq)]: Fate.PENDING for seq, source_id in rows if source_id in waiting}

    def _fates(self, hidden: Sequence[str], seqs: Mapping[str, int]) -> dict[str, Fate]:
        """Return what became of hidden records; PENDING where the version that replaced theirs is still being read."""
        found = self._log.by_seqs([seqs[name] for name in hidden if name in seqs])
        records: dict[str, Record] = {one.id: one for one in found}
        sources = self._shelf.titles([one.source_id for one in records.values() if one.source_id])
        fates = {name: _fate(records.get(name), sources) for name in hidden}
        replaced = {records[name].source_id or "" for name, fate in fates.items() if fate is Fate.REPLACED}
        waiting = {source_id for source_id in replaced if self._is_being_read(sources[source_id])}
        for name, record in records.items():
            if record.source_id in waiting and fates[name] is Fate.REPLACED:
                fates[name] = Fate.PENDING
        return fates

    def _is_being_read(self, source: Source) -> bool:
        """Tell whether the version that replaced a source has facts or a summary still to come."""
        active = self._shelf.active(source.source_key, source.namespace)
        return active is not None and self._subjects.is_pending(active.source_id)


def linked_pages(standings: Sequence[Standing]) -> tuple[WikiPage, ...]:
    """Return the pages with their backlinks; links to pages that are not there are dropped."""
    pages = [one.comparison.page for one in standings]
    slugs = {page.slug for page in pages}
    incoming: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        for slug in page.links:
            incoming[slug].append(page.slug)
    return tuple(
        structs.replace(
            page,
            links=tuple(slug for slug in page.links if slug in slugs),
            backlinks=tuple(sorted(incoming.get(page.slug, ()))),
        )
        for page in pages
    )


def _stand(page_id: str, edition: Edition | None, fresh: WikiPage, evidence: Evidence) -> Standing:
    if edition is None:
        return Standing(page_id, None, Comparison(fresh, (), {}, {}))
    comparison = compare(edition.details, fresh, evidence)
    page = structs.replace(
        comparison.page,
        last_changed=edition.details.because,
        updated_at=edition.record.written_at.isoformat(),
    )
    return Standing(page_id, edition, Comparison(page, comparison.changes, comparison.fresh, comparison.pairs))


def _fate(record: Record | None, sources: Mapping[str, Source]) -> Fate:
    """Return what became of a hidden record; one without words was removed for good."""
    if record is None or record.text in ("", REMOVED_TEXT):
        return Fate.REMOVED
    source = sources.get(record.source_id or "")
    return _FATES.get(source.status, Fate.FORGOTTEN) if source is not None else Fate.FORGOTTEN


def empty_page(edition: EditionDetails) -> WikiPage:
    """Return the page of an edition whose subject has left: nothing would be compiled now."""
    return WikiPage(slug=edition.slug, title=edition.title, kind=edition.page_kind, sentences=())
