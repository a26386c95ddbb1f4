"""A page is drawn in a child, as a reader sees it; what cannot be drawn says so."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.errors import SourceDamagedError, SourceMissingError, SourceUnsupportedError
from trisynapse_memory.preprocessing.sandbox import DrawWorker

pytestmark = pytest.mark.timeout(110)


@pytest.fixture(scope="module")
def worker() -> Iterator[DrawWorker]:
    made = DrawWorker(Config())
    yield made
    made.close()


def pdf(folder: Path, *, width: float, height: float, rotation: int = 0) -> Path:
    document = pymupdf.open()
    page = document.new_page(width=width, height=height)
    page.draw_rect(pymupdf.Rect(0, 0, width / 2, height / 2), fill=(1, 0, 0), color=None)
    page.set_rotation(rotation)
    path = folder / "page.pdf"
    document.save(path)
    return path


def size_of(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


@pytest.mark.parametrize(
    ("width", "height", "rotation", "drawn"),
    [(600, 300, 0, (1024, 512)), (600, 300, 90, (512, 1024)), (6000, 3000, 0, (1024, 512)), (60, 30, 0, (1024, 512))],
)
def test_the_longer_side_is_as_asked_whatever_the_page_measures(
    worker: DrawWorker, tmp_path: Path, width: float, height: float, rotation: int, drawn: tuple[int, int]
):
    path = pdf(tmp_path, width=width, height=height, rotation=rotation)
    assert size_of(worker.draw(path, "pdf", 1, 1024)) == drawn


def test_the_picture_shows_the_page_turned_as_a_reader_sees_it(worker: DrawWorker, tmp_path: Path):
    path = pdf(tmp_path, width=600, height=300, rotation=90)
    shown = pymupdf.Pixmap(worker.draw(path, "pdf", 1, 64))
    assert shown.pixel(shown.width - 2, 1) == (255, 0, 0)
    assert shown.pixel(1, shown.height - 2) == (255, 255, 255)


def test_what_cannot_be_drawn_is_told_and_the_worker_goes_on(worker: DrawWorker, tmp_path: Path):
    path = pdf(tmp_path, width=600, height=300)
    text = tmp_path / "note.txt"
    text.write_text("No picture of this.")
    with pytest.raises(SourceDamagedError):
        worker.draw(path, "pdf", 2, 64)
    with pytest.raises(SourceUnsupportedError):
        worker.draw(text, "text", 1, 64)
    with pytest.raises(SourceMissingError):
        worker.draw(tmp_path / "gone.pdf", "pdf", 1, 64)
    assert size_of(worker.draw(path, "pdf", 1, 64)) == (64, 32)
