from __future__ import annotations

import msgspec
import pytest

from trisynapse_desktop.models.conversation import ChatMessage, Conversation, message_of
from trisynapse_memory.types import (
    Answer,
    AnswerSentence,
    AnswerStage,
    AnswerStep,
    Citation,
    CitationVerdict,
    Fault,
    Turn,
)

ANSWER = Answer(query_id="q", question="?", answer="In 1862. [1]", abstain=False)


def turn(role, text, answer=""):
    return Turn(record_id="r", thread_id="t", role=role, text=text, answer=answer)


@pytest.fixture
def conversation(qapp):
    return Conversation()


def test_a_kept_answer_is_shown_again_with_its_citations():
    message = message_of(turn("assistant", "In 1862. [1]", msgspec.json.encode(ANSWER).decode()))
    assert message.answer == ANSWER


def test_an_answer_of_an_older_form_falls_back_to_its_text():
    message = message_of(turn("assistant", "In 1862.", '{"colour": 1}'))
    assert (message.text, message.answer) == ("In 1862.", None)


def step(stage, **parts):
    return AnswerStep(ask_id="a", stage=stage, **parts)


def test_evidence_is_shown_until_the_answer_is_there_and_never_after(conversation, qtbot):
    place = conversation.append(ChatMessage("assistant", "", state="waiting"))
    with qtbot.waitSignal(conversation.changed) as changed:
        conversation.show_step(place, step(AnswerStage.EVIDENCE, asked_as="When was light measured?"))
    assert changed.args == [place]
    assert (conversation[place].state, conversation[place].asked_as) == ("evidence", "When was light measured?")
    conversation.answer(place, ANSWER)
    conversation.show_step(place, step(AnswerStage.EVIDENCE))
    assert (conversation[place].state, conversation[place].text) == ("answered", "In 1862. [1]")


def test_sentences_of_a_model_join_the_draft_one_by_one(conversation):
    place = conversation.append(ChatMessage("assistant", "", state="waiting"))
    conversation.show_step(place, step(AnswerStage.EVIDENCE))
    conversation.show_step(place, step(AnswerStage.WRITING, model="local/small"))
    assert (conversation[place].state, conversation[place].answer.model) == ("writing", "local/small")
    for number, text in enumerate(("It was 1862.", "It was in Paris."), start=1):
        sentence = AnswerSentence(text=text, citations=(number,))
        conversation.show_step(place, step(AnswerStage.SENTENCE, sentence=sentence, citations=(citation(number),)))
    draft = conversation[place].answer
    assert [one.text for one in draft.sentences] == ["It was 1862.", "It was in Paris."]
    assert [one.n for one in draft.citations] == [1, 2]
    conversation.answer(place, ANSWER)
    assert (conversation[place].state, conversation[place].answer) == ("answered", ANSWER)


def citation(number):
    return Citation(
        n=number,
        record_id="r",
        source_id="s",
        source_key="",
        title="",
        locator=None,
        excerpt="",
        verdict=CitationVerdict.VERBATIM,
    )


def test_a_failed_and_a_stopped_answer_say_so(conversation):
    first = conversation.append(ChatMessage("assistant", "", state="waiting"))
    second = conversation.append(ChatMessage("assistant", "", state="waiting"))
    conversation.fail(first, Fault(code="x", message="No."))
    conversation.stop(second)
    assert (conversation[first].state, conversation[first].fault.message) == ("failed", "No.")
    assert conversation[second].state == "stopped"


def test_another_thread_replaces_every_message(conversation, qtbot):
    conversation.append(ChatMessage("user", "old"))
    with qtbot.waitSignal(conversation.reset):
        conversation.show([turn("user", "a"), turn("assistant", "b")])
    assert [conversation[place].text for place in range(len(conversation))] == ["a", "b"]
