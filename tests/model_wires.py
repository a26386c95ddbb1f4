"""A reply in, the bytes of each vendor's language out: whole, streamed, in error. ``model_servers`` sends them.

The formats are those the vendors publish (December 2026).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trisynapse_memory.providers.services import ANTHROPIC_WIRE, GEMINI_WIRE, OPENAI_WIRE

OPENAI, ANTHROPIC, GEMINI = OPENAI_WIRE, ANTHROPIC_WIRE, GEMINI_WIRE
MODEL = "test-model-1"
EMBEDDER = "test-embedding-1"


@dataclass(frozen=True)
class Reply:
    """What a model says, and what the service says of it."""

    text: str
    model: str
    input_tokens: int
    output_tokens: int
    refuses: bool = False
    is_cut_short: bool = False

    @property
    def pieces(self) -> list[str]:
        """Its text word by word, spaces kept."""
        return [] if self.refuses else re.findall(r"\s*\S+\s*?(?=\s|$)|\s+", self.text)


def wire_of(path: str, headers: dict[str, str]) -> str:
    """The language a request is in."""
    if path.startswith("/v1beta"):
        return GEMINI
    return ANTHROPIC if "anthropic-version" in headers else OPENAI


def named_model(path: str, body: Any) -> str:
    """The model a request asks for."""
    found = re.search(r"/models/([^:]+):", path)
    return found[1] if found else body["model"]


def _event(value: Any, name: str = "") -> str:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n"


def stream_events(wire: str, reply: Reply, body: Any) -> Iterator[tuple[str, bool]]:
    """The events of a streamed reply, each with whether it carries text."""
    if wire == ANTHROPIC:
        yield from _anthropic_events(reply, body)
    elif wire == GEMINI:
        yield from _gemini_events(reply)
    else:
        yield from _openai_events(reply, body)


def _openai_events(reply: Reply, body: Any) -> Iterator[tuple[str, bool]]:
    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event(
            {"id": "c1", "object": "chat.completion.chunk", "model": reply.model, "choices": [choice], **more}
        )

    asks_usage = (body.get("stream_options") or {}).get("include_usage")

    yield ": a comment, as some services send while they think\n\n", False
    yield chunk({"role": "assistant", "content": "", "refusal": None}), False
    for piece in reply.pieces:
        yield chunk({"content": piece}), True
    if reply.refuses:
        yield chunk({"refusal": "I cannot help with that."}), False
    # Mistral puts the usage there without being asked.
    unasked = {} if asks_usage else {"usage": _openai_usage(reply)}
    yield chunk({}, "length" if reply.is_cut_short else "stop", **unasked), False
    if asks_usage:
        yield _event({"model": reply.model, "choices": [], "usage": _openai_usage(reply)}), False
    yield "data: [DONE]\n\n", False


def _openai_usage(reply: Reply) -> dict[str, int]:
    total = reply.input_tokens + reply.output_tokens
    return {"prompt_tokens": reply.input_tokens, "completion_tokens": reply.output_tokens, "total_tokens": total}


def _anthropic_events(reply: Reply, body: Any) -> Iterator[tuple[str, bool]]:
    is_tool = "tools" in body
    usage = {"input_tokens": reply.input_tokens - 4, "cache_read_input_tokens": 4, "output_tokens": 1}
    message = {"id": "m1", "type": "message", "role": "assistant", "model": reply.model, "content": [], "usage": usage}
    yield _event({"type": "message_start", "message": message}, "message_start"), False
    block = {"type": "tool_use", "id": "t1", "name": "reply", "input": {}} if is_tool else {"type": "text", "text": ""}
    start = {"type": "content_block_start", "index": 0, "content_block": block}
    yield _event(start, "content_block_start"), False
    yield _event({"type": "ping"}, "ping"), False
    for piece in reply.pieces:
        delta = (
            {"type": "input_json_delta", "partial_json": piece} if is_tool else {"type": "text_delta", "text": piece}
        )
        yield _event({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta"), True
    yield _event({"type": "content_block_stop", "index": 0}, "content_block_stop"), False
    end = {
        "type": "message_delta",
        "delta": {"stop_reason": _anthropic_reason(reply, is_tool), "stop_sequence": None},
        "usage": {"output_tokens": reply.output_tokens},
    }
    yield _event(end, "message_delta"), False
    yield _event({"type": "message_stop"}, "message_stop"), False


def _anthropic_reason(reply: Reply, is_tool: bool) -> str:
    if reply.refuses:
        return "refusal"
    return "max_tokens" if reply.is_cut_short else "tool_use" if is_tool else "end_turn"


def _gemini_events(reply: Reply) -> Iterator[tuple[str, bool]]:
    pieces = reply.pieces
    usage = {
        "promptTokenCount": reply.input_tokens,
        "candidatesTokenCount": reply.output_tokens - 2,
        "thoughtsTokenCount": 2,
    }
    for index, piece in enumerate(pieces):
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": piece}]}, "index": 0}
        if index == 0:
            candidate["content"]["parts"].insert(0, {"text": "Let me think.", "thought": True})
        if index == len(pieces) - 1:
            candidate["finishReason"] = "MAX_TOKENS" if reply.is_cut_short else "STOP"
        yield _event({"candidates": [candidate], "modelVersion": reply.model, "usageMetadata": usage}), True
    if reply.refuses:
        yield _event({"candidates": [{"finishReason": "SAFETY", "index": 0}], "usageMetadata": usage}), False


def whole_body(wire: str, reply: Reply, body: Any) -> dict[str, Any]:
    """A reply in one, as a server gives it that was not asked to stream, or does not."""
    if wire == ANTHROPIC:
        block = {"type": "text", "text": reply.text}
        if "tools" in body:
            block = {"type": "tool_use", "id": "t1", "name": "reply", "input": json.loads(reply.text)}
        usage = {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
        reason = _anthropic_reason(reply, "tools" in body)
        content = [] if reply.refuses else [{"type": "thinking", "thinking": "Hm."}, block]
        return {"type": "message", "model": reply.model, "content": content, "stop_reason": reason, "usage": usage}
    if wire == GEMINI:
        usage = {"promptTokenCount": reply.input_tokens, "candidatesTokenCount": reply.output_tokens}
        candidate = {"content": {"parts": [{"text": reply.text}]}, "finishReason": "STOP"}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": reply.model}
    message = {"role": "assistant", "content": reply.text, "refusal": None}
    if reply.refuses:
        message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    choice = {"index": 0, "message": message, "finish_reason": "length" if reply.is_cut_short else "stop"}
    return {"object": "chat.completion", "model": reply.model, "choices": [choice], "usage": _openai_usage(reply)}


def vector_of(text: str, dimension: int) -> list[float]:
    """A vector that depends on the text alone; its length is not 1."""
    digest = hashlib.shake_256(text.encode()).digest(dimension)
    return [byte / 255 + 0.01 for byte in digest]


def vectors_body(wire: str, body: Any, dimension: int) -> dict[str, Any]:
    """Vectors as each wire sends them; OpenAI's in reverse order, which its ``index`` allows."""
    if wire == GEMINI:
        texts = [request["content"]["parts"][0]["text"] for request in body["requests"]]
        return {"embeddings": [{"values": vector_of(text, dimension)} for text in texts]}
    rows = [
        {"object": "embedding", "index": index, "embedding": vector_of(text, dimension)}
        for index, text in enumerate(body["input"])
    ]
    return {
        "object": "list",
        "data": rows[::-1],
        "usage": {"prompt_tokens": 3 * len(rows), "total_tokens": 3 * len(rows)},
    }


def model_list(wire: str) -> dict[str, Any]:
    """The list of models as each wire sends it."""
    if wire == ANTHROPIC:
        card = {"type": "model", "id": MODEL, "display_name": "Test Model", "max_input_tokens": 123_000}
        return {"data": [card], "has_more": False, "first_id": MODEL, "last_id": MODEL}
    if wire == GEMINI:
        return {
            "models": [
                {
                    "name": f"models/{MODEL}",
                    "displayName": "Test Model",
                    "inputTokenLimit": 123_000,
                    "supportedGenerationMethods": ["generateContent", "countTokens"],
                },
                {"name": f"models/{EMBEDDER}", "supportedGenerationMethods": ["embedContent"]},
                {"name": "models/aqa", "supportedGenerationMethods": ["generateAnswer"]},
            ]
        }
    plain = {"object": "model", "created": 1, "owned_by": "test"}
    return {
        "object": "list",
        "data": [
            {
                **plain,
                "id": MODEL,
                "context_length": 123_000,
                "pricing": {"prompt": "0.000002", "completion": "0.00001"},
            },
            {**plain, "id": EMBEDDER, "capabilities": ["a list where others have a table"]},
            {**plain, "id": "whisper-1"},
        ],
    }


def error_body(wire: str, status: int, word: str = "") -> bytes:
    """An error in the words of a wire. It repeats the key and the prompt, as a bad server might."""
    said = f"Something is wrong with sk-test-key-0123456789 and with 'the planted secret sentence' ({status})."
    if wire == ANTHROPIC:
        kinds = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
        kind = word or kinds.get(status, "overloaded_error" if status == 529 else "api_error")
        return json.dumps({"type": "error", "error": {"type": kind, "message": said}}).encode()
    if wire == GEMINI:
        if status == 401:
            # Gemini has no 401 of its own for a bad key; see ``bad_key``.
            return json.dumps({"error": {"code": 401, "message": said, "status": "UNAUTHENTICATED"}}).encode()
        names = {404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 403: "PERMISSION_DENIED"}
        error = {"code": status, "message": said, "status": names.get(status, "INTERNAL")}
        return json.dumps([{"error": error}]).encode()
    codes = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
    kind = {"message": said, "type": "invalid_request_error", "param": None, "code": word or codes.get(status)}
    return json.dumps({"error": kind}).encode()


def bad_key_body() -> bytes:
    """What Gemini says of a bad key, with status 400."""
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    error = {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT", "details": details}
    return json.dumps({"error": error}).encode()


def unsupported_body(wire: str, name: str) -> bytes:
    """A complaint about one field of the request."""
    if wire == ANTHROPIC:
        error = {"type": "invalid_request_error", "message": f"{name}: Extra inputs are not permitted"}
        return json.dumps({"type": "error", "error": error}).encode()
    if wire == GEMINI:
        error = {
            "code": 400,
            "message": f'Invalid JSON payload received. Unknown name "{name}".',
            "status": "INVALID_ARGUMENT",
        }
        return json.dumps({"error": error}).encode()
    error = {"message": f"Unsupported parameter: '{name}'.", "type": "invalid_request_error", "param": name}
    return json.dumps({"error": {**error, "code": "unsupported_parameter"}}).encode()


def blocked_body(wire: str) -> tuple[int, bytes]:
    """How a service refuses a request for what it says: status and body."""
    if wire == GEMINI:
        return 200, json.dumps({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}).encode()
    if wire == ANTHROPIC:
        error = {"type": "invalid_request_error", "message": "Output blocked by content_filter policy"}
        return 400, json.dumps({"type": "error", "error": {**error, "code": "content_filter"}}).encode()
    error = {"message": "The prompt was filtered.", "type": None, "param": "prompt", "code": "content_filter"}
    return 400, json.dumps({"error": error}).encode()


def overloaded_event(wire: str) -> str:
    """An error in the middle of a stream."""
    if wire == ANTHROPIC:
        return _event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error")
    if wire == GEMINI:
        return _event({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}})
    return _event({"error": {"message": "Provider is overloaded", "code": 503}, "choices": []})
