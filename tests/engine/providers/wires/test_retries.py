"""Pauses between tries: they grow, they spread, and a service's own wish comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from trisynapse_memory.providers.wires.retries import LONGEST_PAUSE_S, MAX_TRIES, pause_before, retry_after

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def test_pauses_double_and_end_after_the_last_try() -> None:
    assert [pause_before(attempt, None, 0.5) for attempt in range(1, MAX_TRIES)] == [0.5, 1.0, 2.0]
    assert pause_before(MAX_TRIES, None) is None


def test_chance_spreads_a_pause_by_a_quarter() -> None:
    assert (pause_before(1, None, 0.0), pause_before(1, None, 1.0)) == (0.375, 0.625)
    assert len({pause_before(1, None) for _ in range(20)}) > 1


def test_nobody_comes_back_earlier_than_a_service_asks() -> None:
    assert pause_before(1, 7.0, 1.0) == 7.0
    assert pause_before(3, 0.0, 0.5) == 2.0


def test_a_pause_that_is_too_long_is_not_waited_for() -> None:
    assert pause_before(1, LONGEST_PAUSE_S) == LONGEST_PAUSE_S
    assert pause_before(1, LONGEST_PAUSE_S + 1) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=30), usegmt=True)}, 30.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=30))}, 0.0),
        ({"retry-after": "Tue, 01 Dec 2026 12:00:05 -0000"}, 5.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_a_wish_is_read_in_seconds_and_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
