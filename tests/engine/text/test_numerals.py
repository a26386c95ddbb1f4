"""Written numbers."""

from __future__ import annotations

import re

import pytest

from trisynapse_memory.text.numerals import NUMBER, Number, read_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,200,000", Number(1_200_000.0, 1.0)),
        ("1.2 million", Number(1_200_000.0, 100_000.0)),
        ("1 200 000", Number(1_200_000.0, 1.0)),
        ("92,3", Number(92.3, 0.1)),
        ("−5", Number(-5.0, 1.0)),
        ("3e-4", Number(0.0003, 0.0001)),
        ("1.592 × 10⁻¹⁹", Number(1.592e-19, 1e-22)),
        ("110M", Number(110_000_000.0, 1_000_000.0)),
        ("forty-two", Number(42.0, 1.0)),
        ("two hundred and five thousand", Number(205_000.0, 1.0)),
        ("6.67430(15)", Number(6.6743, 1e-5, 15e-5)),
    ],
)
def test_a_number_with_the_worth_of_its_last_digit(text: str, number: Number) -> None:
    match = re.fullmatch(NUMBER, text, re.IGNORECASE)
    assert match is not None
    assert read_number(match) == pytest.approx(number, rel=1e-12, abs=0.0)
