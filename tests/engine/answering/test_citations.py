"""Choices in, checked citations out."""

from __future__ import annotations

from trisynapse_memory.answering.citations import cite_choices, nearest_of
from trisynapse_memory.answering.inquiry import Statistics, read_question
from trisynapse_memory.answering.selection import Choice
from trisynapse_memory.answering.sentences import passages_of
from trisynapse_memory.types import CitationVerdict


def choices_of(hits) -> list[Choice]:
    sentences = [sentence for passage in passages_of(hits) for sentence in passage.sentences]
    return [Choice(sentence, sentence.start, sentence.end, 0.0) for sentence in sentences]


def test_each_sentence_carries_its_own_citation_with_the_place_of_its_words(make_hits, tools) -> None:
    hits = make_hits("Light is fast. The mirror was made\nby Froment.")
    sentences, citations, places, withheld = cite_choices(choices_of(hits), tools.locate)
    assert [sentence.citations for sentence in sentences] == [(1,), (2,)]
    assert withheld == 0
    assert [hits[0].record.text[place.start : place.end] for place in places] == [
        "Light is fast.",
        "The mirror was made\nby Froment.",
    ]
    second = citations[1]
    assert hits[0].record.text[second.locator.start : second.locator.end] == "The mirror was made\nby Froment."
    assert second.excerpt == "The mirror was made by Froment."
    assert second.verdict in (CitationVerdict.VERBATIM, CitationVerdict.NORMALISED)


def test_a_part_whose_sentence_takes_it_back_is_withheld(make_hits, tools) -> None:
    hits = make_hits("It is not true that the pump failed in winter.")
    whole = choices_of(hits)[0]
    part = Choice(whole.sentence, hits[0].record.text.index("the pump"), whole.end, 0.0)
    assert cite_choices([part], tools.locate) == ((), (), (), 1)


def test_the_nearest_passages_are_cut_and_placed(make_hits, tools) -> None:
    hits = make_hits("The pump " + "ran on and on " * 50 + "in winter.")
    inquiry = read_question("Did the pump fail?", Statistics())
    (nearest,) = nearest_of(choices_of(hits), inquiry, tools.locate, 80)
    assert len(nearest.excerpt) <= 80
    assert "pump" in nearest.excerpt
    assert nearest.locator.end - nearest.locator.start <= 80
