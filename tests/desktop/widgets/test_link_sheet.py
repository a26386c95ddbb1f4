from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.link_sheet import LinkSheet, sent_words
from trisynapse_memory.types import LinkPlan

PLAN = LinkPlan(hosts={"a.example": 1200, "b.example": 1}, total=1201, source_ids=("s1", "s2"))


@pytest.fixture
def sheet(qapp, qtbot):
    window = QWidget()
    window.resize(900, 700)
    qtbot.addWidget(window)
    window.show()
    made = LinkSheet(window, Theme(qapp))
    made.said = []
    made.agreed.connect(made.said.append)
    made.ask(PLAN)
    return made


def test_it_names_the_sites_and_how_many_pages_of_each(sheet):
    shown = " ".join(one.text() for one in sheet.findChildren(QLabel))
    assert "Read 1,201 pages of 2 sites?" in shown
    assert "a.example (1,200), b.example (1)." in shown
    assert sheet._yes.text() == "Read 1,201 pages"


def test_only_its_own_button_agrees(sheet, qtbot):
    qtbot.keyClick(sheet, Qt.Key.Key_Return)
    assert (sheet.said, sheet.isVisible()) == ([], False)
    sheet.ask(PLAN)
    sheet._yes.click()
    assert sheet.said == [PLAN]


def test_a_long_list_is_cut_and_counted_and_offline_is_said():
    many = LinkPlan(hosts={f"h{n:02}.example": 1 for n in range(15)}, total=15)
    words = sent_words(many, offline=True)
    assert "h11.example (1) and 3 more sites." in words[0]
    assert words[-1] == "Offline is on: the pages wait until you lift it."
    assert len(sent_words(many, offline=False)) == 2
