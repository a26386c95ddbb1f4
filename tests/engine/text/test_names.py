"""Names in a text."""

from __future__ import annotations

import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.names import names_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "The Transformer was built by Ashish Vaswani at Google Brain in June 2017.",
            ["Transformer", "Ashish Vaswani", "Google Brain"],
        ),
        ("BERT and GPT-4 use RNNs; LoRA calls get_user_id.", ["BERT", "GPT-4", "RNN", "LoRA", "get_user_id"]),
        ("However, Michelson measured it.", ["Michelson"]),
        ("Recently we met. Measuring is hard. Results follow.", []),
        ("the University of Oxford and J. R. R. Tolkien", ["University of Oxford", "J. R. R. Tolkien"]),
        ("We met Dr. Jane Smith's team on Monday in March.", ["Jane Smith"]),
        ("the United\nStates of America", ["United States of America"]),
        ("device KX-00120, mRNA, p53 and iPhone", ["KX-00120", "mRNA", "p53", "iPhone"]),
        ("12 of 3,400 on the 3rd at 10kg", []),
        ("INTRODUCTION", []),
        ("the U.S. army", ["U.S."]),
        ("", []),
    ],
)
def test_names_are_found(text: str, names: list[str]) -> None:
    assert [name.text for name in names_of(text)] == names


@given(st.text("aA bB.\n-_1é'", max_size=60))
def test_a_name_stands_where_it_says(text: str) -> None:
    last = 0
    for name in names_of(text):
        assert last <= name.start < name.end <= len(text)
        assert name.text == " ".join(text[name.start : name.end].split())
        last = name.end


def test_sixty_words_take_less_than_a_tenth_of_a_millisecond() -> None:
    text = "The Transformer was introduced by Ashish Vaswani at Google Brain and then applied to the larger task. " * 4
    assert min(timeit.repeat(lambda: names_of(text), number=50, repeat=5)) / 50 < 2e-4
