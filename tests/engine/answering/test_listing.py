"""One record of each source in, a sentence of each out."""

from __future__ import annotations

from trisynapse_memory.answering.inquiry import Inquiry, read_question
from trisynapse_memory.answering.listing import LISTED_SOURCES, list_sources
from trisynapse_memory.config import Config
from trisynapse_memory.text.tokens import query_terms

QUESTION = "Which of my papers mention dropout?"
SUBJECT = (tuple(term.key for term in query_terms("dropout")),)


def listed(hits, statistics_of, tools, config=None) -> list[str]:
    inquiry: Inquiry = read_question(QUESTION, statistics_of(hits))
    choices = list_sources(inquiry, SUBJECT, hits, tools.count_tokens, config or Config())
    return [choice.sentence.text for choice in choices]


def test_each_source_is_told_by_the_sentence_that_has_the_subject(make_hits, statistics_of, tools) -> None:
    hits = make_hits(
        "We train for ten epochs. Dropout of 0.1 is used in every layer.",
        "The model is small. It was trained with dropout.",
        "Nothing of the kind stands in this text.",
    )
    assert listed(hits, statistics_of, tools) == [
        "Dropout of 0.1 is used in every layer.",
        "It was trained with dropout.",
    ]


def test_what_two_sources_say_alike_is_told_once(make_hits, statistics_of, tools) -> None:
    hits = make_hits("Dropout of 0.1 is used in every layer.", "Dropout of 0.1 is used in every layer.")
    assert len(listed(hits, statistics_of, tools)) == 1


def test_more_sources_than_are_told_are_left_to_the_count(make_hits, statistics_of, tools) -> None:
    hits = make_hits(*(f"Paper {n} uses dropout in layer {n}." for n in range(LISTED_SOURCES + 5)))
    assert len(listed(hits, statistics_of, tools)) == LISTED_SOURCES


def test_the_caps_on_tokens_hold(make_hits, statistics_of, tools) -> None:
    hits = make_hits(*(f"Paper {n} uses dropout in layer {n} " + "of the old house " * 8 + "too." for n in range(8)))
    told = listed(hits, statistics_of, tools, Config(context_max_tokens=100))
    assert 1 <= len(told) < 8
    assert sum(len(text.split()) for text in told) <= 100
