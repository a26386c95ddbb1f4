"""Definitions and kinds."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Churn is defined as the share of customers who leave within a month.",
            ["Churn | defined_as | share of customers who leave within a month"],
        ),
        ("We define perplexity as the exponential of the loss.", ["perplexity | defined_as | exponential of the loss"]),
        (
            "The term “dwell time” refers to the interval between two trains.",
            ["dwell time | defined_as | interval between two trains"],
        ),
        (
            "By “household” we mean all persons who share a dwelling.",
            ["household | defined_as | all persons who share a dwelling"],
        ),
        (
            "The ratio of stress to strain is called the elastic modulus.",
            ["elastic modulus | defined_as | ratio of stress to strain"],
        ),
        ("LoRA is a method of fine-tuning.", ["LoRA | is_a | method of fine-tuning"]),
        ("A photon is a kind of elementary particle.", ["photon | is_a | elementary particle"]),
        ("MapKit is not a database.", ["MapKit | not is_a | database"]),
        ("MapKit was a library until 2019.", []),
        ("MapKit is a good choice.", []),
        ("The meeting is a week late.", []),
        ("Table 2 refers to the second run.", []),
        ("MapKit, a mapping library, was rewritten.", ["MapKit | is_a | mapping library"]),
    ],
)
def test_what_a_sentence_says(facts: Callable[..., list[str]], text: str, found: list[str]) -> None:
    assert facts(text, "definition") == found


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ("Ruth Castellan, a historian of science, found the letters.", ["definition"]),
        ("We develop AdaFold, a pruning method that needs no labels.", ["definition"]),
        ("A covenant is a promise under seal.", ["definition"]),
        ("The summary states that Ruth Castellan is a historian.", ["definition.loose"]),
        ("REALM (Guu et al., 2020), a bidirectional, masked LM tailored for question answering;", ["definition.loose"]),
        ("It says: \u201cThe girl was Ann Lee, a baker, who left.\u201d", ["definition.loose"]),
    ],
)
def test_the_plain_tier_wants_a_name_and_a_whole_kind(
    read: Callable[..., list[object]], text: str, patterns: list[str]
) -> None:
    assert [one.pattern for one in read(text, "definition")] == patterns  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["The cost is a barrier.", "The speed of light is a km.", "Ann and Lee are sisters."])
def test_amounts_hindrances_and_kin_are_no_kinds(facts: Callable[..., list[str]], text: str) -> None:
    assert facts(text, "definition") == []
