"""The words of Anthropic's Messages API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.providers.canned_door import CannedDoor, key_of, said, streamed, table_service
from trisynapse_memory.providers.anthropic import Anthropic
from trisynapse_memory.providers.wires import retries
from trisynapse_memory.providers.wires.completing import THINKING_TOKENS
from trisynapse_memory.types import Finish, Prompt, PromptImage

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 1}},
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.0)


def delta(**fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": fields}


END = (
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
)
DONE = streamed(delta(type="text_delta", text="Yes"), *END)


def complaint(message: str) -> Any:
    return said({"type": "error", "error": {"type": "invalid_request_error", "message": message}}, 400)


def asked(door: CannedDoor, prompt: Prompt) -> Any:
    return Anthropic(table_service("anthropic"), door, key_of).completer("claude-haiku-4-5").complete(prompt)


def test_a_prompt_is_a_message_with_the_key_in_its_own_header() -> None:
    door = CannedDoor(DONE)
    asked(door, Prompt(text="What?", instructions="Be brief.", max_output_tokens=9))
    assert door.body() == {
        "model": "claude-haiku-4-5",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "What?"}]}],
        "system": "Be brief.",
        "temperature": 0,
        "stream": True,
    }
    assert door.sent[0].url == "https://api.anthropic.com/v1/messages"
    assert door.sent[0].headers["x-api-key"] == "key-of-anthropic"
    assert door.sent[0].headers["anthropic-version"] == "2023-06-01"


def test_a_picture_comes_before_the_words() -> None:
    door = CannedDoor(DONE)
    asked(door, Prompt(text="What?", images=(PromptImage(media_type="image/png", content=b"png"),)))
    content = door.body()["messages"][0]["content"]
    assert content[0]["source"] == {"type": "base64", "media_type": "image/png", "data": "cG5n"}
    assert content[1]["text"] == "What?"


def test_a_schema_is_an_output_format_then_a_tool_then_words() -> None:
    door = CannedDoor(complaint("output_config: Extra inputs"), complaint("tool_choice forces tool use"), DONE)
    asked(door, Prompt(text="Count.", instructions="Be exact.", schema=SCHEMA))
    first, second, third = (door.body(index) for index in range(3))
    assert first["output_config"]["format"]["schema"]["properties"] == {"n": {"type": "integer"}}
    assert second["tools"][0]["input_schema"] == SCHEMA
    assert second["tool_choice"] == {"type": "tool", "name": "reply"}
    assert "output_config" not in second
    assert not {"tools", "output_config"} & set(third)
    assert third["system"].startswith("Be exact.")
    assert "minimum" in third["system"]


def test_a_reply_through_the_tool_comes_as_the_json_of_its_arguments() -> None:
    pieces = [delta(type="input_json_delta", partial_json=part) for part in ('{"n"', ": 3}")]
    done = asked(CannedDoor(streamed(*pieces, *END)), Prompt(text="Count.", schema=SCHEMA))
    assert done.text == '{"n": 3}'
    block = {"type": "tool_use", "name": "reply", "input": {"n": 3}}
    whole = said({"content": [block], "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 2}})
    assert asked(CannedDoor(whole), Prompt(text="Count.", schema=SCHEMA)).text == '{"n": 3}'


def test_a_model_that_refuses_a_temperature_thinks_and_is_asked_to_think_little() -> None:
    door = CannedDoor(complaint("`temperature` is deprecated for this model."), DONE)
    asked(door, Prompt(text="What?", max_output_tokens=9))
    assert "temperature" not in door.body()
    assert door.body()["max_tokens"] == 9 + THINKING_TOKENS
    assert door.body()["output_config"] == {"effort": "low"}


def test_an_effort_that_is_refused_too_is_left_out_and_the_schema_stays() -> None:
    door = CannedDoor(complaint("temperature is refused"), complaint("output_config.effort: not supported"), DONE)
    asked(door, Prompt(text="Count.", schema=SCHEMA))
    assert list(door.body()["output_config"]) == ["format"]


def test_thoughts_pings_and_what_is_not_known_are_no_part_of_the_reply() -> None:
    door = CannedDoor(
        streamed(
            {"type": "ping"},
            delta(type="thinking_delta", thinking="Hm."),
            delta(type="signature_delta", signature="xyz"),
            {"type": "something_new", "more": [1]},
            delta(type="text_delta", text="Yes"),
            *END,
        )
    )
    assert asked(door, Prompt(text="?")).text == "Yes"


def test_what_is_read_from_the_cache_counts_as_read() -> None:
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100, "output_tokens": 1}
    start = {"type": "message_start", "message": {"model": "claude-haiku-4-5-20251001", "usage": usage}}
    done = asked(CannedDoor(streamed(start, delta(type="text_delta", text="Yes"), *END)), Prompt(text="?"))
    assert (done.usage.input_tokens, done.usage.output_tokens) == (123, 7)
    assert done.usage.cost_usd == pytest.approx((123 * 1.0 + 7 * 5.0) / 1e6)
    assert done.model == "claude-haiku-4-5-20251001"


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", Finish.STOP),
        ("stop_sequence", Finish.STOP),
        ("tool_use", Finish.STOP),
        ("max_tokens", Finish.LENGTH),
        ("model_context_window_exceeded", Finish.LENGTH),
        ("refusal", Finish.REFUSED),
    ],
)
def test_why_a_reply_ended_is_kept(reason: str, finish: Finish) -> None:
    end = {"type": "message_delta", "delta": {"stop_reason": reason}}
    done = asked(CannedDoor(streamed(delta(type="text_delta", text="Ye"), end, END[1])), Prompt(text="?"))
    assert (done.text, done.finish) == ("Ye", finish)


def test_a_long_list_of_models_is_read_page_by_page() -> None:
    first = {"data": [{"id": "claude-a"}], "has_more": True, "last_id": "claude a/b"}
    second = {"data": [{"id": "claude-haiku-4-5", "display_name": "Haiku", "max_input_tokens": 7}], "has_more": False}
    door = CannedDoor(said(first), said(second))
    cards = Anthropic(table_service("anthropic"), door, key_of).cards()
    assert [card.name for card in cards] == ["claude-a", "claude-haiku-4-5"]
    assert [card.context_tokens for card in cards] == [200_000, 7]
    assert (cards[1].label, cards[1].input_price_usd, cards[1].output_price_usd) == ("Haiku", 1.0, 5.0)
    assert door.sent[1].url.endswith("/models?limit=1000&after_id=claude%20a%2Fb")


def test_a_list_without_an_end_is_given_up() -> None:
    door = CannedDoor(said({"data": [{"id": "claude-a"}], "has_more": True, "last_id": "claude-a"}))
    assert len(Anthropic(table_service("anthropic"), door, key_of).cards()) == len(door.sent) == 20
