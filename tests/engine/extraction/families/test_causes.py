"""Causes, prevention, support and contradiction."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Smoking causes lung cancer.", ["Smoking | causes | lung cancer"]),
        ("Lung cancer is caused by smoking.", ["smoking | causes | Lung cancer"]),
        ("The famine was due to the blockade of the port.", ["blockade of the port | causes | famine"]),
        ("Smoking may cause lung cancer.", ["Smoking | causes? | lung cancer"]),
        ("Smoking can cause lung cancer.", []),
        ("Vaccination prevents measles.", ["Vaccination | prevents | measles"]),
        ("Vaccination fails to prevent measles.", ["Vaccination | not prevents | measles"]),
        ("The letters support Rivera's account.", ["letters | supports | Rivera's account"]),
        ("MapKit supports Windows and Linux.", []),
        ("The census contradicts the parish register.", ["census | contradicts | parish register"]),
    ],
)
def test_what_a_sentence_says(facts: Callable[..., list[str]], text: str, found: list[str]) -> None:
    assert facts(text, "cause") == found
