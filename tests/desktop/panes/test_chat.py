"""The chat over the fake engine (its words are known), and once over the real one."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.markdown import RichText
from trisynapse_desktop.widgets.message import AnswerView, QuestionView
from trisynapse_desktop.widgets.passage_card import PassageCard
from trisynapse_memory.types import Fault


def chat_in(window):
    window.show_side("chat")
    return window.sidebar.findChild(object, "slot-chat").pane


@pytest.fixture
def chat(window):
    return chat_in(window)


def put(chat, question, qtbot):
    chat.ask(question)
    qtbot.waitUntil(lambda: not chat.busy, timeout=10_000)


def test_before_the_first_question_it_says_what_it_is_for(chat):
    assert chat._stack.currentWidget() is chat._empty
    assert chat._empty.title == "Ask your sources"


def test_evidence_is_on_the_screen_before_the_answer(chat, qtbot):
    states = []
    chat.conversation.changed.connect(lambda index: states.append(chat.conversation[index].state))
    cards = []
    chat.conversation.changed.connect(
        lambda index: cards.append(len(chat._list.message(index).findChildren(PassageCard)))
    )
    put(chat, "velocity of light", qtbot)
    assert states == ["evidence", "answered"]
    assert cards[0] >= 4


def test_an_answer_has_its_quotation_and_a_chip_that_opens_the_page(chat, window, qtbot):
    put(chat, "How fast is light?", qtbot)
    view = chat._list.message(1)
    body = view.findChild(RichText)
    assert "“In 1862 the turning mirror gave 298,000 kilometres a second.”" in body.toPlainText()
    assert body.toPlainText().split("”")[1].strip() == "Bellmer 1862, p. 2"
    opened = []
    window.context.selection.opened.connect(opened.append)
    body.anchorClicked.emit(QUrl("cite:1"))
    assert (opened[0].pane, opened[0].source_id, opened[0].locator.page) == ("reader", "s0", 2)


def test_both_sides_are_kept_and_shown_again_at_the_next_start(chat, make_window, window, vault, qtbot):
    put(chat, "How fast is light?", qtbot)
    thread_id = window.context.session.state.thread_id
    assert thread_id
    chat.start_new()
    assert len(chat.conversation) == 0
    assert window.context.session.state.thread_id == ""
    chat._fill_menu()
    (again,) = [action for action in chat._menu.actions() if action.text() == "How fast is light?"]
    again.trigger()
    qtbot.waitUntil(lambda: len(chat.conversation) == 2, timeout=5_000)
    assert isinstance(chat._list.message(0), QuestionView)
    assert chat._list.message(1).answer is not None
    assert window.context.session.state.thread_id == thread_id


def test_a_second_question_follows_in_the_same_thread(chat, qtbot, calls):
    put(chat, "Who?", qtbot)
    put(chat, "When?", qtbot)
    assert len(calls("threads.create")) == 1
    assert [args["text"] for args in calls("threads.append") if args["role"] == "user"] == ["Who?", "When?"]


def test_an_answer_that_is_not_there_is_said_as_one(chat, qtbot):
    put(chat, "zzz", qtbot)
    view = chat._list.message(1)
    assert "Your sources do not say" in view.accessibleName()
    assert "Nothing in the vault says so." in view.accessibleName()


def test_the_scope_can_be_the_open_document(chat, window, qtbot, calls):
    window.context.selection.select_source("s1")
    _whole, one = chat._composer._menu.actions()
    assert one.text() == "The toothed wheel"
    one.trigger()
    put(chat, "Who?", qtbot)
    assert calls("query")[-1]["source_ids"] == ["s1"]
    assert calls("threads.create")[-1]["scope_source_ids"] == ["s1"]


def test_a_question_that_comes_with_the_jump_is_asked(chat, window, qtbot):
    window.context.selection.open(Target("chat", text="How fast is light?"))
    qtbot.waitUntil(lambda: len(chat.conversation) == 2 and not chat.busy, timeout=10_000)
    assert chat.conversation[0].text == "How fast is light?"


def test_a_proposed_question_is_not_asked(chat, window, qtbot):
    window.context.selection.propose_question("About this passage: ")
    assert chat._composer.field.toPlainText() == "About this passage: "
    assert len(chat.conversation) == 0


def test_stop_leaves_what_was_found_and_lets_her_ask_again(chat, window, qtbot):
    chat.ask("!silence")
    assert chat.busy
    assert window.context.actions.action("chat.stop").isEnabled()
    chat.stop()
    assert chat.conversation[1].state == "stopped"
    qtbot.waitUntil(lambda: not chat.busy, timeout=2_000)
    assert not window.context.actions.action("chat.stop").isEnabled()
    qtbot.waitUntil(lambda: bool(chat._list.message(1).findChildren(QPushButton)), timeout=2_000)
    put(chat, "How fast is light?", qtbot)
    assert chat.conversation[3].state == "answered"


def test_a_refusal_is_shown_in_the_thread_and_can_be_tried_again(chat, qtbot):
    put(chat, "!refuse", qtbot)
    message = chat.conversation[1]
    assert (message.state, message.fault.code) == ("failed", "source.denied")
    view = chat._list.message(1)
    view.retry_wanted.emit()
    qtbot.waitUntil(lambda: len(chat.conversation) == 4 and not chat.busy, timeout=10_000)
    assert chat.conversation[2].text == "!refuse"


def test_an_engine_that_dies_in_the_middle_fails_the_question_only(chat, qtbot):
    put(chat, "!die", qtbot)
    assert chat.conversation[1].state == "failed"
    chat.start_new()  # the fake engine forgets its threads when it dies
    put(chat, "How fast is light?", qtbot)
    assert chat.conversation[1].state == "answered"


def test_the_last_answer_is_copied_with_its_place(chat, window, qtbot):
    put(chat, "How fast is light?", qtbot)
    window.context.actions.action("chat.copy").trigger()
    text = QGuiApplication.clipboard().text()
    assert text.splitlines()[0] == "In 1862 the turning mirror gave 298,000 kilometres a second. (Bellmer 1862, p. 2)"
    assert "- A. Bellmer. The turning mirror (1862)" in text


def test_another_vault_has_its_own_conversation(chat, window, tmp_path, qtbot):
    put(chat, "How fast is light?", qtbot)
    window.open_vault(tmp_path / "second.vault", create=True)
    qtbot.waitUntil(lambda: len(chat.conversation) == 0, timeout=10_000)


def test_a_fault_without_a_message_on_the_screen_is_harmless(chat):
    chat._fail(7, Fault(code="x", message="Too late."))
    assert len(chat.conversation) == 0


def test_the_real_engine_answers_with_a_citation_and_abstains_without_one(real_window, qtbot):
    chat = chat_in(real_window)
    chat.ask("Who first measured the speed of light with a rotating mirror?")
    qtbot.waitUntil(lambda: not chat.busy, timeout=60_000)
    view = chat._list.message(1)
    assert isinstance(view, AnswerView)
    assert "1862" in view.answer.answer
    assert view.answer.citations[0].locator.page == 1
    chat.ask("How far is the Andromeda galaxy?")
    qtbot.waitUntil(lambda: not chat.busy, timeout=60_000)
    assert chat.conversation[3].answer.abstain
