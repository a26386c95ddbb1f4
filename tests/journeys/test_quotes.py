"""Quads of quotes from real papers lie over the very words, as QtPdf sees it, which did not make them."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtPdf import QPdfDocument

from trisynapse_memory.config import Config
from trisynapse_memory.preprocessing.sandbox import LoadedPage, Sandbox
from trisynapse_memory.text.geometry import quads_for
from trisynapse_memory.text.spans import find_quote
from trisynapse_memory.types import Page, Quad

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ROOT.parent / "shared" / "data" / "papers" / "pdfs"
SAMPLE = ROOT / "resources" / "sample"
ASKED = json.loads((ROOT / "tests/corpora/paper_questions.json").read_text("utf-8"))["answerable"]
ASKED_OF_SAMPLE = json.loads((SAMPLE / "questions.json").read_text("utf-8"))["questions"]
SHOWN = [one for one in ASKED_OF_SAMPLE if one.get("evidence")]

pytestmark = [pytest.mark.journey, pytest.mark.timeout(300)]


def letters(text: str) -> str:
    """What two libraries must agree on: letters and digits, whatever else they make of ligatures and spaces."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


@pytest.fixture(scope="module")
def sandbox():
    reader = Sandbox(Config(), counter="")
    yield reader
    reader.close()


def page_of(sandbox: Sandbox, path: Path, number: int) -> Page:
    parts = sandbox.load(path, "pdf", start_page=number)
    return next(part.page for part in parts if isinstance(part, LoadedPage))


def displayed(quad: Quad, page: Page) -> list[tuple[float, float]]:
    """Turn the corners of a quad as the page is turned for display (clockwise, in points)."""
    corners = list(zip(quad[::2], quad[1::2], strict=True))
    turn = {
        0: lambda x, y: (x, y),
        90: lambda x, y: (page.height - y, x),
        180: lambda x, y: (page.width - x, page.height - y),
        270: lambda x, y: (y, page.width - x),
    }[page.rotation]
    return [turn(x, y) for x, y in corners]


def words_under(document: QPdfDocument, number: int, corners: list[tuple[float, float]]) -> str:
    """Return what QtPdf selects between the middles of a quad's short sides."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners
    left, right = ((ax + dx) / 2, (ay + dy) / 2), ((bx + cx) / 2, (by + cy) / 2)
    inset = 0.02
    start = QPointF(left[0] + inset * (right[0] - left[0]) / 10, left[1] + inset * (right[1] - left[1]) / 10)
    end = QPointF(right[0] - inset * (right[0] - left[0]) / 10, right[1] - inset * (right[1] - left[1]) / 10)
    return document.getSelection(number - 1, start, end).text()


@pytest.mark.skipif(not PAPERS.is_dir(), reason="the papers of ../shared/data are not here")
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked["id"])
def test_quads_of_a_quote_hold_its_words_and_no_other(qapp, sandbox, asked):
    path = PAPERS / asked["pdf"]
    page = page_of(sandbox, path, asked["page"])
    (start, end), *_ = find_quote(page.text, asked["quote"], ignore_case=True)
    document = QPdfDocument()
    document.load(str(path))
    quads = quads_for(page.layout, start, end)
    assert quads
    seen = "".join(words_under(document, asked["page"], displayed(quad, page)) for quad in quads)
    assert letters(seen) == letters(page.text[start:end])
    following = re.compile(r"\w+").search(page.text, end)
    wider = quads_for(page.layout, start, following.end() if following else end)
    seen = "".join(words_under(document, asked["page"], displayed(quad, page)) for quad in wider)
    assert letters(seen) != letters(page.text[start:end]), "a quad over one more word must be noticed"


@pytest.mark.parametrize("asked", SHOWN, ids=lambda one: one["question"][:30])
def test_the_sample_vaults_passages_are_found_where_the_start_page_says(qapp, sandbox, asked):
    for evidence in asked["evidence"]:
        path = SAMPLE / evidence["file"]
        if path.suffix != ".pdf":
            continue
        page = page_of(sandbox, path, evidence["page"])
        (start, end), *_ = find_quote(page.text, evidence["phrase"], ignore_case=True)
        document = QPdfDocument()
        document.load(str(path))
        quads = quads_for(page.layout, start, end)
        seen = "".join(words_under(document, evidence["page"], displayed(quad, page)) for quad in quads)
        assert letters(seen) == letters(evidence["phrase"])
