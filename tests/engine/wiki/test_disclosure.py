"""What is marked sensitive leaves text, footnotes, links and metadata of everything that goes out."""

from __future__ import annotations

from msgspec import structs

from tests.engine.wiki.wiki_cases import (
    CLAIMS,
    DISPUTE,
    NAMES,
    USES,
    claim,
    concept,
    quote,
    side,
    source_subject,
    support,
)
from trisynapse_memory.wiki.compiler import compile_concept, compile_source
from trisynapse_memory.wiki.disclosure import disclose


def pages():
    return (
        compile_concept(concept(CLAIMS), NAMES),
        compile_source(source_subject("src_m"), NAMES),
        compile_source(source_subject("src_t", lead=[quote("A table of values.", "r_50", "src_t")]), NAMES),
    )


def test_nothing_marked_leaves_the_pages_as_they_are_but_for_links_that_lead_nowhere():
    found = disclose(pages(), lambda source_id, record_id: False)
    assert [page.sentences for page in found] == [page.sentences for page in pages()]
    assert set(found[0].links) == {"the-mountain-and-the-tube", "table-of-values"}


def test_a_sensitive_source_is_nowhere():
    found = disclose(pages(), lambda source_id, record_id: source_id == "src_m")
    assert [page.slug for page in found] == ["speed-of-light", "table-of-values"]
    everything = str(found)
    assert "src_m" not in everything
    assert "mountain" not in everything
    assert "299,796" not in everything


def test_one_sensitive_record_takes_its_words_along():
    found = disclose(pages(), lambda source_id, record_id: record_id == "r_03")
    assert "299,774" not in str(found)
    assert "299,796" in str(found)


def test_a_claim_with_another_source_stays_and_rests_on_that_one():
    both = structs.replace(
        USES[0], sides=(side("vacuum", support("A secret line on c.", "r_60"), *USES[0].sides[0].supports),)
    )
    (page,) = disclose([compile_concept(concept([both]), NAMES)], lambda source_id, record_id: source_id == "src_m")
    (sentence,) = page.sentences
    assert sentence.text == "Speed of light is part of vacuum."
    assert [one.source_id for one in sentence.supports] == ["src_t"]
    assert sentence.record_ids == ("r_11",)


def test_a_verbatim_sentence_of_a_sensitive_source_goes_even_where_others_agree():
    words = (
        support("Light is the fastest thing there is.", "r_01"),
        support("Nothing is faster than it.", "r_02", "src_t"),
    )
    made = claim("c_fast", "speed of light", "is_a", side("limit", *words))
    assert disclose([compile_concept(concept([made]), NAMES)], lambda source_id, _: source_id == "src_m") == ()


def test_proposals_and_stale_sentences_stay_behind():
    page = compile_concept(concept([DISPUTE]), NAMES)
    first, second, *rest = page.sentences
    marked = (structs.replace(first, stale=True), structs.replace(second, text="", stale=True), *rest)
    (found,) = disclose([structs.replace(page, sentences=marked)], lambda *_: False)
    assert found.sentences == tuple(rest)
