"""Sentences in the text of papers, lists and other scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "whole",
    [
        "Smith et al. 2020 show it.",
        "Smith et al. (2020) show it.",
        "As Smith et al. Lee and Kim report it.",
        "See Fig. 3 and Figs. 4 and 5 for it.",
        "Eq. 7 holds for it.",
        "It holds by Eq. (7) and Sec. 3.2 of it.",
        "It works, i.e. It does its job.",
        "They get a fee of Rs. 5000 for it.",
        "Many tools, e.g. Git and so on, do it.",
        "We asked Dr. Lee and Mr. J. Smith about it.",
        "Version v1.2.3 of 10.5 MB costs $3.50 in it.",
        "It grew\nover two lines, as Fig.\n2 shows in it.",
        "A repro-\nducible result of it.",
    ],
)
def test_abbreviations_numbers_and_line_ends_do_not_cut(whole):
    assert sentences(f"Here we begin. {whole} Then we end.") == ["Here we begin.", whole, "Then we end."]


def test_et_al_may_end_a_sentence_before_an_opening_word():
    assert sentences("It was shown by Jones et al. We extend it.") == ["It was shown by Jones et al.", "We extend it."]


def test_a_citation_after_the_stop_stays_with_its_sentence():
    assert sentences("It was shown.[3] [4, 5] Others agree.") == ["It was shown.[3] [4, 5]", "Others agree."]


def test_closing_quotes_and_brackets_stay_with_their_sentence():
    assert sentences('"He said so." Then he left. (So we heard.) Fine.') == [
        '"He said so."',
        "Then he left.",
        "(So we heard.)",
        "Fine.",
    ]


def test_headings_stand_alone():
    lines = [
        "Introduction",
        "This is the first sentence of a long paragraph.",
        "2.1 Data Sets",
        "The data were taken from a very long list.",
        "# Title",
        "more",
    ]
    assert sentences("\n".join(lines)) == lines


def test_a_wrapped_line_that_looks_like_a_heading_is_none():
    text = "We compare the methods of Section\n3.2 Large models with those of the\nIntroduction and others."
    assert sentences(text) == [text]


def test_list_entries_and_table_rows_stand_alone():
    text = "We need:\n- apples and\n  oranges\n- pears\n1. First\n2) Second\n• Third\n| a | b |\n| c | d |"
    assert sentences(text) == [
        "We need:",
        "- apples and\n  oranges",
        "- pears",
        "1. First",
        "2) Second",
        "• Third",
        "| a | b |",
        "| c | d |",
    ]


def test_a_dash_at_a_line_start_inside_a_sentence_is_no_list_mark():
    text = "The method works well\n- but only with enough memory."
    assert sentences(text) == [text]


def test_each_row_of_a_table_is_a_sentence_and_a_stop_in_a_cell_ends_none():
    assert sentences("Metal | Seen by\nTin | Lozano, Dr. | 231.93\nLead | Lee. | soft") == [
        "Metal | Seen by",
        "Tin | Lozano, Dr. | 231.93",
        "Lead | Lee. | soft",
    ]


def test_a_bar_of_mathematics_is_no_row():
    assert sentences("We write P(a | b) for it. It is small.") == ["We write P(a | b) for it.", "It is small."]


def test_blank_lines_cut():
    assert sentences("one thing\n \nAnother thing") == ["one thing", "Another thing"]


def test_other_scripts_have_other_stops():
    assert sentences("你好。世界！「好。」终") == ["你好。", "世界！", "「好。」", "终"]
    assert sentences("هل هذا صحيح؟ نعم هو كذلك.") == ["هل هذا صحيح؟", "نعم هو كذلك."]


def test_nothing_visible_gives_no_sentence():
    assert sentence_spans("") == []
    assert sentence_spans(" \n\n\t ") == []


@given(st.text(alphabet=st.sampled_from(list('aB .!?\n\r-1)[]#|•。\u2028é\t"')), max_size=80))
def test_every_visible_character_lies_in_exactly_one_sentence(text):
    covered = [0] * len(text)
    previous = 0
    for start, end in sentence_spans(text):
        assert previous <= start < end
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        previous = end
        for index in range(start, end):
            covered[index] += 1
    assert all(count == 1 or (count == 0 and letter.isspace()) for count, letter in zip(covered, text, strict=True))
