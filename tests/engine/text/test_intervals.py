"""Stretches of the calendar: their written form and back."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.intervals import Granularity, Interval, add_months, interval, parse_iso, season, unit_around


@pytest.mark.parametrize(
    ("written", "start", "end", "granularity"),
    [
        ("2026-10-14", "2026-10-14", "2026-10-14", "day"),
        ("2026-W42", "2026-10-12", "2026-10-18", "week"),
        ("2024-02", "2024-02-01", "2024-02-29", "month"),
        ("2026-Q3", "2026-07-01", "2026-09-30", "quarter"),
        ("2026-21", "2026-03-01", "2026-05-31", "season"),
        ("2026-24", "2026-12-01", "2027-02-28", "season"),
        ("1926", "1926-01-01", "1926-12-31", "year"),
        ("199X", "1990-01-01", "1999-12-31", "decade"),
        ("18XX", "1800-01-01", "1899-12-31", "century"),
        ("2015/2018", "2015-01-01", "2018-12-31", "year"),
        ("2020-05/2020-07", "2020-05-01", "2020-07-31", "month"),
        ("1930~", "1930-01-01", "1930-12-31", "year"),
        ("../2015", "0001-01-01", "2015-12-31", "year"),
        ("2015/..", "2015-01-01", "9999-12-31", "year"),
        ("FY2019", "2019-01-01", "2019-12-31", "year"),
    ],
)
def test_each_written_form_is_read_and_written_again(written: str, start: str, end: str, granularity: str) -> None:
    found = parse_iso(written)
    assert found is not None
    assert (found.start.isoformat(), found.end.isoformat(), found.granularity.value) == (start, end, granularity)
    assert found.iso == written


@pytest.mark.parametrize(
    "text", ["2026-02-30", "2026-13", "26", "", "2018/2015", "../..", "2026-W60", "May", "1926 people"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_iso(text) is None


@given(
    st.dates(min_value=date(1000, 1, 1), max_value=date(9000, 1, 1)),
    st.integers(0, 4000),
    st.sampled_from([Granularity.DAY, Granularity.MONTH, Granularity.YEAR]),
    st.booleans(),
)
def test_any_stretch_of_units_survives_its_written_form(
    day: date, days: int, granularity: Granularity, fuzzy: bool
) -> None:
    start = unit_around(day, granularity)[0]
    end = unit_around(date.fromordinal(day.toordinal() + days), granularity)[1]
    found = Interval(start=start, end=end, granularity=granularity, fuzzy=fuzzy)
    assert parse_iso(found.iso) == found


@given(st.dates(), st.sampled_from(list(Granularity)))
def test_a_unit_holds_its_day(day: date, granularity: Granularity) -> None:
    start, end = unit_around(day, granularity)
    assert start <= day <= end


def test_months_end_where_the_calendar_says() -> None:
    assert add_months(date(2025, 1, 31), 1) == date(2025, 2, 28)
    assert add_months(date(2024, 1, 31), 1) == date(2024, 2, 29)
    assert add_months(date(2025, 1, 31), -2) == date(2024, 11, 30)


def test_winter_belongs_to_the_year_in_which_it_begins() -> None:
    assert season("winter", 2026) == interval(date(2027, 1, 15), Granularity.SEASON)
    assert season("fall", 2026) == season("autumn", 2026)


def test_stretches_meet_and_hold_each_other() -> None:
    year, month, other = parse_iso("2026"), parse_iso("2026-10"), parse_iso("2027")
    assert year is not None
    assert month is not None
    assert other is not None
    assert year.contains(month)
    assert not month.contains(year)
    assert year.overlaps(month)
    assert not year.overlaps(other)
