from __future__ import annotations

import pytest

from trisynapse_desktop.models.runs import RunBook, verdict_words
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
    assert [row.input for row in book.view("r").results()] == ["a", "b"]
    book.show([IngestRun(run_id="r", status="completed", results=(result("a"),))])
    assert [row.input for row in book.view("r").results()] == ["a"]


def test_trouble_comes_first_and_is_counted(book):
    rows = (result("fine"), result("again", "skipped"), result("gone", "failed"), result("half", "partial"))
    book.show([IngestRun(run_id="r", status="partial", results=rows)])
    view = book.view("r")
    assert [row.input for row in view.results()] == ["gone", "half", "fine", "again"]
    assert view.summary() == "1 added, 1 with gaps, 1 failed, 1 already here"


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


def test_verdicts_are_listed_with_the_most_frequent_first():
    assert verdict_words(result("a", verdicts={"garbled": 2, "ok": 1118})) == "1,118 ok, 2 garbled"
