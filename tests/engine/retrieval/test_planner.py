"""A plan holds the words, the identifiers and the quoted phrases of a question, and the numbers of the settings."""

from __future__ import annotations

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.retrieval.planner import QUESTION_MAX_CHARS, plan_question


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
    assert plan.route_weights == {"lexical": 0.2, "semantic": 0.8}
    assert (plan.fusion, plan.candidate_limit, plan.hit_limit) == ("rrf", 50, 7)
    assert plan_question("mirror", config, top_k=3).hit_limit == 3


def test_no_question_and_a_document_are_refused():
    with pytest.raises(InvalidInputError, match="empty"):
        plan_question(" \n", Config())
    with pytest.raises(InvalidInputError, match="4,001"):
        plan_question("x" * (QUESTION_MAX_CHARS + 1), Config())
    assert plan_question("x " * (QUESTION_MAX_CHARS // 2), Config()).terms
