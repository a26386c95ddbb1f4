"""Comparisons, lists and replies look like what they are, each quotation and bullet with its chips."""

from __future__ import annotations

from PySide6.QtGui import QTextDocument

from trisynapse_desktop.theme import LIGHT
from trisynapse_desktop.widgets.answer_quotes import quotes_html
from trisynapse_desktop.widgets.citation import SourceNames, text_with_citations
from trisynapse_memory.types import Answer, AnswerForm, AnswerSentence, Citation, CitationVerdict, Locator


def cited(n: int, page: int) -> Citation:
    return Citation(
        n=n, record_id=f"r{n}", source_id="s", source_key="", title="The mirror",
        locator=Locator(kind="page", page=page), excerpt="", verdict=CitationVerdict.VERBATIM,
    )  # fmt: skip


def made(form: AnswerForm, lead: str, *sentences: AnswerSentence) -> Answer:
    numbers = [n for one in sentences for n in one.citations]
    return Answer(
        query_id="q", question="?", answer="", abstain=False, sentences=sentences, form=form, lead=lead,
        citations=tuple(cited(n, n) for n in numbers),
    )  # fmt: skip


def lines(answer: Answer) -> list[str]:
    document = QTextDocument()
    document.setHtml(quotes_html(answer, answer.sentences, SourceNames(), LIGHT))
    return [" ".join(line.split()) for line in document.toPlainText().splitlines() if line.strip(" \u00a0\ufdd0\ufdd1")]


COMPARISON = made(
    AnswerForm.COMPARISON,
    "9 m (red) is more than 5 m (blue).",
    AnswerSentence(text="Red is 9 m.", citations=(1,), part="red"),
    AnswerSentence(text="Blue is 5 m.", citations=(2,), part="blue"),
)
LIST = made(
    AnswerForm.LIST,
    "3 found, in 1 source.",
    AnswerSentence(text="It sells maps and prints, all old.", citations=(1,), items=("maps", "prints")),
    AnswerSentence(text="It also sells <seeds>.", citations=(2,)),
)


def test_a_comparison_has_a_heading_for_each_side_below_what_is_concluded(qapp):
    assert lines(COMPARISON) == [
        "9 m (red) is more than 5 m (blue).",
        "red", "“Red is 9 m.”", "The mirror, p. 1",
        "blue", "“Blue is 5 m.”", "The mirror, p. 2",
    ]  # fmt: skip


def test_each_item_of_a_list_is_a_bullet_with_its_chip_and_no_word_is_lost(qapp):
    assert lines(LIST) == [
        "3 found, in 1 source.",
        "“It sells”",
        "•", "“maps” The mirror, p. 1",
        "•", "“prints” The mirror, p. 1",
        "“all old.”",
        "•", "“It also sells <seeds>.” The mirror, p. 2",
    ]  # fmt: skip


def test_a_reply_stands_before_the_sentence_that_says_it(qapp):
    answer = made(AnswerForm.YES_NO, "No.", AnswerSentence(text="It is not open.", citations=(1,)))
    assert lines(answer) == ["No.", "“It is not open.”", "The mirror, p. 1"]


def test_copied_answers_are_markdown_with_headings_and_bullets():
    assert text_with_citations(COMPARISON, SourceNames()).split("\n\nSources")[0] == (
        "9 m (red) is more than 5 m (blue).\n\nred\nRed is 9 m. (The mirror, p. 1)\n\n"
        "blue\nBlue is 5 m. (The mirror, p. 2)"
    )
    assert text_with_citations(LIST, SourceNames()).split("\n\nSources")[0] == (
        "3 found, in 1 source.\nIt sells\n- maps (The mirror, p. 1)\n- prints (The mirror, p. 1)\nall old.\n"
        "- It also sells <seeds>. (The mirror, p. 2)"
    )
