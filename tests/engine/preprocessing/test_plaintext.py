"""Plain text as others fall back on it: the reason stands on every page."""

from __future__ import annotations

from trisynapse_memory.preprocessing.paging import open_text
from trisynapse_memory.preprocessing.plaintext import TextDocument
from trisynapse_memory.types import Modality, PageVerdict


def pages(tmp_path, content, note=""):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    document = TextDocument(open_text(path), Modality.STRUCTURED, media_type="application/json", note=note)
    found = list(document.pages(1))
    document.close()
    return document.heading, found


def test_the_reason_and_the_kind_are_kept(tmp_path):
    heading, found = pages(tmp_path, b"{one\n\n" + b"more words\n\n" * 12_000, "not valid JSON at line 1")
    assert heading.media_type == "application/json"
    assert len(found) == heading.page_count > 1
    assert {page.note for page, _ in found} == {"not valid JSON at line 1"}
    assert {one.modality for _, sections in found for one in sections} == {Modality.STRUCTURED}


def test_doubts_about_letters_stand_beside_it(tmp_path):
    _, ((page, _),) = pages(tmp_path, ("ü é ñ ö Ä " * 9).encode() + b"\xff", "broken")
    assert page.note == "broken; read as utf-8; some letters may be wrong"
    assert page.flags == ("charset-doubtful",)


def test_verdicts_of_pages_without_words_say_why(tmp_path):
    _, ((page, _),) = pages(tmp_path, b" \n", "broken")
    assert (page.verdict, page.note) == (PageVerdict.EMPTY, "only white space")
    _, ((page, _),) = pages(tmp_path, "\ufffd\ufffd a".encode(), "broken")
    assert page.verdict is PageVerdict.GARBLED
