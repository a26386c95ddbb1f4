"""Pages that hold pictures and no words in, one picture to read them from out."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from tests.engine.preprocessing.office.office_files import docx, epub, p, pptx, slide
from trisynapse_memory.contracts import Drawable
from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.office import pictures
from trisynapse_memory.registry import Registry

REGISTRY = Registry(guests=False)


def png(width, height, colour="black"):
    out = io.BytesIO()
    Image.new("RGBA", (width, height), colour).save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def drawn(tmp_path):
    def draw(content, loader, number=1, side=1000):
        path = tmp_path / "file"
        path.write_bytes(content)
        document = REGISTRY.load("loader", loader)().open(path)
        try:
            assert isinstance(document, Drawable)
            return Image.open(io.BytesIO(document.draw(number, side)))
        finally:
            document.close()

    return draw


def scans(*contents):
    """A document of pictures."""
    body = "".join(
        f'<w:p><w:r><w:drawing><a:blip r:embed="i{n}"/></w:drawing></w:r></w:p>' for n in range(len(contents))
    )
    parts = {f"word/media/{n}.png": content for n, content in enumerate(contents)}
    return docx(body, parts=parts, arrows={f"i{n}": ("image", f"media/{n}.png") for n in range(len(contents))})


def test_the_pictures_of_a_document_stand_below_each_other(drawn):
    sheet = drawn(scans(png(300, 100, "red"), png(200, 100, "blue")), "docx")
    assert sheet.size == (300, 220)
    assert [sheet.getpixel(place) for place in ((5, 5), (5, 125), (250, 150))] == [
        (255, 0, 0), (0, 0, 255), (255, 255, 255),
    ]  # fmt: skip


def test_what_is_clear_is_white(drawn):
    assert drawn(scans(png(50, 50, (0, 0, 0, 0))), "docx").getpixel((5, 5)) == (255, 255, 255)


def test_a_large_picture_is_made_smaller(drawn):
    assert max(drawn(scans(png(3000, 1500)), "docx", side=600).size) == 600


def test_ornaments_and_what_cannot_be_decoded_are_left_out(drawn, monkeypatch):
    assert drawn(scans(png(300, 300), png(20, 20), b"\x01\0\0\0 EMF"), "docx").size == (300, 300)
    monkeypatch.setattr(pictures, "PIXELS_MAX", 1000)
    with pytest.raises(SourceDamagedError):
        drawn(scans(png(300, 300)), "docx")


def test_a_slide_is_drawn_from_its_own_pictures(drawn):
    picture = '<p:pic><p:nvPicPr/><p:blipFill><a:blip r:embed="i"/></p:blipFill><p:spPr/></p:pic>'
    content = pptx(
        [slide(""), slide(picture)],
        arrows={2: {"i": ("image", "../media/a.png")}},
        parts={"ppt/media/a.png": png(40, 30)},
    )
    assert drawn(content, "pptx", 2).size == (40, 30)
    for number in (1, 3):
        with pytest.raises(SourceDamagedError):
            drawn(content, "pptx", number)


def test_a_chapter_is_drawn_from_its_own_pictures(drawn):
    chapters = {"a.xhtml": "<p>Words.</p>", "b.xhtml": '<img src="img/x.png"/><img src="data:image/png;base64,AA"/>'}
    content = epub(chapters, parts={"OEBPS/img/x.png": png(40, 30)})
    assert drawn(content, "epub", 2).size == (40, 30)
    with pytest.raises(SourceDamagedError):
        drawn(content, "epub", 1)


def test_a_page_that_is_not_there_is_not_drawn(drawn):
    with pytest.raises(SourceDamagedError):
        drawn(docx(p("Words.")), "docx", 2)
