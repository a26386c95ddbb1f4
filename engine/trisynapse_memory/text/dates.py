"""A text and the day it was written in, the dates that it names out, as stretches of the calendar. No clock is read.

A relative expression without a reference, a day that reads differently on two continents (03/04/2026) and a month
without a year are no dates: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from msgspec import Struct

from trisynapse_memory.text.date_forms import MONTH, WEEKDAY, Piece, find_forms, span
from trisynapse_memory.text.intervals import (
    Granularity,
    Interval,
    add_months,
    interval,
    month_end,
    parse_iso,
)
from trisynapse_memory.text.relative_dates import find_relative, nearest_day


class DatePart(Struct, frozen=True, kw_only=True):
    """One end of a stretch: ``text[start:end]`` names ``interval``."""

    start: int
    end: int
    interval: Interval


class DateSpan(Struct, frozen=True, kw_only=True):
    """``text[start:end]`` names ``interval``.

    Where the words bound it ("before Friday"), ``point`` is the day itself and ``text[point_start:end]`` names it; else
    it is the interval. ``parts`` are the two ends of what is written as two dates ("from 3 May to 14 October 2026").
    """

    start: int
    end: int
    interval: Interval
    point_start: int
    point: Interval
    parts: tuple[DatePart, ...] = ()


_WORTH_READING: Final = re.compile(
    r"\d|day\b|week|month|quarter|year|century|spring|summer|autumn|fall|winter|\b(?:now|tonight|yesterday|tomorrow|last|next|this|past|previous|"
    r"coming|current|ago)\b|January|February|March|April|May|June|July|August|September|October|November|December",
    re.IGNORECASE,
)
_PART: Final = re.compile(
    r"(?<![\w-])(?P<part>early|mid|late|(?:the\s+)?(?:middle|end|beginning|start|turn)(?:\s+of)?|(?:the\s+)?(?:first|second)\s+half\s+of)"
    r"[\s-]+(?:in\s+)?(?:the\s+)?$",
    re.IGNORECASE,
)
_FUZZY: Final = re.compile(
    r"(?<!\w)(?:around|about|circa|ca\.|c\.|approximately|roughly|some\s+time\s+in|~)\s*(?:the\s+)?$", re.IGNORECASE
)
_BOUND: Final = re.compile(
    r"(?<!\w)(?P<bound>no\s+later\s+than|prior\s+to|before|until|till|up\s+to|by|after|since)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_LEADS: Final = re.compile(
    r"^(?:(?:on|in|at|during|of|dated|starting|beginning|from|as\s+of|effective|for|the)\s+)+", re.IGNORECASE
)
_YEAR_CUE: Final = re.compile(
    r"(?:(?<!\w)(?:in|of|since|by|until|till|before|after|during|from|around|circa|ca\.|c\.|about|early|mid|late|year|for|"
    r"years|through|summer|winter|copyright)[\s-]+|[(©]\s*)$",
    re.IGNORECASE,
)
_COUNTING_CUE: Final = re.compile(r"(?<!\w)(?:of|about|around|by|from|after|through|for)\s+$", re.IGNORECASE)
_COUNTED: Final = re.compile(r"\s+(?!(?:was|is|has|does|as|this|its|his|us)\b)(?:[a-z]+s|people|men|women|children)\b")
_TOTAL: Final = re.compile(r"\b(?:total|sum|average|mean|number|sample|score|set)\s+of\s+$", re.IGNORECASE)
_AHEAD: Final = re.compile(
    r"(?<!\w)(?:starting|beginning|from|by|before|until|till|after|since|due|deadline|coming|effective|as\s+of|"
    r"(?:moved|postponed|pushed|shifted|rescheduled|delayed|brought\s+forward)\s+(?:back\s+)?to)\s+(?:on\s+)?(?:the\s+)?$"
    r"|\b(?:will|shall|is\s+due|are\s+due|is\s+scheduled|is\s+planned|launches|starts|begins|ends|ships|meets|let's|plan)\b"
    r"[^.;]{0,40}\b(?:on\s+|in\s+)?$",
    re.IGNORECASE,
)
_JOINT: Final = re.compile(r"\s*(?:,\s*)?(?P<word>and|to|until|till|through|thru|–|—|-)\s*(?:the\s+|in\s+)?")
_BETWEEN: Final = re.compile(r"(?<!\w)between\s+(?:the\s+)?$", re.IGNORECASE)
_FROM: Final = re.compile(r"(?<!\w)from\s+(?:the\s+)?$", re.IGNORECASE)


def resolve(text: str, reference: date | None) -> Interval | None:
    """Return what a date expression stands for, or None if it is not one, or not only one.

    "14 October 2026", "starting Monday", "Q3 2026", "the early 1990s", "between 2015 and 2018", "two weeks ago".
    ``reference`` is the day that relative words count from; without one they are None. A weekday is the next one after
    the reference unless the words say otherwise. Whole dates in other words and languages ("14 octobre 2026") are read
    by dateparser.
    """
    plain = " ".join(text.split()).strip(" .,;:()")
    for candidate in (plain, _LEADS.sub("", plain)):
        known = parse_iso(candidate)
        if known is not None:
            return known
        for found in _spans(candidate, reference, alone=True):
            if found.start == 0 and found.end == len(candidate):
                return found.interval
    return _foreign(plain)


def find_dates(text: str, reference: date | None) -> tuple[DateSpan, ...]:
    """Return the dates that a text names, in its order.

    A four-digit number is a year only where a word says so ("in 1926", "(1926)"); a weekday alone is a date only where
    something lies ahead ("is due on Friday").
    """
    return tuple(_spans(text, reference, alone=False))


def _spans(text: str, reference: date | None, *, alone: bool) -> Iterator[DateSpan]:
    if _WORTH_READING.search(text) is None:
        return
    pieces = _longest([*find_forms(text), *find_relative(text, reference)])
    index = 0
    while index < len(pieces):
        pair = _pair(text, pieces, index, reference)
        if pair is not None:
            yield pair
            index += 2
            continue
        single = _single(text, pieces[index], reference, alone=alone)
        if single is not None:
            yield single
        index += 1


def _longest(pieces: list[Piece]) -> list[Piece]:
    """Keep the longest of the pieces that overlap, the first one among equals."""
    kept: list[Piece] = []
    for piece in sorted(pieces, key=lambda one: (one.start, -one.end, one.bare)):
        if not kept or piece.start >= kept[-1].end:
            kept.append(piece)
        elif piece.end > kept[-1].end and piece.end - piece.start > kept[-1].end - kept[-1].start:
            kept[-1] = piece
    return kept


# ---------------------------------------------------------------- two dates


def _pair(text: str, pieces: list[Piece], index: int, reference: date | None) -> DateSpan | None:
    """Read "between 2015 and 2018", "from May to July 2020", "28 May – 3 June 2020"."""
    if index + 1 == len(pieces):
        return None
    first, last = pieces[index], pieces[index + 1]
    joint = _JOINT.fullmatch(text, first.end, last.start)
    if joint is None:
        return None
    lead = _BETWEEN.search(text, 0, first.start) or _FROM.search(text, 0, first.start)
    between = lead is not None and lead.group().lower().startswith("between")
    if (joint["word"] == "and") is not between:
        return None
    if lead is None and first.bare and first.interval is not None and joint["word"] not in ("–", "—", "-"):
        return None  # "1926 to 1930" may be numbers.
    begin, finish = _completed(first, last, reference), _completed(last, first, reference)
    whole = span(begin, finish)
    if whole is None:
        return None
    start = lead.start() if lead else first.start
    parts = tuple(
        DatePart(start=one.start, end=one.end, interval=found)
        for one, found in ((first, begin), (last, finish))
        if found is not None
    )
    return DateSpan(start=start, end=last.end, interval=whole, point_start=start, point=whole, parts=parts)


def _completed(piece: Piece, other: Piece, reference: date | None) -> Interval | None:
    """Give a month or a day the year of the other end."""
    if piece.interval is not None:
        return piece.interval
    if other.interval is None:
        return nearest_day(piece.month, piece.day, reference) if piece.day and reference else None
    year = other.interval.start.year
    if other.start > piece.start and other.interval.granularity in (Granularity.DAY, Granularity.MONTH):
        year -= piece.month > other.interval.start.month  # "from November to February 2021"
    try:
        granularity = Granularity.DAY if piece.day else Granularity.MONTH
        return interval(date(year, piece.month, piece.day or 1), granularity)
    except ValueError:
        return None


# ---------------------------------------------------------------- one date


def _single(text: str, piece: Piece, reference: date | None, *, alone: bool) -> DateSpan | None:
    found = piece.interval
    if found is None:
        found = nearest_day(piece.month, piece.day, reference) if piece.day and reference else None
    if found is None or not (alone or not piece.bare or _is_meant(text, piece)):
        return None
    start = piece.start
    part = _PART.search(text, 0, start)
    if part is not None:
        narrowed = _narrow(found, " ".join(part["part"].lower().split()))
        found, start = (narrowed, part.start()) if narrowed else (found, start)
    fuzzy = _FUZZY.search(text, 0, start)
    if fuzzy is not None:
        found, start = _replace(found, fuzzy=True), fuzzy.start()
    bound = _BOUND.search(text, 0, start)
    if bound is None or found.label:
        return DateSpan(start=start, end=piece.end, interval=found, point_start=start, point=found)
    bounded = _bounded(found, " ".join(bound["bound"].lower().split()))
    return DateSpan(start=bound.start(), end=piece.end, interval=bounded, point_start=start, point=found)


def _is_meant(text: str, piece: Piece) -> bool:
    """Whether the words around a year or a weekday make it a date."""
    if re.fullmatch(WEEKDAY, text[piece.start : piece.end], re.IGNORECASE) or not text[piece.start].isdigit():
        return _AHEAD.search(text, 0, piece.start) is not None
    if _YEAR_CUE.search(text, 0, piece.start) is None:
        return False
    counts = _COUNTING_CUE.search(text, 0, piece.start) and _COUNTED.match(text, piece.end)
    return not counts and _TOTAL.search(text, 0, piece.start) is None


def _replace(found: Interval, *, fuzzy: bool) -> Interval:
    return Interval(
        start=found.start, end=found.end, granularity=found.granularity, fuzzy=fuzzy or found.fuzzy, label=found.label
    )


def _bounded(found: Interval, word: str) -> Interval:
    """Open one side; "before" and "after" leave the date itself out, "by", "until" and "since" keep it."""
    day = timedelta(days=1)
    if word in ("before", "prior to"):
        last = max(found.start.toordinal() - 1, 1)
        return Interval(start=date.min, end=date.fromordinal(last), granularity=Granularity.DAY, fuzzy=found.fuzzy)
    if word == "after":
        first = found.end + day if found.end < date.max else found.end
        return Interval(start=first, end=date.max, granularity=Granularity.DAY, fuzzy=found.fuzzy)
    if word == "since":
        return Interval(start=found.start, end=date.max, granularity=found.granularity, fuzzy=found.fuzzy)
    return Interval(start=date.min, end=found.end, granularity=found.granularity, fuzzy=found.fuzzy)


def _narrow(found: Interval, word: str) -> Interval | None:
    """Cut "early", "mid", "late", "the end of" out of a unit; None where the words do not say which days.

    Thirds of a year are four months each, of a decade 0-3, 4-6 and 7-9, of a month 1-10, 11-20 and the rest.
    """
    third = (
        0 if word.startswith(("early", "beginning", "start", "the beginning", "the start", "turn", "the turn")) else 2
    )
    third = 1 if word.startswith(("mid", "the mid")) else third
    first, year = found.start, found.start.year
    if "half" in word:
        third = 0 if "first" in word else 2
        return _half(found, third) if found.granularity is Granularity.YEAR and first.year == found.end.year else None
    if found.granularity is Granularity.YEAR and year == found.end.year:
        start = add_months(first, 4 * third)
        return Interval(start=start, end=month_end(year, start.month + 3), granularity=Granularity.MONTH, fuzzy=True)
    if found.granularity in (Granularity.DECADE, Granularity.CENTURY):
        scale = 1 if found.granularity is Granularity.DECADE else 10
        low, high = ((0, 3), (4, 6), (7, 9))[third]
        start, end = date(max(1, year + low * scale), 1, 1), date(year + high * scale + scale - 1, 12, 31)
        return Interval(start=start, end=end, granularity=Granularity.YEAR, fuzzy=True)
    if found.granularity is Granularity.MONTH and first.month == found.end.month:
        start = first + timedelta(days=10 * third)
        end = found.end if third == 2 else start + timedelta(days=9)
        return Interval(start=start, end=end, granularity=Granularity.DAY, fuzzy=True)
    return _replace(found, fuzzy=True)


def _half(found: Interval, third: int) -> Interval:
    year = found.start.year
    start, end = (date(year, 1, 1), date(year, 6, 30)) if third == 0 else (date(year, 7, 1), date(year, 12, 31))
    return Interval(start=start, end=end, granularity=Granularity.MONTH)


# A day, a month in words and a year, in the orders of the languages that write dates with Latin letters.
_FOREIGN: Final = re.compile(
    r"(?:[^\W\d_]+,?\s+)?\d{1,2}(?:\.|º|er)?\s+(?:de\s+)?[^\W\d_]{3,}\.?,?\s+(?:de\s+)?\d{4}"
    r"|[^\W\d_]{3,}\.?\s+\d{1,2},?\s+\d{4}"
)


_ENGLISH_MONTH: Final = re.compile(rf"(?<!\w){MONTH}(?!\w)", re.IGNORECASE)
# Each language costs a table; all two hundred of them cost seconds.
_LANGUAGES: Final = ("de", "fr", "es", "it", "nl", "pt", "sv", "da", "pl", "cs", "fi", "tr", "ru")


def _foreign(text: str) -> Interval | None:
    """Ask dateparser for a whole date: it must write its day and its year, else the library makes them up."""
    # An English month that got here stands in a day that no calendar has.
    if len(text) > 40 or not _FOREIGN.fullmatch(text) or _ENGLISH_MONTH.search(text):
        return None
    import dateparser

    settings = {"STRICT_PARSING": True, "REQUIRE_PARTS": ["day", "month", "year"], "PARSERS": ["absolute-time"]}
    found = dateparser.parse(text, languages=list(_LANGUAGES), settings=settings)
    if found is None or str(found.year) not in text or str(found.day) not in re.findall(r"[1-9]\d*", text):
        return None
    return interval(found.date(), Granularity.DAY)
