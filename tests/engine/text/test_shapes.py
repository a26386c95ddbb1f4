"""Where words begin and end, and which shape they have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.shapes import Shape, scan_words


def words(text: str) -> list[tuple[str, str]]:
    return [(word.shape.value, text[word.start : word.end]) for word in scan_words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see (https://a.org/x_(y)).", ("url", "https://a.org/x_(y)")),
        ("at www.example.com, or", ("url", "www.example.com")),
        ("doi:10.1000/xyz.123.", ("doi", "10.1000/xyz.123")),
        ("(10.1002/(SICI)1097-0258)", ("doi", "10.1002/(SICI)1097-0258")),
        ("arXiv:2312.04350v3,", ("arxiv", "2312.04350v3")),
        ("hep-th/9901001v2", ("arxiv", "hep-th/9901001v2")),
        ("write to ada.l@uni.edu.", ("email", "ada.l@uni.edu")),
        ("in C#, or", ("sharp", "C#")),
        ("C++17 only", ("sharp", "C++17")),
        ("of 1,024,000.5 units", ("grouped", "1,024,000.5")),
        ("v1.2.3.", ("plain", "v1.2.3")),
        ("repro-\n  ducibility", ("plain", "repro-\n  ducibility")),
    ],
)
def test_a_word_keeps_what_belongs_to_it_and_no_punctuation_of_the_sentence(text, expected):
    assert expected in words(text)


def test_a_hyphen_at_a_line_end_joins_and_a_dash_or_a_list_mark_does_not():
    assert words("Question-\nAnswering") == [("plain", "Question-\nAnswering")]
    assert [word for _, word in words("he said –\nthen left\n- or not")] == ["he", "said", "then", "left", "or", "not"]


def test_issue_numbers_and_lists_of_numbers_have_no_special_shape():
    assert {shape for shape, _ in words("issue#12, 1,2,3 and 12,34")} == {Shape.PLAIN}


@given(st.text(alphabet=st.sampled_from("aZ0 9.-_'\n\u00ad#+@/:,v1(é中)"), max_size=60))
def test_words_never_overlap_and_never_touch_white_space_at_their_ends(text):
    end = 0
    for word in scan_words(text):
        assert end <= word.start < word.end <= len(text)
        assert not text[word.start].isspace()
        assert not text[word.end - 1].isspace()
        end = word.end


def test_a_megabyte_of_one_letter_is_one_word():
    assert words("a" * 1_000_000)[0][1] == "a" * 1_000_000
