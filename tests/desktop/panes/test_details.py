from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from trisynapse_desktop.panes.details import size_text


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
