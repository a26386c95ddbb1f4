"""Known words stand in for invented ones, and offsets stay those of the passage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.extraction.masks import mask


def masked(text: str) -> str:
    return mask([(letter, at) for at, letter in enumerate(text)])[0]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("AdaFold was pre-trained on SQuAD.", "Python was trained on Python."),
        ("We fine-tuned RetroNet-2.", "We trained Python."),
        ("It outperforms BERT and GPT-4.", "It contains Python and Python."),
        ("Priya Raman met Harlow & Pike.", "Python met Python."),
        ("Lee et al. proposed it.", "Python proposed it."),
        ("Many RNNs are small.", "Many RNNs are small."),
        ("The low-rank update is small.", "The low-rank update is small."),
    ],
)
def test_names_and_rare_verbs_are_masked(text: str, read: str) -> None:
    assert masked(text) == read


@given(st.lists(st.sampled_from(["AdaFold", "uses", "a", "Meridian Institute", "fine-tuned", "BERT."]), max_size=8))
def test_every_letter_keeps_an_offset_inside_its_word(words: list[str]) -> None:
    text = " ".join(words)
    read, offsets = mask([(letter, at) for at, letter in enumerate(text)])
    assert len(read) == len(offsets)
    assert list(offsets) == sorted(offsets)
    assert all(0 <= at < len(text) for at in offsets)
    assert [text[at] for letter, at in zip(read, offsets, strict=True) if letter == " "] == [" "] * read.count(" ")
