"""Words that a line end broke."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.extraction.joining import joined
from trisynapse_memory.text.hyphenation import Vocabulary, collect_vocabulary


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a represen-\ntation", "a representation"),
        ("con\u00ad\nflict", "conflict"),
        ("con\u00ad flict", "conflict"),
        ("six\u00adbedroom", "six-bedroom"),
        ("two  words\n here", "two words here"),
        ("COVID-\n19", "COVID-19"),
        ("state-of-\nthe-art", "state-of-the-art"),
    ],
)
def test_a_stretch_is_read_on_one_line(text: str, read: str) -> None:
    assert "".join(letter for letter, _ in joined(text, 0, len(text), Vocabulary())) == read


def test_the_document_decides_what_a_hyphen_is() -> None:
    text = "a domain-\nspecific domain specific thing"
    vocabulary = collect_vocabulary(text)
    assert "".join(letter for letter, _ in joined(text, 0, 18, vocabulary)) == "a domain-specific"


@given(st.text("ab- \n\u00ad", max_size=30))
def test_offsets_rise_and_point_at_their_letters(text: str) -> None:
    line = joined(text, 0, len(text), Vocabulary())
    offsets = [at for _, at in line]
    assert offsets == sorted(set(offsets))
    assert all(text[at] == letter or letter in " -" for letter, at in line)
