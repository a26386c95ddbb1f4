"""In doubt her local model is asked, never a remote one; what it says counts, and where it fails nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log
from pathlib import Path
from threading import Event

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import OnText
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines.writing import doubts
from trisynapse_memory.pipelines.writing.doubts import NEITHER, TOO_SLOW
from trisynapse_memory.types import Answer, Completion, Finish, Prompt, QueryRun, SourceInput

KESTREL = "Kestrel is the new telescope of the institute. Kestrel was finished in 1987 by a small team of opticians."
LIGHT = "Foucault measured the speed of light with a rotating mirror in 1862."
QUESTIONS = (  # from nearly sure to nearly nothing; the gate calls some of them doubtful, wherever its borders lie
    "Who finished the telescope Kestrel?",
    "Who paid for the new telescope of the institute?",
    "Which opticians of the institute polished the big lens of the telescope?",
    "What did the small team think of the telescope?",
    "How did Foucault measure the heat of light with a mirror?",
    "Where did the rotating mirror of Foucault come from?",
    "Which company sold a mirror to the institute?",
    "What is the weather at the institute?",
)


class Judge:
    """Says how likely it finds a yes; writes no answer."""

    provider, model, max_tokens = "scripted", "judge/1", 8_192

    def __init__(self, yes: float, *, is_remote: bool = False) -> None:
        self.is_remote = is_remote
        self.prompts: list[Prompt] = []
        self.reply: Completion | ProviderError = Completion(text="yes", odds=(log(yes), log(1 - yes)))

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        if not prompt.choices:
            return Completion(text='{"sentences": []}')
        self.prompts.append(prompt)
        if isinstance(self.reply, ProviderError):
            raise self.reply
        if self.reply.finish is Finish.CANCELLED and stop is not None:
            stop.wait()  # a model too slow is stopped by us
        return self.reply


@pytest.fixture
def open_with(tmp_path: Path, in_process: None) -> Iterator[Callable[..., MemoryEngine]]:
    opened: list[MemoryEngine] = []

    def make(model: Judge, weight: float = 1.0) -> MemoryEngine:
        config = Config(doubt_weight=weight)
        engine = MemoryEngine.open(tmp_path / f"{len(opened)}.vault", completer=model, config=config)
        opened.append(engine)
        engine.ingest(SourceInput(text=KESTREL, title="Telescopes"), SourceInput(text=LIGHT, title="Light"))
        return engine

    yield make
    for one in opened:
        one.close()


def gate_of(engine: MemoryEngine, question: str) -> dict[str, float]:
    return engine.search(question, explain=True).gate


def doubtful(engine: MemoryEngine) -> list[str]:
    gates = {one: gate_of(engine, one) for one in QUESTIONS}
    found = [one for one, gate in gates.items() if gate["doubtful"] and not gate["barred"]]
    assert found, "no question is doubtful; add one between those that are answered and those that are not"
    return found


def said(engine: MemoryEngine, answer: Answer) -> dict[str, str] | None:
    run = engine.runs.show(answer.query_id)
    assert isinstance(run, QueryRun)
    return next((step.summary for step in run.steps if step.phase == "doubt"), None)


def test_a_sure_yes_lets_a_doubtful_question_be_answered_and_a_sure_no_refuses_it(open_with):
    for yes, is_refused in ((0.999999, False), (0.000001, True)):
        judge = Judge(yes)
        engine = open_with(judge)
        asked = doubtful(engine)
        answers = [engine.query(one) for one in asked]
        assert [one.abstain for one in answers] == [is_refused] * len(asked)
        assert len(judge.prompts) == len(asked)
        told = said(engine, answers[0])
        assert told is not None
        assert (told["model"], float(told["model_yes"])) == ("scripted/judge/1", pytest.approx(yes, abs=0.001))


def test_nobody_is_asked_where_the_measures_leave_no_doubt(open_with):
    judge = Judge(0.5)
    engine = open_with(judge)
    for question in ("When was Kestrel finished?", "What is a qubit?"):
        assert not gate_of(engine, question)["doubtful"]
        assert said(engine, engine.query(question)) is None
    assert judge.prompts == []


def test_nobody_is_asked_unless_she_gave_the_model_a_weight(open_with):
    judge = Judge(0.999999)
    assert Config().doubt_weight == 0.0
    engine = open_with(judge, Config().doubt_weight)
    for question in doubtful(engine):
        engine.query(question)
    assert judge.prompts == []


def test_what_nothing_makes_up_for_is_refused_whatever_the_model_says(open_with):
    judge = Judge(0.999999)
    engine = open_with(judge)
    assert engine.query("Which telescope of the institute has the number KX-00120?").abstain
    assert judge.prompts == []


def test_neither_a_remote_model_is_asked_nor_any_when_she_wants_none(open_with):
    remote = Judge(0.999999, is_remote=True)
    engine = open_with(remote)
    for question in doubtful(engine):
        engine.query(question)
    assert remote.prompts == []
    local = Judge(0.999999)
    engine = open_with(local)
    for question in doubtful(engine):
        engine.query(question, model="none")
    assert local.prompts == []


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        (ProviderError("The model is away."), "The model is away."),
        (Completion(text="Well, perhaps"), NEITHER),
        (Completion(text="", finish=Finish.CANCELLED), TOO_SLOW),
    ],
)
def test_a_model_that_fails_changes_nothing_and_the_run_says_why(open_with, monkeypatch, reply, note):
    monkeypatch.setattr(doubts, "DOUBT_S", 0.01)
    judge = Judge(0.5)
    judge.reply = reply
    engine = open_with(judge)
    (question, *_) = doubtful(engine)
    alone = engine.query(question, model="none")
    answer = engine.query(question)
    assert (answer.abstain, answer.answer, answer.confidence) == (alone.abstain, alone.answer, alone.confidence)
    told = said(engine, answer)
    assert told is not None
    assert told["note"] == note
