from __future__ import annotations

import asyncio

import pytest

from trisynapse_desktop.bridge import EngineState, engine_command, error_of, fault_of
from trisynapse_memory.errors import ServiceGoneError, SourceDeniedError, TrisynapseError, UnknownVerbError, VaultError
from trisynapse_memory.types import Fault


def test_opening_a_vault_starts_an_engine_that_answers_with_typed_results(make_bridge, vault, ask):
    bridge = make_bridge()
    bridge.open(vault)
    assert bridge.state is EngineState.STARTING
    sources = ask(bridge.call("sources.list"))
    assert bridge.state is EngineState.READY
    assert sources[0].title == "The turning mirror"


def test_two_calls_at_once_each_get_their_own_answer(make_bridge, vault, ask):
    bridge = make_bridge()
    bridge.open(vault)

    async def both():
        return await asyncio.gather(
            bridge.call("sources.show", source_id="s3"), bridge.call("sources.show", source_id="s1")
        )

    assert [source.source_id for source in ask(both())] == ["s3", "s1"]


def test_an_error_of_the_engine_arrives_as_the_class_it_was_raised_as(make_bridge, vault, ask):
    bridge = make_bridge()
    bridge.open(vault)
    with pytest.raises(SourceDeniedError) as caught:
        ask(bridge.call("search", question="!refuse"))
    assert caught.value.hint == "Ask nicely."


def test_progress_reaches_the_caller_and_the_signal_before_the_result(make_bridge, vault, ask):
    bridge = make_bridge()
    bridge.open(vault)
    own, all_of_it = [], []
    bridge.progress.connect(all_of_it.append)
    run = ask(bridge.call("ingest", own.append, inputs=[{"path": "/a.pdf"}, {"path": "/b.pdf"}]))
    assert [step.done for step in own] == [1, 2]
    assert all_of_it == own
    assert len(run.results) == 2


def test_a_change_in_the_engine_is_announced_to_the_panes(make_bridge, vault, ask, qtbot):
    bridge = make_bridge()
    bridge.open(vault)
    with qtbot.waitSignal(bridge.notice, check_params_cb=lambda notice: notice.topic == "sources"):
        ask(bridge.call("sources.forget", source_id="s0", reason="test"))


def test_an_engine_that_dies_fails_the_waiting_call_and_is_started_again(make_bridge, vault, ask, qtbot):
    bridge = make_bridge()
    bridge.open(vault)
    ask(bridge.call("jobs.backlog"))
    first = bridge.process_id
    states = []
    bridge.state_changed.connect(states.append)
    waiting = asyncio.ensure_future(bridge.call("search", question="!silence"))
    with pytest.raises(ServiceGoneError):
        ask(bridge.call("search", question="!die"))
    with pytest.raises(ServiceGoneError):
        ask(_result(waiting))
    qtbot.waitUntil(lambda: bridge.state is EngineState.READY, timeout=10_000)
    assert states == [EngineState.LOST, EngineState.STARTING, EngineState.READY]
    assert bridge.process_id not in (0, first)
    assert ask(bridge.call("jobs.backlog")).vectors == 214


def test_a_call_made_while_the_engine_restarts_waits_for_the_new_one(make_bridge, vault, ask, qtbot):
    bridge = make_bridge()
    bridge.open(vault)
    with pytest.raises(ServiceGoneError):
        ask(bridge.call("search", question="!die"))
    assert bridge.state is EngineState.LOST
    assert len(ask(bridge.call("sources.list"))) == 8


def test_an_engine_that_keeps_dying_is_left_to_her(make_bridge, vault, ask):
    bridge = make_bridge()
    bridge.open(vault)
    for _attempt in range(4):
        with pytest.raises(ServiceGoneError):
            ask(bridge.call("search", question="!die"))
    assert bridge.state is EngineState.FAILED
    bridge.restart()
    assert ask(bridge.call("jobs.backlog")).vectors == 214


def test_a_vault_that_cannot_be_opened_says_why_and_fails_every_call(make_bridge, vault, ask):
    bridge = make_bridge("--refuse")
    bridge.open(vault)
    with pytest.raises(VaultError) as caught:
        ask(bridge.call("jobs.backlog"))
    assert bridge.state is EngineState.FAILED
    assert str(caught.value) == "The log is damaged. Restore a backup."


def test_a_program_that_is_not_there_fails_instead_of_waiting(make_bridge, vault, ask, monkeypatch):
    bridge = make_bridge()
    monkeypatch.setattr(bridge, "_command", lambda *_args: ["/nowhere/python"])
    bridge.open(vault)
    with pytest.raises(ServiceGoneError):
        ask(bridge.call("jobs.backlog"))


def test_a_call_without_a_vault_fails_at_once(make_bridge, ask):
    with pytest.raises(ServiceGoneError):
        ask(make_bridge().call("jobs.backlog"))


def test_an_unknown_verb_is_an_error_of_the_caller(make_bridge, vault, ask):
    bridge = make_bridge()
    bridge.open(vault)
    with pytest.raises(UnknownVerbError):
        ask(bridge.call("sources.burn"))
    assert bridge.state is EngineState.READY


def test_what_a_coroutine_raises_is_shown_and_not_lost(make_bridge, qtbot):
    bridge = make_bridge()
    with qtbot.waitSignal(bridge.failed) as seen:
        bridge.run(bridge.call("jobs.backlog"))
    assert seen.args[0].code == "service.gone"


def test_a_caller_that_shows_its_own_error_keeps_it_to_itself(make_bridge, qtbot):
    bridge = make_bridge()
    shown, spread = [], []
    bridge.failed.connect(spread.append)
    bridge.run(bridge.call("jobs.backlog"), shown.append)
    qtbot.waitUntil(lambda: bool(shown))
    assert spread == []


def test_closing_the_window_ends_the_engine_process(make_bridge, vault, ask, qtbot):
    bridge = make_bridge()
    bridge.open(vault)
    ask(bridge.call("jobs.backlog"))
    process = bridge._process._process
    bridge.close()
    assert process.processId() == 0
    assert bridge.state is EngineState.CLOSED


def test_the_command_line_of_a_source_tree_and_of_a_bundle(monkeypatch, vault):
    assert engine_command(vault, True, False)[1:] == ["-m", "trisynapse_memory.service", str(vault), "--create"]
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert engine_command(vault, False, True)[1:] == ["--module", "trisynapse_memory.service", str(vault), "--offline"]


def test_a_fault_and_an_error_say_the_same():
    fault = Fault(code="source.denied", message="No.", hint="Ask.")
    assert fault_of(error_of(fault)) == fault
    assert type(error_of(Fault(code="new.code", message="x"))) is TrisynapseError
    assert fault_of(ZeroDivisionError("no")).code == "bug"


async def _result(future):
    return await future


def test_what_was_asked_for_a_closed_vault_is_cancelled_and_shows_nothing(make_bridge, vault, ask, qtbot):
    bridge = make_bridge()
    bridge.open(vault)
    ask(bridge.call("jobs.backlog"))
    shown = []
    task = bridge.run(bridge.call("search", question="!silence"), shown.append)
    never_started = bridge.run(bridge.call("jobs.backlog"), shown.append)
    bridge.close()
    qtbot.waitUntil(lambda: task.done() and never_started.done())
    assert task.cancelled()
    assert shown == []


def test_an_answer_for_a_pane_that_was_closed_is_dropped(make_bridge, qtbot):
    bridge = make_bridge()
    spread = []
    bridge.failed.connect(spread.append)

    async def paint():
        raise RuntimeError("libshiboken: Internal C++ object (QLabel) already deleted.")

    task = bridge.run(paint())
    qtbot.waitUntil(task.done)
    assert spread == []


def test_a_bug_in_a_coroutine_is_logged_and_shown(make_bridge, qtbot, caplog):
    bridge = make_bridge()

    async def fail():
        raise ZeroDivisionError("by nought")

    with qtbot.waitSignal(bridge.failed) as seen:
        bridge.run(fail())
    assert seen.args[0].code == "bug"
    assert "ZeroDivisionError" in caplog.text


def test_a_call_started_between_two_runs_of_the_loop_waits_for_the_next(make_bridge, vault, loop, qtbot):
    bridge = make_bridge()
    bridge.open(vault)
    qtbot.waitUntil(lambda: bridge.state is EngineState.READY, timeout=20_000)
    faults = []
    # As qasync leaves it while it lets Qt's timers fire a last time.
    asyncio.events._set_running_loop(None)
    try:
        task = bridge.run(bridge.call("sources.list"), faults.append)
        qtbot.wait(50)
    finally:
        asyncio.events._set_running_loop(loop)
    qtbot.waitUntil(task.done, timeout=10_000)
    assert faults == []
    assert len(task.result()) == 8
