"""Followed feeds in the settings: what she does is asked of the engine, and nothing before its host was named."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton

from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.follow_sheet import FollowSheet


@pytest.fixture
def pane(window, qtbot):
    window.show_target(Target("settings", text="folders"))
    slot = window.tabs.findChild(object, "slot-settings")
    qtbot.waitUntil(lambda: "Light, weekly" in words(slot), timeout=10_000)
    return slot


def words(widget):
    return [one.text() for one in widget.findChildren(QLabel) if one.text() and one.isVisibleTo(widget)]


def press(pane, name, qtbot):
    def shown():
        return [one for one in pane.findChildren(QPushButton) if one.accessibleName() == name and one.isVisible()]

    qtbot.waitUntil(lambda: len(shown()) == 1, timeout=10_000)  # the list is made anew when a feed has changed
    qtbot.mouseClick(shown()[0], Qt.MouseButton.LeftButton)


def test_feeds_are_listed_beside_the_folders_and_asked_paused_and_left(pane, window, calls, qtbot):
    assert "https://light.example/rss.xml · into “Optics”" in words(pane)
    press(pane, "Ask now Light, weekly", qtbot)
    qtbot.waitUntil(lambda: bool(window.toasts.showing()), timeout=5_000)
    assert window.toasts.showing()[-1].text == "“Light, weekly”: 2 new entries."
    press(pane, "Pause Light, weekly", qtbot)
    qtbot.waitUntil(lambda: calls("feeds.pause") == [{"feed_id": "feed_light"}], timeout=5_000)
    press(pane, "Stop following Old news", qtbot)
    qtbot.waitUntil(lambda: "Old news" not in words(pane), timeout=5_000)
    toast = window.toasts.showing()[-1]
    assert (toast.text, toast.hint) == ("“Old news” is no longer followed.", "Its entries stay.")
    toast.undo()
    expected = {"address": "https://old.example/feed", "collection": ""}
    qtbot.waitUntil(lambda: calls("feeds.follow")[-1:] == [expected], timeout=5_000)


def test_a_feed_is_followed_from_the_sheet_that_names_its_host(pane, window, calls, qtbot):
    press(pane, "Follow a feed", qtbot)
    sheet = window.findChild(FollowSheet)
    assert sheet.isVisible()
    sheet.findChildren(QLineEdit)[0].setText("https://new.example/rss")
    qtbot.waitUntil(lambda: "new.example is asked" in sheet.note, timeout=5_000)
    assert calls("feeds.follow") == []
    press(sheet, "Follow, ask new.example", qtbot)
    expected = {"address": "https://new.example/rss", "collection": ""}
    qtbot.waitUntil(lambda: calls("feeds.follow") == [expected], timeout=5_000)
    qtbot.waitUntil(lambda: bool(window.toasts.showing()), timeout=5_000)
    assert window.toasts.showing()[-1].text == "“A new feed” is followed."


def test_all_feeds_are_asked_at_once_and_what_failed_is_counted(window, calls, qtbot):
    window.context.actions.action("feeds.refresh").trigger()
    qtbot.waitUntil(lambda: bool(window.toasts.showing()), timeout=5_000)
    toast = window.toasts.showing()[-1]
    assert (toast.text, toast.hint) == (
        "4 new entries.",
        "1 could not be read; Settings, Folders and feeds says why.",
    )
