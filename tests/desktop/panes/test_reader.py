"""The reader over the real engine: passages, pages, verdicts, finding, citations, back and forward."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from trisynapse_desktop.operations import curate
from trisynapse_desktop.panes.reader import text_kind
from trisynapse_desktop.widgets.page_view import PageView
from trisynapse_desktop.widgets.pane_slot import PaneSlot
from trisynapse_desktop.widgets.text_flow import TextKind
from trisynapse_desktop.widgets.text_view import TextView
from trisynapse_memory.types import Locator, Source, SourceStatus

MIRROR = "01-the-turning-mirror.pdf"
QUOTE = "Léon Foucault was the first to measure the speed of light with a rotating mirror, in 1862."


def reader_in(window):
    return window._slots[window.tabs.current_key()].pane


@pytest.fixture
def read(real_window, sources, qtbot):
    """Open a sample at a place and wait until it stands there."""

    def do(name, locator=None):
        source = sources[name]
        real_window.context.selection.open_passage(source.source_id, locator, source.title)
        reader = reader_in(real_window)
        if locator is not None:
            qtbot.waitSignal(reader.passage_painted, timeout=10_000).wait()
        qtbot.waitUntil(lambda: reader.view is not None and reader._task.done(), timeout=10_000)
        return reader

    return do


@pytest.fixture
def place(real_window, sources, ask):
    """Find where a phrase stands: offsets in the stored text, as a citation carries them."""

    def do(name, phrase):
        source_id = sources[name].source_id
        for record in ask(real_window.context.bridge.call("sources.text", source_id=source_id)):
            start = record.text.find(phrase)
            if start >= 0:
                label = record.locator.page_label
                page = record.locator.page
                return Locator(kind="page", page=page, page_label=label, start=start, end=start + len(phrase))
        raise AssertionError(phrase)

    return do


def marked_words(view: PageView, around: str) -> str:
    """Read back what lies under the mark, by QtPdf's own text and geometry, in and around the words expected."""
    page, shapes = view._passage
    boxes = [shape.boundingRect() for shape in shapes]
    text = view.document.getAllText(page).text()
    start = text.index(around)
    words = []
    for place in range(max(start - 12, 0), min(start + len(around) + 12, len(text))):
        bounds = view.document.getSelectionAtIndex(page, place, 1).bounds()
        if bounds and any(box.contains(bounds[0].boundingRect().center()) for box in boxes):
            words.append(text[place])
    return " ".join("".join(words).split())


def test_a_passage_is_marked_word_for_word(read, place):
    reader = read(MIRROR, place(MIRROR, "Foucault was the first to measure"))
    assert isinstance(reader.view, PageView)
    assert marked_words(reader.view, "Foucault was the first to measure") == "Foucault was the first to measure"
    assert reader.view.hasFocus() or reader.view.viewport().hasFocus()


def test_a_passage_on_a_page_that_is_turned_is_marked_word_for_word(read, place):
    name = "05-from-the-cavity-to-the-laser.pdf"
    reader = read(name, place(name, "In 1947 they found 299,792 km/s."))
    assert reader.view.page == 0
    assert marked_words(reader.view, "In 1947 they found 299,792 km/s.") == "In 1947 they found 299,792 km/s."


def test_the_same_document_only_moves_to_another_passage(read, place, real_window):
    first = read(MIRROR, place(MIRROR, "In 1834 Charles"))
    second = read(MIRROR, place(MIRROR, "Froment"))
    assert first is second
    assert second.view.page == 1
    assert real_window.tabs.open_keys().count(second._source.source_id) == 1


def test_back_and_forward_bring_the_passages_again(read, place, real_window, qtbot):
    read(MIRROR, place(MIRROR, "In 1834 Charles"))
    reader = read(MIRROR, place(MIRROR, "Froment"))
    with qtbot.waitSignal(reader.passage_painted, timeout=10_000):
        real_window.context.navigation.back()
    assert marked_words(reader.view, "In 1834 Charles") == "In 1834 Charles"
    with qtbot.waitSignal(reader.passage_painted, timeout=10_000):
        real_window.context.navigation.forward()
    assert marked_words(reader.view, "Froment") == "Froment"


def test_roman_pages_are_named_as_printed_and_can_be_typed(read, qtbot):
    reader = read("04-the-mountain-and-the-tube.pdf")
    assert reader._header.place == "i (1 of 3)"
    reader._header._page.setText("2")
    qtbot.keyClick(reader._header._page, Qt.Key.Key_Return)
    assert reader.view.page == 2
    assert reader._header.place == "2 (3 of 3)"
    reader._header._page.setText("I")
    qtbot.keyClick(reader._header._page, Qt.Key.Key_Return)
    assert reader.view.page == 0


def test_the_citation_is_copied_with_the_printed_page(read, real_window):
    reader = read("04-the-mountain-and-the-tube.pdf")
    real_window.context.actions.action("reader.copy_citation").trigger()
    assert QGuiApplication.clipboard().text() == f"{reader._source.title}, p. i"


def test_hidden_text_is_told_and_shown_only_when_asked(read, qtbot):
    reader = read("03-michelson-and-newcomb.pdf")
    assert "not shown as evidence" in reader._strip.text
    assert "310,000" not in reader._strip.text
    qtbot.mouseClick(reader._strip._show, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "310,000 km/s" in reader._strip.text, timeout=5_000)
    reader.view.show_page(1)
    assert not reader._strip.isVisible()


def test_hidden_text_that_she_has_read_can_count_as_evidence(read, real_window, qtbot):
    reader = read("03-michelson-and-newcomb.pdf")
    assert not reader._strip._approve.isVisible()
    qtbot.mouseClick(reader._strip._show, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(reader._strip._approve.isVisible, timeout=5_000)
    qtbot.mouseClick(reader._strip._approve, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: any("counts now" in toast.text for toast in real_window.toasts.showing()), timeout=10_000)
    assert not reader._strip._approve.isVisible()


def test_control_f_in_the_reader_searches_the_document_not_the_vault(read, qtbot, real_window):
    reader = read(MIRROR)
    qtbot.keyClick(reader.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert reader._find_bar.isVisible()
    assert reader_in(real_window) is reader
    qtbot.keyClicks(reader._find_bar.field, "mirror")
    qtbot.waitUntil(lambda: " of " in reader._find_bar._count.text(), timeout=5_000)
    first = reader._find_bar._count.text()
    count = int(first.split()[-1])
    assert first == f"1 of {count}"
    assert count > 5
    qtbot.keyClick(reader._find_bar.field, Qt.Key.Key_Return)
    assert reader._find_bar._count.text() == f"2 of {count}"
    qtbot.keyClick(reader._find_bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(reader._find_bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert reader._find_bar._count.text() == f"{count} of {count}"
    qtbot.keyClick(reader._find_bar.field, Qt.Key.Key_Escape)
    assert not reader._find_bar.isVisible()


def test_words_that_are_not_there_are_said_not_to_be(read, qtbot):
    reader = read(MIRROR)
    reader._find_bar.enter()
    qtbot.keyClicks(reader._find_bar.field, "xylophone")
    qtbot.waitUntil(lambda: reader._find_bar._count.text() == "Not in this document", timeout=5_000)


def test_a_markdown_note_shows_the_passage_without_its_signs(read, place):
    reader = read("start-here.md", place("start-here.md", "**[What was the best value of c around 1930?]"))
    assert isinstance(reader.view, TextView)
    assert reader.view.passage_text() == "What was the best value of c around 1930?"
    assert "**" not in reader.view.toPlainText()


def test_a_web_page_shows_its_passage(read, place):
    reader = read("history-of-the-metre.html", place("history-of-the-metre.html", "quarter meridian"))
    assert reader.view.passage_text() == "quarter meridian"


def test_a_question_in_a_note_is_asked_in_the_chat(read, real_window, qtbot):
    reader = read("start-here.md")
    asked = []
    real_window.context.selection.opened.connect(asked.append)
    reader.view.link_wanted.emit("trisynapse://ask?q=Who%20was%20first%3F")
    assert (asked[0].pane, asked[0].text) == ("chat", "Who was first?")
    qtbot.waitUntil(lambda: not real_window._slots["chat"].pane.busy, timeout=30_000)


def test_a_web_address_is_offered_and_never_followed(read, real_window, monkeypatch):
    followed = []
    monkeypatch.setattr("trisynapse_desktop.panes.reader.QDesktopServices.openUrl", followed.append)
    reader = read("start-here.md")
    reader.view.link_wanted.emit("https://example.org/paper")
    announcement = real_window.toasts.showing()[-1]
    assert (announcement.hint, followed) == ("https://example.org/paper", [])
    announcement.undo()
    assert followed[0].toString() == "https://example.org/paper"


def test_chosen_words_become_a_highlight_that_is_there_again(read, place, real_window, ask, qtbot):
    reader = read(MIRROR, place(MIRROR, "Paris Observatory"))
    view = reader.view
    rect = view.passage_rects()[0]
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center().toPoint())
    chosen = view.selection.text
    assert chosen in ("Paris", "Observatory")
    real_window.context.actions.action("reader.highlight").trigger()
    qtbot.waitUntil(lambda: bool(view._marks.get("kept")), timeout=5_000)
    (record,) = ask(real_window.context.bridge.call("curation.highlights", source_id=reader._source.source_id))
    assert (record.text, record.locator.page) == (chosen, 1)
    (shape,) = view._marks["kept"][0]
    word_rect = view._passage[1][0].boundingRect()
    assert word_rect.adjusted(-2, -4, 2, 4).contains(shape.boundingRect())


def test_a_new_highlight_takes_a_note_in_place_or_none(read, place, real_window, find, ask, qtbot):
    reader = read(MIRROR, place(MIRROR, "Paris Observatory"))
    view = reader.view
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.passage_rects()[0].center().toPoint())
    chosen = view.selection.text
    real_window.context.actions.action("reader.highlight").trigger()
    field = find(real_window, "Note on the highlight")
    qtbot.waitUntil(lambda: field.isVisible() and field.hasFocus(), timeout=5_000)
    qtbot.keyClicks(field, "where was it?")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert not field.isVisible()
    assert view.hasFocus(), "reading goes on"

    def notes():
        marks = ask(curate.highlights(real_window.context, reader._source.source_id))
        return [(mark.text, curate.note_of(mark)) for mark in marks]

    qtbot.waitUntil(lambda: notes() == [(chosen, "where was it?")], timeout=5_000)
    reader._note_bar.ask("other words")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not field.isVisible()
    assert notes() == [(chosen, "where was it?")]


def test_a_source_that_is_gone_is_said_so(real_window, qtbot):
    real_window.context.selection.open_passage("src_nowhere", title="Lost")
    slot = real_window.tabs.findChild(PaneSlot, "slot-reader")
    qtbot.waitUntil(lambda: "src_nowhere" in slot.pane._empty.title, timeout=5_000)
    assert slot.pane.view is None


@pytest.mark.parametrize(
    ("kind", "media", "expected"),
    [
        ("text", "text/markdown", TextKind.MARKDOWN),
        ("text", "text/plain", TextKind.PLAIN),
        ("code", "text/x-python", TextKind.CODE),
        ("html", "text/html", TextKind.ARTICLE),
        ("bookmark", "", TextKind.ARTICLE),
    ],
)
def test_each_kind_of_text_is_read_in_its_way(kind, media, expected):
    source = Source(
        source_id="s",
        source_key="k",
        title="t",
        kind=kind,
        version=1,
        status=SourceStatus.ACTIVE,
        content_hash="",
        media_type=media,
    )
    assert text_kind(source) is expected
