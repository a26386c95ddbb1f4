"""Rich text written by hand in, what a reader of it sees out."""

from __future__ import annotations

import pytest

from tests.engine.preprocessing.office.reading import reader
from trisynapse_memory.errors import SourceUnsupportedError
from trisynapse_memory.preprocessing.loaders.rtf import RtfLoader

FONTS = (
    rb"{\fonttbl{\f0\fnil\fcharset0 Arial;}{\f1\fnil\fcharset204 Arial;}{\f2\fnil\fcharset2 Symbol;}"
    rb"{\f3\fnil\fcharset128 Gothic;}}"
)
STYLES = rb"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 Kop;}{\s2 heading 2;}{\s3 Title;}{\*\cs10 x;}}"


@pytest.fixture
def read(tmp_path):
    read_bytes = reader("rtf", ".rtf", tmp_path)
    return lambda body, name="file": read_bytes(rb"{\rtf1\ansi\ansicpg1252\deff0" + FONTS + STYLES + body + b"}", name)


def test_letters_of_all_code_pages(read):
    body = rb"Caf\'e9 \u8364?5 {\f1 \'cf\'f0\'e8}{\f3 \'93\'fa\'96\'7b} {\f2 a} \u-10179?\u-8704? \{\}\\\~x\_y\-z\par"
    assert read(body).texts == ["Café €5 При日本 α 😀 {}\\ x\u2011yz"]


def test_half_a_character_is_a_sign_that_one_is_missing(read):
    found = read(rb"{\info{\title A \u-10179? half}}A\u-10179?B \u-8704?.\par")
    assert found.texts == ["A\ufffdB \ufffd."]
    assert found.heading.title == "A \ufffd half"


def test_letters_behind_a_unicode_character_are_skipped_as_told(read):
    assert read(rb"{\uc2 A\u8364xyB}\uc0 C\u233D\par").texts == ["A€BCéD"]


def test_headings_by_outline_level_and_by_style(read):
    found = read(rb"\pard\s3 Report\par\pard\s1 One\par\pard\s2 Two\par\pard\outlinelevel2 Three\par\pard Words.\par")
    assert [kind for kind, _ in found.blocks] == ["heading"] * 4 + ["body"]
    assert found.section("Words.").path == ("One", "Two", "Three")
    assert found.heading.title == "Report"


def test_hidden_text_is_kept_apart_and_deleted_text_is_not_read(read):
    found = read(rb"Seen {\v obey} and{\deleted  gone} more.\par")
    assert (found.texts, found.hidden) == (["Seen and more."], "obey")


def test_fields_show_their_result(read):
    assert read(rb'{\field{\*\fldinst HYPERLINK "http://x.example"}{\fldrslt the page}}.\par').texts == ["the page."]


def test_a_table_with_its_headers(read):
    head = rb"\trowd\trhdr\cellx1\cellx2\pard\intbl Alloy\cell mg\cell\row"
    line = rb"\trowd\cellx1\cellx2\pard\intbl A1\cell 4.2\par twice\cell\row\pard After.\par"
    found = read(head + line)
    assert found.blocks == [("table", "Alloy | mg\nA1 | 4.2 twice"), ("body", "After.")]
    assert found.section("A1").locator.headers == ("Alloy", "mg")


def test_a_table_at_the_end_is_not_lost(read):
    assert read(rb"\trowd\pard\intbl A\cell B\cell\row\trowd\pard\intbl 1\cell 2\cell\row").texts == ["A | B\n1 | 2"]


def test_lists_keep_their_marks(read):
    body = rb"\pard{\listtext 1.\tab}one\par{\listtext 2.\tab}two\par\pard\ilvl1{\listtext\'b7\tab}dot\par"
    assert read(body).texts == ["1. one", "2. two", "  - dot"]


def test_a_note_follows_its_paragraph_also_with_groups_inside(read):
    body = rb"Told{\super\chftn{\footnote\pard {\b By} whom.}} here.\par"
    body += rb" After.{\*\annotation Sure?}\par{\header Draft\par}"
    assert read(body).blocks == [
        ("margin", "Draft"),
        ("body", "Told here."),
        ("body", "[1] By whom."),
        ("body", "After."),
        ("margin", "Sure?"),
    ]


def test_a_text_box_is_read_and_its_picture_is_not(read):
    body = rb"Anchor.{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt \pard In the box.\par}}{\shprslt twice}}\par"
    assert read(body).texts == ["Anchor.", "In the box."]


def test_pictures_are_passed_over(read):
    found = read(rb"A{\pict\wmetafile8 0102ff}{\pict\bin5 }}{\\x}B{\*\unknown skip}\par")
    assert found.texts == ["AB"]
    assert found.pages[0].note == "2 pictures, not read"


def test_raised_digits_behind_digits_are_a_power(read):
    assert read(rb"10{\super -4} m{\super 2}\par").texts == ["10^-4 m2"]


def test_what_the_file_states_of_itself(read):
    info = rb"{\info{\title A note on alloys}{\author Ann Lee}{\creatim\yr2020\mo1\dy2}{\revtim\yr2021\mo3\dy4\hr5}}"
    heading = read(info + rb"Words.\par").heading
    assert (heading.title, heading.authors, heading.published) == ("A note on alloys", ("Ann Lee",), "2021-03-04")


def test_groups_without_end_and_ends_without_group_cost_nothing(read):
    assert read(rb"One.\par}}}} Two.\par").texts == ["One.", "Two."]
    assert read(b"{" * 50_000 + rb"Deep.\par", "deep").texts == ["Deep."]


def test_what_is_no_rich_text_is_refused(tmp_path):
    with pytest.raises(SourceUnsupportedError, match=r"file\.rtf"):
        reader("rtf", ".rtf", tmp_path)(b"plain words")


def test_content_decides(read):
    assert RtfLoader().suits(rb"{\rtf1 x}", "note.doc") == 0.95
    assert RtfLoader().suits(b"plain", "note.rtf") == 0.0
