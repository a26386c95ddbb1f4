"""Dates and quantities of a parsed sentence, built by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trisynapse_memory.extraction import amounts
from trisynapse_memory.extraction.sentence import Phrase, Sentence, Word
from trisynapse_memory.types import Passage


def sentence_of(text: str, **fields: object) -> Sentence:
    """A sentence whose words hang on nothing: what is read by words needs no tree."""
    words: list[Word] = []
    position = 0
    for index, part in enumerate(text.split()):
        start = text.index(part, position)
        position = start + len(part)
        words.append(Word(part, part.lower(), "X", "XX", "dep", index, start, position))
    passage = Passage(seq=1, text=text, **fields)  # type: ignore[arg-type]
    return Sentence(passage=passage, start=0, end=len(text), words=tuple(words))


def test_dates_count_from_the_record_and_are_no_quantities() -> None:
    sentence = sentence_of("Last spring 40 people came.", observed_at=datetime(2026, 10, 14, tzinfo=UTC))
    assert [one.interval.iso for one in amounts.dates_in(sentence)] == ["2026-21"]
    assert [sentence.passage.text[one.start : one.end] for one in amounts.quantities_in(sentence)] == ["40"]


@pytest.mark.parametrize(
    ("text", "value", "iso"),
    [
        ("In 1900 it was small, in 1920 the farm was 180 acres in size.", "180 acres", "1920"),
        ("The rate was 5% in 2012, and in 2015 it fell.", "5%", "2012"),
        ("In 1900 the rate was 5%, and in 2015 it fell.", "5%", "1900"),
    ],
)
def test_a_value_holds_for_the_date_of_its_own_clause(text: str, value: str, iso: str) -> None:
    sentence = sentence_of(text)
    (quantity,) = [one for one in amounts.quantities_in(sentence) if text[one.start : one.end] == value]
    found = amounts.date_of(sentence, quantity)
    assert found is not None
    assert found.interval.iso == iso


def test_what_limits_a_value_is_part_of_it() -> None:
    sentence = sentence_of("It cost more than $5 million.")
    (quantity,) = amounts.quantities_in(sentence)
    assert amounts.value_phrase(sentence, quantity).text == "more than $5 million"
    assert not amounts.is_exact(quantity)


def test_a_phrase_in_front_narrows_the_statement() -> None:
    sentence = sentence_of("For older people, the rate is 7%.")
    assert amounts.front_scope(sentence, 3) == {"population": "older people"}
    assert amounts.front_scope(sentence_of("In 1920, the rate is 7%."), 2) == {}


def test_ruins_of_tables_and_examples_are_told_apart() -> None:
    assert amounts.is_garbled(Phrase("49 The first elevator", 0, 1))
    assert not amounts.is_garbled(Phrase("speed of light", 0, 1))
    assert amounts.is_example(sentence_of("Suppose the speed is 3 m/s."))
    assert amounts.is_contrary(sentence_of("Had it reached 70%, we would have stopped."))
    assert not amounts.is_contrary(sentence_of("It reached 70%."))
