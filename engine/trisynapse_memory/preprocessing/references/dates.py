"""When something appeared, as bibliographies write it, in; an ISO year, month or day out. Nothing is guessed."""

from __future__ import annotations

import re
from typing import Final

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SEASONS: Final = re.compile(r"\b(?:spring|summer|autumn|fall|winter)\b", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?<!\d)(1[0-9]\d\d|20\d\d|21\d\d)(?!\d)")
_ISO: Final = re.compile(r"(?<!\d)(1\d{3}|2[01]\d\d)([-/.])(\d{1,2})(?:\2(\d{1,2}))?(?!\d)")
_DAY: Final = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)")


def iso_of(text: str) -> str:
    """Read a date in running words or numbers; of a range its beginning.

    Returns:
        ``2017``, ``2017-06`` or ``2017-06-12``; empty where no year can be read ("in press").
    """
    text = text.strip().replace("~", " ")
    match = _ISO.search(text)
    if match:
        return of_parts(match[1], match[3], match[4] or "")
    year = _YEAR.search(text)
    if year is None:
        return ""
    rest = text[: year.start()] + " " + text[year.end() :]
    month = month_of(rest)
    day = _DAY.search(rest) if month else None
    return of_parts(year[1], month, day[1] if day else "")


def of_parts(year: str, month: str = "", day: str = "") -> str:
    """Join what is known of a date; a month or day that cannot be is left out."""
    found = _YEAR.search(year)
    if found is None:
        return ""
    number = month_of(month)
    if not number:
        return found[1]
    whole = f"{found[1]}-{number}"
    digits = day.strip()
    return f"{whole}-{int(digits):02d}" if re.fullmatch(r"\d{1,2}", digits) and 1 <= int(digits) <= 31 else whole


def month_of(text: str) -> str:
    """Return a month as two digits, from its number, its English name or the start of it; empty for a season."""
    text = text.strip()
    if re.fullmatch(r"\d{1,2}", text):
        return f"{int(text):02d}" if 1 <= int(text) <= 12 else ""
    if _SEASONS.search(text):
        return ""
    for word in re.findall(r"[A-Za-z]{3,}", text):
        if word[:3].lower() in _MONTHS:
            return f"{_MONTHS.index(word[:3].lower()) + 1:02d}"
    return ""
