from __future__ import annotations

import time
from math import ceil

import pytest
from msgspec import structs
from PySide6.QtCore import QEvent, QPoint, Qt, QUrl
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton, QToolTip

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.citation import SourceNames
from trisynapse_desktop.widgets.markdown import RichText
from trisynapse_desktop.widgets.message import AnswerView, QuestionView
from trisynapse_desktop.widgets.message_list import MessageList
from trisynapse_desktop.widgets.passage_card import PassageCard, clip
from trisynapse_memory.types import Answer, AnswerSentence, Citation, CitationVerdict, Coverage, Fault, Locator, Nearest

PLACE = Locator(kind="page", page=4)
CITED = Citation(
    n=1,
    record_id="r1",
    source_id="s1",
    source_key="",
    title="The mirror",
    locator=PLACE,
    excerpt="Light is slower in water.",
    verdict=CitationVerdict.VERBATIM,
)
ANSWER = Answer(
    query_id="q",
    question="How fast?",
    answer="Light is slower in water.",
    abstain=False,
    withheld=2,
    citations=(CITED,),
    sentences=(AnswerSentence(text="Light is slower in water.", citations=(1,)),),
    coverage=Coverage(sources_in_scope=3),
    timings_ms={"total": 40.0},
)
ABSTAINED = Answer(
    query_id="q",
    question="What did the mirror cost?",
    answer="",
    abstain=True,
    level="nearest",
    reason="No source names a price.",
    nearest=(
        Nearest(
            record_id="r2",
            source_id="s2",
            source_key="",
            title="Letters",
            locator=PLACE,
            excerpt="The mirror was made by Froment.",
        ),
    ),
    would_answer="An account book of the observatory.",
)


@pytest.fixture
def theme(qapp):
    return Theme(qapp, "light")


@pytest.fixture
def view(theme, qtbot):
    view = AnswerView(theme, "What did the mirror cost?")
    qtbot.addWidget(view)
    view.resize(380, 500)
    view.show()
    return view


def texts(widget):
    QApplication.processEvents()  # a layout shows what was added to it a moment later
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget) and label.text()]


def test_an_answer_shows_its_quotation_and_opens_its_citation(view, qtbot):
    view.show_answer(ANSWER, SourceNames())
    body = view.findChild(RichText)
    assert "“Light is slower in water.”" in body.toPlainText()
    assert body.height() >= body.document().size().height() > 20
    with qtbot.waitSignal(view.passage_wanted) as seen:
        body.anchorClicked.emit(QUrl("cite:1"))
    assert seen.args == [CITED]
    assert "1 of 3 sources used" in texts(view)


def test_pointing_at_a_chip_shows_title_and_words(view, monkeypatch):
    view.show_answer(ANSWER, SourceNames())
    body = view.findChild(RichText)
    shown = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, *_rest: shown.append(text))
    spots = (QPoint(x, y) for y in range(0, body.height(), 4) for x in range(0, body.width(), 6))
    spot = next(spot for spot in spots if body.anchorAt(spot) == "cite:1")
    QApplication.sendEvent(body.viewport(), QHelpEvent(QEvent.Type.ToolTip, spot, body.mapToGlobal(spot)))
    assert "The mirror, p. 4" in shown[0]
    assert "Light is slower in water." in shown[0]


def test_withheld_sentences_are_counted_and_explained_on_demand(view, qtbot):
    view.show_answer(ANSWER, SourceNames())
    (link,) = [one for one in view.findChildren(QPushButton) if "withheld" in one.text()]
    assert link.text() == "2 sentences withheld · show why"
    assert not any("do not stand in the passage" in text for text in texts(view))
    qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    assert any("do not stand in the passage" in text for text in texts(view))


def test_times_are_shown_on_demand(view):
    view.show_answer(ANSWER, SourceNames())
    (clock,) = [one for one in view.findChildren(QToolButton) if one.accessibleName() == "How long it took"]
    assert "in all 40 ms" not in texts(view)
    clock.click()
    assert "in all 40 ms" in texts(view)


def test_the_two_levels_of_a_refusal_are_told_apart(view):
    view.show_answer(structs.replace(ABSTAINED, level="none"), SourceNames())
    assert "Your sources do not say" in texts(view)
    view.show_answer(structs.replace(ABSTAINED, level="nearest"), SourceNames())
    assert "Close, but not confirmed" in texts(view)
    assert view.accessibleName() == "Close, but not confirmed. No source names a price."


def test_an_abstention_says_why_what_is_near_and_what_would_answer(view, qtbot):
    view.show_answer(ABSTAINED, SourceNames())
    shown = texts(view)
    for expected in ("Close, but not confirmed", "No source names a price.", "An account book of the observatory."):
        assert expected in shown
    card = view.findChild(PassageCard)
    assert card.accessibleName() == "Letters, p. 4: The mirror was made by Froment."
    with qtbot.waitSignal(view.passage_wanted) as seen:
        qtbot.keyClick(card, Qt.Key.Key_Return)
    assert seen.args == [ABSTAINED.nearest[0]]


def test_a_fault_is_said_and_can_be_tried_again(view, qtbot):
    view.show_fault(Fault(code="service.gone", message="The engine ended.", hint="It is started again."))
    assert {"The engine ended.", "It is started again."} <= set(texts(view))
    (again,) = view.findChildren(QPushButton)
    with qtbot.waitSignal(view.retry_wanted):
        qtbot.mouseClick(again, Qt.MouseButton.LeftButton)


def test_rich_text_loads_nothing_a_text_names(theme, qtbot):
    body = RichText(theme)
    qtbot.addWidget(body)
    asked = []
    original = body.loadResource

    def watch(kind, name):
        asked.append(name)
        return original(kind, name)

    body.loadResource = watch
    body.show_html(lambda: "<img src='https://example.org/spy.png'><p>words</p>")
    assert all(original(2, QUrl(address)) is None for address in ("https://example.org/spy.png", "file:///etc/passwd"))
    assert body.toPlainText().strip().endswith("words")


def test_a_stream_of_changes_is_laid_out_once(theme, qtbot):
    body = RichText(theme)
    qtbot.addWidget(body)
    laid = []
    for count in range(50):
        body.show_html(lambda count=count: laid.append(count) or f"<p>{count}</p>", at_once=False)
    qtbot.waitUntil(lambda: body.toPlainText() == "49", timeout=2_000)
    assert laid == [49]


def test_a_bubble_is_no_wider_than_its_question(theme, qtbot):
    view = QuestionView(theme, "Who?")
    qtbot.addWidget(view)
    view.resize(380, 60)
    view.show()
    assert view._bubble.width() < 100
    assert view._bubble.geometry().right() >= 376


def test_a_passage_is_cut_around_the_word_asked_for():
    text = "Nothing here. " * 40 + "The mirror turned. " + "Nothing there. " * 40
    cut = clip(text, "mirror")
    assert "mirror" in cut
    assert len(cut) < 200
    assert cut.startswith("… ")
    assert cut.endswith(" …")
    assert clip("Short.", "mirror") == "Short."


def test_a_passage_is_cut_where_the_words_stand_together():
    text = "The mirror. " + "Nothing here. " * 40 + "The mirror turned in 1862 in Paris. " + "Nothing there. " * 40
    assert "mirror turned in 1862" in clip(text, "mirror 1862")


def test_only_the_words_that_were_asked_for_are_marked(theme, qtbot):
    card = PassageCard(
        theme, "Letters", None, "What is the mirror? It is the mirror.", "What is the mirror of Froment?"
    )
    qtbot.addWidget(card)
    assert card._words.text().count("<span") == 2


def test_an_answer_keeps_its_last_line_when_the_sidebar_narrows(view, qtbot):
    view.show_answer(ANSWER, SourceNames())
    body = view.findChild(RichText)
    for width in (380, 240, 500, 180):
        view.resize(width, 500)
        qtbot.waitUntil(lambda: body.height() == ceil(body.document().size().height()), timeout=1_000)
        assert body.document().textWidth() == body.viewport().width()


class TestLongThreads:
    @pytest.fixture
    def thread(self, theme, qtbot):
        made = []

        def make(index):
            made.append(index)
            if index % 2 == 0:
                return QuestionView(theme, f"Question {index}")
            view = AnswerView(theme, "?")
            view.show_answer(ANSWER, SourceNames())
            return view

        thread = MessageList(make)
        thread.made = made
        qtbot.addWidget(thread)
        thread.resize(380, 600)
        thread.show()
        return thread

    def test_a_thousand_messages_build_one_screen_at_the_end(self, thread, qtbot):
        began = time.perf_counter()
        thread.show_messages(1000)
        assert time.perf_counter() - began < 2
        assert thread.built_count <= 40
        assert thread.message(999) is not None
        bar = thread.verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum(), timeout=2_000)

    def test_older_messages_come_when_she_scrolls_up_and_nothing_jumps(self, thread, qtbot):
        thread.show_messages(1000)
        bar = thread.verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() > 700 and bar.value() == bar.maximum(), timeout=2_000)
        before = thread.built_count
        oldest = thread.message(1000 - before)
        bar.setValue(300)
        place = oldest.mapTo(thread.viewport(), QPoint(0, 0)).y()
        qtbot.waitUntil(lambda: thread.built_count > before, timeout=2_000)
        qtbot.waitUntil(lambda: abs(oldest.mapTo(thread.viewport(), QPoint(0, 0)).y() - place) < 40, timeout=2_000)
        assert thread.made[: before + 1].count(0) == 0

    def test_a_new_message_is_followed_to_the_end(self, thread, qtbot):
        thread.show_messages(40)
        for index in range(40, 46):
            thread.append(index)
        bar = thread.verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum(), timeout=2_000)
