"""What a PDF states of itself, held against its first page (case R33)."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from trisynapse_memory.preprocessing.loaders.pdf import PdfLoader
from trisynapse_memory.preprocessing.pdf.metadata import FrontPage, check_stated, plain_title, read_stated
from trisynapse_memory.types import Heading, Page

TITLE = "The Memory of Rivers"
BODY = "A sentence of the body, long enough to be its size, which says nothing of importance to anybody. " * 2


def paper(*extra: str, metadata: dict[str, str] | None = None, packet: str = "") -> pymupdf.Document:
    """A first page with a title, two authors, an abstract and some lines at its foot."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), TITLE, fontsize=22)
    page.insert_text((72, 130), "Ada Lovelace1, Mary van der Somerville1,2 and Charles Babbage*", fontsize=11)
    page.insert_text((72, 150), "University of London", fontsize=11)
    page.insert_text((72, 190), "Abstract", fontsize=12, fontname="hebo")
    page.insert_textbox((72, 210, 520, 400), BODY, fontsize=10)
    for row, line in enumerate(extra):
        page.insert_text((72, 420 + 14 * row), line, fontsize=10)
    document.set_metadata(metadata or {})
    if packet:
        document.set_xml_metadata(packet)
    return document


def heading_of(document: pymupdf.Document, tmp_path: Path) -> tuple[Heading, Page]:
    document.save(tmp_path / "x.pdf")
    opened = PdfLoader().open(tmp_path / "x.pdf")
    page, _ = next(opened.pages(1))
    opened.close()
    return opened.heading, page


def test_a_paper_says_its_title_its_authors_and_its_doi_without_any_metadata(tmp_path: Path):
    heading, page = heading_of(paper("https://doi.org/10.1000/Rivers.7"), tmp_path)
    assert heading.title == TITLE
    assert heading.authors == ("Ada Lovelace", "Mary van der Somerville", "Charles Babbage")
    assert heading.identifiers == {"doi": "10.1000/rivers.7"}
    assert page.note == ""


def test_r33_a_doi_that_the_page_does_not_bear_out_is_told_and_not_taken(tmp_path: Path):
    packet = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><prism:doi>10.9999/foreign</prism:doi></x:xmpmeta>"
    heading, page = heading_of(paper(packet=packet), tmp_path)
    assert heading.identifiers == {}
    assert "metadata-unconfirmed" in page.flags
    assert "10.9999/foreign" in page.note
    assert page.verdict == "ok"


def test_r33_the_doi_of_the_page_wins_over_that_of_the_metadata(tmp_path: Path):
    document = paper("doi:10.1000/rivers.7", metadata={"subject": "doi:10.9999/foreign"})
    heading, page = heading_of(document, tmp_path)
    assert heading.identifiers == {"doi": "10.1000/rivers.7"}
    assert "10.9999/foreign" in page.note


def test_a_doi_of_the_metadata_that_stands_on_the_page_is_chosen_among_several(tmp_path: Path):
    lines = ("As said in 10.1000/another.1, this is", "continued in 10.1000/rivers.7 for everyone.")
    heading, page = heading_of(paper(*lines, metadata={"keywords": "10.1000/RIVERS.7"}), tmp_path)
    assert heading.identifiers == {"doi": "10.1000/rivers.7"}
    assert page.note == ""
    heading, _ = heading_of(paper(*lines), tmp_path)
    assert "doi" not in heading.identifiers


def test_r33_a_title_that_the_page_does_not_show_gives_way_to_the_one_it_shows(tmp_path: Path):
    document = paper(metadata={"title": "Quarterly Figures of a Steel Company", "author": "Ada Lovelace"})
    heading, page = heading_of(document, tmp_path)
    assert heading.title == TITLE
    assert "Quarterly Figures" in page.note
    document = paper(metadata={"title": "The Memory of Rivers"})
    heading, page = heading_of(document, tmp_path)
    assert heading.title == TITLE
    assert page.flags == ()


def test_authors_of_the_metadata_count_where_the_page_names_them(tmp_path: Path):
    heading, _ = heading_of(paper(metadata={"author": "Ada Lovelace; Charles Babbage"}), tmp_path)
    assert heading.authors == ("Ada Lovelace", "Charles Babbage")
    heading, _ = heading_of(paper(metadata={"author": "Office User"}), tmp_path)
    assert heading.authors == ("Ada Lovelace", "Mary van der Somerville", "Charles Babbage")


def test_the_stamp_of_arxiv_gives_id_and_day(tmp_path: Path):
    document = paper("as in arXiv:1706.03762 and others")
    document[0].insert_text((30, 600), "arXiv:2005.11401v4  [cs.CL]  12 Apr 2021", fontsize=18, rotate=90)
    heading, _ = heading_of(document, tmp_path)
    assert heading.identifiers == {"arxiv": "2005.11401"}
    assert heading.published == "2021-04-12"
    heading, _ = heading_of(paper("as in arXiv:1706.03762 and others"), tmp_path)
    assert heading.identifiers == {}


def front(text: str, largest: str = TITLE, masthead: str = "") -> FrontPage:
    return FrontPage(text=text, largest=largest, masthead=masthead, margins="")


def test_identifiers_of_the_reference_list_are_those_of_others():
    text = f"{TITLE}\n{BODY}\nReferences\n[1] A. Body. 10.1000/other.1"
    assert check_stated(read_stated({}, ""), front(text)).identifiers == {}


def test_titles_that_programs_leave_are_none():
    for title in ("untitled", "(anonymous)", "Microsoft Word - x.docx", "main.tex", "x.pdf", "Slide 1", "--", "abc"):
        assert read_stated({"title": title}, "").title == ""
    assert read_stated({"title": "On  Rivers"}, "").title == "On Rivers"


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("E\ufb03cient re-\ntrieval", "Efficient retrieval"),
        ("Well-\nKnown  Rivers", "Well- Known Rivers"),
        ("A title\nof two lines", "A title of two lines"),
    ],
)
def test_titles_are_written_on_one_line_with_whole_words(given: str, title: str):
    assert plain_title(given) == title


def test_names_that_nothing_parts_are_not_guessed():
    page = front(
        f"{TITLE}\nAbstract\n{BODY}", masthead="Ada Lovelace1, Mary Somerville2\nJan Leike Ilya Su Jeff Wu Al Bo\nLab"
    )
    assert check_stated(read_stated({}, ""), page).authors == ()


def test_a_page_that_is_no_paper_gives_no_authors():
    page = front(f"{TITLE}\n{BODY}", masthead="Committee On Rivers")
    assert check_stated(read_stated({}, ""), page).authors == ()


def test_a_scan_without_text_contradicts_nothing():
    stated = read_stated({"title": "Stated Title", "author": "A. Person", "subject": "10.1000/x"}, "")
    checked = check_stated(stated, front("", largest=""))
    assert (checked.title, checked.authors, checked.identifiers, checked.doubt) == (
        "Stated Title",
        ("A. Person",),
        {},
        "",
    )
