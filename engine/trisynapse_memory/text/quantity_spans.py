"""A running text in, the quantities written in it and where they stand out. Dates and numbers of things are left out.

"Table 3", "[12]", "BERT-2", "2.1.4", "14 October 2026" and "in 1926" hold no quantity. What is counted ("24 layers")
is not part of the span; a unit ("km/s") is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from trisynapse_memory.text.numerals import NUMBER
from trisynapse_memory.text.units import read_unit


class QuantitySpan(Struct, frozen=True, kw_only=True):
    """``text[start:end]`` is a number with its sign, currency, margin and unit.

    ``lead`` is the word right before it that limits it ("about", "over", "up to"), in small letters, or empty;
    ``has_unit`` tells whether a unit, a currency or a percent sign belongs to it, ``is_range`` whether it is two
    numbers.
    """

    start: int
    end: int
    lead: str = ""
    has_unit: bool = False
    is_range: bool = False


_SECOND: Final = re.sub(r"\?P<(\w+)>", r"?P<\1_2>", NUMBER)
_CURRENCY: Final = r"(?P<currency>US\$|A\$|C\$|[$€£¥₹]|(?:USD|EUR|GBP|JPY|CHF)\s?(?=\d))"
_NUMERIC: Final = re.compile(
    rf"(?<![\w.,/$€£@#^~-]){_CURRENCY}?\s?{NUMBER}(?P<percent>\s?%)?"
    rf"(?:\s?(?P<joint>±|\+/-|–|—|-|to)\s?(?:[$€£¥]\s?)?{_SECOND}(?P<percent_2>\s?%)?)?",
    re.IGNORECASE,
)
_UNIT: Final = re.compile(
    r"\s?(?P<unit>(?:%|percentage\s+points?\b|per\s+cent\b|percent\b|(?:square|cubic)\s+[a-z]+\b|"
    r"[A-Za-zµμÅΩ°℃]+[²³]?(?:\^?-?\d)?(?:\s?/\s?[A-Za-zµ]+[²³]?\d?|/\([A-Za-zµ·⋅* ²³]{1,16}\)|\s+per\s+[a-z]+|"
    r"[·⋅][A-Za-z]+)*"
    r"(?:\s[a-z]{1,3}(?:\^?[-−]\d|⁻[¹²³]))*))(?!\w)"
)
# What is counted belongs to a rate: "12,400 requests per second", "11 shillings a week".
_RATE: Final = re.compile(
    r"\s(?:[a-z]+\s)?[a-z]+\s+(?:per|an?)\s+(?:second|minute|hour|day|week|month|year|person|head|capita|acre|mile|"
    r"child|pupil|household|inhabitant)(?!\w)"
)
_COLUMN: Final = re.compile(r"\s+of\s+mercury\b")
_LEAD: Final = re.compile(
    r"(?<!\w)(?P<lead>about|around|approximately|roughly|nearly|almost|some|over|under|above|below|up to|at least|"
    r"at most|more than|less than|fewer than|no more than|no less than|no fewer than|just over|just under|"
    r"an estimated|~|≈|>|<|≥|≤)"
    r"\s?(?:the\s)?(?:[$€£]\s?)?$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"(?:\b(?:figs?|figures?|tables?|tabs?|sections?|secs?|chapters?|ch|equations?|eqs?|appendix|pages?|pp?|vol|volume|"
    r"no|nos|number|step|steps|case|example|theorem|lemma|algorithm|experiment|phase|version|v|layer|level|grade|"
    r"day|room|"
    r"line|lines|item|part|exercise|question|problem|note|footnote|line|class|type|model|chapter|article|rule|act|"
    r"issue)"
    r"\.?|[§#№]|\[[\d,\s–-]*)\s*$",
    re.IGNORECASE,
)
_TRAILING_LABEL: Final = re.compile(r"\s?[\])]")


def find_quantities(text: str, taken: Sequence[tuple[int, int]] = ()) -> tuple[QuantitySpan, ...]:
    """Return the quantities of a text in its order, without those that lie in ``taken`` (the dates, say)."""
    found: list[QuantitySpan] = []
    position = 0
    while match := _NUMERIC.search(text, position):
        position = max(match.end(), match.start() + 1)
        span = _span(text, match)
        if span is not None and not any(span.start < end and start < span.end for start, end in taken):
            found.append(span)
            position = max(position, span.end)
    return tuple(found)


def _span(text: str, match: re.Match[str]) -> QuantitySpan | None:
    start, end, is_range = match.start(), match.end(), match["joint"] is not None
    while text[start].isspace():
        start += 1
    if match["digits"] is None and (match["worded"] is None or match["worded"].lower() == "one"):
        return None
    if is_range and match["digits_2"] is None:
        end, is_range = match.end("magnitude") if match["magnitude"] else match.end("digits"), False
    followed = text[end : end + 1]
    unit = _unit_end(text, end)
    if unit is None and (followed.isalnum() or followed in ("/", "_") or re.match(r"[-.,:]\w", text[end : end + 2])):
        return None
    brackets = text[:start].rstrip()[-1:] == "[" and _TRAILING_LABEL.match(text, end)
    if brackets or _LABEL.search(text, 0, start):
        return None
    lead = _LEAD.search(text, 0, start)
    named = bool(match["currency"] or match["percent"] or match["percent_2"])
    return QuantitySpan(
        start=start,
        end=unit or end,
        lead=" ".join(lead["lead"].lower().split()) if lead else "",
        has_unit=named or unit is not None,
        is_range=is_range and match["joint"] not in ("±", "+/-"),
    )


def _unit_end(text: str, start: int) -> int | None:
    """Where the unit behind a number ends; single letters that are words ("a", "in") are no units."""
    rate = _RATE.match(text, start)
    if rate is not None:
        return rate.end()
    match = _UNIT.match(text, start)
    if match is None:
        return None
    written = match["unit"]
    # "kilometres per second" is one unit; "metres per" something unknown is metres.
    for candidate in (written, re.split(r"\s+per\s|\s", written)[0]):
        if candidate.lower() in ("in", "a", "at", "as", "am", "pm", "us"):
            return None
        if read_unit(candidate) is not None:
            end = match.start("unit") + len(candidate)
            column = _COLUMN.match(text, end)
            return column.end() if column else end
    return None
