"""Hits in, candidate sentences and their measures out."""

from __future__ import annotations

import pytest
from msgspec import structs

from trisynapse_memory.answering.answer_types import Expected, fits_type
from trisynapse_memory.answering.features import (
    BACKGROUND_LEAST,
    SENTENCES_EMBEDDED,
    Evidence,
    measure_evidence,
    measure_sentences,
)
from trisynapse_memory.answering.inquiry import read_question
from trisynapse_memory.answering.sentences import passages_of


def test_headings_references_and_questions_are_never_quoted(make_hits) -> None:
    text = (
        "Materials and Methods\n\nWhat did it cost? The mirror spun 400 times a second.\n\n"
        "[12] A. Cornu and B. Fizeau. On wheels. Journal of Light, vol. 3, 1874."
    )
    sentences = passages_of(make_hits(text))[0].sentences
    assert [sentence.text for sentence in sentences] == ["The mirror spun 400 times a second."]


def test_a_sentence_over_several_lines_becomes_one_line_with_its_own_offsets(make_hits) -> None:
    hits = make_hits("First came a wheel. The mir-\nror was made\nby Froment.")
    second = passages_of(hits)[0].sentences[1]
    assert second.text == "The mirror was made by Froment."
    assert hits[0].record.text[second.start : second.end] == "The mir-\nror was made\nby Froment."


def test_at_most_a_batch_of_sentences_is_embedded_together_with_the_question(make_hits, statistics_of) -> None:
    hits = make_hits(" ".join(f"The mirror number {n} was made in Paris." for n in range(60)))
    sizes: list[int] = []

    def embed(texts):
        sizes.append(len(texts))
        import numpy as np

        return np.ones((len(texts), 2), dtype=np.float32)

    measure_sentences(read_question("Who made the mirror?", statistics_of(hits)), passages_of(hits), embed)
    assert sizes == [SENTENCES_EMBEDDED + 1]


@pytest.mark.parametrize(
    ("expected", "text", "fits"),
    [
        (Expected.DATE, "It was built in 1862.", True),
        (Expected.DATE, "It was built in Paris.", False),
        (Expected.NUMBER, "The wheel had seven teeth.", True),
        (Expected.NUMBER, "The wheel had teeth.", False),
        (Expected.NAME, "The mirror was made by Froment.", True),
        (Expected.NAME, "The mirror was made by a maker.", False),
        (Expected.ANY, "Anything.", True),
    ],
)
def test_a_text_fits_the_type_of_answer_it_holds(expected: Expected, text: str, fits: bool) -> None:
    assert fits_type(expected, text) is fits


def test_evidence_about_the_question_measures_higher_than_evidence_about_another_thing(
    make_hits, statistics_of
) -> None:
    question = "Who made the spinning mirror?"
    near = make_hits("The spinning mirror was made by Froment.")
    far = make_hits("The toothed wheel was turned by a falling weight.")
    measured = []
    for hits in (near, far):
        inquiry = read_question(question, statistics_of(near + far))
        passages = passages_of(hits)
        measured.append(measure_evidence(inquiry, passages, measure_sentences(inquiry, passages, None)))
    assert measured[0].passage > measured[1].passage
    assert measured[0].bm25_share > measured[1].bm25_share
    assert measured[0].rarest_missing < measured[1].rarest_missing


def test_the_gap_is_positive_only_for_the_person_who_did_it(make_hits, statistics_of) -> None:
    hits = make_hits("I painted a sunrise.", "I walked the dog.", speakers=("Nora", "Ben"))
    gaps = []
    for name in ("Nora", "Ben"):
        inquiry = read_question(f"What did {name} paint?", statistics_of(hits)).about(frozenset({"Nora", "Ben"}))
        passages = passages_of(hits)
        gaps.append(measure_evidence(inquiry, passages, measure_sentences(inquiry, passages, None)).gap)
    assert gaps[0] > 0 > gaps[1]


def measured(question: str, hits, statistics) -> Evidence:
    inquiry, passages = read_question(question, statistics), passages_of(hits)
    return measure_evidence(inquiry, passages, measure_sentences(inquiry, passages, None))


def test_the_background_is_the_third_record_by_meaning_and_never_low(make_hits, statistics_of) -> None:
    hits = make_hits("A mirror.", "A wheel.", "A lamp.", "A tube.")
    cosines = (0.5, 0.9, 0.7, 0.6)
    near = [structs.replace(hit, parts={"semantic": at}) for hit, at in zip(hits, cosines, strict=True)]
    assert measured("Who built the mirror?", near, statistics_of(hits)).background == 0.6
    assert measured("Who built the mirror?", near[:2], statistics_of(hits)).background == BACKGROUND_LEAST
    assert measured("Who built the mirror?", hits, statistics_of(hits)).background == BACKGROUND_LEAST


def test_a_longer_question_demands_more(make_hits, statistics_of) -> None:
    hits = make_hits("Froment built the mirror of the great apparatus in Paris.", "A wheel turned.")
    short, long = (
        measured(one, hits, statistics_of(hits)).demand
        for one in ("Who built the mirror?", "Who built the mirror of the great apparatus in Paris?")
    )
    assert 0 <= short < long
