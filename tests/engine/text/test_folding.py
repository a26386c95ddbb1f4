"""Names and phrases in the form in which spellings are equal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.folding import fold, is_same_person, singular


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("The Dr. Jane Smith's", "jane smith"),
        ("Low-Rank Adapters", "low rank adapter"),
        ("President", "president"),
        ("the", "the"),
        ("Ｆｕｌｌ width", "full width"),
        ("v2.1.0", "v2.1.0"),
        ("C++", "c"),
    ],
)
def test_a_phrase_is_folded(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("word", "one"),
    [
        ("studies", "study"),
        ("classes", "class"),
        ("analysis", "analysis"),
        ("virus", "virus"),
        ("gas", "gas"),
        ("boxes", "box"),
    ],
)
def test_plurals(word: str, one: str) -> None:
    assert singular(word) == one


@given(st.text(max_size=50))
def test_folding_again_changes_nothing_but_endings(text: str) -> None:
    assert bool(fold(text)) == bool(text.strip() and text.split())


def test_initials_stand_for_names() -> None:
    assert is_same_person("j smith", "jane smith")
    assert is_same_person("jane a smith", "jane smith")
    assert not is_same_person("john smith", "jane smith")
    assert not is_same_person("smith", "jane smith")
