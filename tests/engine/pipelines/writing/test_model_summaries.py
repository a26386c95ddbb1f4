"""A model's summary is a record of the log that stands by its evidence; a model that fails loses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import OnText
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.indexing import summary_tables
from trisynapse_memory.indexing.indexes.summaries import SummaryIndex
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.digests import Digests
from trisynapse_memory.pipelines.targets import plan_records
from trisynapse_memory.pipelines.writing.model_summaries import ModelSummaries, summary_schema
from trisynapse_memory.scoring.patterns import Worth
from trisynapse_memory.text.prompts import SUMMARY, load_prompt
from trisynapse_memory.text.windows import LEAST_ROOM_TOKENS, estimate_tokens
from trisynapse_memory.types import (
    Completion,
    CorrectionDetails,
    Draft,
    FactDetails,
    Kind,
    Modality,
    Prompt,
    Record,
    Role,
    SourceDetails,
    SourceId,
    Summary,
    SummaryDetails,
)

LORA = "LoRA freezes the pretrained weights and trains two small matrices in every layer."
ADAM = "Adam keeps running averages of the gradient and of its square for each weight."
MIRROR = "Foucault measured the speed of light with a rotating mirror in his laboratory."


class ScriptedCompleter:
    """Gives the replies of a script in order; what is no text is raised or called."""

    def __init__(self, *script: Any, model: str = "script/1", is_remote: bool = False, max_tokens: int = 8_192) -> None:
        self.provider, self.model = "scripted", model
        self.max_tokens, self.is_remote = max_tokens, is_remote
        self.prompts: list[str] = []
        self.source_ids: list[tuple[str, ...]] = []
        self.script = list(script)

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        assert (prompt.schema, prompt.role) == (summary_schema(), Role.SUMMARY)
        self.prompts.append(f"{prompt.instructions}\n\n{prompt.text}")
        self.source_ids.append(prompt.source_ids)
        assert self.script, "the model was asked more often than the script has replies"
        reply = self.script.pop(0)
        if isinstance(reply, ProviderError):
            raise reply
        return Completion(text=reply() if callable(reply) else reply)


def said(*sentences: tuple[str, object], topic: str = "", phrasings: object = ()) -> str:
    rows = [{"text": text, "evidence": evidence} for text, evidence in sentences]
    return json.dumps({"topic": topic, "sentences": rows, "alt_phrasings": phrasings})


class Desk:
    """A log, its summaries, the job that makes them without a model, and the one that makes them with one."""

    def __init__(self, log: MemoryLog, folder: Path) -> None:
        self.log = log
        self.database = IndexDatabase(folder / "index.db")
        self.index = SummaryIndex(self.database, Config())
        self.projector = Projector(log, (self.index,), self.database)
        self.digests = Digests(self.index.upkeep, log)
        self.sensitivity = Sensitivity(log)

    def source(self, name: str, *texts: str, collections: tuple[str, ...] = ()) -> tuple[Record, ...]:
        source_id = SourceId(f"src_{name}")
        details = SourceDetails(
            source_key=name, kind="text", title=f"About {name}", version=1, content_hash=name, collections=collections
        )
        drafts = [Draft(kind=Kind.SOURCE, text=name, source_id=source_id, payload=details)]
        drafts += [Draft(kind=Kind.RAW_SOURCE, text=text, source_id=source_id, group_id=source_id) for text in texts]
        records = self.log.append(drafts)
        self.settle()
        return records[1:]

    def settle(self) -> None:
        self.projector.catch_up()
        while self.digests.step():
            pass

    def job(self, completer: ScriptedCompleter) -> ModelSummaries:
        return ModelSummaries(self.log, self.projector, self.database, completer, self.sensitivity.sensitive_seqs)

    def drain(self, job: ModelSummaries) -> None:
        for _ in range(50):
            self.settle()
            if not job.pending():
                return
            job.step()
        raise AssertionError("it never ends")

    def show(self, group_id: str) -> Summary:
        found = self.index.get(group_id)
        assert found is not None
        return found

    def written(self) -> list[SummaryDetails]:
        found = [record.payload for record in self.log.of_kind(Kind.SUMMARY)]
        return [one for one in found if isinstance(one, SummaryDetails)]


@pytest.fixture
def desk(log: MemoryLog, vault_folder: Path) -> Iterator[Desk]:
    made = Desk(log, vault_folder)
    yield made
    made.projector.close()
    made.database.close()


def texts(summary: Summary) -> list[str]:
    return [one.text for one in summary.sentences]


def test_what_the_evidence_says_is_kept_with_its_provenance_and_read_in_the_place_of_the_other(desk: Desk):
    lora, adam = desk.source("a", LORA, ADAM)
    before = desk.show("source:src_a")
    reply = said(
        ("Adam keeps running averages of the gradient and of its square for each weight.", [2]),
        ("LoRA freezes the pretrained weights and trains two small matrices in every layer.", "[1, 2]"),
        topic="LoRA and Adam",
        phrasings=["How are weights trained?", "What does Adam keep?"],
    )
    model = ScriptedCompleter(f"Here you are:\n```json\n{reply}\n```")
    job = desk.job(model)
    assert job.pending() == 1
    assert job.step() == 1
    desk.settle()
    after = desk.show("source:src_a")
    assert (before.model, after.model, after.stale) == ("", "script/1", False)
    assert texts(after) == [ADAM, LORA]
    assert [one.record_ids for one in after.sentences] == [(adam.id,), (lora.id,)]
    assert (after.topic, after.alt_phrasings) == (
        "LoRA and Adam",
        ("How are weights trained?", "What does Adam keep?"),
    )
    (record,) = desk.log.of_kind(Kind.SUMMARY)
    assert (record.actor.model, record.actor.prompt_version) == ("script/1", "summary-1")
    assert record.evidence_ids == (lora.id, adam.id)
    (details,) = desk.written()
    assert (details.provider, details.prompt_sha256) == ("scripted", load_prompt(SUMMARY).sha256)
    assert details.evidence_hash == before.evidence_hash
    assert (job.pending(), job.step(), len(model.prompts)) == (0, 0, 1)
    assert model.source_ids == [("src_a",)]


def test_a_sentence_that_no_passage_says_is_left_out(desk: Desk):
    desk.source("a", LORA, MIRROR)
    model = ScriptedCompleter(
        said(
            (LORA, [1]),
            (MIRROR, [1]),  # said by the other passage
            (MIRROR, [9]),  # an invented number
            ("Foucault measured the speed of sound with a rotating mirror in his laboratory.", [2]),
            ("LoRA does not freeze the pretrained weights in every layer.", [1]),
            ("It trains two small matrices in every layer of the model.", [1]),
        )
    )
    desk.drain(desk.job(model))
    assert texts(desk.show("source:src_a")) == [LORA]


def test_a_topic_or_question_that_brings_in_something_new_is_left_out(desk: Desk):
    desk.source("a", LORA)
    phrasings = [
        "What is frozen?",
        "What did Microsoft publish in 2021?",
        "x" * 500,
        "Which matrices?",
        "And?",
        "More?",
    ]
    model = ScriptedCompleter(said((LORA, [1]), topic="LoRA by Microsoft", phrasings=phrasings))
    desk.drain(desk.job(model))
    (details,) = desk.written()
    assert details.topic == ""
    assert details.alt_phrasings == ("What is frozen?", "Which matrices?", "And?")


@pytest.mark.parametrize("bad", ["I cannot do that.", '{"sentences": [{"text": "LoRA', '{"sentences": []}', "[]"])
def test_a_bad_reply_is_asked_for_once_more(desk: Desk, bad: str):
    desk.source("a", LORA)
    model = ScriptedCompleter(bad, said((LORA, [1])))
    desk.drain(desk.job(model))
    assert texts(desk.show("source:src_a")) == [LORA]
    assert (len(model.prompts), "could not be used" in model.prompts[1]) == (2, True)


def test_evidence_that_failed_twice_keeps_its_summary_and_is_not_asked_about_again(desk: Desk):
    desk.source("a", LORA)
    model = ScriptedCompleter("No.", "Never.")
    desk.drain(desk.job(model))
    kept = desk.show("source:src_a")
    assert (texts(kept), kept.model) == ([LORA], "")
    (details,) = desk.written()
    assert (details.sentences, details.topic, details.alt_phrasings) == ((), "", ())
    assert desk.job(ScriptedCompleter()).pending() == 0  # also after a restart


def test_new_evidence_is_asked_about_anew(desk: Desk):
    desk.source("a", LORA)
    model = ScriptedCompleter(said((LORA, [1])), said((ADAM, [2])))
    job = desk.job(model)
    desk.drain(job)
    desk.log.append([Draft(kind=Kind.RAW_SOURCE, text=ADAM, source_id=SourceId("src_a"), group_id="src_a")])
    desk.drain(job)
    assert texts(desk.show("source:src_a")) == [ADAM]


def test_another_model_writes_anew_and_its_failure_hides_nothing(desk: Desk):
    desk.source("a", LORA, ADAM)
    desk.drain(desk.job(ScriptedCompleter(said((ADAM, [2])))))
    other = desk.job(ScriptedCompleter("No.", "No.", model="script/2"))
    assert other.pending() == 1
    desk.drain(other)
    assert desk.show("source:src_a").model == "script/1"
    assert len(desk.written()) == 1
    desk.drain(desk.job(ScriptedCompleter(said((LORA, [1])), model="script/2")))
    assert (desk.show("source:src_a").model, texts(desk.show("source:src_a"))) == ("script/2", [LORA])


def test_a_provider_that_fails_loses_nothing(desk: Desk):
    desk.source("a", LORA)
    model = ScriptedCompleter(ProviderError("The model is busy."), said((LORA, [1])))
    job = desk.job(model)
    with pytest.raises(ProviderError, match="busy"):
        job.step()
    assert (job.pending(), desk.written(), texts(desk.show("source:src_a"))) == (1, [], [LORA])
    desk.drain(job)
    assert desk.show("source:src_a").model == "script/1"


def test_sensitive_sources_are_never_shown_to_a_remote_model(desk: Desk):
    desk.source("open", LORA, collections=("mine",))
    desk.source("secret", MIRROR, collections=("mine",))
    desk.sensitivity.mark(["src_secret"])
    remote = ScriptedCompleter(said((LORA, [1])), said((LORA, [1])), is_remote=True)
    job = desk.job(remote)
    desk.drain(job)
    assert len(remote.prompts) == 2
    assert not any("Foucault" in prompt or "secret" in prompt for prompt in remote.prompts)
    assert desk.show("source:src_secret").model == ""
    assert desk.show("collection:mine").model == "script/1"
    desk.sensitivity.mark(["src_secret"], sensitive=False)
    remote.script.append(said((MIRROR, [1])))
    desk.drain(job)
    assert desk.show("source:src_secret").model == "script/1"


def test_a_model_on_this_machine_may_summarise_what_is_sensitive(desk: Desk):
    desk.source("secret", MIRROR)
    desk.sensitivity.mark(["src_secret"])
    desk.drain(desk.job(ScriptedCompleter(said((MIRROR, [1])))))
    assert desk.show("source:src_secret").model == "script/1"


def test_many_sensitive_groups_are_settled_without_a_question(desk: Desk):
    names = [f"s{number}" for number in range(20)]
    for name in names:
        desk.source(name, MIRROR)
    desk.sensitivity.mark([f"src_{name}" for name in names])
    job = desk.job(ScriptedCompleter(is_remote=True))
    assert (job.step(), job.step(), job.step(), job.pending()) == (16, 4, 0, 0)


def test_words_that_were_struck_out_are_neither_shown_nor_cited(desk: Desk):
    (record,) = desk.source("a", f"{LORA} {MIRROR}")
    start = len(LORA) + 1
    details = CorrectionDetails(
        target_record_id=record.id,
        reason="wrong",
        struck=((start, start + len(MIRROR)),),
        struck_record_ids=(record.id,),
    )
    desk.log.append([Draft(kind=Kind.FACT, text=ADAM, evidence_ids=(record.id,), payload=details)])
    model = ScriptedCompleter(said((MIRROR, [1]), (LORA, [1])))
    desk.drain(desk.job(model))
    assert "Foucault" not in model.prompts[0]
    assert texts(desk.show("source:src_a")) == [LORA]


def test_what_was_removed_while_the_model_thought_is_not_written_back(desk: Desk):
    lora, _ = desk.source("a", LORA, ADAM)

    def forget_meanwhile() -> str:
        lifecycle.forget_record(desk.log, lora.id, "private")
        return said((LORA, [1]))

    model = ScriptedCompleter(forget_meanwhile, said((ADAM, [1])))
    job = desk.job(model)
    assert job.step() == 0
    assert desk.written() == []
    desk.drain(job)
    assert texts(desk.show("source:src_a")) == [ADAM]
    assert LORA not in model.prompts[1]


def test_a_removal_of_anything_the_model_was_shown_takes_its_summary_along(desk: Desk):
    _, uncited = desk.source("a", LORA, ADAM)
    desk.drain(desk.job(ScriptedCompleter(said((LORA, [1])))))
    (summary,) = desk.log.of_kind(Kind.SUMMARY)
    plan = plan_records(desk.log, Shelf(desk.log), [uncited])
    assert summary.seq in plan.seqs


def test_a_concept_is_summarised_from_the_sentences_of_its_facts(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    good = Worth("good", 200, 200)
    monkeypatch.setattr(summary_tables, "worth_of", lambda name: good if name == "good" else Worth(name, 0, 0))
    sentences = [
        LORA,
        "LoRA adds no latency because its update is merged before the model is served.",
        "LoRA was used by three groups in the year after its publication for chat assistants.",
    ]
    records = desk.source("a", *sentences)
    details = FactDetails(pattern="good", extractor="pattern", extractor_version=1)
    drafts = [
        Draft(
            kind=Kind.FACT,
            text=record.text,
            evidence_ids=(record.id,),
            source_id=record.source_id,
            subject="LoRA",
            relation="uses",
            object="Adam",
            payload=details,
        )
        for record in records
    ]
    desk.log.append(drafts)
    model = ScriptedCompleter(said((sentences[1], [2])), said((sentences[0], [1])))
    desk.drain(desk.job(model))
    concept = desk.show("concept:lora")
    assert (texts(concept), concept.model) == ([sentences[1]], "script/1")
    assert concept.sentences[0].record_ids == (records[1].id,)
    assert "About a" not in model.prompts[0]


def test_speakers_of_a_chat_are_named(desk: Desk):
    draft = Draft(
        kind=Kind.RAW_SOURCE,
        text=MIRROR,
        group_id="g1",
        modality=Modality.CONVERSATION,
        fields={"speaker": "Ada"},
    )
    desk.log.append([draft])
    model = ScriptedCompleter(said((MIRROR, [1])))
    desk.drain(desk.job(model))
    assert "Speaker: Ada" in model.prompts[0]
    assert desk.show("chat:g1").model == "script/1"


def test_a_long_group_is_shown_as_far_as_it_fits(desk: Desk):
    desk.source("a", *(f"{number} {LORA} {ADAM}" for number in range(30)))
    small = 2 * (estimate_tokens([load_prompt(SUMMARY).text])[0] + LEAST_ROOM_TOKENS)
    model = ScriptedCompleter(said((LORA, [1])), max_tokens=small)
    desk.drain(desk.job(model))
    shown = model.prompts[0].count("[[passage ")
    assert 1 < shown - 1 < 30  # the instructions name the form once
    (record,) = desk.log.of_kind(Kind.SUMMARY)
    assert len(record.evidence_ids) == shown - 1


def test_a_rebuilt_index_reads_the_summary_without_asking(desk: Desk, tmp_path: Path):
    desk.source("a", LORA, ADAM)
    desk.drain(desk.job(ScriptedCompleter(said((ADAM, [2])))))
    tmp_path.joinpath("again").mkdir()
    again = Desk(desk.log, tmp_path / "again")
    again.settle()
    assert again.show("source:src_a") == desk.show("source:src_a")
    assert again.job(ScriptedCompleter()).pending() == 0
    again.projector.close()
    again.database.close()
