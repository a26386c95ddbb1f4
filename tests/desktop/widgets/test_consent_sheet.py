from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.consent_sheet import ConsentPanel, marked_words
from trisynapse_memory.types import ConsentSheet, Role

SHEET = ConsentSheet(
    service="openai",
    label="OpenAI",
    host="api.example",
    roles=(Role.ANSWER,),
    sent=("Your questions.",),
    kept_here=("Your files.",),
)


@pytest.fixture
def panel(qapp, qtbot):
    window = QWidget()
    window.resize(900, 700)
    qtbot.addWidget(window)
    window.show()
    made = ConsentPanel(window, Theme(qapp))
    made.said = []
    made.agreed.connect(lambda name: made.said.append(("yes", name)))
    made.declined.connect(lambda name: made.said.append(("no", name)))
    made.ask(SHEET)
    return made


def test_both_sides_are_said_before_she_answers(panel):
    shown = [one.text() for one in panel.findChildren(QLabel)]
    assert {"Your questions.", "Your files.", "Let OpenAI read passages of your sources?"} <= set(shown)
    assert panel.accessibleDescription() == "Your questions. Your files."


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape])
def test_no_is_what_a_careless_key_says(panel, qtbot, key):
    qtbot.keyClick(panel, key)
    assert (panel.isVisible(), panel.said) == (False, [("no", "openai")])


def test_tab_goes_from_one_answer_to_the_other_and_never_under_the_sheet(panel, qtbot):
    panel.window().activateWindow()
    qtbot.waitUntil(panel._no.hasFocus)
    for key, answer in ((Qt.Key.Key_Tab, panel._yes), (Qt.Key.Key_Tab, panel._no), (Qt.Key.Key_Backtab, panel._yes)):
        qtbot.keyClick(QApplication.focusWidget(), key)
        assert QApplication.focusWidget() is answer


def test_yes_takes_its_own_button(panel):
    assert panel._yes.text() == "Send to api.example"
    panel._yes.click()
    assert (panel.isVisible(), panel.said) == (False, [("yes", "openai")])


def test_a_second_service_is_asked_for_with_its_own_words(panel):
    panel.ask(msgspec.structs.replace(SHEET, service="b", label="B", host="b.example", sent=("Passages.",)))
    QApplication.processEvents()
    shown = [one.text() for one in panel.findChildren(QLabel) if one.isVisible()]
    assert "Passages." in shown
    assert "Your questions." not in shown
    panel._yes.click()
    assert panel.said == [("yes", "b")]


def test_it_stays_in_the_middle_of_its_window(panel, qtbot):
    window = panel.parentWidget()
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: panel.geometry().center().x() in (799, 800))


@pytest.mark.parametrize(
    ("count", "names", "words"),
    [
        (0, (), ()),
        (1, (), ("So far: 1 source marked sensitive.",)),
        (2, ("Interviews",), ("So far: 2 sources marked sensitive, “Interviews”.",)),
    ],
)
def test_what_she_has_marked_already_is_named(count, names, words):
    assert marked_words(msgspec.structs.replace(SHEET, sensitive_count=count, never_collections=names)) == words
