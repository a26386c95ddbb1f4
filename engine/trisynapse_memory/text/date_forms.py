"""A text in, the calendar dates written out in it as single pieces out. Relative words and ranges are not read here.

One table row per form, each a pattern and the function that reads its match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from trisynapse_memory.text.intervals import Granularity, Interval, interval, parse_iso, season, unit_around

_NAMES: Final = "january february march april may june july august september october november december".split()
MONTHS: Final = MappingProxyType(
    {name: number for number, name in enumerate(_NAMES, start=1)}
    | {name[:3]: number for number, name in enumerate(_NAMES, start=1)}
    | {"sept": 9}
)
MONTH: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
)
WEEKDAY: Final = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
SEASON: Final = r"(?:spring|summer|autumn|fall|winter)"
_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR: Final = r"(?:1\d{3}|20\d\d|21\d\d)"
_NTH: Final = r"(?:st|nd|rd|th)?"
_DASH: Final = r"\s?(?:–|—|-|to|through|until)\s?"
_CENTURIES: Final = MappingProxyType(
    {
        word: number
        for number, word in enumerate(
            "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
            "twentieth twenty-first".split(),
            start=10,
        )
    }
)
_QUARTERS: Final = MappingProxyType({"first": 1, "second": 2, "third": 3, "fourth": 4})


class Piece(Struct, frozen=True, kw_only=True):
    """One date in a text: ``text[start:end]``.

    ``interval`` is None for a month or a day without a year, which ``month`` and ``day`` (0: none) then hold. ``bare``
    marks what is a date only in company: a four-digit number, a month's name, a weekday.
    """

    start: int
    end: int
    interval: Interval | None
    month: int = 0
    day: int = 0
    bare: bool = False


Reading = Callable[[re.Match[str]], Interval | None]


def _day(year: int, month: int, day: int) -> Interval | None:
    try:
        return interval(date(year, month, day), Granularity.DAY)
    except ValueError:
        return None


def month_number(name: str) -> int:
    """Return 1 to 12 for a month's name or its short form."""
    return MONTHS[name.lower().rstrip(".")[:9].strip()] if name.lower().rstrip(".") in MONTHS else 0


def _read_iso(match: re.Match[str]) -> Interval | None:
    return parse_iso(match["iso"].upper())


def _read_numbers(match: re.Match[str]) -> Interval | None:
    return _day(int(match["year"]), int(match["month"]), int(match["day"]))


def _read_named_day(match: re.Match[str]) -> Interval | None:
    return _day(int(match["year"]), month_number(match["month"]), int(match["day"]))


def _read_day_range(match: re.Match[str]) -> Interval | None:
    first = _day(int(match["year"]), month_number(match["month"]), int(match["day"]))
    last = _day(int(match["year"]), month_number(match["month"]), int(match["until"]))
    return span(first, last)


def _read_month(match: re.Match[str]) -> Interval | None:
    return interval(date(int(match["year"]), month_number(match["month"]), 1), Granularity.MONTH)


def _read_slashed(match: re.Match[str]) -> Interval | None:
    """Read 14/10/2026 and 10/14/2026; 03/04/2026 is two different days to two readers, and is left alone.

    With dots the day comes first everywhere.
    """
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if match["mark"] == "." or first > 12 or first == second:
        return _day(year, second, first)
    return _day(year, first, second) if second > 12 else None


def _read_quarter(match: re.Match[str]) -> Interval | None:
    groups = match.groupdict()
    number = _QUARTERS.get(groups.get("word") or "", 0) or int(groups.get("quarter") or 0)
    return interval(date(int(match["year"]), 3 * number, 1), Granularity.QUARTER)


def _read_half(match: re.Match[str]) -> Interval | None:
    second = match["half"].lower() in ("second", "h2", "latter")
    year = int(match["year"])
    first = date(year, 7 if second else 1, 1)
    return Interval(
        start=first, end=date(year, 12 if second else 6, 31 if second else 30), granularity=Granularity.MONTH
    )


def _read_season(match: re.Match[str]) -> Interval | None:
    return season(match["season"].lower(), int(match["year"]))


def _read_decade(match: re.Match[str]) -> Interval | None:
    year = int(match["year"]) if match["year"] else 1900 + int(match["short"])
    # "the 1800s" are a century to most who write it, "the 2000s" a decade.
    century = year % 100 == 0 and year < 2000
    return interval(date(year, 1, 1), Granularity.CENTURY if century else Granularity.DECADE)


def _read_century(match: re.Match[str]) -> Interval | None:
    number = _CENTURIES.get((match["word"] or "").lower(), 0) or int(match["number"] or 0)
    return interval(date(100 * (number - 1), 1, 1), Granularity.CENTURY) if 2 <= number <= 22 else None


def _read_fiscal(match: re.Match[str]) -> Interval | None:
    return parse_iso(f"FY{match['year'] if match['year'] else '20' + match['short']}")


def _read_years(match: re.Match[str]) -> Interval | None:
    last = match["until"]
    return span(parse_iso(match["year"]), parse_iso(match["year"][: 4 - len(last)] + last))


def span(first: Interval | None, last: Interval | None) -> Interval | None:
    """Return the stretch from the first day of one interval to the last of another, or None if they run backwards."""
    if first is None or last is None or first.start > last.end or first.label or last.label:
        return None
    order = list(Granularity)
    coarse = max(first.granularity, last.granularity, key=order.index)
    return Interval(
        start=max(first.start, unit_around(first.start, coarse)[0]) if coarse is first.granularity else first.start,
        end=last.end,
        granularity=min(first.granularity, last.granularity, key=order.index),
        fuzzy=first.fuzzy or last.fuzzy,
    )


def _row(pattern: str, reading: Reading) -> tuple[re.Pattern[str], Reading]:
    return re.compile(pattern, re.IGNORECASE), reading


_PREFIX: Final = rf"(?<![\w.])(?:{WEEKDAY},?\s+(?:the\s+)?)?"
_NUMERIC: Final = r"(?<![\w/.-])"
_FORMS: Final = (
    _row(rf"{_NUMERIC}(?P<iso>\d{{4}}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?)?(?![\w-])", _read_iso),
    _row(rf"{_NUMERIC}(?P<iso>\d{{4}}-(?:W\d\d|Q[1-4]))(?![\w-])", _read_iso),
    _row(rf"{_NUMERIC}(?P<year>\d{{4}})年(?P<month>\d\d?)月(?P<day>\d\d?)日", _read_numbers),
    _row(rf"{_NUMERIC}(?P<year>\d{{4}})/(?P<month>\d\d)/(?P<day>\d\d)(?![\w/])", _read_numbers),
    _row(
        rf"{_NUMERIC}(?P<first>\d\d?)(?P<mark>[/.])(?P<second>\d\d?)(?P=mark)(?P<year>\d{{4}})(?![\w/])",
        _read_slashed,
    ),
    _row(
        rf"{_PREFIX}(?P<day>{_DAY}){_NTH}(?:\s+(?:day\s+)?of)?[\s-]+(?P<month>{MONTH}),?"
        rf"[\s-]+(?:of\s+)?(?P<year>{_YEAR})(?!\w)",
        _read_named_day,
    ),
    _row(
        rf"{_PREFIX}(?P<month>{MONTH})\s+(?:the\s+)?(?P<day>{_DAY}){_NTH},?\s+(?P<year>{_YEAR})(?!\w)", _read_named_day
    ),
    _row(
        rf"(?<![\w.])(?P<day>{_DAY}){_NTH}{_DASH}(?P<until>{_DAY}){_NTH}\s+(?:of\s+)?"
        rf"(?P<month>{MONTH}),?\s+(?P<year>{_YEAR})(?!\w)",
        _read_day_range,
    ),
    _row(
        rf"(?<![\w.])(?P<month>{MONTH})\s+(?P<day>{_DAY}){_NTH}{_DASH}(?P<until>{_DAY}){_NTH},?\s+(?P<year>{_YEAR})(?!\w)",
        _read_day_range,
    ),
    _row(rf"(?<![\w.])(?P<month>{MONTH}),?\s+(?:of\s+)?(?P<year>{_YEAR})(?![\w-])", _read_month),
    _row(rf"(?<!\w)Q(?P<quarter>[1-4])(?:\s+of)?[\s,/-]+(?P<year>{_YEAR})(?!\w)", _read_quarter),
    _row(rf"(?<!\w)(?P<year>{_YEAR})[\s/-]?Q(?P<quarter>[1-4])(?!\w)", _read_quarter),
    _row(rf"(?<!\w)(?P<word>first|second|third|fourth)\s+quarter\s+(?:of\s+)?(?P<year>{_YEAR})(?!\w)", _read_quarter),
    _row(rf"(?<!\w)(?P<half>first|second|latter)\s+half\s+of\s+(?P<year>{_YEAR})(?![\ws])", _read_half),
    _row(rf"(?<!\w)(?P<half>H[12])[\s,]+(?:of\s+)?(?P<year>{_YEAR})(?!\w)", _read_half),
    _row(rf"(?<!\w)(?P<season>{SEASON})\s+(?:of\s+)?(?P<year>{_YEAR})(?:/\d\d)?(?!\w)", _read_season),
    _row(r"(?<![\w.])(?:the\s+)?(?:(?P<year>1\d\d0|20\d0|21\d0)['’]?s|['’](?P<short>[2-9]0)s)(?!\w)", _read_decade),
    _row(
        rf"(?<!\w)(?:the\s+)?(?:(?P<number>\d\d?)(?:st|nd|rd|th)|(?P<word>{'|'.join(_CENTURIES)}))[\s-]+century(?!\w)",
        _read_century,
    ),
    _row(rf"(?<!\w)(?:FY|fiscal(?:\s+year)?)\s?['’]?(?:(?P<year>{_YEAR})|(?P<short>\d\d))(?!\w)", _read_fiscal),
    _row(rf"(?<![\w.,/-])(?P<year>{_YEAR})\s?[–—-]\s?(?P<until>{_YEAR}|\d\d)(?![\w-]|[.,]\d)", _read_years),
)
_YEAR_ALONE: Final = re.compile(
    rf"(?:(?<![\w.,/$€£-])|(?<=mid-)|(?<=late-)|(?<=early-)|(?<=Mid-))(?P<year>{_YEAR})(?![\w%/]|[.,]\d|-\w)"
)
_ISO_MONTH: Final = re.compile(r"(?<![\w/.-])\d{4}-(?:0[1-9]|1[0-2])(?![\w-])")
_DAY_MONTH: Final = re.compile(
    rf"{_PREFIX}(?:(?P<day>{_DAY}){_NTH}\s+(?:of\s+)?(?P<month>{MONTH})|"
    rf"(?P<month2>{MONTH})\s+(?P<day2>{_DAY}){_NTH})(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_MONTH_ALONE: Final = re.compile(rf"(?<!\w)(?:{MONTH})(?!\w)", re.IGNORECASE)


def find_forms(text: str) -> Iterator[Piece]:
    """Yield the dates written in a text, form by form; pieces overlap, and the longest one is meant."""
    for pattern, reading in _FORMS:
        for match in pattern.finditer(text):
            found = reading(match)
            if found is not None:
                yield Piece(start=match.start(), end=match.end(), interval=found)
    for match in _YEAR_ALONE.finditer(text):
        yield Piece(start=match.start(), end=match.end(), interval=parse_iso(match["year"]), bare=True)
    for match in _ISO_MONTH.finditer(text):
        yield Piece(start=match.start(), end=match.end(), interval=parse_iso(match.group()), bare=True)
    for match in _DAY_MONTH.finditer(text):
        month = month_number(match["month"] or match["month2"])
        yield Piece(
            start=match.start(), end=match.end(), interval=None, month=month, day=int(match["day"] or match["day2"])
        )
    for match in _MONTH_ALONE.finditer(text):
        if match.group()[0].isupper():  # "may" and "march" are verbs.
            yield Piece(
                start=match.start(), end=match.end(), interval=None, month=month_number(match.group()), bare=True
            )
