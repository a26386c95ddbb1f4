from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget

from trisynapse_desktop.pane import Announcement
from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.toast import STACK_LIMIT, ToastStack


@pytest.fixture
def stack(qapp, qtbot) -> ToastStack:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    window.show()
    made = ToastStack(window, Theme(qapp))
    made.setProperty("window", window)
    return made


def shown(stack: ToastStack) -> list[str]:
    return [announcement.text for announcement in stack.showing()]


def test_a_window_is_resized_and_speaks_again_after_a_message_has_left(stack, qtbot):
    stack.show(Announcement("First")).leave()
    qtbot.wait(50)
    assert shown(stack) == []
    stack.property("window").resize(900, 700)
    stack.show(Announcement("Second"))
    assert shown(stack) == ["Second"]


def test_what_stands_above_comes_down_when_the_lowest_leaves(stack):
    upper, lower = stack.show(Announcement("Upper")), stack.show(Announcement("Lower"))
    place = lower.y()
    assert upper.y() < place
    lower.leave()
    assert upper.y() == place


def test_the_oldest_makes_room_for_the_newest(stack):
    for number in range(STACK_LIMIT + 1):
        stack.show(Announcement(str(number)))
    assert shown(stack) == ["1", "2", "3"]


def test_undo_is_done_once_and_the_message_leaves(stack, qtbot):
    done = []
    toast = stack.show(Announcement("Added.", undo_text="Undo", undo=lambda: done.append(1)))
    toast._undo()
    assert (done, shown(stack)) == ([1], [])
