"""A plan holds the words, the identifiers and the quoted phrases of a question, and the numbers of the settings."""

from __future__ import annotations

from datetime import date

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.retrieval.planner import QUESTION_MAX_CHARS, plan_question
from trisynapse_memory.types import Intent, Period


def test_a_plan_holds_each_term_once_with_its_weight():
    plan = plan_question("  Mirrors, mirrors and lamps?  ", Config())
    keys = [term.key for term in plan.terms]
    assert plan.question == "Mirrors, mirrors and lamps?"
    assert len(keys) == len(set(keys))
    assert {"mirrors", "lamps"} <= set(keys)
    weights = {term.key: term.weight for term in plan.terms}
    assert weights["mirrors"] == 1.0
    assert all(0 < weight <= 1 for weight in weights.values())


def test_identifiers_are_rare_terms_and_plain_words_are_not():
    plan = plan_question("What is the calibration code of device KX-00120?", Config())
    assert [term for term in plan.rare_terms if "00120" in term]
    assert not {"calibration", "device", "code", "what"} & set(plan.rare_terms)


@pytest.mark.parametrize(
    "question", ['who said "speed of light"?', "who said “speed of light”?", "who said «speed of light»?"]
)
def test_a_quoted_phrase_keeps_its_order(question: str):
    assert plan_question(question, Config()).phrases == (("speed", "of", "light"),)


def test_without_quotes_there_is_no_phrase():
    assert plan_question("it's Foucault's mirror", Config()).phrases == ()


def test_the_numbers_come_from_the_settings_and_top_k_is_a_wish_for_one_question():
    config = Config(lexical_weight=0.2, semantic_weight=0.8, fusion="rrf", candidate_limit=50, hit_limit=7)
    plan = plan_question("mirror", config)
    assert (plan.route_weights["lexical"], plan.route_weights["semantic"]) == (0.2, 0.8)
    assert (plan.fusion, plan.candidate_limit, plan.hit_limit) == ("rrf", 50, 7)
    assert plan_question("mirror", config, top_k=3).hit_limit == 3


def test_no_question_and_a_document_are_refused():
    with pytest.raises(InvalidInputError, match="empty"):
        plan_question(" \n", Config())
    with pytest.raises(InvalidInputError, match="4,001"):
        plan_question("x" * (QUESTION_MAX_CHARS + 1), Config())
    assert plan_question("x " * (QUESTION_MAX_CHARS // 2), Config()).terms


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("How many of my papers mention dropout?", (("dropout", "~dropout"),)),
        ("In how many documents does the term 'fan effect' occur?", (("fan", "~fan"), ("effect", "~effect"))),
        ("Which papers cite Vaswani et al.?", (("vaswani", "~vaswani"),)),
        ("Welche Artikel zitieren Einstein?", (("einstein", "~einstein"),)),
        ("Wie viele meiner Quellen behandeln das?", ()),
        ("How many layers does BERT have?", ()),
    ],
)
def test_the_subject_of_a_question_about_the_sources_is_what_they_must_hold(
    question: str, subject: tuple[tuple[str, ...], ...]
):
    assert plan_question(question, Config()).subject == subject


def test_periods_count_from_the_day_that_is_handed_in():
    plan = plan_question("What changed between 2015 and 2018?", Config())
    assert plan.periods == (Period(date(2015, 1, 1), date(2018, 12, 31)),)
    assert plan_question("What did she say yesterday?", Config(), today=date(2026, 12, 1)).periods == (
        Period(date(2026, 11, 30), date(2026, 11, 30)),
    )
    assert plan_question("What did she say yesterday?", Config()).periods == ()


def test_another_reader_of_intents_can_be_handed_in():
    class Guessing:
        name = "guessing"

        def read(self, question: str) -> Intent:
            return Intent.INFERENCE if "mirror" in question else Intent.FACT

    assert plan_question("the mirror", Config(), intents=Guessing()).intent is Intent.INFERENCE
