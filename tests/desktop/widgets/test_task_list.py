from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trisynapse_desktop.widgets.task_list import is_listed, state_text
from trisynapse_memory.types import Task


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (Task(name="vectors", status="running", pending=1204), "1,204 passages to go"),
        (Task(name="summaries", status="waiting", pending=1), "1 group to go"),
        (Task(name="facts", status="paused", pending=3), "Paused · 3 passages to go"),
        (Task(name="facts", status="paused"), "Paused"),
        (Task(name="later", status="waiting", pending=2), "2 steps to go"),
        (Task(name="facts", status="waiting", pending=2, trouble="no room."), "2 passages to go. No room."),
    ],
)
def test_how_far_a_kind_of_work_is(task, words):
    assert state_text(task) == words


def test_the_next_try_is_told_on_her_clock():
    moment = datetime(2026, 10, 14, 9, 5, tzinfo=UTC)
    task = Task(name="vectors", status="waiting", pending=2, trouble="No network", retry_at=moment)
    assert state_text(task) == f"2 passages to go. No network. Tries again at {moment.astimezone():%H:%M}."


def test_only_work_that_there_is_to_tell_of_is_listed():
    assert not is_listed(Task(name="facts", status="idle", done=900))
    assert is_listed(Task(name="facts", status="paused"))
    assert is_listed(Task(name="facts", status="idle", trouble="The worker ended."))
