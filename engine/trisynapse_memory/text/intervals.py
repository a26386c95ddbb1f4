"""A stretch of the calendar in, its written form out, and back. No text is searched here and no clock is read."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct


class Granularity(StrEnum):
    """How exactly a date is given; the order of the members is from fine to coarse."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    SEASON = "season"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


# EDTF (ISO 8601-2) numbers the seasons after the twelve months.
SEASONS: Final = MappingProxyType({"spring": 21, "summer": 22, "autumn": 23, "fall": 23, "winter": 24})
_SEASON_MONTH: Final = MappingProxyType({21: 3, 22: 6, 23: 9, 24: 12})
_OPEN: Final = ".."


class Interval(Struct, frozen=True, kw_only=True):
    """From the first day to the last, both included, as exactly as it was given.

    ``fuzzy`` says that its edges are not meant exactly ("around 1930"). ``label`` names a year that is no calendar
    year ("FY2019"); such a stretch can be compared with its own label only. ``date.min`` and ``date.max`` stand for an
    open side ("before 2015").
    """

    start: date
    end: date
    granularity: Granularity
    fuzzy: bool = False
    label: str = ""

    @property
    def iso(self) -> str:
        """The written form, as EDTF (ISO 8601-2) writes it but for quarters and weeks.

        2026-10-14, 2026-W42, 2026-10, 2026-Q3, 2026-21 (spring), 1926, 199X, 19XX, 2015/2018; "~" behind it means
        fuzzy, and an open side is written "..", as in "../2015".
        """
        mark = "~" if self.fuzzy else ""
        if self.label:
            return self.label
        if (self.start, self.end) == unit_around(self.start, self.granularity):
            return _unit_name(self.start, self.granularity) + mark
        first = _OPEN if self.start == date.min else _unit_name(self.start, self.granularity)
        last = _OPEN if self.end == date.max else _unit_name(self.end, self.granularity)
        return f"{first}/{last}{mark}"

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share a day."""
        return self.start <= other.end and other.start <= self.end

    def contains(self, other: Interval) -> bool:
        """Whether every day of the other is one of this."""
        return self.start <= other.start and other.end <= self.end


def unit_around(day: date, granularity: Granularity) -> tuple[date, date]:
    """Return the first and the last day of the week, month, ... century around a day.

    Seasons are the meteorological ones of the northern half; winter belongs to the year in which it begins. A century
    is written 19XX and holds the years 1900 to 1999.
    """
    if granularity is Granularity.DAY:
        return day, day
    if granularity is Granularity.WEEK:
        # The calendar ends on a Friday, so that its last week is cut short.
        start = day - timedelta(days=day.weekday())
        return start, min(date.max.toordinal() - start.toordinal(), 6) * timedelta(days=1) + start
    if granularity is Granularity.MONTH:
        return day.replace(day=1), month_end(day.year, day.month)
    if granularity is Granularity.QUARTER:
        first = 3 * ((day.month - 1) // 3) + 1
        return date(day.year, first, 1), month_end(day.year, first + 2)
    if granularity is Granularity.SEASON:
        return _season_around(day)
    years = {Granularity.YEAR: 1, Granularity.DECADE: 10, Granularity.CENTURY: 100}[granularity]
    first_year = day.year - day.year % years
    return date(max(first_year, 1), 1, 1), date(first_year + years - 1, 12, 31)


def interval(day: date, granularity: Granularity, *, fuzzy: bool = False) -> Interval:
    """Return the unit around a day as an interval."""
    start, end = unit_around(day, granularity)
    return Interval(start=start, end=end, granularity=granularity, fuzzy=fuzzy)


def season(name: str, year: int) -> Interval:
    """Return a season of a year by its English name; winter 2026 runs from December 2026 to February 2027."""
    return interval(date(year, _SEASON_MONTH[SEASONS[name]], 1), Granularity.SEASON)


def month_end(year: int, month: int) -> date:
    """Return the last day of a month."""
    return date(year, month, calendar.monthrange(year, month)[1])


def add_months(day: date, count: int) -> date:
    """Move by whole months; a day that the month does not have becomes its last one (31 January + 1 = 28 February)."""
    months = day.year * 12 + day.month - 1 + count
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _season_around(day: date) -> tuple[date, date]:
    month = 12 if day.month in (1, 2) else 3 * (day.month // 3)
    year = day.year - 1 if day.month in (1, 2) else day.year
    # The winter before year 1 cannot be written.
    start = date(max(year, 1), month if year else 1, 1)
    if month == 12:
        return start, month_end(min(year + 1, date.max.year), 2 if year < date.max.year else 12)
    return start, month_end(year, month + 2)


def _unit_name(day: date, granularity: Granularity) -> str:
    year = f"{day.year:04d}"
    if granularity is Granularity.DAY:
        return day.isoformat()
    if granularity is Granularity.WEEK:
        iso = day.isocalendar()
        return f"{iso.year:04d}-W{iso.week:02d}"
    if granularity is Granularity.MONTH:
        return f"{year}-{day.month:02d}"
    if granularity is Granularity.QUARTER:
        return f"{year}-Q{(day.month - 1) // 3 + 1}"
    if granularity is Granularity.SEASON:
        first = _season_around(day)[0]
        return f"{first.year:04d}-{20 + (first.month // 3 if first.month != 12 else 4)}"
    return {Granularity.YEAR: year, Granularity.DECADE: f"{year[:3]}X"}.get(granularity, f"{year[:2]}XX")


_NAME: Final = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>\d\d))?|-W(?P<week>\d\d)|-Q(?P<quarter>[1-4])"
    r"|-(?P<season>2[1-4]))?|(?P<decade>\d{3})X|(?P<century>\d\d)XX"
)


def parse_iso(text: str) -> Interval | None:
    """Read what ``Interval.iso`` writes; anything else, and a day that no calendar has, is None."""
    plain = text.strip()
    if re.fullmatch(r"FY\d{4}", plain):
        year = interval(date(int(plain[2:]), 1, 1), Granularity.YEAR)
        return Interval(start=year.start, end=year.end, granularity=Granularity.YEAR, fuzzy=True, label=plain)
    fuzzy = plain.endswith("~")
    first, slash, last = plain.removesuffix("~").partition("/")
    begin = None if slash and first == _OPEN else _parse_unit(first)
    finish = begin if not slash else (None if last == _OPEN else _parse_unit(last))
    known = begin or finish
    broken = (begin is None and first != _OPEN) or (finish is None and last != _OPEN)
    if known is None or broken:
        return None
    start = begin.start if begin else date.min
    end = finish.end if finish else date.max
    if start > end:
        return None
    coarse = max((one.granularity for one in (begin, finish) if one), key=list(Granularity).index)
    return Interval(start=start, end=end, granularity=coarse, fuzzy=fuzzy)


def _parse_unit(text: str) -> Interval | None:
    match = _NAME.fullmatch(text)
    if match is None:
        return None
    parts = {name: int(value) for name, value in match.groupdict().items() if value is not None}
    try:
        return _build(parts)
    except ValueError:
        return None


def _build(parts: dict[str, int]) -> Interval:
    year = parts.get("year", parts.get("decade", 0) * 10 or parts.get("century", 0) * 100)
    if "week" in parts:
        return interval(date.fromisocalendar(year, parts["week"], 1), Granularity.WEEK)
    if "day" in parts:
        return interval(date(year, parts["month"], parts["day"]), Granularity.DAY)
    if "quarter" in parts:
        return interval(date(year, 3 * parts["quarter"], 1), Granularity.QUARTER)
    if "season" in parts:
        return interval(date(year, _SEASON_MONTH[parts["season"]], 1), Granularity.SEASON)
    if "month" in parts:
        return interval(date(year, parts["month"], 1), Granularity.MONTH)
    coarse = {"decade": Granularity.DECADE, "century": Granularity.CENTURY}
    granularity = next((coarse[name] for name in coarse if name in parts), Granularity.YEAR)
    return interval(date(year, 1, 1), granularity)
