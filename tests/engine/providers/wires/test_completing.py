"""Replies while they come: what is counted, what is learned of a model, and when it is asked a second time."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from msgspec import structs

from tests.engine.providers.canned_door import CannedDoor, key_of, said, streamed, table_service
from trisynapse_memory.errors import BadReplyError, PromptTooLongError, ProviderAuthError, ProviderCutError
from trisynapse_memory.providers.openai_compatible import OpenAiCompatible
from trisynapse_memory.providers.wires import retries
from trisynapse_memory.providers.wires.completing import LOCAL_WINDOW, REMOTE_WINDOW, THINKING_TOKENS
from trisynapse_memory.types import Finish, Prompt

PROMPT = Prompt(text="What is light? " * 20, instructions="Be brief.", max_output_tokens=100)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.0)


def provider(door: CannedDoor, name: str = "openai") -> OpenAiCompatible:
    return OpenAiCompatible(table_service(name), door, key_of)


def chunk(text: str = "", finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": text}, "finish_reason": finish}], **more}


def test_a_stream_without_its_last_word_is_whole_once_the_model_has_finished() -> None:
    assert provider(CannedDoor(streamed(chunk("Yes", "stop")))).completer("m").complete(PROMPT).text == "Yes"


def test_a_stream_that_ends_without_a_finish_was_cut_off() -> None:
    door = CannedDoor(streamed(chunk("Ye")))
    with pytest.raises(ProviderCutError, match="OpenAI gave no whole answer for 'm': Its reply has no end"):
        provider(door).completer("m").complete(PROMPT)


def test_what_follows_the_end_is_not_read() -> None:
    door = CannedDoor(streamed(chunk("Yes", "stop"), "[DONE]", "no json"))
    assert provider(door).completer("m").complete(PROMPT).text == "Yes"


def test_a_reply_that_makes_no_sense_is_not_repeated_in_the_error() -> None:
    door = CannedDoor(streamed('{"choices": "the planted secret"}'))
    with pytest.raises(BadReplyError) as caught:
        provider(door).completer("m").complete(PROMPT)
    assert "planted" not in repr(caught.value)
    assert caught.value.__cause__ is None


def test_where_usage_is_not_told_it_is_estimated_rather_too_high() -> None:
    usage = provider(CannedDoor(streamed(chunk("one two three", "stop")))).completer("gpt-4.1").complete(PROMPT).usage
    assert usage.input_tokens >= 20 * 4
    assert usage.output_tokens >= 3
    assert usage.cost_usd == pytest.approx((usage.input_tokens * 2.0 + usage.output_tokens * 8.0) / 1e6)


def test_a_model_whose_thoughts_used_up_its_limit_is_asked_once_more_with_room() -> None:
    used = {"usage": {"prompt_tokens": 10, "completion_tokens": 100}}
    door = CannedDoor(streamed(chunk("", "length", **used)), streamed(chunk("Yes", "stop", **used)))
    made = provider(door)
    done = made.completer("m").complete(PROMPT)
    assert (done.text, done.finish) == ("Yes", Finish.STOP)
    assert (done.usage.input_tokens, done.usage.output_tokens) == (20, 200)
    assert [door.body(index)["max_completion_tokens"] for index in (0, 1)] == [100, 100 + THINKING_TOKENS]
    assert door.body(1)["reasoning_effort"] == "low"
    made.completer("m").complete(PROMPT)
    assert door.body()["max_completion_tokens"] == 100 + THINKING_TOKENS
    made.completer("another").complete(PROMPT)
    assert door.body()["max_completion_tokens"] == 100


def test_a_model_that_has_room_and_still_says_nothing_is_left_alone() -> None:
    door = CannedDoor(streamed(chunk("", "length")))
    assert provider(door).completer("m").complete(PROMPT).finish is Finish.LENGTH
    assert len(door.sent) == 2


def test_what_a_model_refused_is_forgotten_where_the_changed_request_failed_too() -> None:
    complaint = {"error": {"message": "Unsupported", "param": "temperature"}}
    door = CannedDoor(said(complaint, 400), said({}, 401), streamed(chunk("Yes", "stop")))
    made = provider(door)
    with pytest.raises(ProviderAuthError):
        made.completer("m").complete(PROMPT)
    made.completer("m").complete(PROMPT)
    assert door.body()["temperature"] == 0


def test_what_a_model_refused_is_kept_where_its_reply_was_stopped() -> None:
    complaint = {"error": {"message": "Unsupported", "param": "temperature"}}
    door = CannedDoor(said(complaint, 400), streamed(chunk("Ye"), chunk("s", "stop")))
    made = provider(door)
    stop = threading.Event()
    done = made.completer("m").complete(PROMPT, lambda piece: stop.set(), stop)
    assert (done.text, done.finish) == ("Ye", Finish.CANCELLED)
    made.completer("m").complete(PROMPT)
    assert len(door.sent) == 3
    assert "temperature" not in door.body()


def test_a_prompt_that_is_too_long_is_not_sent_again_in_other_forms() -> None:
    complaint = {"error": {"message": "too many tokens; temperature", "code": "context_length_exceeded"}}
    door = CannedDoor(said(complaint, 400))
    with pytest.raises(PromptTooLongError):
        provider(door).completer("m").complete(structs.replace(PROMPT, schema={"type": "object"}))
    assert len(door.sent) == 1


def test_a_refusal_is_not_undone_by_the_finish_that_follows() -> None:
    refusal = {"choices": [{"delta": {"refusal": "No."}}]}
    done = provider(CannedDoor(streamed(refusal, chunk("", "stop")))).completer("m").complete(PROMPT)
    assert (done.finish, done.text) == (Finish.REFUSED, "")


def test_a_window_that_nobody_names_is_guessed_low_and_lower_for_a_server_of_hers() -> None:
    door = CannedDoor(said({}))
    assert provider(door).completer("unheard-of").max_tokens == REMOTE_WINDOW
    assert provider(door, "ollama").completer("unheard-of").max_tokens == LOCAL_WINDOW
    assert provider(door).completer("gpt-4.1").max_tokens == 1_000_000
