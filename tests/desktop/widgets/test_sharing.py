from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.setting_parts import Choice
from trisynapse_desktop.widgets.sharing import Budget, SharingRules
from trisynapse_memory.types import Sharing, SharingRule, Spending


@pytest.fixture
def budget(qapp, qtbot):
    made = Budget(Theme(qapp))
    qtbot.addWidget(made)
    made.show()
    return made


def test_sources_in_no_collection_come_first(qapp, qtbot):
    rules = SharingRules(Theme(qapp))
    qtbot.addWidget(rules)
    given = [("Optics", Sharing.ALLOW), ("", Sharing.ASK), ("interviews", Sharing.NEVER)]
    rules.show_rules([SharingRule(collection=name, sharing=sharing) for name, sharing in given])
    shown = [(one.accessibleName(), one.currentText()) for one in rules.findChildren(Choice)]
    assert shown == [
        ("What may be sent of Sources in no collection", "Ask me each time"),
        ("What may be sent of interviews", "Never sent"),
        ("What may be sent of Optics", "May be sent"),
    ]


def test_a_limit_is_told_once_and_taken_away_by_an_empty_field(budget, qtbot):
    told = []
    budget.limited.connect(told.append)
    field = budget.findChild(QLineEdit)
    budget.show_spending(Spending(spent_usd=0.0))
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert told == []
    qtbot.keyClicks(field, "2.5")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert told == [2.5]
    budget.show_spending(Spending(spent_usd=0.0, budget_usd=2.5))
    field.clear()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert told == [2.5, None]


def test_what_was_spent_is_said_with_what_has_no_price(budget):
    budget.show_spending(Spending(spent_usd=1.5, input_tokens=12_000, output_tokens=300, unpriced_count=2))
    expected = "This month: 1.50 US dollars · 12,000 tokens sent, 300 written · 2 answers without a known price"
    assert expected in [one.text() for one in budget.findChildren(QLabel)]
