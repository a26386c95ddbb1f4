"""Encrypted Office files open with their password, in memory; without it, and with a wrong one, they say so."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import msoffcrypto
import pptx
import pytest

from trisynapse_memory.errors import PasswordNeededError, SourceError, SourceUnsupportedError
from trisynapse_memory.preprocessing.loaders.docx import DocxLoader
from trisynapse_memory.preprocessing.loaders.pptx import PptxLoader
from trisynapse_memory.preprocessing.loaders.spreadsheet import SpreadsheetLoader
from trisynapse_memory.preprocessing.office.encryption import unlocked

WORDS = "The mirror turned 800 times a second."
PASSWORD = "Sesam-4711 öffne"
SHEET = """<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">
<c r="A1" t="inlineStr"><is><t>Turns</t></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>The mirror turned 800
times a second.</t></is></c></row></sheetData></worksheet>"""
PACKAGE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
BOOK = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{PACKAGE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{PACKAGE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/officeDocument"'
    ' Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    f' xmlns:r="{OFFICE}"><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/worksheet"'
    ' Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": SHEET,
}


def written(kind: str) -> BytesIO:
    content = BytesIO()
    if kind == "docx":
        document = docx.Document()
        document.add_paragraph(WORDS)
        document.save(content)
    elif kind == "pptx":
        show = pptx.Presentation()
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = WORDS
        show.save(content)
    else:
        with zipfile.ZipFile(content, "w") as package:
            for name, text in BOOK.items():
                package.writestr(name, text)
            # The library that writes these cannot encrypt less than 4 KiB.
            package.writestr("docProps/spare.txt", "spare " * 1_000)
    content.seek(0)
    return content


LOADERS = {"docx": DocxLoader, "pptx": PptxLoader, "xlsx": SpreadsheetLoader}


@pytest.fixture
def locked(tmp_path: Path):
    def lock(kind: str) -> Path:
        path = tmp_path / f"secret.{kind}"
        with path.open("wb") as stream:
            msoffcrypto.OfficeFile(written(kind)).encrypt(PASSWORD, stream)
        return path

    return lock


def text_of(loader: Any, path: Path, password: str | None) -> str:
    document = loader.open(path, password)
    try:
        return " ".join(" ".join(page.text for page, _ in document.pages(1)).split())
    finally:
        document.close()


@pytest.mark.parametrize("kind", LOADERS)
def test_the_right_password_opens_it_and_nothing_is_written(locked, kind, tmp_path):
    path = locked(kind)
    loader = LOADERS[kind]()
    assert loader.suits(path.read_bytes()[:65_536], path.name) > 0
    assert WORDS in text_of(loader, path, PASSWORD)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", LOADERS)
@pytest.mark.parametrize(
    ("password", "said"), [(None, "needs a password"), ("", "needs a"), ("wrong", "does not open")]
)
def test_without_it_and_with_a_wrong_one_it_says_so(locked, kind, password, said):
    with pytest.raises(PasswordNeededError, match=said) as caught:
        LOADERS[kind]().open(locked(kind), password)
    assert "wrong" not in str(caught.value) + caught.value.hint
    assert caught.value.__cause__ is None


def test_a_password_that_is_not_needed_changes_nothing(tmp_path):
    path = tmp_path / "open.docx"
    path.write_bytes(written("docx").getvalue())
    assert WORDS in text_of(DocxLoader(), path, PASSWORD)


def test_a_damaged_one_is_said_to_be(locked):
    path = locked("docx")
    whole = path.read_bytes()
    for cut in (600, 1500, 4000, len(whole) // 2):
        path.write_bytes(whole[:cut])
        with pytest.raises(SourceError):
            unlocked(path, "secret.docx", PASSWORD)
    path.write_bytes(whole[:512] + bytes(len(whole) - 512))
    with pytest.raises(SourceUnsupportedError, match="damaged"):
        unlocked(path, "secret.docx", PASSWORD)
