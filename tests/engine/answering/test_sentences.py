"""Hits in, the sentences that may be quoted out."""

from __future__ import annotations

import pytest
from msgspec import structs

from trisynapse_memory.answering.inquiry import read_question
from trisynapse_memory.answering.sentences import PASSAGES_CUT, PASSAGES_MOST, is_readable, passages_of

GOOD = "The mirror was made by Froment in Paris."


def sentences_of(make_hits, text: str) -> list[str]:
    return [sentence.text for sentence in passages_of(make_hits(text))[0].sentences]


@pytest.mark.parametrize(
    "line",
    [
        "https://www.example.org/blog/mirror-evaluation, 2023.",
        "RAPTOR + GPT-4 82.6 76.2 In the set DPR 60.4 53.9",
        "Paris 1860 1861 1862 mirrors",
        "Introduction . . . . . . . . . . . 12",
        "Chapter 1: The Making of the Mirror\t12",
        "4. **[What did it cost?](trisynapse://ask?q=cost)** No source of ours says.",
        "Read [[the-mirror]] before you ask about the wheel.",
    ],
    ids=["address", "cells", "row", "leaders", "contents", "link", "wiki link"],
)
def test_what_is_no_sentence_is_never_quoted(make_hits, line: str) -> None:
    assert sentences_of(make_hits, f"{line}\n\n{GOOD}") == [GOOD]


def test_a_sentence_that_names_a_web_page_stays(make_hits) -> None:
    text = "The drawings of the mirror can be seen at https://example.org/mirror by everyone."
    assert sentences_of(make_hits, text) == [text]


@pytest.mark.parametrize(
    ("line", "readable"),
    [
        (GOOD, True),
        ("introduces a way to turn it.", False),
        ("THE MAKING OF THE MIRROR IN PARIS.", False),
        ("Andheri Plant : V.K.K.", False),
        ("\u4ed6\u5728\u5df4\u9ece\u5236\u9020\u4e86\u955c\u5b50\u3002", True),
    ],
)
def test_pieces_and_labels_do_not_read_as_sentences(line: str, readable: bool) -> None:
    assert is_readable(line) is readable


def cut_of(make_hits, statistics_of, *texts: str) -> list[bool]:
    hits = make_hits(*texts)
    passages = passages_of(hits, read_question("Who made the mirror?", statistics_of(hits)))
    assert all(passage.keys.length for passage in passages)
    return [bool(passage.sentences) for passage in passages]


def test_of_many_hits_only_those_that_promise_most_are_cut(make_hits, statistics_of) -> None:
    cut = cut_of(make_hits, statistics_of, *(f"Rain fell on roof {n} of the hall." for n in range(25)), GOOD)
    assert sum(cut) == PASSAGES_CUT
    assert cut[-1]


def test_equal_passages_take_the_place_of_one(make_hits, statistics_of) -> None:
    cut = cut_of(make_hits, statistics_of, *["The mirror was made of glass."] * 15, GOOD)
    assert sum(cut) == 2
    assert cut[-1]


def test_of_near_equal_passages_the_eleventh_does_not_fall_out(make_hits, statistics_of) -> None:
    hits = make_hits(*(f"The mirror no. {n} was made in hall {n}." for n in range(20)))
    near = [structs.replace(hit, score=1.0 - hit.record.seq / 1000) for hit in hits]
    passages = passages_of(near, read_question("Who made the mirror?", statistics_of(hits)))
    assert sum(bool(passage.sentences) for passage in passages) == PASSAGES_MOST


@pytest.mark.parametrize(
    ("text", "refers"),
    [
        ("Divers use chambers. Some poisonings are treated using these devices.", True),
        ("The Engineering Review (ENR) is a magazine. Each year, ENR reports on builders.", True),
        ("Fizeau had a wheel, Foucault a mirror. In Paris the latter was preferred.", True),
        ("Divers use chambers. Some poisonings are treated in this paper.", False),
        ("Divers use chambers. The ENR reports on builders.", False),
    ],
    ids=["these", "acronym", "latter", "this paper", "acronym from elsewhere"],
)
def test_a_sentence_refers_to_the_one_before_it_by_what_is_inside(make_hits, text: str, refers: bool) -> None:
    assert passages_of(make_hits(text))[0].sentences[-1].refers_back is refers


@pytest.mark.parametrize(
    ("caption", "is_fragment"),
    [
        ("Figure 2: The red line represents the median of each trait.", False),
        ("Figure 2: Median of traits", True),
    ],
)
def test_a_caption_that_is_a_sentence_is_no_fragment(make_hits, caption: str, is_fragment: bool) -> None:
    assert passages_of(make_hits(caption))[0].sentences[0].is_fragment is is_fragment


def test_the_label_of_a_figure_goes_with_what_it_shows(make_hits) -> None:
    hits = make_hits(
        "Figure 1. The rotating-mirror method. Light from the slit is sent back. It enters at the left.",
        "Fig. 2: A wheel with teeth is still.",
    )
    first, second = passages_of(hits)
    assert [sentence.text for sentence in first.sentences] == [
        "Figure 1. The rotating-mirror method. Light from the slit is sent back.",
        "It enters at the left.",
    ]
    assert [sentence.text for sentence in second.sentences] == ["Fig. 2: A wheel with teeth is still."]
