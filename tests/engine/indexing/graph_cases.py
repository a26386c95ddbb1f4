"""What the tests of graph and summaries share: records without a log, and indexes fed as a projector feeds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from trisynapse_memory.types import (
    CollectionDetails,
    CorrectionDetails,
    Draft,
    FactDetails,
    Kind,
    MetadataDetails,
    Namespace,
    Record,
    RecordId,
    SourceDetails,
    SourceId,
    SummaryDetails,
    Terms,
)

NOBODY_ELSE = Namespace()
NO_TERMS = Terms((), (), 0)


@dataclass(frozen=True)
class Entry:
    record: Record
    visible: bool = True
    terms: Terms = NO_TERMS


def record_of(seq: int, draft: Draft) -> Record:
    """A record as the log would hand it out."""
    given = {name: getattr(draft, name) for name in draft.__struct_fields__}
    return Record(
        id=RecordId(f"r{seq}"),
        seq=seq,
        device_id="d",
        device_seq=seq,
        written_at=datetime(2026, 1, 1, tzinfo=UTC),
        content_hash="",
        chain_hash="",
        **given,
    )


def raw(seq: int, text: str, **fields: Any) -> Record:
    fields.setdefault("namespace", NOBODY_ELSE)
    if "source_id" in fields:
        fields.setdefault("group_id", fields["source_id"])
    return record_of(seq, Draft(kind=Kind.RAW_SOURCE, text=text, **fields))


def fact(seq: int, triple: tuple[str, str, str], evidence: Iterable[int] = (), **fields: Any) -> Record:
    subject, relation, object_ = triple
    details = FactDetails(pattern=fields.pop("pattern", "plain"), extractor="pattern", extractor_version=1)
    draft = Draft(
        kind=Kind.FACT,
        text=fields.pop("text", f"{subject} {relation} {object_}."),
        subject=subject,
        relation=relation,
        object=object_,
        evidence_ids=tuple(RecordId(f"r{one}") for one in evidence),
        payload=details,
        **fields,
    )
    return record_of(seq, draft)


def source(seq: int, source_id: str, title: str, **fields: Any) -> Record:
    details = SourceDetails(source_key=source_id, kind="text", title=title, version=1, content_hash="", **fields)
    return record_of(seq, Draft(kind=Kind.SOURCE, text=title, source_id=SourceId(source_id), payload=details))


def retitle(seq: int, source_id: str, title: str) -> Record:
    details = MetadataDetails(target_source_id=source_id, name="title", value=title)
    return record_of(seq, Draft(kind=Kind.METADATA, text=title, payload=details))


@dataclass
class Ledger:
    """A log in memory: what was appended and what is seen, told to indexes as the projector does."""

    records: list[Record] = field(default_factory=list)
    hidden: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)

    @property
    def head(self) -> int:
        return len(self.records)

    def add(self, record: Record) -> int:
        assert record.seq == self.head + 1
        self.records.append(record)
        return record.seq

    def visible(self, seq: int) -> bool:
        return seq not in self.hidden and seq not in self.removed

    def tell(self, index: Any, flips: Sequence[int] = ()) -> None:
        """Bring an index to the head, with the present visibility of older records in ``flips``."""
        reached = index.applied_seq()
        fresh = [one for one in self.records[reached:] if one.seq not in self.removed]
        citable = [Entry(one, self.visible(one.seq)) for one in fresh if one.kind in (Kind.RAW_SOURCE, Kind.FACT)]
        events = [one for one in fresh if one.kind not in (Kind.RAW_SOURCE, Kind.FACT)]
        index.apply(citable, {seq: self.visible(seq) for seq in flips if seq <= reached}, self.head, events)

    def by_seqs(self, seqs: Sequence[int]) -> tuple[Record, ...]:
        """Read records as the log does; what was removed is not there."""
        return tuple(self.records[seq - 1] for seq in seqs if 0 < seq <= self.head and seq not in self.removed)


def correction(seq: int, text: str, target: int, struck: Sequence[tuple[int, int]], **fields: Any) -> Record:
    details = CorrectionDetails(target_record_id=f"r{target}", reason="wrong", struck=tuple(struck))
    draft = Draft(kind=Kind.FACT, text=text, evidence_ids=(RecordId(f"r{target}"),), payload=details, **fields)
    return record_of(seq, draft)


def collect(seq: int, name: str, *source_ids: str, removed: bool = False) -> Record:
    details = CollectionDetails(name=name, target_source_ids=source_ids, removed=removed)
    return record_of(seq, Draft(kind=Kind.COLLECTION, text=name, payload=details))


def written(seq: int, group_id: str, evidence_hash: str, sentences: Sequence[tuple[str, Sequence[int]]]) -> Record:
    details = SummaryDetails(
        group_id=group_id,
        evidence_hash=evidence_hash,
        topic="a topic of its own",
        sentences=tuple(text for text, _ in sentences),
        sentence_record_ids=tuple(tuple(f"r{one}" for one in seqs) for _, seqs in sentences),
        alt_phrasings=("What does it say?",),
        model="writer-1",
    )
    return record_of(seq, Draft(kind=Kind.SUMMARY, text="", payload=details))
