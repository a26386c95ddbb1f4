"""Pages that a browser saved as one file are read like the pages they are."""

from __future__ import annotations

import plistlib

import pytest

from trisynapse_memory.errors import SourceError
from trisynapse_memory.preprocessing.hypertext.saved import is_saved_page, page_inside
from trisynapse_memory.preprocessing.loaders.html import HtmlLoader

PAGE = "<html><head><title>Vögel</title></head><body><p>Vögel singen am Morgen, alle.</p></body></html>"
MHTML = (
    b"From: <Saved by Blink>\nSnapshot-Content-Location: https://a.example/\nSubject: Birds\nMIME-Version: 1.0\n"
    b'Content-Type: multipart/related;\n\ttype="text/html";\n\tboundary="xx"\n\n--xx\nContent-Type: text/html\n'
    b"Content-Transfer-Encoding: quoted-printable\nContent-Location: https://a.example/\n\n"
    b'<html><head><meta charset=3D"utf-8"><title>V=C3=B6gel</title></head><body><p>V=C3=B6gel singen am Morgen=\n'
    b", alle.</p></body></html>\n--xx\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBO\n--xx--\n"
)
ARCHIVE = plistlib.dumps(
    {"WebMainResource": {"WebResourceData": PAGE.encode("utf-16"), "WebResourceTextEncodingName": "UTF-16"}},
    fmt=plistlib.FMT_BINARY,
)


@pytest.mark.parametrize(("content", "name"), [(MHTML, "birds.mhtml"), (ARCHIVE, "birds.webarchive")])
def test_the_page_inside_is_read(tmp_path, content, name):
    assert HtmlLoader().suits(content[:65_536], name) == 0.97
    path = tmp_path / name
    path.write_bytes(content)
    document = HtmlLoader().open(path)
    ((page, _),) = document.pages(1)
    assert document.heading.title == "Vögel"
    assert page.text == "Vögel singen am Morgen, alle."


def test_a_mail_with_pictures_is_no_saved_page():
    mail = MHTML.replace(b"<Saved by Blink>", b"ann@a.example").replace(b"Snapshot-Content-Location", b"X-Other")
    assert not is_saved_page(mail, ".eml")


@pytest.mark.parametrize("content", [ARCHIVE[:60], b"bplist00" + b"\xff" * 64, MHTML[:260]])
def test_a_damaged_one_is_refused(tmp_path, content):
    assert page_inside(content) is None
    path = tmp_path / "birds.mhtml"
    path.write_bytes(content)
    with pytest.raises(SourceError):
        HtmlLoader().open(path)
