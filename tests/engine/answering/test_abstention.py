"""Evidence in, the decision and its words out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trisynapse_memory.answering.abstention import (
    LONG,
    LONG_WORDS,
    PROSE,
    PROSE_WORDS,
    TALK,
    TALK_AT_LARGE,
    TALK_AT_LARGE_WORDS,
    TALK_WORDS,
    Calibration,
    calibration_of,
    decide,
    gate_of,
    log_odds,
    would_answer,
)
from trisynapse_memory.answering.features import Evidence
from trisynapse_memory.answering.inquiry import Statistics, read_question
from trisynapse_memory.answering.kinds import StoreKind
from trisynapse_memory.answering.sentences import passages_of
from trisynapse_memory.text.exact_terms import identifiers

STRONG = Evidence(1.0, 1.0, 1.0, 1.0, 0.9, 0.0, 0.0, 0.0, 1.0, 0.5, bound=1.0, typed=1.0)
WEAK = Evidence(0.1, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 1.0, 0.0, -0.5, apart=1.0)
ALL = (PROSE, PROSE_WORDS, LONG, LONG_WORDS, TALK, TALK_WORDS, TALK_AT_LARGE, TALK_AT_LARGE_WORDS)
STORE = Statistics(frequencies={"~mirror": 3, "~apparatus": 2, "~foucault": 4}, record_count=100)


@pytest.mark.parametrize("calibration", ALL)
def test_strong_evidence_is_answered_and_weak_evidence_refused_in_every_kind_of_store(calibration) -> None:
    assert log_odds(STRONG, calibration) >= calibration.threshold > log_odds(WEAK, calibration)


def test_each_kind_of_store_has_its_own_calibration() -> None:
    kinds = [calibration_of(kind, embedded=on) for kind in StoreKind for on in (True, False)]
    assert kinds == [PROSE, PROSE_WORDS, LONG, LONG_WORDS, TALK_AT_LARGE, TALK_AT_LARGE_WORDS]
    persons = [calibration_of(StoreKind.TALK, embedded=on, asks_person=True) for on in (True, False)]
    assert persons == [TALK, TALK_WORDS]


@pytest.mark.parametrize("calibration", ALL)
def test_the_three_borders_of_a_calibration_are_in_order(calibration: Calibration) -> None:
    assert calibration.none_below <= calibration.threshold <= calibration.sure


def test_between_the_borders_the_nearest_passage_is_shown_and_below_the_lower_one_none(make_hits) -> None:
    passages = passages_of(make_hits("Foucault built the apparatus with a mirror."))
    inquiry = read_question("Did Foucault's mirror spin in the apparatus?", STORE)
    scale = Calibration(0.0, {"support": 1.0}, threshold=0.6, none_below=0.3, sure=0.9)
    supports = (0.1, 0.4, 0.7, 0.95)
    decisions = [decide(inquiry, replace(STRONG, support=at), passages, STORE, scale) for at in supports]
    assert [one.level for one in decisions] == ["none", "nearest", "answer", "answer"]
    assert [one.abstain for one in decisions] == [True, True, False, False]
    assert [one.is_doubtful for one in decisions] == [False, True, True, False]


def test_a_model_decides_in_doubt_only_and_makes_up_for_nothing_that_bars(make_hits) -> None:
    passages = passages_of(make_hits("Foucault built the apparatus with a mirror."))
    inquiry = read_question("Did Foucault's mirror spin in the apparatus?", STORE)
    scale = Calibration(0.0, {"support": 1.0}, threshold=0.6, none_below=0.3, sure=0.9)
    heard = {
        yes: [decide(inquiry, replace(STRONG, support=at), passages, STORE, scale, yes).abstain for at in (0.1, 0.5, 1)]
        for yes in (9.0, -9.0)
    }
    assert heard == {9.0: [True, False, False], -9.0: [True, True, False]}
    coded = read_question("Did the mirror KX-00120 spin?", STORE, identifiers("KX-00120"))
    barred = decide(coded, replace(STRONG, support=0.5), passages, STORE, scale, 9.0)
    assert (barred.abstain, barred.is_barred, barred.is_doubtful) == (True, True, True)


def test_the_gate_says_the_kind_the_borders_and_every_measure(make_hits) -> None:
    passages = passages_of(make_hits("Foucault built the apparatus with a mirror."))
    decision = decide(read_question("Who built the mirror?", STORE), STRONG, passages, STORE, LONG)
    gate = gate_of(decision, LONG, StoreKind.LONG, STRONG)
    assert gate["kind:long"] == 1.0
    assert gate["none_below"] < gate["threshold"] <= gate["probability"] == decision.probability
    assert gate["support"] == STRONG.support


@pytest.mark.parametrize("name", ["support", "cosine"])
def test_more_of_a_measure_never_makes_a_prose_answer_less_likely(name: str) -> None:
    assert log_odds(replace(WEAK, **{name: 0.9}), PROSE) > log_odds(WEAK, PROSE)


def test_nothing_retrieved_is_refused_with_the_words_that_are_nowhere() -> None:
    decision = decide(read_question("What is a qubit?", STORE), WEAK, (), STORE, PROSE)
    assert decision.abstain
    assert decision.level == "none"
    assert decision.reason == 'Nothing in scope mentions "qubit".'


def test_a_word_that_no_record_has_is_named_in_the_reason(make_hits) -> None:
    passages = passages_of(make_hits("Foucault built the apparatus with a mirror."))
    inquiry = read_question("What did Foucault's apparatus cost?", STORE)
    middling = replace(STRONG, support=0.4, cosine=0.5, passage=0.4, bound=0.4, typed=0.4, background=0.4, demand=2.0)
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


def test_a_table_that_no_passage_names_is_refused_by_its_name(make_hits) -> None:
    inquiry = read_question("Which mirror does Table 7 list?", STORE)
    passages = passages_of(make_hits("Table 6 lists the mirrors of the apparatus."))
    decision = decide(inquiry, STRONG, passages, STORE, LONG)
    assert decision.abstain
    assert decision.reason.startswith("None of the passages found is or mentions Table 7.")


def test_a_name_that_no_record_has_is_refused_in_long_documents_only(make_hits) -> None:
    inquiry = read_question("Which mirror of the apparatus did Maxwell turn?", STORE)
    passages = passages_of(make_hits("Foucault turned the mirror of the apparatus."))
    barred = [decide(inquiry, STRONG, passages, STORE, scale).abstain for scale in (LONG, LONG_WORDS, PROSE)]
    assert barred == [True, True, False]
    there = passages_of(make_hits("Maxwell turned the mirror of the apparatus."))
    assert not decide(inquiry, STRONG, there, STORE, LONG).abstain
