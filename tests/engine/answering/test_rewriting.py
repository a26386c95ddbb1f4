"""A follow-up is understood with its thread; a model may add nothing, and without one the last names carry over."""

from __future__ import annotations

import pytest

from trisynapse_memory.answering.rewriting import Exchange, accept, carry_over, follows_up, write_brief
from trisynapse_memory.types import Role, SourceId

LORA = Exchange("What does LoRA freeze?", "LoRA freezes the pretrained weights.", (SourceId("s1"),))
LIGHT = Exchange("Who measured the speed of light first?", "Rømer estimated it from the moons of Jupiter.")


@pytest.mark.parametrize(
    "question",
    [
        "And when was it published?",
        "When was it published?",
        "What did they use as a baseline?",
        "Why?",
        "What about GPT-3?",
        "And in 1926?",
        "How does this method work?",
        "Who else?",
        "Is that true?",
        "What is that paper about?",
        "How large were its errors?",
    ],
)
def test_questions_that_need_the_thread_are_recognised(question: str):
    assert follows_up(question)


@pytest.mark.parametrize(
    "question",
    [
        "What does LoRA freeze?",
        "What is LoRA and how does it work?",
        "Which paper introduced adapters that are inserted between layers?",
        "How many parameters does BERT have in its largest version?",
        "RM-1862-0417",
        "Who measured the speed of light with a rotating mirror?",
        "What did Foucault write in his diary?",
        "",
    ],
)
def test_questions_that_stand_alone_are_left_as_they_are(question: str):
    assert not follows_up(question)


def test_the_one_name_of_the_last_question_takes_the_place_of_the_pronoun():
    assert carry_over("And when was it published?", [LORA]) == "When was LoRA published?"
    assert carry_over("How large are its errors?", [LORA]) == "How large are LoRA's errors?"


def test_without_a_name_the_words_of_the_last_question_are_put_behind():
    asked = carry_over("And with what?", [Exchange("Who measured the speed of light first?")])
    assert asked == "With what? (measured, speed, light, first)"


def test_another_name_takes_the_place_of_the_first():
    asked = carry_over("What about GPT-3?", [Exchange("How many parameters does BERT have?")])
    assert asked == "What about GPT-3? (parameters)"


def test_where_the_question_names_nothing_the_answer_may():
    asked = carry_over("When did he publish?", [Exchange("Who measured it first?", "It was Fizeau.")])
    assert asked == "When did Fizeau publish?"


def test_a_wording_that_keeps_her_words_and_adds_only_what_was_said_is_used():
    question = "And when was it published?"
    assert accept({"question": "When was LoRA published?"}, question, [LORA]) == "When was LoRA published?"
    assert accept({"question": " When was the LoRA\npublished? "}, question, [LORA]) == "When was the LoRA published?"


@pytest.mark.parametrize(
    "reply",
    [
        {"question": "When was LoRA by Microsoft published?"},
        {"question": "When was LoRA written?"},
        {"question": "When was it published?"},
        {"question": "LoRA was published in 2021."},
        {"question": ""},
        {"question": ["When was LoRA published?"]},
        {"question": "When was LoRA published? " + "LoRA " * 100},
        {"answer": "2021"},
        None,
        "When was LoRA published?",
    ],
)
def test_a_wording_that_adds_drops_or_answers_is_not_used(reply: object):
    assert accept(reply, "And when was it published?", [LORA]) == ""


def test_a_wording_may_not_bring_a_number_that_nobody_said():
    exchange = Exchange("What happened to the metre in 1983?")
    assert accept({"question": "What was the metre in 1983 before?"}, "What was it before?", [exchange])
    assert not accept({"question": "What was the metre in 1889 before?"}, "What was it before?", [exchange])


def test_the_model_is_shown_the_last_turns_fenced_and_the_question_behind():
    earlier = [Exchange(f"Old question {number}?") for number in range(5)]
    prompt = write_brief("And when was it\npublished?", [*earlier, LORA])
    assert "Old question 1?" not in prompt.text
    assert "Old question 4?" in prompt.text
    assert prompt.text.index(LORA.answer) < prompt.text.index("Last question: And when was it published?")
    assert (prompt.role, prompt.source_ids) == (Role.REWRITING, ("s1",))
    assert prompt.text.count("[[passage ") == prompt.text.count("[[end ") == 4
