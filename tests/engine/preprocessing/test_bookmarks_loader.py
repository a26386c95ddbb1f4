"""Bookmark files as browsers write them: unclosed, nested, escaped twice (R22), with duplicates (R23)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trisynapse_memory.errors import SourceDamagedError, SourceEmptyError
from trisynapse_memory.preprocessing.bookmarking.entries import MAX_FOLDERS
from trisynapse_memory.preprocessing.loaders.bookmarks import BookmarksLoader

SIGN = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
FILE = (
    SIGN
    + """<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE><H1>My bookmarks</H1>
<DL><p>
  <DT><H3 ADD_DATE="1" LAST_MODIFIED="2">Science <b>Papers</H3>
  <DD>what I read
  <DL><p>
    <DT><A HREF="http://example.org/s?a=1&b=2&copy=3&lang=en" ADD_DATE="1700000000"
      TAGS="memory, recall,memory">Q &amp;amp; A</A>
    <DD>On <i>remembering</i>
      over two lines
    <HR>
    <DT><A HREF="javascript:alert(1)" ADD_DATE="5">A script
    <DT><H3>Deep</H3>
    <DL><p>
      <DT><A HREF="https://deep.example/x">Deep one</A>
    </DL><p>
    <DT><A HREF="https://after.example/">After the folder</A>
  </DL><p>
  <DT><A HREF="place:sort=8&maxResults=10">Most visited</A>
  <DT><A HREF="https://www.example.org/s?a=1&b=2&copy=3&lang=en#top">Again</A>
  <DT><A HREF="">Nothing</A>
  <DT><A HREF="/relative">Relative</A>
  <DT><A HREF="https://untitled.example/p"></A>
</DL>
"""
)


def members(tmp_path, html):
    path = tmp_path / "bookmarks.html"
    path.write_bytes(html.encode() if isinstance(html, str) else html)
    document = BookmarksLoader().open(path)
    found = list(document.members())
    document.close()
    return found


def entry(**attributes):
    inside = " ".join(f'{name.upper()}="{value}"' for name, value in attributes.items())
    return f"{SIGN}<DL><p><DT><A {inside}>T</A></DL>"


def test_the_tree_of_folders_is_kept(tmp_path):
    found = {one.title: one.path for one in members(tmp_path, FILE)}
    assert found == {
        "Q & A": ("Science Papers",),
        "A script": ("Science Papers",),
        "Deep one": ("Science Papers", "Deep"),
        "After the folder": ("Science Papers",),
        "Most visited": (),
        "Again": (),
        "Nothing": (),
        "Relative": (),
        "untitled.example": (),
    }


def test_an_address_is_stored_as_it_stands_in_the_file(tmp_path):
    first = members(tmp_path, FILE)[0]
    assert first.url == first.key == "http://example.org/s?a=1&b=2&copy=3&lang=en"


def test_tags_dates_and_descriptions_are_kept_and_searchable(tmp_path):
    first = members(tmp_path, FILE)[0]
    assert first.tags == ("memory", "recall")
    assert first.observed_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert first.text == "Q & A\nOn remembering\nover two lines"
    assert first.fields == {"folder note": "what I read"}


def test_a_page_of_two_folders_is_found_under_both_and_with_the_tags_of_both(tmp_path):
    html = SIGN + (
        '<DL><p><DT><H3>One</H3><DL><p><DT><A HREF="https://a.example/p" TAGS="x">T</A></DL>'
        '<DT><H3>Two</H3><DL><p><DT><A HREF="http://www.a.example/p/?utm_source=mail#top" TAGS="y,x">U</A></DL></DL>'
    )
    first, again = members(tmp_path, html)
    assert (first.path, first.tags, first.fields["also in"]) == (("One",), ("x", "y"), "Two")
    assert (again.duplicate_of, again.url) == (first.key, "http://www.a.example/p/?utm_source=mail#top")


def test_ids_in_a_query_make_two_pages(tmp_path):
    html = SIGN + "".join(f'<DT><A HREF="https://a.example/p?id={n}">T{n}</A>' for n in (1, 2))
    assert [one.duplicate_of for one in members(tmp_path, html)] == ["", ""]


def test_what_else_a_service_says_of_a_bookmark_is_kept(tmp_path):
    html = entry(
        href="https://a.example/p", add_date=1700000000, last_modified=1700000100, private=1, toread=1, shortcuturl="ap"
    )
    assert members(tmp_path, html)[0].fields == {
        "keyword": "ap",
        "modified": "2023-11-14T22:15:00Z",
        "private": "yes",
        "to read": "yes",
    }
    assert members(tmp_path, entry(href="https://a.example/p", private=0))[0].fields == {}


def test_the_lines_of_a_description_are_kept(tmp_path):
    html = SIGN + '<DL><p><DT><A HREF="https://a.example/p">T</A>\n<DD>Lists:\n- one\n  - two\n\n\n\nEnd.\n</DL>'
    assert members(tmp_path, html)[0].text == "T\nLists:\n- one\n  - two\n\nEnd."


def test_markup_inside_a_description_makes_no_bookmark_of_it(tmp_path):
    html = SIGN + (
        '<DL><p><DT><A HREF="https://a.example/1">A</A>\n<DD>Seen on <a href="https://b.example/"><img src="x"></a>'
        '<li>#KEY ---> #VALUE</li>\n</code>\n<DT><A HREF="https://a.example/2">B</A></DL>'
    )
    assert [(one.url, one.text) for one in members(tmp_path, html)] == [
        ("https://a.example/1", "A\nSeen on #KEY ---> #VALUE"),
        ("https://a.example/2", "B"),
    ]


def test_a_note_without_a_web_address_is_taken_in_for_what_it_says(tmp_path):
    (one,) = members(tmp_path, SIGN + '<DL><p><DT><A HREF="?lY47tw" TAGS="recipe">Kouign</A><DD>Butter first.</DL>')
    assert (one.skipped, one.url, one.text, one.tags) == ("", "?lY47tw", "Kouign\nButter first.", ("recipe",))


def test_lists_of_pocket_are_read_with_their_headings_as_folders(tmp_path):
    html = (
        "<!DOCTYPE html><html><head><title>Pocket Export</title></head><body><h1>Unread</h1><ul>"
        '<li><a href="https://a.example/p" time_added="1700000000" tags="x,y">A</a></li></ul>'
        '<h1>Read Archive</h1><ul><li><a href="https://b.example/" time_added="1700000001" tags="">B</a></li></ul>'
    )
    assert BookmarksLoader().suits(html.encode(), "ril_export.html") > 0.9
    assert [(one.title, one.path, one.tags) for one in members(tmp_path, html)] == [
        ("A", ("Unread",), ("x", "y")),
        ("B", ("Read Archive",), ()),
    ]
    assert members(tmp_path, html)[0].observed_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


def test_folders_that_are_never_closed_and_deep_ones_are_read(tmp_path):
    html = SIGN + "".join(f"<DL><p><DT><H3>F{n}</H3>" for n in range(300)) + '<DL><DT><A HREF="https://a.example">T'
    assert members(tmp_path, html)[0].path == tuple(f"F{n}" for n in range(MAX_FOLDERS))


def test_what_is_no_web_address_is_listed_with_its_reason(tmp_path):
    skipped = {one.title: one.skipped for one in members(tmp_path, FILE) if one.skipped}
    assert skipped == {
        "A script": "'javascript:' is no web address",
        "Most visited": "'place:' is no web address",
        "Nothing": "no address",
        "Relative": "not a full web address",
    }


def test_a_second_address_of_one_page_names_the_first_and_keeps_its_own_form(tmp_path):
    again = next(one for one in members(tmp_path, FILE) if one.title == "Again")
    assert again.duplicate_of == "http://example.org/s?a=1&b=2&copy=3&lang=en"
    assert again.url == "https://www.example.org/s?a=1&b=2&copy=3&lang=en#top"
    assert [one.title for one in members(tmp_path, FILE) if one.duplicate_of] == ["Again"]


@pytest.mark.parametrize(
    "stamp",
    ["1700000000", "1700000000000", "1700000000000000", "13344473600000000"],
    ids=["s", "ms", "us", "us since 1601"],
)
def test_dates_are_read_in_every_unit_browsers_write(tmp_path, stamp):
    (one,) = members(tmp_path, entry(href="https://a.example", add_date=stamp))
    assert one.observed_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize("stamp", ["0", "", "yesterday", "-5", "99999999999999999999", "1"])
def test_a_date_that_is_none_is_no_date(tmp_path, stamp):
    assert members(tmp_path, entry(href="https://a.example", add_date=stamp))[0].observed_at is None


def test_the_heading_names_the_file(tmp_path):
    path = tmp_path / "b.html"
    path.write_text(FILE)
    document = BookmarksLoader().open(path)
    assert (document.heading.title, document.heading.page_count) == ("My bookmarks", 0)
    assert list(document.pages(1)) == []


def test_nothing_to_take_in_is_an_error_that_says_how_much_was_left_out(tmp_path):
    with pytest.raises(SourceDamagedError, match=r"holds no bookmark"):
        members(tmp_path, SIGN + "<DL><p></DL>")
    with pytest.raises(SourceDamagedError, match=r"1 left out"):
        members(tmp_path, entry(href="javascript:void(0)"))
    with pytest.raises(SourceEmptyError):
        members(tmp_path, "")


def test_a_file_cut_in_the_middle_gives_what_is_whole(tmp_path):
    titles = [one.title for one in members(tmp_path, FILE[: FILE.index("After the")])]
    assert titles[:3] == ["Q & A", "A script", "Deep one"]


def test_other_encodings_are_read(tmp_path):
    html = f'{SIGN}<META CONTENT="text/html; charset=windows-1251"><DL><DT><A HREF="http://a.example">Память</A></DL>'
    assert members(tmp_path, html.encode("cp1251"))[0].title == "Память"


def test_a_service_export_without_the_first_line_is_known_by_its_shape():
    head = b'<html><DL><p><DT><A HREF="https://a.example" ADD_DATE="1700000000">T</A>'
    assert BookmarksLoader().suits(head, "export.html") > 0.9
    assert BookmarksLoader().suits(b"<html><dl><dt>term<dd>meaning</dl>", "page.html") == 0.0


def test_many_bookmarks_keep_their_order(tmp_path):
    html = (
        SIGN
        + "<DL><p>"
        + "".join(f'<DT><A HREF="https://a.example/{n}" ICON="data:{"x" * 500}">T{n}' for n in range(5000))
    )
    assert [one.title for one in members(tmp_path, html)] == [f"T{n}" for n in range(5000)]
