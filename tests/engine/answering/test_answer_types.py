"""Questions in, what must answer them out; sentences in, how well they do."""

from __future__ import annotations

import pytest

from trisynapse_memory.answering.answer_types import (
    ATTRIBUTES,
    Expected,
    binding,
    expected_type,
    fits_type,
    gives,
    proximity,
    read_sought,
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where was the mirror made?", Expected.PLACE),
        ("In which city did Froment live?", Expected.PLACE),
        ("What did the wheel cost?", Expected.NUMBER),
        ("Since what year did it turn?", Expected.DATE),
        ("What turned the wheel?", Expected.ANY),
    ],
)
def test_the_words_that_ask_tell_the_type(question: str, expected: Expected) -> None:
    assert expected_type(question) is expected


def test_a_name_or_year_of_the_question_answers_nothing() -> None:
    given = read_sought("Who helped Foucault in 1862?").given
    assert not fits_type(Expected.NAME, "In 1862 Foucault did it.", given)
    assert fits_type(Expected.NAME, "In 1862 Foucault was helped by Froment.", given)
    assert not fits_type(Expected.DATE, "It was done in 1862.", given)


@pytest.mark.parametrize(
    ("text", "tie"),
    [
        ("The survey covers 26 tasks in all.", 1.0),
        ("It has twelve quite different tasks.", 1.0),
        ("The tasks, 26 of them, are new.", 0.5),
        ("The 26 methods were tried by five people on some tasks.", 0.0),
        ("The tasks are new.", 0.0),
    ],
)
def test_a_count_is_tied_to_what_is_counted(text: str, tie: float) -> None:
    assert binding(read_sought("How many tasks does the survey cover?"), text) == tie


def test_only_nouns_before_the_verb_are_counted() -> None:
    assert read_sought("How many boards and councils does it have?").counted >= {"board"}
    assert "it" not in read_sought("How many teeth had it?").counted


@pytest.mark.parametrize(
    ("question", "gives_it", "lacks_it"),
    [
        ("How much does the watch weigh?", "It is 44 g without its strap.", "It has 12 holes."),
        ("How old was she?", "She was 61 years old.", "She sat on 12 boards."),
        ("What salary does he get?", "He is paid 90,000 a year.", "He leads 22 boards."),
        ("What did they spend on it?", "The bill came to $400.", "They made 400 calls."),
        ("What was the population of Aurora?", "It had 2,400 inhabitants.", "It had 2 mills."),
        ("How many people were injured?", "Two were hurt.", "Two houses shook."),
        ("On which graphics cards was it trained?", "We used one A100 for it.", "We used one card index."),
    ],
)
def test_an_attribute_is_given_by_its_own_words(question: str, gives_it: str, lacks_it: str) -> None:
    attribute = read_sought(question).attribute
    assert attribute is not None
    assert gives(attribute, gives_it)
    assert not gives(attribute, lacks_it)


def test_a_value_far_from_its_attribute_does_not_give_it() -> None:
    weight = next(attribute for attribute in ATTRIBUTES if attribute.name == "weight")
    assert not gives(weight, "The weight was not written down" + ", as was usual" * 8 + ", in 1862.")


def test_words_side_by_side_as_in_the_question_are_near() -> None:
    stems = [frozenset({"spin"}), frozenset({"mirror"})]
    near = proximity(stems, [1.0, 1.0], "The spinning mirror stood still.")
    far = proximity(stems, [1.0, 1.0], "The spinning of a wheel that stood beside the mirror.")
    assert near == 1.0
    assert 0 < far < near
    assert proximity(stems, [1.0, 1.0], "A mirror.") == 0.0
    assert proximity(stems[:1], [1.0], "Spinning.") == 0.0
