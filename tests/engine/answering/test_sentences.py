"""Hits in, the sentences that may be quoted out."""

from __future__ import annotations

import pytest

from trisynapse_memory.answering.inquiry import read_question
from trisynapse_memory.answering.sentences import PASSAGES_CUT, is_readable, passages_of

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


def test_of_many_hits_only_those_that_promise_most_are_cut(make_hits, statistics_of) -> None:
    hits = make_hits(*["Rain fell on the roof of the hall."] * 15, GOOD)
    passages = passages_of(hits, read_question("Who made the mirror?", statistics_of(hits)))
    assert sum(bool(passage.sentences) for passage in passages) == PASSAGES_CUT
    assert passages[-1].sentences
    assert all(passage.keys.length for passage in passages)
