"""Marks of notes read as words; offsets of links and tags point into the words that are stored."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.preprocessing.notes.rewriting import rewrite


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[A]] [[A|b]] [[A\\|b]] [[A#B]] [[A#^id]] [[#B]] [[A#B#C]]", "A b b A > B A B A > B > C"),
        ("[[folder/A.md]] [[A.md|a]]", "folder/A a"),
        ("![[a.png]] ![[a.png|100x200]] ![[a.PDF#page=3]] ![[A|b]]", "[image: a.png] [image: a.png] [file: a.PDF] A"),
        ("[w](A.md) [w](sub/A%20b.md#c) [w](<A b.csv>) [w](https://a.example/A.md) ![w](a.md)",
         "w w w [w](https://a.example/A.md) ![w](a.md)"),
        ("`[[A]]` ``x ` [[B]]`` [[C]]", "`[[A]]` ``x ` [[B]]`` C"),
        ("a ==b [[C]]== d == e", "a b C d == e"),
        ("one %%two%% three", "one  three"),
        ("words ^abc-1\n^abc-2\nx^2 ^ y", "words\nx^2 ^ y"),
        ("> [!note]\n> [!Tip] Tip\n> [!quote|right]+ By her", "> Note\n> Tip\n> Quote: By her"),
        ("status:: open\nid:: 1\n- done:: yes\nstd::string x", "status: open\n- done: yes\nstd::string x"),
        ("{{embed [[A]]}} {{query x}} {{title}}", "A  {{title}}"),
        ("#[[two words]] #a/b #1 # x", "#two words #a/b #1 # x"),
        ("```\n[[A]]\n%% x\n```\n[[B]]", "```\n[[A]]\n%% x\n```\nB"),
    ],
)  # fmt: skip
def test_every_mark_reads_as_its_words(text, words):
    assert rewrite(text).text == words


def test_marks_know_where_their_words_stand():
    made = rewrite("---\nx: 1\n---\nSee [[Paper|the paper]] and #tag.\n", 13)
    assert made.text == "---\nx: 1\n---\nSee the paper and #tag.\n"
    assert [(one.kind, one.value, made.text[one.place :][:9]) for one in made.marks] == [
        ("link", "Paper", "the paper"),
        ("tag", "tag", "#tag.\n"),
    ]


@given(st.text(st.sampled_from("[]!|#%=`:^{}()->\n a.md"), max_size=80))
def test_no_text_breaks_it_and_what_has_no_marks_stays(text):
    made = rewrite(text)
    assert all(0 <= one.place <= len(made.text) for one in made.marks)
    assert rewrite("Plain words, 1 < 2.\n" * 3).text == "Plain words, 1 < 2.\n" * 3


@pytest.mark.parametrize(
    "piece", ["[[", "![[a|", "==a", "`", "`" * 7 + "a", "%%", "{{", "[a](", "#1", "((", "> [!", "a:: "]
)
def test_a_page_of_half_marks_takes_no_time(piece):
    start = time.perf_counter()
    rewrite(piece * (65_536 // len(piece)))
    assert time.perf_counter() - start < 20
