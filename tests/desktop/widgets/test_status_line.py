from __future__ import annotations

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.status_line import StatusLine


@pytest.fixture
def line(qapp, qtbot):
    made = StatusLine(Theme(qapp), *(QAction(name, qapp) for name in ("models", "privacy")))
    qtbot.addWidget(made)
    made.show()
    return made


def test_what_left_is_always_said_and_offline_with_it(line):
    assert line.words() == "No vault | 0 requests sent"
    line.show_network(offline=True, request_count=1)
    assert line.words() == "No vault | Offline · 1 request sent"
    assert line.is_offline


def test_a_model_is_named_only_while_one_writes(line):
    line.show_model("Small 1B")
    assert line.words() == "No vault | Small 1B | 0 requests sent"
    line.show_model("")
    assert "Small" not in line.words()
    assert not line._model.isVisible()


def test_both_lead_to_where_they_are_decided(qapp, qtbot):
    went = []
    actions = [QAction(name, qapp) for name in ("models", "privacy")]
    actions[0].triggered.connect(lambda: went.append("models"))
    actions[1].triggered.connect(lambda: went.append("privacy"))
    line = StatusLine(Theme(qapp), *actions)
    qtbot.addWidget(line)
    line.show_model("Small 1B")
    for link in line.findChildren(QToolButton):
        link.click()
    assert went == ["models", "privacy"]
