"""A whole text is cut between its sections into pages that together are the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as some

from trisynapse_memory.preprocessing.cutting import PAGE_CHARS, cut_pages
from trisynapse_memory.types import Locator, Section


def built(lengths):
    """A text of lines, and one section for each stretch of so many lines."""
    lines = [f"line {number} of the text\n" for number in range(sum(lengths))]
    text = "".join(lines)
    sections, first, at = [], 0, 0
    for count in lengths:
        size = sum(map(len, lines[first : first + count]))
        place = Locator(kind="symbol", symbol=f"s{first}", start_line=first + 1, end_line=first + count)
        sections.append(Section(start=at, end=at + size - 1, locator=place))
        first, at = first + count, at + size
    return text, sections


@settings(max_examples=40, deadline=None)
@given(some.lists(some.sampled_from([1, 3, 40, 700, 9000]), max_size=12))
def test_pages_are_the_text_and_every_section_keeps_its_words_and_lines(lengths):
    text, sections = built(lengths)
    pages = cut_pages(text, sections)
    lines = text.split("\n")
    assert "".join(page for page, _ in pages) == text
    assert max(len(page) for page, _ in pages) < 2 * PAGE_CHARS
    for page, parts in pages:
        for part in parts:
            place = part.locator
            words = page[part.start : part.end].split("\n")
            assert words[0] == lines[place.start_line - 1]
            assert [word for word in words if word] == lines[
                place.start_line - 1 : place.start_line - 1 + len(words) - words.count("")
            ]
    assert len({part.locator.symbol for _, parts in pages for part in parts}) == len(lengths)


def test_a_small_text_is_one_page_and_nothing_is_one_too():
    text, sections = built([1, 2])
    assert cut_pages(text, sections) == ((text, tuple(sections)),)
    assert cut_pages("", ()) == (("", ()),)
