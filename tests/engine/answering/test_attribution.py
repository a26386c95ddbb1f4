"""Turns of a conversation in, whom they are about and whose words answer out."""

from __future__ import annotations

import pytest
from msgspec import structs

from trisynapse_memory.answering.attribution import attributed_gap, people_of
from trisynapse_memory.answering.inquiry import read_question
from trisynapse_memory.answering.sentences import passages_of
from trisynapse_memory.types import Locator

BOTH = frozenset({"Nora", "Ben"})


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("I painted a sunrise.", {"Nora"}),
        ("You did a great job.", {"Ben"}),
        ("Ben went home.", {"Ben"}),
        ("It rained.", {"Nora"}),
        ("Nora: (1:14 pm on 25 May, 2023) Ben went home.", {"Ben"}),
        ("Hey Ben, it rained.", {"Nora"}),
        ("It rained, Ben!", {"Nora"}),
        ("Thanks, Ben! It rained.", {"Nora"}),
        ("Ben, I painted it.", {"Nora"}),
        ("Wow, Ben painted it.", {"Ben"}),
        ("Amazing, the sunrise!", {"Ben"}),
        ("That trip sounds great.", {"Ben"}),
        ("It must have been tough.", {"Ben"}),
        ("I think that sounds great.", {"Nora"}),
    ],
)
def test_i_is_the_speaker_you_the_one_addressed_and_a_name_that_is_called_nobody(text: str, people: set[str]) -> None:
    assert people_of(text, "Nora", BOTH) == people


def gap_of(question: str, hits, statistics, *, read: bool = True) -> float:
    inquiry = read_question(question, statistics).about(BOTH)
    passages = passages_of(hits)
    sentences = [(one, inquiry.coverage(one.keys)) for passage in passages for one in passage.sentences if read]
    return attributed_gap(inquiry, passages, sentences)


@pytest.mark.parametrize("read", [True, False])
def test_the_gap_is_positive_only_for_the_person_who_did_it(make_hits, statistics_of, read: bool) -> None:
    hits = make_hits("I painted a sunrise.", "I walked the dog.", speakers=("Nora", "Ben"))
    gaps = [gap_of(f"What did {name} paint?", hits, statistics_of(hits), read=read) for name in ("Nora", "Ben")]
    assert gaps[0] > 0 > gaps[1]


def test_words_about_nobody_count_less_for_whoever_said_them(make_hits, statistics_of) -> None:
    hits = make_hits("Sunrises are worth painting.", "I painted a sunrise.", speakers=("Ben", "Nora"))
    gaps = [gap_of(f"What did {name} paint?", hits[:1], statistics_of(hits)) for name in ("Ben", "Nora")]
    own = gap_of("What did Nora paint?", hits[1:], statistics_of(hits))
    assert gaps[1] < 0 < gaps[0] < own


def test_a_question_without_a_person_has_no_gap(make_hits, statistics_of) -> None:
    hits = make_hits("I painted a sunrise.", speakers=("Nora",))
    assert gap_of("What was painted?", hits, statistics_of(hits)) == 0.0


def test_what_the_turn_before_asks_counts_for_the_reply(make_hits, statistics_of) -> None:
    hits = make_hits("Which pottery class was it?", "The one on Tuesday.", speakers=("Ben", "Nora"))
    placed = [_numbered(hit, index) for index, hit in enumerate(hits)]
    apart = [_numbered(hit, 7 * index) for index, hit in enumerate(hits)]
    gaps = [gap_of("Which pottery class does Nora visit?", rows, statistics_of(hits)) for rows in (placed, apart)]
    assert gaps[0] > gaps[1]


def _numbered(hit, index: int):
    record = structs.replace(hit.record, source_id="talk", locator=Locator(kind="turn", index=index))
    return structs.replace(hit, record=record)
