"""The chat while a model writes, over the fake engine: sentence by sentence, stopped, and what she decides."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from trisynapse_desktop.widgets.message import AnswerView
from trisynapse_desktop.widgets.passage_card import PassageCard
from trisynapse_memory.types import Notice

FIRST = "In 1862 the turning mirror gave 298,000 kilometres a second."
SECOND = "Nobody had turned a mirror before."


@pytest.fixture
def chat(window):
    window.show_side("chat")
    return window.sidebar.findChild(object, "slot-chat").pane


def put(chat, question, qtbot):
    chat.ask(question)
    qtbot.waitUntil(lambda: not chat.busy, timeout=10_000)


def words(view):
    return [one.text() for one in view.findChildren(QLabel) if one.text() and one.isVisible()]


def press(view, text):
    (one,) = [child for child in view.findChildren(QPushButton) if child.text() == text]
    one.click()


def test_sentences_appear_as_they_stand_above_the_passages(chat, qtbot):
    seen = []

    def look(index):
        message = chat.conversation[index]
        seen.append((message.state, message.answer.answer if message.answer else ""))

    chat.conversation.changed.connect(look)
    put(chat, "!write", qtbot)
    assert seen == [
        ("evidence", ""),
        ("writing", ""),
        ("writing", FIRST),
        ("writing", f"{FIRST} {SECOND}"),
        ("answered", f"{FIRST} [1] {SECOND} [1]"),
    ]
    shown = words(chat._list.message(1))
    assert "Written by smollm2-135m, each sentence checked against its passage" in shown
    assert any("1 sentence withheld" in one.text() for one in chat._list.message(1).findChildren(QPushButton))


def test_escape_stops_a_model_and_what_stands_is_the_answer(chat, calls, qtbot):
    chat.ask("!stream")
    qtbot.waitUntil(lambda: chat.conversation[1].state == "writing" and bool(chat.conversation[1].answer.sentences))
    view = chat._list.message(1)
    assert isinstance(view, AnswerView)
    assert "smollm2-135m is writing; each sentence is checked first" in words(view)
    assert len(view.findChildren(PassageCard)) >= 4
    qtbot.keyClick(chat._composer.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not chat.busy, timeout=5_000)
    assert calls("runs.cancel") == [{"run_id": calls("query")[0]["ask_id"]}]
    assert (chat.conversation[1].state, chat.conversation[1].text) == ("answered", f"{FIRST} [1]")


def test_what_a_follow_up_was_looked_up_as_is_said(chat, qtbot):
    put(chat, "And when?", qtbot)
    assert chat.conversation[1].asked_as == "When was the mirror turned?"
    assert "Asked as: When was the mirror turned?" in words(chat._list.message(1))


@pytest.mark.parametrize(
    ("text", "shared", "rule"),
    [("Send this once", ["Interviews"], None), ("Always", None, "allow"), ("Never", None, "never")],
)
def test_held_back_passages_are_sent_only_as_she_says(chat, calls, qtbot, text, shared, rule):
    put(chat, "!asks", qtbot)
    press(chat._list.message(1), text)
    if rule != "never":
        qtbot.waitUntil(lambda: len(chat.conversation) == 4 and not chat.busy, timeout=10_000)
        assert calls("query")[-1].get("share") == shared
    if rule:
        qtbot.waitUntil(lambda: bool(calls("privacy.set_rule")), timeout=5_000)
        assert calls("privacy.set_rule") == [{"collection": "Interviews", "sharing": rule}]
        assert calls("query")[-1].get("share") is None


def test_who_writes_is_offered_and_kept_with_the_thread(chat, calls, qtbot):
    menu = chat._composer._models
    qtbot.waitUntil(lambda: len(menu.actions()) == 3, timeout=5_000)
    assert [one.text() for one in menu.actions()] == ["No model (as set)", "SmolLM2 135M Instruct", "No model"]
    menu.actions()[1].trigger()
    assert "SmolLM2" in chat._composer._model.text()
    put(chat, "Who?", qtbot)
    assert calls("query")[0]["model"] == "local/smollm2-135m"
    assert calls("threads.choose_model") == [{"thread_id": "t0", "model": "local/smollm2-135m"}]
    menu.actions()[2].trigger()
    qtbot.waitUntil(lambda: len(calls("threads.choose_model")) == 2, timeout=5_000)
    chat.start_new()
    menu.actions()[0].trigger()
    chat._fill_menu()
    (again,) = [action for action in chat._menu.actions() if action.text() == "Who?"]
    again.trigger()
    qtbot.waitUntil(lambda: len(chat.conversation) == 2, timeout=5_000)
    put(chat, "When?", qtbot)
    assert calls("query")[-1]["model"] == "none"


def test_without_a_model_no_choice_is_offered(chat, window, ask, qtbot):
    ask(window.context.bridge.call("models.remove_file", name="smollm2-135m"))
    window.context.bridge.notice.emit(Notice(topic="models"))
    qtbot.waitUntil(lambda: not chat._composer._models.actions(), timeout=5_000)
    assert not chat._composer._model.isVisible()
