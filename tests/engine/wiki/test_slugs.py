"""Names of pages: what they read like, that no two are one file, and that they stay."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from pytest import mark

from trisynapse_memory.wiki.slugs import SLUG_BYTES, PageName, name_pages, slug_of

RESERVED = {"con", "prn", "aux", "nul", "com1", "lpt9"}
titles = st.text(max_size=200)
pages = st.lists(
    st.builds(PageName, st.uuids().map(str), st.sampled_from(("concept", "source", "collection")), titles),
    max_size=12,
    unique_by=lambda page: page.page_id,
)


@mark.parametrize(
    ("title", "slug"),
    [
        ("The speed of light", "the-speed-of-light"),
        ("C++", "c-plus-plus"),
        ("C#", "c-sharp"),
        ("C", "c"),
        ("R&D at CERN", "r-and-d-at-cern"),
        ("Maxwell's equations", "maxwells-equations"),
        ("  GPT-4 / BERT: a [[test]] | # ^ ", "gpt-4-bert-a-test"),
        ("Größe", "grösse"),
        ("光の速さ", "光の速さ"),
        ("ﬁne ligature", "fine-ligature"),
        ("a.b.c.", "a-b-c"),
        ("../../etc/passwd", "etc-passwd"),
    ],
)
def test_a_name_reads_like_its_title(title, slug):
    assert slug_of(title) == slug


def test_what_has_no_letters_or_is_a_device_gets_a_name_of_its_own():
    assert slug_of("…").startswith("page-")
    assert slug_of("CON").startswith("page-")
    assert slug_of("…") != slug_of("—")
    assert slug_of("Console") == "console"


@given(titles)
def test_a_name_is_a_safe_file_name_everywhere(title):
    slug = slug_of(title)
    assert 0 < len(slug.encode()) <= SLUG_BYTES
    assert unicodedata.is_normalized("NFC", slug)
    assert all(letter.isalnum() or letter == "-" or unicodedata.category(letter).startswith("M") for letter in slug)
    assert slug == slug.casefold()
    assert slug not in RESERVED
    assert len(f"{slug}.edited-99.md".encode()) <= 120


def test_a_long_title_is_cut_between_words():
    slug = slug_of("word " * 60)
    assert slug == "-".join(["word"] * 20)


@given(pages, st.randoms(use_true_random=False))
def test_names_are_unique_and_do_not_depend_on_the_order(found, random):
    named = name_pages(found, {})
    shuffled = list(found)
    random.shuffle(shuffled)
    assert name_pages(shuffled, {}) == named
    assert len({slug.casefold() for slug in named.values()}) == len(found)
    assert all(len(slug.encode()) <= SLUG_BYTES for slug in named.values())


@given(pages, pages)
def test_a_page_keeps_its_name_whoever_comes_later(first, second):
    taken = name_pages(first, {})
    later = [page for page in second if page.page_id not in taken]
    named = name_pages([*later, *first], taken)
    assert {page_id: named[page_id] for page_id in taken} == taken
    assert len(set(named.values())) == len(named)


def test_a_concept_gets_the_plain_name_before_a_source_of_the_same_title():
    named = name_pages([PageName("s1", "source", "Adam"), PageName("c1", "concept", "ADAM")], {})
    assert named == {"s1": "adam-source", "c1": "adam"}


def test_a_name_that_a_vanished_page_had_is_not_given_away():
    named = name_pages([PageName("c2", "concept", "Adam")], {"c1": "adam"})
    assert named["c2"].startswith("adam-")
    assert named["c2"] != "adam"
