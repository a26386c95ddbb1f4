"""Two spellings of a title are one; a text bears a title or a name, or it does not."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.works import bears_name, bears_title, names_of, surname_of, title_key


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Attention Is All You Need", "Attention is all you need."),
        ("BERT: Pre-training of Deep Models", "BERT Pretraining of Deep Models"),
        ("Über die Höhe der Türme", "Uber die Hohe der Turme"),
        ("On <i>E. coli</i> in vitro", "On E. coli in vitro"),
        ("Schrödinger’s cat problem", "Schrödinger's Cat Problem"),
        ("The eﬃcient ﬁlter design", "The efficient filter design"),
    ],
)
def test_two_spellings_of_a_title_have_one_key(first: str, second: str):
    assert title_key(first) == title_key(second) != ""


@pytest.mark.parametrize("title", ["", "Introduction", "Deep learning", "---", "日本"])
def test_a_title_that_many_works_bear_has_no_key(title: str):
    assert title_key(title) == ""


def test_different_titles_have_different_keys():
    assert title_key("Attention is all you need") != title_key("Attention is not all you need")


def test_names_are_those_of_the_work_and_a_preprint_is_found_by_both_of_its_names():
    identifiers = {"doi": "10.48550/arxiv.1706.03762", "issn": "0028-0836", "citekey": "a", "url": "https://x"}
    assert names_of(identifiers, "Attention is all you need") == (
        "doi:10.48550/arxiv.1706.03762",
        "arxiv:1706.03762",
        "title:attention is all you need",
    )
    assert names_of({}, "Short") == ()


PAGE = "CLADDER: Assessing Causal Rea-\nsoning in Language Models\n\nZhijing Jin1,2,∗, Vincent van\nGogh3"


def test_a_page_bears_a_title_across_line_ends_and_marks():
    assert bears_title("CLadder: Assessing Causal Reasoning in Language Models", PAGE)
    assert not bears_title("A wholly different paper about whales and models", PAGE)
    assert not bears_title("", PAGE)


@pytest.mark.parametrize(
    ("author", "borne"),
    [("Jin, Zhijing", True), ("van Gogh, Vincent", True), ("Zhijing Jin", True), ("Li, A", False), ("Smith", False)],
)
def test_a_page_names_an_author_by_the_family_name(author: str, borne: bool):
    assert bears_name(author, PAGE) is borne


def test_a_family_name_is_read_from_both_orders():
    assert surname_of("Erdős, Pál") == surname_of("Pál Erdős") == "erdos"
    assert surname_of("") == ""
