"""What she opens is told to the engine with its question, and nothing is learned or changed before she agrees."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QTableView, QToolButton

from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.hit_list import HitList
from trisynapse_desktop.widgets.setting_parts import Switch


@pytest.fixture
def settings(window, qtbot):
    window.show_target(Target("settings", text="privacy"))
    slot = window.tabs.findChild(object, "slot-settings")
    qtbot.waitUntil(lambda: slot.findChild(QTableView).model().rowCount() == 24, timeout=10_000)
    return slot


def words(widget):
    return [one.text() for one in widget.findChildren(QLabel) if one.text() and one.isVisibleTo(widget)]


def press(widget, kind, name, qtbot):
    (found,) = [one for one in widget.findChildren(kind) if one.accessibleName() == name and one.isVisibleTo(widget)]
    qtbot.mouseClick(found, Qt.MouseButton.LeftButton)


def test_it_is_off_until_she_says_so_and_what_is_proposed_waits_for_her(settings, calls, qtbot):
    assert "Off. Results stand in their usual order." in words(settings)
    (switch,) = [one for one in settings.findChildren(Switch) if one.accessibleName() == "Learn from what I open"]
    switch.click()
    qtbot.waitUntil(lambda: calls("tuning.switch") == [{"on": True}], timeout=5_000)
    qtbot.waitUntil(lambda: "A better order was found" in words(settings), timeout=5_000)
    assert calls("tuning.apply") == []
    press(settings, QPushButton, "Use this order", qtbot)
    qtbot.waitUntil(lambda: "Results stand in the learned order." in " ".join(words(settings)), timeout=5_000)
    press(settings, QPushButton, "Back to the usual order", qtbot)
    qtbot.waitUntil(lambda: calls("tuning.revert") == [{}], timeout=5_000)


def test_a_hit_that_is_opened_or_marked_is_told_with_its_question(window, calls, qtbot):
    window.show_target(Target("search", text="mirror"))
    slot = window.tabs.findChild(object, "slot-search")
    hits = slot.findChild(HitList)
    qtbot.waitUntil(lambda: len(hits.hits()) > 0, timeout=10_000)
    record_id = hits.hits()[0].record.id
    press(slot, QPushButton, "Right for this question", qtbot)
    marked = {"query_id": "q1", "record_id": record_id, "judged_by": "marked"}
    qtbot.waitUntil(lambda: calls("tuning.note") == [marked], timeout=5_000)
    hits.opened.emit(hits.hits()[0])
    qtbot.waitUntil(lambda: calls("tuning.note")[1:] == [{"query_id": "q1", "record_id": record_id}], timeout=5_000)


def test_an_answer_can_be_judged_and_its_citations_are_told(window, calls, qtbot):
    window.show_target(Target("chat", text="Who turned a mirror?"))
    qtbot.waitUntil(lambda: bool(calls("query")), timeout=10_000)

    def is_offered():
        made = [one for one in window.findChildren(QToolButton) if one.accessibleName() == "This helped"]
        return any(one.isVisibleTo(window) for one in made)

    qtbot.waitUntil(is_offered, timeout=10_000)
    press(window, QToolButton, "This helped", qtbot)
    qtbot.waitUntil(lambda: [one["helpful"] for one in calls("feedback")] == [True], timeout=5_000)
    press(window, QToolButton, "This did not help", qtbot)
    qtbot.waitUntil(lambda: [one["helpful"] for one in calls("feedback")] == [True, False], timeout=5_000)
