"""In a thread, a follow-up is looked up as what it means; her words are shown, and nobody sees more than they may."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import msgspec
import pytest

from trisynapse_memory.contracts import OnText
from trisynapse_memory.errors import ProviderError, UnknownRecordError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Answer, Completion, Prompt, Role, SourceInput

KESTREL = "Kestrel is the new telescope of the institute. Kestrel was finished in 1987 by a small team."
LIGHT = "Foucault measured the speed of light with a rotating mirror in 1862."


class Rewriter:
    """Rewrites as it is told, and leaves the answer to the sources."""

    provider, model, max_tokens = "scripted", "rewriter/1", 8_192

    def __init__(self, reply: str | ProviderError, *, is_remote: bool = False) -> None:
        self.is_remote = is_remote
        self.prompts: list[Prompt] = []
        self._reply = reply

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        if prompt.role is Role.ANSWER:
            return Completion(text='{"sentences": []}')
        if prompt.role is not Role.REWRITING:
            return Completion(text="{}")
        self.prompts.append(prompt)
        if isinstance(self._reply, ProviderError):
            raise self._reply
        return Completion(text=self._reply)


@pytest.fixture
def open_with(tmp_path: Path, in_process: None) -> Iterator[Callable[..., MemoryEngine]]:
    opened: list[MemoryEngine] = []

    def make(model: Rewriter | None = None) -> MemoryEngine:
        engine = MemoryEngine.open(tmp_path / f"{len(opened)}.vault", completer=model)
        opened.append(engine)
        engine.ingest(SourceInput(text=KESTREL, title="Telescopes"), SourceInput(text=LIGHT, title="Light"))
        return engine

    yield make
    for one in opened:
        one.close()


def talk(engine: MemoryEngine, question: str) -> str:
    """A thread with one question and its answer, as the window keeps it."""
    thread = engine.threads.create("Chat").thread_id
    engine.threads.append(thread, "user", question)
    answer = engine.query(question, thread_id=thread, model="none")
    kept = msgspec.json.encode(answer).decode()
    engine.threads.append(thread, "assistant", answer.answer, answer.query_id, kept)
    return thread


def test_a_follow_up_is_answered_as_what_it_means_and_shown_as_she_asked(open_with):
    engine = open_with()
    thread = talk(engine, "What is Kestrel?")
    answer = engine.query("And when was it finished?", thread_id=thread)
    assert (answer.question, answer.asked_as) == ("And when was it finished?", "When was Kestrel finished?")
    assert "1987" in answer.answer
    assert engine.query("And when was it finished?").asked_as == ""


def test_a_question_that_stands_alone_is_left_alone(open_with):
    engine = open_with(Rewriter("{}"))
    thread = talk(engine, "What is Kestrel?")
    answer = engine.query("Who measured the speed of light?", thread_id=thread)
    assert (answer.asked_as, "Foucault" in answer.answer) == ("", True)


def test_the_message_that_asks_is_not_taken_for_what_was_said_before(open_with):
    engine = open_with()
    thread = talk(engine, "What is Kestrel?")
    engine.threads.append(thread, "user", "And when was it finished?")
    assert engine.query("And when was it finished?", thread_id=thread).asked_as == "When was Kestrel finished?"
    empty = engine.threads.create("New").thread_id
    assert engine.query("And when was it finished?", thread_id=empty).asked_as == ""


def test_a_second_follow_up_builds_on_what_the_first_one_meant(open_with):
    engine = open_with()
    thread = talk(engine, "What is Kestrel?")
    first: Answer = engine.query("And when was it finished?", thread_id=thread)
    engine.threads.append(thread, "user", first.question)
    engine.threads.append(thread, "assistant", first.answer, first.query_id, msgspec.json.encode(first).decode())
    assert engine.query("By whom was it finished?", thread_id=thread).asked_as == "By whom was Kestrel finished?"


def test_a_model_rewords_it_where_it_adds_nothing(open_with):
    model = Rewriter(json.dumps({"question": "When was the telescope Kestrel finished?"}))
    engine = open_with(model)
    thread = talk(engine, "What is Kestrel?")
    assert engine.query("And when was it finished?", thread_id=thread).asked_as == (
        "When was the telescope Kestrel finished?"
    )
    (prompt,) = model.prompts
    assert "What is Kestrel?" in prompt.text
    assert "new telescope" in prompt.text


@pytest.mark.parametrize("reply", ['{"question": "When did Mallory finish it?"}', "no", ProviderError("It is away.")])
def test_a_model_that_adds_or_fails_changes_nothing(open_with, reply: str | ProviderError):
    engine = open_with(Rewriter(reply))
    thread = talk(engine, "What is Kestrel?")
    assert engine.query("And when was it finished?", thread_id=thread).asked_as == "When was Kestrel finished?"


def test_a_remote_model_is_told_no_answer_that_rests_on_a_sensitive_source(open_with):
    model = Rewriter("{}", is_remote=True)
    engine = open_with(model)
    thread = talk(engine, "What is the new telescope of the institute?")
    secret = next(one for one in engine.sources.list() if one.title == "Telescopes")
    engine.sources.mark_sensitive(secret.source_id, True)
    answer = engine.query("And when was it finished?", thread_id=thread)
    assert model.prompts
    assert not any("Kestrel" in prompt.text or secret.source_id in prompt.source_ids for prompt in model.prompts)
    assert "Kestrel" not in answer.asked_as  # it would be told to the model that answers


def test_a_thread_that_does_not_exist_is_an_error(open_with):
    with pytest.raises(UnknownRecordError):
        open_with().query("And when was it finished?", thread_id="t_none")
