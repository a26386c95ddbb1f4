"""Evidence that was not read yet in, facts in the log out, a batch of one source at a time. No text is parsed here.

The facts of a batch and the record that says it was read are one transaction, and every fact has a key of its own, so
that a batch that is repeated after a crash appends nothing twice.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct, structs

from trisynapse_memory.errors import WorkerDiedError
from trisynapse_memory.extraction.model_facts import Provenance, fact_draft_fields
from trisynapse_memory.extraction.runner import check_proposals
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.rooms import FactsStore
from trisynapse_memory.types import (
    Actor,
    Draft,
    ExtractionDetails,
    Kind,
    Locator,
    Passage,
    Proposal,
    Record,
    RecordId,
    SourceDetails,
)

BATCH_RECORDS: Final = 32  # about five seconds of one core; a stop, and a correction that is to be read, wait no longer
KEY_HEX: Final = 20  # of a SHA-256: the facts of one record never meet by chance

_LOGGER = logging.getLogger(__name__)
_PROBE: Final = Passage(seq=0, text="Light is fast.")


Extract = Callable[[Sequence[Passage]], tuple[Proposal, ...]]


class Reader(Struct, frozen=True):
    """Who reads: the name and version of an extractor, and the way to its worker."""

    name: str
    version: int
    extract: Extract


class Author(Struct, frozen=True):
    """Who reads: name and version of an extractor, and of a model everything that tells it from another."""

    name: str
    version: int
    provenance: Provenance | None = None

    @property
    def key(self) -> str:
        """What the external keys of everything this author wrote hold."""
        plain = f"{self.name}/{self.version}"
        return f"{plain}/{_digest(self.provenance)}" if self.provenance else plain

    @property
    def receipt_prefix(self) -> str:
        """How the external keys of its extraction records begin."""
        return f"extraction:{self.key}:"


class Ledger:
    """Evidence as an extractor reads it out of the log, and what it found into it.

    Args:
        log: holds the evidence, and takes the facts.
        projector: brings the indexes up to date after each batch.
        before: tells the log position of the record before one in its source.
    """

    def __init__(self, log: MemoryLog, projector: Projector, before: Callable[[int], int | None]) -> None:
        self._log = log
        self._projector = projector
        self._before = before

    def passages(self, records: Sequence[Record]) -> dict[int, Passage]:
        """Return records of one source as an extractor reads them, by log position."""
        details = self._details(records[0])
        texts = {record.seq: record.text for record in records}
        earlier = {record.seq: self._before(record.seq) for record in records}
        missing = [seq for seq in earlier.values() if seq is not None and seq not in texts]
        texts |= {record.seq: record.text for record in self._log.by_seqs(missing)}
        return {record.seq: _passage(record, details, texts.get(earlier[record.seq] or 0, "")) for record in records}

    def _details(self, record: Record) -> SourceDetails | None:
        if record.source_id is None:
            return None
        sources = self._log.of_source(record.source_id, Kind.SOURCE)
        found = sources[0].payload if sources else None
        return found if isinstance(found, SourceDetails) else None

    def append(
        self, author: Author, records: Sequence[Record], proposals: Sequence[Proposal], faults: Mapping[str, str]
    ) -> int:
        """Write facts and the record that says what was read, in one transaction; return how many records that are.

        Args:
            author: who read.
            records: what was read; those that were hidden meanwhile are left out, with their facts.
            proposals: checked, of these records only.
            faults: why a record could not be read, by its id.
        """
        with self._log.transaction():
            visible = self._log.visible([record.seq for record in records])
            read = {record.seq: record for record in records if record.seq in visible}
            facts = [_fact(author, read[one.seq], one) for one in proposals if one.seq in read]
            if read:
                self._log.append([*facts, _receipt(author, tuple(read.values()), len(facts), faults)])
        self._projector.catch_up()
        return len(read)


class Extraction:
    """Reads what waits, most wanted first.

    Args:
        log: holds the evidence, and takes the facts.
        projector: brings the indexes up to date after each batch.
        index: says what waits.
        reader: reads passages; in the engine a worker process.
        stopping: tells whether the vault is being closed; a worker that is killed then blames no record.
    """

    def __init__(
        self,
        log: MemoryLog,
        projector: Projector,
        index: FactsStore,
        reader: Reader,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._log = log
        self._projector = projector
        self._index = index
        self._reader = reader
        self._ledger = Ledger(log, projector, index.before)
        self._stopping = stopping
        # Records of a batch that ended its worker: each is tried alone, to find the one that is to blame.
        self._suspects: set[int] = set()

    def pending(self) -> int:
        """Return how many records wait to be read."""
        return self._index.waiting_count()

    def step(self) -> int:
        """Read one batch and append its facts.

        Returns:
            How many records were read, or found unreadable; 0 also where a batch ended its worker and is now tried one
            by one.

        Raises:
            WorkerDiedError: the worker does not work at all; no record is blamed.
            BranchUnavailableError: a package that the extractor needs is not installed.
            VaultError: the log could not be written, for example because the disk is full.
        """
        records = self._batch()
        if not records:
            self._projector.catch_up()  # what was hidden meanwhile no longer waits
            return 0
        passages = self._ledger.passages(records)
        try:
            proposals = self._reader.extract(tuple(passages.values()))
        except WorkerDiedError as death:
            return self._blame(records, death)
        checked = check_proposals(tuple(passages.values()), proposals)
        self._suspects.difference_update(passages)
        return self._ledger.append(self._author(), records, checked, {})

    def _author(self) -> Author:
        return Author(self._reader.name, self._reader.version)

    def _batch(self) -> tuple[Record, ...]:
        seqs = self._index.waiting(BATCH_RECORDS)
        alone = next((seq for seq in seqs if seq in self._suspects), None)
        wanted = seqs if alone is None else (alone,)
        visible = self._log.visible(wanted)
        return self._log.by_seqs([seq for seq in wanted if seq in visible])

    def _blame(self, records: Sequence[Record], death: WorkerDiedError) -> int:
        """Find the record that ends workers; one that does it alone is named in the log and not tried again."""
        if self._stopping():
            raise death
        if len(records) > 1:
            self._suspects.update(record.seq for record in records)
            return 0
        self._reader.extract((_PROBE,))  # a worker that cannot read this either is not the record's fault
        _LOGGER.warning("Record %s could not be read for facts: %s", records[0].id, death.problem)
        self._suspects.discard(records[0].seq)
        return self._ledger.append(self._author(), records, (), {records[0].id: death.problem})


def _fact(author: Author, record: Record, proposal: Proposal) -> Draft:
    reader = (author.name, author.version)
    details, actor = fact_draft_fields(reader, proposal, author.provenance)
    return Draft(
        kind=Kind.FACT,
        text=record.text[proposal.start : proposal.end],
        namespace=record.namespace,
        actor=actor,
        observed_at=record.observed_at,
        group_id=record.group_id,
        source_id=record.source_id,
        locator=_place(record.locator, proposal.start, proposal.end),
        evidence_ids=(record.id,),
        confidence=proposal.confidence,
        modality=record.modality,
        scope=record.scope,
        subject=proposal.subject,
        relation=proposal.relation,
        object=proposal.object,
        temporal_anchor=proposal.temporal_anchor or None,
        payload=details,
        external_key=f"fact:{author.key}:{record.id}:{_digest(structs.replace(proposal, seq=0))}",
    )


def _receipt(author: Author, read: Sequence[Record], fact_count: int, faults: Mapping[str, str]) -> Draft:
    ids = tuple(record.id for record in read)
    written_by = author.provenance
    details = ExtractionDetails(
        extractor=author.name,
        extractor_version=author.version,
        target_record_ids=ids,
        fact_count=fact_count,
        faults={key: fault for key, fault in faults.items() if key in ids},
    )
    return Draft(
        kind=Kind.EXTRACTION,
        text=f"Read {len(ids)} records, found {fact_count} facts.",
        namespace=read[0].namespace,
        actor=Actor(
            type="extraction",
            id=f"{author.name}/{author.version}",
            model=written_by.model if written_by else None,
            prompt_version=written_by.prompt if written_by else None,
        ),
        source_id=read[0].source_id,
        payload=details,
        external_key=f"{author.receipt_prefix}{_digest(ids)}",
    )


def _passage(record: Record, details: SourceDetails | None, before: str) -> Passage:
    place = record.locator or Locator(kind="none")
    section = " > ".join(place.path) or place.heading or record.fields.get("section", "")
    return Passage(
        seq=record.seq,
        text=record.text,
        title=(details.title if details else "") or record.fields.get("title", ""),
        before=before,
        modality=record.modality,
        section=section,
        speaker=place.speaker or record.fields.get("speaker", ""),
        observed_at=record.observed_at or _published(details),
        cells=place.headers,
        language=details.language if details else "",
        page=place.page or 0,
        source_id=record.source_id,
    )


def _published(details: SourceDetails | None) -> datetime | None:
    """The date a source states for itself; words that are no ISO date are left alone."""
    with contextlib.suppress(ValueError):
        moment = datetime.fromisoformat(details.published) if details else None
        return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _place(locator: Locator | None, start: int, end: int) -> Locator | None:
    """The place of a span of a record: offsets into the page, where the record itself has them; else the record's."""
    if locator is None or locator.start is None:
        return locator
    return structs.replace(locator, start=locator.start + start, end=locator.start + end, quads=())


def _digest(value: Proposal | Provenance | tuple[RecordId, ...]) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:KEY_HEX]
