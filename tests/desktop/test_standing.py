"""The status line follows the engine, over the fake one."""

from __future__ import annotations

from trisynapse_desktop.target import Target
from trisynapse_memory.types import Notice


def test_who_writes_and_what_left_are_said_as_they_change(window, ask, qtbot):
    line, call = window.status, window.context.bridge.call
    qtbot.waitUntil(lambda: "23 requests sent" in line.words(), timeout=10_000)
    assert "SmolLM2" not in line.words()
    ask(call("models.choose", role="completion", service="local", model="smollm2-135m"))
    qtbot.waitUntil(lambda: "SmolLM2 135M Instruct" in line.words(), timeout=10_000)
    ask(call("privacy.set_offline", on=True))
    qtbot.waitUntil(lambda: "Offline · 23 requests sent" in line.words(), timeout=10_000)
    ask(call("models.clear", role="completion"))
    qtbot.waitUntil(lambda: "SmolLM2" not in line.words(), timeout=10_000)


def test_a_request_is_counted_as_it_ends(window, ask, qtbot):
    qtbot.waitUntil(lambda: "23 requests sent" in window.status.words(), timeout=10_000)
    ask(window.context.bridge.call("models.cards", service="ollama"))
    window.context.bridge.notice.emit(Notice(topic="requests", seq=24))
    qtbot.waitUntil(lambda: "24 requests sent" in window.status.words(), timeout=10_000)


def test_a_model_that_may_not_be_asked_is_not_said_to_write(window, ask, calls, qtbot):
    line, call = window.status, window.context.bridge.call
    qtbot.waitUntil(lambda: "23 requests sent" in line.words(), timeout=10_000)
    said = []
    line.show_model = said.append
    ask(call("models.choose", role="completion", service="openai", model="small-1"))
    qtbot.waitUntil(lambda: bool(said), timeout=10_000)
    assert said == [""]
    del line.show_model
    ask(call("privacy.allow", service="openai"))
    qtbot.waitUntil(lambda: "small-1" in line.words(), timeout=10_000)


def test_offline_by_the_switch_keeps_links_from_being_fetched(window, ask, qtbot):
    ask(window.context.bridge.call("privacy.set_offline", on=True))
    qtbot.waitUntil(lambda: window.is_offline, timeout=10_000)
    window.context.actions.action("add.link").trigger()
    window.commands.sheet._field.setPlainText("https://papers.example/1")
    assert "Offline is on" in window.commands.sheet.note
    assert not window.commands.sheet._add.isEnabled()


def test_a_click_on_what_left_shows_the_list(window, qtbot):
    window.status._network.click()
    slot = window.tabs.findChild(object, "slot-settings")
    assert slot is not None
    qtbot.waitUntil(lambda: slot.pane._stack.currentIndex() == 1, timeout=5_000)
    window.show_target(Target("sources"))
    window.context.actions.action("go.settings").trigger()
    assert slot.pane._stack.currentIndex() == 1, "the page she was on"
