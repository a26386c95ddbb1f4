"""Evidence in, the decision and its words out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trisynapse_memory.answering.abstention import (
    PROSE,
    PROSE_WORDS,
    TALK,
    TALK_WORDS,
    calibration_of,
    decide,
    log_odds,
    would_answer,
)
from trisynapse_memory.answering.features import Evidence
from trisynapse_memory.answering.inquiry import Statistics, read_question
from trisynapse_memory.answering.sentences import passages_of
from trisynapse_memory.text.exact_terms import identifiers

STRONG = Evidence(1.0, 1.0, 1.0, 1.0, 0.9, 0.0, 0.0, 0.0, 1.0, 0.5)
WEAK = Evidence(0.1, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 1.0, 0.0, -0.5)
STORE = Statistics(frequencies={"~mirror": 3, "~apparatus": 2, "~foucault": 4}, record_count=100)


@pytest.mark.parametrize("calibration", [PROSE, PROSE_WORDS, TALK, TALK_WORDS])
def test_strong_evidence_is_answered_and_weak_evidence_refused_in_every_kind_of_store(calibration) -> None:
    assert log_odds(STRONG, calibration) >= calibration.threshold > log_odds(WEAK, calibration)


def test_each_kind_of_store_has_its_own_calibration() -> None:
    kinds = [calibration_of(conversation=talk, embedded=on) for talk in (False, True) for on in (True, False)]
    assert kinds == [PROSE, PROSE_WORDS, TALK, TALK_WORDS]


@pytest.mark.parametrize("name", ["support", "cosine"])
def test_more_of_a_measure_never_makes_a_prose_answer_less_likely(name: str) -> None:
    assert log_odds(replace(WEAK, **{name: 0.9}), PROSE) > log_odds(WEAK, PROSE)


def test_nothing_retrieved_is_refused_with_the_words_that_are_nowhere() -> None:
    decision = decide(read_question("What is a qubit?", STORE), WEAK, (), STORE, PROSE)
    assert decision.abstain
    assert decision.level == "none"
    assert decision.reason == 'Nothing in scope mentions "qubit".'


def test_a_question_whose_closing_word_no_record_has_is_refused_and_says_so(make_hits) -> None:
    passages = passages_of(make_hits("Foucault built the apparatus with a mirror."))
    inquiry = read_question("What did Foucault's apparatus cost?", STORE)
    middling = replace(STRONG, support=0.5, cosine=0.5, passage=0.4)
    decision = decide(inquiry, middling, passages, STORE, PROSE)
    assert decision.abstain
    assert decision.level == "nearest"
    assert decision.reason.startswith('Nothing in scope mentions "cost"; the nearest passages are about')
    assert (
        decision.would_answer
        == 'A source that gives a figure for "Foucault\'s", "apparatus" and "cost" would answer it.'
    )


def test_a_code_that_is_in_no_passage_is_refused_however_near_the_rest_is(make_hits) -> None:
    question = "Who made device KX-00120?"
    passages = passages_of(make_hits("Device KX-00210 was made by Froment."))
    inquiry = read_question(question, STORE, identifiers(question))
    assert decide(inquiry, STRONG, passages, STORE, PROSE).abstain
    there = passages_of(make_hits("Device KX-00120 was made by Froment."))
    assert not decide(inquiry, STRONG, there, STORE, PROSE).abstain


def test_the_reason_names_sources_outside_the_scope_and_those_that_could_not_be_read() -> None:
    statistics = Statistics(record_count=10, outside=("Lab diary",), unreadable=("Scan 7", "Scan 8"))
    reason = decide(read_question("What is a qubit?", statistics), WEAK, (), statistics, PROSE).reason
    assert 'Outside the chosen scope, "Lab diary" may be about it.' in reason
    assert '"Scan 7" and "Scan 8" could not be read and were not searched.' in reason


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("When was the mirror built?", "gives a date for"),
        ("How many mirrors were built?", "gives a figure for"),
        ("Who built the mirror?", "names who is meant by"),
        ("Why was the mirror built?", "states something about"),
    ],
)
def test_what_would_answer_fits_the_type_of_the_question(question: str, phrase: str) -> None:
    assert phrase in would_answer(read_question(question, STORE))


def test_a_question_of_grammar_only_gets_a_reason_too() -> None:
    inquiry = replace(read_question("mirror", STORE), words=())
    decision = decide(inquiry, WEAK, (), STORE, PROSE)
    assert decision.reason == "The question names nothing to look for."
    assert decision.would_answer


def test_a_year_that_is_in_no_passage_is_refused_but_not_in_a_chat(make_hits) -> None:
    inquiry = read_question("Who turned the mirror in 1879?", STORE)
    other = passages_of(make_hits("Foucault turned the mirror in 1862."))
    same = passages_of(make_hits("Michelson turned the mirror in 1879."))
    talk = passages_of(make_hits("I turned the mirror.", speakers=("Nora",)))
    barred = [decide(inquiry, STRONG, passages, STORE, PROSE).abstain for passages in (other, same, talk)]
    assert barred == [True, False, False]
