"""Written values in, whether they say the same out: numbers with units and margins, dates, names. Meaning is not read.

Two values are *incomparable* rather than different wherever somebody would have to know more to call them a conflict:
other units, other currencies, a name inside a longer one, stretches that overlap in part.
"""

from __future__ import annotations

import math
import re
from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import Final

from msgspec import Struct

from trisynapse_memory.text.dates import resolve
from trisynapse_memory.text.folding import fold, is_same_person
from trisynapse_memory.text.intervals import Granularity, Interval, parse_iso
from trisynapse_memory.text.numerals import NUMBER, Number, read_number
from trisynapse_memory.text.units import CURRENCIES, PERCENT, Unit, read_unit

FUZZY_TOLERANCE: Final = 0.05
"""The share by which "about 300,000" may differ from what it stands for."""
_FUZZY_UNITS: Final = 2  # Units of its own granularity by which "around 1930" may be off.
_ROUNDING_SLACK: Final = 1e-9  # Relative; what floating point adds to a half unit.


class ValueKind(StrEnum):
    """What a written value is."""

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"


class Value(Struct, frozen=True, kw_only=True):
    """A value as it can be compared.

    A number lies in [``low``, ``high``], in base units (``unit``: "m", "%", "USD", a counted noun, or empty); both are
    equal for a single one, and an open side is infinite. ``uncertainty`` is the written ±, ``step`` the worth of the
    last written digit. A date lies between two days, both included, as ordinals; ``text`` is its ISO form. For a text,
    ``text`` is its folded form, and the numbers are 0.
    """

    kind: ValueKind
    low: float = 0.0
    high: float = 0.0
    uncertainty: float = 0.0
    step: float = 0.0
    unit: str = ""
    text: str = ""
    fuzzy: bool = False

    @property
    def key(self) -> str:
        """One string per value, equal for spellings of one value: "5000 m", "2026-10-14", "jane smith"."""
        if self.kind is not ValueKind.NUMBER:
            return self.text
        ends = _plain(self.low) if self.low == self.high else f"{_plain(self.low)}..{_plain(self.high)}"
        margin = f" ± {_plain(self.uncertainty)}" if self.uncertainty else ""
        return f"{'~' if self.fuzzy else ''}{ends}{margin} {self.unit}".strip()


class Verdict(StrEnum):
    """How two values stand to each other."""

    SAME = "same"
    DIFFERENT = "different"
    INCOMPARABLE = "incomparable"


class Agreement(Struct, frozen=True):
    """Whether two values agree, and why, in words."""

    verdict: Verdict
    because: str

    @property
    def same(self) -> bool:
        """Whether they are the same within what was written."""
        return self.verdict is Verdict.SAME

    @property
    def different(self) -> bool:
        """Whether they cannot both be right."""
        return self.verdict is Verdict.DIFFERENT

    @property
    def incomparable(self) -> bool:
        """Whether nothing can be said."""
        return self.verdict is Verdict.INCOMPARABLE


def _same(because: str) -> Agreement:
    return Agreement(Verdict.SAME, because)


def _different(because: str) -> Agreement:
    return Agreement(Verdict.DIFFERENT, because)


def _incomparable(because: str) -> Agreement:
    return Agreement(Verdict.INCOMPARABLE, because)


# ---------------------------------------------------------------- reading

_FUZZY: Final = (
    r"(?P<fuzzy>~|≈|∼|about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca\.?|c\.|an estimated)"
)
_BOUND: Final = (
    r"(?P<bound>>=|<=|≥|≤|>|<|at least|at most|more than|less than|fewer than|over|under|above|below|up to|"
    r"no more than|no less than|no fewer than|exactly|just)"
)
_CURRENCY: Final = r"(?P<currency>US\$|A\$|C\$|[$€£¥₹₩₽]|(?:USD|EUR|GBP|JPY|CHF|CAD|AUD|CNY|INR)\b)"
_SECOND: Final = re.sub(r"\?P<(\w+)>", r"?P<\1_2>", NUMBER)
_QUANTITY: Final = re.compile(
    rf"(?:{_FUZZY}\s*)?(?:{_BOUND}\s*)?(?:{_CURRENCY}\s*)?{NUMBER}(?P<head_percent>\s?%)?"
    rf"(?:\s?(?P<joint>±|\+/-|\+-|–|—|-|to|and)\s?(?:[$€£¥]\s*)?{_SECOND})?"
    r"(?P<tail>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SMALL_MILLIONS: Final = re.compile(r"([$€£¥]\s?[\d.,]+)m\b")  # "$5m"; without a currency, "5m" is a length.
_MAY_BE_DATE: Final = re.compile(
    r"\d{4}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn|fall|"
    r"winter|today|tomorrow|yesterday|now|last|next|this|ago|century|\d{3}0s|fy)",
    re.IGNORECASE,
)
_VERSION: Final = re.compile(r"v?\d+(?:\.\d+){2,}|v\d.*|\d+(?:\.\d+)*[a-z]\w*\d\w*", re.IGNORECASE)
_YEAR: Final = re.compile(r"1[0-9]{3}|20[0-9]{2}|21[0-9]{2}")


@lru_cache(maxsize=16384)
def normalise(value: str, reference: date | None = None) -> Value | None:
    """Return a written value as it can be compared, or None for an empty one.

    "1.2 million", "5 km", "299,796 ± 4 km/s", "about 300,000 km/s", "5–7 kg", "more than 40 %", "$3bn", "14 October
    2026", "Q3 2026", "Dr. Jane Smith". A relative date needs its reference, else it is a text. A bare "1926" is a
    number, and is read as a year when it meets a date.
    """
    text = " ".join(value.split()).strip(" .,;:")
    if not text:
        return None
    if _VERSION.fullmatch(text) is None:
        number = _read_quantity(text)
        if number is not None and (number.unit == "" or not _MAY_BE_DATE.search(text)):
            return number
        found = resolve(text, reference) if _MAY_BE_DATE.search(text) else None
        if found is not None:
            return _date_value(found)
        if number is not None:
            return number
    return Value(kind=ValueKind.TEXT, text=fold(text))


def _date_value(found: Interval) -> Value:
    return Value(
        kind=ValueKind.DATE,
        low=float(found.start.toordinal()),
        high=float(found.end.toordinal()),
        text=found.iso,
        fuzzy=found.fuzzy,
    )


def _read_quantity(text: str) -> Value | None:
    plain = _SMALL_MILLIONS.sub(lambda m: m.group(1) + "M", text.removeprefix("between ").removeprefix("from "))
    match = _QUANTITY.fullmatch(plain)
    if match is None:
        return None
    tail = match["tail"].strip()
    if match["tail"][:1].isalnum() and match["digits"] is None:
        return None
    if re.match(r"[\d/:.-]", tail) or (tail[:1] == "," and tail[1:2].isdigit()):
        return None  # "3/4/2020", "14:30", "10-2-3": no plain number.
    first = read_number(match)
    unit = _unit_of(match, tail)
    if unit is None:
        return None
    if match["joint"] is None:
        return _single(match, first, unit)
    second = _second_number(match)
    if match["joint"] in ("±", "+/-", "+-"):
        return _placed(first.value, first.value, unit, first, margin=second.value, fuzzy=bool(match["fuzzy"]))
    if match["magnitude_2"] and not match["magnitude"]:
        scale = second.value / float(re.sub(r"[^\d.]", "", match["digits_2"] or "1") or 1)
        first = Number(first.value * scale, first.step * scale)
    if second.value <= first.value:
        return None
    coarse = Number(0.0, max(first.step, second.step))
    return _placed(first.value, second.value, unit, coarse, margin=0.0, fuzzy=bool(match["fuzzy"]))


def _second_number(match: re.Match[str]) -> Number:
    renamed = re.fullmatch(NUMBER, match.group(0)[match.start("sign_2") : _end_of_second(match)], re.IGNORECASE)
    return read_number(renamed) if renamed else Number(0.0, 1.0)


def _end_of_second(match: re.Match[str]) -> int:
    return match.start("tail")


def _single(match: re.Match[str], number: Number, unit: Unit) -> Value:
    bound = (match["bound"] or "").lower()
    low = high = number.value
    if bound in (">", ">=", "≥", "at least", "more than", "over", "above", "no less than", "no fewer than"):
        high = math.inf
    elif bound and bound not in ("exactly", "just"):
        low = -math.inf
    return _placed(low, high, unit, number, margin=number.margin, fuzzy=bool(match["fuzzy"]))


def _unit_of(match: re.Match[str], tail: str) -> Unit | None:
    """Return the unit of a number; a counted noun is a unit of its own, and None means that this is no quantity."""
    if match["currency"]:
        return Unit(CURRENCIES[match["currency"].lower()])
    if not tail:
        return Unit(PERCENT if match["head_percent"] else "")
    known = read_unit(tail)
    if known is not None:
        return known
    leading = re.match(r"(%|percent\b|per cent\b)\s+(?:of\b.*|\(.*)$", tail)
    if leading or match["head_percent"]:
        return Unit(PERCENT)
    if len(tail.split()) > 6 or not re.match(r"[^\W\d_]", tail):
        return None
    return Unit(f"{fold(tail)}")


def _placed(low: float, high: float, unit: Unit, number: Number, *, margin: float, fuzzy: bool) -> Value:
    """Turn a number into base units."""
    factor = abs(unit.factor)
    return Value(
        kind=ValueKind.NUMBER,
        low=_tidy(low * unit.factor + unit.offset),
        high=_tidy(high * unit.factor + unit.offset),
        uncertainty=_tidy(margin * factor),
        step=number.step * factor,
        unit=unit.symbol,
        fuzzy=fuzzy,
    )


def _tidy(value: float) -> float:
    """Drop what floating point adds in the last of its sixteen digits, so that 5 km and 5000 m have one key."""
    return value if math.isinf(value) else float(f"{value:.14g}")


def _plain(value: float) -> str:
    return str(int(value)) if not math.isinf(value) and value == int(value) and abs(value) < 1e15 else f"{value:g}"


# ---------------------------------------------------------------- comparing


def agree(
    a: str, b: str, *, a_reference: date | None = None, b_reference: date | None = None, exact: bool = False
) -> Agreement:
    """Say whether two written values agree.

    ``a_reference`` and ``b_reference`` are the days that relative dates count from. ``exact`` compares letter by
    letter after folding (version and serial numbers, where 2.1 and 2.10 differ).
    """
    return _agree(a, b, a_reference, b_reference, exact)


@lru_cache(maxsize=16384)
def _agree(a: str, b: str, a_reference: date | None, b_reference: date | None, exact: bool) -> Agreement:
    if exact:
        equal = fold(a) == fold(b)
        return _same("written alike") if equal else _different("written differently")
    left, right = normalise(a, a_reference), normalise(b, b_reference)
    if left is None or right is None:
        return _incomparable("one of them is empty")
    if left.kind is not right.kind:
        return _across_kinds(a, b, left, right)
    if left.kind is ValueKind.NUMBER:
        return _numbers(left, right)
    return _dates(left, right) if left.kind is ValueKind.DATE else _texts(left, right, a, b)


def _across_kinds(a: str, b: str, left: Value, right: Value) -> Agreement:
    """A bare year that meets a date is a date; else only the letters can agree."""
    for text, value, other in ((a, left, right), (b, right, left)):
        year = _YEAR.fullmatch(text.strip(" .")) if other.kind is ValueKind.DATE else None
        found = parse_iso(year.group()) if year and value.kind is ValueKind.NUMBER else None
        if found is not None:
            return _dates(_date_value(found), other)
    if fold(a) == fold(b):
        return _same("written alike")
    return _incomparable(f"a {left.kind.value} and a {right.kind.value}")


def _numbers(left: Value, right: Value) -> Agreement:
    if left.unit != right.unit and not _is_count(left, right):
        return _incomparable(f"units differ: {left.unit or 'none'} and {right.unit or 'none'}")
    slack = _slack(left, right)
    words = f"{left.key} and {right.key}"
    low, high = max(left.low, right.low), min(left.high, right.high)
    if low - high > slack:
        return _different(f"{words} lie apart")
    inside = _lies_in(left, right, slack) or _lies_in(right, left, slack)
    return _same(f"{words} agree within what was written") if inside else _incomparable(f"{words} overlap in part")


def _is_count(left: Value, right: Value) -> bool:
    """Whether one names what it counts and the other does not: "1,200,000" and "1.2 million people"."""
    named, bare = (left, right) if left.unit else (right, left)
    return bare.unit == "" and read_unit(named.unit) is None and named.unit not in set(CURRENCIES.values())


def _slack(left: Value, right: Value) -> float:
    """How far two numbers may lie apart: the margins, else half a unit of the coarser last digit, or 5 % if "about"."""
    size = max((abs(x) for one in (left, right) for x in (one.low, one.high) if not math.isinf(x)), default=0.0)
    margins = left.uncertainty + right.uncertainty
    rounding = 0.0 if left.uncertainty and right.uncertainty else max(left.step, right.step) / 2
    fuzzy = FUZZY_TOLERANCE * size if left.fuzzy or right.fuzzy else 0.0
    return max(margins + rounding if margins else rounding, fuzzy) + _ROUNDING_SLACK * size


def _lies_in(inner: Value, outer: Value, slack: float) -> bool:
    return outer.low - slack <= inner.low and inner.high <= outer.high + slack


def _dates(left: Value, right: Value) -> Agreement:
    words = f"{left.text} and {right.text}"
    if left.text == right.text:
        return _same(f"both are {left.text}")
    if left.text.startswith("FY") or right.text.startswith("FY"):
        both = left.text.startswith("FY") and right.text.startswith("FY")
        return _different(f"{words} differ") if both else _incomparable("a fiscal year is no calendar year")
    low, high = max(left.low, right.low), min(left.high, right.high)
    slack = max((_days(one) * _FUZZY_UNITS for one in (left, right) if one.fuzzy), default=0.0)
    if low - high > slack:
        return _different(f"{words} lie apart")
    if slack or _lies_in(left, right, 0.0) or _lies_in(right, left, 0.0):
        return _same(f"{words} are one date, given more and less exactly")
    return _incomparable(f"{words} overlap in part")


def _days(value: Value) -> float:
    found = parse_iso(value.text)
    lengths = {Granularity.DAY: 1, Granularity.WEEK: 7, Granularity.MONTH: 30, Granularity.QUARTER: 91}
    lengths |= {Granularity.SEASON: 91, Granularity.DECADE: 1826, Granularity.CENTURY: 9131}
    return float(lengths.get(found.granularity, 365) if found else 1)


def _texts(left: Value, right: Value, a: str, b: str) -> Agreement:
    if left.text == right.text:
        return _same("written alike but for case, articles and endings")
    if is_same_person(left.text, right.text):
        return _same("one gives initials only")
    short, long = sorted((left.text, right.text), key=len)
    place, comma, _ = max(a, b, key=len).partition(",")
    if comma and fold(place) == short:
        return _same("one adds what it lies in")
    if set(short.split()) <= set(long.split()):
        return _incomparable("one is part of the other")
    return _different(f"“{left.text}” is not “{right.text}”")
