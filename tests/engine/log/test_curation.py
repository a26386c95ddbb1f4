"""What she makes of her sources is a record of hers, and the latest word counts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownRecordError, UnknownSourceError
from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import HighlightDetails, Locator

Grow = Callable[..., str]


@pytest.fixture
def curation(log: MemoryLog, shelf: Shelf) -> Curation:
    return Curation(log, shelf)


def test_a_highlight_keeps_words_place_colour_and_note(curation: Curation, grow: Grow):
    source_id = grow("a", "some words")
    place = Locator(kind="page", page=1, start=0, end=4)
    made = curation.highlight(source_id, "some", place, "green", "why")
    assert curation.highlights(source_id) == (made,)
    assert (made.text, made.locator, made.payload) == ("some", place, HighlightDetails(colour="green", note="why"))
    assert made.actor.type == "user"


def test_a_highlight_is_taken_away_with_its_note_and_can_be_made_again(curation: Curation, grow: Grow):
    source_id = grow("a", "some words here, and others there")
    place, elsewhere = Locator(kind="page", page=1, start=0, end=4), Locator(kind="page", page=1, start=21, end=27)
    first = curation.highlight(source_id, "some", place)
    other = curation.highlight(source_id, "others", elsewhere)
    noted = curation.highlight(source_id, "some", place, note="why")
    assert curation.highlights(source_id) == (first, other, noted)
    curation.unhighlight(noted.id)
    assert curation.highlights(source_id) == (other,)
    again = curation.highlight(source_id, "some", place)
    assert curation.highlights(source_id) == (other, again)
    with pytest.raises(UnknownRecordError):
        curation.unhighlight("r_none")


def test_a_highlight_needs_words(curation: Curation, grow: Grow):
    with pytest.raises(InvalidInputError, match="words"):
        curation.highlight(grow("a", "x"), " ", Locator(kind="page", page=1))


def test_a_tag_is_put_on_once_and_taken_off(curation: Curation, shelf: Shelf, grow: Grow):
    source_id = grow("a", "x")
    curation.tag(source_id, " optics ")
    curation.tag(source_id, "optics")
    assert shelf.get(source_id).tags == ("optics",)
    curation.untag(source_id, "optics")
    assert shelf.get(source_id).tags == ()


def test_collections_keep_the_order_in_which_they_were_chosen(curation: Curation, shelf: Shelf, grow: Grow):
    source_id = grow("a", "x")
    curation.collect(source_id, "b")
    curation.collect(source_id, "a")
    assert shelf.get(source_id).collections == ("b", "a")
    curation.uncollect(source_id, "b")
    assert shelf.get(source_id).collections == ("a",)


def test_the_title_she_gave_is_shown(curation: Curation, shelf: Shelf, grow: Grow):
    source_id = grow("a", "x")
    curation.retitle(source_id, "Mirrors")
    assert shelf.get(source_id).title == "Mirrors"


@pytest.mark.parametrize("verb", ["tag", "untag", "collect", "uncollect", "retitle"])
def test_blank_names_and_unknown_sources_are_refused(curation: Curation, log: MemoryLog, grow: Grow, verb: str):
    source_id = grow("a", "x")
    head = log.head()
    with pytest.raises(InvalidInputError):
        getattr(curation, verb)(source_id, "  ")
    with pytest.raises(UnknownSourceError):
        getattr(curation, verb)("src_x", "name")
    assert log.head() == head
