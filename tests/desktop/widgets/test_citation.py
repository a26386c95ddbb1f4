from __future__ import annotations

import pytest

from trisynapse_desktop.widgets.citation import SourceNames, place_text, short_title, text_with_citations, tooltip_of
from trisynapse_memory.types import Answer, AnswerSentence, Citation, CitationVerdict, Locator, Source, SourceStatus


def source(source_id, title, authors=(), published=""):
    return Source(
        source_id=source_id, source_key=source_id, title=title, kind="pdf", version=1, status=SourceStatus.ACTIVE,
        content_hash="", authors=authors, published=published,
    )  # fmt: skip


def citation(
    n=1, source_id="s1", title="The turning mirror: Foucault", page=4, label=None, verdict=CitationVerdict.VERBATIM
):
    place = Locator(kind="page", page=page, page_label=label)
    return Citation(
        n=n, record_id=f"r{n}", source_id=source_id, source_key="", title=title, locator=place,
        excerpt="Light is <slower> in water.", verdict=verdict,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("The turning mirror: Foucault at Paris, 1862", "The turning mirror"),
        ("Notes", "Notes"),
        ("Experimental Determination of the Velocity of Light", "Experimental…"),
    ],
)
def test_a_title_is_cut_where_it_reads_well(title, short):
    assert short_title(title) == short


@pytest.mark.parametrize(
    ("authors", "chip"),
    [
        (("Patrick Lewis",), "Lewis 2020, p. 4"),
        (("Lewis, Patrick", "Ana Meyer"), "Lewis & Meyer 2020, p. 4"),
        (("A. Lewis", "B. Meyer", "C. Ito"), "Lewis et al. 2020, p. 4"),
        ((), "The turning mirror, p. 4"),
    ],
)
def test_a_chip_reads_author_and_year_where_they_are_known(authors, chip):
    names = SourceNames([source("s1", "The turning mirror: Foucault", authors, "2020-05-22")])
    assert names.chip(citation()) == chip


def test_an_author_and_year_shared_by_two_sources_names_neither():
    same = (("P. Lewis",), "2020")
    names = SourceNames([source("s1", "First: a", *same), source("s2", "Second: b", *same)])
    assert [
        names.chip(citation(source_id=name, title=title)) for name, title in (("s1", "First: a"), ("s2", "Second: b"))
    ] == [
        "First, p. 4",
        "Second, p. 4",
    ]


def test_a_paraphrase_is_marked_and_the_printed_page_is_named():
    chip = SourceNames().chip(citation(label="iii", verdict=CitationVerdict.PARAPHRASE))
    assert chip == "≈ The turning mirror, p. iii"


@pytest.mark.parametrize(
    ("locator", "text"),
    [
        (Locator(kind="section", page=1, heading="Five questions"), "Five questions"),
        (Locator(kind="link", page=1), ""),
        (Locator(kind="symbol", page=1, start_line=4, end_line=9), "lines 4–9"),
        (Locator(kind="row", sheet="A", row=3), "A, row 3"),
        (None, ""),
    ],
)
def test_a_source_without_pages_is_not_said_to_have_one(locator, text):
    assert place_text(locator) == text


def test_a_tooltip_shows_the_words_and_never_their_markup():
    text = tooltip_of(citation())
    assert "Light is &lt;slower&gt; in water." in text
    assert "Word for word" in text


def test_an_answer_is_copied_with_each_place_once_and_its_sources():
    sentences = (
        AnswerSentence(text="Light is slower in water.", citations=(1, 2)),
        AnswerSentence(text="So it was said.", citations=(3,)),
    )
    cited = (citation(1), citation(2), citation(3, "s2", "Letters", 9))
    answer = Answer(query_id="q", question="?", answer="", abstain=False, sentences=sentences, citations=cited)
    names = SourceNames([source("s1", "The turning mirror: Foucault", ("P. Lewis",), "2020")])
    assert text_with_citations(answer, names) == (
        "Light is slower in water. (Lewis 2020, p. 4)\n"
        "So it was said. (Letters, p. 9)\n"
        "\n"
        "Sources\n"
        "- P. Lewis. The turning mirror: Foucault (2020)\n"
        "- Letters"
    )
