"""A row becomes a fact where its words stand in the passage; how closely they say it is named, never assumed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trisynapse_memory.extraction.model_facts import (
    PARAPHRASE,
    QUOTED,
    VERBATIM,
    Provenance,
    fact_draft_fields,
    facts_schema,
    propose,
)
from trisynapse_memory.text.windows import Part, Window
from trisynapse_memory.types import QUALIFIERS, Actor, FactDetails, Passage, Proposal

TEXT = (
    "BERT was pretrained with Adam. It is false that light is fast. In 2018, BERT was pre-\ntrained with Adam on "
    "Wikipedia. The ef\ufb01cient model uses \u201ccaching\u201d of keys. Light is not slow. GPT reaches 91.2 million."
)
WRITTEN = datetime(2026, 3, 4, tzinfo=UTC)  # a Wednesday


def window_of(*texts: str, before: str = "") -> Window:
    made = [Passage(seq=7 + place, text=text, before=before, observed_at=WRITTEN) for place, text in enumerate(texts)]
    return Window(tuple(Part(one, 0, len(one.text)) for one in made))


def proposed(row: dict[str, object], *texts: str, before: str = "") -> Proposal:
    found = propose(row, window_of(*(texts or (TEXT,)), before=before))
    assert isinstance(found, Proposal), found
    return found


def test_a_literal_fact_spans_its_sentence(row):
    found = proposed(row(quote="was pretrained with Adam"))
    assert TEXT[found.start : found.end] == "BERT was pretrained with Adam."
    assert (found.seq, found.pattern, found.confidence) == (7, VERBATIM, 0.9)


@pytest.mark.parametrize(
    ("quote", "span"),
    [
        (
            "In 2018, BERT was pretrained with Adam on Wikipedia.",
            "In 2018, BERT was pre-\ntrained with Adam on Wikipedia.",
        ),
        ('The efficient model uses "caching" of keys.', "The ef\ufb01cient model uses \u201ccaching\u201d of keys."),
        ('"The efficient model uses"', "The ef\ufb01cient model uses \u201ccaching\u201d of keys."),
    ],
    ids=["broken at a line end", "ligature and quotation marks", "quoted quote"],
)
def test_quotes_are_found_however_they_are_typeset(row, quote: str, span: str):
    found = proposed(row(quote=quote))
    assert TEXT[found.start : found.end] == span


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"subject": ""}, "incomplete"),
        ({"object": None}, "incomplete"),
        ({"quote": "Adam"}, "short quote"),
        ({"quote": None}, "short quote"),
        ({"quote": "BERT was pretrained with SGD."}, "quote not in passage"),
        ({"quote": "pretrained with Ada"}, "quote not in passage"),
        ({"quote": TEXT}, "long quote"),
        ({"evidence": 9}, "unknown evidence"),
        ({"evidence": "rec_000001"}, "unknown evidence"),
        ({"evidence": 0}, "unknown evidence"),
    ],
)
def test_a_row_that_rests_on_nothing_is_left_out_with_the_reason(row, fields: dict[str, object], reason: str):
    assert propose(row(**fields), window_of(TEXT)) == reason


def test_of_several_numbers_the_passage_that_holds_the_quote_counts(row):
    other = "Nothing about it here."
    assert proposed(row(evidence=[1, 2]), other, TEXT).seq == 8
    assert propose(row(evidence=1), window_of(other, TEXT)) == "quote not in passage"


def test_without_a_number_the_only_passage_with_the_quote_counts(row):
    other = "Nothing about it here."
    assert proposed(row(evidence=None), other, TEXT).seq == 8
    assert propose(row(evidence=None), window_of(TEXT, TEXT)) == "unknown evidence"


def test_of_a_repeated_quote_the_sentence_with_the_value_is_taken(row):
    text = "Both models differ. The model uses a cache. The model uses a queue."
    found = proposed(row(subject="The model", relation="uses", object="a queue", quote="The model uses"), text)
    assert text[found.start : found.end] == "The model uses a queue."


@pytest.mark.parametrize(
    ("when", "text", "anchor"),
    [
        ("starting Monday", "BERT was pretrained with Adam starting Monday.", "2026-03-09"),
        ("Q3 2026", "BERT was pretrained with Adam in Q3 2026.", "2026-Q3"),
        ("last spring", "BERT was pretrained with Adam last spring.", "2025-21"),
        ("14 October 2026", "BERT was pretrained with Adam on 14 October 2026.", "2026-10-14"),
        ("2019", "BERT was pretrained with Adam last spring.", ""),
        ("soon", "BERT was pretrained with Adam soon.", ""),
    ],
)
def test_dates_are_worked_out_by_the_calendar_and_only_where_they_stand(row, when: str, text: str, anchor: str):
    assert proposed(row(quote=text, temporal_expression=when), text).temporal_anchor == anchor


def test_a_date_that_the_model_worked_out_itself_is_not_taken(row):
    text = "BERT was pretrained with Adam yesterday."
    assert proposed(row(quote=text, temporal_expression="2026-03-03"), text).temporal_anchor == ""
    assert proposed(row(quote=text, temporal_expression="yesterday"), text).temporal_anchor == "2026-03-03"


@pytest.mark.parametrize(
    ("fields", "text", "pattern"),
    [
        ({}, "BERT was pretrained with Adam.", VERBATIM),
        ({}, "And so the BERT was pretrained with Adam.", PARAPHRASE),
        ({}, "The BERT was pretrained with Adam.", VERBATIM),
        ({}, "BERT was pretrained with Adam W and a schedule.", PARAPHRASE),
        ({}, "Distilled BERT was pretrained with Adam.", PARAPHRASE),
        ({"hedged": True}, "BERT was pretrained with Adam.", PARAPHRASE),
        ({"relation": "uses"}, "BERT was pretrained with Adam.", QUOTED),
        ({"negated": True}, "BERT was pretrained with Adam.", QUOTED),
        ({"negated": True}, "BERT was not pretrained with Adam.", VERBATIM),
        ({}, "BERT was not pretrained with Adam.", QUOTED),
        ({"subject": "Adam", "object": "BERT"}, "BERT was pretrained with Adam.", QUOTED),
        ({}, "BERT was pretrained with Adam on Wikipedia.", PARAPHRASE),
        ({"qualifiers": {"dataset": "Wikipedia"}}, "BERT was pretrained with Adam on Wikipedia.", VERBATIM),
        ({"qualifiers": {"dataset": "GLUE"}}, "BERT was pretrained with Adam.", PARAPHRASE),
        ({"temporal_expression": "In 2018"}, "In 2018, BERT was pretrained with Adam.", VERBATIM),
        ({"relation": "uses"}, "BERT uses Adam for its training on large books.", VERBATIM),
        ({"relation": "Fine-Tunes"}, "BERT fine tunes Adam.", VERBATIM),
        ({"relation": "uses"}, "BERT used the Adam.", VERBATIM),
        ({"relation": "uses", "negated": True}, "BERT does not use Adam.", VERBATIM),
        ({"relation": "uses"}, "BERT does not use Adam.", QUOTED),
        ({"relation": "is_a"}, "BERT is an Adam.", VERBATIM),
        ({"relation": "is_a"}, "BERT is Adam.", PARAPHRASE),
        ({"relation": "has_role"}, "BERT is Adam.", PARAPHRASE),
        ({"relation": "has_value", "object": "9 m"}, "BERT is 9 m.", VERBATIM),
        ({"relation": "has_role", "object": "9 m"}, "BERT is 9 m.", PARAPHRASE),
        ({"relation": "has_result", "object": "91.2%"}, "BERT achieves 91.2% accuracy.", PARAPHRASE),
        (
            {"relation": "has_result", "object": "91.2%", "qualifiers": {"metric": "accuracy"}},
            "BERT achieves 91.2% accuracy.",
            VERBATIM,
        ),
    ],
)
def test_the_pattern_says_how_closely_the_source_says_the_fact(row, fields, text: str, pattern: str):
    assert proposed(row(quote=text, **fields), text).pattern == pattern


def test_numbers_that_go_on_are_not_literal(row):
    fields = {"subject": "GPT", "relation": "has_result", "object": "91.2", "quote": "GPT reaches 91.2 million."}
    assert proposed(row(**fields)).pattern != VERBATIM


def test_a_pronoun_that_stands_for_the_subject_is_named(row):
    text = "BERT is large. It was pretrained with Adam."
    found = proposed(row(quote="It was pretrained with Adam."), text)
    assert found.qualifiers == {"anaphor": "It"}
    assert found.pattern != VERBATIM


def test_unknown_and_endless_qualifiers_are_left_out(row):
    given = {"dataset": "Wikipedia", "mood": "good", "task": "x" * 500, "metric": None}
    assert proposed(row(qualifiers=given)).qualifiers == {"dataset": "Wikipedia"}


@pytest.mark.parametrize(("given", "kept"), [(7, 0.07), (-1, 0.01), ("nonsense", 0.5), (None, 0.5), (1.0, 1.0)])
def test_confidence_stays_in_its_range(row, given: object, kept: float):
    assert proposed(row(confidence=given)).confidence == pytest.approx(kept)


def test_the_schema_asks_for_every_field_and_each_call_gets_its_own():
    schema = facts_schema()
    schema["properties"] = {}
    properties = facts_schema()["properties"]["facts"]["items"]["properties"]  # type: ignore[index]
    assert set(properties) == {
        "subject",
        "relation",
        "object",
        "evidence",
        "quote",
        "temporal_expression",
        "confidence",
        "negated",
        "hedged",
        "qualifiers",
    }
    assert tuple(properties["qualifiers"]["properties"]) == QUALIFIERS


def test_provenance_reaches_the_record_of_a_fact(row):
    provenance = Provenance(provider="scripted", model="script/1", prompt="facts-1", prompt_sha256="ab" * 32)
    found = proposed(row())
    details, actor = fact_draft_fields(("llm", 1), found, provenance)
    assert details == FactDetails(
        pattern=VERBATIM,
        extractor="llm",
        extractor_version=1,
        spans=((0, 30),),
        provider="scripted",
        prompt_sha256="ab" * 32,
    )
    assert actor == Actor(type="extraction", id="llm/1", model="script/1", prompt_version="facts-1")
    _, plain = fact_draft_fields(("pattern", 1), found, None)
    assert plain == Actor(type="extraction", id="pattern/1")
