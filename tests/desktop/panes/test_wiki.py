from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QLineEdit, QPushButton, QScrollArea

from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.markdown import RichText
from trisynapse_desktop.widgets.toast import Toast
from trisynapse_memory.types import Notice


@pytest.fixture
def text(window, find, qtbot):
    window.show_target(Target("wiki", text="Speed of light"))
    qtbot.waitUntil(lambda: any(one.accessibleName() == "Wiki page Speed of light" for one in pages(window)))
    return find(window, "Wiki page Speed of light")


def pages(window):
    return [one for one in window.findChildren(RichText) if one.isVisible()]


def click(text, address):
    text.anchorClicked.emit(QUrl(address))


def test_a_page_shows_its_sections_chips_and_links(text):
    words = text.toPlainText()
    assert "What it is" in words
    assert "Foucault measured the speed of light" in words
    html = text.toHtml()
    assert "cite:k1:0" in html
    assert "page:the-turning-mirror" in html


def test_a_chip_opens_the_passage(window, text):
    opened = []
    window.context.selection.opened.connect(opened.append)
    click(text, "cite:k1:0")
    assert (opened[-1].pane, opened[-1].source_id, opened[-1].locator.page) == ("reader", "s0", 2)


def test_a_stale_sentence_is_a_diff_and_is_accepted(window, text, calls, qtbot):
    words = text.toPlainText()
    assert "Its source has a new version." in words
    assert "Essen gave its uncertainty as 3 km/s." in words
    assert "The table of 1969 gives 1 km/s." in words
    click(text, "accept:k2")
    qtbot.waitUntil(lambda: "Essen gave" not in text.toPlainText())
    assert calls("wiki.accept") == [{"slug": "speed-of-light", "key": "k2"}]
    assert "The table of 1969 gives 1 km/s." in text.toPlainText()


def test_a_stale_sentence_can_be_kept(text, qtbot):
    click(text, "reject:k2")
    qtbot.waitUntil(lambda: "The table of 1969" not in text.toPlainText())
    assert "Essen gave its uncertainty as 3 km/s." in text.toPlainText()


def test_links_lead_to_other_pages_and_back(window, text, find, qtbot):
    click(text, "page:the-turning-mirror")
    qtbot.waitUntil(lambda: any(one.accessibleName() == "Wiki page The turning mirror" for one in pages(window)))
    window.context.navigation.back()
    qtbot.waitUntil(lambda: any(one.accessibleName() == "Wiki page Speed of light" for one in pages(window)))


def test_the_list_is_filtered_and_chosen_by_keyboard(window, text, find, qtbot):
    field, listed = find(window, "Find a page"), find(window, "Wiki pages")
    qtbot.keyClicks(field, "mirror")
    assert [listed.item(row).text() for row in range(listed.count())] == ["Sources", "The turning mirror"]
    listed.setFocus()
    qtbot.keyClick(listed, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: any(one.accessibleName() == "Wiki page The turning mirror" for one in pages(window)))


def test_an_empty_vault_says_how_pages_come_and_builds_them(make_window, vault, find, qtbot):
    window = make_window("--empty", folder=vault)
    window.show_target(Target("wiki"))
    qtbot.waitUntil(
        lambda: any(one.isVisible() and one.title == "No pages yet" for one in window.findChildren(EmptyState))
    )
    build = next(one for one in window.findChildren(QPushButton) if one.text() == "Build" and one.isVisible())
    qtbot.mouseClick(build, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(pages(window)))


def test_a_sentence_can_be_kept_for_good(text, calls, qtbot):
    click(text, "keep:k2")
    qtbot.waitUntil(lambda: calls("wiki.keep") == [{"slug": "speed-of-light", "key": "k2"}])


def test_a_dispute_on_a_page_is_decided_beside_it(window, text, find, calls, qtbot):
    click(text, "claim:claim-0")
    panel = find(window, "Evidence of the chosen claim")
    qtbot.waitUntil(panel.isVisible)
    resolve = next(one for one in panel.findChildren(QPushButton) if one.text().startswith("Resolve as mine"))
    qtbot.mouseClick(resolve, Qt.MouseButton.LeftButton)
    reason = next(one for one in panel.findChildren(QLineEdit) if one.isVisible())
    reason.setText("the tube leaked")
    qtbot.keyClick(reason, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(calls("claims.resolve")))
    assert calls("claims.resolve")[0]["claim_id"] == "claim-0"
    assert panel.isVisible(), "the claim stays beside the page, with her word on it"
    assert not find(window, "Wiki pages").isVisible(), "the list makes room for it"
    qtbot.mouseClick(find(window, "Close the claim"), Qt.MouseButton.LeftButton)
    assert not panel.isVisible()
    assert find(window, "Wiki pages").isVisible()


def test_a_page_is_found_by_another_name_and_by_its_source(window, text, qtbot):
    window.show_target(Target("wiki", source_id="s0"))
    qtbot.waitUntil(lambda: any(one.accessibleName() == "Wiki page The turning mirror" for one in pages(window)))
    window.show_target(Target("wiki", text="Velocity of light"))
    qtbot.waitUntil(lambda: any(one.accessibleName() == "Wiki page Speed of light" for one in pages(window)))


def test_a_name_without_a_page_is_said_so_and_the_page_stays(window, text, qtbot):
    window.show_target(Target("wiki", text="phlogiston"))
    qtbot.waitUntil(lambda: any("phlogiston" in one.announcement.text for one in window.findChildren(Toast)))
    assert text.accessibleName() == "Wiki page Speed of light"


def test_contents_lead_down_the_page(window, text, qtbot):
    window.resize(1000, 420)
    area = next(one for one in window.findChildren(QScrollArea) if one.accessibleName() == "Wiki page")
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    assert [text.top_of(f"section-{number}") for number in range(5)] == sorted(
        {text.top_of(f"section-{number}") for number in range(5)}
    )
    click(text, "#section-3")
    assert area.verticalScrollBar().value() == min(text.top_of("section-3"), area.verticalScrollBar().maximum())


def test_the_whole_way_by_keyboard_from_the_filter_to_the_passage(window, qapp, find, qtbot):
    window.resize(1000, 420)
    opened = []
    window.context.selection.opened.connect(opened.append)
    window.context.actions.action("go.wiki").trigger()
    field = find(window, "Find a page")
    qtbot.waitUntil(lambda: qapp.focusWidget() is field)
    qtbot.waitUntil(lambda: find(window, "Wiki pages").count() > 0)
    qtbot.keyClicks(field, "velocity")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: qapp.focusWidget().accessibleName() == "Wiki page Speed of light")
    text = qapp.focusWidget()
    area = next(one for one in window.findChildren(QScrollArea) if one.accessibleName() == "Wiki page")
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    for _ in range(30):
        qtbot.keyClick(text, Qt.Key.Key_Tab)
        if text.textCursor().charFormat().anchorHref() == "cite:k8:0":
            break
    assert text.textCursor().charFormat().anchorHref() == "cite:k8:0"
    assert area.verticalScrollBar().value() > 0, "the page follows the link that has the keys"
    qtbot.keyClick(text, Qt.Key.Key_Return)
    assert (opened[-1].pane, opened[-1].source_id) == ("reader", "s0")


def test_down_goes_from_the_filter_into_the_list_and_enter_to_the_page(window, text, qapp, find, qtbot):
    field, listed = find(window, "Find a page"), find(window, "Wiki pages")
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert qapp.focusWidget() is listed
    qtbot.keyClick(listed, Qt.Key.Key_Return)
    assert qapp.focusWidget() is text


def test_news_elsewhere_do_not_take_the_keys_off_a_link(window, text, calls, qtbot):
    text.setFocus()
    qtbot.keyClick(text, Qt.Key.Key_Tab)
    link = text.textCursor().charFormat().anchorHref()
    assert link.startswith("#section")
    before = len(calls("wiki.show"))
    window.context.bridge.notice.emit(Notice(topic="claims"))
    qtbot.waitUntil(lambda: len(calls("wiki.show")) > before)
    qtbot.wait(50)
    assert text.textCursor().charFormat().anchorHref() == link
