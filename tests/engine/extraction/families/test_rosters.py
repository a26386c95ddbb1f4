"""Who has which role in a list of people."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.families.rosters import find
from trisynapse_memory.types import Passage


def posts(text: str) -> list[tuple[str, str]]:
    return [(one.subject, one.object) for one in find(Passage(seq=1, text=text))]


def test_a_name_and_a_role_on_one_line() -> None:
    assert posts("Dr. Ruth Holm – Medical Director\nOmar T. Voss, Jr., Deputy Director, Board of Tides") == [
        ("Ruth Holm", "Medical Director"),
        ("Omar T. Voss, Jr.", "Deputy Director, Board of Tides"),
    ]


def test_a_name_over_its_role() -> None:
    text = "Ruth Holm, MD\nExecutive Director, Board of\nPilots\n\nOmar Voss\nOperations Consultant II"
    assert posts(text) == [
        ("Ruth Holm", "Executive Director, Board of Pilots"),
        ("Omar Voss", "Operations Consultant II"),
    ]


def test_a_list_with_semicolons_also_where_lines_break_words() -> None:
    text = "Staff Present: Julia\nBarr, Legislative Assistant; Kevin Frost, Com-\nmittee Clerk; and Tom Ashby, Counsel."
    assert posts(text) == [
        ("Julia Barr", "Legislative Assistant"),
        ("Kevin Frost", "Committee Clerk"),
        ("Tom Ashby", "Counsel"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Ruth Holm, Director",  # alone
        "Human Resources, Finance Manager\nNew York, Sales Director",
        "Cass Ballard, North Marlow\nPeter Hook, Orrin",
        "Green Valley, Area Manager wanted\nBlue Harbour, Chef wanted",
        "Lena Voss\n14 Quay Street\n\nOmar Holm\n2 Mill Lane",
        "Quay Street\nManager\n\nMill Lane\nSupervisor",
        "Deputy Director\nManager\n\nVice President\nChairman",
        "Ruth Holm MSN\nVice Chair\n\nOmar Voss MPH\nChair",  # where the name ends is not clear
    ],
)
def test_what_is_no_roster(text: str) -> None:
    assert posts(text) == []


def test_two_roles_below_one_name_are_not_glued() -> None:
    text = "Ruth Holm\nDeputy Secretary for Health\nDeputy State Health Officer\n\nOmar Voss\nChair\n\nLena Berg\nClerk"
    assert posts(text) == [("Omar Voss", "Chair"), ("Lena Berg", "Clerk")]
