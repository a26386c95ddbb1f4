"""What she judged right is kept by ids alone, once each, and no longer than the run of its question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.pipelines.history import History
from trisynapse_memory.pipelines.judgements import TRIALS_KEPT
from trisynapse_memory.types import JudgedBy, QueryRun, Trial, TrialStatus

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def history(tmp_path: Path, clock: Callable[[], datetime]) -> Iterator[History]:
    opened = History(tmp_path / "runs.db", Config(query_runs_max_count=10), clock)
    yield opened
    opened.close()


def _ask(history: History, number: int) -> str:
    moment = datetime(2026, 1, 1, 0, 0, number, tzinfo=UTC)
    run = QueryRun(query_id=f"q_{number}", mode="search", question="Why?", status="completed", created_at=moment)
    history.keep_query(run)
    return run.query_id


def _trial(number: int) -> Trial:
    moment = datetime(2026, 1, 1, 0, number // 60, number % 60, tzinfo=UTC)
    return Trial(trial_id=f"t_{number}", created_at=moment, status=TrialStatus.NO_GAIN, reason="nothing")


def test_a_judgement_is_kept_once_and_counted_by_question(history: History):
    query_id = _ask(history, 1)
    for _ in range(2):
        history.judgements.keep(query_id, "r_1", JudgedBy.OPENED)
    history.judgements.keep(query_id, "r_2", JudgedBy.MARKED)
    assert [(one.record_id, one.judged_by) for one in history.judgements.list()] == [
        ("r_1", JudgedBy.OPENED),
        ("r_2", JudgedBy.MARKED),
    ]
    assert history.judgements.question_count() == 1
    assert history.judgements.question_count(NOW) == 1
    assert history.judgements.question_count(datetime(2026, 2, 1, tzinfo=UTC)) == 0


def test_a_judgement_goes_when_the_run_of_its_question_is_dropped(history: History):
    kept = [_ask(history, number) for number in range(10)]
    for query_id in kept:
        history.judgements.keep(query_id, "r_1", JudgedBy.OPENED)
    _ask(history, 11)  # one more than is kept
    assert [one.query_id for one in history.judgements.list()] == kept[1:]


def test_clearing_forgets_judgements_and_trials(history: History):
    history.judgements.keep(_ask(history, 1), "r_1", JudgedBy.OPENED)
    history.judgements.keep_trial(_trial(1))
    assert history.judgements.clear() == 1
    assert (history.judgements.list(), history.judgements.trials(5)) == ((), ())


def test_trials_come_newest_first_and_the_oldest_are_dropped(history: History):
    for number in range(TRIALS_KEPT + 3):
        history.judgements.keep_trial(_trial(number))
    kept = history.judgements.trials(1000)
    assert [one.trial_id for one in kept] == [f"t_{number}" for number in range(TRIALS_KEPT + 2, 2, -1)]
