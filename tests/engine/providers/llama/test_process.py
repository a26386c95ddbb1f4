"""The child of a model seen from the engine, with a script in the model's place: it dies, hangs, and is stopped."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trisynapse_memory.errors import (
    ModelDiedError,
    ModelFileError,
    ModelTooLargeError,
    OfflineError,
    PromptTooLongError,
)
from trisynapse_memory.providers.llama import pipe as llama_pipe
from trisynapse_memory.providers.llama.messages import AskRequest
from trisynapse_memory.providers.llama.pipe import Plan
from trisynapse_memory.providers.llama.process import DEATHS_MAX, ModelProcess, Outcome
from trisynapse_memory.types import Finish

Start = Callable[..., ModelProcess]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Make processes whose child is the scripted one, and end them."""
    monkeypatch.setattr(llama_pipe, "_CHILD_MODULE", "tests.engine.providers.scripted_child")
    made: list[ModelProcess] = []

    def run(path: str = "scripted.gguf", admit: Callable[[], None] = lambda: None, **wishes: float) -> ModelProcess:
        plan = Plan(path=Path(path), context_tokens=512, thread_count=1, **wishes)  # pyright: ignore[reportArgumentType]
        made.append(ModelProcess(plan, admit))
        return made[-1]

    yield run
    for one in made:
        one.close()


def ask(
    process: ModelProcess,
    text: str,
    on_text: Callable[[str], object] | None = None,
    stop: threading.Event | None = None,
) -> Outcome:
    return process.ask(AskRequest(number=0, text=text), True, on_text, stop)  # pyright: ignore[reportArgumentType]


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something another process does."""
    limit = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < limit
        time.sleep(0.01)


def is_running(process_id: int) -> bool:
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_the_pieces_are_the_reply_and_come_in_order(start: Start):
    pieces: list[str] = []
    outcome = ask(start(), "the sea is salty", pieces.append)
    assert outcome.text == "".join(pieces) == "the sea is salty "
    assert outcome.done.finish is Finish.STOP
    assert 0 < outcome.first_ms <= outcome.total_ms


def test_one_child_serves_one_request_after_the_other(start: Start):
    process = start()
    ask(process, "one")
    first = process.process_id
    assert process.count(("a b", "c")) == (2, 1)
    ask(process, "two")
    assert process.process_id == first


def test_what_it_raises_arrives_as_the_same_error_and_the_child_lives(start: Start):
    process = start()
    ask(process, "one")
    first = process.process_id
    with pytest.raises(PromptTooLongError):
        ask(process, "long")
    ask(process, "two")
    assert process.process_id == first


def test_a_model_that_cannot_be_loaded_leaves_no_child(start: Start):
    process = start("unknown.gguf")
    for _ in range(DEATHS_MAX + 1):  # it did not die, so it may be tried for ever
        with pytest.raises(ModelFileError):
            ask(process, "hello")
        assert process.process_id is None


def test_a_child_that_dies_in_the_middle_costs_its_request_only(start: Start):
    process = start()
    pieces: list[str] = []
    with pytest.raises(ModelDiedError, match="ended by signal 9"):
        ask(process, "die", pieces.append)
    assert pieces == ["half "]
    assert ask(process, "again").text == "again "


def test_after_three_deaths_in_a_row_it_stays_off(start: Start):
    process = start()
    for _ in range(DEATHS_MAX):
        with pytest.raises(ModelDiedError, match="ended by signal"):
            ask(process, "die")
    with pytest.raises(ModelDiedError, match="3 times in a row; it stays off"):
        ask(process, "hello")
    assert process.process_id is None


def test_an_answer_between_two_deaths_starts_the_count_anew(start: Start):
    process = start()
    for _ in range(DEATHS_MAX):
        with pytest.raises(ModelDiedError, match="ended by signal"):
            ask(process, "die")
        assert ask(process, "hello").text == "hello "


def test_an_illegal_instruction_is_named_and_never_tried_again(start: Start):
    process = start("illegal.gguf")
    for _ in range(2):
        with pytest.raises(ModelDiedError, match="instructions that this processor does not know"):
            ask(process, "hello")
    assert process.process_id is None


def test_a_stopped_reply_keeps_what_came_and_the_child(start: Start):
    process, stop = start(), threading.Event()
    ask(process, "warm")
    first = process.process_id
    outcome = ask(process, "write", lambda _: stop.set(), stop)
    assert (outcome.text, outcome.done.finish) == ("word ", Finish.CANCELLED)
    assert ask(process, "next").text == "next "
    assert process.process_id == first


def test_a_child_that_does_not_hear_is_not_waited_for(start: Start):
    process, stop = start(), threading.Event()
    ask(process, "warm")
    outcome = ask(process, "deaf", lambda _: stop.set(), stop)
    assert (outcome.text, outcome.done.finish) == ("word ", Finish.CANCELLED)


def test_a_request_that_waits_for_another_can_be_stopped(start: Start):
    process, first_stop, second_stop = start(), threading.Event(), threading.Event()
    writing = threading.Event()
    first = threading.Thread(target=ask, args=(process, "write", lambda _: writing.set(), first_stop))
    first.start()
    assert writing.wait(30)
    second_stop.set()
    assert ask(process, "hello", None, second_stop).done.finish is Finish.CANCELLED
    assert first.is_alive()
    first_stop.set()
    first.join(30)


def test_whoever_looks_on_may_fail_and_the_child_stops_writing(start: Start):
    process = start()

    def look(_: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(process, "write", look, threading.Event())
    assert ask(process, "next").text == "next "


def test_a_child_that_says_nothing_for_too_long_is_ended(start: Start, monkeypatch: pytest.MonkeyPatch):
    process = start()
    ask(process, "warm")
    monkeypatch.setattr(llama_pipe, "SILENCE_S", 0.2)
    with pytest.raises(ModelDiedError, match="said nothing for"):
        ask(process, "deaf")
    assert process.process_id is None


def test_a_child_that_nobody_asked_for_long_was_not_silent(start: Start):
    process = start(idle_s=0)
    ask(process, "warm")
    assert process._child is not None
    process._child._heard_at -= 2 * llama_pipe.SILENCE_S
    assert ask(process, "ponder", None, threading.Event()).text == "late "


def test_a_model_nobody_asks_is_unloaded_and_comes_back(start: Start):
    process = start(idle_s=0.05)
    ask(process, "one")
    until(lambda: process.process_id is None)
    assert ask(process, "two").text == "two "


def test_a_model_at_work_is_not_unloaded(start: Start):
    process, stop, writing = start(), threading.Event(), threading.Event()
    thread = threading.Thread(target=ask, args=(process, "write", lambda _: writing.set(), stop))
    thread.start()
    assert writing.wait(30)
    assert not process.unload()
    stop.set()
    thread.join(30)
    assert process.unload()
    assert process.process_id is None


def test_a_closed_model_is_gone_and_starts_nothing(start: Start):
    process = start()
    ask(process, "one")
    child = process.process_id
    assert child is not None
    process.close()
    until(lambda: not is_running(child))
    with pytest.raises(ModelDiedError, match="was closed"):
        ask(process, "two")
    assert process.process_id is None


def test_closing_ends_a_request_on_its_way(start: Start):
    process = start()
    with pytest.raises(ModelDiedError, match="was closed"):
        ask(process, "deaf", lambda _: process.close())


def test_no_child_is_started_where_the_model_is_not_admitted(start: Start):
    def refuse() -> None:
        raise ModelTooLargeError("Too large.")

    process = start(admit=refuse)
    with pytest.raises(ModelTooLargeError):
        ask(process, "hello")
    assert process.process_id is None


def test_the_child_reaches_no_network(start: Start):
    with pytest.raises(OfflineError):
        ask(start(), "network")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_child_steps_back_and_goes_first_when_memory_runs_out(start: Start):
    assert ask(start(), "rank").text == f"{os.nice(0) + 10} 800"


PARENT = """
import sys, time
from pathlib import Path
from trisynapse_memory.providers.llama import pipe as llama_pipe
from trisynapse_memory.providers.llama.messages import AskRequest
from trisynapse_memory.providers.llama.process import ModelProcess

llama_pipe._CHILD_MODULE = "tests.engine.providers.scripted_child"
plan = llama_pipe.Plan(path=Path("scripted.gguf"), context_tokens=512, thread_count=1)
process = ModelProcess(plan, lambda: None)
process.ask(AskRequest(number=0, text=sys.argv[1]), True, lambda _: print(process.process_id, flush=True), None)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("prompt", ["write", "hello"])
def test_a_killed_parent_takes_its_child_along(prompt: str):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folder for folder in sys.path if folder)}
    command = [sys.executable, "-c", PARENT, prompt]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_running(child)
        parent.kill()
    until(lambda: not is_running(child))
