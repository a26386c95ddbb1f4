from __future__ import annotations

import msgspec

from trisynapse_desktop.operations import ask as asking
from trisynapse_memory.types import Answer, AnswerStage


def test_a_question_starts_a_thread_that_keeps_both_sides(window, ask):
    exchange = ask(asking.ask(window.context, asking.Wish("Who turned the mirror first?")))
    assert exchange.thread.title == "Who turned the mirror first?"
    kept = ask(asking.turns(window.context, exchange.thread.thread_id))
    assert [turn.role for turn in kept] == ["user", "assistant"]
    assert msgspec.json.decode(kept[1].answer, type=Answer) == exchange.answer
    assert kept[1].query_id == exchange.answer.query_id
    assert [thread.thread_id for thread in ask(asking.threads(window.context))] == [exchange.thread.thread_id]


def test_a_second_question_stays_in_its_thread(window, ask):
    first = ask(asking.ask(window.context, asking.Wish("Who?")))
    second = ask(asking.ask(window.context, asking.Wish("When?"), first.thread))
    assert second.thread == first.thread
    assert len(ask(asking.turns(window.context, first.thread.thread_id))) == 4


def test_the_steps_of_an_answer_are_told_as_they_come(window, ask):
    steps = []
    ask(asking.ask(window.context, asking.Wish("light", ask_id="a1"), on_step=steps.append))
    assert [(one.stage, one.ask_id) for one in steps] == [(AnswerStage.EVIDENCE, "a1")]
    assert steps[0].passages


def test_the_scope_limits_answer_and_thread(window, ask, calls):
    exchange = ask(asking.ask(window.context, asking.Wish("light", source_ids=("s1",))))
    assert exchange.thread.scope_source_ids == ("s1",)
    assert calls("query")[-1]["source_ids"] == ["s1"]


def test_the_engine_is_told_only_what_was_said(window, ask, calls):
    exchange = ask(asking.ask(window.context, asking.Wish("light")))
    assert calls("query")[-1] == {"question": "light", "thread_id": exchange.thread.thread_id}
    wish = asking.Wish("light", model="none", share=("Interviews",), ask_id="a2")
    ask(asking.ask(window.context, wish, exchange.thread))
    assert calls("query")[-1] == {
        "question": "light",
        "thread_id": exchange.thread.thread_id,
        "model": "none",
        "share": ["Interviews"],
        "ask_id": "a2",
    }


def test_a_long_question_gives_a_short_title(window, ask):
    assert len(ask(asking.start_thread(window.context, "why " * 60)).title) <= asking.TITLE_LENGTH
