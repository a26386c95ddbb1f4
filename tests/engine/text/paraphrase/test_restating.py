"""Sentences of our own in, whether one restates another out: floors, and each way in which a reading can go wrong."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.paraphrase.restating import contradicts, restates
from trisynapse_memory.text.verdicts import judge

CORPORA = Path(__file__).resolve().parents[3] / "corpora"


@cache
def rows_of() -> tuple[dict[str, str], ...]:
    return tuple(json.loads((CORPORA / "restatements.json").read_text("utf-8"))["rows"])


def test_no_reading_that_is_not_faithful_passes() -> None:
    false = [row for row in rows_of() if not row["faithful"]]
    assert len(false) >= 80
    assert [row for row in false if judge(row["sentence"], row["span"]).passes] == []


def test_half_of_the_faithful_readings_pass() -> None:
    true = [row for row in rows_of() if row["faithful"]]
    passed = sum(judge(row["sentence"], row["span"]).passes for row in true)
    assert passed >= 0.48 * len(true), passed  # 54 of 108 when this was written


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "The tenant shall give notice three months before the lease ends.",
            "Notice must be given three months before the end of the lease by the tenant.",
        ),
        (
            "Never open the cover while the fan is running.",
            "While the fan is running, the cover must never be opened.",
        ),
        ("Replace filter A every month and filter B twice a year.", "Filter B must be replaced two times a year."),
        (
            "The mast at Bexham is tall and was built by the guild in 1931.",
            "The guild built the mast at Bexham in 1931.",
        ),
        ("The mast is 212 m high.", "The mast has a height of 212 metres."),
        (
            "If both parties agree, the court may extend the deadline.",
            "The deadline may be extended by the court if both parties agree.",
        ),
        ("Ms Orr chairs the board, and her deputy is Mr Lund.", "The board is chaired by Ms Orr."),
    ],
)
def test_a_faithful_reading_restates_its_source(source: str, sentence: str) -> None:
    assert restates(sentence, source)
    assert not contradicts(sentence, source)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("The hall was built by the guild.", "The hall built the guild."),
        ("Every driver who carries explosives must hold a permit.", "Every driver must hold a permit."),
        ("The pump stops when the valve sticks.", "The valve sticks when the pump stops."),
        ("The sister of the mayor owns the mill.", "The mayor owns the mill in the sister."),
        ("The company tried to buy the mill.", "The company bought the mill."),
        ("Children who slept less than nine hours scored lower.", "Children scored lower."),
    ],
)
def test_other_roles_and_wider_claims_contradict_the_source(source: str, sentence: str) -> None:
    assert contradicts(sentence, source)
    assert not restates(sentence, source)


@pytest.mark.parametrize("sentence", ["The speed of light", "", "1862", "with a mirror"])
def test_a_piece_of_a_sentence_restates_nothing(sentence: str) -> None:
    assert not restates(sentence, "Foucault measured the speed of light with a mirror in 1862.")


@given(st.text(max_size=150), st.text(max_size=150))
def test_any_two_texts_can_be_compared(sentence: str, source: str) -> None:
    assert restates(sentence, source) in (True, False)
    assert contradicts(sentence, source) in (True, False)
