from __future__ import annotations

import pytest
from msgspec import structs
from PySide6.QtGui import QTextDocument

from trisynapse_desktop.theme import LIGHT
from trisynapse_desktop.widgets.answer_text import answer_html, coverage_line, timings_line, withheld_line
from trisynapse_desktop.widgets.citation import SourceNames
from trisynapse_memory.types import Answer, AnswerSentence, Citation, CitationVerdict, Coverage, Locator, StruckSentence


def cited(n, page=1, verdict=CitationVerdict.VERBATIM, source_id="s1"):
    return Citation(
        n=n, record_id=f"r{n}", source_id=source_id, source_key="", title="The mirror",
        locator=Locator(kind="page", page=page), excerpt="", verdict=verdict,
    )  # fmt: skip


def answer(*sentences, citations=(), **rest):
    made = tuple(AnswerSentence(text=text, citations=numbers) for text, numbers in sentences)
    return Answer(
        query_id="q",
        question="?",
        answer=" ".join(one.text for one in made),
        abstain=False,
        sentences=made,
        citations=citations,
        **rest,
    )


def plain(html: str) -> str:
    document = QTextDocument()
    document.setHtml(html)
    return " ".join(document.toPlainText().split())


def test_without_a_model_sentences_are_quotations_with_their_chip(qapp):
    html = answer_html(answer(("Light is slow.", (1,)), citations=(cited(1, 4),)), SourceNames(), LIGHT)
    assert plain(html) == "“Light is slow.” The mirror, p. 4"
    assert "href='cite:1'" in html


def test_a_paraphrase_is_no_quotation(qapp):
    html = answer_html(
        answer(("So it is.", (1,)), citations=(cited(1, 4, CitationVerdict.PARAPHRASE),)), SourceNames(), LIGHT
    )
    assert plain(html) == "So it is. ≈ The mirror, p. 4"


def test_signs_of_markup_in_a_quotation_are_shown_as_they_are(qapp):
    html = answer_html(answer(("2 * 3 < 7 & <b>x_1_</b>", (1,)), citations=(cited(1),)), SourceNames(), LIGHT)
    assert plain(html).startswith("“2 * 3 < 7 & <b>x_1_</b>”")


def test_what_a_model_wrote_is_markdown_without_html_or_pictures(qapp):
    text = "It is **slow** <img src='file:///etc/passwd'> ![spy](https://example.org/x.png)."
    html = answer_html(answer((text, (1,)), citations=(cited(1),), model="m"), SourceNames(), LIGHT)
    assert "<strong>slow</strong>" in html
    assert "<img" not in html
    assert "href='cite:1'" in html


def test_two_passages_of_one_page_make_one_chip(qapp):
    html = answer_html(answer(("A.", (1, 2, 3)), citations=(cited(1), cited(2), cited(3, 9))), SourceNames(), LIGHT)
    assert plain(html) == "“A.” The mirror, p. 1 The mirror, p. 9"


@pytest.mark.parametrize(
    ("coverage", "line"),
    [
        (Coverage(sources_in_scope=18, not_embedded=124), "2 of 18 sources used · 124 records not embedded yet"),
        (Coverage(sources_in_scope=1), "2 of 1 source used"),
        (
            Coverage(sources_in_scope=3, parts_off=("semantic",), unreadable_sources=1),
            "2 of 3 sources used · 1 unreadable · without search by meaning",
        ),
    ],
)
def test_the_coverage_line_counts_sources_not_passages(coverage, line):
    made = answer(("A.", (1,)), citations=(cited(1), cited(2), cited(3, source_id="s2")), coverage=coverage)
    assert coverage_line(made) == line


def test_times_and_withheld_sentences_are_said_in_words():
    assert (
        timings_line(answer(("A.", ()), timings_ms={"routes": 24.4, "total": 603.8}))
        == "finding passages 24 ms · in all 604 ms"
    )
    assert withheld_line(1) == "1 sentence withheld"
    assert withheld_line(2) == "2 sentences withheld"


def test_a_dispute_names_itself_on_both_sides(qapp):
    sides = (
        AnswerSentence(text="It is 4.", citations=(1,), status="contested"),
        AnswerSentence(text="It is 5.", citations=(2,), status="contested"),
    )
    shown = structs.replace(answer(), sentences=sides, citations=(cited(1, 4), cited(2, 5)))
    html = answer_html(shown, SourceNames(), LIGHT)
    assert plain(html) == ("Sources disagree “It is 4.” The mirror, p. 4 Sources disagree “It is 5.” The mirror, p. 5")
    assert html.count(f"bgcolor='{LIGHT.warning}'") == 2


def test_what_she_corrected_is_struck_with_her_reason(qapp):
    struck = StruckSentence(text="It is 3.", record_id="r1", correction_id="r2", reason="a <slip> of the pen")
    html = answer_html(answer(("It is 4.", (1,)), citations=(cited(1, 4),), struck=(struck,)), SourceNames(), LIGHT)
    assert plain(html) == "“It is 4.” The mirror, p. 4 It is 3. Corrected: a <slip> of the pen"
    assert "<s>It is 3.</s>" in html


def test_no_sentence_of_a_model_leads_anywhere_but_to_its_citation(qapp):
    text = (
        "See [the log](https://evil.example/?q=1), <https://evil.example>, <a@evil.example>, [x]: https://evil.example "
        "and [Nature](cite:1) \ue0002\ue001."
    )
    html = answer_html(answer((text, (1,)), citations=(cited(1), cited(2)), model="m"), SourceNames(), LIGHT)
    assert html.count("href=") == html.count("href='cite:1'") == 1
    assert "[the log](https://evil.example/?q=1)" in plain(html)
