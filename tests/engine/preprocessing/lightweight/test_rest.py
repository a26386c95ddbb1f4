"""reStructuredText as a reader sees it; nothing is inserted, run, or lost to an unknown directive."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.lightweight.rest import NotRestError, read_rest


def told(text):
    return [(one.text, one.kind, one.level) for one in read_rest(text).blocks]


def words(text):
    return [one.text for one in read_rest(text).blocks]


def test_sections_paragraphs_and_inline_marks():
    text = (
        "Top\n===\n\nIt is *soft*, ``white`` and `known <https://x.example>`_,\n"
        "as :ref:`said <target>`.\n\nSub\n---\n\nx\n"
    )
    assert told(text) == [
        ("Top", "heading", 1),
        ("It is soft, white and known, as said.", "body", 0),
        ("Sub", "heading", 2),
        ("x", "body", 0),
    ]


def test_lists_keep_their_numbers_terms_and_inner_lists():
    text = (
        "3. one\n4. two\n\n   - inner\n\nterm : kind\n    what it means\n\n"
        ":Field: its words\n\n-v, --verbose  tells more\n"
    )
    assert words(text) == [
        "3. one",
        "4. two",
        "- inner",
        "term : kind: what it means",
        "Field: its words",
        "-v, --verbose: tells more",
    ]


def test_tables_know_their_headers():
    grid = "=====  =====\nMetal  Point\n=====  =====\nTin    231.9\nLead   327.5\n=====  =====\n"
    (block,) = read_rest(grid).blocks
    assert (block.text, block.headers, block.kind) == (
        "Metal | Point\nTin | 231.9\nLead | 327.5",
        "Metal | Point",
        "table",
    )
    caption, block = read_rest(".. csv-table:: Fruits\n   :header: name,price\n\n   apple, 1\n").blocks
    assert (caption.text, caption.kind, block.headers) == ("Fruits", "caption", "name | price")


def test_code_is_code_with_its_language():
    text = "::\n\n  x = 1\n\n.. code-block:: python\n   :linenos:\n\n   def f():\n       return 1\n\n>>> 1 + 1\n2\n"
    blocks = read_rest(text).blocks
    assert [(one.text, one.code, dict(one.fields)) for one in blocks] == [
        ("x = 1", True, {}),
        ("def f():\n    return 1", True, {"language": "python"}),
        (">>> 1 + 1\n2", True, {}),
    ]


def test_directives_of_sphinx_are_text():
    text = (
        ".. versionadded:: 2.0\n   It melts with :func:`os.melt`.\n\n.. py:function:: melt(x)\n\n   Melts *x*.\n\n"
        "   .. seealso:: other\n\n.. toctree::\n   a\n   b\n\n.. automodule:: m\n   :members:\n"
    )
    assert words(text) == ["New in version 2.0", "It melts with os.melt.", "melt(x)", "Melts x.", "other"]


def test_admonitions_figures_and_footnotes():
    text = (
        ".. note:: Careful.\n\n   More.\n\n.. figure:: a.png\n   :alt: a cat\n\n   The caption [1]_.\n\n"
        ".. [1] A source.\n"
    )
    assert words(text) == ["Note: Careful.", "More.", "[image: a cat]", "The caption 1.", "[1] A source."]


def test_nothing_is_inserted_and_comments_are_kept_apart(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the password")
    text = (
        f".. include:: {secret}\n\n.. raw:: html\n\n   <b>raw</b>\n\n.. literalinclude:: {secret}\n\n"
        f".. csv-table:: T\n   :file: {secret}\n\n.. nobody sees this\n\nSeen.\n"
    )
    found = read_rest(text)
    told = "\n".join(one.text for one in found.blocks)
    assert "password" not in told
    assert "raw" not in told
    assert "Seen." in told
    assert found.hidden == ["nobody sees this"]


def test_what_a_document_says_of_itself():
    found = read_rest(":Author: Ann Lee\n:Date: 2024-05-01\n\nTitle\n=====\n\nx\n")
    assert (found.title, found.authors, found.published) == ("Title", ["Ann Lee"], "2024-05-01")
    assert read_rest(":Authors: - Ann\n          - Bo\n\nx\n").authors == ["Ann", "Bo"]


@pytest.mark.parametrize(
    "text",
    ["=====\nno end", "- " * 30 + "deep", ".. |a| replace:: |a|\n\n|a|", "`" * 500, "\x00\x01", ":a:`x\n\n.. ::\n"],
)
def test_broken_markup_gives_what_words_there_are(text):
    read_rest(text)


def test_what_is_nested_beyond_reason_is_told():
    with pytest.raises(NotRestError, match="nested too deep"):
        read_rest("- " * 3000 + "deep")
