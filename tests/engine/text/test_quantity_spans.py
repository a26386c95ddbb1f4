"""Quantities in running text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.quantity_spans import find_quantities


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("light at 299,796 ± 4 km/s in air", ["299,796 ± 4 km/s"]),
        ("see Table 3, Section 4 and [12]", []),
        ("BERT-2 and v2.1.4 and a 16-layer net", []),
        ("5-10 km, $3.5 million, 12 layers", ["5-10 km", "$3.5 million", "12"]),
        ("1.592 × 10⁻¹⁹ C by Millikan", ["1.592 × 10⁻¹⁹ C"]),
        ("12,400 requests per second", ["12,400 requests per second"]),
        ("11 shillings a week", ["11 shillings a week"]),
        ("29.8 inches of mercury", ["29.8 inches of mercury"]),
        ("0.58 W/(m·K)\nat room temperature", ["0.58 W/(m·K)"]),
        ("a score of 73.5 F1", ["73.5"]),
        ("at 5 pm", ["5"]),
        ("one of the models", []),
    ],
)
def test_what_is_a_quantity(text: str, found: list[str]) -> None:
    assert [text[one.start : one.end] for one in find_quantities(text)] == found


def test_words_in_front_limit_it() -> None:
    (found,) = find_quantities("more than 300,000 km/s")
    assert (found.lead, found.has_unit, found.is_range) == ("more than", True, False)


def test_dates_are_left_out() -> None:
    assert find_quantities("in 1926", [(3, 7)]) == ()


@given(st.text(max_size=80))
def test_spans_stay_inside_and_in_order(text: str) -> None:
    position = 0
    for one in find_quantities(text):
        assert position <= one.start < one.end <= len(text)
        position = one.end
