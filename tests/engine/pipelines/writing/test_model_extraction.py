"""What a model could read is kept, what it could not waits; nothing that may not be shown holds the others up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from trisynapse_memory.errors import ProviderError
from trisynapse_memory.extraction.model_facts import ModelReading, Provenance
from trisynapse_memory.indexing.indexes.facts import FactsIndex
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.extraction import Author
from trisynapse_memory.pipelines.writing.model_extraction import BATCH_RECORDS, ModelExtraction, open_waiting
from trisynapse_memory.types import (
    Draft,
    ExtractionDetails,
    Kind,
    Passage,
    Proposal,
    Record,
    SourceDetails,
    SourceId,
)

PROVENANCE = Provenance(provider="scripted", model="script/1", prompt="facts-1", prompt_sha256="ab")


class Reader:
    """Finds "Subject uses Object." in each passage; what it does not get to, and what it fails on, is told to it."""

    name, version = "llm", 1

    def __init__(self, provenance: Provenance = PROVENANCE) -> None:
        self.provenance = provenance
        self.seen: list[str] = []
        self.unread: Callable[[Passage], bool] = lambda passage: False
        self.withheld: Callable[[Passage], bool] = lambda passage: False
        self.faulty: Callable[[Passage], bool] = lambda passage: False
        self.meanwhile: Callable[[], object] = lambda: None

    def read(self, passages: Sequence[Passage]) -> ModelReading:
        unread = tuple(one.seq for one in passages if self.unread(one))
        if len(unread) == len(passages):
            raise ProviderError("The model is away.")
        self.seen += [one.text for one in passages]
        self.meanwhile()
        return ModelReading(
            proposals=tuple(_fact(one) for one in passages if one.seq not in unread and not self.withheld(one)),
            provenance=self.provenance,
            faults={one.seq: "no JSON" for one in passages if self.faulty(one)},
            withheld=tuple(one.seq for one in passages if self.withheld(one)),
            unread=unread,
            trouble="The model is away." if unread else "",
        )


def _fact(passage: Passage) -> Proposal:
    subject, _, value = passage.text.rstrip(".").split()
    return Proposal(
        seq=passage.seq,
        start=0,
        end=len(passage.text),
        subject=subject,
        relation="uses",
        object=value,
        pattern="llm.verbatim",
        confidence=0.9,
    )


class Desk:
    """A log with the indexes of two readers beside each other, and the corridor of the model."""

    def __init__(self, log: MemoryLog, folder: Path) -> None:
        self.log = log
        self.database = IndexDatabase(folder / "index.db")
        self.reader = Reader()
        self.author = Author("llm", 1, PROVENANCE)
        self.plain = FactsIndex(self.database)
        index = open_waiting(self.database, FactsIndex, self.author)
        assert index is not None
        self.index = index
        self.projector = Projector(log, (self.plain, index), self.database)
        self.sensitivity = Sensitivity(log)
        withheld = self.sensitivity.sensitive_seqs
        self.work = ModelExtraction(log, self.projector, index, self.reader, withheld)

    def source(self, name: str, *texts: str) -> tuple[Record, ...]:
        source_id = SourceId(f"src_{name}")
        details = SourceDetails(source_key=name, kind="text", title=name, version=1, content_hash=name)
        drafts = [Draft(kind=Kind.SOURCE, text=name, source_id=source_id, payload=details)]
        drafts += [Draft(kind=Kind.RAW_SOURCE, text=text, source_id=source_id, group_id=source_id) for text in texts]
        records = self.log.append(drafts)
        self.projector.catch_up()
        return records[1:]

    def subjects(self) -> list[str | None]:
        return [fact.subject for fact in self.log.of_kind(Kind.FACT)]

    def receipts(self) -> list[ExtractionDetails]:
        found = [record.payload for record in self.log.of_kind(Kind.EXTRACTION)]
        return [one for one in found if isinstance(one, ExtractionDetails)]


@pytest.fixture
def desk(log: MemoryLog, vault_folder: Path) -> Iterator[Desk]:
    made = Desk(log, vault_folder)
    yield made
    made.projector.close()
    made.database.close()


def uses(*subjects: str) -> list[str]:
    return [f"{subject} uses Light." for subject in subjects]


def test_what_the_model_reads_is_read_for_the_model_alone(desk: Desk):
    desk.source("a", *uses("Alpha", "Beta"))
    assert (desk.work.pending(), desk.plain.waiting_count()) == (2, 2)
    assert desk.work.step() == 2
    assert (desk.work.pending(), desk.plain.waiting_count()) == (0, 2)
    assert desk.subjects() == ["Alpha", "Beta"]
    assert (desk.work.step(), desk.reader.seen) == (0, uses("Alpha", "Beta"))


def test_a_step_is_a_few_records_of_one_source(desk: Desk):
    desk.source("old", *uses("Omega"))
    desk.source("new", *uses(*(f"New{n}" for n in range(BATCH_RECORDS + 1))))
    assert [desk.work.step() for _ in range(4)] == [BATCH_RECORDS, 1, 1, 0]
    assert desk.reader.seen[-1] == "Omega uses Light."


def test_what_was_read_before_the_model_went_away_is_kept_and_the_rest_waits(desk: Desk):
    alpha, beta = desk.source("a", *uses("Alpha", "Beta"))
    desk.reader.unread = lambda passage: passage.seq == beta.seq
    with pytest.raises(ProviderError, match="away"):
        desk.work.step()
    assert desk.subjects() == ["Alpha"]
    assert [receipt.target_record_ids for receipt in desk.receipts()] == [(alpha.id,)]
    with pytest.raises(ProviderError, match="away"):
        desk.work.step()
    assert (desk.work.pending(), len(desk.receipts())) == (1, 1)
    desk.reader.unread = lambda passage: False
    assert desk.work.step() == 1
    assert (desk.subjects(), desk.work.pending()) == (["Alpha", "Beta"], 0)


def test_a_fault_is_noted_at_its_record(desk: Desk):
    alpha, beta = desk.source("a", *uses("Alpha", "Beta"))
    desk.reader.faulty = lambda passage: passage.seq == beta.seq
    desk.work.step()
    (receipt,) = desk.receipts()
    assert (receipt.target_record_ids, receipt.faults) == ((alpha.id, beta.id), {beta.id: "no JSON"})
    assert desk.work.pending() == 0


def test_marked_records_wait_unseen_and_are_read_when_the_mark_is_taken_away(desk: Desk):
    desk.source("old", *uses("Omega"))
    desk.source("secret", *uses("Kestrel", "Heron"))
    desk.sensitivity.mark(("src_secret",))
    assert (desk.work.step(), desk.subjects()) == (1, ["Omega"])
    assert (desk.work.pending(), desk.index.waiting_count(), desk.work.step()) == (0, 2, 0)
    desk.source("new", *uses("Zeta"))
    assert (desk.work.pending(), desk.work.step(), desk.subjects()) == (1, 1, ["Omega", "Zeta"])
    desk.sensitivity.mark(("src_secret",), sensitive=False)
    assert (desk.work.pending(), desk.work.step()) == (2, 2)
    assert desk.subjects() == ["Omega", "Zeta", "Kestrel", "Heron"]


def test_a_marked_record_inside_a_source_is_left_out_alone(desk: Desk):
    _, beta, _ = desk.source("a", *uses("Alpha", "Beta", "Gamma"))
    desk.sensitivity.mark((), (beta.id,))
    assert desk.work.step() == 2
    assert desk.reader.seen == uses("Alpha", "Gamma")
    assert desk.work.pending() == 0


def test_what_the_reader_itself_withholds_gets_no_receipt_and_is_not_offered_again(desk: Desk):
    alpha, beta = desk.source("a", *uses("Alpha", "Beta"))
    desk.reader.withheld = lambda passage: passage.seq == beta.seq
    assert desk.work.step() == 1
    assert [receipt.target_record_ids for receipt in desk.receipts()] == [(alpha.id,)]
    assert (desk.work.pending(), desk.work.step(), desk.index.waiting_count()) == (0, 0, 1)


def test_what_is_hidden_while_the_model_reads_gets_no_fact(desk: Desk):
    alpha, _ = desk.source("a", *uses("Alpha", "Beta"))
    desk.reader.meanwhile = lambda: lifecycle.forget_record(desk.log, alpha.id, "a misprint")
    assert desk.work.step() == 1
    assert (desk.subjects(), desk.work.pending()) == (["Beta"], 0)


def test_external_keys_tell_models_providers_and_prompts_apart(desk: Desk):
    others = [
        PROVENANCE,
        Provenance(provider="other", model="script/1", prompt="facts-1", prompt_sha256="ab"),
        Provenance(provider="scripted", model="script/2", prompt="facts-1", prompt_sha256="ab"),
        Provenance(provider="scripted", model="script/1", prompt="facts-1", prompt_sha256="cd"),
    ]
    assert len({Author("llm", 1, one).key for one in others}) == 4
    assert Author("pattern", 3).key == "pattern/3"
    (record,) = desk.source("a", *uses("Alpha"))
    desk.work.step()
    (fact,) = desk.log.of_kind(Kind.FACT)
    (receipt,) = desk.log.of_kind(Kind.EXTRACTION)
    assert str(fact.external_key).startswith(f"fact:{desk.author.key}:{record.id}:")
    assert str(receipt.external_key).startswith(desk.author.receipt_prefix)


def test_the_receipts_of_another_model_do_not_count_and_its_own_are_found_again(desk: Desk):
    desk.source("a", *uses("Alpha"))
    desk.work.step()
    other = Author("llm", 1, Provenance(provider="scripted", model="script/2", prompt="facts-1", prompt_sha256="ab"))
    for author, waiting_count in ((other, 1), (desk.author, 0)):
        index = open_waiting(desk.database, FactsIndex, author)
        assert index is not None
        assert index.applied_seq() == 0
        Projector(desk.log, (desk.plain, index), desk.database).catch_up()
        assert index.waiting_count() == waiting_count


def test_without_a_model_its_tables_are_gone_and_the_other_index_stays(desk: Desk):
    desk.source("a", *uses("Alpha"))
    assert open_waiting(desk.database, FactsIndex, None) is None
    with desk.database.read() as connection:
        tables = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert {name for name in tables if "facts_" in name} == {"facts_sources", "facts_records"}
    assert desk.plain.waiting_count() == 1
    assert open_waiting(desk.database, FactsIndex, None) is None
