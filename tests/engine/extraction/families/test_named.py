"""Relations between names: places, employers, owners, makers, roles, and the state of named things."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Kestrel Labs is located in Lisbon.", ["Kestrel Labs | located_in | Lisbon"]),
        ("Kestrel Labs is no longer based in Lisbon.", ["Kestrel Labs | not located_in | Lisbon"]),
        ("Priya Raman works at Kestrel Labs.", ["Priya Raman | works_at | Kestrel Labs"]),
        ("Priya Raman works for a living.", []),
        ("Vantage Rail owns Kestrel Labs.", ["Kestrel Labs | owned_by | Vantage Rail"]),
        ("MapKit was developed by Kestrel Labs.", ["MapKit | developed_by | Kestrel Labs"]),
        ("Ruth Stone developed a chronic cough.", []),
        ("Ruth Stone introduced Wei Chen to Karin Dahl.", []),
        ("Project Atlas is on hold.", ["Project Atlas | has_status | on hold"]),
        ("The current version of MapKit is 2.4.1.", ["MapKit | has_version | 2.4.1"]),
        ("MapKit has not reached version 7.0.", []),
    ],
)
def test_what_a_sentence_says(facts: Callable[..., list[str]], text: str, found: list[str]) -> None:
    assert facts(text, "named") == found


@pytest.mark.parametrize(
    "text",
    [
        "Priya Raman is the tech lead of Project Atlas.",
        "The tech lead of Project Atlas is Priya Raman.",
        "Project Atlas's tech lead is Priya Raman.",
        "Priya Raman, the tech lead of Project Atlas, resigned.",
    ],
)
def test_a_role_belongs_to_what_it_is_held_in(read: Callable[..., list], text: str) -> None:
    (found,) = read(text, "named")
    assert (found.subject, found.relation, found.object) == ("Project Atlas", "role_held_by", "Priya Raman")
    assert found.qualifiers == {"part": "tech lead"}


@pytest.mark.parametrize(
    "text",
    [
        "Priya Raman was the director of Kestrel Labs until 2019.",
        "Priya Raman is a former director of Kestrel Labs.",
        "Priya Raman met the director of Kestrel Labs.",
        "Is Priya Raman the director of Kestrel Labs?",
    ],
)
def test_a_role_that_is_over_or_unsaid_is_none(facts: Callable[..., list[str]], text: str) -> None:
    assert facts(text, "named") == []
