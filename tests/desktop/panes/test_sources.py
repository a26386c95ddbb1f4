from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from trisynapse_desktop.models.sources import NOVELTY
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.cells import COUNT_ROLE


@pytest.fixture
def table(window, find):
    return find(window, "Sources")


def shown(window, kind, name):
    return [child for child in window.findChildren(kind) if child.accessibleName() == name and child.isVisible()]


def titles(table):
    model = table.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_typing_narrows_the_table_and_the_count_says_so(window, table, find, qtbot):
    qtbot.keyClicks(find(window, "Filter sources"), "michelson")
    qtbot.waitUntil(lambda: table.model().rowCount() == 1)
    assert titles(table) == ["Michelson and Newcomb on the Potomac"]
    find(window, "Filter sources").clear()
    qtbot.waitUntil(lambda: table.model().rowCount() == 8)


def test_groups_count_what_they_hold_and_narrow_the_table(window, table, find):
    groups = find(window, "Groups")
    texts = [groups.item(row).text() for row in range(groups.count())]
    assert texts[:3] == ["All sources", "Needs a look", "Kinds"]
    groups.setCurrentRow(texts.index("Needs a look"))
    assert sorted(titles(table)) == ["Michelson and Newcomb on the Potomac", "Scanned letters of the observatory"]


def test_enter_opens_the_chosen_source_in_a_reader_tab(window, table, qtbot):
    table.setCurrentIndex(table.model().index(1, 0))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert window.tabs.current_key() == "s1"


def test_choosing_a_row_tells_the_other_panes_and_enables_its_actions(window, table):
    actions = window.context.actions
    table.clearSelection()
    assert not actions.action("source.forget").isEnabled()
    table.setCurrentIndex(table.model().index(2, 0))
    assert window.context.selection.source_id == "s2"
    assert actions.action("source.forget").isEnabled()


def test_a_source_chosen_elsewhere_is_marked_in_the_table(window, table):
    window.context.selection.select_source("s4")
    assert table.currentIndex().data() == "From the cavity to the laser"


def test_forgotten_sources_leave_the_table_and_come_back_from_their_group(window, table, find, qtbot):
    table.setCurrentIndex(table.model().index(0, 0))
    window.context.actions.action("source.forget").trigger()
    qtbot.waitUntil(lambda: table.model().rowCount() == 7)
    groups = find(window, "Groups")
    texts = [groups.item(row).text() for row in range(groups.count())]
    groups.setCurrentRow(texts.index("Forgotten"))
    assert titles(table) == ["The turning mirror"]
    table.setCurrentIndex(table.model().index(0, 0))
    window.context.actions.action("source.reinstate").trigger()
    qtbot.waitUntil(lambda: "Forgotten" not in [groups.item(row).text() for row in range(groups.count())])
    qtbot.waitUntil(lambda: table.model().rowCount() == 8)


def test_an_empty_library_says_how_something_gets_in(make_window, vault, qtbot, find):
    window = make_window("--empty", folder=vault)
    qtbot.waitUntil(lambda: bool(shown(window, QWidget, "This library is empty")))
    assert shown(window, QPushButton, "Add files")
    assert not find(window, "Sources").isVisible()


def test_a_narrow_table_gives_up_columns_before_titles(window, table, qtbot):
    window.resize(760, 600)
    qtbot.wait(30)
    assert table.columnWidth(0) >= 200
    assert table.isColumnHidden(5)
    window.resize(1700, 800)
    qtbot.waitUntil(lambda: not any(table.isColumnHidden(place) for place in range(7)))


def test_opening_the_library_with_a_target_chooses_the_source_or_filters(window, table, find):
    window.show_target(Target("sources", source_id="s3"))
    assert table.currentIndex().data() == "The mountain and the tube"
    window.show_target(Target("sources", text="toothed"))
    assert find(window, "Filter sources").text() == "toothed"


def test_each_feed_is_a_group_with_its_entries_and_how_it_stands(window, table, find):
    groups = find(window, "Groups")
    texts = [groups.item(row).text() for row in range(groups.count())]
    at = texts.index("Feeds")
    assert texts[at + 1 : at + 4] == ["Light, weekly", "arXiv: cat:cs.CL AND abs:retrieval", "Old news"]
    assert "asks to come back later" in groups.item(at + 2).toolTip()
    assert [groups.item(at + row).data(COUNT_ROLE) for row in (1, 2, 3)] == ["0", "failing", "paused"]
    groups.setCurrentRow(at + 1)
    assert titles(table) == []  # none of the sample papers came from it


def test_a_table_as_wide_as_the_first_window_shows_how_new_each_source_was(window, table):
    window.resize(1280, 860)
    assert not table.isColumnHidden(NOVELTY)
    assert {table.model().index(row, NOVELTY).data() for row in range(8)} == {
        "2 disputed",
        "Partly new",
        "Little new",
        "Mostly new",
        None,
    }
