from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from trisynapse_desktop.target import Target
from trisynapse_memory.types import IngestResult, Outcome, Progress, SourceInput


@pytest.fixture
def pane(window, find, qtbot):
    window.show_target(Target("activity"))
    area = find(window, "Runs")
    qtbot.waitUntil(lambda: bool(cards(area)))
    return area


def cards(area):
    return [frame for frame in area.findChildren(QFrame) if frame.property("role") == "card" and not frame.isHidden()]


def words(widget):
    return [label.text() for label in widget.findChildren(QLabel) if label.text() and label.isVisibleTo(widget)]


def press(card, text, qtbot):
    (one,) = [child for child in card.findChildren(QPushButton) if child.text() == text]
    qtbot.mouseClick(one, Qt.MouseButton.LeftButton)


def test_a_finished_run_lists_every_file_trouble_first_with_error_and_hint(pane):
    (card,) = cards(pane)
    shown = words(card)
    assert shown[:2] == ["6 files", "Done, with gaps"]
    assert "4 added, 1 with gaps, 1 failed" in shown[2]
    assert "12 pages/s" in shown[2]
    assert shown.index("/papers/budget.pdf") < shown.index("Michelson and Newcomb on the Potomac")
    assert "“budget.pdf” is encrypted. Open it once with its password." in shown
    assert "11 ok, 1 garbled" in shown


def test_a_running_import_shows_true_progress_and_can_be_stopped(window, pane, calls, qtbot):
    done = IngestResult(input="/a.pdf", status=Outcome.SUCCESS, title="Paper A", verdicts={"ok": 12})
    step = Progress(run_id="live", stage="reading", label="Paper B", done=40, total=120, result=done)
    window.context.bridge.progress.emit(step)
    qtbot.waitUntil(lambda: len(cards(pane)) == 2)
    qtbot.waitUntil(lambda: "Reading Paper B · 40 of 120 pages" in words(cards(pane)[0]))
    assert "Paper A" in words(cards(pane)[0])
    press(cards(pane)[0], "Cancel", qtbot)
    qtbot.waitUntil(lambda: calls("cancel") == [{"run_id": "live"}])


def test_a_run_with_failures_can_be_tried_again(pane, calls, qtbot):
    press(cards(pane)[0], "Try again", qtbot)
    qtbot.waitUntil(lambda: calls("runs.retry") == [{"run_id": "r0"}])


def test_a_new_run_joins_the_list_by_itself(window, pane, qtbot):
    from trisynapse_desktop.operations import ingest

    window.context.bridge.run(ingest.ingest(window.context, [SourceInput(path="/new.pdf")]))
    qtbot.waitUntil(lambda: len(cards(pane)) == 2 and "Done" in words(cards(pane)[0]))
    assert words(cards(pane)[0])[0] == "new"


def test_a_long_list_of_files_is_cut_and_shown_on_demand(window, pane, qtbot):
    for number in range(40):
        one = IngestResult(input=f"/{number}.pdf", status=Outcome.SUCCESS, title=f"Paper {number}")
        window.context.bridge.progress.emit(Progress(run_id="live", stage="words", done=number, total=40, result=one))
    qtbot.waitUntil(lambda: len(cards(pane)) == 2 and "Paper 11" in words(cards(pane)[0]))
    assert "Paper 12" not in words(cards(pane)[0])
    press(cards(pane)[0], "28 more", qtbot)
    qtbot.waitUntil(lambda: "Paper 39" in words(cards(pane)[0]))


def test_an_empty_list_says_what_will_stand_here(make_window, vault, qtbot):
    window = make_window("--empty", folder=vault)
    window.show_target(Target("activity"))
    qtbot.waitUntil(
        lambda: any(child.accessibleName() == "Nothing came in yet" for child in window.findChildren(QWidget))
    )
