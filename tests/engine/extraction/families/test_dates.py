"""Dates of persons, events and plans."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ada Lovelace was born on 10 December 1815 in London.", ["Ada Lovelace | born_on | 10 December 1815"]),
        (
            "Ada Lovelace (10 December 1815 – 27 November 1852) wrote notes.",
            ["Ada Lovelace | born_on | 10 December 1815", "Ada Lovelace | died_on | 27 November 1852"],
        ),
        (
            "The launch of Project Atlas has been moved from 3 May 2026 to 14 October 2026.",
            ["Project Atlas | launch_date | 14 October 2026"],
        ),
        ("Project Juniper is scheduled to launch on June 3, 2027.", ["Project Juniper | launch_date | June 3, 2027"]),
        (
            "The grant application must be submitted by 15 January 2024.",
            ["grant application | due_date | 15 January 2024"],
        ),
        (
            "Project Lantern runs from 9 June 2025 to January 17, 2026, with two breaks.",
            ["Project Lantern | start_date | 9 June 2025", "Project Lantern | end_date | January 17, 2026"],
        ),
        (
            "The Battle of Hastings took place on 14 October 1066.",
            ["Battle of Hastings | occurred_on | 14 October 1066"],
        ),
        ("Project Atlas did not launch on 5 May 2024.", ["Project Atlas | not launch_date | 5 May 2024"]),
        ("If funding holds, Atlas launches on 5 May 2024.", []),
        ("Project Atlas should have started on 22 September 2027.", []),
        ("The road was completed in 1974.", []),
    ],
)
def test_what_a_sentence_dates(facts: Callable[..., list[str]], text: str, found: list[str]) -> None:
    assert facts(text, "dates") == found


def test_a_relative_date_counts_from_the_record(read: Callable[..., list[object]]) -> None:
    (found,) = read("The grant application is due on Friday.", "dates", observed_at="2026-10-14T09:00:00+00:00")
    assert (found.object, found.temporal_anchor) == ("Friday", "2026-10-16")  # type: ignore[attr-defined]
    assert read("The grant application is due on Friday.", "dates") == []
