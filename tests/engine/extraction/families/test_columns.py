"""Tables that a page writes with tabs."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.families.columns import find
from trisynapse_memory.types import Modality, Passage


def cells(text: str, **fields: object) -> list[tuple[str, str, str]]:
    found = find(Passage(seq=1, text=text, **fields))  # type: ignore[arg-type]
    return [(one.subject, one.qualifiers["part"], one.object) for one in found]


def test_figures_below_names_make_a_table() -> None:
    assert cells("Month\tHigh (Rs.)\nApril\t390.00\nMay\t-\nJune\t395.00") == [
        ("April", "High (Rs.)", "390.00"),
        ("June", "High (Rs.)", "395.00"),
    ]


def test_a_table_of_words_needs_a_header_that_is_known() -> None:
    assert cells("Operation\tFunction\nPress\tWake the screen.\nHold\tSwitch off.") == [
        ("Press", "Function", "Wake the screen."),
        ("Hold", "Function", "Switch off."),
    ]
    assert cells("Anna Duarte\tMarlow\nPer Holm\tOrrin\nLena Voss\tHolm") == []


def test_years_may_stand_without_the_corner() -> None:
    assert cells("2018\t2017\nSales\t1,204\t1,118\nCosts\t840\t799") == [
        ("Sales", "2018", "1,204"),
        ("Sales", "2017", "1,118"),
        ("Costs", "2018", "840"),
        ("Costs", "2017", "799"),
    ]


def test_the_header_may_end_the_passage_before() -> None:
    found = cells("May\t3,420\nJune\t2,990", before="Passengers\n\nMonth\tArrivals", title="Ferry Counts")
    assert found == [("May", "Arrivals", "3,420"), ("June", "Arrivals", "2,990")]


@pytest.mark.parametrize(
    "text",
    [
        "Operation\tFunction\nPress\tOpen the list of\napps.\tNot in a call\nHold\tOff",  # wrapped cells
        "Name of the\tSalary and\nDirector\tother\nHolm\t3\nVoss\t4",  # a header of two lines
        "12\t14\n16\t18\n22\t23",
        "Month\tHigh\nApril\t390.00",  # one row
        "Month\tHigh\nApril\t390.00\nApril\t395.00",  # the label does not tell them apart
        "HARBOUR NEWS\tMarch\nThe crane came.\nIt lifts.",
    ],
)
def test_what_cannot_be_read_as_a_table(text: str) -> None:
    assert cells(text) == []


def test_rows_that_stand_apart_lose_only_the_broken_one() -> None:
    text = "Operation\tFunction\n\nPress\tMute\n\nHold\tWake it up. This is only\nfor one model.\n\nSwipe\tScroll"
    assert cells(text) == [("Press", "Function", "Mute"), ("Swipe", "Function", "Scroll")]


def test_a_row_of_words_is_no_header_of_the_rows_below_it() -> None:
    text = "Director\tSalary\tFees\n\nHolm\t312\t12\n\nVoss\tNil\tNil\n\nBerg\t300\t10\n\nDale\t280\t9"
    assert {part for _, part, _ in cells(text)} == {"Salary", "Fees"}


def test_a_second_table_begins_with_its_header() -> None:
    text = "Operation\tFunction\nPress\tMute\nHold\tOff\n\nButton\tUse\nUpper\tBack\nLower\tLight"
    assert cells(text) == [
        ("Press", "Function", "Mute"),
        ("Hold", "Function", "Off"),
        ("Upper", "Use", "Back"),
        ("Lower", "Use", "Light"),
    ]


def test_tables_that_were_read_as_such_are_not_read_again() -> None:
    assert cells("Month\tHigh\nApril\t390\nMay\t400", modality=Modality.TABLE) == []
