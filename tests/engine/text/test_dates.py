"""Date expressions against a reference day: a Wednesday, 14 October 2026."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.dates import find_dates, resolve

WEDNESDAY = date(2026, 10, 14)

ABSOLUTE = [
    ("2026-10-14", "2026-10-14"),
    ("14 October 2026", "2026-10-14"),
    ("the 14th of October, 2026", "2026-10-14"),
    ("October 14, 2026", "2026-10-14"),
    ("Wednesday, 14 October 2026", "2026-10-14"),
    ("Oct. 2026", "2026-10"),
    ("October of 1887", "1887-10"),
    ("14/10/2026", "2026-10-14"),
    ("10/14/2026", "2026-10-14"),
    ("03.04.2026", "2026-04-03"),
    ("2026年10月14日", "2026-10-14"),
    ("14 octobre 2026", "2026-10-14"),
    ("Q3 2026", "2026-Q3"),
    ("third quarter of 2020", "2020-Q3"),
    ("H1 2026", "2026-01/2026-06"),
    ("the second half of 2026", "2026-07/2026-12"),
    ("spring 2026", "2026-21"),
    ("mid-2024", "2024-05/2024-08~"),
    ("the early 1990s", "1990/1993~"),
    ("the '90s", "199X"),
    ("the 1800s", "18XX"),
    ("the 19th century", "18XX"),
    ("the late nineteenth century", "1870/1899~"),
    ("the end of August 2023", "2023-08-21/2023-08-31~"),
    ("around 1930", "1930~"),
    ("circa 1930", "1930~"),
    ("between 2015 and 2018", "2015/2018"),
    ("2015–18", "2015/2018"),
    ("from May to July 2020", "2020-05/2020-07"),
    ("from November to February 2021", "2020-11/2021-02"),
    ("28 May – 3 June 2020", "2020-05-28/2020-06-03"),
    ("3-5 May 2020", "2020-05-03/2020-05-05"),
    ("since 2015", "2015/.."),
    ("until the end of 2026", "../2026-12~"),
    ("FY2019", "FY2019"),
    ("fiscal year 2021", "FY2021"),
    ("1926", "1926"),
]
RELATIVE = [
    ("starting Monday", "2026-10-19"),
    ("next Tuesday", "2026-10-20"),
    ("Friday", "2026-10-16"),
    ("Wednesday", "2026-10-21"),
    ("last Friday", "2026-10-09"),
    ("this Friday", "2026-10-16"),
    ("before Friday", "../2026-10-15"),
    ("by Friday", "../2026-10-16"),
    ("yesterday", "2026-10-13"),
    ("today", "2026-10-14"),
    ("now", "2026-10-14"),
    ("this week", "2026-W42"),
    ("two weeks ago", "2026-W40"),
    ("10 days ago", "2026-10-04"),
    ("in two weeks", "2026-W44"),
    ("three months ago", "2026-07"),
    ("last quarter", "2026-Q3"),
    ("last year", "2025"),
    ("last decade", "201X"),
    ("last spring", "2026-21"),
    ("last winter", "2025-24"),
    ("next summer", "2027-22"),
    ("last October", "2025-10"),
    ("3 March", "2027-03-03"),
    ("20 September", "2026-09-20"),
]


@pytest.mark.parametrize(("text", "iso"), ABSOLUTE)
def test_a_whole_date_needs_no_reference(text: str, iso: str) -> None:
    for reference in (None, WEDNESDAY):
        found = resolve(text, reference)
        assert found is not None
        assert found.iso == iso


@pytest.mark.parametrize(("text", "iso"), RELATIVE)
def test_a_relative_date_counts_from_its_reference_and_from_nothing_else(text: str, iso: str) -> None:
    found = resolve(text, WEDNESDAY)
    assert found is not None
    assert found.iso == iso
    assert resolve(text, None) is None


@pytest.mark.parametrize(
    "text",
    ["03/04/2026", "May", "30 February 2020", "5 pm", "12 apples", "Adam", "three", "", "2.1.4", "900 centuries ago"],
)
def test_nothing_is_guessed(text: str) -> None:
    assert resolve(text, WEDNESDAY) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("In 1926 Michelson used 1926 mirrors.", [("1926", "1926")]),
        ("A total of 1926 people came in 1927.", [("1927", "1927")]),
        ("Smith et al. (2020) agreed.", [("2020", "2020")]),
        ("It may march in May.", []),
        ("The report is due on Friday.", [("Friday", "2026-10-16")]),
        ("On Friday the team met.", []),
        (
            "moved from 3 September 2026 to 14 October 2026",
            [("from 3 September 2026 to 14 October 2026", "2026-09-03/2026-10-14")],
        ),
        (
            "born March 14, 1879, died April 18, 1955",
            [("March 14, 1879", "1879-03-14"), ("April 18, 1955", "1955-04-18")],
        ),
    ],
)
def test_dates_in_running_text(text: str, named: list[tuple[str, str]]) -> None:
    assert [(text[one.start : one.end], one.interval.iso) for one in find_dates(text, WEDNESDAY)] == named


def test_a_bound_keeps_the_day_itself_beside_the_stretch() -> None:
    text = "It must be sent before 3 May 2026."
    (found,) = find_dates(text, None)
    assert (found.interval.iso, found.point.iso) == ("../2026-05-02", "2026-05-03")
    assert text[found.point_start : found.end] == "3 May 2026"


def test_two_ends_keep_their_places() -> None:
    text = "It runs from May to 3 July 2020."
    (found,) = find_dates(text, None)
    assert [(text[part.start : part.end], part.interval.iso) for part in found.parts] == [
        ("May", "2020-05"),
        ("3 July 2020", "2020-07-03"),
    ]


@given(st.dates(min_value=date(1000, 1, 1), max_value=date(2199, 12, 31)), st.dates())
def test_every_day_is_found_in_four_spellings(day: date, reference: date) -> None:
    month = "January February March April May June July August September October November December".split()[
        day.month - 1
    ]
    spellings = (
        day.isoformat(),
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month[:3]}. {day.year}" if day.month != 5 else f"{day.day} May {day.year}",
    )
    for spelling in spellings:
        found = resolve(spelling, reference)
        assert found is not None, spelling
        assert (found.start, found.end) == (day, day)


@given(st.text(max_size=60), st.dates())
def test_no_text_breaks_it_and_spans_stay_inside(text: str, reference: date) -> None:
    position = 0
    for one in find_dates(text, reference):
        assert position <= one.start < one.end <= len(text)
        assert one.interval.start <= one.interval.end
        position = one.end


@pytest.mark.parametrize("words", ["the first weekend of August 2023", "the week-end of August 2023"])
def test_a_weekend_is_not_the_end_of_its_month(words: str):
    (found,) = find_dates(f"We met on {words}.", None)
    assert (found.interval.start, found.interval.end) == (date(2023, 8, 1), date(2023, 8, 31))
