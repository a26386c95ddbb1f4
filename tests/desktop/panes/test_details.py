from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton

from trisynapse_desktop.operations import curate
from trisynapse_desktop.widgets.novelty_badge import NoveltyBadge
from trisynapse_desktop.widgets.page_ledger import PageLedger
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
    assert {"1882", "24 Feb 2026", "549.0 KB", "02.pdf", "Speed of light", "11 readable, 1 garbled"} <= set(shown)


def test_pages_in_trouble_are_listed_and_enter_opens_them(window, details, find, qtbot):
    assert "11 readable, 1 garbled" in words(details)
    page = find(window, "p. 12   garbled")
    opened = []
    window.context.selection.opened.connect(opened.append)
    page.setFocus()
    qtbot.keyClick(page, Qt.Key.Key_Return)
    assert (opened[-1].source_id, opened[-1].locator.page) == ("s2", 12)


def test_where_all_is_well_one_line_says_so(window, details, qtbot):
    window.context.selection.select_source("s3")
    qtbot.waitUntil(lambda: "All 9 pages: readable." in words(details))
    assert not [one for one in details.findChildren(PageLedger) if one.isVisible() and one.findChildren(QPushButton)]


def test_identifiers_are_shown_and_copied(window, details, find, qtbot):
    assert {"DOI", "10.5555/potomac.1882", "arXiv", "1882.01234", "Cite key", "olin1882"} <= set(words(details))
    qtbot.mouseClick(find(window, "Copy DOI 10.5555/potomac.1882"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "10.5555/potomac.1882"
    assert window.toasts.showing()[-1].text == "DOI copied."


def test_kin_and_the_file_it_lies_in_are_a_click_away(window, details, find, qtbot):
    find_card(window, qtbot)  # the panel is whole
    opened = []
    window.context.selection.opened.connect(opened.append)
    find(window, "2019.zip").click()
    assert (opened[-1].pane, opened[-1].text) == ("sources", "2019.zip")
    qtbot.waitUntil(lambda: find(window, "Sources").model().rowCount() == 1)
    assert find(window, "From the cavity to the laser (Web page)").isVisible(), "the entry that describes it"
    find(window, "Notes on aberration (Note)").click()
    qtbot.waitUntil(lambda: words(details)[:1] == ["Notes on aberration"])
    window.context.selection.select_source("s4")
    qtbot.waitUntil(lambda: "Its files" in words(details))


def test_pages_read_from_pictures_say_by_what_and_how_surely(window, details, find, qtbot):
    window.context.selection.select_source("s7")
    qtbot.waitUntil(lambda: "14 read from the picture, 8 picture only" in words(details))
    for line in ("p. 1–8   picture only", "p. 9–22   read from the picture by tesseract, 91% sure"):
        assert find(window, line).isVisible()


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


def test_how_new_a_source_was_is_said_with_what_it_rests_on(window, qtbot):
    window.show_side("details")
    window.context.selection.select_source("s0")
    qtbot.waitUntil(lambda: window.findChild(NoveltyBadge) is not None, timeout=5_000)
    badge = window.findChild(NoveltyBadge)
    assert badge.accessibleName() == (
        "Mostly new \u00b7 2 disputed. When it came, its typical passage was 38 % like the nearest one in the library,"
        " its newest 19 %. 9 of its 12 claims were new. 2 are in dispute with other sources."
    )
