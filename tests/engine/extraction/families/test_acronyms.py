"""Acronyms; no parser is needed for them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.extraction.families.acronyms import find
from trisynapse_memory.types import Modality, Passage


def pairs(text: str, **fields: Modality) -> list[tuple[str, str, str]]:
    return [(one.subject, one.object, one.pattern) for one in find(Passage(seq=1, text=text, **fields))]


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("We use Low-Rank Adaptation (LoRA) here.", "LoRA", "Low-Rank Adaptation"),
        ("We use LoRA (Low-Rank Adaptation) here.", "LoRA", "Low-Rank Adaptation"),
        ("BMI stands for body mass index.", "BMI", "body mass index"),
        ("KDE stands for kernel density estimation.", "KDE", "kernel density estimation"),
        ("Recurrent neural networks (RNNs) are old.", "RNNs", "Recurrent neural networks"),
        ("The World Health Organization (the “WHO”) met.", "WHO", "World Health Organization"),
        ("Polymerase chain reaction, or PCR for short, is quick.", "PCR", "Polymerase chain reaction"),
        ("Neural machine transla-\ntion (NMT) works.", "NMT", "Neural machine translation"),
        ("Abbreviations: BMI, body mass index.", "BMI", "body mass index"),
    ],
)
def test_an_acronym_is_read_with_its_long_form(text: str, short: str, long: str) -> None:
    assert pairs(text) == [(short, long, "acronym")]


@pytest.mark.parametrize(
    "text",
    [
        "We flew to Belgium (BE) today.",
        "The result (see Table 2) holds.",
        "He left the house (NASA).",
        "Part (ii) ends.",
    ],
)
def test_parentheses_that_spell_nothing_are_none(text: str) -> None:
    assert pairs(text) == []


def test_what_only_the_looser_rule_spells_is_of_the_other_tier() -> None:
    assert pairs("Deoxyribonucleic storage acid (DNA) is long.") == [
        ("DNA", "Deoxyribonucleic storage acid", "acronym.loose")
    ]


def test_a_denial_is_kept_as_one() -> None:
    (found,) = find(Passage(seq=1, text="RCT does not stand for random coin toss."))
    assert (found.negated, found.object) == (True, "random coin toss")


def test_code_has_no_acronyms() -> None:
    assert pairs("# Body mass index (BMI)", modality=Modality.CODE) == []


@given(st.lists(st.sampled_from("alpha beta gamma delta zeta kappa".split()), min_size=2, max_size=5))
def test_initials_of_any_words_are_spelled(words: list[str]) -> None:
    long = " ".join(words)
    short = "".join(word[0] for word in words).upper()
    found = pairs(f"Now {long} ({short}) follows.")
    assert [(one[0], one[2]) for one in found] == [(short, "acronym")]
    assert long.endswith(found[0][1])


def test_a_possessive_is_no_part_of_the_name(facts: Callable[..., list[str]]) -> None:
    text = "The Public Integrity Commission's (PIC) finding stands."
    assert facts(text, "acronym") == ["PIC | stands_for | Public Integrity Commission"]
