"""A written number in, its value and the worth of its last digit out. No unit is read here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

_POWERS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "hundred": 2,
        "thousand": 3,
        "k": 3,
        "million": 6,
        "millions": 6,
        "mn": 6,
        "mio": 6,
        "m": 6,
        "billion": 9,
        "billions": 9,
        "bn": 9,
        "b": 9,
        "trillion": 12,
        "trillions": 12,
        "tn": 12,
        "t": 12,
    }
)
_ONES: Final = MappingProxyType(
    {
        word: value
        for value, word in enumerate(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen".split()
        )
    }
)
_TENS: Final = MappingProxyType(
    {
        word: 10 * value
        for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
    }
)
_ANY_WORD: Final = "|".join([*_TENS, *sorted(_ONES, key=len, reverse=True)])
_DIGITS: Final = (
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?![\d])(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+"
)
_WORDED: Final = rf"(?:(?:{_ANY_WORD}|hundred|thousand)\b(?:[\s-]+(?:and\s+)?(?={_ANY_WORD}|hundred|thousand))?)+"

NUMBER: Final = (
    rf"(?P<sign>[-−+]?)(?:(?P<digits>{_DIGITS})(?:\((?P<last>\d{{1,3}})\))?"
    r"(?:\s?[×x·*]\s?10\s?(?:\^|\*\*)?\s?\{?(?P<power>[-−+]?\d{1,2}|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})\}?|[eE](?P<exponent>[-+]?\d{1,3}))?"
    rf"|(?P<worded>{_WORDED}))"
    r"(?:(?P<magnitude>\s?(?:hundred|thousand|millions?|mn|mio|billions?|bn|trillions?|tn)\b|(?-i:[kKMBT])(?![\w/²³^°µ])))?"
)
"""One number: sign, digits with separators, uncertainty of the last digits "(4)", a power of ten, a magnitude word."""

_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")


class Number(NamedTuple):
    """A written number: ``step`` is the worth of its last written digit, ``margin`` what "(4)" behind it means."""

    value: float
    step: float
    margin: float = 0.0


def read_number(match: re.Match[str]) -> Number:
    """Return the number of a match of ``NUMBER``.

    "1.2 million" is 1,200,000 with a step of 100,000; "1,200,000" has a step of 1: zeros that somebody wrote out count
    as written digits. "92,3" has a decimal comma, because no group of thousands ends there.
    """
    sign = -1.0 if match["sign"] in ("-", "−") else 1.0
    power = int((match["power"] or match["exponent"] or "0").translate(_SUPERSCRIPTS))
    power += _POWERS[match["magnitude"].strip().lower()] if match["magnitude"] else 0
    if match["worded"]:
        value, places = float(_worded(match["worded"])), 0
    else:
        plain = _plain(match["digits"])
        value, places = float(plain), len(plain.partition(".")[2])
    scale = 10.0**power
    step = 10.0 ** (power - places)
    # The division keeps what people write exact: 1.2 * 10**6 is 1200000, 0.923 * 10**-2 is not 0.00923.
    scaled = value * scale if power >= 0 else value / 10.0**-power
    return Number(sign * round(scaled, max(0, places - power)), step, int(match["last"] or 0) * step)


def _plain(digits: str) -> str:
    grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+(\.\d+)?", digits)
    if grouped is None and digits.count(",") == 1:
        return digits.replace(",", ".")
    return re.sub(r"[,\s]", "", digits)


def _worded(text: str) -> int:
    """Add up number words: "two hundred and five thousand" is 205,000."""
    total, part = 0, 0
    for word in re.findall(r"[a-z]+", text.lower()):
        if word == "hundred":
            part = max(part, 1) * 100
        elif word == "thousand":
            total += max(part, 1) * 1000
            part = 0
        elif word != "and":
            part += _ONES.get(word, 0) or _TENS.get(word, 0)
    return total + part
