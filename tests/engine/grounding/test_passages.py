"""The stretch that is shown holds the question's words, ends at sentences, and is never too long."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from trisynapse_memory.grounding.passages import best_passage, best_row

FILLER = "Nothing of interest is said here at all. "


def shown(text: str, weights: dict[str, float], max_chars: int) -> str:
    start, end = best_passage(text, weights, max_chars)
    return text[start:end]


def test_a_text_that_fits_is_shown_whole():
    assert best_passage("A mirror. A lamp.", {"lamp": 1.0}, 17) == (0, 17)


@pytest.mark.parametrize("place", [0, 3, 8])
def test_the_sentence_with_the_words_is_in_it_wherever_it_stands(place: int):
    sentences = [FILLER.strip()] * 9
    sentences[place] = "The mirror turned eight hundred times."
    passage = shown(" ".join(sentences), {"mirror": 1.0}, 120)
    assert "The mirror turned eight hundred times." in passage
    assert passage[0].isupper()
    assert passage.endswith(".")
    assert len(passage) <= 120


def test_the_heavier_words_win():
    text = f"The lamp burns. {FILLER * 8}The mirror turned. {FILLER * 8}"
    assert "mirror" in shown(text, {"lamp": 0.2, "mirror": 1.0}, 60)


def test_a_single_endless_sentence_is_cut_between_words_around_its_match():
    text = "word " * 300 + "mirror " + "word " * 300
    passage = shown(text, {"mirror": 1.0}, 100)
    assert "mirror" in passage
    assert len(passage) <= 100
    assert set(passage.split()) <= {"word", "mirror"}


def test_without_a_match_the_beginning_is_shown():
    assert shown(FILLER * 20, {"mirror": 1.0}, 100).startswith("Nothing of interest")


@settings(max_examples=60, deadline=None)
@given(some.text(alphabet="abc .!?\nÄ日", max_size=400), some.integers(20, 120))
def test_a_passage_lies_inside_its_text_and_inside_the_limit(text: str, max_chars: int):
    start, end = best_passage(text, {"abc": 1.0, "a": 0.5}, max_chars)
    assert 0 <= start <= end <= len(text)
    assert end - start <= max_chars


ROWS = "Tin | 231.9\nLead | 327.5\nMercury | -38.8"


def test_of_the_rows_of_a_table_only_the_one_with_the_words_is_shown():
    start, end = best_row(ROWS, {"lead": 1.0}, 500)
    assert ROWS[start:end] == "Lead | 327.5"
    assert best_row(ROWS, {"gold": 1.0}, 500) == (0, len(ROWS))
    assert best_row("Tin | 231.9", {"tin": 1.0}, 500) == (0, 11)
    start, end = best_row(f"a\n{'word ' * 200}lead {'word ' * 50}", {"lead": 1.0}, 100)
    assert end - start <= 100
