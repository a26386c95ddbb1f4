"""The value of a spreadsheet cell in, what a reader sees in it out: whole numbers whole, dates in ISO 8601."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Final

Value = int | float | str | bool | date | datetime | time | timedelta | None
"""What the library gives for a cell; empty cells and errors (#DIV/0!) are empty strings."""

_WHOLE_MAX: Final = 1e15  # larger floats are not exact, and are shown with an exponent
_DIGITS: Final = 15  # spreadsheets count with so many


def cell_text(value: Value) -> str:
    """Write one cell on one line.

    Numbers are written as they are stored, not as a format rounds them: 0.25 stays 0.25 where the sheet shows 25 %.
    """
    if isinstance(value, str):
        return " ".join(value.split())
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < _WHOLE_MAX else f"{value:.{_DIGITS}g}"
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
    if isinstance(value, timedelta):
        return _duration(value)
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def _duration(value: timedelta) -> str:
    seconds = round(abs(value.total_seconds()))
    sign = "-" if value < timedelta() else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
