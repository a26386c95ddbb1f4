"""Times as sources write them in, aware UTC-comparable moments out; nothing is guessed from files or clocks."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

# Units of a bookmark time, told apart by size: seconds until the year 5138, then ms, then us (Firefox), and the
# microseconds since 1601 that Chromium's own files use. Case R22.
_MS_FROM: Final = 10**11
_US_FROM: Final = 10**14
_WEBKIT_FROM: Final = 10**16
_WEBKIT_EPOCH_S: Final = 11_644_473_600  # seconds from 1601-01-01 to 1970-01-01
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST_YEAR: Final = 1990  # no bookmark is older than the web
_LATEST_YEAR: Final = 2200
_DATE: Final = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$")


def from_iso(text: str) -> datetime | None:
    """Read an ISO 8601 date or time; one without a zone counts as UTC, anything else is None."""
    text = text.strip()
    match = _DATE.match(text)
    if match:
        text = "-".join((match[1], match[2].zfill(2), match[3].zfill(2)))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def from_unix(text: str) -> datetime | None:
    """Read a time in seconds, milliseconds or microseconds since 1970 (or, as Chromium counts, since 1601).

    None for what is no number and for times outside 1990 to 2200: exports write 0 where they know nothing.
    """
    if not re.fullmatch(r"\d{1,19}", text.strip()):
        return None
    count = int(text)
    if count >= _WEBKIT_FROM:
        span = timedelta(microseconds=count) - timedelta(seconds=_WEBKIT_EPOCH_S)
    elif count >= _US_FROM:
        span = timedelta(microseconds=count)
    elif count >= _MS_FROM:
        span = timedelta(milliseconds=count)
    else:
        span = timedelta(seconds=count)
    try:
        moment = _EPOCH + span
    except OverflowError:
        return None
    return moment if _EARLIEST_YEAR <= moment.year < _LATEST_YEAR else None
