"""A failed try in, how long to wait before the next one out. Nothing is asked here, and nobody sleeps here."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

MAX_TRIES: Final = 4
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 20.0
"""She waits for an answer; a service that wants a longer pause is told of instead of waited for."""
JITTER: Final = 0.25
"""Share of a pause that is left to chance, so that many clients do not come back at one moment."""

PASSING: Final = frozenset({408, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed. 529: Anthropic's "overloaded"."""


def pause_before(attempt: int, wanted_s: float | None, chance: float | None = None) -> float | None:
    """Return how long to wait before a further try, in seconds, or None where there is no use in one.

    Args:
        attempt: how many tries have failed, from 1.
        wanted_s: what the service asked for (Retry-After), None where it said nothing.
        chance: between 0 and 1; drawn where none is given.
    """
    if attempt >= MAX_TRIES or (wanted_s is not None and wanted_s > LONGEST_PAUSE_S):
        return None
    share = random.random() if chance is None else chance
    own = FIRST_PAUSE_S * 2 ** (attempt - 1) * (1 - JITTER + 2 * JITTER * share)
    # Not a moment earlier than it asked for: some services count a try during the pause against her.
    return max(own, wanted_s or 0.0)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the pause a service asks for in its headers, in seconds from now, never below 0; None where it asks none.

    Reads ``retry-after-ms``, ``retry-after`` in seconds, and ``retry-after`` as an HTTP date.
    """
    if milliseconds := _number(headers.get("retry-after-ms", "")):
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    seconds = _number(text)
    if seconds is not None or not text:
        return seconds
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
