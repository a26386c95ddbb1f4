"""Image files in, pages that wait to be read out: upright, with their size in points, and never a crash."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from trisynapse_memory.errors import SourceDamagedError, SourceTooLargeError
from trisynapse_memory.preprocessing.loaders.image import ImageLoader
from trisynapse_memory.types import PageVerdict


def image(kind="PNG", size=(40, 20), **options):
    out = io.BytesIO()
    Image.new("RGB", size, "white").save(out, kind, **options)
    return out.getvalue()


def opened(tmp_path, content, name="picture"):
    path = tmp_path / name
    path.write_bytes(content)
    return ImageLoader().open(path)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "TIFF", "WEBP"])
def test_each_kind_is_known_by_its_content_and_waits_for_ocr(tmp_path, kind):
    content = image(kind)
    assert ImageLoader().suits(content, "scan.pdf") == 1.0
    document = opened(tmp_path, content)
    ((page, sections),) = document.pages(1)
    assert (page.verdict, page.text, sections) == (PageVerdict.IMAGE_ONLY, "", ())
    assert document.heading.media_type == f"image/{kind.lower()}"
    assert Image.open(io.BytesIO(document.draw(1, 1000))).size == (40, 20)


def test_two_letters_are_no_bitmap():
    assert ImageLoader().suits(b"BMW builds cars.", "cars.txt") == 0.0
    assert ImageLoader().suits(image("BMP"), "scan.bmp") == 1.0


def test_a_tiff_of_three_pages_has_three_and_an_animation_one(tmp_path):
    frames = [Image.new("RGB", (30, 30), colour) for colour in ("red", "green", "blue")]
    for kind, count in (("TIFF", 3), ("GIF", 1)):
        out = io.BytesIO()
        frames[0].save(out, kind, save_all=True, append_images=frames[1:])
        document = opened(tmp_path, out.getvalue(), f"pages.{kind}")
        assert [page.number for page, _ in document.pages(1)] == list(range(1, count + 1))
    document = opened(tmp_path, (tmp_path / "pages.TIFF").read_bytes())
    assert [page.number for page, _ in document.pages(3)] == [3]
    assert Image.open(io.BytesIO(document.draw(3, 30))).getpixel((5, 5)) == (0, 0, 255)


def test_a_photo_taken_sideways_is_drawn_upright_and_knows_its_day_and_its_artist(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x013B] = "Rosalind Franklin"
    exif[0x010E] = "Photograph 51"
    exif.get_ifd(0x8769)[0x9003] = "1952:05:06 10:20:30"
    document = opened(tmp_path, image("JPEG", exif=exif, dpi=(144, 144)))
    ((page, _),) = document.pages(1)
    assert (page.width, page.height) == (10, 20)  # 20 x 40 pixels at 144 to the inch
    assert Image.open(io.BytesIO(document.draw(1, 100))).size == (20, 40)
    assert document.heading.published == "1952-05-06"
    assert (document.heading.title, document.heading.authors) == ("Photograph 51", ("Rosalind Franklin",))


def test_what_is_no_picture_or_too_large_a_one_is_refused_in_words(tmp_path, monkeypatch):
    with pytest.raises(SourceDamagedError, match="cannot be read as a picture"):
        opened(tmp_path, image()[:20])
    monkeypatch.setattr("trisynapse_memory.preprocessing.loaders.image.MAX_PIXELS", 100)
    with pytest.raises(SourceTooLargeError, match="40 x 20 pixels"):
        opened(tmp_path, image())


def test_a_picture_whose_end_is_missing_keeps_its_page_and_cannot_be_drawn(tmp_path):
    content = image("PNG", size=(400, 400))
    document = opened(tmp_path, content[: len(content) // 2])
    assert len(list(document.pages(1))) == 1
    with pytest.raises(SourceDamagedError, match="cannot be decoded"):
        document.draw(1, 400)
