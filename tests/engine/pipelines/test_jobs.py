"""The background work: most urgent first, out of the way of questions, and nothing lost when something fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from trisynapse_memory.errors import InvalidInputError, ProviderError
from trisynapse_memory.pipelines import jobs
from trisynapse_memory.pipelines.jobs import BackgroundJobs, Chore
from trisynapse_memory.pipelines.rooms import Busy
from trisynapse_memory.types import Progress


class Pile:
    """Work that counts down; ``fails`` says which of its steps raise, ``idle`` which do nothing."""

    def __init__(self, name: str, count: int, log: list[str], fails: int = 0, idle: int = 0) -> None:
        self.name, self.count, self.log = name, count, log
        self.fails, self.idle = fails, idle
        self.open = threading.Event()
        self.open.set()

    def pending(self) -> int:
        return self.count

    def step(self) -> int:
        self.open.wait(5)
        if self.fails:
            self.fails -= 1
            raise ProviderError(f"{self.name} is gone")
        if self.idle:
            self.idle -= 1
            return 0
        self.count -= 1
        self.log.append(self.name)
        return 1


Make = Callable[..., BackgroundJobs]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    monkeypatch.setattr(jobs, "BACKOFF_S", 0.01)
    monkeypatch.setattr(jobs, "POLL_S", 0.005)
    made: list[BackgroundJobs] = []

    def build(*rows: tuple[int, Pile], asking: Busy | None = None) -> BackgroundJobs:
        chores = [Chore(pile.name, urgency, pile) for urgency, pile in rows]
        made.append(BackgroundJobs(chores, asking or Busy()))
        return made[-1]

    yield build
    for one in made:
        one.close()


def quiet(_: Progress) -> None:
    return None


def until(true: Callable[[], bool], seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_the_urgent_take_turns_and_the_others_come_after(make: Make):
    log: list[str] = []
    runner = make((1, Pile("late", 2, log)), (0, Pile("a", 3, log)), (0, Pile("b", 2, log)))
    runner.wait(5, quiet)
    assert log == ["a", "b", "a", "b", "a", "late", "late"]
    assert [(task.name, task.status, task.pending, task.done) for task in runner.tasks()] == [
        ("late", "idle", 0, 2),
        ("a", "idle", 0, 3),
        ("b", "idle", 0, 2),
    ]


def test_progress_is_told_per_kind_of_work(make: Make):
    pile = Pile("vectors", 3, [])
    pile.open.clear()  # until somebody has looked
    told: list[Progress] = []

    def tell(progress: Progress) -> None:
        told.append(progress)
        pile.open.set()

    make((0, pile)).wait(5, tell)
    assert {(one.stage, one.total, one.unit) for one in told} == {("vectors", told[0].total, "records")}


def test_a_failure_is_waited_out_twice_as_long_each_time_and_nothing_is_lost():
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    pile = Pile("vectors", 1, [], fails=9)
    runner = BackgroundJobs([Chore("vectors", 0, pile)], Busy(), lambda: now[0])
    state = runner._states["vectors"]
    pauses: list[float] = []
    for _ in range(9):
        runner._run(state)
        assert state.retry_at is not None
        pauses.append((state.retry_at - now[0]).total_seconds())
        assert runner._next() is None
        now[0] = state.retry_at + timedelta(milliseconds=1)
        assert runner._next() is state
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    (task,) = runner.tasks()
    assert (task.status, task.pending, task.trouble) == ("waiting", 1, "vectors is gone")
    runner._run(state)
    assert (pile.count, runner.tasks()[0].trouble) == (0, "")


def test_whoever_waits_is_let_go_when_nothing_moves(make: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs, "BACKOFF_S", 10.0)
    monkeypatch.setattr(jobs, "STUCK_FAILURES", 1)
    runner = make((0, Pile("vectors", 1, [], fails=99)))
    runner.wait(None, quiet)
    assert runner.tasks()[0].pending == 1


def test_work_that_needs_something_else_first_holds_nobody_up(make: Make):
    log: list[str] = []
    runner = make((0, Pile("similarity", 1, log, idle=10_000)), (0, Pile("facts", 3, log)))
    runner.wait(None, quiet)
    assert log == ["facts"] * 3
    assert runner.tasks()[0].trouble == ""


def test_a_bug_in_one_chore_does_not_end_the_others(make: Make):
    class Broken(Pile):
        def step(self) -> int:
            raise ZeroDivisionError

    log: list[str] = []
    runner = make((0, Broken("facts", 1, log)), (0, Pile("vectors", 2, log)))
    runner.wait(5, quiet)
    assert log == ["vectors", "vectors"]
    assert "ZeroDivisionError" in runner.tasks()[0].trouble


def test_paused_work_stands_still_until_it_is_resumed(make: Make):
    log: list[str] = []
    runner = make((0, Pile("a", 2, log)), (0, Pile("b", 2, log)))
    runner.pause("a")
    runner.wait(5, quiet)
    assert log == ["b", "b"]
    assert [task.status for task in runner.tasks()] == ["paused", "idle"]
    runner.resume()
    runner.wait(5, quiet)
    assert log == ["b", "b", "a", "a"]


def test_cancelled_work_is_left_until_something_new_arrives(make: Make):
    log: list[str] = []
    pile = Pile("a", 1, log)
    runner = make((0, pile))
    runner.cancel()
    assert runner.tasks()[0].status == "paused"
    pile.count += 1
    runner.wake()
    until(lambda: log == ["a", "a"])


def test_an_unknown_name_is_told_with_the_known_ones(make: Make):
    with pytest.raises(InvalidInputError, match="Known: facts"):
        make((0, Pile("facts", 0, []))).pause("fact")


def test_no_step_is_begun_while_a_question_is_answered(make: Make):
    log: list[str] = []
    asking = Busy()
    runner = make((0, Pile("a", 1, log)), asking=asking)
    with asking:
        runner.wake()
        time.sleep(0.15)
        assert log == []
    until(lambda: log == ["a"])


def test_closing_ends_after_the_step_in_hand_and_lets_every_worker_go():
    pile = Pile("a", 5, [])
    rested: list[str] = []
    runner = BackgroundJobs([Chore("a", 0, pile, rest=lambda: rested.append("a"))], Busy())
    pile.open.clear()
    runner.wake()
    until(lambda: runner.tasks()[0].status == "running")
    closing = threading.Thread(target=runner.close)
    closing.start()
    pile.open.set()
    closing.join(5)
    assert pile.count == 4
    assert rested


def test_who_listens_is_told_once_when_a_chore_has_done_all_that_waited(make: Make):
    runner = make((0, Pile("facts", 3, [])))
    told: list[tuple[str, int]] = []
    runner.listen(lambda task: told.append((task.name, task.done)))
    runner.wait(5, quiet)
    until(lambda: told == [("facts", 3)])


def test_work_that_is_held_up_says_why_holds_nobody_up_and_goes_on_when_it_can():
    log: list[str] = []
    reason: list[str | None] = ["There is no key."]
    blocked = Chore("a", 0, Pile("a", 2, log), held_up=lambda: reason[0])
    work = BackgroundJobs((blocked, Chore("b", 1, Pile("b", 1, log))), Busy())
    try:
        work.wait(5, quiet)
        assert log == ["b"]
        (task, _) = work.tasks()
        assert (task.status, task.pending, task.trouble) == ("waiting", 2, "There is no key.")
        reason[0] = ""
        work.retry()
        until(lambda: log == ["b", "a", "a"])
    finally:
        work.close()


def test_work_that_nobody_does_is_no_task():
    work = BackgroundJobs((Chore("a", 0, Pile("a", 2, []), held_up=lambda: None),), Busy())
    try:
        work.wait(5, quiet)
        assert work.tasks() == ()
    finally:
        work.close()


def test_what_failed_is_tried_at_once_when_what_it_failed_for_has_changed(make: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs, "BACKOFF_S", 60.0)
    log: list[str] = []
    work = make((0, Pile("a", 1, log, fails=1)))
    work.wake()
    until(lambda: work.tasks()[0].trouble != "")
    work.retry()
    until(lambda: log == ["a"])
