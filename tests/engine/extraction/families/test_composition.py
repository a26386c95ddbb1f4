"""Wholes and their parts."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "The transformer consists of an encoder, a decoder and a linear layer.",
            [
                "transformer | has_part | encoder",
                "transformer | has_part | decoder",
                "transformer | has_part | linear layer",
            ],
        ),
        ("The retina is part of the eye.", ["retina | part_of | eye"]),
        ("WikiText is made up of news reports.", ["WikiText | has_part | news reports"]),
        ("The table is made of oak.", []),
        ("MapKit contains errors.", []),
        (
            "MapKit has two parts: a parser and a renderer.",
            ["MapKit | has_part | parser", "MapKit | has_part | renderer"],
        ),
        (
            "WikiText contains SQuAD, but it does not contain MNLI.",
            ["WikiText | has_part | SQuAD", "WikiText | not has_part | MNLI"],
        ),
    ],
)
def test_what_a_sentence_says(facts: Callable[..., list[str]], text: str, found: list[str]) -> None:
    assert facts(text, "composition") == found


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ("MapKit consists of three parts: a parser, a router and a renderer.", ["composition"] * 3),
        ("The kit has two parts: a parser and a renderer.", ["composition.loose"] * 2),
    ],
)
def test_the_parts_of_a_named_whole_are_plain(
    read: Callable[..., list[object]], text: str, patterns: list[str]
) -> None:
    found = [one.pattern for one in read(text, "composition") if one.object != "three parts"]  # type: ignore[attr-defined]
    assert found == patterns


def test_a_form_of_something_is_no_part(facts: Callable[..., list[str]]) -> None:
    assert facts("The weak labels contain a specific form of bias.", "composition") == []
