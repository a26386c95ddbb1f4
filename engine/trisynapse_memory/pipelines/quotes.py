"""Records of the log in, verbatim quotes with their places out: sentences of summaries, headings of sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.visibility import seqs_of_ids
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import Kind, Record, Source, SummarySentence, Support
from trisynapse_memory.wiki.references import place_of
from trisynapse_memory.wiki.sentences import Quote
from trisynapse_memory.wiki.wording import reading

HEADING_LIMIT: Final = 40
HEADING_DEPTH: Final = 2
HEADING_WORDS: Final = 14


def visible_records(log: MemoryLog, record_ids: Iterable[str]) -> dict[str, Record]:
    """Return those of the named records that answers may see now, by id."""
    with log.database.read() as connection:
        seqs = seqs_of_ids(connection, sorted(record_ids)).values()
    visible = log.visible(tuple(seqs))
    return {record.id: record for record in log.by_seqs(sorted(visible))}


def quote_of_sentence(
    sentence: SummarySentence, records: Mapping[str, Record], titles: Mapping[str, Source]
) -> Quote | None:
    """Return a sentence of a summary with its places; None where its evidence is hidden or does not carry it.

    A sentence that was taken from a record is found there; one that a model wrote has to pass the check that answers
    pass (engine.md 0.5).
    """
    found = [records[record_id] for record_id in sentence.record_ids if record_id in records]
    if not found or len(found) < len(sentence.record_ids):
        return None
    text = reading(sentence.text)
    span = (sentence.start, sentence.end)
    if reading(found[0].text[slice(*span)]) != text:
        span = (0, len(found[0].text))
        if not judge(sentence.text, "\n\n".join(record.text for record in found)).passes:
            return None
    return Quote(text, tuple(support_of(record, span if record is found[0] else None, titles) for record in found))


def headings_of(log: MemoryLog, source: Source) -> tuple[Quote, ...]:
    """Return the headings of a source, each with the first record that stands under it."""
    records = log.of_source(source.source_id, Kind.RAW_SOURCE)
    visible = log.visible([record.seq for record in records])
    first: dict[str, Record] = {}
    for record in records:
        path = record.locator.path if record.locator is not None else ()
        for heading in path[:HEADING_DEPTH]:
            if record.seq in visible and heading.strip():
                first.setdefault(heading, record)
    headings = [(heading, record) for heading, record in first.items() if _is_heading(heading, source.title)]
    return tuple(_heading_quote(heading, record, source) for heading, record in headings[:HEADING_LIMIT])


def support_of(record: Record, span: tuple[int, int] | None, titles: Mapping[str, Source]) -> Support:
    """Return a record, or a span of it, as the place that a quote rests on."""
    start, end = span or (0, len(record.text))
    source = titles.get(record.source_id or "")
    return Support(
        fact_id=record.id,
        record_id=record.id,
        source_id=record.source_id,
        title=source.title if source is not None else "",
        excerpt=record.text[start:end],
        start=start,
        end=end,
        locator=record.locator,
        observed_at=record.observed_at,
    )


def _heading_quote(heading: str, record: Record, source: Source) -> Quote:
    support = Support(
        fact_id=record.id,
        record_id=record.id,
        source_id=record.source_id,
        title=source.title,
        excerpt=heading,
        start=0,
        end=0,
        locator=record.locator,
        observed_at=record.observed_at,
    )
    place = place_of(record.locator)
    return Quote(reading(heading), (support,), ("" if place == reading(heading) else place,))


def _is_heading(text: str, title: str) -> bool:
    """Tell whether a heading tells what follows; the head of a table and a mere label do not."""
    return text != title and "%" not in text and not text.rstrip().endswith(":") and len(text.split()) <= HEADING_WORDS
