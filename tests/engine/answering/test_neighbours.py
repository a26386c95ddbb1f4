"""Chosen sentences in, the same without cuts at the borders of records out."""

from __future__ import annotations

from trisynapse_memory.answering.neighbours import complete
from trisynapse_memory.answering.selection import Choice
from trisynapse_memory.answering.sentences import passages_of
from trisynapse_memory.config import Config


def choice_of(hit, index: int = 0) -> Choice:
    sentence = passages_of([hit])[0].sentences[index]
    return Choice(sentence, sentence.start, sentence.end, 1.0)


def completed(choices, neighbours, tools, config=None) -> list[str]:
    made = complete(choices, lambda hit, step: neighbours.get(step), tools.count_tokens, config or Config())
    return [choice.sentence.hit.record.text[choice.start : choice.end] for choice in made]


def test_a_sentence_that_began_on_the_page_before_brings_its_beginning(make_hits, tools) -> None:
    before, hit = make_hits(
        "The wheel stood. The mirror of Foucault and Froment", "turned 400 times in a second. It sang."
    )
    texts = completed([choice_of(hit)], {-1: before}, tools)
    assert texts == ["The mirror of Foucault and Froment", "turned 400 times in a second."]


def test_a_sentence_that_ends_on_the_next_page_brings_its_end(make_hits, tools) -> None:
    hit, after = make_hits("The wheel stood. The mirror of Foucault turned 400", "times in a second. It sang.")
    texts = completed([choice_of(hit, 1)], {1: after}, tools)
    assert texts == ["The mirror of Foucault turned 400", "times in a second."]


def test_a_whole_sentence_brings_nobody(make_hits, tools) -> None:
    before, hit = make_hits("A page that ends in the midst of", "The mirror turned 400 times in a second.")
    assert completed([choice_of(hit)], {-1: before}, tools) == ["The mirror turned 400 times in a second."]


def test_a_page_before_that_ends_with_its_sentence_has_no_beginning_to_give(make_hits, tools) -> None:
    before, hit = make_hits("The wheel stood still in the hall.", "turned 400 times in a second.")
    assert completed([choice_of(hit)], {-1: before}, tools) == ["turned 400 times in a second."]
    assert completed([choice_of(hit)], {}, tools) == ["turned 400 times in a second."]


def test_the_caps_hold_for_pieces(make_hits, tools) -> None:
    before, hit = make_hits("The mirror of Foucault and Froment", "turned 400 times in a second.")
    single = Config(answer_max_sentences=1)
    assert completed([choice_of(hit)], {-1: before}, tools, single) == ["turned 400 times in a second."]
