"""Pages and numbered things that a question names, and the texts that show them."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.named_places import (
    LAST,
    RANGE_MAX,
    Thing,
    bears_number,
    named_places,
    shows,
    spellings,
)


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("What stands at the top of page 5?", (5,)),
        ("Which date is on page(1)?", (1,)),
        ("What is written on the page two?", (2,)),
        ("How many figures are there from Page 3 to Page 6?", (3, 4, 5, 6)),
        ("Compare pp. 7-8.", (7, 8)),
        ("Is there a signature on the last page?", (LAST,)),
        ("Who is named on the first page?", (1,)),
        ("What does the 3rd page say?", (3,)),
        ("How many people are on the cover?", (1,)),
        ("Was steht auf Seite 12?", (12,)),
        ("第3页说了什么？", (3,)),
        ("Who wrote the cover letter?", ()),
        ("How many pages contain tables?", ()),
        ("What did the homepage say in 2019?", ()),
    ],
)
def test_pages(question: str, pages: tuple[int, ...]):
    assert named_places(question).pages == pages


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("In Figure 3, how many icons are used?", [("figure", "3")]),
        ("What does Fig. 2 show?", [("figure", "2")]),
        ("According to table II, which sets?", [("table", "ii")]),
        ("How many strengths are in Appendix E?", [("appendix", "e")]),
        ("Among figure 1-3, which is the largest?", [("figure", "1"), ("figure", "2"), ("figure", "3")]),
        ("How many quizzes are in units 4, 5, and 6?", [("unit", "4"), ("unit", "5"), ("unit", "6")]),
        ("What does section 3.2 claim?", [("section", "3.2")]),
        ("What is eq. (3)?", [("equation", "3")]),
        ("Abbildung 4 zeigt was?", [("figure", "4")]),
        ("图2说明了什么？", [("figure", "2")]),
        ("What did the table I gave you say?", []),
        ("Is a figure of 30% right?", []),
        ("Which table has a note?", []),
        ("What is in stable 4?", []),
    ],
)
def test_things(question: str, things: list[tuple[str, str]]):
    assert [(one.kind, one.number) for one in named_places(question).things] == things


def test_a_range_is_bounded():
    assert len(named_places("pages 1 to 900").pages) == RANGE_MAX


def test_a_number_is_looked_for_in_both_kinds_of_figures():
    assert {"table 2", "table ii"} <= set(spellings(Thing("table", "ii")))
    assert {"fig 3", "figure 3"} <= set(spellings(Thing("figure", "3")))


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        ("Figure 3: The axes.", True),
        ("the last line\nFig. 3. The axes", True),
        ("Figure 3 The axes", True),
        ("FIGURE 3", True),
        ("Figure III: The axes", True),
        ("Figure 3 shows the axes.", False),
        ("as in Figure 3: the axes", False),
        ("Figure 31: The axes", False),
        ("Figure 3.2: The axes", False),
        ("Table 3: The axes", False),
    ],
)
def test_a_caption_is_told_from_a_sentence_about_it(text: str, is_shown: bool):
    assert shows(text, Thing("figure", "3")) is is_shown


def test_what_was_read_as_a_title_needs_no_mark_behind_the_number():
    assert shows("Appendix E budget of the year", Thing("appendix", "e"), is_title=True)
    assert not shows("Appendix E budget of the year", Thing("appendix", "e"))


@pytest.mark.parametrize(
    ("text", "is_borne"),
    [
        ("Monitoring\n\nVersion 1.3\t9", True),
        ("9\nChairman BOEHNER. In 2000", True),
        ("The hearing\n(9)", True),
        ("Text\n- 9 -", True),
        ("There were 9 of them\nand no more", False),
        ("Text\n19", False),
        ("", False),
    ],
)
def test_a_printed_page_number_stands_at_an_end_of_the_first_or_the_last_line(text: str, is_borne: bool):
    assert bears_number(text, 9) is is_borne
