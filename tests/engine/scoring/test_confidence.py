"""The confidence of a claim against values worked out by hand from A8.5, and the reasons it gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.errors import InvalidSettingError
from trisynapse_memory.scoring.confidence import Backing, confidence_of, explain_confidence, recency_of, support_of

NOW = datetime(2026, 6, 30, tzinfo=UTC)


def aged(days: float) -> datetime:
    return NOW - timedelta(days=days)


def test_support_by_hand() -> None:
    # ln 2 / ln 5, ln 3 / ln 5, ln 4 / ln 5, ln 5 / ln 5
    assert [round(support_of(count), 6) for count in (0, 1, 2, 3, 4, 40)] == [
        0.430677, 0.430677, 0.682606, 0.861353, 1.0, 1.0,
    ]  # fmt: skip


def test_recency_halves_every_ninety_days() -> None:
    assert [round(recency_of(aged(days), NOW), 9) for days in (0, 90, 180, 45)] == [1.0, 0.5, 0.25, 0.707106781]
    assert recency_of(aged(-5), NOW) == 1.0
    assert recency_of(None, NOW) == 0.0


def test_confidence_by_hand() -> None:
    # 0.45 * 0.8 + 0.35 * 0.430676558 + 0.20 * 1 = 0.36 + 0.150736795 + 0.2
    assert confidence_of(Backing(mean=0.8, group_count=1, newest=NOW), NOW) == pytest.approx(0.710736795, abs=1e-9)
    # 0.45 * 0.9 + 0.35 * 0.682606194 + 0.20 * 0.5 = 0.405 + 0.238912168 + 0.1
    two = Backing(mean=0.9, group_count=2, newest=aged(90))
    assert confidence_of(two, NOW) == pytest.approx(0.743912168, abs=1e-9)
    # the same disputed: x 0.72
    contested = Backing(mean=0.9, group_count=2, newest=aged(90), contested=True)
    assert confidence_of(contested, NOW) == pytest.approx(0.535616761, abs=1e-9)
    assert confidence_of(Backing(mean=1.0, group_count=4, newest=NOW), NOW) == pytest.approx(1.0)


@given(st.floats(0, 1), st.integers(0, 50), st.floats(-400, 40_000), st.booleans())
def test_the_parts_make_the_whole(mean: float, group_count: int, age: float, contested: bool) -> None:
    backing = Backing(mean=mean, group_count=group_count, newest=aged(age), contested=contested)
    parts = {part.name: part for part in explain_confidence(backing, NOW)}
    total = sum(part.value * part.weight for name, part in parts.items() if name != "contested")
    whole = confidence_of(backing, NOW)
    assert 0.0 <= whole <= 1.0
    assert whole == pytest.approx(min(1.0, total * (parts["contested"].weight if contested else 1.0)))
    assert all(part.because.endswith(".") for part in parts.values())


def test_every_part_says_why() -> None:
    backing = Backing(mean=0.8, group_count=2, newest=aged(3), contested=True)
    assert [part.because for part in explain_confidence(backing, NOW)] == [
        "The facts behind it are 0.80 sure on average.",
        "2 sources or conversations say so.",
        "The newest evidence is from 2026-06-27 (3 days ago); its weight halves every 90 days.",
        "Sources disagree, so the sum is multiplied by 0.72.",
    ]
    unknown = explain_confidence(Backing(mean=0.5, group_count=9), NOW)
    assert unknown[1].because == "4 or more sources or conversations say so; more would not add to it."
    assert unknown[2].because == "Nobody knows when the evidence is from."


def test_a_mean_outside_its_range_is_refused() -> None:
    with pytest.raises(InvalidSettingError, match="between 0 and 1"):
        confidence_of(Backing(mean=1.2, group_count=1), NOW)
