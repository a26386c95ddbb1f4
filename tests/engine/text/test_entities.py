"""Spellings of one name share a key, names of two things do not, and what names nothing is told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.entities import entity_key, full_name, is_generic, stands_for, titled_surname


@pytest.mark.parametrize(
    ("spellings", "key"),
    [
        (("Transformer", "The Transformers", "transformers", "a transformer"), "transformer"),
        (("Low-Rank Adaptation", "low rank adaptation", "Low-Rank Adaptation (LoRA)"), "low rank adaptation"),
        (("GPT-4", "GPT4", "gpt 4"), "gpt4"),
        (("Jane Smith", "Dr. Jane Smith", "Jane Smith's", "Prof Jane Smith"), "jane smith"),
        (("Holmes", "Mr. Holmes", "Mr Holmes"), "holmes"),
        (("pre-training", "pretraining", "Pre-Training"), "pretraining"),
        (("U.S.A.", "USA"), "usa"),
        (("São Paulo", "Sao Paulo"), "sao paulo"),
        (("large language models", "Large Language Model"), "large language model"),
        (("studies", "study"), "study"),
        (("O'Brien", "O\u2019Brien"), "obrien"),
        (("the states' rights",), "states right"),
        (("C++",), "c++"),
        (("C#",), "c#"),
    ],
)
def test_spellings_of_one_name_share_a_key(spellings: tuple[str, ...], key: str) -> None:
    assert {entity_key(one) for one in spellings} == {key}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Adam", "Adams"),
        ("William", "Williams"),
        ("C", "C++"),
        ("C++", "C#"),
        ("Adam", "AdamW"),
        ("Mrs. Watson", "Watson"),
        ("GPT-4", "GPT-3"),
        ("analysis", "analyst"),
    ],
)
def test_names_of_two_things_have_two_keys(left: str, right: str) -> None:
    assert entity_key(left) != entity_key(right)


def test_a_name_without_letters_has_no_key() -> None:
    assert [entity_key(one) for one in ("", "  ", "—", "...", "()")] == ["", "", "", "", ""]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "it",
            "these results",
            "our method",
            "the proposed approach",
            "The authors",
            "42",
            "12.5 %",
            "x",
            "the first",
        ),
        "a sentence of far too many words to be the name of anything",
        "n" * 90,
        "",
    ],
)
def test_generic_words_name_nothing(name: str) -> None:
    assert is_generic(name)


@pytest.mark.parametrize(
    "name", ["BERT", "WHO", "the speed of light", "graph model", "ResNet-50", "our Sun", "Table Mountain"]
)
def test_names_are_not_generic(name: str) -> None:
    assert not is_generic(name)


def test_a_title_before_one_single_name_is_a_titled_surname() -> None:
    assert titled_surname("Mr. Holmes") == "holmes"
    assert titled_surname("Professor Curie") == "curie"
    assert titled_surname("Mrs. Hudson") == "mrs hudson"
    assert [titled_surname(one) for one in ("Holmes", "Mr. Sherlock Holmes", "Dr. no", "Mr.")] == ["", "", "", ""]


def test_a_full_name_gives_its_surname() -> None:
    assert full_name("Sherlock Holmes") == ("sherlock holmes", "holmes")
    assert full_name("Dr. Marie S. Curie") == ("marie s curie", "curie")
    assert [full_name(one) for one in ("Holmes", "Mr. Holmes", "neural network", "GPT-4 Turbo")] == [("", "")] * 4


@pytest.mark.parametrize(
    ("short", "long", "fits"),
    [
        ("LoRA", "Low-Rank Adaptation", True),
        ("XML", "Extensible Markup Language", True),
        ("LLMs", "large language model", True),
        ("WHO", "World Health Organization", True),
        ("BERT", "Transformer", False),
        ("A", "Adaptation", False),
        ("Adaptation", "Adaptation", False),
    ],
)
def test_a_short_form_has_its_letters_in_the_long_one(short: str, long: str, fits: bool) -> None:
    assert stands_for(short, long) is fits


@given(st.text(max_size=60))
def test_a_key_is_its_own_key_as_far_as_case_and_spaces_go(name: str) -> None:
    key = entity_key(name)
    assert key == " ".join(key.split())
    assert entity_key(f"  {name}\t") == key
    assert isinstance(is_generic(name), bool)
