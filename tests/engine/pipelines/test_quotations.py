"""A text repeats what was removed by a word left nowhere else, or by eight words in a row; nothing else counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.pipelines.quotations import RUN_WORDS, Quotations, strings_of, words_of

REMOVED = "The password of the archive is kq7v-Xw3Z since the flood of last March."


@pytest.fixture
def quotations() -> Quotations:
    made = Quotations()
    made.take(REMOVED)
    made.spare("The archive has a password. The flood of last spring is since the talk of March, 7v kq xw3z.")
    return made


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        ("What is kq7v-Xw3Z?", True),
        ("what is (KQ7V-XW3Z)", True),
        ("Since the password of the archive is, and so on", False),  # its words are left elsewhere, no run of eight
        ("He said: since the flood of last March", False),
        ("“The password of the archive is\nkq7v, since” I read", True),
        ("Nothing of the kind.", False),
        ("", False),
    ],
)
def test_a_vanished_word_or_a_long_run_repeats(quotations: Quotations, text: str, repeats: bool):
    assert quotations.holds(text) is repeats


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("kq7v-Xw3Z", True),
        ("a purple lamp", False),
        ("an incomprehensibility", True),
        ("it was the purple lamp that stood on top", True),
    ],
)
def test_a_quote_is_a_run_or_a_word_that_nobody_uses_by_chance(text: str, quotes: bool):
    made = Quotations()
    made.take(f"{REMOVED} Of all incomprehensibility it was the purple lamp that stood on top.")
    assert made.holds(text)
    assert made.quoted_in(text) is quotes


def test_function_words_never_count_by_themselves():
    made = Quotations()
    made.take("who is the one")
    assert not made.holds("Who is the other?")
    assert made.holds("One.")


def test_a_run_that_other_evidence_has_is_free_to_be_quoted_but_is_still_a_copy():
    sentence = " ".join(f"common{n}" for n in range(RUN_WORDS))
    made = Quotations()
    made.take(sentence)
    assert made.holds(sentence)
    made.spare(f"Also here: {sentence}.")
    assert not made.holds(sentence)
    assert made.share_run(sentence)


def test_a_short_quote_is_contained_only_whole_and_only_in_what_was_removed_itself():
    made = Quotations()
    made.take("the purple lamp is broken")
    made.take("around it the green lamp", whole=False)
    assert made.contain("Purple LAMP")
    assert not made.contain("purple lam")
    assert not made.contain("green lamp")
    assert not made.contain(" ")


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_is_spared_entirely_is_never_held(removed: str, other: str):
    made = Quotations()
    made.take(removed)
    made.spare(removed)
    made.spare(other)
    assert not made.holds(removed)
    assert not made.holds(other)


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=20))
def test_a_removed_text_always_repeats_itself(words: list[str]):
    made = Quotations()
    made.take(" ".join(words))
    assert made.holds(" ".join(words))
    assert made.contain(" ".join(words).upper())


def test_texts_are_found_however_deep_and_inside_json_that_is_a_text():
    value = {"a": ["one", {"b": "two"}], "answer": '{"text": "three\\nfour", "n": [1, null]}', "odd": "{not json"}
    assert list(strings_of(value)) == ["one", "two", "three\nfour", "{not json"]
    assert words_of("Größe-2, x_y") == ["grösse", "2", "x_y"]
