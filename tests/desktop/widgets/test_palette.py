from __future__ import annotations

import time

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.palette import Choice, Palette, best, score


def test_a_word_start_beats_the_middle_of_a_word_and_scattered_letters():
    choices = [Choice("a", "Reopen"), Choice("b", "Open"), Choice("c", "Old pens")]
    assert [choice.id for choice in best(choices, "open")] == ["b", "a", "c"]


def test_initials_find_a_command():
    assert score("New conversation", "nc") > 0
    assert score("New conversation", "xn") == 0


def test_a_command_is_found_by_its_menu_too_but_after_the_named_ones():
    choices = [Choice("a", "Quit", "File"), Choice("b", "Add files")]
    assert [choice.id for choice in best(choices, "file")] == ["b", "a"]


def test_what_is_not_possible_now_comes_last():
    choices = [Choice("a", "Open", enabled=False), Choice("b", "Reopen")]
    assert [choice.id for choice in best(choices, "open")] == ["b", "a"]


def test_nothing_typed_keeps_the_given_order():
    assert [choice.id for choice in best([Choice("b", "B"), Choice("a", "A")], "")] == ["b", "a"]


def test_two_thousand_choices_are_narrowed_within_one_frame():
    choices = [Choice(str(number), f"Paper {number} on the velocity of light") for number in range(2000)]
    began = time.process_time()
    assert best(choices, "paper 77")[0].id == "77"
    assert time.process_time() - began < 0.016


def make(qtbot, qapp):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    window.show()
    palette = Palette(window, Theme(qapp))
    palette.window_kept = window
    return palette


def test_arrows_move_enter_picks_and_escape_leaves(qtbot, qapp):
    palette, picked = make(qtbot, qapp), []
    palette.ask("?", [Choice("a", "Apple"), Choice("b", "Apricot"), Choice("c", "Plum")], picked.append)
    field = palette.findChild(QLineEdit)
    qtbot.keyClicks(field, "ap")
    qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert picked == ["b"]
    assert palette.isHidden()
    palette.ask("?", [Choice("a", "Apple")], picked.append)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert palette.isHidden()
    assert picked == ["b"]


def test_a_disabled_choice_is_listed_but_not_taken(qtbot, qapp):
    palette, picked = make(qtbot, qapp), []
    palette.ask("?", [Choice("a", "Apple", enabled=False)], picked.append)
    assert palette.shown_ids() == ("a",)
    qtbot.keyClick(palette.findChild(QLineEdit), Qt.Key.Key_Return)
    assert picked == []


def test_it_stays_in_the_middle_of_a_window_that_changes_its_size(qapp, qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1600, 900)
    palette = Palette(window, Theme(qapp))
    window.show()
    palette.ask("Do", [Choice("a", "A")], lambda _name: None)
    window.resize(900, 700)
    qtbot.waitUntil(lambda: abs(palette.geometry().center().x() - 450) <= 1)
