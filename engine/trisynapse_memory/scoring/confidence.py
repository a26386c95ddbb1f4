"""What supports a claim in, its confidence and why in words out. No record is read and no clock is looked at here."""

from __future__ import annotations

from datetime import datetime
from math import exp, log
from typing import Final

from msgspec import Struct

from trisynapse_memory.errors import InvalidSettingError
from trisynapse_memory.types import ConfidencePart

MEAN_WEIGHT: Final = 0.45
SUPPORT_WEIGHT: Final = 0.35
RECENCY_WEIGHT: Final = 0.20
CONTESTED_FACTOR: Final = 0.72
HALF_LIFE_DAYS: Final = 90.0
FULL_SUPPORT: Final = 4
"""Groups from which on the support is 1: ln(1 + 4) = ln 5; more need not be counted."""

_SECONDS_A_DAY: Final = 86_400.0


class Backing(Struct, frozen=True, kw_only=True):
    """What a confidence rests on: the mean confidence of the facts, how many groups say so, the newest evidence time.

    ``group_count`` may stop at ``FULL_SUPPORT``. ``newest`` is None where no time is known; then nothing is recent.
    """

    mean: float
    group_count: int
    newest: datetime | None = None
    contested: bool = False


def support_of(group_count: int) -> float:
    """Return min(1, ln(1 + E) / ln 5) for E independent groups, at least one, in (0, 1].

    Source:
        engine.md A8.5.
    """
    return min(1.0, log(1.0 + max(group_count, 1)) / log(5.0))


def recency_of(newest: datetime | None, now: datetime) -> float:
    """Return exp(-ln 2 * age / 90 days), in [0, 1]; 1 for evidence from the future, 0 where no time is known.

    Source:
        engine.md A8.5.
    """
    if newest is None:
        return 0.0
    age_days = max(0.0, (now - newest).total_seconds() / _SECONDS_A_DAY)
    return exp(-log(2.0) * age_days / HALF_LIFE_DAYS)


def confidence_of(backing: Backing, now: datetime) -> float:
    """Return 0.45 mean + 0.35 support + 0.20 recency, times 0.72 when contested, clamped to [0, 1].

    Args:
        backing: what the claim rests on.
        now: the moment of reading, with a time zone.

    Raises:
        InvalidSettingError: the mean lies outside 0..1.

    Source:
        engine.md A8.5.
    """
    if not 0.0 <= backing.mean <= 1.0:
        raise InvalidSettingError(
            f"The mean confidence of a claim is {backing.mean}; it must lie between 0 and 1.",
            hint="Give each fact a confidence between 0 and 1.",
        )
    total = (
        MEAN_WEIGHT * backing.mean
        + SUPPORT_WEIGHT * support_of(backing.group_count)
        + RECENCY_WEIGHT * recency_of(backing.newest, now)
    )
    return min(1.0, max(0.0, total * (CONTESTED_FACTOR if backing.contested else 1.0)))


def explain_confidence(backing: Backing, now: datetime) -> tuple[ConfidencePart, ...]:
    """Return every factor of ``confidence_of`` with its value in [0, 1], its weight, and its reason in words."""
    parts = [
        ConfidencePart(
            "mean", backing.mean, MEAN_WEIGHT, f"The facts behind it are {backing.mean:.2f} sure on average."
        ),
        ConfidencePart("support", support_of(backing.group_count), SUPPORT_WEIGHT, _support_words(backing.group_count)),
        ConfidencePart("recency", recency_of(backing.newest, now), RECENCY_WEIGHT, _recency_words(backing.newest, now)),
    ]
    if backing.contested:
        parts.append(
            ConfidencePart("contested", 1.0, CONTESTED_FACTOR, "Sources disagree, so the sum is multiplied by 0.72.")
        )
    return tuple(parts)


def _support_words(group_count: int) -> str:
    if group_count <= 1:
        return "One source or conversation says so."
    if group_count >= FULL_SUPPORT:
        return f"{FULL_SUPPORT} or more sources or conversations say so; more would not add to it."
    return f"{group_count} sources or conversations say so."


def _recency_words(newest: datetime | None, now: datetime) -> str:
    if newest is None:
        return "Nobody knows when the evidence is from."
    age_days = max(0, int((now - newest).total_seconds() // _SECONDS_A_DAY))
    age = "today" if age_days == 0 else "1 day ago" if age_days == 1 else f"{age_days} days ago"
    return f"The newest evidence is from {newest.date().isoformat()} ({age}); its weight halves every 90 days."
