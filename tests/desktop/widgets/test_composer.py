from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.composer import Composer


@pytest.fixture
def composer(qapp, qtbot):
    composer = Composer(Theme(qapp, "light"))
    qtbot.addWidget(composer)
    composer.resize(380, 200)
    composer.show()
    return composer


def test_enter_sends_and_empties_the_field(composer, qtbot):
    qtbot.keyClicks(composer.field, "Who was first?")
    with qtbot.waitSignal(composer.sent) as seen:
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert seen.args == ["Who was first?"]
    assert composer.field.toPlainText() == ""


def test_shift_enter_starts_a_line_and_the_field_grows(composer, qtbot):
    height = composer.field.height()
    qtbot.keyClicks(composer.field, "one")
    with qtbot.assertNotEmitted(composer.sent):
        qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.field, "two")
    assert composer.field.toPlainText() == "one\ntwo"
    assert composer.field.height() > height
    for _line in range(30):
        qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert composer.field.height() < 12 * height


def test_nothing_is_not_sent(composer, qtbot):
    qtbot.keyClicks(composer.field, "   ")
    with qtbot.assertNotEmitted(composer.sent):
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert not composer._send.isEnabled()


def test_while_an_answer_is_on_its_way_the_button_stops_it_and_enter_waits(composer, qtbot):
    composer.show_asking(True)
    qtbot.keyClicks(composer.field, "next")
    with qtbot.assertNotEmitted(composer.sent):
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    with qtbot.waitSignal(composer.stopped):
        qtbot.mouseClick(composer._send, Qt.MouseButton.LeftButton)
    assert composer._send.accessibleName() == "Stop the answer"
    assert composer.field.toPlainText() == "next"


def test_the_scope_is_chosen_from_its_menu(composer, qtbot):
    composer.show_scopes([("s1", "The turning mirror")], ())
    assert composer._scope.accessibleName() == "Sources that may answer: Whole vault"
    _whole, one = composer._menu.actions()
    with qtbot.waitSignal(composer.scope_chosen) as seen:
        one.trigger()
    assert seen.args == [("s1",)]
    composer.show_scopes([("s1", "The turning mirror")], ("s1",))
    assert "The turning mirror" in composer._scope.text()


def test_a_proposed_question_waits_for_her(composer, qtbot):
    with qtbot.assertNotEmitted(composer.sent):
        composer.propose("About this: ")
    assert composer.field.textCursor().position() == len("About this: ")
