"""AsciiDoc as a reader sees it, line by line; nothing is included and no passthrough passed."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.lightweight.asciidoc import read_asciidoc
from trisynapse_memory.preprocessing.lightweight.asciidoc_words import plain_words


def told(text):
    return [(one.text, one.kind) for one in read_asciidoc(text).blocks]


def words(text):
    return [one.text for one in read_asciidoc(text).blocks]


def test_headings_paragraphs_and_lines_that_go_on():
    text = "= Top\n\nFirst +\nline.\n\nSecond.\n\n== Sub\nText below.\n\nOld one\n-------\n\nx\n"
    assert told(text) == [
        ("Top", "heading"),
        ("First line.", "body"),
        ("Second.", "body"),
        ("Sub", "heading"),
        ("Text below.", "body"),
        ("Old one", "heading"),
        ("x", "body"),
    ]


def test_what_a_document_says_of_itself():
    found = read_asciidoc(
        "= Guide\nAnn Lee <a@x.example>; Bo Ek\nv1.2, 2024-05-01\n:furnace: Model 7\n\nThe {furnace} and {other}.\n"
    )
    assert (found.title, found.authors, found.published) == ("Guide", ("Ann Lee", "Bo Ek"), "2024-05-01")
    assert found.blocks[-1].text == "The Model 7 and {other}."


def test_lists_are_numbered_as_they_are_shown():
    text = (
        ". one\n.. inner\n.. second\n. two\ngoes on\n\n* a\n** b\n- [x] done\n\nTerm:: what\nit is\nOther::\n  more\n"
    )
    assert words(text) == [
        "1. one", "1. inner", "2. second", "2. two goes on", "- a", "- b", "- done", "Term: what it is", "Other: more",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "rows", "headers"),
    [
        (
            "|===\n|Metal |Point\n\n|Tin |231\n|Lead |327\n|===\n",
            "Metal | Point\nTin | 231\nLead | 327",
            "Metal | Point",
        ),
        ('[cols="1,2"]\n|===\n|a\n|b\n\n|c\n|d\n|===\n', "a | b\nc | d", "a | b"),
        (
            "|===\n^.^h|Field ^.^h| Text\n| s | Strong\n| h | Header\n|===\n",
            "Field | Text\ns | Strong\nh | Header",
            "Field | Text",
        ),
        ("|===\n|A |B |C\n|1 ||3\n|===\n", "A | B | C\n1 |  | 3", "A | B | C"),
        (",===\nx,y\n1,2\n,===\n", "x | y\n1 | 2", "x | y"),
        ("|===\n2+|both |c\n|1 |2 |3\n|===\n", "both | c\n1 | 2 | 3", ""),
    ],
)
def test_tables_give_rows_and_headers(text, rows, headers):
    (block,) = read_asciidoc(text).blocks
    assert (block.text, block.kind) == (rows, "table")
    assert block.headers == headers


def test_listings_are_code_and_callouts_are_not():
    text = "[source,python]\n----\nx = 1 # <1>\n\ny = 2\n----\n\n....\nplain\n....\n\n```go\nf()\n```\n"
    assert [(one.text, one.code, dict(one.fields)) for one in read_asciidoc(text).blocks] == [
        ("x = 1\n\ny = 2", True, {"language": "python"}),
        ("plain", True, {}),
        ("f()", True, {"language": "go"}),
    ]


def test_admonitions_quotes_captions_and_images():
    text = (
        "NOTE: Hot.\n\n[WARNING]\n====\nVery hot.\n====\n\n[quote, A. Lee]\n____\nSlow at first.\n____\n\n"
        ".The picture\nimage::a.png[A furnace, 200]\n"
    )
    assert words(text) == [
        "Note: Hot.",
        "Warning: Very hot.",
        "A. Lee:",
        "Slow at first.",
        "The picture",
        "[image: A furnace]",
    ]


def test_nothing_is_included_and_what_nobody_sees_is_kept_apart():
    found = read_asciidoc(
        "// a comment\n////\nmore\n////\n\nSeen.\n\n++++\n<b>raw</b>\n++++\n\ninclude::/etc/passwd[]\n"
    )
    assert [one.text for one in found.blocks] == ["Seen."]
    assert found.hidden == ["a comment", "more", "<b>raw</b>"]
    assert found.includes == ["/etc/passwd"]


@pytest.mark.parametrize(
    "text", ["|===\n|a", "----\nx", "=", "[[", "::", ".\n", "* " * 500, "|===\n99999*|x\n|===", "[" * 5000]
)
def test_broken_markup_gives_what_words_there_are(text):
    read_asciidoc(text)


@pytest.mark.parametrize(
    ("typed", "seen"),
    [
        ("*bold* and _it_, `mono`, **un**bound", "bold and it, mono, unbound"),
        ("a * b * c, snake_case_name, 2*3*4", "a * b * c, snake_case_name, 2*3*4"),
        ("https://x.example[the page^] and https://y.example", "the page and https://y.example"),
        ("see <<limits,the limits>> and xref:a.adoc#b[there]", "see the limits and there"),
        ("H~2~O and x^2^ &amp; more", "H2O and x2 & more"),
        ("[.red]#red# footnote:[A source.] kbd:[Ctrl]", "red (A source.) Ctrl"),
        ('"`quoted`" [[anchor]]text', "“quoted” text"),
    ],
)
def test_marks_are_taken_out_of_a_line(typed, seen):
    assert plain_words(typed, {}) == seen
