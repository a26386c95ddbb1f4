"""Runs are kept as they happen, a crash is marked, passwords never, and old questions make room."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.errors import UnknownRecordError
from trisynapse_memory.pipelines.history import History, count_results, status_of
from trisynapse_memory.types import EgressRow, Fault, IngestResult, Outcome, QueryRun, SourceInput

DONE = IngestResult(input="a", status=Outcome.SUCCESS, record_count=2, verdicts={"ok": 3, "empty": 1})
BAD = IngestResult(input="b", status=Outcome.FAILED, error=Fault(code="source.empty", message="m"))
LEFT = IngestResult(input="c", status=Outcome.SKIPPED, reason="hidden")


@pytest.fixture
def history(tmp_path: Path, clock: Callable[[], datetime]) -> Iterator[History]:
    opened = History(tmp_path / "runs.db", Config(query_runs_max_count=10, query_runs_max_age_days=30), clock)
    yield opened
    opened.close()


def question(number: int, moment: datetime) -> QueryRun:
    return QueryRun(
        query_id=f"q_{number:03}", mode="query", question=str(number), status="completed", created_at=moment
    )


def test_a_run_is_kept_with_its_results_in_their_order(history: History):
    run_id = history.begin([SourceInput(path="x")])
    assert history.show(run_id).status == "running"
    history.add(run_id, 1, BAD)
    history.add(run_id, 0, DONE)
    history.add(run_id, 1, BAD)
    run = history.finish(run_id)
    assert run.results == (DONE, BAD)
    assert (run.status, run.completed_at is not None) == ("partial", True)
    assert run == history.show(run_id)


@pytest.mark.parametrize(
    ("results", "status"),
    [
        ((), "completed"),
        ((DONE, LEFT), "completed"),
        ((DONE, BAD), "partial"),
        ((LEFT, BAD), "partial"),
        ((BAD, BAD), "failed"),
    ],
)
def test_the_status_follows_from_the_results(results: tuple, status: str):
    assert status_of(results) == status


def test_counts_say_how_many_ended_how_and_hold_pages_and_records():
    assert count_results((DONE, DONE, BAD, LEFT)) == {
        "success": 2,
        "partial": 0,
        "skipped": 1,
        "failed": 1,
        "records": 4,
        "pages": 8,
    }


def test_a_cancelled_run_says_so(history: History):
    assert history.finish(history.begin([]), cancelled=True).status == "cancelled"


def test_a_run_that_a_crash_cut_off_is_marked_when_the_history_is_opened_again(history: History, tmp_path: Path):
    cut, done = history.begin([SourceInput(path="x")]), history.begin([])
    history.add(cut, 0, DONE)
    history.finish(done)
    again = History(tmp_path / "runs.db", Config())
    assert again.interrupted() == (cut,)
    assert again.show(cut).status == "interrupted"
    assert again.show(cut).results == (DONE,)
    assert again.show(done).status == "completed"
    again.close()


def test_the_inputs_are_kept_and_a_password_never(history: History, tmp_path: Path):
    given = SourceInput(path="x.pdf", password="geheim", tags=("t",))
    run_id = history.begin([given])
    assert history.inputs(run_id) == (SourceInput(path="x.pdf", tags=("t",)),)
    assert not any(b"geheim" in path.read_bytes() for path in tmp_path.iterdir())


def test_runs_come_newest_first_and_as_many_as_asked(history: History):
    ids = [history.begin([]) for _ in range(3)]
    assert [run.run_id for run in history.list(2)] == ids[:0:-1]


def test_unknown_runs_are_named(history: History):
    for verb, name in ((history.show, "run_x"), (history.inputs, "run_x"), (history.query, "q_x")):
        with pytest.raises(UnknownRecordError, match=name):
            verb(name)


def test_query_runs_are_bounded_in_number(history: History, clock: Callable[[], datetime]):
    for number in range(15):
        history.keep_query(question(number, clock()))
    kept = history.queries(100)
    assert [run.question for run in kept] == [str(n) for n in range(14, 4, -1)]
    assert history.query("q_014") == kept[0]


def test_query_runs_are_bounded_in_age(history: History):
    now = datetime(2026, 1, 2, 3, 4, 6, tzinfo=UTC)
    history.keep_query(question(1, now - timedelta(days=31)))
    history.keep_query(question(2, now - timedelta(days=29)))
    history.keep_query(question(3, now))
    assert [run.question for run in history.queries(10)] == ["3", "2"]


def test_what_left_the_machine_is_kept_in_the_same_file(tmp_path: Path, clock: Callable[[], datetime]):
    first = History(tmp_path / "runs.db", Config(), clock)
    row = EgressRow(at=clock(), host="a.example", purpose="fetch a source", failed="unfinished")
    first.ledger.begin(row)
    first.close()
    again = History(tmp_path / "runs.db", Config(), clock)
    assert again.ledger.rows() == (row,)
    again.close()
