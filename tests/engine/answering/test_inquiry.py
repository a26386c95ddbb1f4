"""Questions in, what they ask about out."""

from __future__ import annotations

import pytest

from trisynapse_memory.answering.inquiry import STEM_SHARE, SYNONYM_SHARE, Expected, Statistics, TextKeys, read_question
from trisynapse_memory.text.exact_terms import identifiers

STORE = Statistics(frequencies={"~light": 50, "~mirror": 5, "~cost": 0}, record_count=100)


def test_function_words_carry_no_weight() -> None:
    assert [word.text for word in read_question("What is the cost of the mirror?", STORE).words] == ["cost", "mirror"]


def test_a_rarer_word_weighs_more() -> None:
    light, mirror = read_question("Which light does the mirror send?", STORE).words[:2]
    assert mirror.weight > light.weight


def test_a_word_that_no_record_holds_is_known_to_be_absent() -> None:
    words = {word.text: word.in_store for word in read_question("cost of the mirror", STORE).words}
    assert words == {"cost": False, "mirror": True}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was the mirror built?", Expected.DATE),
        ("In what year was the mirror built?", Expected.DATE),
        ("How many teeth had the wheel?", Expected.NUMBER),
        ("Who built the mirror?", Expected.NAME),
        ("Why does the mirror spin?", Expected.ANY),
    ],
)
def test_the_first_words_tell_the_type_of_the_answer(question: str, expected: Expected) -> None:
    assert read_question(question, STORE).expected is expected


def test_coverage_is_the_share_of_the_weight_a_text_has() -> None:
    inquiry = read_question("cost of the mirror", STORE)
    share = inquiry.coverage(TextKeys.of("Two mirrors stood in the hall."))
    cost, mirror = inquiry.words
    assert share == pytest.approx(STEM_SHARE * mirror.weight / (cost.weight + mirror.weight))
    assert inquiry.coverage(TextKeys.of("The mirror's cost")) == pytest.approx(1.0)


def test_a_synonym_counts_less_than_the_word() -> None:
    inquiry = read_question("velocity", Statistics(record_count=10))
    assert 0 < inquiry.coverage(TextKeys.of("the speed")) < inquiry.coverage(TextKeys.of("the velocity"))


def test_a_part_of_an_identifier_is_not_the_identifier() -> None:
    question = "What is RM-1862-0417?"
    inquiry = read_question(question, Statistics(record_count=10), identifiers(question))
    assert inquiry.coverage(TextKeys.of("Mirror RM-1862-0418 stands in the hall.")) == 0
    assert inquiry.coverage(TextKeys.of("Mirror RM-1862-0417 stands in the hall.")) == pytest.approx(1.0)


def test_a_speaker_named_in_a_question_is_no_word_to_look_for() -> None:
    inquiry = read_question("What did Nora paint?", Statistics(record_count=10)).about(frozenset({"Nora", "Ben"}))
    assert inquiry.people == frozenset({"Nora"})
    assert [word.text for word in inquiry.words] == ["paint"]


@pytest.mark.parametrize(
    "question",
    [
        "How many mirrors are there? Give me an integer.",
        "How many mirrors are there? Please write down the answer in integer format.",
        "According to this document, how many mirrors are there? Return the answer as a list.",
    ],
)
def test_how_to_write_the_answer_is_no_part_of_the_question(question: str) -> None:
    assert [word.text for word in read_question(question, STORE).words] == ["mirrors"]


def test_a_misspelled_word_counts_as_the_word_of_the_texts_that_it_is_near() -> None:
    statistics = Statistics(frequencies={"~comb": 3}, record_count=50)
    inquiry = read_question("How many combs do Beriods have?", statistics)
    text = TextKeys.of("Beroids have eight combs.")
    assert inquiry.respelled([text]).coverage(text) > inquiry.coverage(text)


def test_a_misspelled_word_whose_stem_is_too_short_to_tell_counts_as_it_stands() -> None:
    inquiry = read_question("How large is the Arvne glacier?", Statistics(frequencies={"~glacier": 3}, record_count=50))
    text = TextKeys.of("The Arven glacier is large.")
    assert inquiry.respelled([text]).coverage(text) > inquiry.coverage(text)


def test_a_word_that_records_have_is_never_respelled() -> None:
    statistics = Statistics(frequencies={"~comb": 3, "~beriod": 1}, record_count=50)
    inquiry = read_question("How many combs do Beriods have?", statistics)
    text = TextKeys.of("Beroids have eight combs.")
    assert inquiry.respelled([text]).coverage(text) == inquiry.coverage(text)


def test_a_word_that_is_near_in_meaning_counts_in_part_and_a_name_has_none() -> None:
    inquiry = read_question("When was the rocket launched?", Statistics())
    text = TextKeys.of("They started it in May.")
    launched = next(word for word in inquiry.words if word.text == "launched")
    assert launched.share(text) == SYNONYM_SHARE
    assert not next(word for word in read_question("Who saw Launch?", Statistics()).words if word.is_name).likes


def test_a_number_that_owns_something_is_the_number(statistics_of, make_hits) -> None:
    question = "What was Apollo 11's crew called in the 70's?"
    inquiry = read_question(question, statistics_of(make_hits("Apollo 11 flew in the 1970s.")), identifiers(question))
    numbers = [word for word in inquiry.words if word.is_number]
    assert [word.text for word in numbers] == ["11", "70"]
    assert not any(word.is_exact for word in numbers)
