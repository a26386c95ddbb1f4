"""Her sources and a model server on loopback in: what leaves, what never does, and that she sees all of it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from trisynapse_memory.client import attach
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import furnishing
from trisynapse_memory.providers import services
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.service import Service
from trisynapse_memory.types import Answer, RecordId, Role, Sharing, SourceInput, Task

sys.path.append(str(Path(__file__).resolve().parents[1]))
from model_servers import EMBEDDER, LOOPBACK, ModelServer

pytestmark = [pytest.mark.journey, pytest.mark.real]

KEY = "sk-journey-0123456789abcdef"
LIGHT = "Foucault measured the speed of light with a rotating mirror in 1862."
SECRET = "The Kestrel mission costs 4711 crowns."
PRIVATE = "The Marlin telescope was built by Ada Quill in 1911."
WHO = "Who measured the speed of light with a rotating mirror?"
WAIT_S = 30.0
PASSAGE = re.compile(r"\[\[passage (\d+) \w+\]\].*?Text:\n(.*?)\n\[\[end", re.DOTALL)


def reply(body: Any) -> str:
    """Of the passages that were sent, the one that has most words of the question, said back; else a word."""
    told = body["messages"][-1]["content"]
    found = PASSAGE.findall(told) if isinstance(told, str) else []
    if not found:
        return "ready"
    question = words_of(told.rpartition("Question:")[2]) if "Question:" in told else words_of(told)
    number, text = max(found, key=lambda one: len(words_of(one[1]) & question))
    rows = [{"text": text.strip().splitlines()[0], "passages": [int(number)], "evidence": [int(number)]}]
    kept = rows if len(words_of(text) & question) > 2 else []
    return json.dumps({"sentences": kept, "facts": [], "topic": "", "alt_phrasings": []})


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


@dataclass
class Desk:
    """An open vault, and the server that answers in place of OpenAI."""

    engine: MemoryEngine
    server: ModelServer
    reopen: Callable[[], MemoryEngine]

    def ask(self, question: str = WHO, **wishes: Any) -> Answer:
        return self.engine.query(question, **wishes)

    def saw(self, words: str) -> bool:
        return any(words.encode() in seen.raw for seen in self.server.requests)

    def source_of(self, words: str) -> RecordId:
        hit = self.engine.search(words).hits[0]
        assert hit.record.source_id is not None
        return hit.record.source_id

    def task(self, name: str) -> Task:
        return next(task for task in self.engine.jobs.list() if task.name == name)

    def let_it_write(self) -> None:
        self.engine.keys.set("openai", KEY, session_only=True)
        self.engine.privacy.allow("openai")
        self.engine.models.choose("answer", "openai")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv("TRISYNAPSE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with ModelServer(reply) as server:
        here = server.service("openai")
        table = tuple(here if one.name == "openai" else one for one in services.SERVICES)
        monkeypatch.setattr(services, "SERVICES", table)
        monkeypatch.setattr(furnishing, "Egress", partial(Egress, allowed=LOOPBACK))
        opened: list[MemoryEngine] = []

        def reopen() -> MemoryEngine:
            for one in opened:
                one.close()
            opened.append(MemoryEngine.open(tmp_path / "one.vault"))
            return opened[-1]

        made = Desk(reopen(), server, reopen)
        made.engine.ingest(
            SourceInput(text=LIGHT, title="Light"),
            SourceInput(text=SECRET, title="Kestrel"),
            SourceInput(text=PRIVATE, title="Marlin", collections=("Interviews",)),
            wait=False,
        )
        yield made
        for one in opened:
            one.close()


def test_nothing_leaves_before_she_allows_it_and_then_the_ledger_shows_every_byte(desk: Desk):
    desk.engine.keys.set("openai", KEY, session_only=True)
    choice = desk.engine.models.choose("completion", "openai")
    assert choice.state == "not-allowed"
    desk.engine.jobs.wait(WAIT_S, include_idle=True)
    answer = desk.ask()
    assert (answer.answer, answer.model, desk.server.requests) == (LIGHT, None, [])
    assert "not been allowed" in answer.note
    assert "not been allowed" in desk.task("model facts").trouble
    assert not desk.engine.models.test("answer").passed
    sheet = desk.engine.privacy.sheet("openai")
    assert (sheet.label, sheet.host) == ("OpenAI", "127.0.0.1")
    assert "Your questions, with the passages found for them." in sheet.sent

    assert desk.engine.privacy.allow("openai").is_allowed
    answer = desk.ask()
    assert (answer.answer, answer.model) == (LIGHT, f"openai/{choice.model}")
    desk.engine.jobs.wait(WAIT_S, include_idle=True)
    assert desk.task("model facts").pending == 0
    rows = desk.engine.privacy.requests()
    assert len(rows) == len(desk.server.requests)
    assert sum(row.sent_bytes for row in rows) == desk.server.received_bytes
    asked = next(row for row in rows if row.purpose == "answer")
    assert desk.source_of("rotating mirror") in asked.source_ids
    assert {row.host for row in rows} == {"127.0.0.1"}
    spent = desk.engine.privacy.spending()
    assert spent.spent_usd > 0
    assert spent.input_tokens == 11 * len(rows)

    engine = desk.reopen()
    assert engine.privacy.requests() == rows
    assert engine.privacy.spending() == spent
    assert engine.models.roles()[0].state == "no-key"  # it was kept for that run only


def test_what_is_sensitive_never_leaves_and_the_answer_is_in_its_own_words(desk: Desk):
    desk.let_it_write()
    desk.engine.sources.mark_sensitive(str(desk.source_of("Kestrel mission")))
    desk.engine.models.choose("completion", "openai")
    answer = desk.ask("What does the Kestrel mission cost?")
    assert answer.answer == SECRET
    assert answer.not_sent >= 1
    desk.ask()
    desk.engine.jobs.wait(WAIT_S, include_idle=True)
    assert desk.server.requests
    assert not desk.saw("4711")
    assert all(desk.source_of("Kestrel mission") not in row.source_ids for row in desk.engine.privacy.requests())


def test_a_collection_that_is_asked_for_leaves_only_when_she_says_so(desk: Desk):
    desk.let_it_write()
    desk.engine.privacy.set_rule("Interviews", Sharing.ASK)
    who = "Who built the Marlin telescope?"
    held = desk.ask(who)
    assert (held.answer, held.asks) == (PRIVATE, ("Interviews",))
    assert not desk.saw("Ada Quill")
    shared = desk.ask(who, share=("Interviews",))
    assert (shared.answer, bool(shared.model), desk.saw("Ada Quill")) == (PRIVATE, True, True)


def test_a_collection_that_is_never_shared_stays_here_after_a_restart_and_in_a_new_version(desk: Desk, tmp_path: Path):
    desk.engine.privacy.set_rule("Interviews", Sharing.NEVER)
    desk.let_it_write()
    desk.engine.models.choose("completion", "openai")
    paper = tmp_path / "paper.txt"
    paper.write_text("The Osprey survey was led by Nora Field in 1923.")
    desk.engine.ingest(SourceInput(path=str(paper), collections=("Interviews",)))
    engine = desk.engine = desk.reopen()
    engine.keys.set("openai", KEY, session_only=True)
    paper.write_text("The Osprey survey was led by Nora Field and Tom Reed in 1923.")
    engine.ingest(paper)
    desk.ask("Who led the Osprey survey?", share=("Interviews",))
    desk.ask("Who built the Marlin telescope?", share=("Interviews",))
    engine.jobs.wait(WAIT_S, include_idle=True)
    assert desk.server.requests
    assert not any(desk.saw(words) for words in ("Ada Quill", "Nora Field", "Tom Reed"))


def test_offline_stops_everything_at_once_survives_a_restart_and_can_be_lifted(desk: Desk):
    desk.let_it_write()
    desk.engine.models.choose("extraction", "openai")
    assert desk.engine.privacy.set_offline(True)
    count = len(desk.server.requests)
    desk.engine.ingest(SourceInput(text="BERT was pretrained with Adam.", title="BERT"))
    answer = desk.ask()
    assert (answer.answer, answer.model) == (LIGHT, None)
    assert "offline is on" in answer.note
    engine = desk.engine = desk.reopen()
    assert engine.privacy.offline()
    engine.keys.set("openai", KEY, session_only=True)
    task = desk.task("model facts")
    assert task.pending > 0
    assert "offline is on" in task.trouble
    assert len(desk.server.requests) == count
    assert not engine.privacy.set_offline(False)
    engine.jobs.wait(WAIT_S, include_idle=True)
    assert desk.task("model facts").pending == 0
    assert len(desk.server.requests) > count


def test_a_budget_that_is_spent_stops_the_model_and_not_the_answers(desk: Desk):
    desk.let_it_write()
    assert desk.ask().model
    spent = desk.engine.privacy.spending().spent_usd
    assert desk.engine.privacy.set_budget(spent).budget_usd == spent
    count = len(desk.server.requests)
    answer = desk.ask()
    assert (answer.answer, answer.model, len(desk.server.requests)) == (LIGHT, None, count)
    assert "spent" in answer.note
    assert desk.engine.models.roles()[0].state == "budget"
    desk.engine.privacy.set_budget(None)
    assert desk.ask().model


def test_a_key_that_is_taken_away_works_no_longer_and_is_found_nowhere(desk: Desk, tmp_path: Path):
    desk.let_it_write()
    assert desk.ask().model
    assert any(KEY in value for seen in desk.server.requests for value in seen.headers.values())
    assert desk.engine.keys.remove("openai").place == ""
    count = len(desk.server.requests)
    answer = desk.ask()
    assert (answer.answer, answer.model, len(desk.server.requests)) == (LIGHT, None, count)
    assert "no key" in answer.note.lower()
    desk.engine.close()
    for path in (tmp_path / "one.vault").rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path


def test_a_permission_that_is_taken_back_holds_from_the_next_request_on(desk: Desk):
    desk.let_it_write()
    assert desk.ask().model
    assert not desk.engine.privacy.disallow("openai").is_allowed
    count = len(desk.server.requests)
    assert desk.ask().model is None
    assert len(desk.server.requests) == count


def test_background_work_begins_when_a_model_is_chosen_and_ends_when_it_is_not(desk: Desk):
    desk.let_it_write()
    assert "model facts" not in {task.name for task in desk.engine.jobs.list()}
    desk.engine.models.choose("extraction", "openai")
    desk.engine.jobs.wait(WAIT_S, include_idle=True)
    assert (desk.task("model facts").pending, desk.task("model facts").trouble) == (0, "")
    assert "model_facts" in desk.engine.reindex()
    desk.engine.models.clear("extraction")
    desk.engine.jobs.wait(WAIT_S, include_idle=True)
    assert "model facts" not in {task.name for task in desk.engine.jobs.list()}
    assert "model_facts" not in desk.engine.reindex()


def test_a_vault_of_another_machine_brings_no_permission_along(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    desk.let_it_write()
    monkeypatch.setenv("TRISYNAPSE_DEVICE_ID", "dev_other")
    engine = desk.engine = desk.reopen()
    engine.keys.set("openai", KEY, session_only=True)
    assert engine.models.roles()[0].state == "not-allowed"
    assert desk.ask().model is None
    assert desk.server.requests == []


def test_the_doors_work_over_the_private_socket_and_an_offline_client_is_offline(desk: Desk, tmp_path: Path):
    service = Service(desk.engine)
    client = attach(tmp_path / "one.vault", 5.0)
    assert client is not None
    try:
        assert client.call("keys.set", service="openai", key=KEY, session_only=True).place == "session"
        assert client.call("models.choose", role="answer", service="openai").role is Role.ANSWER
        assert client.call("privacy.allow", service="openai").is_allowed
        assert client.call("models.test", role="answer").reply == "ready"
        assert client.call("query", question=WHO).model
        count = len(desk.server.requests)
        refused = client.call("query", question=WHO, offline=True)
        assert (refused.answer, refused.model, len(desk.server.requests)) == (LIGHT, None, count)
        assert client.call("privacy.requests", limit=1)[0].purpose == "answer"
    finally:
        client.close()
        service.close()


def test_a_remote_embedder_is_sent_what_may_leave_and_its_vectors_answer_when_they_are_whole(desk: Desk):
    desk.engine.keys.set("openai", KEY, session_only=True)
    desk.engine.privacy.allow("openai")
    desk.engine.sources.mark_sensitive(str(desk.source_of("Kestrel mission")))
    desk.engine.privacy.set_rule("Interviews", Sharing.NEVER)
    assert desk.engine.models.choose("embedding", "openai", EMBEDDER).state == "ready"
    desk.engine.jobs.wait(WAIT_S)
    assert desk.saw("rotating mirror")
    assert not any(desk.saw(words) for words in ("4711", "Ada Quill"))
    count = len(desk.server.requests)
    answer = desk.ask("What does the Kestrel mission cost?")
    assert (answer.answer, answer.coverage.not_embedded, answer.coverage.parts_off) == (SECRET, 2, ())
    assert len(desk.server.requests) == count + 1  # the question itself was embedded by the service that answers
    assert desk.engine.privacy.spending().input_tokens > 0
    assert desk.engine.models.test("embedding").reply == "8 dimensions"
    desk.engine.privacy.set_offline(True)
    assert desk.ask().coverage.parts_off == ("semantic",)
    desk.engine.models.choose("embedding", "built-in")
    desk.engine.jobs.wait(WAIT_S)
    assert desk.ask().coverage.parts_off == ()
