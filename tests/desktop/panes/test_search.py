from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QWidget

from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.toast import Toast


@pytest.fixture
def field(window, find):
    window.show_target(Target("search"))
    return find(window, "Search every passage")


@pytest.fixture
def hits(window, field, find):
    return find(window, "Passages found")


def named_widget(window, name):
    return [child for child in window.findChildren(QWidget) if child.accessibleName() == name and child.isVisible()]


def bars(window):
    return [bar.accessibleName() for bar in window.findChildren(QProgressBar) if bar.isVisible()]


def test_results_come_while_typing_and_the_last_words_win(window, field, hits, calls, qtbot):
    for letter in "mirror":
        qtbot.keyClick(field, letter)
    qtbot.waitUntil(lambda: len(hits.hits()) == 5)
    qtbot.waitUntil(lambda: calls("search")[-1]["question"] == "mirror")
    assert len(calls("search")) < 6
    field.setText("zzz")
    qtbot.waitUntil(lambda: hits.hits() == ())
    assert named_widget(window, "Nothing about “zzz”")


def test_enter_in_the_field_opens_the_best_passage(window, field, hits, qtbot):
    opened = []
    window.context.selection.opened.connect(opened.append)
    field.setText("mirror")
    qtbot.waitUntil(lambda: bool(hits.hits()))
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert opened[-1].source_id == "s0"
    assert (opened[-1].locator.page, opened[-1].locator.start) == (2, 10)
    assert window.tabs.current_key() == "s0"
    assert window.context.selection.record_id == "rec-0"


def test_down_walks_into_the_results(field, hits, qtbot):
    field.setText("mirror")
    qtbot.waitUntil(lambda: bool(hits.hits()))
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert hits.hasFocus()


def test_the_score_of_a_hit_is_explained_on_demand(window, field, hits, find, qtbot):
    field.setText("mirror")
    qtbot.waitUntil(lambda: bool(hits.hits()))
    assert bars(window) == []
    qtbot.mouseClick(find(window, "Why this passage?"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(bars(window)) == 3)
    assert bars(window) == ["words: 0.67", "meaning: 0.42", "exact term: 0.12"]


def test_an_empty_field_explains_itself(window, field, hits, qtbot):
    field.setText("mirror")
    qtbot.waitUntil(lambda: bool(hits.hits()))
    field.clear()
    assert named_widget(window, "Find the passage you remember")
    assert hits.hits() == ()


def test_a_failed_search_says_why_and_the_next_one_works(window, field, hits, qtbot):
    field.setText("!refuse")
    qtbot.waitUntil(lambda: bool(named_widget(window, "No.")))
    field.setText("mirror")
    qtbot.waitUntil(lambda: len(hits.hits()) == 5)


def test_a_search_lost_with_the_engine_is_repeated_when_it_is_back(window, field, hits, calls, qtbot):
    field.setText("!die")
    qtbot.waitUntil(lambda: window.banner.isVisible())
    field.setText("mirror")
    qtbot.waitUntil(lambda: len(hits.hits()) == 5, timeout=10_000)


def test_the_chosen_passage_is_forgotten_and_comes_back_with_undo(window, field, hits, find, calls, qtbot):
    field.setText("mirror")
    qtbot.waitUntil(lambda: len(hits.hits()) == 5)
    first = hits.current().record.id
    qtbot.mouseClick(find(window, "Forget this passage"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(hits.hits()) == 4)
    assert first not in [hit.record.id for hit in hits.hits()]
    assert calls("forget") == [{"record_id": first, "reason": "Forgotten by hand."}]
    toast = next(one for one in window.findChildren(Toast) if one.announcement.text.startswith("Forgot a passage"))
    toast.announcement.undo()
    qtbot.waitUntil(lambda: len(hits.hits()) == 5)


def test_there_is_nothing_to_forget_where_nothing_was_found(window, field, hits, find, qtbot):
    field.setText("zzz")
    qtbot.waitUntil(lambda: bool(named_widget(window, "Nothing about “zzz”")))
    assert find(window, "Forget this passage").isHidden()
