"""Every control has a name, can be reached by keys, and is big enough; walked over the whole window in every state."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

from trisynapse_desktop.pane import PANES, Announcement
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.inline_form import InlineForm

CONTROLS = (QAbstractButton, QAbstractItemView, QLineEdit, QPlainTextEdit, QTextEdit, QTabBar)


def controls(window):
    inner = ("qt_", "ScrollLeftButton", "ScrollRightButton", "_q_")
    return [
        widget
        for widget in window.findChildren(QWidget)
        if (isinstance(widget, CONTROLS) or widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and not isinstance(widget, QHeaderView | QLabel)
        and not widget.objectName().startswith(inner)
        and not isinstance(widget.parent(), QLineEdit)
        and widget.window() is window
    ]


def spoken_name(widget):
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""


@pytest.fixture
def full_window(window, qtbot):
    """Every pane built, every overlay made, the sidebar open."""
    for row in PANES:
        window.show_target(Target(row.id, source_id="s2" if row.place != "centre" else "", text="mirror"))
    window.announce(Announcement("Added.", "Now.", "good", "Undo", lambda: None))
    window.commands.show_palette()
    window.commands.sheet.ask("text")
    qtbot.wait(300)
    return window


def nameless(window):
    return [
        f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}"
        for widget in controls(window)
        if not spoken_name(widget).strip()
    ]


def with_odd_names(window):
    return [
        name for name in map(spoken_name, controls(window)) if name and not any(letter.isalpha() for letter in name)
    ]


def unreachable(window):
    # A list in the palette is moved by the field above it; a tab's cross has Ctrl+W.
    spared = {"Choices"}
    return [
        f"{type(widget).__name__} {spoken_name(widget)!r}"
        for widget in controls(window)
        if widget.isVisible()
        and widget.isEnabled()
        and not widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and spoken_name(widget) not in spared
        and not spoken_name(widget).startswith("Close ")
    ]


def too_small(window):
    return [
        f"{spoken_name(widget)!r} {widget.width()}x{widget.height()}"
        for widget in controls(window)
        if widget.isVisible() and isinstance(widget, QAbstractButton) and widget.height() < 18
    ]


def hidden_sideways(window):
    return [
        widget.accessibleName()
        for widget in window.findChildren(QAbstractScrollArea)
        if widget.isVisible() and widget.horizontalScrollBar().maximum() > 0
    ]


def test_every_control_has_a_name_for_screen_readers(full_window):
    assert nameless(full_window) == []


def test_no_name_is_only_a_symbol(full_window):
    assert with_odd_names(full_window) == []


def test_every_visible_control_can_be_reached_by_keys(full_window):
    assert unreachable(full_window) == []


def test_what_can_be_clicked_is_at_least_20_pixels_high(full_window):
    assert too_small(full_window) == []


def test_scrolling_areas_do_not_hide_content_sideways(full_window):
    assert hidden_sideways(full_window) == []


def test_the_same_holds_for_claims_pages_and_background_work_in_front(window, find, qtbot):
    def look(state):
        qtbot.wait(100)
        for fault in (nameless, with_odd_names, unreachable, too_small, hidden_sideways):
            assert (state, fault(window)) == (state, [])

    window.show_target(Target("graph", text="speed of light"))
    view = find(window, "Concept graph")
    qtbot.waitUntil(lambda: bool(view.graph.edges))
    view.choose_node("speed of light")
    look("a concept")
    view.choose_edge(view.graph.edges[0])
    qtbot.waitUntil(lambda: bool(window.findChildren(InlineForm)))
    look("a dispute")
    for form in window.findChildren(InlineForm):
        form.unfold()
    look("a dispute while it is being decided")
    window.show_target(Target("wiki", text="speed of light"))
    qtbot.waitUntil(lambda: "Wiki page Speed of light" in [one.accessibleName() for one in controls(window)])
    find(window, "Wiki page Speed of light").link_wanted.emit("claim:claim-0")
    look("a page with a claim beside it")
    window.show_target(Target("activity"))
    qtbot.waitUntil(lambda: "Pause: Reading facts" in [one.accessibleName() for one in controls(window)])
    look("background work")
    window.context.selection.select_source("s3")
    window.show_side("details")
    qtbot.waitUntil(lambda: "Add a tag" in [one.accessibleName() for one in controls(window)])
    look("a source's details")


def test_tab_walks_through_the_window_and_comes_round(full_window, qtbot):
    full_window.commands.sheet.hide()
    full_window.commands.palette.hide()
    full_window.show_target(Target("sources"))
    seen = []
    while (focused := full_window.focusWidget()) not in seen:
        seen.append(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    names = {spoken_name(widget) for widget in seen}
    assert {"Library", "Search", "Filter sources", "Sources", "Groups", "Show Ask"} <= names
    assert full_window.tabs.findChild(QTabBar) in seen
