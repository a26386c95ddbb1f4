"""Stems in, whether the tables let them stand for each other out; and that the tables hold no word that counts."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.paraphrase.thesaurus import (
    are_likely_synonyms,
    is_irregular_participle,
    is_mostly_verb,
    lemma,
    may_be_verb,
)
from trisynapse_memory.text.synonyms import base


@pytest.mark.parametrize(
    ("one", "other"), [("lose", "loss"), ("buy", "purchase"), ("advise", "counsel"), ("vanish", "disappear")]
)
def test_near_words_stand_for_each_other_both_ways(one: str, other: str) -> None:
    assert are_likely_synonyms(base(one), base(other))
    assert are_likely_synonyms(base(other), base(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("raise", "lower"),
        ("buy", "sell"),
        ("include", "exclude"),
        ("second", "minute"),
        ("mother", "father"),
        ("north", "south"),
        ("million", "billion"),
        ("adult", "child"),
        ("borrow", "lend"),
    ],
)
def test_opposites_measures_and_kin_never_do(one: str, other: str) -> None:
    assert not are_likely_synonyms(base(one), base(other))


def test_forms_lead_back_to_one_word() -> None:
    assert lemma("rebuilt") == lemma("rebuilding")
    assert is_mostly_verb("destroyed")
    assert may_be_verb("lands")
    assert not is_mostly_verb("table")


def test_only_forms_that_a_passive_takes_are_participles() -> None:
    assert is_irregular_participle("withdrawn")
    assert not is_irregular_participle("withdrew")
