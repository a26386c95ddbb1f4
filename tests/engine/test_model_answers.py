"""A question to a vault with a model: evidence first, checked sentences as they come, never less than without one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from trisynapse_memory.contracts import OnText
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines.writing.model_answers import (
    CUT_SHORT,
    DECLINED,
    NOTHING_FOUND,
    NOTHING_STOOD,
    NOTHING_TO_SEND,
    RAMBLED,
    STOPPED,
    UNREADABLE,
)
from trisynapse_memory.types import (
    Answer,
    AnswerStage,
    AnswerStep,
    CitationVerdict,
    Completion,
    Finish,
    Prompt,
    Role,
    Sharing,
    SourceInput,
    Usage,
)

MIRROR = "Foucault measured the speed of light with a rotating mirror in 1862."
WHEEL = "Fizeau measured the speed of light with a toothed wheel in 1849."
QUESTION = "Who measured the speed of light?"
NOWHERE = "What is the airspeed of an unladen swallow?"

Say = Callable[[Prompt], object]


class Writer:
    """Writes what it is told to, in pieces; ``say`` returns a reply, a ``Completion``, or raises."""

    def __init__(self, say: Say, *, is_remote: bool = False, pieces: int = 7) -> None:
        self.provider, self.model, self.max_tokens, self.is_remote = "scripted", "writer/1", 8_192, is_remote
        self.prompts: list[Prompt] = []
        self._say, self._size = say, pieces

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        if prompt.role is not Role.ANSWER:
            return Completion(text="{}")
        self.prompts.append(prompt)
        said = self._say(prompt)
        completion = said if isinstance(said, Completion) else Completion(text=str(said), usage=Usage(output_tokens=9))
        for start in range(0, len(completion.text), self._size):
            if on_text is not None:
                on_text(completion.text[start : start + self._size])
        return completion


def rows(*sentences: tuple[str, list[int]]) -> str:
    return json.dumps({"sentences": [{"passages": passages, "text": text} for text, passages in sentences]})


def number_of(prompt: Prompt, text: str) -> int:
    """The number of the passage that holds a text."""
    before = prompt.text.partition(text)[0]
    return before.count("[[passage ")


def quotes(*texts: str) -> Say:
    """A model that copies sentences from the passages that hold them."""
    return lambda prompt: rows(*((text, [number_of(prompt, text)]) for text in texts))


@pytest.fixture
def ask(tmp_path: Path, in_process: None) -> Iterator[Callable[..., tuple[Answer, list[AnswerStep]]]]:
    """Ask a vault of two sources with a model; returns the answer and every step that was told."""
    opened: list[MemoryEngine] = []

    def put(
        writer: Writer | None, question: str = QUESTION, steps: list[AnswerStep] | None = None, **wishes: object
    ) -> tuple[Answer, list[AnswerStep]]:
        folder = tmp_path / f"{len(opened)}.vault"
        engine = MemoryEngine.open(folder, completer=writer, offline=True)
        opened.append(engine)
        engine.ingest(SourceInput(text=MIRROR, title="The mirror"), SourceInput(text=WHEEL, title="The wheel"))
        told = [] if steps is None else steps
        return engine.query(question, progress=told.append, **wishes), told  # type: ignore[arg-type]

    yield put
    for one in opened:
        one.close()


def texts(answer: Answer) -> list[str]:
    return [sentence.text for sentence in answer.sentences]


def test_evidence_comes_first_then_each_sentence_that_stands_then_the_answer(ask):
    answer, steps = ask(Writer(quotes(MIRROR, WHEEL)), ask_id="a1")
    assert [step.stage for step in steps] == ["evidence", "writing", "sentence", "sentence", "answer"]
    assert {step.ask_id for step in steps} == {"a1"}
    assert MIRROR in [passage.excerpt for passage in steps[0].passages]
    assert [step.sentence.text for step in steps if step.sentence] == [MIRROR, WHEEL]
    assert [one.verdict for step in steps for one in step.citations] == [CitationVerdict.VERBATIM] * 2
    assert steps[-1].answer == answer
    assert (answer.model, answer.note) == ("scripted/writer/1", "")
    assert answer.usage is not None
    assert texts(answer) == [MIRROR, WHEEL]


def test_a_sentence_is_told_before_the_reply_is_whole(ask):
    steps: list[AnswerStep] = []
    heard: list[AnswerStage] = []

    class Slow(Writer):
        def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
            assert on_text is not None
            reply = rows((MIRROR, [number_of(prompt, MIRROR)]), ("Foucault was paid for it.", [1]))
            cut = reply.index("paid")
            on_text(reply[:cut])
            heard.extend(step.stage for step in steps)
            on_text(reply[cut:])
            return Completion(text=reply)

    answer, _ = ask(Slow(quotes()), steps=steps)
    assert heard == ["evidence", "writing", "sentence"]
    assert (texts(answer), answer.withheld) == ([MIRROR], 1)


def test_every_shown_sentence_has_passed_and_the_others_are_counted(ask):
    answer, steps = ask(Writer(quotes(MIRROR, "Einstein measured it with a candle.", MIRROR.replace("1862", "1863"))))
    assert texts(answer) == [MIRROR]
    assert answer.withheld == 2
    assert sum(step.stage == AnswerStage.SENTENCE for step in steps) == 1


def test_an_invented_passage_number_never_reaches_the_answer(ask):
    answer, _ = ask(Writer(lambda prompt: rows((MIRROR, [77]), (WHEEL, [0]))))
    known = {citation.n for citation in answer.citations}
    assert texts(answer) == [MIRROR, WHEEL]
    assert all(set(sentence.citations) <= known for sentence in answer.sentences)


def test_what_the_model_left_out_is_quoted_first(ask):
    plain, _ = ask(None)
    first, other = (MIRROR, WHEEL) if texts(plain)[0] == MIRROR else (WHEEL, MIRROR)
    answer, _ = ask(Writer(quotes(other)))
    assert texts(answer) == [first, other]
    assert answer.model == "scripted/writer/1"


def refuse(prompt: Prompt) -> str:
    raise ProviderError("The model has gone away.", hint="Start it again.")


def cut_off(prompt: Prompt) -> Completion:
    return Completion(text='{"sentences": [{"passages": [1], "te', finish=Finish.LENGTH)


@pytest.mark.parametrize(
    ("say", "note"),
    [
        (refuse, "The model has gone away."),
        (lambda prompt: "I would rather not.", UNREADABLE),
        (lambda prompt: '{"sentences": []}', NOTHING_FOUND),
        (lambda prompt: rows(("Light is fast.", [1])), NOTHING_STOOD),
        (lambda prompt: Completion(text="I cannot help with that.", finish=Finish.REFUSED), DECLINED),
        (cut_off, RAMBLED),
    ],
)
def test_where_nothing_stands_the_sources_are_quoted_and_one_sentence_says_why(ask, say: Say, note: str):
    plain, _ = ask(None)
    answer, steps = ask(Writer(say))
    assert (texts(answer), answer.note, answer.model) == (texts(plain), note, None)
    assert steps[-1].answer == answer
    assert AnswerStage.SENTENCE not in [step.stage for step in steps]


def test_a_reply_that_is_no_json_is_asked_for_once_more(ask):
    replies = iter(["Well, Foucault did.", rows((MIRROR, [1]))])
    writer = Writer(lambda prompt: next(replies))
    answer, _ = ask(writer)
    assert (texts(answer), answer.note) == ([MIRROR], "")
    assert "could not be used" in writer.prompts[1].text
    assert writer.prompts[1].text.startswith(writer.prompts[0].text)


def test_json_in_prose_with_thoughts_and_numbers_as_text_is_read(ask):
    row = f'{{"passages": "[1, 2]", "text": "{MIRROR}"}}'
    said = f'<think>{rows((WHEEL, [1]))}</think>Here:\n```json\n{{"sentences": [{row},]}}\n```'
    answer, _ = ask(Writer(lambda prompt: said))
    assert (texts(answer), answer.withheld) == ([MIRROR], 0)


def test_a_crash_in_the_middle_keeps_what_stood_and_says_so(ask):
    class Crashing(Writer):
        def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
            if prompt.role is Role.ANSWER and on_text is not None:
                on_text(rows((MIRROR, [number_of(prompt, MIRROR)]))[:-2])
            raise ProviderError("The model died.")

    answer, _ = ask(Crashing(quotes()))
    assert (texts(answer), answer.note, answer.model) == ([MIRROR], "The model died.", "scripted/writer/1")


def test_a_reply_that_is_cut_off_keeps_its_whole_sentences(ask):
    whole = rows((MIRROR, [1]), (WHEEL, [2]))
    answer, _ = ask(Writer(lambda prompt: Completion(text=whole[: whole.index("Fizeau") + 9], finish=Finish.LENGTH)))
    assert (texts(answer), answer.note) == ([MIRROR], CUT_SHORT)


def test_a_question_that_is_refused_without_a_model_asks_none(ask):
    writer = Writer(quotes(MIRROR))
    answer, steps = ask(writer, NOWHERE)
    assert answer.abstain
    assert (writer.prompts, answer.note, answer.model) == ([], "", None)
    assert [step.stage for step in steps] == ["evidence", "answer"]


def test_she_can_do_without_a_model_for_one_question(ask):
    writer = Writer(quotes(MIRROR, WHEEL))
    answer, steps = ask(writer, model="none")
    assert (writer.prompts, answer.model, answer.note) == ([], None, "")
    assert [step.stage for step in steps] == ["evidence", "answer"]


def test_stopping_ends_the_model_and_keeps_what_stood(tmp_path: Path, in_process: None):
    class Endless(Writer):
        def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
            if prompt.role is not Role.ANSWER:
                return Completion(text="{}")
            assert on_text is not None
            assert stop is not None
            on_text(rows((MIRROR, [number_of(prompt, MIRROR)]))[:-2])
            assert stop.wait(20)
            return Completion(text="", finish=Finish.CANCELLED)

    with MemoryEngine.open(tmp_path / "one.vault", completer=Endless(quotes()), offline=True) as engine:
        engine.ingest(SourceInput(text=MIRROR, title="The mirror"))

        def hear(step: AnswerStep) -> None:
            if step.stage is AnswerStage.SENTENCE:
                threading.Thread(target=engine.runs.cancel, args=("a1",)).start()

        answer = engine.query(QUESTION, ask_id="a1", progress=hear)
    assert (texts(answer), answer.note) == ([MIRROR], STOPPED)


def test_a_stop_that_comes_before_its_question_is_not_lost(tmp_path: Path, in_process: None):
    def check(prompt: Prompt) -> Completion:
        return Completion(text="", finish=Finish.CANCELLED)

    with MemoryEngine.open(tmp_path / "one.vault", completer=Writer(check), offline=True) as engine:
        engine.ingest(SourceInput(text=MIRROR, title="The mirror"))
        engine.runs.cancel("early")
        assert engine.query(QUESTION, ask_id="early").note == STOPPED


def test_what_is_hidden_while_the_model_writes_is_not_shown(tmp_path: Path, in_process: None):
    with MemoryEngine.open(tmp_path / "one.vault", offline=True) as engine:
        engine.ingest(SourceInput(text=MIRROR, title="The mirror"), SourceInput(text=WHEEL, title="The wheel"))
        records = {one.text: one.id for one in engine.list_records(kind="raw_source")}

    def hide(prompt: Prompt) -> str:
        opened[-1].forget(records[WHEEL], "It was private.")
        return quotes(MIRROR, WHEEL)(prompt)  # type: ignore[return-value]

    opened: list[MemoryEngine] = []
    with MemoryEngine.open(tmp_path / "one.vault", completer=Writer(hide), offline=True) as engine:
        opened.append(engine)
        answer = engine.query(QUESTION)
    assert texts(answer) == [MIRROR]


def test_what_is_sensitive_is_not_sent_and_counted(tmp_path: Path, in_process: None):
    writer = Writer(quotes(WHEEL), is_remote=True)
    with MemoryEngine.open(tmp_path / "one.vault", completer=writer) as engine:
        engine.ingest(SourceInput(text=MIRROR, title="The mirror"), SourceInput(text=WHEEL, title="The wheel"))
        mirror = next(one for one in engine.sources.list() if one.title == "The mirror")
        engine.sources.mark_sensitive(mirror.source_id, True)
        answer = engine.query(QUESTION)
        for one in engine.sources.list():
            engine.sources.mark_sensitive(one.source_id, True)
        nothing = engine.query(QUESTION)
    assert not any("mirror in 1862" in prompt.text or "The mirror" in prompt.text for prompt in writer.prompts)
    assert texts(answer) == [MIRROR, WHEEL]  # she sees it; the model did not
    assert (answer.not_sent, answer.asks) == (1, ())
    assert (nothing.note, nothing.not_sent, texts(nothing)) == (NOTHING_TO_SEND, 2, [MIRROR, WHEEL])


def test_what_she_wants_to_be_asked_about_is_sent_only_when_she_shares_it(tmp_path: Path, in_process: None):
    writer = Writer(quotes(WHEEL), is_remote=True)
    with MemoryEngine.open(tmp_path / "one.vault", completer=writer) as engine:
        engine.ingest(SourceInput(text=MIRROR, title="The mirror"), collection="Private")
        engine.ingest(SourceInput(text=WHEEL, title="The wheel"))
        engine.privacy.set_rule("Private", Sharing.ASK)
        held = engine.query(QUESTION)
        shared = engine.query(QUESTION, share=("Private",))
    assert [MIRROR in prompt.text for prompt in writer.prompts] == [False, True]
    assert (held.not_sent, held.asks) == (1, ("Private",))
    assert (shared.not_sent, shared.asks) == (0, ())


def test_a_piece_that_comes_after_the_end_is_not_told(ask):
    late: list[OnText] = []

    class Late(Writer):
        def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
            if on_text is not None:
                late.append(on_text)
            return Completion(text='{"sentences": []}')

    _, steps = ask(Late(quotes()))
    count = len(steps)
    late[0](rows((MIRROR, [1])))
    assert len(steps) == count


def test_a_correction_of_hers_stays_in_the_answer_whatever_the_model_picks(tmp_path: Path, in_process: None):
    with MemoryEngine.open(tmp_path / "one.vault", completer=Writer(quotes(WHEEL)), offline=True) as engine:
        engine.ingest(SourceInput(text=MIRROR, title="The mirror"), SourceInput(text=WHEEL, title="The wheel"))
        record = next(one for one in engine.list_records(kind="raw_source") if one.text == MIRROR)
        fixed = MIRROR.replace("1862", "1850")
        engine.correct(record.id, fixed, "The diary says so.")
        answer = engine.query(QUESTION)
    assert texts(answer)[0] == fixed
    assert answer.sentences[0].status == "correction"
    assert [one.text for one in answer.struck] == [MIRROR]
    assert "1862" not in answer.answer
