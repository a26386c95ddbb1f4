from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QIcon, QKeySequence
from PySide6.QtWidgets import QWidget

from trisynapse_desktop.actions import MENUS, ROWS, ActionRow, Actions

TABLE = (
    ActionRow("a.go", "Go…", "File", "Ctrl+G", hint="Go there"),
    ActionRow("b.stop", "Stop", "Edit", when="running"),
)


@pytest.fixture
def actions(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    made = Actions(window, lambda _name: QIcon(), TABLE)
    made.keep_alive = window
    return made


def test_an_action_nobody_bound_is_not_possible(actions):
    assert not actions.action("a.go").isEnabled()
    actions.bind("a.go", lambda: None)
    assert actions.action("a.go").isEnabled()


def test_an_action_is_possible_only_while_its_condition_holds(actions):
    actions.bind("b.stop", lambda: None)
    assert not actions.action("b.stop").isEnabled()
    actions.set_condition("running", True)
    assert actions.action("b.stop").isEnabled()
    actions.set_condition("running", False)
    assert not actions.action("b.stop").isEnabled()


def test_the_latest_binding_runs_and_its_use_is_noted(actions, qtbot):
    done = []
    actions.bind("a.go", lambda: done.append("old"))
    actions.bind("a.go", lambda: done.append("new"))
    with qtbot.waitSignal(actions.used) as used:
        actions.action("a.go").trigger()
    assert done == ["new"]
    assert used.args == ["a.go"]


def test_binding_a_name_the_table_does_not_know_is_a_mistake(actions):
    with pytest.raises(KeyError):
        actions.bind("a.fly", lambda: None)


def test_a_tooltip_says_what_happens_and_by_which_keys(actions):
    assert actions.tooltip("a.go") == "Go there  (Ctrl+G)"
    assert actions.tooltip("b.stop") == "Stop"


def test_no_two_actions_share_an_id_or_a_shortcut():
    keys = Counter(QKeySequence(row.shortcut).toString() for row in ROWS if row.shortcut)
    assert [key for key, count in keys.items() if count > 1] == []
    assert len({row.id for row in ROWS}) == len(ROWS)


def test_every_action_lives_in_a_menu_and_every_shortcut_can_be_typed():
    assert {row.menu for row in ROWS} <= set(MENUS)
    assert all(QKeySequence(row.shortcut).count() == 1 for row in ROWS if row.shortcut)
