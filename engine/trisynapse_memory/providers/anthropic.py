"""Prompts in, replies out, in the language of Anthropic's Messages API. It embeds nothing."""

from __future__ import annotations

import base64
import json
from typing import Any, Final
from urllib.parse import quote

import msgspec
from msgspec import Struct

from trisynapse_memory.contracts import Completer, Door, Embedder, FindKey
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.providers.wires.completing import SCHEMA_REQUEST, THINKING_TOKENS, Manner, Piece
from trisynapse_memory.providers.wires.exchange import Call, Exchange, bad_reply
from trisynapse_memory.providers.wires.faults import fault_in
from trisynapse_memory.providers.wires.offers import Offers
from trisynapse_memory.providers.wires.prices import known_model
from trisynapse_memory.providers.wires.schemas import without_limits
from trisynapse_memory.providers.wires.streaming import ServerEvent
from trisynapse_memory.types import Finish, ModelCard, ModelService, Prompt

API_VERSION: Final = "2023-06-01"
_WINDOW: Final = 200_000
"""Every model since Claude 2.1 has at least this."""
_TOOL: Final = "reply"
_FINISHES: Final = {
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSED,
}
_MAX_PAGES: Final = 20


class _Usage(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    @property
    def read_tokens(self) -> int:
        """All that the model read, from its cache or not; ``input_tokens`` leaves the cache out."""
        parts = (self.input_tokens, self.cache_creation_input_tokens, self.cache_read_input_tokens)
        return sum(part or 0 for part in parts)


class _Block(Struct):
    """A block of a reply, or a piece of one: text, or the arguments of the tool as JSON. Thoughts have neither."""

    text: str | None = None
    partial_json: str | None = None
    input: Any = None
    stop_reason: str | None = None


class _Message(Struct):
    content: list[_Block] | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None


class _Event(Struct):
    type: str
    message: _Message | None = None
    delta: _Block | None = None
    usage: _Usage | None = None
    error: Any = None


class _Listed(Struct):
    id: str
    display_name: str | None = None
    max_input_tokens: int | None = None


class _Page(Struct):
    data: list[_Listed]
    has_more: bool = False
    last_id: str | None = None


class Anthropic:
    """Asks Anthropic, or a server that speaks its language.

    It remembers how each model wants to be asked, so one object per service is kept while a vault is open.

    Args:
        service: who is asked, and where.
        door: the way out.
        find_key: finds her key for it.
    """

    name = "anthropic"

    def __init__(self, service: ModelService, door: Door, find_key: FindKey) -> None:
        self._service = service
        headers = {"anthropic-version": API_VERSION}
        self._exchange = Exchange(service, door, find_key, ("x-api-key", ""), headers)
        self._wire = _AnthropicWire()
        self._offers = Offers(self._exchange, self._wire, _WINDOW)

    def cards(self) -> tuple[ModelCard, ...]:
        """Ask which models there are; prices come from the list of this program.

        Raises:
            ProviderError: the service could not be asked, or refused.
        """
        listed: list[_Listed] = []
        after = ""
        for _ in range(_MAX_PAGES):
            page = self._page(after)
            listed += page.data
            if not page.has_more or not page.last_id:
                break
            after = f"&after_id={quote(page.last_id, safe='')}"
        return self._offers.keep(self._card(one) for one in listed)

    def completer(self, model: str) -> Completer:
        """Return a model that answers prompts; the service is not asked yet."""
        return self._offers.completer(model)

    def embedder(self, model: str, dimension: int) -> Embedder:
        """Refuse: this kind of service has no embeddings.

        Raises:
            ProviderError: always.
        """
        raise ProviderError(f"{self._service.label} embeds nothing.", hint="Choose another service to embed with.")

    def _page(self, after: str) -> _Page:
        body = self._exchange.get(f"/models?limit=1000{after}", "model list")
        try:
            return msgspec.json.decode(body, type=_Page)
        except msgspec.MsgspecError:
            raise bad_reply(self._service) from None

    def _card(self, one: _Listed) -> ModelCard:
        known = known_model(self._service.name, one.id)
        return ModelCard(
            service=self._service.name,
            name=one.id,
            label=one.display_name or "",
            context_tokens=one.max_input_tokens or known.context_tokens or _WINDOW,
            roles=self._service.roles,
            input_price_usd=known.input_price_usd,
            output_price_usd=known.output_price_usd,
        )


class _AnthropicWire:
    """The words of the language; see ``completing.Wire``.

    A schema is asked for as an output format, which the models before 4.5 refuse; else as the one tool that must be
    called, which models that always think refuse; else in the prompt.
    """

    optional: tuple[str, ...] = ("temperature", "stream", "effort")
    form_count = 3

    def call(self, model: str, prompt: Prompt, manner: Manner) -> Call:
        """Write a prompt as a message."""
        room = THINKING_TOKENS if manner.thinks else 0
        body: dict[str, Any] = {
            "model": model,
            "max_tokens": prompt.max_output_tokens + room,
            "messages": [{"role": "user", "content": _content(prompt)}],
        }
        if instructions := _instructions(prompt, manner):
            body["system"] = instructions
        if "temperature" not in manner.without:
            body["temperature"] = 0
        if "stream" not in manner.without:
            body["stream"] = True
        if output := _effort(manner) | _format(prompt, manner):
            body["output_config"] = output
        if tools := _tools(prompt, manner):
            body |= tools
        return Call(path="/messages", purpose=prompt.role.value, body=body, model=model, source_ids=prompt.source_ids)

    def piece(self, event: ServerEvent) -> Piece:
        """Read one event; what is not known (pings, starts and ends of blocks) says nothing."""
        found = msgspec.json.decode(event.text, type=_Event)
        if found.type == "error":
            return Piece(fault=fault_in({"error": found.error}))
        if found.type == "message_start" and found.message is not None:
            usage = found.message.usage or _Usage()
            return Piece(input_tokens=usage.read_tokens, model=found.message.model or "")
        delta = found.delta or _Block()
        if found.type == "content_block_delta":
            return Piece(text=delta.text or delta.partial_json or "")
        if found.type == "message_delta":
            usage = found.usage or _Usage()
            return Piece(
                finish=_finish(delta.stop_reason),
                input_tokens=usage.read_tokens,
                output_tokens=usage.output_tokens or 0,
            )
        return Piece(is_end=found.type == "message_stop")

    def whole(self, body: bytes) -> Piece:
        """Read a reply that came in one."""
        message = msgspec.json.decode(body, type=_Message)
        if message.content is None:
            raise msgspec.ValidationError("no content")
        usage = message.usage or _Usage()
        texts = (json.dumps(part.input) if part.input is not None else part.text or "" for part in message.content)
        return Piece(
            text="".join(texts),
            finish=_finish(message.stop_reason),
            input_tokens=usage.read_tokens,
            output_tokens=usage.output_tokens or 0,
            model=message.model or "",
            is_end=True,
        )


def _content(prompt: Prompt) -> list[dict[str, Any]]:
    pictures = [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": image.media_type,
                "data": base64.b64encode(image.content).decode(),
            },
        }
        for image in prompt.images
    ]
    return [*pictures, {"type": "text", "text": prompt.text}]


def _instructions(prompt: Prompt, manner: Manner) -> str:
    if prompt.schema is None or manner.form < 2:
        return prompt.instructions
    return f"{prompt.instructions}\n\n{SCHEMA_REQUEST}{json.dumps(prompt.schema)}".strip()


def _effort(manner: Manner) -> dict[str, Any]:
    """Ask a model that thinks for little of it: what is to be said stands in the evidence, and she is waiting."""
    return {"effort": "low"} if manner.thinks and "effort" not in manner.without else {}


def _format(prompt: Prompt, manner: Manner) -> dict[str, Any]:
    if prompt.schema is None or manner.form != 0:
        return {}
    return {"format": {"type": "json_schema", "schema": without_limits(prompt.schema)}}


def _tools(prompt: Prompt, manner: Manner) -> dict[str, Any]:
    if prompt.schema is None or manner.form != 1:
        return {}
    tool = {"name": _TOOL, "description": "Gives the reply.", "input_schema": prompt.schema}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}


def _finish(stop_reason: str | None) -> Finish | None:
    return _FINISHES.get(stop_reason, Finish.STOP) if stop_reason else None
