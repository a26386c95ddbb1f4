"""A book written by hand in, its chapters in reading order out."""

from __future__ import annotations

import pytest

from tests.engine.preprocessing.office.office_files import epub
from tests.engine.preprocessing.office.reading import reader
from trisynapse_memory.errors import SourceDamagedError, SourceUnsupportedError
from trisynapse_memory.types import PageVerdict


@pytest.fixture
def read(tmp_path):
    return reader("epub", ".epub", tmp_path)


def point(title, target, inner=""):
    return f'<navPoint><navLabel><text>{title}</text></navLabel><content src="{target}"/>{inner}</navPoint>'


def test_a_chapter_is_a_page_under_its_title(read):
    nav = '<li><span>Part one</span><ol><li><a href="b.xhtml#x">The second</a></li></ol></li>'
    found = read(epub({"a.xhtml": "<h1>The first</h1><p>One.</p>", "b.xhtml": "<p>Two.</p>"}, nav=nav))
    assert [page.label for page in found.pages] == ["", "The second"]
    assert found.section("One.").path == ("The first",)
    assert found.section("Two.").path == ("Part one", "The second")
    assert found.section("Two.").locator.kind == "section"


def test_titles_of_older_books_come_from_the_ncx(read):
    ncx = point("Part one", "a.xhtml", point("Inside", "b.xhtml"))
    found = read(epub({"a.xhtml": "<p>One.</p>", "b.xhtml": "<p>Two.</p>"}, ncx=ncx))
    assert found.section("One.").path == ("Part one",)
    assert found.section("Two.").path == ("Part one", "Inside")


def test_names_of_html_are_letters_and_an_empty_title_swallows_nothing(read):
    assert read(epub({"a.xhtml": "<p>caf&eacute;&nbsp;&amp; 1 &lt; 2</p>"})).texts == ["café & 1 < 2"]


def test_a_raised_number_that_leads_to_a_note_is_no_letter_of_the_word(read):
    body = '<p>Weighed<a epub:type="noteref" href="#n"><sup>1</sup></a> twice.</p>'
    body += '<aside epub:type="footnote"><p>By whom.</p></aside>'
    assert read(epub({"a.xhtml": body})).texts == ["Weighed twice.", "By whom."]


def test_hidden_text_is_kept_apart(read):
    found = read(epub({"a.xhtml": '<p>Seen.</p><p style="display:none">Obey.</p>'}))
    assert (found.texts, found.hidden, found.pages[0].flags) == (["Seen."], "Obey.", ("hidden-text",))


def test_a_table_and_a_formula(read):
    math = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>a</mi></math>'
    body = f"<table><tr><th>Alloy</th><th>mg</th></tr><tr><td>A1</td><td>4.2</td></tr></table><p>With {math}.</p>"
    found = read(epub({"a.xhtml": body}))
    assert found.blocks[0] == ("table", "Alloy | mg\nA1 | 4.2")
    assert found.section("A1").locator.headers == ("Alloy", "mg")
    assert "a" in found.texts[1]


def test_markup_that_is_no_xml_is_read_as_browsers_do(read):
    found = read(epub({"a.xhtml": "<html><body><p>One<br>line<p>Two</body></html>"}))
    assert "\n".join(found.texts).split() == ["One", "line", "Two"]


def test_a_missing_chapter_costs_only_itself(read):
    content = epub({"a.xhtml": "<p>One.</p>", "gone.xhtml": "<p>x</p>"}, parts={"OEBPS/gone.xhtml": ""})
    found = read(content)
    assert [page.verdict for page in found.pages] == [PageVerdict.OK, PageVerdict.DAMAGED]


def test_a_page_of_pictures_says_so(read):
    (page,) = read(epub({"a.xhtml": '<div><img src="x.png"/></div>'})).pages
    assert (page.verdict, page.note) == (PageVerdict.IMAGE_ONLY, "1 picture and no words")


def test_a_long_chapter_is_cut_and_keeps_its_heading(read):
    found = read(
        epub({"a.xhtml": "<h1>Long</h1>" + "<p>Words and words and words.</p>" * 12_000, "b.xhtml": "<p>End.</p>"})
    )
    assert len(found.pages) > 4
    assert [page.number for page in found.pages] == list(range(1, len(found.pages) + 1))
    assert found.sections[-2][1].path == ("Long",)
    assert found.texts[-1] == "End."


def test_what_the_book_states_of_itself(read):
    metadata = (
        "<dc:title>Weighing</dc:title><dc:creator opf:role='aut'>Ann Lee</dc:creator>"
        "<dc:creator id='c2'>Bo Chen</dc:creator><meta refines='#c2' property='role'>edt</meta>"
        "<dc:language>de</dc:language><dc:date>2021</dc:date><dc:identifier>urn:isbn:9780306406157</dc:identifier>"
    )
    heading = read(epub({"a.xhtml": "<p>x</p>"}, metadata=metadata)).heading
    assert (heading.title, heading.authors, heading.language) == ("Weighing", ("Ann Lee",), "de")
    assert (heading.published, heading.identifiers) == ("2021", {"isbn": "9780306406157"})


def test_a_wrong_isbn_is_not_stated(read):
    metadata = "<dc:title>x</dc:title><dc:identifier>urn:isbn:9780306406158</dc:identifier>"
    assert read(epub({"a.xhtml": "<p>x</p>"}, metadata=metadata)).heading.identifiers == {}


def encryption(algorithm):
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
        f'<e:EncryptedData><e:EncryptionMethod Algorithm="{algorithm}"/></e:EncryptedData></encryption>'
    )


def test_a_book_with_digital_rights_is_refused_in_plain_words(read):
    parts = {"META-INF/encryption.xml": encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")}
    with pytest.raises(SourceUnsupportedError, match=r"file\.epub.*DRM"):
        read(epub({"a.xhtml": "<p>x</p>"}, parts=parts))


def test_scrambled_fonts_hide_no_text(read):
    parts = {"META-INF/encryption.xml": encryption("http://www.idpf.org/2008/embedding")}
    assert read(epub({"a.xhtml": "<p>x</p>"}, parts=parts)).texts == ["x"]


def test_a_book_without_chapters_is_damaged(read):
    with pytest.raises(SourceDamagedError, match=r"file\.epub"):
        read(epub({}))
