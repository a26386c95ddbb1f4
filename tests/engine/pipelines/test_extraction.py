"""Evidence becomes facts, once each, together with the record that says so; no passage holds the others up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trisynapse_memory.errors import DiskFullError, WorkerDiedError
from trisynapse_memory.indexing.indexes.facts import FactsIndex
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.extraction import BATCH_RECORDS, Extraction, Reader
from trisynapse_memory.types import (
    Draft,
    ExtractionDetails,
    FactDetails,
    Kind,
    Locator,
    Modality,
    Passage,
    Proposal,
    Record,
    SourceDetails,
    SourceId,
)


def first_word(passage: Passage) -> Iterator[Proposal]:
    """Each sentence "Subject uses Object." is one fact."""
    for start, sentence in _sentences(passage.text):
        words = sentence.rstrip(".").split()
        if len(words) == 3 and words[1] == "uses":
            yield Proposal(
                seq=passage.seq,
                start=start,
                end=start + len(sentence),
                subject=words[0],
                relation="uses",
                object=words[2],
                pattern="usage.strict",
                confidence=0.9,
            )


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for part in text.split(" | "):
        yield start, part
        start += len(part) + 3


class Desk:
    """A log with the index that says what waits, and a reader that can be told to die."""

    def __init__(self, log: MemoryLog, folder: Path) -> None:
        self.log = log
        self.index = FactsIndex(folder / "index.db")
        self.projector = Projector(log, (self.index,))
        self.seen: list[Passage] = []
        self.kills: Callable[[Passage], bool] = lambda passage: False
        self.closing = False
        reader = Reader("pattern", 1, self.extract)
        self.work = Extraction(log, self.projector, self.index, reader, lambda: self.closing)

    def extract(self, passages: Sequence[Passage]) -> tuple[Proposal, ...]:
        self.seen += passages
        if any(self.kills(passage) for passage in passages):
            raise WorkerDiedError("The worker died: it was ended by signal 11.")
        return tuple(found for passage in passages for found in first_word(passage))

    def source(self, name: str, *texts: str, published: str = "") -> tuple[Record, ...]:
        source_id = SourceId(f"src_{name}")
        details = SourceDetails(
            source_key=name, kind="text", title=f"About {name}", version=1, content_hash=name, published=published
        )
        drafts = [Draft(kind=Kind.SOURCE, text=name, source_id=source_id, payload=details)]
        offset = 0
        for text in texts:
            place = Locator(kind="page", page=2, start=100 + offset, end=100 + offset + len(text))
            drafts.append(
                Draft(
                    kind=Kind.RAW_SOURCE,
                    text=text,
                    source_id=source_id,
                    group_id=source_id,
                    locator=place,
                    fields={"section": "Methods"},
                )
            )
            offset += len(text) + 1
        records = self.log.append(drafts)
        self.projector.catch_up()
        return records[1:]

    def facts(self) -> tuple[Record, ...]:
        return self.log.of_kind(Kind.FACT)

    def receipts(self) -> list[ExtractionDetails]:
        found = [record.payload for record in self.log.of_kind(Kind.EXTRACTION)]
        return [one for one in found if isinstance(one, ExtractionDetails)]

    def drain(self) -> int:
        steps = 0
        while self.work.pending():
            self.work.step()
            steps += 1
            assert steps < 100
        return steps


@pytest.fixture
def desk(log: MemoryLog, vault_folder: Path) -> Iterator[Desk]:
    made = Desk(log, vault_folder)
    yield made
    made.projector.close()


def test_a_fact_keeps_its_words_its_place_and_its_evidence(desk: Desk):
    (record,) = desk.source("bert", "Some words. | BERT uses Adam.")
    assert desk.work.step() == 1
    (fact,) = desk.facts()
    assert (fact.subject, fact.relation, fact.object) == ("BERT", "uses", "Adam")
    assert (fact.text, fact.evidence_ids, fact.confidence) == ("BERT uses Adam.", (record.id,), 0.9)
    assert (fact.source_id, fact.group_id, fact.namespace) == (record.source_id, record.group_id, record.namespace)
    assert fact.locator == Locator(kind="page", page=2, start=114, end=129)
    assert fact.payload == FactDetails(
        pattern="usage.strict", extractor="pattern", extractor_version=1, spans=((14, 29),)
    )
    assert desk.receipts() == [
        ExtractionDetails(extractor="pattern", extractor_version=1, target_record_ids=(record.id,), fact_count=1)
    ]
    assert desk.work.pending() == 0


def test_a_passage_knows_its_source_its_section_and_the_record_before(desk: Desk):
    desk.source("bert", "One.", "Two.", published="2019-05-24")
    desk.work.step()
    first, second = desk.seen
    assert (first.title, first.section, first.page, first.before) == ("About bert", "Methods", 2, "")
    assert (second.before, second.modality) == ("One.", Modality.DOCUMENT)
    assert second.observed_at == datetime(2019, 5, 24, tzinfo=UTC)


def test_a_batch_holds_one_source_and_the_newest_goes_first(desk: Desk):
    desk.source("old", *(f"Old {n}." for n in range(3)))
    desk.source("new", *(f"New {n}." for n in range(BATCH_RECORDS + 2)))
    assert [desk.work.step() for _ in range(3)] == [BATCH_RECORDS, 2, 3]
    assert [passage.text for passage in desk.seen[-3:]] == ["Old 0.", "Old 1.", "Old 2."]
    assert desk.seen[BATCH_RECORDS].before == f"New {BATCH_RECORDS - 1}."  # also across batches


def test_a_batch_that_is_repeated_after_a_crash_appends_nothing_twice(desk: Desk):
    desk.source("bert", "BERT uses Adam.", "GPT uses Adam.")
    desk.work.step()
    head = desk.log.head()
    desk.index.wipe()
    desk.projector.catch_up()
    assert desk.work.pending() == 0
    desk.index.wipe()
    for record in desk.log.after(0, 99):
        if record.kind is not Kind.EXTRACTION:
            desk.index.apply([_entry(record)], {}, record.seq)
    assert desk.work.step() == 2
    assert desk.log.head() == head


class _entry:  # noqa: N801 - reads as a function
    def __init__(self, record: Record) -> None:
        self.record, self.visible, self.terms = record, True, None


def test_facts_and_receipt_are_one_transaction(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    desk.source("bert", "BERT uses Adam.")
    head = desk.log.head()

    def full(*_: object) -> None:
        raise DiskFullError("full")

    append = desk.log.append
    monkeypatch.setattr(desk.log, "append", lambda drafts: (append(drafts), full()))
    with pytest.raises(DiskFullError):
        desk.work.step()
    assert (desk.log.head(), desk.work.pending()) == (head, 1)


def test_a_record_that_ends_its_worker_is_found_and_named_and_the_others_are_read(desk: Desk):
    records = desk.source("x", "Alpha uses Beta.", "killer", "Gamma uses Zeta.")
    desk.kills = lambda passage: passage.text == "killer"
    desk.drain()
    assert [fact.subject for fact in desk.facts()] == ["Alpha", "Gamma"]
    faults = {key: fault for receipt in desk.receipts() for key, fault in receipt.faults.items()}
    assert faults == {records[1].id: "The worker died: it was ended by signal 11."}


def test_a_worker_that_reads_nothing_at_all_blames_nobody(desk: Desk):
    desk.source("x", "Alpha uses Beta.", "Gamma uses Zeta.")
    desk.kills = lambda passage: True
    assert desk.work.step() == 0
    for _ in range(3):
        with pytest.raises(WorkerDiedError):
            desk.work.step()
    assert (desk.receipts(), desk.work.pending()) == ([], 2)
    desk.kills = lambda passage: False
    desk.drain()
    assert len(desk.facts()) == 2


def test_a_worker_that_is_killed_because_the_vault_closes_blames_nobody(desk: Desk):
    desk.source("x", "Alpha uses Beta.")
    desk.kills, desk.closing = (lambda passage: passage.seq > 0), True
    with pytest.raises(WorkerDiedError):
        desk.work.step()
    assert desk.receipts() == []


def test_what_was_hidden_meanwhile_is_not_read_and_comes_back_later(desk: Desk):
    first, _ = desk.source("x", "Alpha uses Beta.", "Gamma uses Zeta.")
    extract = desk.work._reader.extract

    def forget_meanwhile(passages: Sequence[Passage]) -> tuple[Proposal, ...]:
        if len(desk.seen) == 0:
            lifecycle.forget_record(desk.log, first.id, "a misprint")
        return extract(passages)

    desk.work._reader = Reader("pattern", 1, forget_meanwhile)
    assert desk.work.step() == 1
    assert [fact.subject for fact in desk.facts()] == ["Gamma"]
    assert desk.work.pending() == 0
    lifecycle.reinstate_record(desk.log, first.id, "it was right")
    desk.projector.catch_up()
    desk.drain()
    assert [fact.subject for fact in desk.facts()] == ["Gamma", "Alpha"]


def test_proposals_that_do_not_stand_in_their_passage_are_left_out(desk: Desk):
    desk.source("x", "Alpha uses Beta.")
    wrong = Proposal(
        seq=desk.index.waiting(1)[0],
        start=0,
        end=999,
        subject="Alpha",
        relation="uses",
        object="Beta",
        pattern="p",
        confidence=1,
    )
    desk.work._reader = Reader("pattern", 1, lambda passages: (wrong,))
    desk.work.step()
    assert desk.facts() == ()
    assert desk.receipts()[0].fact_count == 0


def test_a_forgotten_source_waits_for_nobody(desk: Desk):
    desk.source("x", "Alpha uses Beta.")
    shelf = Shelf(desk.log)
    lifecycle.complete(desk.log, shelf, "src_x", {})
    lifecycle.forget_source(desk.log, shelf, "src_x", "wrong file")
    desk.projector.catch_up()
    assert desk.work.pending() == 0
