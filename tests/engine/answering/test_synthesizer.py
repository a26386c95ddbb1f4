"""A question and hits in, a whole answer or refusal out."""

from __future__ import annotations

import pytest
from msgspec import structs

from trisynapse_memory.answering.inquiry import Statistics
from trisynapse_memory.answering.synthesizer import Composition, compose
from trisynapse_memory.config import Config
from trisynapse_memory.text.exact_terms import identifiers
from trisynapse_memory.text.tokens import query_terms
from trisynapse_memory.types import Intent, QueryPlan

HALL = (
    "Sunlight passed a scale. The spinning mirror and its turbine were made by Gustave Froment. The hall was dark.",
    "Fizeau had used a toothed wheel in 1849. The wheel had 720 teeth.",
)


@pytest.fixture
def ask(tools, statistics_of):
    def run(question: str, hits, *, embed: bool = True, statistics: Statistics | None = None) -> Composition:
        plan = QueryPlan(question=question, intent=Intent.FACT, terms=(), rare_terms=identifiers(question))
        used = tools if embed else structs.replace(tools, embed=None)
        counted = statistics or statistics_of(hits)
        return compose(question, plan, hits, tools=used, statistics=counted, config=Config())

    return run


@pytest.mark.parametrize("embed", [True, False])
def test_a_question_the_hits_answer_is_answered_in_their_own_words(make_hits, ask, embed: bool) -> None:
    made = ask("Who made the spinning mirror and its turbine?", make_hits(*HALL), embed=embed)
    assert not made.abstain
    assert "Gustave Froment" in made.sentences[0].text
    assert made.text.endswith("[1]") or "[1] " in made.text
    assert made.citations[0].record_id == "r0"
    assert made.citations[0].verdict.passes
    assert 0 <= made.gate["probability"] <= 1


def test_citations_are_the_smallest_sufficient_set(make_hits, ask) -> None:
    made = ask("How many teeth had the wheel?", make_hits(*HALL))
    assert [citation.excerpt for citation in made.citations] == ["The wheel had 720 teeth."]


@pytest.mark.parametrize("embed", [True, False])
def test_a_question_about_something_else_is_refused_with_the_nearest_passages(make_hits, ask, embed: bool) -> None:
    made = ask("Which treaty ended the war between Denmark and Sweden?", make_hits(*HALL), embed=embed)
    assert made.abstain
    assert not made.sentences
    assert not made.citations
    assert made.reason
    assert made.would_answer
    assert 1 <= len(made.nearest) <= 3


def test_no_hits_give_a_reason_and_no_passage(ask) -> None:
    made = ask("Who made the mirror?", [], statistics=Statistics(record_count=10))
    assert (made.abstain, made.level, made.nearest) == (True, "none", ())
    assert made.reason == 'Nothing in scope mentions "made" and "mirror".'


def test_an_excerpt_never_exceeds_its_limit(make_hits, ask) -> None:
    long = "The spinning mirror of the great hall " + "and of the old house " * 60 + "was made by Gustave Froment."
    made = ask("Who made the spinning mirror?", make_hits(long))
    shown = [citation.excerpt for citation in made.citations] + [near.excerpt for near in made.nearest]
    assert shown
    assert all(len(excerpt) <= 500 for excerpt in shown)


def test_in_a_chat_what_one_person_did_is_not_answered_for_the_other(make_hits, ask) -> None:
    hits = make_hits(
        "I painted a sunrise over the lake last week.", "I walked the dog in the park.", speakers=("Nora", "Ben")
    )
    assert not ask("What did Nora paint last week?", hits).abstain
    assert ask("What did Ben paint last week?", hits).abstain


def test_the_same_question_gives_the_same_answer(make_hits, ask) -> None:
    hits = make_hits(*HALL)
    assert ask("Who made the spinning mirror?", hits) == ask("Who made the spinning mirror?", hits)


def test_an_attribute_that_no_sentence_gives_is_refused_by_its_name(make_hits, ask) -> None:
    hits = make_hits(
        "The HONOR watch can be worn without its strap on the wrist. The strap of the HONOR watch has 12 holes."
    )
    made = ask("How much does the HONOR watch weigh without its strap?", hits)
    assert made.abstain
    assert made.reason.startswith("No sentence found says the weight of ")
    assert '"HONOR"' in made.reason


def test_the_same_attribute_is_answered_where_a_sentence_gives_it(make_hits, ask) -> None:
    made = ask(
        "How much does the HONOR watch weigh without its strap?",
        make_hits("The HONOR watch weighs 44 g without its strap. It has 12 holes."),
    )
    assert made.citations[0].excerpt == "The HONOR watch weighs 44 g without its strap."


def test_each_piece_of_a_sentence_over_two_pages_has_its_own_citation(make_hits, tools, statistics_of) -> None:
    before, hit = make_hits(
        "Rain fell. The plan of Foucault and of his friends", "was a spinning mirror made by Froment."
    )
    question = "Who made the spinning mirror?"
    plan = QueryPlan(question=question, intent=Intent.FACT, terms=(), rare_terms=())
    used = structs.replace(tools, beside=lambda _, step: before if step == -1 else None)
    made = compose(question, plan, [hit], tools=used, statistics=statistics_of([hit]), config=Config())
    assert [(citation.n, citation.record_id) for citation in made.citations] == [(1, "r0"), (2, "r1")]
    assert made.sentences[0].text == "The plan of Foucault and of his friends"


def test_a_refusal_names_the_sources_outside_the_scope(make_hits, tools, statistics_of) -> None:
    hits = make_hits(*HALL)
    question = "Which treaty ended the war between Denmark and Sweden?"
    plan = QueryPlan(question=question, intent=Intent.FACT, terms=())
    asked: list[str] = []

    def outside(inquiry) -> tuple[str, ...]:
        asked.append(inquiry.question)
        return ("The Nordic Wars",)

    scoped = structs.replace(tools, outside=outside)
    made = compose(question, plan, hits, tools=scoped, statistics=statistics_of(hits), config=Config())
    assert 'Outside the chosen scope, "The Nordic Wars" may be about it.' in made.reason
    answered = "How many teeth had the wheel?"
    plan = structs.replace(plan, question=answered)
    compose(answered, plan, hits, tools=scoped, statistics=statistics_of(hits), config=Config())
    assert asked == [question]  # nobody looks there for an answer


def test_a_question_about_the_sources_is_answered_by_each_of_them(make_hits, tools, statistics_of) -> None:
    hits = make_hits("Dropout is used in the first layer.", "We use dropout of 0.1.", "The hall was dark.")
    question = "How many of my papers mention dropout?"
    subject = (tuple(term.key for term in query_terms("dropout")),)
    plan = QueryPlan(question=question, intent=Intent.LIST, terms=(), subject=subject)
    made = compose(question, plan, hits, tools=tools, statistics=statistics_of(hits), config=Config(), matches=hits[:2])
    assert not made.abstain
    assert [one.text for one in made.sentences] == ["Dropout is used in the first layer.", "We use dropout of 0.1."]
    assert [citation.record_id for citation in made.citations] == ["r0", "r1"]
