"""The head and name of a file in, who reads it out: content decides, and the name where content is silent."""

from __future__ import annotations

import pytest

from tests.engine.preprocessing.office.office_files import docx, epub, odf, p, pptx, slide, xlsx
from trisynapse_memory.registry import Registry

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def wide(name):
    return name.encode("utf-16-le") + b"\0\0"


@pytest.mark.parametrize(
    ("head", "name", "loader"),
    [
        (docx(p("x")), "data.zip", "docx"),
        (docx(p("x")), "", "docx"),
        (pptx([slide("")]), "talk.docx", "pptx"),
        (xlsx({"S": "<sheetData/>"}), "x", "spreadsheet"),
        (odf("spreadsheet", ""), "x.odt", "spreadsheet"),
        (odf("text", ""), "x.zip", "odf"),
        (epub({"a.xhtml": "x"}), "x.zip", "epub"),
        (COMPOUND + wide("WordDocument"), "old.doc", "docx"),
        (COMPOUND + wide("EncryptedPackage"), "secret.docx", "docx"),
        (COMPOUND + wide("EncryptedPackage"), "secret.pptx", "pptx"),
        (COMPOUND + wide("Workbook") + wide("WordDocument"), "table.xls", "spreadsheet"),
        (COMPOUND + wide("PowerPoint Document"), "talk.ppt", "pptx"),
        (b"PK\x03\x04" + b"\0" * 100, "cut.docx", "docx"),
    ],
)
def test_content_decides_and_the_name_breaks_ties(head, name, loader):
    registry = Registry(guests=False)
    scores = {
        one: registry.load("loader", one)().suits(head[:65_536], name)
        for one in ("docx", "pptx", "spreadsheet", "odf", "epub")
    }
    assert max(scores, key=lambda one: scores[one]) == loader
    assert scores[loader] >= 0.5
