"""Prompts in, replies and vectors out, in the language of OpenAI's chat API, which most services and servers speak.

Spoken by OpenAI, OpenRouter, DeepSeek, Mistral, Ollama, LM Studio, vLLM and llama.cpp's server. They differ in which
fields they take; what a model refuses is left out from then on.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from trisynapse_memory.contracts import Completer, Door, Embedder, FindKey
from trisynapse_memory.providers.wires.completing import SCHEMA_REQUEST, THINKING_TOKENS, Manner, Piece
from trisynapse_memory.providers.wires.embedding import RemoteEmbedder, Vectors
from trisynapse_memory.providers.wires.exchange import Call, Exchange, bad_reply
from trisynapse_memory.providers.wires.faults import fault_in
from trisynapse_memory.providers.wires.offers import Offers
from trisynapse_memory.providers.wires.prices import known_model
from trisynapse_memory.providers.wires.schemas import is_strict, without_limits
from trisynapse_memory.providers.wires.streaming import ServerEvent
from trisynapse_memory.types import (
    WRITING_ROLES,
    Finish,
    ModelCard,
    ModelService,
    Prompt,
    Role,
    SourceId,
)

Told = TypeVar("Told")

_SCHEMA_NAME: Final = "reply"
_NEW_LIMIT: Final = "max_completion_tokens"
_OLD_LIMIT: Final = "max_tokens"
_NEW_LIMIT_SERVICES: Final = frozenset({"openai"})
"""Its newer models refuse ``max_tokens``; most others know nothing else."""
_STRICT_SERVICES: Final = frozenset({"mistral"})
"""Answer 422 to any field they do not know; Mistral tells the usage without being asked."""
_CHAT_PRIVACY: Final[dict[str, dict[str, Any]]] = {
    "openai": {"store": False},
    "openrouter": {"provider": {"data_collection": "deny"}},
}
"""Asks a service not to keep what it is sent: OpenAI stores the chats of some accounts, and OpenRouter hands them on to
other companies. Never left out: a model that cannot be had like this is not had."""
_EMBEDDING_PRIVACY: Final = {"openrouter": _CHAT_PRIVACY["openrouter"]}
_FINISHES: Final = {"length": Finish.LENGTH, "content_filter": Finish.REFUSED}
_JSON_FORM: Final = 2
_OTHER_USES: Final = (
    "whisper tts dall-e image audio realtime transcribe moderation sora speech ocr rerank live davinci babbage".split()
)
"""Parts of names of models that neither write text nor embed it; OpenAI's list says nothing else of them."""


class _Part(Struct):
    type: str = ""
    text: str | None = None


class _Message(Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(Struct):
    delta: _Message | None = None
    message: _Message | None = None
    finish_reason: str | None = None


class _Usage(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    cost: float | None = None
    """OpenRouter's, in US dollars."""


class _Chunk(Struct):
    choices: list[_Choice] | None = None
    usage: Any = None
    model: str | None = None
    error: Any = None


class _Embedding(Struct):
    embedding: list[float]
    index: int = 0


class _Embeddings(Struct):
    data: list[_Embedding]
    usage: Any = None


class _Price(Struct):
    """US dollars per token, as OpenRouter says it."""

    prompt: str | float | None = None
    completion: str | float | None = None


class _Capabilities(Struct):
    """What a model can do, as Mistral says it."""

    completion_chat: bool | None = None
    vision: bool = False


class _Architecture(Struct):
    """What goes in and comes out, as OpenRouter says it."""

    input_modalities: tuple[str, ...] = ()
    output_modalities: tuple[str, ...] = ("text",)


class _Meta(Struct):
    """What llama.cpp's server says of the model it has loaded: the window it runs with, not the one it could have."""

    n_ctx: int | None = None


class _Listed(Struct):
    """One model as any of these services lists it; each fills other fields."""

    id: str
    name: str | None = None
    context_length: int | None = None  # OpenRouter
    max_context_length: int | None = None  # Mistral
    max_model_len: int | None = None  # vLLM
    pricing: Any = None
    capabilities: Any = None
    architecture: Any = None
    meta: Any = None


class _List(Struct):
    data: list[_Listed] | None = None


class OpenAiCompatible:
    """Asks one service that speaks this language.

    It remembers how each model wants to be asked, so one object per service is kept while a vault is open.

    Args:
        service: who is asked, and where.
        door: the way out.
        find_key: finds her key for it.
    """

    name = "openai_compatible"

    def __init__(self, service: ModelService, door: Door, find_key: FindKey) -> None:
        self._service = service
        self._exchange = Exchange(service, door, find_key, ("authorization", "Bearer "))
        self._wire = _OpenAiWire(service)
        self._offers = Offers(self._exchange, self._wire)

    def cards(self) -> tuple[ModelCard, ...]:
        """Ask the service which models it offers; those that neither write nor embed are left out.

        Raises:
            ProviderError: it could not be asked, or refused.
        """
        body = self._exchange.get("/models", "model list")
        try:
            listed = msgspec.json.decode(body, type=_List).data or []
        except msgspec.MsgspecError:
            raise bad_reply(self._service) from None
        return self._offers.keep(card for one in listed if (card := self._card(one)).roles)

    def completer(self, model: str) -> Completer:
        """Return a model that answers prompts; the service is not asked yet."""
        return self._offers.completer(model)

    def embedder(self, model: str, dimension: int) -> Embedder:
        """Return a model that embeds; the service is not asked yet.

        Args:
            model: its name at the service.
            dimension: how long its vectors must be; 0: whatever the first ones are.
        """
        return RemoteEmbedder(self._exchange, self._wire, model, dimension, self._offers.known(model))

    def _card(self, one: _Listed) -> ModelCard:
        price = _told(_Price, one.pricing) or _Price()
        listed = known_model(self._service.name, one.id)
        return ModelCard(
            service=self._service.name,
            name=one.id,
            label=one.name or "",
            context_tokens=_window_of(one) or listed.context_tokens,
            roles=tuple(role for role in _roles_of(one) if role in self._service.roles),
            input_price_usd=_per_million(price.prompt, listed.input_price_usd),
            output_price_usd=_per_million(price.completion, listed.output_price_usd),
        )


class _OpenAiWire:
    """The words of the language; see ``completing.Wire`` and ``embedding.EmbeddingWire``.

    A schema is asked for as it is; else without its bounds; else as JSON, with the schema in the prompt; else in the
    prompt alone.
    """

    optional: tuple[str, ...] = (
        "temperature",
        "stream_options",
        "stream",
        "reasoning_effort",
        "thinking",
        _OLD_LIMIT,
        _NEW_LIMIT,
    )
    form_count = _JSON_FORM + 2
    # OpenAI takes 2,048 texts and 300,000 tokens, Mistral 16,000 tokens: their limits on one request.
    batch_count = 64
    batch_tokens = 8_000
    window = 512
    """Of an embedder whose window nobody names: that of the older small ones."""

    def __init__(self, service: ModelService) -> None:
        self._service = service

    def call(self, model: str, prompt: Prompt, manner: Manner) -> Call:
        """Write a prompt as a chat."""
        body: dict[str, Any] = {"model": model, "messages": self._messages(prompt, manner)}
        body |= _CHAT_PRIVACY.get(self._service.name, {})
        if "temperature" not in manner.without:
            body["temperature"] = 0
        if "stream" not in manner.without:
            body["stream"] = True
            if "stream_options" not in manner.without and self._service.name not in _STRICT_SERVICES:
                body["stream_options"] = {"include_usage": True}
        body |= self._limit(prompt, manner) | self._thought(manner) | self._format(prompt, manner)
        return Call(
            path="/chat/completions",
            purpose=prompt.role.value,
            body=body,
            model=model,
            source_ids=prompt.source_ids,
        )

    def piece(self, event: ServerEvent) -> Piece:
        """Read one chunk; ``[DONE]`` is the end."""
        if event.text.strip() == "[DONE]":
            return Piece(is_end=True)
        return _piece(msgspec.json.decode(event.text, type=_Chunk))

    def whole(self, body: bytes) -> Piece:
        """Read a reply that came in one."""
        chunk = msgspec.json.decode(body, type=_Chunk)
        if chunk.error is None and not chunk.choices:
            raise msgspec.ValidationError("no choices")
        return _piece(chunk)

    def embedding_call(self, model: str, texts: Sequence[str], source_ids: tuple[SourceId, ...]) -> Call:
        """Write texts as a request for their vectors."""
        return Call(
            path="/embeddings",
            purpose=Role.EMBEDDING.value,
            body={"model": model, "input": list(texts), **_EMBEDDING_PRIVACY.get(self._service.name, {})},
            model=model,
            source_ids=source_ids,
        )

    def vectors(self, body: bytes) -> Vectors:
        """Read vectors, in the order of their texts."""
        found = msgspec.json.decode(body, type=_Embeddings)
        usage = _told(_Usage, found.usage) or _Usage()
        rows = [one.embedding for one in sorted(found.data, key=lambda one: one.index)]
        return Vectors(rows, usage.prompt_tokens or usage.total_tokens or 0, usage.cost)

    def _messages(self, prompt: Prompt, manner: Manner) -> list[dict[str, Any]]:
        instructions = prompt.instructions
        if prompt.schema is not None and manner.form >= _JSON_FORM:
            instructions = f"{instructions}\n\n{SCHEMA_REQUEST}{json.dumps(prompt.schema)}".strip()
        content: Any = prompt.text
        if prompt.images:
            pictures = [
                f"data:{image.media_type};base64,{base64.b64encode(image.content).decode()}" for image in prompt.images
            ]
            content = [{"type": "image_url", "image_url": {"url": url}} for url in pictures]
            content.append({"type": "text", "text": prompt.text})
        system = [{"role": "system", "content": instructions}] if instructions else []
        return [*system, {"role": "user", "content": content}]

    def _limit(self, prompt: Prompt, manner: Manner) -> dict[str, Any]:
        fields = [_OLD_LIMIT, _NEW_LIMIT]
        if self._service.name in _NEW_LIMIT_SERVICES:
            fields.reverse()
        room = THINKING_TOKENS if manner.thinks else 0
        field = next((field for field in fields if field not in manner.without), None)
        return {field: prompt.max_output_tokens + room} if field else {}

    def _thought(self, manner: Manner) -> dict[str, Any]:
        """Ask for little or no thought: what is to be said stands in the evidence, and she is waiting."""
        if self._service.name == "deepseek" and "thinking" not in manner.without:
            return {"thinking": {"type": "disabled"}}
        if manner.thinks and "reasoning_effort" not in manner.without:
            return {"reasoning_effort": "low"}
        return {}

    def _format(self, prompt: Prompt, manner: Manner) -> dict[str, Any]:
        if prompt.schema is None or manner.form > _JSON_FORM:
            return {}
        if manner.form == _JSON_FORM:
            return {"response_format": {"type": "json_object"}}
        schema = prompt.schema if manner.form == 0 else without_limits(prompt.schema)
        named = {"name": _SCHEMA_NAME, "schema": schema, "strict": is_strict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": named}}


def _piece(chunk: _Chunk) -> Piece:
    if chunk.error is not None:
        return Piece(fault=fault_in({"error": chunk.error}))
    usage = _told(_Usage, chunk.usage) or _Usage()
    choice = chunk.choices[0] if chunk.choices else _Choice()
    message = choice.delta or choice.message or _Message()
    finish = None
    if choice.finish_reason:
        finish = _FINISHES.get(choice.finish_reason, Finish.STOP)
    return Piece(
        text=_text_of(message),
        finish=Finish.REFUSED if message.refusal else finish,
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=usage.completion_tokens or 0,
        cost_usd=usage.cost,
        model=chunk.model or "",
    )


def _text_of(message: _Message) -> str:
    if isinstance(message.content, list):
        # Mistral's thinking models send their thoughts as parts of another type.
        return "".join(part.text or "" for part in message.content if part.type == "text")
    return message.content or ""


def _window_of(one: _Listed) -> int:
    loaded = _told(_Meta, one.meta) or _Meta()
    return one.context_length or one.max_context_length or one.max_model_len or loaded.n_ctx or 0


def _roles_of(one: _Listed) -> tuple[Role, ...]:
    name = one.id.lower()
    if "embed" in name or "minilm" in name:
        return (Role.EMBEDDING,)
    if any(word in name for word in _OTHER_USES):
        return ()
    writes, sees = True, True  # what is not said may be so; she chooses
    able = _told(_Capabilities, one.capabilities)
    if able is not None and able.completion_chat is not None:
        writes, sees = able.completion_chat, able.vision
    built = _told(_Architecture, one.architecture)
    if built is not None:
        writes = "text" in built.output_modalities
        sees = "image" in built.input_modalities
    return (*(WRITING_ROLES if writes else ()), *((Role.VISION,) if writes and sees else ()))


def _told(kind: type[Told], value: Any) -> Told | None:
    """Read a part that is not needed and that some servers fill with something of their own; that then says nothing."""
    try:
        return msgspec.convert(value, type=kind)
    except msgspec.ValidationError:
        return None


def _per_million(price: str | float | None, listed: float | None) -> float | None:
    try:
        per_token = float(price) if price is not None else None
    except ValueError:
        per_token = None
    # OpenRouter's router has the price -1: it depends on the model it picks.
    return listed if per_token is None or per_token < 0 else per_token * 1_000_000
