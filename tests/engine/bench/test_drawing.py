from __future__ import annotations

import numpy as np

from trisynapse_memory.bench import drawing
from trisynapse_memory.text.words import FUNCTION_WORDS


def test_the_same_seed_draws_the_same_corpus():
    assert drawing.Writer().text(3) == drawing.Writer().text(3)
    assert drawing.Writer(1).text(3) != drawing.Writer(2).text(3)
    assert "KX-00003" in drawing.Writer().text(3)


def test_words_are_english_and_the_frequent_ones_come_first():
    words = drawing.vocabulary()
    assert len(set(words)) == len(words) > 20_000
    assert words[:3] == ("the", "of", "and")


def test_vectors_are_of_length_one():
    drawn = drawing.Writer().vectors(5, 16)
    assert np.allclose(np.linalg.norm(drawn, axis=1), 1.0, atol=1e-5)


def test_half_of_the_questions_name_an_id_and_the_others_say_something():
    questions = drawing.Writer().questions(10)
    assert sum(question.record is not None for question in questions) * 2 == len(questions) == 20
    common = [question.text.split() for question in questions if question.record is None]
    assert {len(words) for words in common} == {drawing.WORDS_PER_QUESTION}
    assert not FUNCTION_WORDS & {word for words in common for word in words}
