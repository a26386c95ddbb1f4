"""Words like "last spring" and a day to count from in, calendar dates out. Nothing is read from a clock."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from types import MappingProxyType
from typing import Final

from trisynapse_memory.text.date_forms import MONTH, SEASON, WEEKDAY, Piece, month_number
from trisynapse_memory.text.intervals import Granularity, Interval, add_months, interval, season, unit_around

_WEEKDAYS: Final = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
_DAY_WORDS: Final = MappingProxyType(
    {"yesterday": -1, "last night": -1, "tomorrow": 1, "the day before yesterday": -2, "the day after tomorrow": 2}
)
_COUNTS: Final = MappingProxyType(
    {"a": 1, "an": 1, "one": 1, "a couple of": 2}
    | {word: n for n, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), start=2)}
)
_COUNT: Final = rf"(?P<count>\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_UNIT: Final = r"(?P<unit>day|week|month|quarter|year|decade|century)"
_WHICH: Final = r"(?P<which>this|current|last|past|previous|next|coming|upcoming)"
_MONTHS_IN: Final = MappingProxyType({"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200})

Reading = Callable[[re.Match[str], date], Interval | None]


def _direction(word: str) -> int:
    return {"this": 0, "current": 0, "next": 1, "coming": 1, "upcoming": 1}.get(word.lower(), -1)


def _moved(day: date, unit: str, count: int) -> date:
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    return add_months(day, count * _MONTHS_IN[unit])


def _read_day_word(match: re.Match[str], reference: date) -> Interval:
    word = " ".join(match.group().lower().split())
    days = {
        "yesterday": -1,
        "last night": -1,
        "tomorrow": 1,
        "the day before yesterday": -2,
        "the day after tomorrow": 2,
    }
    return interval(reference + timedelta(days=days.get(word, 0)), Granularity.DAY)


def _read_unit(match: re.Match[str], reference: date) -> Interval:
    unit = match["unit"].lower()
    return interval(_moved(reference, unit, _direction(match["which"])), Granularity(unit))


def _read_ago(match: re.Match[str], reference: date) -> Interval:
    written = " ".join(match["count"].lower().split())
    count = int(written) if written.isdigit() else _COUNTS[written]
    unit = match["unit"].lower()
    backwards = match["back"] is not None
    return interval(_moved(reference, unit, -count if backwards else count), Granularity(unit))


def _read_weekday(match: re.Match[str], reference: date) -> Interval:
    """Read a weekday: the first one after the reference, or before it for "last"; "this" stays in its week."""
    number = _WEEKDAYS.index(match["weekday"].lower())
    which = (match["which"] or "next").lower()
    if which == "this":
        monday = unit_around(reference, Granularity.WEEK)[0]
        return interval(monday + timedelta(days=number), Granularity.DAY)
    ahead = (number - reference.weekday() - 1) % 7 + 1
    behind = (reference.weekday() - number - 1) % 7 + 1
    return interval(reference + timedelta(days=ahead if _direction(which) >= 0 else -behind), Granularity.DAY)


def _read_season(match: re.Match[str], reference: date) -> Interval:
    """Read a season: "last" is the latest one that is over, "next" the first that has not begun, "this" the year's."""
    name = match["season"].lower()
    near = [season(name, reference.year + offset) for offset in (-2, -1, 0, 1)]
    direction = _direction(match["which"])
    if direction < 0:
        return [one for one in near if one.end < reference][-1]
    if direction > 0:
        return next(one for one in near if one.start > reference)
    return next((one for one in near if one.start <= reference <= one.end), season(name, reference.year))


def _read_month(match: re.Match[str], reference: date) -> Interval:
    number = month_number(match["month"])
    near = [interval(date(reference.year + offset, number, 1), Granularity.MONTH) for offset in (-1, 0, 1)]
    direction = _direction(match["which"])
    if direction < 0:
        return [one for one in near if one.end < reference][-1]
    return next(one for one in near if one.start > reference) if direction > 0 else near[1]


def _read_quarter(match: re.Match[str], reference: date) -> Interval:
    return interval(date(reference.year, 3 * int(match["quarter"]), 1), Granularity.QUARTER)


def _row(pattern: str, reading: Reading, *, bare: bool = False) -> tuple[re.Pattern[str], Reading, bool]:
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE), reading, bare


_FORMS: Final = (
    _row(
        r"the day before yesterday|the day after tomorrow|yesterday|tomorrow|today|tonight|last night|"
        r"this (?:morning|afternoon|evening)",
        _read_day_word,
    ),
    _row(r"(?:right )?now", _read_day_word, bare=True),
    _row(rf"(?:earlier |later |the )?{_WHICH} {_UNIT}", _read_unit),
    _row(rf"{_COUNT} {_UNIT}s? (?P<back>ago)", _read_ago),
    _row(rf"{_COUNT} {_UNIT}s? (?:from (?:now|today)|(?P<back>(?!))hence)", _read_ago),
    _row(rf"in {_COUNT} {_UNIT}s?(?P<back>(?!))?", _read_ago, bare=True),
    _row(rf"(?:the )?{_WHICH} (?P<season>{SEASON})", _read_season),
    _row(rf"{_WHICH} (?P<month>{MONTH})", _read_month),
    _row(rf"{_WHICH} (?P<weekday>{WEEKDAY})", _read_weekday),
    _row(rf"(?P<which>(?!))?(?P<weekday>{WEEKDAY})", _read_weekday, bare=True),
    _row(r"Q(?P<quarter>[1-4])(?![\s,/-]+(?:of\s+)?\d{4})", _read_quarter),
)


def find_relative(text: str, reference: date | None) -> Iterator[Piece]:
    """Yield what a text says in words that count from ``reference``; nothing without one."""
    if reference is None:
        return
    for pattern, reading, bare in _FORMS:
        for match in pattern.finditer(text):
            found = _in_calendar(reading, match, reference)
            if found is not None:
                yield Piece(start=match.start(), end=match.end(), interval=found, bare=bare)


def _in_calendar(reading: Reading, match: re.Match[str], reference: date) -> Interval | None:
    """Read a match; a count that leaves the calendar ("900 centuries ago") is no date."""
    try:
        return reading(match, reference)
    except (ValueError, OverflowError, IndexError, StopIteration):
        return None


def nearest_day(month: int, day: int, reference: date) -> Interval | None:
    """Return the day of this month that lies nearest to the reference; None for 30 February."""
    near: list[date] = []
    for year in (reference.year - 1, reference.year, reference.year + 1):
        try:
            near.append(date(year, month, day))
        except ValueError:
            continue
    if not near:
        return None
    return interval(min(near, key=lambda one: abs((one - reference).days)), Granularity.DAY)
