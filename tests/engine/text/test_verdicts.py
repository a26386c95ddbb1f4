"""Corpora of our own in, floors for verdicts out: false citations caught, faithful ones passed. No model is asked."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.providers.english_parser import EnglishParser
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import CitationVerdict

CORPORA = Path(__file__).resolve().parents[2] / "corpora"
PARSER = EnglishParser()
SPAN = (
    "Léon Foucault was the first to measure the speed of light with a rotating mirror, in 1862. Working at the Paris "
    "Observatory, he found 298,000 ± 500 km/s. Fizeau had used a toothed wheel in 1849."
)


@cache
def rows_of(name: str) -> tuple[dict[str, str], ...]:
    return tuple(json.loads((CORPORA / f"{name}.json").read_text("utf-8"))["rows"])


def test_the_corpora_keep_their_size() -> None:
    sizes = {name: len(rows_of(name)) for name in ("mutations", "paraphrases", "verbatim")}
    assert sizes["mutations"] >= 169
    assert sizes["paraphrases"] >= 78
    assert sizes["verbatim"] >= 200


def test_the_mutations_cover_every_class_of_the_specification() -> None:
    classes = Counter(row["class"] for row in rows_of("mutations"))
    wanted = "digit unit name role negation hedge quantifier population id comparison date".split()
    assert all(classes[name] >= 3 for name in wanted), classes


def test_at_least_99_of_100_mutated_citations_are_caught() -> None:
    """Measured: 621 of 624. The specification asks for 98 of 100."""
    rows = [*rows_of("mutations"), *rows_of("mutations_more")]
    passed = [row for row in rows if judge(row["sentence"], row["span"]).passes]
    assert len(passed) <= 0.01 * len(rows), passed


def test_at_least_90_of_100_of_the_first_faithful_paraphrases_pass() -> None:
    verdicts = [judge(row["sentence"], row["span"]) for row in rows_of("paraphrases")]
    assert sum(verdict.passes for verdict in verdicts) >= 0.90 * len(verdicts)


def test_of_the_freer_paraphrases_no_fewer_pass_than_were_measured() -> None:
    """Measured: 96 of 254. The specification asks for 90 of 100: see docs/user/answers.md on what is missing."""
    rows = [row for row in rows_of("paraphrases_more") if row["form"] != "consequence"]
    passed = sum(judge(row["sentence"], row["span"]).passes for row in rows)
    assert passed >= 0.36 * len(rows), passed


def test_of_the_harder_false_citations_98_of_100_are_caught_without_a_parser() -> None:
    """Measured: 197 of 200."""
    rows = rows_of("mutations_hard")
    passed = [row for row in rows if judge(row["sentence"], row["span"]).passes]
    assert len(passed) <= 0.02 * len(rows), passed


def test_with_a_parser_99_of_100_false_citations_are_caught() -> None:
    """Measured: 821 of 824."""
    rows = [*rows_of("mutations"), *rows_of("mutations_more"), *rows_of("mutations_hard")]
    passed = [row for row in rows if judge(row["sentence"], row["span"], (), PARSER).passes]
    assert len(passed) <= 0.01 * len(rows), passed


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("paraphrases", 0.97),  # measured: 77 of 78
        ("paraphrases_more", 0.47),  # 125 of 254; the specification asks for 90 of 100
        ("paraphrases_hard", 0.29),  # 42 of 135; 11 of the 35 that were scored once
    ],
)
def test_with_a_parser_more_faithful_paraphrases_pass(name: str, least: float) -> None:
    rows = [row for row in rows_of(name) if row.get("form") != "consequence"]
    passed = sum(judge(row["sentence"], row["span"], (), PARSER).passes for row in rows)
    assert passed >= least * len(rows), passed


def test_no_false_reading_that_the_rules_were_made_with_passes_with_a_parser() -> None:
    rows = [row for row in rows_of("restatements") if not row["faithful"]]
    assert not [row for row in rows if judge(row["sentence"], row["span"], (), PARSER).passes]


def test_every_verbatim_or_retypeset_citation_passes_as_such() -> None:
    literal = (CitationVerdict.VERBATIM, CitationVerdict.NORMALISED)
    rows = [*rows_of("verbatim"), *rows_of("verbatim_more")]
    failed = [row for row in rows if judge(row["sentence"], row["span"]) not in literal]
    assert not failed, failed[:3]


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("Fizeau had used a toothed wheel in 1849.", CitationVerdict.VERBATIM),
        ("fizeau had used a toothed\nwheel in 1849", CitationVerdict.NORMALISED),
        ("Fizeau used a toothed wheel in 1849.", CitationVerdict.PARAPHRASE),
        ("A toothed wheel was used by Fizeau in 1849.", CitationVerdict.PARAPHRASE),
        ("Foucault found 298,000 ± 500 km/s at the Paris Observatory.", CitationVerdict.PARAPHRASE),
        ("Fizeau used a toothed wheel in 1862.", CitationVerdict.STITCHED),
        ("Fizeau used a toothed wheel in 1850.", CitationVerdict.NOT_FOUND),
        ("A toothed wheel had used Fizeau in 1849.", CitationVerdict.NOT_FOUND),
        ("", CitationVerdict.NOT_FOUND),
        (" . ", CitationVerdict.NOT_FOUND),
    ],
)
def test_a_sentence_gets_the_verdict_its_span_allows(sentence: str, verdict: CitationVerdict) -> None:
    assert judge(sentence, SPAN) is verdict


def test_swapping_the_sides_of_a_comparison_is_caught_and_its_passive_is_not() -> None:
    span = "Model A outperforms B on the Orchard set."
    assert not judge("B outperforms A on the Orchard set.", span).passes
    assert judge("B is outperformed by A on the Orchard set.", span).passes


@pytest.mark.parametrize(
    "span",
    [
        "It is not true that the pump failed.",
        "Perhaps the pump failed.",
        "Meyer claims that the pump failed.",
        "Meyer denied that the pump failed.",
        "Critics say the pump failed.",
        "The valve behind the pump failed.",
        "the pump failed only when the valve was open.",
    ],
)
def test_a_literal_part_does_not_pass_when_the_rest_of_its_sentence_takes_it_back(span: str) -> None:
    assert not judge("the pump failed", span).passes


def test_a_pronoun_is_read_through_the_passage_before() -> None:
    span = "He published the second table in 1931."
    assert not judge("Birge published the second table in 1931.", span).passes
    assert judge("Birge published the second table in 1931.", span, ["Birge reviewed the constants."]).passes


def test_a_neighbour_alone_carries_no_claim() -> None:
    assert not judge("Birge reviewed the constants.", "He published a table.", ["Birge reviewed the constants."]).passes


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_gets_a_verdict_and_the_same_one_again(sentence: str, span: str) -> None:
    assert judge(sentence, span) is judge(sentence, span)


@pytest.mark.parametrize(
    ("sentence", "span"),
    [
        ("Light is fast.", "Foucault measured the speed of light with a rotating mirror."),
        ("The tower is high.", "The height of the tower was measured."),
        ("The mirror is heavy.", "The weight of the mirror was recorded."),
        ("The lake is very deep.", "They recorded the depth of the lake."),
    ],
)
def test_what_is_measured_is_not_said_to_be_much(sentence: str, span: str):
    assert judge(sentence, span) is CitationVerdict.NOT_FOUND


def test_a_degree_that_is_said_may_be_said_again():
    assert judge("The lake is deep.", "The lake is deep and cold.").passes
