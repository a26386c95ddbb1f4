from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from trisynapse_desktop.operations import curate
from trisynapse_desktop.panes.details import size_text
from trisynapse_desktop.widgets.passage_card import PassageCard
from trisynapse_desktop.widgets.source_card import SourceCardView
from trisynapse_desktop.widgets.toast import Toast
from trisynapse_memory.types import Locator, Notice


@pytest.fixture
def details(window, find, qtbot):
    window.show_side("details")
    area = find(window, "Details of the source")
    window.context.selection.select_source("s2")
    qtbot.waitUntil(lambda: "R. Olin" in words(area))
    return area


def words(widget):
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget)]


def test_the_chosen_source_is_described(details):
    shown = words(details)
    assert shown[0] == "Michelson and Newcomb on the Potomac"
    assert {"1882", "24 Feb 2026", "549.0 KB", "02.pdf", "Speed of light", "1 of 12 pages unclear"} <= set(shown)


def test_every_page_has_its_verdict_and_enter_opens_it(window, details, find, qtbot):
    pages = find(window, "Pages and their verdicts")
    assert [pages.item(row).text() for row in (0, 11)] == ["p. 1   readable", "p. 12   garbled"]
    opened = []
    window.context.selection.opened.connect(opened.append)
    pages.setCurrentRow(11)
    pages.setFocus()
    qtbot.keyClick(pages, Qt.Key.Key_Return)
    assert (opened[-1].source_id, opened[-1].locator.page) == ("s2", 12)


def test_forgetting_here_offers_to_bring_it_back(window, details, find, qtbot):
    qtbot.mouseClick(find(window, "Forget"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Forgotten" in words(details))
    qtbot.mouseClick(find(window, "Bring back"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Forgotten" not in words(details))


def test_the_last_choice_wins_over_a_slower_one(window, details, qtbot):
    window.context.selection.select_source("s0")
    window.context.selection.select_source("s1")
    qtbot.waitUntil(lambda: words(details)[:1] == ["The toothed wheel"])
    qtbot.wait(50)
    assert words(details)[0] == "The toothed wheel"


def test_sizes_use_the_unit_that_fits():
    assert [size_text(count) for count in (0, 900, 1500, 2_300_000)] == ["", "900 bytes", "1.5 KB", "2.3 MB"]


def test_the_card_says_what_a_source_brings_and_leads_there(window, find, qtbot):
    window.context.selection.select_source("s0")
    window.show_side("details")
    card = find_card(window, qtbot)
    shown = [one.text() for one in card.findChildren(QLabel)]
    assert [text for text in shown if text in CARD_SECTIONS] == list(CARD_SECTIONS)
    links = {one.accessibleName(): one for one in card.findChildren(QPushButton)}
    opened = []
    window.context.selection.opened.connect(opened.append)
    links["speed of light: 299,796 ± 4 km/s ≠ 299,774 ± 11 km/s"].click()
    assert (opened[-1].pane, opened[-1].source_id) == ("reader", "s0"), "this source's own side"
    links["turning mirror"].click()
    assert (opened[-1].pane, opened[-1].text) == ("graph", "turning mirror")
    links["Who measured the velocity of light?"].click()
    assert (opened[-1].pane, opened[-1].text) == ("chat", "Who measured the velocity of light?")


CARD_SECTIONS = ("Summary", "Disagrees with", "Key claims", "New here", "Questions it answers")


def find_card(window, qtbot):
    cards = []

    def found():
        cards[:] = [one for one in window.findChildren(SourceCardView) if one.isVisible()]
        return bool(cards)

    qtbot.waitUntil(found)
    return cards[0]


def chips(details):
    return [
        one.text() for one in details.findChildren(QPushButton) if one.property("role") == "tag" and one.isVisible()
    ]


def test_tags_are_added_by_typing_taken_off_by_a_click_and_put_back(window, details, find, calls, qtbot):
    assert chips(details) == ["optics  ×"]
    field = find(window, "Add a tag")
    field.setFocus()
    qtbot.keyClicks(field, " key paper ")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: chips(details) == ["optics  ×", "key paper  ×"])
    assert calls("curation.tag") == [{"source_id": "s2", "name": "key paper"}]
    assert find(window, "Add a tag").hasFocus(), "one tag after the other, without reaching for the mouse"
    qtbot.mouseClick(find(window, "Take off the tag optics"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: chips(details) == ["key paper  ×"])
    toast = next(one for one in window.findChildren(Toast) if "optics" in one.announcement.text)
    toast.announcement.undo()
    qtbot.waitUntil(lambda: chips(details) == ["key paper  ×", "optics  ×"])


def test_what_she_types_survives_news_about_the_source(window, details, find, qtbot):
    field = find(window, "Add a tag")
    field.setFocus()
    qtbot.keyClicks(field, "half a wo")
    window.context.bridge.run(curate.tag(window.context, "s2", "from elsewhere"))
    qtbot.waitUntil(lambda: "from elsewhere  ×" in chips(details))
    assert find(window, "Add a tag") is not field, "the panel was made anew"
    assert find(window, "Add a tag").text() == "half a wo"
    assert find(window, "Add a tag").hasFocus()


def test_her_highlights_are_listed_with_their_notes_the_last_word_on_a_place_counts(window, details, qtbot):
    place = Locator(kind="page", page=3, page_label="3")
    call = window.context.bridge.call

    async def mark() -> None:
        for note in ("", "compare with 1879"):
            await call(
                "curation.highlight", source_id="s2", quote="a steam engine", locator=place, colour="", note=note
            )

    window.context.bridge.run(mark())
    qtbot.waitUntil(lambda: len(cards_of(details)) == 1 and "compare" in cards_of(details)[0].accessibleName())
    assert cards_of(details)[0].accessibleName() == "compare with 1879, p. 3: a steam engine"
    opened = []
    window.context.selection.opened.connect(opened.append)
    qtbot.keyClick(cards_of(details)[0], Qt.Key.Key_Return)
    assert (opened[-1].pane, opened[-1].locator) == ("reader", place)
    (away,) = [one for one in details.findChildren(QPushButton) if one.text() == "Take away" and one.isVisible()]
    away.click()
    qtbot.waitUntil(lambda: cards_of(details) == [])
    toast = window.toasts.showing()[-1]
    assert (toast.text, toast.undo_text) == ("The highlight is taken away.", "Undo")
    toast.undo()
    qtbot.waitUntil(lambda: len(cards_of(details)) == 1)
    assert cards_of(details)[0].accessibleName() == "compare with 1879, p. 3: a steam engine"


def cards_of(details):
    return [one for one in details.findChildren(PassageCard) if one.isVisible()]


def test_the_graph_and_the_page_of_a_source_are_a_click_away(window, details, find, qtbot):
    opened = []
    window.context.selection.opened.connect(opened.append)
    for name, pane in (("Graph", "graph"), ("Wiki page", "wiki")):
        (one,) = [button for button in details.findChildren(QPushButton) if button.text() == name]
        qtbot.mouseClick(one, Qt.MouseButton.LeftButton)
        assert (opened[-1].pane, opened[-1].source_id) == (pane, "s2")


def test_news_that_change_nothing_leave_the_panel_alone(window, details, calls, qtbot):
    card = find_card(window, qtbot)
    before = len(calls("sources.card"))
    window.context.bridge.notice.emit(Notice(topic="sources"))
    qtbot.waitUntil(lambda: len(calls("sources.card")) > before)
    qtbot.wait(100)
    assert card.isVisible()
    assert find_card(window, qtbot) is card
    assert len(calls("sources.card")) == before + 1
