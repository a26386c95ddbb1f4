"""A plan grows by words of the best records, synonyms and right spellings, and deep recall asks every way."""

from __future__ import annotations

from pytest import approx

from trisynapse_memory.config import Config
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.retrieval.refinement import (
    DEEP_WEIGHTS,
    FEEDBACK_WEIGHT,
    PROPOSED_COUNT,
    SPELLING_WEIGHT,
    SYNONYM_WEIGHT,
    Example,
    choose_likes,
    choose_words,
    deepened,
    propose_likes,
    propose_words,
    respelled_words,
    with_words,
    words_in,
)
from trisynapse_memory.types import QueryTerm


def plan(question: str = "Who measured the glacier?"):
    return plan_question(question, Config())


def test_the_share_of_a_word_is_summed_over_the_best_records_and_the_question_s_own_words_are_left_out():
    masses = propose_words(
        plan(), [Example("glacier ice ice tongue", 1.0), Example("The ice measured by a ranger of it", 0.5)]
    )
    assert masses["~ice"] == approx(1 * 2 / 4 + 0.5 * 1 / 3)
    assert masses["~tongu"] == approx(1 / 4)
    assert list(masses) == ["~ice", "~tongu", "~ranger"]


def test_words_without_letters_and_short_ones_are_not_taken_along():
    assert propose_words(plan(), [Example("1998 kx-00120 ab of the", 1.0)]) == {}


def test_a_script_without_spaces_is_taken_by_its_pairs():
    assert list(propose_words(plan("冰川"), [Example("数据", 1.0)])) == ["数据"]


def test_no_more_words_are_proposed_than_are_looked_up():
    text = " ".join(f"{first}{second}word" for first in "bcdfghjk" for second in "lmnprstv")
    assert len(propose_words(plan(), [Example(text, 1.0)])) == PROPOSED_COUNT


def test_of_equally_frequent_words_the_rarer_in_the_vault_weighs_more_and_unknown_ones_are_dropped():
    chosen = choose_words({"~ice": 0.5, "~larch": 0.5, "~gone": 0.9}, {"~ice": 80, "~larch": 2}, 100, 10)
    assert [term.key for term in chosen] == ["~larch", "~ice"]
    assert chosen[0].weight == FEEDBACK_WEIGHT
    assert 0 < chosen[1].weight < FEEDBACK_WEIGHT
    assert choose_words({"~ice": 0.5, "~larch": 0.5}, {"~ice": 80, "~larch": 2}, 100, 1) == chosen[:1]
    assert choose_words({}, {}, 0, 10) == ()


def test_of_the_synonyms_of_a_word_those_come_along_that_most_records_hold():
    asked = plan("Who saw the automobile?")
    groups = propose_likes(asked)
    (group,) = [one for one in groups if "~car" in one]
    assert "~automobil" not in group
    frequencies = {"~car": 5, "~auto": 7, "~motorcar": 1, "~automot": 6}
    assert [term.key for term in choose_likes([group], frequencies)] == ["~auto", "~automot", "~car"]
    assert {term.weight for term in choose_likes([group], frequencies)} == {SYNONYM_WEIGHT}
    assert choose_likes(groups, {}) == ()


def test_only_a_word_that_no_record_has_is_respelled():
    asked, found = plan("Who measured the glaceir?"), [Example("The glacier is old.", 1.0)]
    (term,) = respelled_words(asked, {"~measur": 1}, found)
    assert (term.key, term.weight) == ("~glacier", SPELLING_WEIGHT)
    assert respelled_words(asked, {"~measur": 1, "~glaceir": 1}, found) == ()


def test_a_word_of_the_question_keeps_its_weight():
    asked = plan()
    before = {term.key: term.weight for term in asked.terms}
    key = asked.terms[0].key
    wider = with_words(asked, [QueryTerm(key, 0.01), QueryTerm("~ice", 0.3)], [QueryTerm("~ice", 0.1)])
    after = {term.key: term.weight for term in wider.terms}
    assert after == {**before, "~ice": 0.3}
    assert wider.question == asked.question


def test_deep_recall_asks_every_way_a_hop_further_and_reads_twice_the_hits():
    asked = plan_question("Who measured the glacier?", Config(graph_weight=1.5), 12)
    deep = deepened(asked)
    assert deep.route_weights["graph"] == 1.5  # a weight she set higher stays
    assert deep.route_weights["claims"] == DEEP_WEIGHTS["claims"]
    assert deep.route_weights["lexical"] == asked.route_weights["lexical"]
    assert (deep.extra_hops, deep.hit_limit) == (1, 24)
    assert deepened(plan_question("glacier", Config(), 80)).hit_limit == Config().candidate_limit


def test_words_are_told_without_their_marks():
    assert words_in([QueryTerm("~larch", 0.3), QueryTerm("kx-1", 1.0)]) == "larch, kx-1"
