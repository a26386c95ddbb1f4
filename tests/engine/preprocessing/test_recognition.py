"""Words seen in a picture in, the page of a scan out: its text, its order, its verdict, and where each word lies."""

from __future__ import annotations

import shutil
import struct

import pymupdf
import pytest

from trisynapse_memory.contracts import SeenWord
from trisynapse_memory.preprocessing.loaders.pdf import PdfLoader
from trisynapse_memory.preprocessing.recognisers.rapid import RapidRecogniser
from trisynapse_memory.preprocessing.recognisers.tesseract import TesseractRecogniser
from trisynapse_memory.preprocessing.recognition import SIDE, Sheet, page_of, unread
from trisynapse_memory.text.geometry import quads_for
from trisynapse_memory.types import PageVerdict

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs tesseract-ocr")


def png(width, height):
    """The beginning of a PNG: all that is read of it is its size."""
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)


def line(number, text, left, top, *, confidence=0.9, wide=20, high=40):
    words = []
    for word in text.split():
        words.append(SeenWord(word, left, top, left + wide * len(word), top + high, number, confidence))
        left += wide * (len(word) + 1)
    return words


def test_words_become_text_and_geometry_in_points_of_the_page():
    sheet = Sheet(number=3, label="iii", width=600, height=800)
    words = [*line(0, "Sleep helps memory", 200, 200), *line(1, "in rodents too.", 200, 260)]
    page, sections = page_of(sheet, png(1200, 1600), words, "eye")
    assert page.text == "Sleep helps memory\nin rodents too."
    assert (page.number, page.label, page.verdict, page.method) == (3, "iii", PageVerdict.OCR, "ocr:eye")
    assert page.note == "read from the picture by eye, 90% sure"
    assert "".join(page.text[one.start : one.end] for one in sections).split() == page.text.split()
    start = page.text.index("memory")
    (quad,) = quads_for(page.layout, start, start + 6)
    # Pixels are half a point here: "memory" begins 12 characters of 20 pixels behind 200.
    assert quad[:2] == pytest.approx((220, 100), abs=0.1)
    assert quad[4:6] == pytest.approx((280, 120), abs=0.1)


def test_two_columns_are_read_one_after_the_other():
    left = [line(2 * n, f"left {n} is about sleep and", 100, 100 + 60 * n) for n in range(8)]
    right = [line(2 * n + 1, f"right {n} is about mice and", 1000, 100 + 60 * n) for n in range(8)]
    words = [word for pair in zip(left, right, strict=True) for row in pair for word in row]
    page, _ = page_of(Sheet(number=1, width=900, height=600), png(1800, 1200), words, "eye")
    assert page.text.index("left 7") < page.text.index("right 0")


def test_a_picture_without_words_stays_a_picture_and_says_that_it_was_looked_at():
    page, sections = page_of(Sheet(number=1, width=600, height=800), png(60, 80), [], "eye")
    assert (page.verdict, page.text, sections) == (PageVerdict.IMAGE_ONLY, "", ())
    assert page.note == "eye found no text in the picture"
    assert page.method.startswith("ocr")


def test_doubtful_words_are_said_to_be_doubtful_and_noise_is_dropped():
    sheet = Sheet(number=1, width=600, height=800)
    doubtful, _ = page_of(sheet, png(600, 800), line(0, "some blurred words", 10, 10, confidence=0.6), "eye")
    assert doubtful.verdict is PageVerdict.OCR
    assert doubtful.note.endswith("many letters may be wrong")
    garbled, _ = page_of(sheet, png(600, 800), line(0, "some blurred words", 10, 10, confidence=0.4), "eye")
    assert garbled.verdict is PageVerdict.GARBLED
    noise, _ = page_of(sheet, png(600, 800), line(0, "xq .,", 10, 10, confidence=0.1), "eye")
    assert noise.verdict is PageVerdict.IMAGE_ONLY


def test_an_image_without_a_size_of_its_own_counts_in_pixels():
    page, _ = page_of(Sheet(number=1), png(400, 300), line(0, "label", 40, 60), "eye")
    assert (page.width, page.height) == (400, 300)
    (quad,) = quads_for(page.layout, 0, 5)
    assert quad[:2] == pytest.approx((40, 60), abs=0.1)


def test_a_page_that_could_not_be_read_says_why():
    page = unread(Sheet(number=2, label="2", width=10, height=20, rotation=90), "eye", "could not be read: it died")
    assert (page.verdict, page.note, page.method) == (PageVerdict.IMAGE_ONLY, "could not be read: it died", "ocr:eye")


def scanned(rotation):
    """The same words as text and as a picture of it, on a page turned by so many degrees."""
    written = pymupdf.open()
    page = written.new_page(width=595, height=842) if rotation % 180 == 0 else written.new_page(width=842, height=595)
    page.insert_textbox(
        pymupdf.Rect(60, 60, page.rect.width - 60, 400), "Hippocampal replay consolidates memory.", fontsize=20
    )
    if rotation:
        # Written upright as shown: turned on the page, and the page turned back.
        page.clean_contents()
        shown = written.convert_to_pdf()
        inner = pymupdf.open("pdf", shown)
        written = pymupdf.open()
        page = written.new_page(width=595, height=842)
        page.show_pdf_page(page.rect, inner, 0, rotate=rotation)
        page.set_rotation(rotation)
    picture = page.get_pixmap(dpi=200)
    scan = pymupdf.open()
    sheet = scan.new_page(width=page.mediabox.width, height=page.mediabox.height)
    sheet.insert_image(sheet.rect, pixmap=picture, rotate=rotation)
    sheet.set_rotation(rotation)
    return written.tobytes(), scan.tobytes()


def read(path):
    document = PdfLoader().open(path)
    pages = list(document.pages(1))
    document.close()
    return pages


@needs_tesseract
@pytest.mark.real
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_place_of_a_word_on_a_turned_scan_is_that_of_the_same_word_in_text(rotation, tmp_path):
    (tmp_path / "text.pdf").write_bytes(scanned(rotation)[0])
    (tmp_path / "scan.pdf").write_bytes(scanned(rotation)[1])
    ((told, _),) = read(tmp_path / "text.pdf")
    ((pictured, _),) = read(tmp_path / "scan.pdf")
    assert pictured.verdict is PageVerdict.IMAGE_ONLY
    sheet = Sheet(number=1, width=pictured.width, height=pictured.height, rotation=pictured.rotation)
    scan = PdfLoader().open(tmp_path / "scan.pdf")
    picture = scan.draw(1, SIDE)
    scan.close()
    seen, _ = page_of(sheet, picture, TesseractRecogniser().recognise(picture), "tesseract")
    assert " ".join(seen.text.split()) == "Hippocampal replay consolidates memory."
    for word in ("Hippocampal", "consolidates"):
        boxes = []
        for page in (told, seen):
            start = page.text.index(word)
            (quad,) = quads_for(page.layout, start, start + len(word))
            boxes.append((min(quad[::2]), min(quad[1::2]), max(quad[::2]), max(quad[1::2])))
        # The glyph boxes of a font reach above and below the ink; the middle and the length of the word are the same.
        first, second = boxes
        assert (second[0] + second[2]) / 2 == pytest.approx((first[0] + first[2]) / 2, abs=6)
        assert (second[1] + second[3]) / 2 == pytest.approx((first[1] + first[3]) / 2, abs=6)


@needs_tesseract
@pytest.mark.real
def test_a_broken_picture_is_refused_in_words():
    from trisynapse_memory.errors import SourceDamagedError

    with pytest.raises(SourceDamagedError, match="cannot read this picture"):
        TesseractRecogniser().recognise(b"no picture at all")


def test_who_is_not_installed_says_what_to_install(monkeypatch):
    monkeypatch.setattr("trisynapse_memory.preprocessing.recognisers.tesseract.shutil.which", lambda name: None)
    assert "apt install tesseract-ocr" in TesseractRecogniser().obstacle()
    monkeypatch.setattr("trisynapse_memory.preprocessing.recognisers.rapid.find_spec", lambda name: None)
    assert "trisynapse-desktop[ocr]" in RapidRecogniser().obstacle()
