"""What is told of a question while it is answered crosses the socket; a client that leaves stops its model."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from trisynapse_memory.client import EngineClient
from trisynapse_memory.contracts import OnText
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.service import Service
from trisynapse_memory.types import AnswerStep, Completion, Finish, Prompt, Role, SourceInput
from trisynapse_memory.vault import Owner, owner_of

MIRROR = "Foucault measured the speed of light with a rotating mirror in 1862."
QUESTION = "Who measured the speed of light?"
LONG_S = 20.0


class Writer:
    """Writes one true sentence; where it is told to be endless, it then waits to be stopped."""

    provider, model, max_tokens, is_remote = "scripted", "writer/1", 8_192, False

    def __init__(self) -> None:
        self.is_endless = False
        self.began, self.stopped = threading.Event(), threading.Event()

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        reply = json.dumps({"sentences": [{"passages": [1], "text": MIRROR}]})
        if prompt.role is not Role.ANSWER or on_text is None or stop is None:
            return Completion(text="{}")
        on_text(reply)
        self.began.set()
        if self.is_endless and stop.wait(LONG_S):
            self.stopped.set()
            return Completion(text=reply, finish=Finish.CANCELLED)
        return Completion(text=reply)


@pytest.fixture
def writer() -> Writer:
    return Writer()


@pytest.fixture
def owner(
    tmp_path: Path,
    in_process: None,
    writer: Writer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Owner]:
    """A served vault with one source and a model."""
    # A short folder: the address of a socket has room for 108 bytes.
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    with MemoryEngine.open(tmp_path / "one.vault", completer=writer, offline=True) as engine:
        engine.ingest(SourceInput(text=MIRROR, title="The mirror"))
        service = Service(engine)
        found = owner_of(tmp_path / "one.vault")
        assert found is not None
        yield found
        service.close()


def test_the_steps_of_a_question_reach_the_client_typed_and_in_order(owner: Owner):
    told: list[AnswerStep] = []
    with closing(EngineClient(owner)) as client:
        answer = client.call("query", progress=told.append, question=QUESTION, ask_id="a1")
    assert [step.stage for step in told] == ["evidence", "writing", "sentence", "answer"]
    assert all(isinstance(step, AnswerStep) and step.ask_id == "a1" for step in told)
    assert told[-1].answer == answer
    assert answer.model == "scripted/writer/1"


def test_a_client_that_does_not_listen_gets_the_answer_all_the_same(owner: Owner):
    with closing(EngineClient(owner)) as client:
        assert client.call("query", question=QUESTION).answer == MIRROR


def test_a_question_is_stopped_by_its_id_over_the_socket(owner: Owner, writer: Writer):
    writer.is_endless = True
    with closing(EngineClient(owner)) as client:
        asked = client.start("query", question=QUESTION, ask_id="a1")
        assert writer.began.wait(LONG_S)
        client.start("runs.cancel", run_id="a1")
        replies = iter(client.receive, None)
        result = next(one for one in replies if one.id == asked and one.kind == "result")
        answer = client.decode("query", result)
    assert (answer.answer, writer.stopped.is_set()) == (MIRROR, True)


def test_a_client_that_leaves_stops_what_was_written_for_it(owner: Owner, writer: Writer):
    writer.is_endless = True
    with closing(EngineClient(owner)) as client:
        client.start("query", question=QUESTION, ask_id="a1")
        assert writer.began.wait(LONG_S)
    assert writer.stopped.wait(LONG_S)
