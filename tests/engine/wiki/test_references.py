"""Footnotes as plain text: who, what, where, and the words."""

from __future__ import annotations

from msgspec import structs
from pytest import mark

from tests.engine.wiki.wiki_cases import SOURCES, source, support
from trisynapse_memory.types import Locator
from trisynapse_memory.wiki.references import QUOTE_LENGTH, author_year, place_of, reference


@mark.parametrize(
    ("authors", "published", "name"),
    [
        (("Patrick Lewis",), "2020-05-22", "Lewis 2020"),
        (("Lewis, Patrick", "Perez, Ethan"), "2020", "Lewis and Perez 2020"),
        (("Ada B. Lewis", "Ethan Perez", "Aleksandra Piktus"), "2020", "Lewis et al. 2020"),
        (("Lewis",), "", "Lewis"),
        ((), "2020", "2020"),
        ((" ",), "undated", ""),
    ],
)
def test_author_and_year(authors, published, name):
    assert author_year(source("src_x", authors=authors, published=published)) == name


@mark.parametrize(
    ("locator", "place"),
    [
        (Locator(kind="page", page=4), "p. 4"),
        (Locator(kind="page", page=1, page_label="iii"), "p. iii"),
        (Locator(kind="region", page=4), "p. 4"),
        (Locator(kind="section", page=1, heading="In the tube"), "In the tube"),
        (Locator(kind="row", sheet="Values", row=7), "Values, row 7"),
        (Locator(kind="symbol", start_line=12, symbol="Fizeau"), "line 12"),
        (Locator(kind="time", start_s=3725.0), "1:02:05"),
        (Locator(kind="time", start_s=65.9), "1:05"),
        (Locator(kind="turn", index=3, speaker="Ada"), "Ada"),
        (Locator(kind="slide", slide=2), "slide 2"),
        (Locator(kind="link"), ""),
        (None, ""),
    ],
)
def test_place(locator, place):
    assert place_of(locator) == place


def test_a_footnote_names_author_title_page_and_words():
    words = support("Michelson's value of 1926\nwas 299,796 ± 4 km/s.", page=2)
    assert reference(words, SOURCES) == (
        'Writer 1936, The mountain and the tube, p. 2 ("Michelson\'s value of 1926 was 299,796 ± 4 km/s.")'
    )


def test_on_the_page_of_its_own_source_the_place_is_enough():
    words = support("Michelson died in May 1931.", page=2)
    assert reference(words, SOURCES, "src_m") == 'p. 2 ("Michelson died in May 1931.")'
    assert reference(words, SOURCES, "src_a").startswith("Writer 1936, The mountain")
    nowhere = structs.replace(words, locator=None)
    assert reference(nowhere, SOURCES, "src_m").startswith("Writer 1936, The mountain and the tube (")


def test_a_heading_that_is_the_title_is_not_told_twice():
    words = structs.replace(
        support("Some words."), locator=Locator(kind="section", heading="The mountain and the tube")
    )
    assert reference(words, SOURCES) == 'Writer 1936, The mountain and the tube ("Some words.")'


def test_of_an_unknown_source_the_title_is_told():
    words = structs.replace(support("Words of it.", page=3), source_id=None, title="A talk")
    assert reference(words, {}) == 'A talk, p. 3 ("Words of it.")'


def test_a_long_quote_is_cut_at_a_word():
    told = reference(support("word " * 200), SOURCES)
    assert told.endswith(' word …")')
    assert len(told) < QUOTE_LENGTH + 60
