"""The words of Google's Gemini API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.providers.canned_door import CannedDoor, key_of, said, streamed, table_service
from trisynapse_memory.errors import RateLimitedError
from trisynapse_memory.providers.gemini import Gemini
from trisynapse_memory.providers.wires import retries
from trisynapse_memory.providers.wires.completing import THINKING_TOKENS
from trisynapse_memory.types import WRITING_ROLES, Finish, Prompt, PromptImage, Role

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 1}},
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.0)


def reply(text: str, finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": finish}], **more}


DONE = streamed(reply("Yes", "STOP"))


def complaint(message: str) -> Any:
    return said([{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": message}}], 400)


def provider(door: CannedDoor) -> Gemini:
    return Gemini(table_service("gemini"), door, key_of)


def asked(door: CannedDoor, prompt: Prompt) -> Any:
    return provider(door).completer("gemini-2.5-flash").complete(prompt)


def test_a_prompt_is_contents_and_the_key_is_not_in_the_address() -> None:
    door = CannedDoor(DONE)
    asked(door, Prompt(text="What?", instructions="Be brief.", max_output_tokens=9))
    assert door.body() == {
        "contents": [{"role": "user", "parts": [{"text": "What?"}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {"maxOutputTokens": 9 + THINKING_TOKENS, "candidateCount": 1, "temperature": 0},
    }
    host = "https://generativelanguage.googleapis.com/v1beta"
    assert door.sent[0].url == f"{host}/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    assert door.sent[0].headers["x-goog-api-key"] == "key-of-gemini"


def test_the_name_of_a_model_cannot_lead_elsewhere() -> None:
    door = CannedDoor(DONE)
    provider(door).completer("models/../x?key=1#").complete(Prompt(text="?"))
    assert door.sent[0].url.endswith("/models/..%2Fx%3Fkey%3D1%23:streamGenerateContent?alt=sse")


def test_a_picture_comes_before_the_words() -> None:
    door = CannedDoor(DONE)
    asked(door, Prompt(text="What?", images=(PromptImage(media_type="image/png", content=b"png"),)))
    assert door.body()["contents"][0]["parts"] == [
        {"inlineData": {"mimeType": "image/png", "data": "cG5n"}},
        {"text": "What?"},
    ]


def test_a_schema_is_asked_for_in_four_ways_each_less_than_the_one_before() -> None:
    complaints = [complaint('Unknown name "responseJsonSchema"'), complaint("bad schema"), complaint("no JSON mode")]
    door = CannedDoor(*complaints, DONE)
    asked(door, Prompt(text="Count.", schema=SCHEMA))
    settings = [door.body(index)["generationConfig"] for index in range(4)]
    assert settings[0]["responseJsonSchema"] == SCHEMA
    assert settings[1]["responseSchema"]["type"] == "OBJECT"
    assert [one.get("responseMimeType") for one in settings] == ["application/json"] * 3 + [None]
    assert not {"responseSchema", "responseJsonSchema"} & set(settings[2])
    assert ["systemInstruction" in door.body(index) for index in range(4)] == [False, False, True, True]


def test_a_model_without_system_instructions_gets_them_in_front_of_the_words() -> None:
    door = CannedDoor(complaint("Developer instruction: systemInstruction is not enabled for this model"), DONE)
    asked(door, Prompt(text="What?", instructions="Be brief."))
    assert "systemInstruction" not in door.body()
    assert door.body()["contents"][0]["parts"] == [{"text": "Be brief."}, {"text": "What?"}]


def test_a_long_limit_is_not_made_longer_than_old_models_take() -> None:
    door = CannedDoor(DONE)
    asked(door, Prompt(text="?", max_output_tokens=6000))
    assert door.body()["generationConfig"]["maxOutputTokens"] == 8192
    asked(door, Prompt(text="?", max_output_tokens=9000))
    assert door.body()["generationConfig"]["maxOutputTokens"] == 9000


def test_thoughts_are_no_part_of_the_reply_but_of_its_cost() -> None:
    parts = [{"text": "Hm.", "thought": True}, {"text": "Yes"}]
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 1, "thoughtsTokenCount": 99}
    event = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "usageMetadata": usage}
    done = asked(CannedDoor(streamed(event | {"modelVersion": "gemini-2.5-flash-001"})), Prompt(text="?"))
    assert (done.text, done.model) == ("Yes", "gemini-2.5-flash-001")
    assert (done.usage.input_tokens, done.usage.output_tokens) == (10, 100)
    assert done.usage.cost_usd == pytest.approx((10 * 0.3 + 100 * 2.5) / 1e6)


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("STOP", Finish.STOP),
        ("MAX_TOKENS", Finish.LENGTH),
        ("SAFETY", Finish.REFUSED),
        ("RECITATION", Finish.REFUSED),
        ("PROHIBITED_CONTENT", Finish.REFUSED),
    ],
)
def test_why_a_reply_ended_is_kept(reason: str, finish: Finish) -> None:
    done = asked(CannedDoor(streamed(reply("Ye"), reply("s", reason))), Prompt(text="?"))
    assert (done.text, done.finish) == ("Yes", finish)


def test_a_blocked_prompt_is_a_refused_reply() -> None:
    done = asked(CannedDoor(streamed({"promptFeedback": {"blockReason": "SAFETY"}})), Prompt(text="?"))
    assert (done.text, done.finish) == ("", Finish.REFUSED)


def test_a_pause_that_is_asked_for_in_the_body_is_told() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}]
    error = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota", "details": details}
    with pytest.raises(RateLimitedError, match="429, resource_exhausted") as caught:
        asked(CannedDoor(said({"error": error}, 429)), Prompt(text="?"))
    assert "34 seconds" in caught.value.hint


def test_a_list_leaves_out_what_neither_writes_nor_embeds_and_is_read_page_by_page() -> None:
    def listed(name: str, *methods: str) -> dict[str, Any]:
        return {"name": f"models/{name}", "inputTokenLimit": 7, "supportedGenerationMethods": list(methods)}

    first = {"models": [listed("gemini-a", "generateContent"), listed("aqa", "generateAnswer")], "nextPageToken": "a/b"}
    second = {"models": [listed("gemini-a-image", "generateContent"), listed("embed-a", "embedContent")]}
    door = CannedDoor(said(first), said(second))
    made = provider(door)
    cards = made.cards()
    assert [(card.name, card.roles) for card in cards] == [
        ("gemini-a", (*WRITING_ROLES, Role.VISION)),
        ("embed-a", (Role.EMBEDDING,)),
    ]
    assert door.sent[1].url.endswith("&pageToken=a%2Fb")
    assert made.completer("gemini-a").max_tokens == 7


def test_vectors_are_asked_for_in_one_batch() -> None:
    door = CannedDoor(said({"embeddings": [{"values": [3.0, 4.0]}, {"values": [1.0, 0.0]}]}))
    rows = provider(door).embedder("gemini-embedding-001", 2).embed(["one", "two"])
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [1.0, 0.0]]
    assert door.sent[0].url.endswith("/models/gemini-embedding-001:batchEmbedContents")
    assert door.body()["requests"][1] == {
        "model": "models/gemini-embedding-001",
        "content": {"parts": [{"text": "two"}]},
    }
