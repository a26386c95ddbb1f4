from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import Qt

from trisynapse_desktop.models.requests import RECEIVED, SOURCES, RequestTable, bytes_words
from trisynapse_memory.types import EgressRow

ROW = EgressRow(
    at=datetime(2026, 3, 14, 9, 30, tzinfo=UTC),
    host="api.example",
    purpose="answer",
    status=200,
    sent_bytes=9_999,
    received_bytes=120_400,
    source_ids=("a", "b", "c"),
)


def cell(table, column, role=Qt.ItemDataRole.DisplayRole):
    return table.data(table.index(0, column), role)


def test_sources_are_named_the_rest_is_counted_and_the_tooltip_names_all(qapp):
    table = RequestTable()
    table.show([ROW], {"a": "First", "b": "Second"})
    assert cell(table, SOURCES) == "First, Second and 1 more"
    assert cell(table, SOURCES, Qt.ItemDataRole.ToolTipRole) == "First, Second, c"
    assert cell(table, RECEIVED) == "120 kB"


def test_a_refused_request_says_why_nothing_left(qapp):
    table = RequestTable()
    table.show([EgressRow(at=ROW.at, host="h", purpose="answer", refused="network.offline")], {})
    assert cell(table, 2) == "answer (refused)"
    assert cell(table, 2, Qt.ItemDataRole.ToolTipRole) == "Nothing left: network.offline"


def test_bytes_are_exact_while_they_are_few():
    assert [bytes_words(one) for one in (0, 9_999, 10_000, 1_234_567)] == ["0 B", "9,999 B", "10 kB", "1,235 kB"]
