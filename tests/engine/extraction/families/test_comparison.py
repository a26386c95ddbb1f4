"""What is better than what, and what changes what."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("AdaFold outperforms RetroNet-2 on SQuAD.", ["AdaFold | outperforms | RetroNet-2"]),
        ("RetroNet-2 is outperformed by AdaFold.", ["AdaFold | outperforms | RetroNet-2"]),
        ("RetroNet-2 performs worse than AdaFold.", ["AdaFold | outperforms | RetroNet-2"]),
        ("AdaFold is better than RetroNet-2.", ["AdaFold | outperforms | RetroNet-2"]),
        ("We compared AdaFold with RetroNet-2.", ["AdaFold | compared_with | RetroNet-2"]),
        ("Aspirin did not reduce the risk of stroke.", ["Aspirin | not reduces | risk of stroke"]),
        ("Aspirin was found to reduce the risk of stroke.", ["Aspirin | reduces | risk of stroke"]),
        ("The tax raised many questions.", []),
        ("AdaFold was expected to outperform RetroNet-2.", []),
    ],
)
def test_what_a_sentence_says(facts: Callable[..., list[str]], text: str, found: list[str]) -> None:
    assert facts(text, "comparison") == found


def test_what_limits_a_statement_is_its_qualifier(read: Callable[..., list]) -> None:
    (found,) = read("Aspirin reduces mortality in adults.", "comparison")
    assert (found.object, found.qualifiers) == ("mortality", {"population": "adults"})


def test_a_verb_of_many_meanings_is_never_plain(read: Callable[..., list]) -> None:
    assert [one.pattern for one in read("Farmers in Peru raised maize.", "comparison")] == ["comparison.loose"]


def test_what_a_sentence_begins_with_is_a_condition(read: Callable[..., list[object]]) -> None:
    (found,) = read("With few labels, AdaFold improves recall.", "comparison")
    assert found.qualifiers == {"condition": "few labels"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    [
        "In a handful of the settings where it is most successful, AdaFold improves recall.",
        "AdaFold outperforms the established baselines BM25 and DPR.",
    ],
)
def test_a_long_condition_and_a_cut_apposition_are_not_plain(read: Callable[..., list[object]], text: str) -> None:
    assert {one.pattern for one in read(text, "comparison")} <= {"comparison.loose"}  # type: ignore[attr-defined]
