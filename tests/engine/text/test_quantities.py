"""Written values and whether they agree."""

from __future__ import annotations

from datetime import date
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.quantities import ValueKind, agree, normalise

SAME = [
    ("14 October 2026", "2026-10-14"),
    ("October 14, 2026", "14/10/2026"),
    ("2026", "14 October 2026"),
    ("1926", "in 1926"),
    ("Q3 2026", "August 2026"),
    ("around 1930", "1931"),
    ("1.2 million", "1,200,000"),
    ("1.2 million", "1,234,567"),
    ("1 000 000", "1 million"),
    ("$5m", "$5,000,000"),
    ("$3 billion", "$3bn"),
    ("110M parameters", "110 million parameters"),
    ("twelve", "12"),
    ("two hundred and five", "205"),
    ("12 layers", "12"),
    ("5 km", "5000 m"),
    ("5m", "5 m"),
    ("20 °C", "68 °F"),
    ("10 minutes", "600 s"),
    ("km/s 3", "km/s 3"),
    ("3 × 10^8 m/s", "3e8 m/s"),
    ("about 300,000 km/s", "299,792.458 km/s"),
    ("299,796 ± 4", "299,792 ± 1"),
    ("6.67430(15)×10^-11", "6.674e-11"),
    ("92.3%", "92.3 percent"),
    ("92%", "92.3%"),
    ("62%", "62% of adults"),
    ("5-10 km", "7 km"),
    ("between 5 and 7 kg", "6000 g"),
    ("more than 40%", "42%"),
    ("760 mm of mercury", "760 mmHg"),
    ("Dr. Jane Smith", "Jane Smith"),
    ("J. Smith", "Jane Smith"),
    ("the Adapters", "adapter"),
    ("Low-rank adaptation", "low rank adaptation"),
    ("Paris, France", "Paris"),
]
DIFFERENT = [
    ("14 October 2026", "15 October 2026"),
    ("1930", "1931"),
    ("299,796 ± 4", "299,774 ± 11"),
    ("300,000 km/s", "299,792 km/s"),
    ("5.000 km", "5001 m"),
    ("1.2 million", "1.4 million"),
    ("5–10 km", "12 km"),
    ("more than 40%", "38%"),
    ("Adam", "AdamW"),
    ("v2", "v3"),
    ("2.1.0", "2.1.1"),
    ("FY2019", "FY2020"),
]
INCOMPARABLE = [
    ("92.3 %", "0.923"),
    ("3 percentage points", "3%"),
    ("$5", "€5"),
    ("5 km", "5 kg"),
    ("12 layers", "12 heads"),
    ("300,000", "299,792 km/s"),
    ("the Adam optimizer", "Adam"),
    ("FY2019", "2019"),
    ("5–10 km", "8–12 km"),
    ("Monday", "2026-10-19"),
    ("", "5"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_value_in_two_spellings(a: str, b: str) -> None:
    assert agree(a, b).same, agree(a, b).because
    assert agree(b, a).same


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_values_that_cannot_both_be_right(a: str, b: str) -> None:
    assert agree(a, b).different, agree(a, b).because
    assert agree(b, a).different


@pytest.mark.parametrize(("a", "b"), INCOMPARABLE)
def test_values_of_which_nothing_can_be_said(a: str, b: str) -> None:
    assert agree(a, b).incomparable, agree(a, b).because
    assert agree(b, a).incomparable


def test_a_relative_date_needs_its_own_reference() -> None:
    assert agree("next Monday", "2026-10-19", a_reference=date(2026, 10, 14)).same
    assert agree("2026-10-26", "next Monday", b_reference=date(2026, 10, 14)).different


def test_versions_are_compared_letter_by_letter() -> None:
    assert agree("2.1", "2.10", exact=True).different
    assert agree("V2.1", "v2.1", exact=True).same


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("5 km", ValueKind.NUMBER, "5000 m"),
        ("299,796 ± 4 km/s", ValueKind.NUMBER, "299796000 ± 4000 m/s"),
        ("about 12", ValueKind.NUMBER, "~12"),
        ("14 October 2026", ValueKind.DATE, "2026-10-14"),
        ("The Dr. Jane Smith's", ValueKind.TEXT, "jane smith"),
        ("v2.1.0", ValueKind.TEXT, "v2.1.0"),
    ],
)
def test_the_key_of_a_value(text: str, kind: ValueKind, key: str) -> None:
    found = normalise(text)
    assert found is not None
    assert (found.kind, found.key) == (kind, key)


def test_nothing_is_no_value() -> None:
    assert normalise("  ") is None


@given(st.integers(0, 10**9))
def test_a_number_agrees_with_its_grouped_form(number: int) -> None:
    assert agree(str(number), f"{number:,}").same


@given(st.decimals(min_value=1, max_value=10_000, places=2, allow_nan=False))
def test_metres_agree_with_kilometres(length: object) -> None:
    kilometres = float(str(length))
    assert agree(f"{kilometres:.2f} km", f"{kilometres * 1000:.0f} m").same


@given(st.text(max_size=40), st.text(max_size=40))
def test_agreement_is_symmetric_and_no_text_breaks_it(a: str, b: str) -> None:
    assert agree(a, b).verdict == agree(b, a).verdict


@given(st.text(min_size=1, max_size=40))
def test_every_value_agrees_with_itself(text: str) -> None:
    if normalise(text) is not None:
        assert agree(text, text).same


def test_a_known_value_costs_little() -> None:
    normalise("1,234 kg")
    start = perf_counter()
    for _ in range(1000):
        normalise("1,234 kg")
    assert (perf_counter() - start) / 1000 < 50e-6
