"""Threads and turns are kept in the log, in order, with the answer that was shown."""

from __future__ import annotations

import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownRecordError
from trisynapse_memory.log.conversation import Conversations
from trisynapse_memory.log.store import MemoryLog


@pytest.fixture
def threads(log: MemoryLog) -> Conversations:
    return Conversations(log)


def test_a_new_thread_is_empty_and_remembers_its_scope(threads: Conversations):
    made = threads.create("Mirrors", ("src_1",))
    assert threads.get(made.thread_id) == made
    assert (made.title, made.scope_source_ids, made.turn_count, made.archived) == ("Mirrors", ("src_1",), 0, False)


def test_turns_come_back_oldest_first_with_the_answer_that_was_shown(threads: Conversations):
    thread = threads.create("Mirrors")
    asked = threads.append(thread.thread_id, "user", "Who?")
    answered = threads.append(thread.thread_id, "assistant", "Foucault.", "q_1", '{"answer": "Foucault."}')
    assert threads.turns(thread.thread_id) == (asked, answered)
    assert (answered.query_id, answered.answer) == ("q_1", '{"answer": "Foucault."}')
    assert threads.get(thread.thread_id).turn_count == 2


def test_the_thread_last_written_to_comes_first(threads: Conversations):
    first, second = threads.create("first"), threads.create("second")
    assert [one.title for one in threads.list()] == ["second", "first"]
    threads.append(first.thread_id, "user", "x")
    assert [one.title for one in threads.list()] == ["first", "second"]
    assert second.updated_at < threads.get(first.thread_id).updated_at


def test_a_renamed_thread_keeps_its_scope_and_an_archived_one_leaves_the_list(threads: Conversations):
    thread = threads.create("old", ("src_1",))
    renamed = threads.rename(thread.thread_id, "new")
    assert (renamed.title, renamed.scope_source_ids) == ("new", ("src_1",))
    archived = threads.archive(thread.thread_id)
    assert (archived.archived, archived.title) == (True, "new")
    assert threads.list() == ()
    assert threads.get(thread.thread_id).archived


def test_an_unknown_role_or_thread_writes_nothing(threads: Conversations, log: MemoryLog):
    thread = threads.create("x")
    head = log.head()
    with pytest.raises(InvalidInputError, match="robot"):
        threads.append(thread.thread_id, "robot", "x")
    for verb in (threads.get, threads.turns, threads.archive):
        with pytest.raises(UnknownRecordError, match="t_x"):
            verb("t_x")
    with pytest.raises(UnknownRecordError, match="t_x"):
        threads.append("t_x", "user", "x")
    assert log.head() == head


def test_a_thread_keeps_who_writes_its_answers(threads: Conversations):
    thread = threads.create("Optics")
    assert thread.model == ""
    threads.choose_model(thread.thread_id, "local/smollm2")
    threads.rename(thread.thread_id, "Light")
    assert (threads.get(thread.thread_id).model, threads.get(thread.thread_id).title) == ("local/smollm2", "Light")
    assert threads.choose_model(thread.thread_id, "none").model == "none"
    assert threads.choose_model(thread.thread_id, "").model == ""


def test_a_model_without_its_service_is_refused(threads: Conversations):
    thread = threads.create("Optics")
    with pytest.raises(InvalidInputError, match="SERVICE/MODEL"):
        threads.choose_model(thread.thread_id, "smollm2")
