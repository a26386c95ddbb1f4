"""Sentences in, their verbs out: what the shallow reading finds without a model."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.paraphrase.lexemes import Kind
from trisynapse_memory.text.paraphrase.tagging import tagged


@pytest.mark.parametrize(
    ("sentence", "verbs"),
    [
        ("Hotter water damages the seal.", ["damages"]),
        ("The probes failed in the first storm.", ["failed"]),
        ("Filter A must be replaced.", ["replaced"]),
        ("Replace filter A and filter B.", ["Replace"]),
        ("Test suite B found 14 faults.", ["found"]),
        ("Walking may lower the risk.", ["Walking", "lower"]),
        ("Model A outperforms B on the Orchard set.", ["outperforms"]),
        ("Most farms in the valley use river water.", ["use"]),
        ("The worn bearing was replaced.", ["replaced"]),
    ],
)
def test_the_verbs_of_a_sentence_are_found(sentence: str, verbs: list[str]) -> None:
    assert [one.text for one in tagged(sentence) if one.kind is Kind.VERB] == verbs


def test_a_number_a_unit_and_a_date_are_told_apart() -> None:
    kinds = [one.kind for one in tagged("On 3 March it was 5 km long.")]
    assert kinds == [Kind.PREPOSITION, Kind.DATE, Kind.PRONOUN, Kind.BE, Kind.NUMBER, Kind.UNIT, Kind.NOUN]


def test_two_spellings_of_a_unit_have_one_key() -> None:
    assert tagged("212 m")[1].key == tagged("212 metres")[1].key == tagged("212 meters")[1].key
    assert tagged("2 mg")[1].key != tagged("2 Mg")[1].key


def test_people_over_70_may_is_no_date() -> None:
    assert not any(one.kind is Kind.DATE for one in tagged("People over 70 may fall."))
