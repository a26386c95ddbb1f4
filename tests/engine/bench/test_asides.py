"""What a file holds beside its text is found in its bytes, whatever a loader makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.preprocessing.office.office_files import W, docx, p, package
from trisynapse_memory.bench.asides import asides_of
from trisynapse_memory.bench.gold_texts import words_of

S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
THREAD = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"


def said(path: Path, content: bytes | str) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return " ".join(words_of(asides_of(path)))


def test_comments_heads_and_feet_of_a_document_and_not_its_text(tmp_path: Path):
    comment = (
        f'<w:comments {W}><w:comment w:id="1" w:author="Ada" w:date="2026-01-04T10:00:00Z" w:initials="A">'
        "<w:p><w:r><w:t>why</w:t></w:r><w:r><w:t>ever</w:t></w:r></w:p></w:comment></w:comments>"
    )
    parts = {"word/comments.xml": comment, "word/header2.xml": f"<w:hdr {W}>{p('A head')}{p('in two lines')}</w:hdr>"}
    assert said(tmp_path / "a.docx", docx(p("Body text."), parts=parts)) == "ada 2026 01 04 whyever a head in two lines"


def test_a_comment_of_a_thread_is_told_once_and_without_what_excel_writes_for_its_elders(tmp_path: Path):
    parts = {
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{S}"><t>cell</t></worksheet>',
        "xl/comments1.xml": f'<comments xmlns="{S}"><authors><author>Bo</author><author>tc={{04C1}}</author></authors>'
        "<commentList><comment><text><r><t>first</t></r></text></comment><comment><text><t>[Threaded comment]\n\n"
        "Your version of Excel allows you to read this.\n\nComment:\n    second</t></text></comment></commentList>"
        "</comments>",
        "xl/threadedComments/threadedComment1.xml": f'<ThreadedComments xmlns="{THREAD}"><threadedComment ref="F7" '
        'dT="2026-06-18T17:12:37.41" personId="{ED}"><text>second</text></threadedComment></ThreadedComments>',
        "xl/persons/person.xml": f'<personList xmlns="{THREAD}"><person displayName="Di" id="{{ED}}"/></personList>',
    }
    assert said(tmp_path / "a.xlsx", package(parts)) == "bo first 2026 06 18 second di"


def test_notes_of_slides_and_not_those_of_the_master(tmp_path: Path):
    slide = '<p:notes xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:notes>'
    parts = {
        "ppt/slides/slide1.xml": slide.format("shown"),
        "ppt/notesSlides/notesSlide1.xml": slide.format("noted"),
        "ppt/notesMasters/notesMaster1.xml": slide.format("master"),
    }
    assert said(tmp_path / "a.pptx", package(parts)) == "noted"


def test_remarks_and_feet_of_opendocument(tmp_path: Path):
    parts = {
        "content.xml": '<o:body xmlns:o="o" xmlns:t="t"><t:p>body<o:annotation><t:p>a <t:b>remark</t:b> here</t:p>'
        "</o:annotation> goes on</t:p></o:body>",
        "styles.xml": '<s:styles xmlns:s="s" xmlns:t="t"><s:footer><t:p>a foot</t:p></s:footer></s:styles>',
    }
    assert set(said(tmp_path / "a.odt", package(parts)).split()) == {"a", "remark", "here", "foot"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.html", "<table><caption>Some <b>birds</b></caption><tr><td>x</td></tr></table><img alt='y'>", "some birds"),
        ("a.adoc", "= T\n\n1. one\n  2. two\n\nimage::a.png[A bird, width=200]\n", "a bird 1 2"),
        ("a.md", "![x](y)\n\n1. one", ""),
        ("a.pdf", "%PDF-1.4", ""),
    ],
)
def test_captions_descriptions_and_numbers_where_a_format_has_them(tmp_path: Path, name: str, text: str, words: str):
    assert said(tmp_path / name, text) == words
