"""What a reader can see on a page, and what lies under it (case R12)."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from trisynapse_memory.preprocessing.loaders.pdf import PdfLoader
from trisynapse_memory.types import Page, PageVerdict


def read(document: pymupdf.Document, tmp_path: Path) -> Page:
    document.save(tmp_path / "x.pdf")
    opened = PdfLoader().open(tmp_path / "x.pdf")
    page, _ = next(opened.pages(1))
    opened.close()
    return page


def boxed(*boxes: tuple[float, float, float, float], even_odd: bool) -> pymupdf.Document:
    """Black text on boxes that are painted black before it, in one stroke of the brush."""
    document = pymupdf.open()
    page = document.new_page()
    shape = page.new_shape()
    for box in boxes:
        shape.draw_rect(box)
    shape.finish(fill=(0, 0, 0), even_odd=even_odd)
    shape.commit()
    page.insert_text((100, 200), "Black on what?", fontsize=11)
    return document


def test_text_inside_a_dark_frame_stands_on_no_ground(tmp_path: Path):
    page = read(boxed((40, 40, 500, 700), (60, 60, 480, 680), even_odd=True), tmp_path)
    assert (page.text, page.hidden_text, page.verdict) == ("Black on what?", "", PageVerdict.OK)


def test_black_text_on_the_side_of_a_black_frame_is_not_seen(tmp_path: Path):
    page = read(boxed((40, 40, 500, 700), (60, 250, 480, 680), even_odd=True), tmp_path)
    assert (page.text, page.hidden_text) == ("", "Black on what?")


@pytest.mark.parametrize(
    "boxes",
    [
        ((40, 40, 500, 700),),
        ((40, 40, 500, 300), (40, 400, 500, 700)),
        ((40, 40, 500, 700), (60, 60, 480, 680)),  # both turn the same way round: the inner one is no hole
    ],
)
def test_black_text_on_black_boxes_is_not_seen(boxes: tuple[tuple[float, float, float, float], ...], tmp_path: Path):
    page = read(boxed(*boxes, even_odd=False), tmp_path)
    assert (page.text, page.hidden_text, page.verdict) == ("", "Black on what?", PageVerdict.IMAGE_ONLY)
