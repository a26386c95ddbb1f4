from __future__ import annotations

import msgspec

from trisynapse_desktop.operations import ask as asking
from trisynapse_memory.types import Answer


def test_a_question_starts_a_thread_that_keeps_both_sides(window, ask):
    exchange = ask(asking.ask(window.context, "Who turned the mirror first?"))
    assert exchange.thread.title == "Who turned the mirror first?"
    kept = ask(asking.turns(window.context, exchange.thread.thread_id))
    assert [turn.role for turn in kept] == ["user", "assistant"]
    assert msgspec.json.decode(kept[1].answer, type=Answer) == exchange.answer
    assert kept[1].query_id == exchange.answer.query_id
    assert [thread.thread_id for thread in ask(asking.threads(window.context))] == [exchange.thread.thread_id]


def test_a_second_question_stays_in_its_thread(window, ask):
    first = ask(asking.ask(window.context, "Who?"))
    second = ask(asking.ask(window.context, "When?", first.thread))
    assert second.thread == first.thread
    assert len(ask(asking.turns(window.context, first.thread.thread_id))) == 4


def test_evidence_comes_before_the_answer_is_asked_for(window, ask, calls):
    seen = []

    def note(hits):
        seen.append((len(hits), len(calls("query"))))

    ask(asking.ask(window.context, "light", on_evidence=note))
    assert seen == [(asking.EVIDENCE_COUNT, 0)]


def test_the_scope_limits_evidence_answer_and_thread(window, ask, calls):
    exchange = ask(asking.ask(window.context, "light", source_ids=("s1",), on_evidence=lambda hits: None))
    assert exchange.thread.scope_source_ids == ("s1",)
    assert calls("search")[-1]["source_ids"] == calls("query")[-1]["source_ids"] == ["s1"]


def test_a_long_question_gives_a_short_title(window, ask):
    assert len(ask(asking.start_thread(window.context, "why " * 60)).title) <= asking.TITLE_LENGTH
