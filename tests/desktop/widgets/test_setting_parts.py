from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.setting_parts import Choice, StateLine, Switch

CHOICES = [("a", "First"), ("b", "Second")]


def test_a_switch_tells_what_she_does_and_not_what_it_is_shown(qapp, qtbot):
    switch = Switch(Theme(qapp), "Offline", "Nothing may leave", "Off")
    qtbot.addWidget(switch)
    told = []
    switch.switched.connect(told.append)
    switch.show_state(True)
    assert (switch.text(), told) == ("Nothing may leave", [])
    qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert (switch.text(), told) == ("Off", [False])


def test_a_choice_tells_what_she_picks_and_not_what_it_is_shown(qtbot):
    choice = Choice("Who writes")
    qtbot.addWidget(choice)
    told = []
    choice.chosen.connect(told.append)
    choice.show_choices(CHOICES, "b")
    assert (choice.currentText(), told) == ("Second", [])
    qtbot.keyClick(choice, Qt.Key.Key_Up)
    assert told == ["a"]


def test_a_list_that_stayed_the_same_is_not_taken_away_under_her_hand(qtbot):
    choice = Choice("Who writes")
    qtbot.addWidget(choice)
    choice.show_choices(CHOICES, "a")
    rows = []
    choice.model().rowsRemoved.connect(lambda *_: rows.append(1))
    choice.show_choices(list(CHOICES), "b")
    assert (choice.currentData(), rows) == ("b", [])
    choice.show_choices([*CHOICES, ("c", "Third")], "c")
    assert choice.currentData() == "c"


def test_a_name_that_does_not_fit_is_whole_in_the_tooltip(qtbot):
    choice = Choice("Who writes", width=120)
    qtbot.addWidget(choice)
    long = "Mistral Small 24B Instruct (this computer)"
    choice.show_choices([("a", "First"), ("b", long)], "b")
    choice.show()
    qtbot.waitUntil(lambda: choice.toolTip() == long)
    choice.show_choices([("a", "First"), ("b", long)], "a")
    qtbot.waitUntil(lambda: choice.toolTip() == "")


def test_a_long_list_is_looked_through_by_a_part_of_a_name(qtbot):
    choice = Choice("Who writes")
    qtbot.addWidget(choice)
    told = []
    choice.chosen.connect(told.append)
    choice.show_choices([(f"m{n}", f"vendor/model-{n}b") for n in range(60)], "m3")
    assert choice.isEditable()
    choice.completer().setCompletionPrefix("MODEL-41")  # what typing does, without a popup that needs a screen
    shown = choice.completer().completionModel()
    assert [shown.index(row, 0).data() for row in range(shown.rowCount())] == ["vendor/model-41b"]
    choice.completer().activated[QModelIndex].emit(shown.index(0, 0))
    assert (told, choice.currentText()) == (["m41"], "vendor/model-41b")
    # Half a name is no choice: what was chosen is shown again.
    choice.lineEdit().setText("mod")
    choice.lineEdit().editingFinished.emit()
    assert (told, choice.currentText()) == (["m41"], "vendor/model-41b")
    choice.show_choices(CHOICES, "b")
    assert not choice.isEditable()


def test_a_wheel_that_passes_over_changes_nothing(qtbot):
    choice = Choice("Who writes")
    qtbot.addWidget(choice)
    choice.show_choices(CHOICES, "a")
    nowhere = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    wheel = QWheelEvent(QPointF(5, 5), QPointF(5, 5), QPoint(0, -120), QPoint(0, -120), *nowhere, False)
    QApplication.sendEvent(choice, wheel)
    assert choice.currentData() == "a"
    assert not wheel.isAccepted()


def test_a_line_with_nothing_to_say_is_not_there(qapp, qtbot):
    line = StateLine(Theme(qapp))
    qtbot.addWidget(line)
    line.say("Ready.", "good")
    assert not line.isHidden()
    assert line.accessibleName() == "Ready."
    line.say("")
    assert line.isHidden()
