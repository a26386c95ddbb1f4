"""Error bodies as the services send them, and what she is told; never their own words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.providers.canned_door import table_service
from trisynapse_memory.errors import (
    KeyNeededError,
    ModelMissingError,
    PromptTooLongError,
    ProviderAuthError,
    ProviderError,
    ProviderFailedError,
    ProviderRefusedError,
    RateLimitedError,
)
from trisynapse_memory.providers.services import own_service
from trisynapse_memory.providers.wires.faults import Asked, error_for, fault_in, read_fault

ASKED = Asked(table_service("openai"), "gpt-x")


def openai(message: str, code: Any = None, kind: str = "invalid_request_error", param: str | None = None) -> Any:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def anthropic(kind: str, message: str) -> Any:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def gemini(code: int, status: str, message: str, *details: Any) -> Any:
    return {"error": {"code": code, "status": status, "message": message, "details": list(details)}}


# One body a line, so that the table can be read down its columns.
# ruff: noqa: E501
BODIES: list[tuple[int, Any, type[ProviderError], str]] = [
    (401, openai("Incorrect API key provided: sk-ab***yz.", "invalid_api_key"), ProviderAuthError, "401, invalid_api_key"),
    (401, anthropic("authentication_error", "invalid x-api-key"), ProviderAuthError, "401, authentication_error"),
    (400, gemini(400, "INVALID_ARGUMENT", "API key not valid", {"reason": "API_KEY_INVALID"}), ProviderAuthError, "400, api"),
    (403, gemini(403, "PERMISSION_DENIED", "no"), ProviderAuthError, "403, permission_denied"),
    (403, {"error": {"code": 403, "message": "Your input was flagged", "metadata": {"reasons": ["x"]}}}, ProviderRefusedError, "403"),
    (404, openai("The model `x` does not exist", "model_not_found"), ModelMissingError, "404, model_not_found"),
    (404, {"error": "model 'x' not found, try pulling it first"}, ModelMissingError, "(404)"),
    (400, {"error": {"message": "x is not a valid model ID", "code": 400}}, ModelMissingError, "(400)"),
    (400, {"error": {"message": "Model Not Exist", "type": "invalid_request_error"}}, ModelMissingError, "(400)"),
    (400, {"object": "error", "message": "Invalid model: x", "type": "invalid_model", "code": "1500"}, ModelMissingError, "(400"),
    (400, openai("This model's maximum context length is 8192", "context_length_exceeded"), PromptTooLongError, "400, context"),
    (400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000"), PromptTooLongError, "(400)"),
    (400, gemini(400, "INVALID_ARGUMENT", "The input token count exceeds the maximum number of tokens"), PromptTooLongError, "400"),
    (413, anthropic("request_too_large", "Request exceeds"), PromptTooLongError, "413, request_too_large"),
    (429, openai("Rate limit reached", "rate_limit_exceeded"), RateLimitedError, "takes no more requests for 'gpt-x'"),
    (429, openai("You exceeded your current quota", "insufficient_quota"), RateLimitedError, "no credit left"),
    (402, openai("Insufficient Balance"), RateLimitedError, "no credit left"),
    (400, anthropic("invalid_request_error", "Your credit balance is too low"), RateLimitedError, "no credit left"),
    (400, openai("filtered", "content_filter"), ProviderRefusedError, "refused the request for 'gpt-x'"),
    (529, anthropic("overloaded_error", "Overloaded"), ProviderFailedError, "529, overloaded_error"),
    (500, {"detail": "boom"}, ProviderFailedError, "(500)"),
    (503, None, ProviderFailedError, "(503)"),
    (400, {"detail": [{"loc": ["body", "x"], "msg": "field required", "type": "missing"}]}, ProviderError, "400, missing"),
    (501, {"error": {"message": "start it with embeddings", "type": "not_supported_error"}}, ProviderError, "501, not_supported_error"),
    (418, {"error": {"message": "teapot"}}, ProviderError, "did not take the request"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind", "words"), BODIES)
def test_each_body_is_the_error_it_means(status: int, body: Any, kind: type[ProviderError], words: str) -> None:
    error = error_for(read_fault(status, {}, json.dumps(body).encode()), ASKED)
    assert type(error) is kind
    assert words in error.problem
    assert "OpenAI" in error.problem
    assert error.hint


@given(st.text(min_size=20, max_size=60), st.sampled_from([400, 401, 403, 404, 413, 422, 429, 500, 529]))
def test_no_words_of_a_service_are_ever_shown(words: str, status: int) -> None:
    """A service may repeat the prompt or the key in any field."""
    echo = f"sk-1 {words}"
    body = {"error": {"message": echo, "type": echo, "code": echo, "param": echo, "status": echo}, "detail": [echo]}
    error = error_for(read_fault(status, {}, json.dumps(body).encode()), ASKED)
    assert echo not in str(error)
    assert words not in str(error)


@pytest.mark.parametrize("code", ["sk-proj-a1b2c3d4e5", "AIzaSyA1b2C3", "two words", "x" * 60])
def test_a_code_that_may_be_a_key_or_a_sentence_is_not_shown(code: str) -> None:
    assert code.lower() not in str(error_for(fault_in(openai("no", code), 400), ASKED)).lower()


@pytest.mark.parametrize(
    "body", [b"", b"<html>Bad gateway</html>", b"[]", b"null", b'"text"', b"[[[[[[[[[[1]]]]]]]]]]", b"\xff{"]
)
def test_a_body_that_is_no_error_still_has_its_status(body: bytes) -> None:
    assert error_for(read_fault(502, {}, body), ASKED).problem.endswith("(502).")


def test_the_pause_is_read_from_the_header_or_the_body() -> None:
    body = gemini(429, "RESOURCE_EXHAUSTED", "later", {"@type": "RetryInfo", "retryDelay": "17.5s"})
    assert read_fault(429, {}, json.dumps(body).encode()).pause_s == 17.5
    assert read_fault(429, {"retry-after": "3"}, json.dumps(body).encode()).pause_s == 3.0
    assert "Wait about 18 seconds" in error_for(fault_in(body, 429), ASKED).hint


@pytest.mark.parametrize(
    ("event", "status"),
    [
        ({"error": {"type": "overloaded_error"}}, 529),
        ({"error": {"code": 502, "message": "x"}}, 502),
        ({"error": {"code": "rate_limit_exceeded"}}, 429),
        ({"error": {"status": "RESOURCE_EXHAUSTED"}}, 429),
        ({"error": {"message": "something"}}, 500),
    ],
)
def test_an_error_in_the_middle_of_a_stream_has_the_status_its_words_mean(event: Any, status: int) -> None:
    assert fault_in(event).status == status


def test_a_fault_names_a_field_by_its_param_else_by_its_words() -> None:
    named = fault_in(openai("Use 'max_completion_tokens' instead of 'max_tokens'.", param="max_tokens"), 400)
    assert named.names("max_tokens")
    assert not named.names("max_completion_tokens")
    assert fault_in(openai("bad", param="response_format.json_schema"), 400).names("response_format")
    unnamed = fault_in(anthropic("invalid_request_error", "output_config.format: Extra inputs"), 400)
    assert unnamed.names("output_config")
    assert not unnamed.names("output")
    wrapped = {"message": json.dumps({"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"]}]})}
    assert fault_in(wrapped, 422).names("stream_options")


def test_a_server_that_wants_a_key_where_none_is_set_asks_for_one() -> None:
    asked = Asked(own_service("Box", "http://127.0.0.1:1"), "m", has_key=False)
    error = error_for(fault_in({}, 401), asked)
    assert type(error) is KeyNeededError
    assert "keys set box" in error.hint


def test_a_missing_model_at_an_address_of_hers_may_be_a_wrong_address() -> None:
    mine = Asked(own_service("Box", "http://127.0.0.1:1"), "m")
    assert "/v1" in error_for(fault_in({}, 404), mine).hint
    assert "/v1" not in error_for(fault_in({}, 404), ASKED).hint
    assert "has no list of models" in error_for(fault_in({}, 404), Asked(mine.service)).problem
