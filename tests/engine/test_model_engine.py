"""A vault with a language model beside it: what it says is kept like any other record, and it may fail at any time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from trisynapse_memory.contracts import OnText
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import jobs
from trisynapse_memory.text.prompts import FACTS, load_prompt
from trisynapse_memory.types import Completion, ExtractionDetails, FactDetails, Prompt, Record, Role, SourceInput

ROBERTA = "RoBERTa uses Dropout."
LORA = "LoRA freezes the pretrained weights and trains two small matrices in every layer."
SECRET = "Kestrel uses Hollow."
FACT = re.compile(r"(\w+) uses (\w+)\.")
WAIT_S = 20.0


class Model:
    """Says each sentence "X uses Y." back as a fact, and sums nothing up; it can be told to fail."""

    def __init__(self, model: str = "echo/1", *, is_remote: bool = False, max_tokens: int = 8_192) -> None:
        self.provider, self.model, self.is_remote, self.max_tokens = "scripted", model, is_remote, max_tokens
        self.prompts: list[str] = []
        self.fails: Callable[[str], bool] = lambda prompt: False

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        said = f"{prompt.instructions}\n\n{prompt.text}"
        if self.fails(said):
            raise ProviderError("The model is away.")
        self.prompts.append(said)
        if prompt.role is not Role.EXTRACTION:
            summary = {"topic": "", "sentences": [{"text": LORA, "evidence": [1]}], "alt_phrasings": []}
            return Completion(text=json.dumps(summary))
        rows = [_row(match) for match in FACT.finditer(said)]
        return Completion(text=json.dumps({"facts": rows}))

    def asked_for_facts(self) -> list[str]:
        return [prompt for prompt in self.prompts if prompt.startswith(load_prompt(FACTS).text[:40])]


def _row(match: re.Match[str]) -> dict[str, object]:
    return {
        "subject": match[1],
        "relation": "uses",
        "object": match[2],
        "quote": match[0],
        "temporal_expression": "",
        "confidence": 0.9,
        "negated": False,
        "hedged": False,
        "qualifiers": {},
    }


@pytest.fixture
def reopen(tmp_path: Path, in_process: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., MemoryEngine]]:
    """Open the same vault again, each time with another model or none."""
    monkeypatch.setattr(jobs, "BACKOFF_S", 0.02)
    opened: list[MemoryEngine] = []

    def make(completer: Model | None = None, *, offline: bool = False) -> MemoryEngine:
        for one in opened:
            one.close()
        opened.append(MemoryEngine.open(tmp_path / "one.vault", completer=completer, offline=offline))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def settle(engine: MemoryEngine) -> None:
    engine.jobs.wait(WAIT_S, include_idle=True)


def take(engine: MemoryEngine, *texts: str) -> None:
    engine.ingest(*(SourceInput(text=text, title=f"Note {place}") for place, text in enumerate(texts)))


def facts_of(engine: MemoryEngine) -> list[Record]:
    return [one for one in engine.list_records(kind="fact", limit=1000) if _details(one).extractor == "llm"]


def _details(record: Record) -> FactDetails:
    assert isinstance(record.payload, FactDetails)
    return record.payload


def receipts_of(engine: MemoryEngine) -> list[Record]:
    found = engine.list_records(kind="extraction", limit=1000)
    return [one for one in found if isinstance(one.payload, ExtractionDetails) and one.payload.extractor == "llm"]


def claims_of(engine: MemoryEngine) -> list[tuple[str, str, str]]:
    return [(one.subject, one.relation, side.value) for one in engine.claims.list() for side in one.sides]


def names(engine: MemoryEngine) -> set[str]:
    return {task.name for task in engine.jobs.list()}


def pending(engine: MemoryEngine, name: str) -> int:
    return next(task.pending for task in engine.jobs.list() if task.name == name)


def test_a_fact_of_a_model_is_a_shown_claim_and_its_record_says_who_wrote_it(reopen: Callable[..., MemoryEngine]):
    engine = reopen(Model())
    take(engine, ROBERTA)
    settle(engine)
    (fact,) = facts_of(engine)
    details = _details(fact)
    assert (fact.subject, fact.relation, fact.object, fact.text) == ("RoBERTa", "uses", "Dropout", ROBERTA)
    assert (details.pattern, details.provider) == ("llm.verbatim", "scripted")
    assert details.prompt_sha256 == load_prompt(FACTS).sha256
    assert (fact.actor.id, fact.actor.model, fact.actor.prompt_version) == ("llm/1", "echo/1", "facts-1")
    (receipt,) = receipts_of(engine)
    assert receipt.payload == ExtractionDetails(
        extractor="llm", extractor_version=1, target_record_ids=fact.evidence_ids, fact_count=1
    )
    assert (receipt.actor.model, receipt.actor.prompt_version) == ("echo/1", "facts-1")
    assert claims_of(engine) == [("RoBERTa", "uses", "Dropout")]
    assert engine.validate().ok


def test_a_model_sums_up_too(reopen: Callable[..., MemoryEngine]):
    engine = reopen(Model())
    take(engine, LORA)
    settle(engine)
    (summary,) = engine.list_records(kind="summary")
    assert (summary.text, summary.actor.model) == (LORA, "echo/1")


def test_without_a_model_there_is_no_work_for_one_and_no_index(reopen: Callable[..., MemoryEngine]):
    engine = reopen()
    assert not any(name.startswith("model") for name in names(engine))
    assert "model_facts" not in engine.reindex()


def test_a_model_that_is_away_is_asked_again_and_stops_nothing_else(reopen: Callable[..., MemoryEngine]):
    model = Model()
    model.fails = lambda prompt: True
    engine = reopen(model)
    take(engine, ROBERTA, "Zeta was pretrained with Adam.")
    settle(engine)
    task = next(one for one in engine.jobs.list() if one.name == "model facts")
    assert (task.pending, facts_of(engine), receipts_of(engine)) == (2, [], [])
    assert "The model is away." in task.trouble
    assert claims_of(engine) == [("Zeta", "pretrained_with", "Adam")]
    assert engine.jobs.backlog().vectors == 0
    model.fails = lambda prompt: False
    engine.jobs.resume()
    settle(engine)
    assert [fact.subject for fact in facts_of(engine)] == ["RoBERTa"]
    assert pending(engine, "model facts") == 0


def test_what_was_read_before_a_failure_is_kept_and_only_the_rest_is_asked_again(
    reopen: Callable[..., MemoryEngine],
):
    model = Model(max_tokens=2_600)
    filler = " ".join(f"The lamp number {n} hung in the hall and was lit at dusk by the keeper." for n in range(25))
    model.fails = lambda prompt: "Omega uses" in prompt
    engine = reopen(model)
    take(engine, f"Alpha uses Iris.\n\n{filler}\n\n{filler}\n\nOmega uses Wine.")
    settle(engine)
    assert [fact.subject for fact in facts_of(engine)] == ["Alpha"]
    left = pending(engine, "model facts")
    assert left > 0
    asked = len(model.asked_for_facts())
    model.fails = lambda prompt: False
    engine.jobs.resume()
    settle(engine)
    assert [fact.subject for fact in facts_of(engine)] == ["Alpha", "Omega"]
    assert not any("Alpha uses" in prompt for prompt in model.asked_for_facts()[asked:])
    assert pending(engine, "model facts") == 0


def test_a_remote_model_never_sees_what_is_sensitive_and_reads_the_rest(reopen: Callable[..., MemoryEngine]):
    engine = reopen()
    take(engine, ROBERTA, SECRET)  # the newest source is the one to be read first
    secret = next(one for one in engine.list_records(kind="raw_source") if one.text == SECRET)
    assert secret.source_id is not None
    engine.sources.mark_sensitive(secret.source_id)
    model = Model(is_remote=True)
    engine = reopen(model)
    settle(engine)
    assert [fact.subject for fact in facts_of(engine)] == ["RoBERTa"]
    assert model.prompts
    assert not any("Kestrel" in prompt or "Hollow" in prompt for prompt in model.prompts)
    assert not any(secret.id in receipt.payload.target_record_ids for receipt in receipts_of(engine))  # type: ignore[union-attr]
    assert pending(engine, "model facts") == 0
    engine.sources.mark_sensitive(secret.source_id, sensitive=False)
    settle(engine)
    assert [fact.subject for fact in facts_of(engine)] == ["RoBERTa", "Kestrel"]


def test_a_model_on_this_machine_may_read_what_is_sensitive(reopen: Callable[..., MemoryEngine]):
    engine = reopen()
    take(engine, SECRET)
    (secret,) = engine.list_records(kind="raw_source")
    assert secret.source_id is not None
    engine.sources.mark_sensitive(secret.source_id)
    engine = reopen(Model())
    settle(engine)
    assert [fact.subject for fact in facts_of(engine)] == ["Kestrel"]


def test_a_remote_model_is_not_asked_offline(reopen: Callable[..., MemoryEngine]):
    model = Model(is_remote=True)
    engine = reopen(model, offline=True)
    take(engine, ROBERTA)
    settle(engine)
    task = next(one for one in engine.jobs.list() if one.name == "model facts")
    assert (model.prompts, task.status, task.pending) == ([], "waiting", 1)
    assert "offline is on" in task.trouble


def test_a_vault_keeps_everything_without_its_model_and_nothing_is_read_twice(reopen: Callable[..., MemoryEngine]):
    engine = reopen(Model())
    take(engine, ROBERTA)
    settle(engine)
    ids = [fact.id for fact in facts_of(engine)]
    engine = reopen()
    settle(engine)
    assert [fact.id for fact in facts_of(engine)] == ids
    assert claims_of(engine) == [("RoBERTa", "uses", "Dropout")]
    assert engine.validate().ok
    take(engine, "Gamma uses Delft.")
    again = Model()
    engine = reopen(again)
    settle(engine)
    assert [fact.subject for fact in facts_of(engine)] == ["RoBERTa", "Gamma"]
    assert not any("RoBERTa" in prompt for prompt in again.asked_for_facts())


def test_another_model_reads_for_itself(reopen: Callable[..., MemoryEngine]):
    engine = reopen(Model())
    take(engine, ROBERTA)
    settle(engine)
    engine = reopen(Model("echo/2"))
    settle(engine)
    assert [fact.actor.model for fact in facts_of(engine)] == ["echo/1", "echo/2"]
    keys = {receipt.external_key for receipt in receipts_of(engine)}
    assert len(keys) == 2
    first = Model()
    engine = reopen(first)
    settle(engine)
    assert (first.asked_for_facts(), len(facts_of(engine))) == ([], 2)


def test_a_rebuild_from_the_log_asks_no_model_and_changes_nothing(reopen: Callable[..., MemoryEngine]):
    model = Model()
    engine = reopen(model)
    take(engine, ROBERTA, "Zeta was pretrained with Adam.")
    settle(engine)
    before = (claims_of(engine), [fact.id for fact in facts_of(engine)], len(model.asked_for_facts()))
    heads = set(engine.reindex().values())
    settle(engine)
    assert len(heads) == 1
    assert (claims_of(engine), [fact.id for fact in facts_of(engine)], len(model.asked_for_facts())) == before
    assert engine.validate().ok


def test_a_reply_that_cannot_be_used_is_noted_at_its_records_and_not_asked_for_again(
    reopen: Callable[..., MemoryEngine], monkeypatch: pytest.MonkeyPatch
):
    model = Model()
    monkeypatch.setattr(model, "complete", lambda *_: Completion(text="I would rather not."))
    engine = reopen(model)
    take(engine, ROBERTA)
    settle(engine)
    (raw,) = engine.list_records(kind="raw_source")
    (receipt,) = receipts_of(engine)
    assert isinstance(receipt.payload, ExtractionDetails)
    assert list(receipt.payload.faults) == [raw.id]
    assert "could not be used" in receipt.payload.faults[raw.id]
    assert pending(engine, "model facts") == 0
