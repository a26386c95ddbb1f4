"""The words of OpenAI's chat language, and how the services that speak it differ."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.providers.canned_door import CannedDoor, key_of, said, streamed, table_service
from trisynapse_memory.providers.openai_compatible import OpenAiCompatible
from trisynapse_memory.providers.wires import retries
from trisynapse_memory.types import WRITING_ROLES, Finish, Prompt, PromptImage, Role

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 1}},
    "required": ["n"],
    "additionalProperties": False,
}
DONE = streamed({"choices": [{"delta": {"content": "{}"}, "finish_reason": "stop"}]}, "[DONE]")
COMPLAINT = said({"error": {"message": "This response_format type is unavailable now"}}, 400)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.0)


def sent_by(name: str, prompt: Prompt) -> Any:
    door = CannedDoor(DONE)
    OpenAiCompatible(table_service(name), door, key_of).completer("m").complete(prompt)
    return door.body()


def test_a_prompt_is_a_chat_with_instructions_first() -> None:
    assert sent_by("openai", Prompt(text="What?", instructions="Be brief.", max_output_tokens=9)) == {
        "model": "m",
        "store": False,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What?"}],
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 9,
    }


def test_without_instructions_there_is_no_system_message() -> None:
    assert sent_by("ollama", Prompt(text="What?"))["messages"] == [{"role": "user", "content": "What?"}]


@pytest.mark.parametrize(
    ("name", "limit", "asks_usage"),
    [
        ("openai", "max_completion_tokens", True),
        ("openrouter", "max_tokens", True),
        ("deepseek", "max_tokens", True),
        ("mistral", "max_tokens", False),
        ("ollama", "max_tokens", True),
    ],
)
def test_each_service_is_sent_the_fields_it_knows(name: str, limit: str, asks_usage: bool) -> None:
    body = sent_by(name, Prompt(text="What?"))
    assert {"max_completion_tokens", "max_tokens"} & set(body) == {limit}
    assert ("stream_options" in body) == asks_usage
    assert ("thinking" in body) == (name == "deepseek")


def test_services_that_may_keep_what_they_are_sent_are_asked_not_to() -> None:
    assert sent_by("openrouter", Prompt(text="What?"))["provider"] == {"data_collection": "deny"}
    assert sent_by("openai", Prompt(text="What?"))["store"] is False
    assert not {"store", "provider"} & set(sent_by("ollama", Prompt(text="What?")))


def test_a_picture_comes_before_the_words() -> None:
    image = PromptImage(media_type="image/png", content=b"png")
    content = sent_by("openai", Prompt(text="What?", images=(image,)))["messages"][-1]["content"]
    assert content == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}},
        {"type": "text", "text": "What?"},
    ]


def test_a_schema_is_asked_for_in_four_ways_each_less_than_the_one_before() -> None:
    door = CannedDoor(COMPLAINT, COMPLAINT, COMPLAINT, DONE)
    provider = OpenAiCompatible(table_service("deepseek"), door, key_of)
    provider.completer("m").complete(Prompt(text="Count.", schema=SCHEMA))
    formats = [door.body(index).get("response_format") for index in range(4)]
    assert formats[0] == {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True}}
    assert "minimum" not in repr(formats[1])
    assert formats[2:] == [{"type": "json_object"}, None]
    assert [len(door.body(index)["messages"]) for index in range(4)] == [1, 1, 2, 2]
    assert '"additionalProperties": false' in door.body()["messages"][0]["content"]


def test_a_schema_that_strict_mode_would_refuse_is_not_called_strict() -> None:
    body = sent_by("openai", Prompt(text="Count.", schema={**SCHEMA, "required": []}))
    assert body["response_format"]["json_schema"]["strict"] is False


def test_a_limit_by_its_old_name_that_is_refused_is_sent_by_its_new_one() -> None:
    complaint = {"error": {"message": "Use 'max_completion_tokens' instead.", "param": "max_tokens"}}
    door = CannedDoor(said(complaint, 400), DONE)
    OpenAiCompatible(table_service("openrouter"), door, key_of).completer("m").complete(Prompt(text="What?"))
    assert "max_tokens" not in door.body()
    assert door.body()["max_completion_tokens"] == 1024


def test_a_model_that_may_not_be_streamed_is_asked_for_its_reply_in_one() -> None:
    complaint = {"error": {"message": "must be verified to stream this model", "param": "stream"}}
    whole = said({"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}]})
    door = CannedDoor(said(complaint, 400), whole)
    pieces: list[str] = []
    done = (
        OpenAiCompatible(table_service("openai"), door, key_of).completer("m").complete(Prompt(text="?"), pieces.append)
    )
    assert (done.text, pieces) == ("Yes", ["Yes"])
    assert "stream" not in door.body()
    assert "stream_options" not in door.body()


def test_thoughts_are_no_part_of_the_reply() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "Yes"}]
    door = CannedDoor(
        streamed(
            {"choices": [{"delta": {"reasoning_content": "Hm."}}]},
            {"choices": [{"delta": {"content": parts}, "finish_reason": "stop"}]},
        )
    )
    assert (
        OpenAiCompatible(table_service("mistral"), door, key_of).completer("m").complete(Prompt(text="?")).text == "Yes"
    )


def test_a_filtered_reply_is_a_refused_one() -> None:
    door = CannedDoor(streamed({"choices": [{"delta": {"content": "Ye"}, "finish_reason": "content_filter"}]}))
    done = OpenAiCompatible(table_service("openai"), door, key_of).completer("m").complete(Prompt(text="?"))
    assert (done.text, done.finish) == ("Ye", Finish.REFUSED)


def test_a_cost_that_the_service_tells_goes_before_the_list() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 6, "cost": 0.0123}
    door = CannedDoor(streamed({"choices": [{"delta": {"content": "Y"}, "finish_reason": "stop"}], "usage": usage}))
    done = OpenAiCompatible(table_service("openrouter"), door, key_of).completer("a/b").complete(Prompt(text="?"))
    assert done.usage.cost_usd == 0.0123


@pytest.mark.parametrize("usage", ["many", {"prompt_tokens": "7"}, [1], {"prompt_tokens": None}])
def test_a_usage_that_makes_no_sense_costs_no_reply(usage: Any) -> None:
    door = CannedDoor(streamed({"choices": [{"delta": {"content": "Y"}, "finish_reason": "stop"}], "usage": usage}))
    done = OpenAiCompatible(table_service("ollama"), door, key_of).completer("m").complete(Prompt(text="What?"))
    assert done.text == "Y"
    assert done.usage.input_tokens > 0


LISTED: list[tuple[dict[str, Any], tuple[Role, ...]]] = [
    ({"id": "gpt-x"}, (*WRITING_ROLES, Role.VISION)),
    ({"id": "text-embedding-x"}, (Role.EMBEDDING,)),
    ({"id": "all-minilm:latest"}, (Role.EMBEDDING,)),
    ({"id": "gpt-4o-transcribe"}, ()),
    ({"id": "m", "capabilities": {"completion_chat": True, "vision": False}}, WRITING_ROLES),
    ({"id": "m", "capabilities": {"completion_chat": False}}, ()),
    ({"id": "m", "capabilities": ["completion"]}, (*WRITING_ROLES, Role.VISION)),
    ({"id": "m", "architecture": {"input_modalities": ["text"], "output_modalities": ["text"]}}, WRITING_ROLES),
    ({"id": "m", "architecture": {"input_modalities": ["text"], "output_modalities": ["image"]}}, ()),
]


@pytest.mark.parametrize(("listed", "roles"), LISTED)
def test_a_list_tells_what_a_model_can_do_as_far_as_it_says(listed: dict[str, Any], roles: tuple[Role, ...]) -> None:
    door = CannedDoor(said({"data": [listed]}))
    cards = OpenAiCompatible(table_service("openai"), door, key_of).cards()
    assert [card.roles for card in cards] == ([roles] if roles else [])


@pytest.mark.parametrize(
    ("listed", "price", "window"),
    [
        ({"pricing": {"prompt": "0.000002", "completion": "0.00001"}, "context_length": 9}, (2.0, 10.0), 9),
        ({"pricing": {"prompt": "-1", "completion": "-1"}}, (None, None), 0),
        ({"pricing": {"prompt": "free?"}}, (None, None), 0),
        ({"pricing": "by request"}, (None, None), 0),
        ({"max_model_len": 4096}, (None, None), 4096),
        ({"meta": {"n_ctx": 2048, "n_ctx_train": 8192}}, (None, None), 2048),
        ({"max_context_length": 128}, (None, None), 128),
    ],
)
def test_prices_and_windows_are_read_where_they_are_told(
    listed: dict[str, Any], price: tuple[float | None, float | None], window: int
) -> None:
    door = CannedDoor(said({"data": [{"id": "a/b", **listed}]}))
    card = OpenAiCompatible(table_service("openrouter"), door, key_of).cards()[0]
    assert (card.input_price_usd, card.output_price_usd) == price
    assert card.context_tokens == window
    assert (card.service, card.name) == ("openrouter", "a/b")
