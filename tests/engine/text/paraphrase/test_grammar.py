"""Sentences in, their clauses out: who does what to whom, and what a clause takes from the one before."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.paraphrase.clauses import OBJECT, SUBJECT, Clause
from trisynapse_memory.text.paraphrase.grammar import clauses_of


def playing(clause: Clause, part: str) -> set[str]:
    return {word.text for word in clause.words if any(role.part == part for role in word.roles)}


@pytest.mark.parametrize("sentence", ["Keller built the hall.", "The hall was built by Keller."])
def test_a_passive_is_turned_round(sentence: str) -> None:
    (clause,) = clauses_of(sentence)
    assert playing(clause, SUBJECT) == {"Keller"}
    assert playing(clause, OBJECT) == {"hall"}


def test_two_things_that_are_set_against_each_other_are_two_clauses() -> None:
    first, second = clauses_of("Suite B found 14 faults, suite A only 9.")
    assert {"14", "B"} <= {word.text for word in first.words}
    assert {"9", "A", "found", "faults"} <= {word.text for word in second.words}
    assert not {"14", "B"} & {word.text for word in second.words}


def test_a_second_verb_takes_the_subject_of_the_first() -> None:
    _, second = clauses_of("The river rises near Bexham and joins the Alder.")
    assert playing(second, SUBJECT) == {"river"}


def test_a_relative_clause_narrows_the_noun_before_it() -> None:
    (clause,) = clauses_of("Drivers who carry explosives must hold a permit.")
    drivers, carry = clause.words[:2]
    assert carry.narrows is drivers
    assert playing(clause, SUBJECT) == {"Drivers"}


def test_what_is_only_told_knows_who_tells_it() -> None:
    teller, told = clauses_of("The mayor denied that the bridge was unsafe.")
    assert told.told == 0
    assert teller.told < 0
    assert clauses_of("They showed that the bridge was safe.")[1].told < 0


def test_a_condition_and_a_contrast_are_linked_by_their_word() -> None:
    assert [clause.link for clause in clauses_of("If it rains, the match ends, but the fair goes on.")] == [
        "if",
        "",
        "but",
    ]
