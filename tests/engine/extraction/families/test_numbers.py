"""Measured values, sizes and counts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Facts = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Michelson measured the speed of light as 299,796 ± 4 km/s in 1926.",
            ["speed of light | measured_as | 299,796 ± 4 km/s"],
        ),
        (
            "The speed of light was measured as 299,774 ± 11 km/s by Michelson, Pease and Pearson.",
            ["speed of light | measured_as | 299,774 ± 11 km/s"],
        ),
        ("The distance from Bern to Thun is about 26 km.", ["distance from Bern to Thun | has_value | about 26 km"]),
        ("The bridge is 512 m long.", ["bridge | has_value | 512 m"]),
        ("The tower has a height of 324 m.", ["tower | has_value | 324 m"]),
        ("Aster Robotics had 1,240 employees.", ["Aster Robotics | has_value | 1,240"]),
        ("The half-life of sertraline is not 9 hours.", ["half-life of sertraline | not has_value | 9 hours"]),
        ("If the voltage is 5 V, the lamp glows.", []),
        ("The mass of sample B is 3 times that of sample A.", []),
        ("The capital is 5 km away.", []),
        ("Hanson has two rental properties.", []),
        ("Ruth is 100% certain about Kyoto.", []),
        ("The scores of Falcon are 53.1%, 55.7%, and 36.6%, respectively.", []),
    ],
)
def test_what_a_sentence_gives(facts: Facts, text: str, found: list[str]) -> None:
    assert facts(text, "numbers") == found


def test_measurer_and_year_are_no_qualifiers(read: Callable[..., list[object]]) -> None:
    (found,) = read("Michelson measured the speed of light as 299,796 ± 4 km/s in 1926.", "numbers")
    assert found.qualifiers == {}  # type: ignore[attr-defined]
    assert found.temporal_anchor == "1926"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "qualifiers"),
    [
        ("The boiling point of ethanol is 78.4 °C at standard pressure.", {"condition": "standard pressure"}),
        ("For unvaccinated people, the fatality rate is 7%.", {"population": "unvaccinated people"}),
        ("The average wage was 11 shillings a week in 1867.", {"time": "1867"}),
        ("The tower has a height of 324 m.", {"metric": "height"}),
    ],
)
def test_what_narrows_a_value(read: Callable[..., list[object]], text: str, qualifiers: dict[str, str]) -> None:
    (found,) = read(text, "numbers")
    assert found.qualifiers == qualifiers  # type: ignore[attr-defined]
