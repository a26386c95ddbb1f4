"""Source files: the text as it is, a section for each symbol, pages of whole symbols."""

from __future__ import annotations

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.errors import SourceUnsupportedError
from trisynapse_memory.preprocessing.chunking import chunk_page
from trisynapse_memory.preprocessing.loaders import code
from trisynapse_memory.preprocessing.loaders.code import MINIFIED, CodeLoader
from trisynapse_memory.types import Modality, PageVerdict


def read(tmp_path, content, name="a.py", **told):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    document = CodeLoader().open(path, **told)
    found = list(document.pages(1))
    document.close()
    return found


def test_the_text_is_the_files_own_and_sections_are_code(tmp_path):
    text = "import os\n\n\ndef f(a):\n\treturn a\n"
    ((page, sections),) = read(tmp_path, text.replace("\n", "\r\n"))
    assert page.text == text
    assert {one.modality for one in sections} == {Modality.CODE}
    assert [one.path for one in sections] == [("a.py",), ("a.py", "f")]


def test_the_name_it_came_under_counts(tmp_path):
    ((_, sections),) = read(tmp_path, "def f(): pass\n", "5f2c", filename="src/tool.py")
    assert sections[0].path == ("src/tool.py", "f")


def test_a_chunk_of_a_long_function_knows_its_own_lines(tmp_path):
    body = "".join(f"    value_{number} = compute({number})\n" for number in range(300))
    ((page, sections),) = read(tmp_path, f"x = 1\n\n\ndef long():\n{body}")
    chunks = chunk_page(page, sections, lambda texts: [2 + len(one) // 3 for one in texts], Config())
    lines = page.text.split("\n")
    assert len(chunks) > 10
    for chunk in chunks:
        place = chunk.locator
        assert chunk.text.split("\n")[0].strip() == lines[place.start_line - 1].strip()
        assert chunk.text.split("\n")[-1].strip() == lines[place.end_line - 1].strip()
        assert place.symbol in (None, "long")


def test_a_large_file_is_cut_between_symbols(tmp_path):
    text = "".join(f"def function_{number}(a):\n    return a + {number}\n\n\n" for number in range(6000))
    found = read(tmp_path, text)
    assert len(found) > 3
    assert "".join(page.text for page, _ in found) == text
    page, sections = found[2]
    assert page.text.startswith("def function_")
    first = sections[0].locator
    assert text.split("\n")[first.start_line - 1] == page.text.split("\n")[0]
    assert first.symbol == page.text[4 : page.text.index("(")]


def test_packed_code_is_kept_and_no_evidence(tmp_path):
    ((page, sections),) = read(tmp_path, "var a=function(){return 1};" * 3000, "a.min.js")
    assert (page.verdict, page.note, sections) == (PageVerdict.SKIPPED, MINIFIED, ())
    assert chunk_page(page, sections, lambda texts: [1] * len(texts), Config()) == ()


def test_what_is_too_large_for_a_grammar_is_cut_at_blank_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(code, "WHOLE_MAX_BYTES", 1000)
    ((page, sections),) = read(tmp_path, "INSERT INTO t VALUES (1);\n\n" * 100, "dump.sql")
    assert "cut at blank lines" in page.note
    assert len(sections) == 100


def test_what_is_no_text_is_refused_and_others_names_are_left_alone(tmp_path):
    with pytest.raises(SourceUnsupportedError, match=r"a\.ts"):
        read(tmp_path, b"\x47\x40\x00\x10" + b"\0\xff" * 200, "a.ts")
    loader = CodeLoader()
    assert loader.suits(b"\x47\x40\x00\x10" + b"\0\xff" * 200, "a.ts") == 0
    assert loader.suits(b"some words", "a.txt") == 0
    assert loader.suits(b"#!/bin/sh\necho\n", "run") > 0
    assert loader.suits(b"all: x", "Makefile") == 0


def test_an_empty_program_is_an_empty_page(tmp_path):
    ((page, sections),) = read(tmp_path, " \n\n")
    assert (page.verdict, sections) == (PageVerdict.EMPTY, ())
