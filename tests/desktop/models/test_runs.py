from __future__ import annotations

import pytest

from trisynapse_desktop.models.runs import Fate, RunBook, RunView
from trisynapse_memory.types import IngestResult, IngestRun, Outcome, Progress


def result(name, status="success", **more):
    return IngestResult(input=name, status=Outcome(status), **more)


@pytest.fixture
def book(qapp):
    return RunBook()


def test_progress_of_an_unknown_run_starts_a_card_at_the_top(book, qtbot):
    book.show([IngestRun(run_id="old", status="completed")])
    with qtbot.waitSignals([book.reset, book.changed]):
        book.note(Progress(run_id="new", stage="reading"))
    assert [view.run.run_id for view in book.views()] == ["new", "old"]
    assert book.view("new").running


def test_files_arrive_one_by_one_and_survive_a_refresh_of_a_running_run(book):
    for name in ("a", "b", "a"):
        book.note(Progress(run_id="r", stage="words", result=result(name)))
    book.show([IngestRun(run_id="r", status="running")])
    assert names(book.view("r")) == {Fate.ADDED: ["a", "b"]}
    book.show([IngestRun(run_id="r", status="running", results=(result("earlier"),))])
    assert names(book.view("r")) == {Fate.ADDED: ["earlier", "a", "b"]}
    book.show([IngestRun(run_id="r", status="completed", results=(result("a"),))])
    assert names(book.view("r")) == {Fate.ADDED: ["a"]}


def names(view):
    return {fate: [row.input for row in rows] for fate, rows in view.groups().items()}


def test_trouble_comes_first_and_is_counted(book):
    rows = (
        result("fine"),
        result("again", "skipped", source_id="s1"),
        result("Thumbs.db", "skipped", reason="left by the system"),
        result("gone", "failed"),
        result("half", "partial"),
    )
    book.show([IngestRun(run_id="r", status="partial", results=rows)])
    view = book.view("r")
    assert list(names(view).values()) == [["gone"], ["half"], ["fine"], ["again"], ["Thumbs.db"]]
    assert view.summary() == "1 added, 1 with gaps, 1 could not be read, 1 already here, 1 left out"
    assert (view.total, view.first().input) == (5, "fine")


def test_what_comes_of_an_input_after_all_takes_the_place_of_what_was_said_first(qapp):
    view = RunView(IngestRun(run_id="r", status="running"))
    for row in (result("a", "failed"), result("b"), result("c")):
        view.note(row)
    assert names(view) == {Fate.FAILED: ["a"], Fate.ADDED: ["b", "c"]}
    view.note(result("a"))
    view.note(result("d", "partial"))
    assert names(view) == {Fate.PARTIAL: ["d"], Fate.ADDED: ["a", "b", "c"]}


def test_members_under_one_name_are_told_apart_by_their_keys(qapp):
    view = RunView(IngestRun(run_id="r", status="running"))
    for key in ("box.zip!/a", "box.zip!/b"):
        view.note(result("box.zip", source_key=key))
    assert view.total == 2


@pytest.mark.parametrize(
    ("status", "rows", "expected"),
    [
        ("completed", (result("a"),), False),
        ("partial", (result("a", "failed"),), True),
        ("interrupted", (), True),
        ("cancelled", (result("a"),), True),
        ("running", (result("a", "failed"),), False),
    ],
)
def test_only_a_run_with_something_undone_can_be_tried_again(book, status, rows, expected):
    book.show([IngestRun(run_id="r", status=status, results=rows)])
    assert book.view("r").can_retry is expected
