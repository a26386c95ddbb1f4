"""What she wants removed in, everything of the log that has to go with it out. The log is read, never changed.

A removed record takes along: the records that repeat its words (neighbours on the page, other versions of its source
that are out of use), the pages it stands on, everything read out of them or said about them, and what quotes them. Of
what stays, the titles and headings of its source are named when they say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from trisynapse_memory.log.copies import neighbours_of
from trisynapse_memory.log.removal import dependants, records_of
from trisynapse_memory.log.shelf import LIVE, Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.strikes import evidence_of
from trisynapse_memory.pipelines.quotations import RUN_WORDS, Quotations, strings_of, words_of
from trisynapse_memory.pipelines.restatements import Restatements
from trisynapse_memory.pipelines.writing.descriptions import declined
from trisynapse_memory.types import (
    DescriptionDetails,
    Draft,
    FactDetails,
    Kind,
    PageDetails,
    Record,
    RecordId,
    ReinstatementDetails,
    RetractionDetails,
    Source,
    SourceDetails,
)

EVIDENCE: Final = (Kind.SOURCE, Kind.PAGE, Kind.RAW_SOURCE, Kind.FACT)
SAID: Final = (*EVIDENCE, Kind.DESCRIPTION)
"""Kinds that hold words of their own: what a model has said of a page stands nowhere else."""

NAMING: Final = (Kind.SUMMARY, Kind.DESCRIPTION, Kind.EDITION, Kind.NOTE, Kind.TURN)
"""Kinds whose text is made from the records they name."""

ASKED: Final = (Kind.THREAD, Kind.TURN)
"""Kinds that ask about the vault: one word that only the removed records had tells what was in them."""


class Plan(Struct, frozen=True, kw_only=True):
    """What a removal will do to the log.

    ``replacements`` say again, without the removed words, what a blanked record did for others; ``outside`` names
    places that keep some of the words.
    """

    seqs: tuple[int, ...]
    originals: tuple[str, ...]
    quotations: Quotations
    replacements: tuple[Draft, ...] = ()
    other_copies: tuple[RecordId, ...] = ()
    outside: tuple[str, ...] = ()


def plan_records(log: MemoryLog, shelf: Shelf, records: Sequence[Record]) -> Plan:
    """Return what removing these records takes along; of a fact, the records it was read from."""
    core = {record.seq: record for one in records for record in _roots(log, one)}
    for record in tuple(core.values()):
        core |= {copy.record.seq: copy.record for copy in neighbours_of(log, record)}
    touched: set[str] = {str(record.source_id) for record in core.values() if record.source_id is not None}
    for source_id in tuple(touched):
        for source in _lineage(shelf, shelf.get(source_id)):
            found = {one.seq: one for one in _repeating(log, source, tuple(core.values()))}
            if found:
                touched.add(str(source.source_id))
                core |= found
    pages = {page.seq for record in core.values() for page in _pages_of(log, record)}
    read_from = {str(record.source_id) for record in core.values() if record.kind is Kind.RAW_SOURCE}
    sources = [shelf.get(source_id) for source_id in touched & read_from]
    return _completed(log, shelf, set(core) | pages, sources)


def plan_source(log: MemoryLog, shelf: Shelf, source_id: str) -> Plan:
    """Return what removing a source takes along: all that belongs to it and to its versions that are out of use."""
    sources = _lineage(shelf, shelf.get(source_id))
    names = msgspec.json.encode([str(source.source_id) for source in sources]).decode()
    sql = (
        "SELECT seq FROM records WHERE source_id IN (SELECT value FROM json_each(?))"
        " AND content IS NOT NULL AND kind != 'removal'"
    )
    with log.database.read() as connection:
        seqs = {int(row[0]) for row in connection.execute(sql, (names,))}
    return _completed(log, shelf, seqs, sources)


def quotations_of(log: MemoryLog, seqs: set[int]) -> Quotations:
    """Return what is said by these records and by no evidence that stays."""
    quotations = Quotations()
    _learn(log, seqs, quotations)
    for record in records_of(log):
        if record.seq not in seqs and _may_spare(record, quotations):
            for text in _texts_of(record):
                quotations.spare(text)
    return quotations


def _completed(log: MemoryLog, shelf: Shelf, chosen: set[int], sources: Sequence[Source]) -> Plan:
    seqs = dependants(log, chosen)
    quotations = Quotations()
    _learn(log, seqs, quotations)
    copies, outside = _compare(log, seqs, {str(source.source_id) for source in sources}, quotations)
    quoting, replacements = _quoting(log, seqs, quotations)
    return Plan(
        seqs=tuple(sorted(seqs | quoting)),
        originals=_originals_of(shelf, sources),
        quotations=quotations,
        replacements=(*replacements, *_declined(log, seqs | quoting)),
        other_copies=copies,
        outside=outside,
    )


def _roots(log: MemoryLog, record: Record) -> Iterator[Record]:
    """Yield a record and, for a fact, what it was read from: the fact only repeats its words."""
    yield record
    if isinstance(record.payload, FactDetails):
        for stretch in evidence_of(log, record):
            if stretch.record_id != record.id:
                yield from _roots(log, log.get(stretch.record_id))


def _lineage(shelf: Shelf, source: Source) -> tuple[Source, ...]:
    """Return a source and those versions of its key that are out of use."""
    versions = shelf.versions(source.source_key, source.namespace)
    return tuple(one for one in versions if one.source_id == source.source_id or one.status not in LIVE)


def _repeating(log: MemoryLog, source: Source, core: Sequence[Record]) -> Iterator[Record]:
    """Yield the records of one version that say what the chosen ones say: all of it, or a run of it if out of use."""
    quotations = Quotations()
    texts = [record.text for record in core if record.kind is Kind.RAW_SOURCE]
    for text in texts:
        quotations.take(text)
    for record in log.of_source(source.source_id, Kind.RAW_SOURCE):
        repeats = any(text in record.text for text in texts)
        if repeats or (source.status not in LIVE and (quotations.share_run(record.text) or _is_in(record, texts))):
            yield record


def _is_in(record: Record, texts: Sequence[str]) -> bool:
    return any(record.text in text for text in texts)


def _pages_of(log: MemoryLog, record: Record) -> Iterator[Record]:
    if record.kind is Kind.RAW_SOURCE and record.source_id is not None:
        page = log.page(record.source_id, (record.locator.page if record.locator else None) or 1)
        if page is not None:
            yield page


def _learn(log: MemoryLog, seqs: set[int], quotations: Quotations) -> None:
    """Take what the evidence among these records says, or, where there is none, what she wrote herself."""
    records = log.by_seqs(sorted(seqs))
    evidence = [record for record in records if record.kind in SAID]
    for record in evidence or records:
        for text in _texts_of(record):
            quotations.take(text, whole=record.kind not in (Kind.PAGE, Kind.DESCRIPTION))


def _may_spare(record: Record, quotations: Quotations) -> bool:
    """Whether what a record that stays says may be said; a description that repeats what goes does not stay."""
    return record.kind in SAID and not (record.kind is Kind.DESCRIPTION and quotations.share_run(record.text))


def _texts_of(record: Record) -> Iterator[str]:
    """Yield what a record of evidence says in words, its title and headings included."""
    yield record.text
    yield from _headings_of(record)
    yield from (text for text in (record.subject, record.object) if text)
    if isinstance(record.payload, PageDetails):
        yield record.payload.hidden_text
        yield record.payload.note


def _headings_of(record: Record) -> Iterator[str]:
    yield from record.fields.values()
    if record.locator is not None:
        yield from (*record.locator.path, record.locator.heading or "", record.locator.speaker or "")
    if isinstance(record.payload, SourceDetails):
        details = record.payload
        yield from (details.title, details.filename, details.uri, details.source_key, *details.authors)


def _compare(
    log: MemoryLog, seqs: set[int], touched: set[str], quotations: Quotations
) -> tuple[tuple[RecordId, ...], tuple[str, ...]]:
    """Let the quotations off what other evidence says.

    Return the records of other sources that say all of a removed one, and which of the touched sources keep words in
    their title or headings that nothing else says.
    """
    texts = [one.text for one in log.by_seqs(sorted(seqs)) if one.kind is Kind.RAW_SOURCE]
    short = [text for text in texts if len(words_of(text)) < RUN_WORDS]
    copies: dict[int, RecordId] = {}
    headings: dict[str, set[str]] = {}
    for record in records_of(log):
        if record.seq in seqs or not _may_spare(record, quotations):
            continue
        if record.kind is Kind.RAW_SOURCE and str(record.source_id) not in touched:
            near = texts if quotations.share_run(record.text) else short
            if any(text in record.text for text in near):
                copies[record.seq] = record.id
        own = set(_headings_of(record)) if str(record.source_id) in touched else set[str]()
        if own:
            headings.setdefault(str(record.source_id), set()).update(own)
        for text in _texts_of(record):
            if text not in own:
                quotations.spare(text)
    outside = [f"title or heading in {one}" for one, own in headings.items() if any(map(quotations.holds, own))]
    for own in headings.values():
        for text in own:
            quotations.spare(text)
    seen = log.visible(list(copies))
    return tuple(record_id for seq, record_id in copies.items() if seq in seen), tuple(sorted(outside))


def _quoting(log: MemoryLog, seqs: set[int], quotations: Quotations) -> tuple[set[int], tuple[Draft, ...]]:
    """Return what else has to go because it names or quotes what goes, and what has to be said again without it."""
    ids = set(log.ids(sorted(seqs)).values())
    quoting: set[int] = set()
    restatements = Restatements(log, ids, quotations)
    for record in records_of(log):
        if record.seq in seqs or record.kind in EVIDENCE:
            continue
        if _must_go(record, ids, quotations):
            quoting.add(record.seq)
            restatements.lose(record)
        else:
            restatements.keep(record)
    return quoting, restatements.drafts()


def _must_go(record: Record, ids: set[RecordId], quotations: Quotations) -> bool:
    payload = msgspec.to_builtins(record.payload)
    texts = [record.text, *strings_of(payload)]
    if record.kind in NAMING and not ids.isdisjoint((*record.evidence_ids, *texts)):
        return True
    if record.kind is Kind.DESCRIPTION and quotations.share_run(record.text):
        return True
    if record.kind is Kind.HIGHLIGHT and quotations.contain(record.text):
        return True
    if isinstance(record.payload, RetractionDetails | ReinstatementDetails):
        named = set(record.payload.target_record_ids)
        if named and not record.payload.target_source_ids and named <= ids:
            return True
    repeats = quotations.holds if record.kind in ASKED else quotations.quoted_in
    return any(map(repeats, texts))


def _declined(log: MemoryLog, seqs: set[int]) -> Iterator[Draft]:
    """Say of pages that stay while what a model said of them goes, that no model need look at them again."""
    for record in log.by_seqs(sorted(seqs)):
        details = record.payload
        if isinstance(details, DescriptionDetails) and record.text and record.source_id is not None:
            page = log.page(record.source_id, details.page)
            if page is not None and page.seq not in seqs:
                yield declined(page, details.page)


def _originals_of(shelf: Shelf, sources: Sequence[Source]) -> tuple[str, ...]:
    """Return the originals of these sources that no other source was read from."""
    own = {str(source.source_id) for source in sources}
    return tuple(
        dict.fromkeys(
            source.blob_hash
            for source in sources
            if source.blob_hash and not (set(shelf.ids_of_content(source.content_hash)) - own)
        )
    )
