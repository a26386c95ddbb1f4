"""The settings over the fake engine: what she does is asked of the engine, and what it says is what is shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPushButton, QTableView

from trisynapse_desktop.operations import models
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.consent_sheet import ConsentPanel
from trisynapse_desktop.widgets.setting_parts import Choice, StateLine, Switch
from trisynapse_memory.errors import ModelFileError
from trisynapse_memory.types import Notice


@pytest.fixture
def pane(window, qtbot):
    window.show_target(Target("settings"))
    slot = window.tabs.findChild(object, "slot-settings")
    # The ledger is asked for last.
    qtbot.waitUntil(lambda: slot.findChild(QTableView).model().rowCount() == 24, timeout=10_000)
    return slot


def words(widget):
    return [one.text() for one in widget.findChildren(QLabel) if one.text() and one.isVisibleTo(widget)]


def named(pane, kind, name):
    (one,) = [child for child in pane.findChildren(kind) if child.accessibleName() == name]
    return one


def press(pane, name, qtbot):
    qtbot.mouseClick(named(pane, QPushButton, name), Qt.MouseButton.LeftButton)


def pick(choice, value):
    choice.activated.emit(choice.findData(value))


def last_call(calls, verb, qtbot):
    qtbot.waitUntil(lambda: bool(calls(verb)), timeout=5_000)
    return calls(verb)[-1]


def test_one_choice_lets_a_model_write_everything(pane, calls, qtbot):
    pick(named(pane, Choice, "One model for everything"), "local/smollm2-135m")
    assert last_call(calls, "models.choose", qtbot) == {
        "role": "completion",
        "service": "local",
        "model": "smollm2-135m",
    }
    qtbot.waitUntil(lambda: "Ready." in words(pane), timeout=5_000)


def test_no_model_is_a_choice_too(pane, calls, qtbot):
    pick(named(pane, Choice, "One model for everything"), "local/smollm2-135m")
    qtbot.waitUntil(lambda: "Ready." in words(pane), timeout=5_000)
    pick(named(pane, Choice, "One model for everything"), "")
    assert last_call(calls, "models.clear", qtbot) == {"role": "completion"}


def test_each_role_can_have_its_own_model(pane, calls, qtbot):
    assert "Facts" not in words(pane)
    press(pane, "Choose for each kind of work", qtbot)
    assert "Facts" in words(pane)
    pick(named(pane, Choice, "Facts"), "local/smollm2-135m")
    assert last_call(calls, "models.choose", qtbot)["role"] == "extraction"
    everything = named(pane, Choice, "One model for everything")
    qtbot.waitUntil(lambda: everything.currentText() == "Several", timeout=5_000)


def test_a_test_says_what_the_model_replied_and_how_fast(pane, qtbot):
    pick(named(pane, Choice, "One model for everything"), "local/smollm2-135m")
    test = named(pane, QPushButton, "Test")
    qtbot.waitUntil(test.isEnabled, timeout=5_000)
    qtbot.mouseClick(test, Qt.MouseButton.LeftButton)
    expected = "“Ready.” · first word after 0.4 s · 20 tokens a second"
    qtbot.waitUntil(lambda: expected in words(pane), timeout=5_000)


def test_a_key_is_dots_is_sent_once_and_is_gone_from_the_field(pane, calls, qtbot):
    press(pane, "Give a key OpenAI", qtbot)
    field = named(pane, QLineEdit, "Key for OpenAI")
    assert field.echoMode() is QLineEdit.EchoMode.Password
    qtbot.keyClicks(field, " sk-planted ")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    expected = {"service": "openai", "key": "sk-planted", "session_only": False}
    assert last_call(calls, "keys.set", qtbot) == expected
    assert field.text() == ""
    assert not field.isVisible()
    qtbot.waitUntil(lambda: "Not allowed yet" in words(pane), timeout=5_000)


def test_escape_leaves_no_key_behind(pane, calls, qtbot):
    press(pane, "Give a key OpenAI", qtbot)
    field = named(pane, QLineEdit, "Key for OpenAI")
    qtbot.keyClicks(field, "sk-planted")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (field.text(), field.isVisible(), calls("keys.set")) == ("", False, [])


def test_a_remote_service_is_allowed_only_after_the_sheet(pane, window, calls, qtbot):
    press(pane, "Give a key OpenAI", qtbot)
    field = named(pane, QLineEdit, "Key for OpenAI")
    qtbot.keyClicks(field, "sk-planted")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: named(pane, QPushButton, "Allow OpenAI").isVisible(), timeout=5_000)
    press(pane, "Allow OpenAI", qtbot)
    qtbot.waitUntil(lambda: window.findChild(ConsentPanel) is not None, timeout=5_000)
    sheet = window.findChild(ConsentPanel)
    qtbot.waitUntil(sheet.isVisible, timeout=5_000)
    shown = words(sheet)
    assert "Your questions, and the passages found for them." in shown
    assert "So far: 2 sources marked sensitive, “Interviews”." in shown
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    assert calls("privacy.allow") == []
    press(pane, "Allow OpenAI", qtbot)
    qtbot.waitUntil(sheet.isVisible, timeout=5_000)
    press(sheet, "Send to api.openai.example", qtbot)
    assert last_call(calls, "privacy.allow", qtbot) == {"service": "openai"}
    qtbot.waitUntil(lambda: named(pane, QPushButton, "Do not allow any more OpenAI").isVisible(), timeout=5_000)


def test_enter_on_the_sheet_says_no(pane, window, calls, qtbot):
    window.context.bridge.run(window.context.bridge.call("keys.set", service="openai", key="k"))
    window.context.bridge.notice.emit(Notice(topic="keys"))
    qtbot.waitUntil(lambda: named(pane, QPushButton, "Allow OpenAI").isVisible(), timeout=5_000)
    press(pane, "Allow OpenAI", qtbot)
    qtbot.waitUntil(
        lambda: window.findChild(ConsentPanel) is not None and window.findChild(ConsentPanel).isVisible(),
        timeout=5_000,
    )
    sheet = window.findChild(ConsentPanel)
    qtbot.keyClick(sheet, Qt.Key.Key_Return)
    assert not sheet.isVisible()
    assert calls("privacy.allow") == []


def test_models_of_this_computer_are_fetched_used_and_removed(pane, calls, qtbot):
    press(pane, "Download Qwen3 4B Instruct", qtbot)
    assert last_call(calls, "models.download", qtbot) == {"name": "qwen3-4b"}
    qtbot.waitUntil(lambda: named(pane, QPushButton, "Use Qwen3 4B Instruct").isVisible(), timeout=5_000)
    press(pane, "Use Qwen3 4B Instruct", qtbot)
    assert last_call(calls, "models.choose", qtbot)["model"] == "qwen3-4b"
    press(pane, "Remove SmolLM2 135M Instruct", qtbot)
    assert last_call(calls, "models.remove_file", qtbot) == {"name": "smollm2-135m"}


def test_what_does_not_fit_is_not_offered(pane):
    assert not named(pane, QPushButton, "Download Mistral Small 24B Instruct").isVisible()
    assert "Too large for this computer" in words(pane)


def test_a_server_of_hers_is_added_and_removed(pane, calls, qtbot):
    press(pane, "Add a server of yours", qtbot)
    name, address = (named(pane, QLineEdit, one) for one in ("Name", "Address"))
    qtbot.keyClicks(name, "Workstation")
    qtbot.keyClick(name, Qt.Key.Key_Return)
    qtbot.keyClicks(address, "http://10.0.0.5:8000/v1")
    qtbot.keyClick(address, Qt.Key.Key_Return)
    expected = {"label": "Workstation", "base_url": "http://10.0.0.5:8000/v1"}
    assert last_call(calls, "models.add_service", qtbot) == expected
    qtbot.waitUntil(lambda: "Workstation" in words(pane), timeout=5_000)
    press(pane, "Remove Workstation", qtbot)
    qtbot.waitUntil(lambda: "Workstation" not in words(pane), timeout=5_000)


def test_offline_is_one_switch(pane, window, calls, qtbot):
    window.show_target(Target("settings", text="privacy"))
    switch = named(pane, Switch, "Offline")
    qtbot.mouseClick(switch, Qt.MouseButton.LeftButton)
    assert last_call(calls, "privacy.set_offline", qtbot) == {"on": True}
    qtbot.waitUntil(lambda: switch.text() == "Nothing may leave", timeout=5_000)


def test_rules_and_the_limit_are_kept(pane, window, calls, qtbot):
    window.show_target(Target("settings", text="privacy"))
    pick(named(pane, Choice, "What may be sent of Interviews"), "ask")
    expected = {"collection": "Interviews", "sharing": "ask"}
    assert last_call(calls, "privacy.set_rule", qtbot) == expected
    field = named(pane, QLineEdit, "Most in a month, US dollars")
    qtbot.keyClicks(field, "5")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert last_call(calls, "privacy.set_budget", qtbot) == {"usd": 5.0}


def test_the_ledger_lists_what_left_with_the_titles_of_the_sources(pane, window, qtbot):
    window.show_target(Target("settings", text="privacy"))
    table = named(pane, QTableView, "Requests that left this computer")
    qtbot.waitUntil(lambda: table.model().rowCount() == 24, timeout=5_000)
    row = [table.model().index(1, column).data() for column in range(6)]
    assert row[1:5] == ["api.openai.example", "answer", "5,431 B", "897 B"]
    assert row[5] == "The turning mirror"
    refused = [table.model().index(4, column).data() for column in range(6)]
    assert refused[2] == "answer (refused)"
    assert "23 requests to 2 hosts" in words(pane)


def test_an_empty_ledger_says_the_good_news(make_window, tmp_path, qtbot):
    window = make_window("--empty", folder=tmp_path / "new.vault")
    window.show_target(Target("settings", text="privacy"))
    slot = window.tabs.findChild(object, "slot-settings")
    qtbot.waitUntil(
        lambda: "Nothing has left this computer." in [one.text for one in slot.findChildren(StateLine)], timeout=5_000
    )


def test_what_goes_wrong_with_a_service_is_said_at_its_line(pane, qtbot):
    pane.pane._service_list.models_wanted.emit("nowhere")
    pane.pane._service_list.say("openai", "The key was refused. Give another.", "bad")
    assert "The key was refused. Give another." in words(pane)


def choose_remote(pane, window, qtbot, name, value):
    """Give a key, choose a model of the service, and return the sheet that asks whether it may be sent anything."""
    window.context.bridge.run(window.context.bridge.call("keys.set", service="openai", key="k"))
    choice = named(pane, Choice, name)
    qtbot.waitUntil(lambda: choice.findData(value) >= 0, timeout=5_000)
    pick(choice, value)
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(ConsentPanel)), timeout=5_000)
    return window.findChild(ConsentPanel)


def test_a_remote_model_that_was_chosen_waits_for_her_word(pane, window, calls, qtbot):
    sheet = choose_remote(pane, window, qtbot, "One model for everything", "openai/small-1")
    press(sheet, "Not now", qtbot)
    assert calls("models.choose")[-1]["service"] == "openai"
    assert calls("privacy.allow") == []
    assert named(pane, Choice, "One model for everything").currentText() == "small-1 (OpenAI)"
    qtbot.waitUntil(lambda: "OpenAI is not allowed yet." in words(pane), timeout=5_000)
    assert named(pane, QPushButton, "Allow OpenAI").isVisible()


def test_a_remote_embedder_sends_questions_and_is_asked_for_too(pane, window, calls, qtbot):
    press(pane, "Which models? Ollama", qtbot)
    press(pane, "Choose for each kind of work", qtbot)
    qtbot.waitUntil(lambda: named(pane, Choice, "Finding by meaning").findData("ollama/small-1") >= 0, timeout=5_000)
    assert named(pane, Choice, "Finding by meaning").findData("local/smollm2-135m") == -1
    window.context.bridge.run(window.context.bridge.call("keys.set", service="openai", key="k"))
    qtbot.waitUntil(lambda: named(pane, QPushButton, "Allow OpenAI").isVisible(), timeout=5_000)
    pane.pane._choose("embedding", "openai/embed-3")
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(ConsentPanel)), timeout=5_000)
    press(window.findChild(ConsentPanel), "Send to api.openai.example", qtbot)
    assert last_call(calls, "privacy.allow", qtbot) == {"service": "openai"}


FOLDER_ROLES = [
    ("Finding by meaning", "embedding", "sentence-transformers"),
    ("Recordings", "transcription", "whisper"),
    ("Best passages first", "reranking", "cross-encoder"),
]


@pytest.mark.parametrize(("title", "role", "service"), FOLDER_ROLES)
def test_a_folder_of_hers_can_fill_a_role(title, role, service, pane, calls, tmp_path, monkeypatch, qtbot):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    press(pane, "Choose for each kind of work", qtbot)
    pick(named(pane, Choice, title), "folder")
    expected = {"role": role, "service": service, "model": str(tmp_path)}
    assert last_call(calls, "models.choose", qtbot) == expected


def test_what_was_allowed_is_taken_back_under_privacy(pane, window, calls, qtbot):
    window.context.bridge.run(window.context.bridge.call("privacy.allow", service="openai"))
    window.show_target(Target("settings", text="privacy"))
    qtbot.waitUntil(lambda: "OpenAI" in words(pane), timeout=5_000)
    named(pane, QPushButton, "Take it back OpenAI").click()
    assert last_call(calls, "privacy.disallow", qtbot) == {"service": "openai"}
    qtbot.waitUntil(lambda: "No service beyond this computer." in words(pane), timeout=5_000)


def test_an_offline_that_cannot_be_lifted_says_why(pane, window, qtbot):
    window.context.bridge.run(window.context.bridge.call("privacy.set_offline", on="held"))
    window.show_target(Target("settings", text="privacy"))
    switch = named(pane, Switch, "Offline")
    qtbot.waitUntil(switch.isChecked, timeout=5_000)
    qtbot.mouseClick(switch, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(window.toasts.showing()), timeout=5_000)
    assert "--offline" in window.toasts.showing()[-1].hint
    qtbot.waitUntil(switch.isChecked, timeout=5_000)


def by_tab(first, count):
    seen = [first]
    for _step in range(count):
        following = seen[-1].nextInFocusChain()
        while not (following.isVisible() and following.focusPolicy() & Qt.FocusPolicy.TabFocus):
            following = following.nextInFocusChain()
        seen.append(following)
    return [one.accessibleName() for one in seen[1:]]


def test_tab_goes_through_a_page_from_its_top(pane, window, qtbot):
    window.show_target(Target("settings", text="privacy"))
    expected = [
        "Offline",
        "What may be sent of Sources in no collection",
        "What may be sent of Interviews",
        "What may be sent of Optics",
        "Most in a month, US dollars",
        "Requests that left this computer",
        "Learn from what I open",
        "Forget all notes",
    ]
    # The order is set once every line has come.
    qtbot.waitUntil(lambda: by_tab(pane.pane._heads.button(1), len(expected)) == expected, timeout=10_000)


def test_watched_folders_are_added_by_a_dialog_and_stopped_with_a_way_back(
    pane, window, calls, tmp_path, monkeypatch, qtbot
):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    window.show_target(Target("settings", text="folders"))
    qtbot.waitUntil(lambda: {"reading", "papers"} <= set(words(pane)), timeout=5_000)
    assert "/media/stick/papers · into “Optics”" in words(pane)
    assert "It is not there now. It is looked at again as soon as it is back." in words(pane)
    press(pane, "Watch a folder", qtbot)
    assert last_call(calls, "watching.add", qtbot) == {"path": str(tmp_path), "collection": ""}
    qtbot.waitUntil(lambda: tmp_path.name in words(pane), timeout=5_000)
    press(pane, "Stop watching papers", qtbot)
    qtbot.waitUntil(lambda: "papers" not in words(pane), timeout=5_000)
    toast = window.toasts.showing()[-1]
    assert (toast.text, toast.hint) == ("“papers” is no longer watched.", "Its sources stay.")
    toast.undo()
    expected = {"path": "/media/stick/papers", "collection": "Optics"}
    qtbot.waitUntil(lambda: calls("watching.add")[-1] == expected, timeout=5_000)


def test_a_look_at_the_watched_folders_says_what_it_found(pane, window, calls, qtbot):
    window.show_target(Target("settings", text="folders"))
    qtbot.waitUntil(lambda: "papers" in words(pane), timeout=5_000)
    press(pane, "Look now", qtbot)
    qtbot.waitUntil(lambda: bool(window.toasts.showing()), timeout=5_000)
    assert window.toasts.showing()[-1].text == "1 file had changed."


def test_a_part_that_fails_leaves_the_others_to_be_seen(pane, window, monkeypatch, qtbot):
    call = window.context.bridge.call

    async def fail(verb, **given):
        if verb == "models.local":
            raise ModelFileError("The folder of models cannot be read.")
        return await call(verb, **given)

    before = named(pane, Choice, "What may be sent of Optics")
    window.context.bridge.run(call("privacy.set_rule", collection="Optics", sharing="never"))
    monkeypatch.setattr(window.context.bridge, "call", fail)
    pane.pane.refresh()
    qtbot.waitUntil(lambda: bool(window.toasts.showing()), timeout=5_000)
    assert window.toasts.showing()[-1].text == "The folder of models cannot be read."
    assert before is not named(pane, Choice, "What may be sent of Optics")
    assert named(pane, Choice, "What may be sent of Optics").currentText() == "Never sent"


def test_the_real_engine_fills_every_part_and_keeps_what_she_does(real_window, ask, qtbot):
    real_window.show_target(Target("settings", text="privacy"))
    slot = real_window.tabs.findChild(object, "slot-settings")
    qtbot.waitUntil(lambda: "Nothing has left this computer." in words(slot), timeout=20_000)
    assert named(slot, Switch, "Offline").isChecked()  # the window was opened so
    named(slot, Switch, "Offline").click()
    qtbot.waitUntil(lambda: bool(real_window.toasts.showing()), timeout=10_000)
    assert "--offline" in real_window.toasts.showing()[-1].hint

    real_window.show_target(Target("settings", text="models"))
    labels = words(slot)
    assert {"OpenAI", "Ollama"} <= set(labels)
    assert sum("a second here" in text for text in labels) < len(ask(models.local(real_window.context)))
    pane = slot.pane
    pane._service_list.added.emit("Workstation", "127.0.0.1:9")
    qtbot.waitUntil(lambda: "Workstation" in words(slot), timeout=10_000)
    pane._choose("completion", "workstation/some-model")
    qtbot.waitUntil(lambda: any("offline is on" in text for text in words(slot)), timeout=10_000)
    everything = named(slot, Choice, "One model for everything")
    assert everything.currentText() == "some-model (workstation)"
    named(slot, QPushButton, "Remove Workstation").click()
    qtbot.waitUntil(lambda: "Workstation" not in words(slot), timeout=10_000)
    qtbot.waitUntil(lambda: everything.currentText() == "No model", timeout=10_000)
