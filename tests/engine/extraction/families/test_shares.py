"""Shares of populations, and levels."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("text", "subject", "value", "qualifiers"),
    [
        (
            "62% of Hispanic adults owned a smartphone in 2015.",
            "Hispanic adults",
            "62%",
            {"metric": "owned a smartphone", "time": "2015"},
        ),
        (
            "Among women aged 65 and over, 34% had muscle weakness in 2023.",
            "women aged 65 and over",
            "34%",
            {"metric": "had muscle weakness", "time": "2023"},
        ),
        ("The share of renters rose from 31% to 37% in 2006.", "share of renters", "37%", {"time": "2006"}),
        ("Exports accounted for 23% of national income.", "Exports", "23%", {"metric": "of national income"}),
        (
            "About half of teachers in Cork read the report.",
            "teachers in Cork",
            "About half",
            {"metric": "read the report"},
        ),
        (
            "Nine in ten teenagers used the internet daily in 2015.",
            "teenagers",
            "Nine in ten",
            {"metric": "used the internet daily", "time": "2015"},
        ),
        ("A total of 19% of renters did not own a car.", "renters", "19%", {"metric": "did not own a car"}),
        (
            "Some 12% of bridges were rated poor in 2016.2",
            "bridges",
            "12%",
            {"metric": "were rated poor", "time": "2016"},
        ),
        ("The number of farms declined to 603 in 2002.", "number of farms", "603", {"time": "2002"}),
    ],
)
def test_a_share(
    read: Callable[..., list[object]], text: str, subject: str, value: str, qualifiers: dict[str, str]
) -> None:
    (found,) = read(text, "shares")
    assert (found.subject, found.relation, found.object) == (subject, "has_value", value)  # type: ignore[attr-defined]
    assert found.qualifiers == qualifiers  # type: ignore[attr-defined]


def test_joined_shares_have_populations_of_their_own(facts: Callable[..., list[str]]) -> None:
    assert facts("34% of older men and 41% of older women had insomnia in 2015.", "shares") == [
        "older men | has_value | 34%",
        "older women | has_value | 41%",
    ]


def test_joined_shares_hold_at_one_time(read: Callable[..., list[object]]) -> None:
    found = read("34% of older men and 41% of older women had insomnia in 2015.", "shares")
    assert [one.qualifiers["time"] for one in found] == ["2015", "2015"]  # type: ignore[attr-defined]


def test_a_second_share_ends_the_predicate_of_the_first(read: Callable[..., list[object]]) -> None:
    found = read("By 2010, 59% of parishes had merged, and by 2020, 83% of parishes had done so.", "shares")
    assert [(one.object, one.qualifiers) for one in found] == [  # type: ignore[attr-defined]
        ("59%", {"metric": "had merged", "time": "2010"}),
        ("83%", {"metric": "had done so", "time": "2020"}),
    ]


def test_what_a_share_is_compared_with_has_its_predicate(read: Callable[..., list[object]]) -> None:
    text = "In 2017, 88% of urban households had a connection, compared with 49% of rural households."
    known = {"metric": "had a connection", "time": "2017"}
    assert [(one.subject, one.object, one.qualifiers) for one in read(text, "shares")] == [  # type: ignore[attr-defined]
        ("urban households", "88%", known),
        ("rural households", "49%", known),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The ministry wants 90% of pupils to learn a second language.",
        "Only when 75% of voters had returned the card was the count begun.",
    ],
)
def test_a_wish_and_a_moment_are_no_shares(facts: Callable[..., list[str]], text: str) -> None:
    assert facts(text, "shares") == []


@pytest.mark.parametrize(
    "text", ["About 40% of them agreed.", "Did 40% of adults agree?", "If 40% of adults agree, we stop."]
)
def test_nothing_is_said(facts: Callable[..., list[str]], text: str) -> None:
    assert facts(text, "shares") == []
