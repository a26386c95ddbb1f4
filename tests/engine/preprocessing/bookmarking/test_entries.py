"""What all bookmark files have in common: places of one page, reasons to leave out, words for the eye."""

from __future__ import annotations

import pytest

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.bookmarking.entries import (
    ALSO_IN,
    Bookmark,
    as_note,
    join_places,
    list_bookmarks,
    one_line,
    open_bookmarks,
    split_tags,
)


def test_places_of_one_page_are_joined_once_each_in_order():
    urls = ("https://a.example/", "http://a.example", "https://www.a.example/#x", "https://a.example/?utm_source=y")
    paths = ((), ("One",), ("Two", "Deep"), ("One",))
    first, *others = list_bookmarks(
        Bookmark(url=url, path=path, tags=(f"t{number}",))
        for number, (url, path) in enumerate(zip(urls, paths, strict=True))
    )
    assert (first.path, first.fields[ALSO_IN], first.tags) == ((), "One\nTwo > Deep", ("t0", "t1", "t2", "t3"))
    assert {one.duplicate_of for one in others} == {"https://a.example/"}
    assert tuple(one.url for one in others) == urls[1:]


def test_joining_the_same_place_says_nothing_new():
    (one,) = list_bookmarks([Bookmark(url="https://a.example/", path=("One",))])
    assert join_places(one, one) == one


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("javascript:alert(1)", "'javascript:' is no web address"),
        ("JavaScript:alert(1)", "'javascript:' is no web address"),
        ("place:sort=8", "'place:' is no web address"),
        ("chrome://bookmarks", "'chrome:' is no web address"),
        ("file:///home/her/a.pdf", "'file:' is no web address"),
        ("mailto:her@a.example", "'mailto:' is no web address"),
        ("  ", "no address"),
        ("/path", "not a full web address"),
        ("https://", "no host in its address"),
        ("https://[::1", "no host in its address"),
        ("HTTPS://A.example", ""),
    ],
)
def test_what_is_no_page_is_left_out_with_its_reason(url, reason):
    (one,) = list_bookmarks([Bookmark(url=url)])
    assert one.skipped == reason


def test_words_escaped_twice_are_unescaped_for_the_eye_only():
    assert one_line("Q &amp; A\n  and &#39;more&#39;") == "Q & A and 'more'"
    assert one_line("AT&T & co; x&y") == "AT&T & co; x&y"
    assert as_note("\n  a\n    b\n      c\n\n\n\n    d  \n") == "a\nb\n  c\n\nd"


def test_tags_are_cut_at_the_signs_of_their_service():
    assert split_tags("a, b ,,a") == ("a", "b")
    assert split_tags("a b  c", " ") == ("a", "b", "c")
    assert split_tags("two words|other", "|", ",") == ("two words", "other")


def test_nothing_taken_in_is_an_error_that_names_the_file_and_counts_what_was_left_out():
    bad = [Bookmark(url="javascript:x"), Bookmark(url="")]
    with pytest.raises(SourceDamagedError, match=r"'b\.json' holds no bookmark .*2 left out"):
        open_bookmarks("b.json", bad, media_type="application/json", hint="Try again.")
