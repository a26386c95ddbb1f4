"""Broken words: joined, or a compound that keeps its hyphen."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.hyphenation import Vocabulary, collect_vocabulary
from trisynapse_memory.text.spans import normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("repro-\nducibility", "reproducibility"),
        ("well-\nknown", "well-known"),
        ("self-\nattention", "self-attention"),
        ("state-\nment", "statement"),
        ("decision-\nmaking", "decision-making"),
        ("ex-\ntending", "extending"),
        ("RAG-\nFusion", "RAG-Fusion"),
        ("pre-\nsented", "presented"),
        ("in-\nform", "inform"),
        ("COVID-\n19", "COVID-19"),
        ("Anglo-\nSaxon", "Anglo-Saxon"),
        ("REPRO-\nDUCIBILITY", "REPRODUCIBILITY"),
        ("state-of-\nthe-art", "state-of-the-art"),
        ("state-\nof-the-art", "state-of-the-art"),
        ("repro\u2010\r\n  ducibility", "reproducibility"),
        ("rele\u0301-\nve\u0301", "relévé"),
    ],
)
def test_a_broken_word_alone_reads_as(text, expected):
    assert normalise(text).text == expected


@pytest.mark.parametrize(
    ("habit", "expected"),
    [
        ("colour and blind people", "colour-blind"),
        ("it is colourblind", "colourblind"),
        ("a colour-blind thing", "colour-blind"),
        ("colour alone", "colourblind"),
    ],
)
def test_the_habits_of_the_document_decide(habit, expected):
    assert expected in normalise(f"{habit}. The colour-\nblind method").text


def test_a_word_known_joined_is_joined_even_after_a_compound_start():
    assert normalise("the wellness of wells. A well-\nness day").text.endswith("A wellness day")


def test_a_short_prefix_keeps_its_hyphen_only_before_a_word_of_the_document():
    assert "co-author" in normalise("the author and his co-\nauthor").text
    assert "coherent" in normalise("it is co-\nherent").text


def test_a_function_word_before_the_break_is_half_a_word():
    assert "format" in normalise("this is for mat. The for-\nmat of it").text


def test_halves_of_broken_words_are_no_vocabulary():
    known = collect_vocabulary("a colour-\nblind method, well-known")
    assert known == Vocabulary(frozenset({"a", "method", "well", "known"}), frozenset({"well-known"}))


def test_the_vocabulary_of_the_document_serves_its_pages():
    page = "the colour-\nblind method"
    assert normalise(page).text == "the colourblind method"
    assert normalise(page, vocabulary=collect_vocabulary("colour is blind")).text == "the colour-blind method"
