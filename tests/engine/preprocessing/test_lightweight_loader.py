"""reStructuredText and AsciiDoc files: text with sections, what is hidden apart, what is broken read as text."""

from __future__ import annotations

import pytest

from trisynapse_memory.errors import SourceUnsupportedError
from trisynapse_memory.preprocessing.loaders import lightweight
from trisynapse_memory.preprocessing.loaders.lightweight import LightweightLoader
from trisynapse_memory.types import Modality, PageVerdict


def read(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    document = LightweightLoader().open(path)
    found = list(document.pages(1))
    document.close()
    return document.heading, found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.rst", "Metals\n======\n\n.. nobody sees this\n\nTin is soft.\n\n::\n\n  melt()\n"),
        ("a.adoc", "= Metals\n\n// nobody sees this\n\nTin is soft.\n\n----\nmelt()\n----\n"),
    ],
)
def test_both_give_text_with_sections(tmp_path, name, text):
    heading, ((page, sections),) = read(tmp_path, text, name)
    assert heading.title == "Metals"
    assert page.text == "Metals\n\nTin is soft.\n\nmelt()"
    assert (page.hidden_text, page.flags) == ("nobody sees this", ("hidden-text",))
    assert [(one.kind, one.path, one.modality) for one in sections] == [
        ("heading", ("Metals",), Modality.DOCUMENT),
        ("body", ("Metals",), Modality.DOCUMENT),
        ("body", ("Metals",), Modality.CODE),
    ]


def test_includes_are_named_and_not_followed(tmp_path):
    _, ((page, _),) = read(tmp_path, "x\n\ninclude::part.adoc[]\n", "a.adoc")
    assert page.note == "not followed: include part.adoc"


def test_a_long_text_is_cut_between_blocks(tmp_path):
    text = "= Top\n\n" + "".join(f"Paragraph {number} speaks of tin and lead.\n\n" for number in range(5000))
    heading, found = read(tmp_path, text, "a.adoc")
    assert len(found) == heading.page_count > 2
    assert all(sections[0].path == ("Top",) for _, sections in found)
    assert found[1][0].text.startswith("Paragraph")


def test_what_is_too_large_is_read_as_plain_text(tmp_path, monkeypatch):
    monkeypatch.setattr(lightweight, "WHOLE_MAX_BYTES", 10)
    _, ((page, _),) = read(tmp_path, "Metals\n======\n\nTin.\n", "a.rst")
    assert page.text == "Metals\n======\n\nTin.\n"
    assert page.note.endswith("read as plain text")


def test_other_files_are_left_alone(tmp_path):
    loader = LightweightLoader()
    assert loader.suits(b"-----BEGIN PGP SIGNATURE-----\n", "a.asc") == 0
    assert loader.suits(b"words", "a.md") == 0
    assert loader.suits(b"words", "a.rst") > 0.7
    with pytest.raises(SourceUnsupportedError, match=r"a\.rst"):
        read(tmp_path, b"\0\1\2" * 99, "a.rst")
    _, ((page, sections),) = read(tmp_path, ".. only a comment\n", "a.rst")
    assert (page.verdict, sections) == (PageVerdict.EMPTY, ())
