"""Zip files of all kinds in, a package or the right refusal out; and what a file's first bytes tell of it."""

from __future__ import annotations

import io
import zipfile

import pytest

from tests.engine.preprocessing.office.office_files import docx, epub, odf, p, package, pptx, relations, slide, xlsx
from trisynapse_memory.errors import (
    PasswordNeededError,
    SourceDamagedError,
    SourceEmptyError,
    SourceMissingError,
    SourceTooLargeError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.office import packages
from trisynapse_memory.preprocessing.office.packages import open_package, resolve
from trisynapse_memory.preprocessing.office.sketches import sketch


@pytest.fixture
def opened(tmp_path):
    made = []

    def open_(content):
        path = tmp_path / "file.docx"
        path.write_bytes(content)
        made.append(open_package(path, "file.docx", "Word document"))
        return made[-1]

    yield open_
    for one in made:
        one.close()


def test_parts_are_found_without_case_and_leading_slash(opened):
    found = opened(package({"Word/Document.XML": "<a/>"}))
    assert found.has("/word/document.xml")
    assert found.read("word/document.xml") == b"<a/>"
    assert found.read("word/gone.xml") is None
    assert found.size("word/document.xml") == 4


def test_relations_are_resolved_against_the_part_they_lie_beside(opened):
    arrows = relations(
        {"a": ("image", "../media/x.png"), "b": ("hyperlink", "https://x.example/"), "c": ("y", "/z.xml")}
    )
    found = opened(package({"word/_rels/document.xml.rels": arrows})).relations("word/document.xml")
    assert (found["a"].kind, found["a"].target, found["a"].is_external) == ("image", "media/x.png", False)
    assert (found["b"].target, found["b"].is_external) == ("https://x.example/", True)
    assert found["c"].target == "z.xml"


def test_no_target_leads_out_of_the_package():
    assert resolve("a/b.xml", "../../../../etc/passwd") == "etc/passwd"
    assert resolve("a/b.xml", "c%20d.xml#x") == "a/c d.xml"


def test_a_part_packed_as_only_a_trap_is_refused(opened, monkeypatch):
    monkeypatch.setattr(packages, "RATIO_FROM_BYTES", 100_000)
    monkeypatch.setattr(packages, "RATIO_MAX", 100)
    with pytest.raises(SourceTooLargeError, match=r"file\.docx.*trap"):
        opened(package({"word/document.xml": b"\0" * 1_000_000}))


def test_too_many_parts_and_too_many_bytes_are_refused(opened, monkeypatch):
    content = package({f"{number}.xml": "<a/>" for number in range(20)})
    monkeypatch.setattr(packages, "PART_COUNT_MAX", 10)
    with pytest.raises(SourceTooLargeError, match="20 parts"):
        opened(content)
    monkeypatch.setattr(packages, "PART_COUNT_MAX", 100)
    monkeypatch.setattr(packages, "PACKAGE_BYTES_MAX", 50)
    with pytest.raises(SourceTooLargeError, match="unpacked"):
        opened(content)


def test_a_part_is_never_read_beyond_its_limit(opened, monkeypatch):
    monkeypatch.setattr(packages, "PART_BYTES_MAX", 1000)
    found = opened(package({"a.xml": "x" * 1001, "b.xml": "y" * 1000}))
    assert found.read("b.xml") == b"y" * 1000
    with pytest.raises(SourceTooLargeError, match=r"a\.xml"):
        found.read("a.xml")


def test_all_parts_together_have_a_limit(opened, monkeypatch):
    monkeypatch.setattr(packages, "READ_BYTES_MAX", 1500)
    found = opened(package({"a.xml": "x" * 1000}))
    found.read("a.xml")
    with pytest.raises(SourceTooLargeError):
        found.read("a.xml")


def test_a_part_whose_size_is_a_lie_is_read_no_further(opened):
    content = bytearray(package({"a.xml": "x" * 5000}))
    place = content.rfind(b"PK\x01\x02")
    content[place + 24 : place + 28] = (10).to_bytes(4, "little")
    assert len(opened(bytes(content)).read("a.xml") or b"") <= 10


def test_an_encrypted_part_asks_for_an_open_copy(opened):
    content = bytearray(package({"a.xml": "x"}))
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(sign) + place] |= 1
    with pytest.raises(PasswordNeededError):
        opened(bytes(content)).read("a.xml")


def test_broken_markup_is_read_so_far_and_remembered(opened):
    found = opened(package({"a.xml": "<a><b>x</b><c", "d.xml": "<d/>", "e.xml": "no markup"}))
    assert next(element.tag for element in found.xml("a.xml")) == "b"
    assert found.xml("d.xml").tag == "d"
    assert found.xml("e.xml") is None
    assert found.broken == {"a.xml", "e.xml"}


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", SourceEmptyError),
        (b"plain words", SourceUnsupportedError),
        (docx(p("x"))[:300], SourceDamagedError),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, SourceUnsupportedError),
    ],
)
def test_what_is_no_package_says_what_it_is(opened, content, error):
    with pytest.raises(error, match=r"file\.docx"):
        opened(content)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SourceMissingError):
        open_package(tmp_path / "gone.docx", "gone.docx", "Word document")


def late(content):
    """The same parts, the list of content types last."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    types = parts.pop("[Content_Types].xml")
    return package({**parts, "[Content_Types].xml": types})


WORKBOOK = xlsx({"S": "<sheetData/>"})


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (docx(p("x")), "word"),
        (late(docx(p("x"))), "word"),
        (docx(p("x"), parts={"word/embeddings/a.xlsx": WORKBOOK}), "word"),
        (pptx([slide("")]), "slides"),
        (late(pptx([slide("")])), "slides"),
        (WORKBOOK, "sheet"),
        (odf("text", ""), "odt"),
        (odf("presentation", ""), "odp"),
        (odf("spreadsheet", ""), "ods"),
        (epub({"a.xhtml": "x"}), "book"),
        (package({"META-INF/container.xml": "<a/>"}), "book"),
        (package({"notes/a.txt": "x", "word/list.txt": "y"}), ""),
        (package({"letters/report.docx": docx(p("x"))}, stored=("letters/report.docx",)), ""),
        (b"PK\x03\x04", ""),
        (b"", ""),
    ],
)
def test_the_first_bytes_tell_which_package_it_is(content, kind):
    assert sketch(content[:65_536]) == kind
