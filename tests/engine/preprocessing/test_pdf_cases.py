"""Pages of the case list (docs/cases.md) that are built piece by piece: fonts, columns in doubt, a million strokes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pymupdf
import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.preprocessing.loaders.pdf import PdfLoader
from trisynapse_memory.preprocessing.sandbox import LoadedPage, Sandbox
from trisynapse_memory.text.spans import find_quote
from trisynapse_memory.types import Page, PageVerdict


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    made = Sandbox(Config())
    yield made
    made.close()


def first_page(document: pymupdf.Document, tmp_path: Path) -> Page:
    document.save(tmp_path / "x.pdf")
    opened = PdfLoader().open(tmp_path / "x.pdf")
    page, _ = next(iter(opened.pages(1)))
    opened.close()
    return page


def page_of(lines: Sequence[tuple[float, float, str]]) -> pymupdf.Document:
    document = pymupdf.open()
    page = document.new_page()
    for x, y, text in lines:
        page.insert_text((x, y), text, fontsize=11)
    return document


def test_r1_glyphs_that_are_only_named_as_ligatures_are_read_as_their_letters(tmp_path: Path):
    document = pymupdf.open()
    drawn = document.new_page()
    font = document.get_new_xref()
    names = "<</Type/Encoding/Differences[1/f_i/f_f_i/fi/ffi]>>"
    document.update_object(font, f"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding{names}>>")
    stream = document.get_new_xref()
    document.update_object(stream, "<<>>")
    document.update_stream(
        stream, b"BT /F1 12 Tf 72 700 Td (An e\002cient way to de\001ne, e\004cient, de\003ne) Tj ET"
    )
    drawn.set_contents(stream)
    document.xref_set_key(drawn.xref, "Resources", f"<</Font<</F1 {font} 0 R>>>>")
    page = first_page(document, tmp_path)
    assert page.verdict is PageVerdict.OK
    assert len(find_quote(page.text, "efficient")) == 2
    assert len(find_quote(page.text, "define")) == 2


def test_r3_where_cells_and_columns_cannot_be_told_apart_the_page_says_so(tmp_path: Path):
    words = "light mirror river stone lamp wheel glass water sound wind".split()
    rows = [
        (x, 90 + 16 * row, f"{words[row % 10]} {words[(row + shift) % 10]} of {words[(3 * row + shift) % 10]}")
        for row in range(36)
        for x, shift in ((72, 1), (330, 4))
    ]
    page = first_page(page_of(rows), tmp_path)
    assert page.verdict is PageVerdict.ORDER_UNCERTAIN
    assert page.note == "The reading order of this page is uncertain."
    assert sorted(page.text.replace(" | ", " ").split()) == sorted(" ".join(text for _, _, text in rows).split())


def test_r11_a_million_strokes_on_a_page_cost_no_more_than_its_budget(sandbox: Sandbox, tmp_path: Path):
    path = tmp_path / "strokes.pdf"
    with pymupdf.open() as document:
        for text in ("Words under all of the strokes.", "The next page."):
            document.new_page().insert_text((72, 100), text)
        stream = document[0].get_contents()[0]
        strokes = b"".join(b"%d %d m %d %d l S\n" % (n % 600, n % 800, 7 * n % 600, 3 * n % 800) for n in range(10**6))
        document.update_stream(stream, document.xref_stream(stream) + b"\n" + strokes)
        document.save(path)
    found = [part.page.verdict for part in sandbox.load(path, "pdf") if isinstance(part, LoadedPage)]
    assert found[0] in ("ok", "timed-out")
    assert found[1:] == ["ok"]
