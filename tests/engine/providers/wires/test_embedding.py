"""Remote vectors: how texts are sent, and which vectors are believed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engine.providers.canned_door import Canned, CannedDoor, key_of, table_service
from trisynapse_memory.providers.openai_compatible import OpenAiCompatible
from trisynapse_memory.providers.services import own_service
from trisynapse_memory.providers.wires.embedding import BLANK
from trisynapse_memory.types import ModelService


class Mirror(CannedDoor):
    """Gives a vector for each text it is sent."""

    def __init__(self, usage: Any = None) -> None:
        super().__init__(Canned())
        self.usage = usage

    def send(self, request: Any, stop: Any = None) -> Any:
        texts = json.loads(request.body)["input"]
        rows = [{"index": place, "embedding": [1.0, len(text)]} for place, text in enumerate(texts)]
        self.answers = [Canned((json.dumps({"data": rows, "usage": self.usage}).encode(),))]
        return super().send(request, stop)


def embedder(door: CannedDoor, model: str = "text-embedding-3-small", service: ModelService | None = None) -> Any:
    return OpenAiCompatible(service or table_service("openai"), door, key_of).embedder(model, 0)


def test_requests_stay_within_the_services_limits_of_texts_and_tokens() -> None:
    door = Mirror()
    embedder(door).embed(["word"] * 100 + ["word " * 4000] * 3)
    counts = [len(door.body(index)["input"]) for index in range(len(door.sent))]
    assert counts == [64, 37, 1, 1]
    assert sum(counts) == 103


def test_a_text_beyond_the_window_is_cut_and_one_without_words_is_replaced() -> None:
    door = Mirror()
    made = embedder(door, "unheard-of")
    made.embed(["word " * 2000, " \n"])
    long, blank = door.body()["input"]
    assert blank == BLANK
    assert made.token_counts([long])[0] <= made.max_tokens < made.token_counts(["word " * 2000])[0]


def test_a_service_that_hands_texts_on_is_asked_for_companies_that_do_not_keep_them() -> None:
    door = Mirror()
    embedder(door, service=table_service("openrouter")).embed(["one"])
    assert door.body()["provider"] == {"data_collection": "deny"}
    embedder(door).embed(["one"])
    assert set(door.body()) == {"model", "input"}


def test_usage_adds_up_and_has_the_price_of_the_list() -> None:
    made = embedder(Mirror({"prompt_tokens": 500_000, "total_tokens": 500_000}))
    made.embed(["one"])
    made.embed(["two"])
    assert made.usage.input_tokens == 1_000_000
    assert made.usage.cost_usd == pytest.approx(0.02)


def test_usage_that_is_not_told_is_estimated_and_a_server_of_hers_costs_nothing() -> None:
    made = embedder(Mirror(), service=own_service("Box", "http://127.0.0.1:1"))
    made.embed(["one two three"])
    assert made.usage.input_tokens >= 3
    assert made.usage.cost_usd == 0.0
    unknown = embedder(Mirror(), "unheard-of")
    unknown.embed(["one"])
    assert unknown.usage.cost_usd is None


def test_two_servers_of_hers_never_share_vectors() -> None:
    first = embedder(Mirror(), "nomic", own_service("Box", "http://127.0.0.1:1"))
    second = embedder(Mirror(), "nomic", own_service("Box", "http://127.0.0.1:2"))
    assert first.model_id != second.model_id
    assert first.model_id.endswith("/nomic")
    assert embedder(Mirror()).model_id == "openai/text-embedding-3-small"
