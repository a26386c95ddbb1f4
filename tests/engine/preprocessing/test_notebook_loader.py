"""Notebooks of both formats: cells in order, headings over code, and what came of it."""

from __future__ import annotations

import json

import pytest

from trisynapse_memory.errors import SourceTooLargeError, SourceUnsupportedError
from trisynapse_memory.preprocessing.loaders import notebook
from trisynapse_memory.preprocessing.loaders.notebook import NotebookLoader
from trisynapse_memory.types import Modality, PageVerdict


def opened(tmp_path, content, name="a.ipynb"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return NotebookLoader().open(path)


def only_page(tmp_path, content):
    document = opened(tmp_path, content)
    ((page, sections),) = document.pages(1)
    document.close()
    return page, sections


V4 = {
    "nbformat": 4,
    "metadata": {"language_info": {"name": "R"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# Fall\n", "\n", "One.\n", "\n", "Two."]},
        {"cell_type": "code", "source": "x <- 1", "outputs": [{"output_type": "stream", "text": "[1] 1"}]},
        {"cell_type": "markdown", "source": "## Speed"},
        {"cell_type": "raw", "source": "as is"},
        {"cell_type": "code", "source": "", "outputs": []},
    ],
}
V3 = {
    "nbformat": 3,
    "metadata": {"name": "Old"},
    "worksheets": [
        {
            "cells": [
                {"cell_type": "heading", "level": 2, "source": "Part"},
                {
                    "cell_type": "code",
                    "language": "python",
                    "input": ["a = 1"],
                    "outputs": [{"output_type": "pyout", "text": ["1"]}],
                },
            ]
        }
    ],
}


def test_cells_stand_in_order_under_their_headings(tmp_path):
    page, sections = only_page(tmp_path, V4)
    assert page.text == "# Fall\n\nOne.\n\nTwo.\n\nx <- 1\n\n[1] 1\n\n## Speed\n\nas is"
    assert [(page.text[one.start : one.end], one.locator.cell, one.path, one.modality) for one in sections] == [
        ("# Fall", 1, ("Fall",), Modality.DOCUMENT),
        ("One.", 1, ("Fall",), Modality.DOCUMENT),
        ("Two.", 1, ("Fall",), Modality.DOCUMENT),
        ("x <- 1", 2, ("Fall",), Modality.CODE),
        ("[1] 1", 2, ("Fall",), Modality.CODE),
        ("## Speed", 3, ("Fall", "Speed"), Modality.DOCUMENT),
        ("as is", 4, ("Fall", "Speed"), Modality.DOCUMENT),
    ]
    assert sections[3].fields == {"language": "r"}


def test_the_old_format_is_read_too(tmp_path):
    document = opened(tmp_path, V3)
    ((page, sections),) = document.pages(1)
    document.close()
    assert document.heading.title == "Old"
    assert page.text == "## Part\n\na = 1\n\n1"
    assert sections[1].path == ("Part",)


def test_a_long_notebook_is_cut_between_cells(tmp_path):
    cells = [{"cell_type": "markdown", "source": f"Cell {number} speaks. " * 60} for number in range(200)]
    document = opened(tmp_path, {"nbformat": 4, "cells": cells})
    found = list(document.pages(1))
    assert len(found) == document.heading.page_count > 2
    assert list(document.pages(2)) == found[1:]
    page, sections = found[1]
    assert page.text.startswith(f"Cell {sections[0].locator.cell - 1} speaks.")
    document.close()


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (b'{"cells": [\n{"cell_type": ', "not valid JSON at line 2"),
        (b'{"a": 1}', "no cells in it"),
        (b'{"nbformat": 4, "cells": {}}', "no cells in it"),
        (b'{"cells": ' + b"[" * 100_000, "not valid JSON"),
    ],
)
def test_what_is_no_notebook_is_read_as_text_and_says_so(tmp_path, content, note):
    document = opened(tmp_path, content)
    page, _ = next(iter(document.pages(1)))
    document.close()
    assert note in page.note
    assert page.text[:5] == content[:5].decode()


def test_strange_cells_do_no_harm(tmp_path):
    page, _ = only_page(
        tmp_path,
        {"cells": [None, 3, {"cell_type": 7, "source": 5}, {"source": ["a", 1]}, {"cell_type": "code", "outputs": {}}]},
    )
    assert page.text == "a"
    page, sections = only_page(tmp_path, {"cells": [{"cell_type": "markdown", "source": "\ud800"}]})
    assert page.text == "\ufffd"
    page, sections = only_page(tmp_path, {"cells": []})
    assert (page.verdict, sections) == (PageVerdict.EMPTY, ())


def test_limits_and_names(tmp_path, monkeypatch):
    loader = NotebookLoader()
    assert loader.suits(json.dumps(V4).encode(), "a.json") > 0.6
    assert loader.suits(b'{"a": 1}', "a.json") == 0
    assert loader.suits(b"words", "a.ipynb") == 0
    with pytest.raises(SourceUnsupportedError, match=r"a\.ipynb"):
        opened(tmp_path, b"\0\1\2" * 99)
    monkeypatch.setattr(notebook, "WHOLE_MAX_BYTES", 10)
    with pytest.raises(SourceTooLargeError, match=r"a\.ipynb"):
        opened(tmp_path, V4)
