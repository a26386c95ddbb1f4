from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from trisynapse_desktop.panes.activity import RunCard
from trisynapse_desktop.target import Target
from trisynapse_memory.types import Fault, IngestResult, Notice, Outcome, Progress, SourceInput


@pytest.fixture
def pane(window, find, qtbot):
    window.show_target(Target("activity"))
    area = find(window, "Runs")
    qtbot.waitUntil(lambda: bool(cards(area)))
    return area


def cards(area):
    """The cards from top to bottom."""
    return sorted((card for card in area.findChildren(RunCard) if not card.isHidden()), key=lambda card: card.y())


def words(widget):
    return [label.text() for label in widget.findChildren(QLabel) if label.text() and label.isVisibleTo(widget)]


def press(card, text, qtbot):
    (one,) = [child for child in card.findChildren(QPushButton) if child.text() == text]
    qtbot.mouseClick(one, Qt.MouseButton.LeftButton)


def test_a_finished_run_lists_every_file_trouble_first_with_error_and_hint(pane):
    (card,) = cards(pane)
    shown = words(card)
    assert shown[:2] == ["6 sources", "Done, with gaps"]
    assert "4 added, 1 with gaps, 1 could not be read" in shown[2]
    assert "12 pages/s" in shown[2]
    assert shown.index("/papers/budget.pdf") < shown.index("Michelson and Newcomb on the Potomac")
    assert "“budget.pdf” is encrypted. Open it once with its password." in shown
    assert "11 readable, 1 garbled" in shown


def test_a_running_import_shows_true_progress_and_can_be_stopped(window, pane, calls, qtbot):
    done = IngestResult(input="/a.pdf", status=Outcome.SUCCESS, title="Paper A", verdicts={"ok": 12})
    step = Progress(run_id="live", stage="reading", label="Paper B", done=40, total=120, result=done)
    window.context.bridge.progress.emit(step)
    qtbot.waitUntil(lambda: len(cards(pane)) == 2)
    qtbot.waitUntil(lambda: "Reading Paper B · 40 of 120 pages" in words(cards(pane)[0]))
    assert "Paper A" in words(cards(pane)[0])
    press(cards(pane)[0], "Cancel", qtbot)
    qtbot.waitUntil(lambda: calls("runs.cancel") == [{"run_id": "live"}])


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
    qtbot.waitUntil(lambda: len(cards(pane)) == 2 and "40 added" in heads(cards(pane)[0]))
    assert "Paper 11" not in words(cards(pane)[0]), "what went well is folded"
    press(cards(pane)[0], "40 added", qtbot)
    qtbot.waitUntil(lambda: "Paper 11" in words(cards(pane)[0]))
    assert "Paper 12" not in words(cards(pane)[0])
    press(cards(pane)[0], "28 more", qtbot)
    qtbot.waitUntil(lambda: "Paper 39" in words(cards(pane)[0]))
    press(cards(pane)[0], "40 added", qtbot)
    assert "Paper 11" not in words(cards(pane)[0])


def heads(card):
    """What can be pressed, from top to bottom: children stand in the order they were made, which follows the news."""
    seen = [child for child in card.findChildren(QPushButton) if child.isVisibleTo(card)]
    return [child.text() for child in sorted(seen, key=lambda child: child.mapTo(card, QPoint()).y())]


def test_of_a_long_run_trouble_is_open_and_above_the_rest(window, pane, qtbot):
    rows = [IngestResult(input=f"/{number}.pdf", status=Outcome.SUCCESS) for number in range(20)]
    fault = Fault(code="source.damaged", message="It is broken.", hint="Copy it again.")
    rows.append(IngestResult(input="/bad.pdf", status=Outcome.FAILED, error=fault, verdicts={"damaged": 1}))
    rows.append(IngestResult(input="/.DS_Store", status=Outcome.SKIPPED, reason="left by the system"))
    for number, one in enumerate(rows):
        window.context.bridge.progress.emit(Progress(run_id="live", stage="words", done=number, result=one))
    qtbot.waitUntil(lambda: len(cards(pane)) == 2 and "1 left out" in heads(cards(pane)[0]))
    # What is put into a visible card is shown, and laid out, with the next turn of the event loop.
    qtbot.waitUntil(lambda: heads(cards(pane)[0])[1:] == ["1 could not be read", "20 added", "1 left out"])
    qtbot.waitUntil(lambda: {"/bad.pdf", "It is broken. Copy it again."} <= set(words(cards(pane)[0])))
    assert "left by the system" not in words(cards(pane)[0])


def test_an_empty_list_says_what_will_stand_here(make_window, vault, qtbot):
    window = make_window("--empty", folder=vault)
    window.show_target(Target("activity"))
    qtbot.waitUntil(
        lambda: any(child.accessibleName() == "Nothing came in yet" for child in window.findChildren(QWidget))
    )


def test_a_run_of_five_thousand_makes_no_widget_for_each_result(window, pane, qtbot):
    window.context.bridge.run(window.context.bridge.call("ingest", inputs=[SourceInput(path="/many/5000")]))
    qtbot.waitUntil(lambda: len(cards(pane)) == 2 and "5,000 sources" in words(cards(pane)[0]), timeout=20_000)
    qtbot.waitUntil(lambda: len(cards(pane)) == 2 and cards(pane)[0].state == "Done, with gaps", timeout=20_000)
    qtbot.waitUntil(lambda: heads(cards(pane)[0])[1:3] == ["100 could not be read", "88 more"])
    press(cards(pane)[0], "88 more", qtbot)
    press(cards(pane)[0], "4,900 added", qtbot)
    # Time is measured in the benchmark; here, that no result has a widget before she asks for its part of the list.
    assert len(cards(pane)[0].findChildren(QWidget)) < 1_000


def test_what_she_unfolded_stays_open_when_the_engine_has_news(window, pane, qtbot):
    for number in range(20):
        one = IngestResult(input=f"/{number}.pdf", status=Outcome.SUCCESS, title=f"Paper {number}")
        window.context.bridge.progress.emit(Progress(run_id="live", stage="words", done=number, total=40, result=one))
    qtbot.waitUntil(lambda: len(cards(pane)) == 2 and "20 added" in heads(cards(pane)[0]))
    old = cards(pane)[1]
    window.context.bridge.notice.emit(Notice(topic="runs"))
    qtbot.waitUntil(lambda: len(cards(pane)) == 1)
    assert cards(pane) == [old], "the engine does not know of the other one"


def test_pages_that_could_not_be_fetched_are_told_with_their_reasons(window, pane, find, calls, qtbot):
    report = find(window, "Pages of links that are missing")
    qtbot.waitUntil(lambda: "3 pages of links missing" in words(report))
    assert heads(report) == ["Try again", "1 gone", "1 needs a login", "1 waiting: busy"]
    assert "The server says that there is no such page (404)." in words(report)
    assert "In its turn" not in words(report), "what waits for its turn only is in no trouble"
    press(report, "Try again", qtbot)
    qtbot.waitUntil(lambda: calls("links.fetch") == [{"source_ids": ["s0", "s1"]}])


@pytest.fixture
def work(window, pane, find, qtbot):
    card = find(window, "Background work")
    qtbot.waitUntil(lambda: "12 passages to go" in words(card))
    return card


def test_background_work_is_told_in_her_words_and_what_is_done_is_not_listed(work):
    shown = words(work)
    assert shown[:2] == ["Background work", "Goes on while you work"]
    assert [one for one in shown if one in NAMES] == ["Reading facts", "Embedding", "Summaries"]
    waiting = next(one for one in shown if one.startswith("214 passages to go. The model of the embedder is missing."))
    assert "Tries again at " in waiting


NAMES = {"Reading facts", "Embedding", "Linking similar passages", "Summaries", "Tidying up", "Wiki pages"}


def test_work_is_paused_and_goes_on_by_name(window, work, find, calls, qtbot):
    qtbot.mouseClick(find(window, "Pause: Reading facts"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Paused · 12 passages to go" in words(work))
    assert calls("jobs.pause") == [{"name": "facts"}]
    qtbot.mouseClick(find(window, "Go on: Reading facts"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "12 passages to go" in words(work))
    assert calls("jobs.resume") == [{"name": "facts"}]
    qtbot.mouseClick(find(window, "Not now: Summaries"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: calls("jobs.cancel") == [{"name": "summaries"}])


def test_work_that_waits_for_its_next_try_is_tried_at_once(window, work, find, calls, qtbot):
    qtbot.mouseClick(find(window, "Try now: Embedding"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: calls("jobs.resume") == [{"name": "vectors"}])


def test_numbers_are_asked_for_only_while_they_can_be_seen(window, work, calls, qtbot):
    before = len(calls("jobs.list"))
    qtbot.waitUntil(lambda: len(calls("jobs.list")) > before, timeout=3000)
    window.show_target(Target("sources"))
    qtbot.wait(50)
    seen = len(calls("jobs.list"))
    qtbot.wait(1200)
    assert len(calls("jobs.list")) == seen
