from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QLabel, QTableView

from trisynapse_desktop.models.requests import RequestTable
from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.ledger import Ledger
from trisynapse_memory.types import EgressRow

AT = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
GONE = EgressRow(at=AT, host="api.example", purpose="answer", status=200, sent_bytes=900)
REFUSED = EgressRow(at=AT, host="other.example", purpose="answer", refused="network.offline")


@pytest.fixture
def ledger(qapp, qtbot):
    made = Ledger(Theme(qapp), RequestTable())
    qtbot.addWidget(made)
    made.show()
    return made


def words(ledger):
    return [one.text() for one in ledger.findChildren(QLabel) if one.isVisible()]


def test_what_was_refused_is_listed_and_not_counted_as_gone(ledger):
    ledger.show_rows([GONE, REFUSED, GONE], {})
    assert "2 requests to 1 host" in words(ledger)
    assert ledger.findChild(QTableView).model().rowCount() == 3


def test_an_empty_list_says_that_nothing_left(ledger):
    ledger.show_rows([GONE], {})
    ledger.show_rows([], {})
    assert "Nothing has left this computer." in words(ledger)
    assert not ledger.findChild(QTableView).isVisible()


def test_a_short_list_takes_little_room_and_a_long_one_scrolls(ledger):
    heights = []
    for count in (1, 5, 400, 500):
        ledger.show_rows([GONE] * count, {})
        heights.append(ledger._stack.height())
    assert heights[0] < heights[1] < heights[2] == heights[3]
