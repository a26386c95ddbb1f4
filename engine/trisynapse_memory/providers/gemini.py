"""Prompts in, replies and vectors out, in the language of Google's Gemini API."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

import msgspec
from msgspec import Struct

from trisynapse_memory.contracts import Completer, Door, Embedder, FindKey
from trisynapse_memory.providers.wires.completing import SCHEMA_REQUEST, THINKING_TOKENS, Manner, Piece
from trisynapse_memory.providers.wires.embedding import RemoteEmbedder, Vectors
from trisynapse_memory.providers.wires.exchange import Call, Exchange, bad_reply
from trisynapse_memory.providers.wires.faults import fault_in
from trisynapse_memory.providers.wires.offers import Offers
from trisynapse_memory.providers.wires.prices import known_model
from trisynapse_memory.providers.wires.schemas import older_dialect
from trisynapse_memory.providers.wires.streaming import ServerEvent
from trisynapse_memory.types import WRITING_ROLES, Finish, ModelCard, ModelService, Prompt, Role, SourceId

_FINISHES: Final = {
    "STOP": Finish.STOP,
    "MAX_TOKENS": Finish.LENGTH,
    "OTHER": Finish.STOP,
    "FINISH_REASON_UNSPECIFIED": Finish.STOP,
}
"""Every other reason is one not to write: safety, recitation, a blocked word, personal data."""
_LONGEST_OUTPUT: Final = 8_192
"""The smallest output limit of a model that is still served; a larger one is refused."""
_MAX_PAGES: Final = 20


class _Part(Struct):
    text: str | None = None
    thought: bool = False


class _Content(Struct):
    parts: list[_Part] | None = None


class _Candidate(Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None


class _Feedback(Struct, rename="camel"):
    block_reason: str | None = None


class _Usage(Struct, rename="camel"):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None


class _Reply(Struct, rename="camel"):
    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None
    usage_metadata: _Usage | None = None
    model_version: str | None = None
    error: Any = None


class _Embedding(Struct):
    values: list[float]


class _Embeddings(Struct):
    embeddings: list[_Embedding]


class _Listed(Struct, rename="camel"):
    name: str
    display_name: str | None = None
    input_token_limit: int | None = None
    supported_generation_methods: list[str] | None = None


class _Page(Struct, rename="camel"):
    models: list[_Listed] | None = None
    next_page_token: str | None = None


class Gemini:
    """Asks Google's Gemini API, or a server that speaks its language.

    It remembers how each model wants to be asked, so one object per service is kept while a vault is open.

    Args:
        service: who is asked, and where.
        door: the way out.
        find_key: finds her key for it.
    """

    name = "gemini"

    def __init__(self, service: ModelService, door: Door, find_key: FindKey) -> None:
        self._service = service
        # As a header: in the address, where the vendor's examples put it, a key would stand in every log on the way.
        self._exchange = Exchange(service, door, find_key, ("x-goog-api-key", ""))
        self._wire = _GeminiWire()
        self._offers = Offers(self._exchange, self._wire)

    def cards(self) -> tuple[ModelCard, ...]:
        """Ask which models there are; those that neither write nor embed text are left out.

        Raises:
            ProviderError: the service could not be asked, or refused.
        """
        listed: list[_Listed] = []
        token = ""
        for _ in range(_MAX_PAGES):
            page = self._page(token)
            listed += page.models or []
            if not page.next_page_token:
                break
            token = f"&pageToken={quote(page.next_page_token, safe='')}"
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

    def _page(self, token: str) -> _Page:
        body = self._exchange.get(f"/models?pageSize=1000{token}", "model list")
        try:
            return msgspec.json.decode(body, type=_Page)
        except msgspec.MsgspecError:
            raise bad_reply(self._service) from None

    def _card(self, one: _Listed) -> ModelCard:
        name = one.name.removeprefix("models/")
        known = known_model(self._service.name, name)
        return ModelCard(
            service=self._service.name,
            name=name,
            label=one.display_name or "",
            context_tokens=one.input_token_limit or known.context_tokens,
            roles=tuple(role for role in _roles_of(name, one) if role in self._service.roles),
            input_price_usd=known.input_price_usd,
            output_price_usd=known.output_price_usd,
        )


class _GeminiWire:
    """The words of the language; see ``completing.Wire`` and ``embedding.EmbeddingWire``.

    A schema is asked for as JSON Schema; else as the older dialect of it; else as JSON, with the schema in the prompt;
    else in the prompt alone, for the small open models.
    """

    optional: tuple[str, ...] = ("systemInstruction", "temperature")
    form_count = 4
    batch_count = 100  # the service's limit
    batch_tokens = 16_000
    window = 2_048  # of gemini-embedding-001

    def call(self, model: str, prompt: Prompt, manner: Manner) -> Call:
        """Write a prompt as contents to generate from."""
        instructions = prompt.instructions
        if prompt.schema is not None and manner.form > 1:
            instructions = f"{instructions}\n\n{SCHEMA_REQUEST}{json.dumps(prompt.schema)}".strip()
        parts: list[dict[str, Any]] = [
            {"inlineData": {"mimeType": image.media_type, "data": base64.b64encode(image.content).decode()}}
            for image in prompt.images
        ]
        body: dict[str, Any] = {"contents": [{"role": "user", "parts": parts}]}
        if instructions and "systemInstruction" not in manner.without:
            body["systemInstruction"] = {"parts": [{"text": instructions}]}
        elif instructions:
            parts.append({"text": instructions})
        parts.append({"text": prompt.text})
        body["generationConfig"] = _generation(prompt, manner)
        return Call(
            path=f"/models/{_path_name(model)}:streamGenerateContent?alt=sse",
            purpose=prompt.role.value,
            body=body,
            model=model,
            source_ids=prompt.source_ids,
        )

    def piece(self, event: ServerEvent) -> Piece:
        """Read one event: each is a reply of its own, with what has been added."""
        return _piece(msgspec.json.decode(event.text, type=_Reply))

    def whole(self, body: bytes) -> Piece:
        """Read a reply that came in one."""
        reply = msgspec.json.decode(body, type=_Reply)
        if reply.candidates is None and reply.prompt_feedback is None and reply.error is None:
            raise msgspec.ValidationError("no candidates")
        return _piece(reply)

    def embedding_call(self, model: str, texts: Sequence[str], source_ids: tuple[SourceId, ...]) -> Call:
        """Write texts as a request for their vectors."""
        name = f"models/{model.removeprefix('models/')}"
        requests = [{"model": name, "content": {"parts": [{"text": text}]}} for text in texts]
        return Call(
            path=f"/models/{_path_name(model)}:batchEmbedContents",
            purpose=Role.EMBEDDING.value,
            body={"requests": requests},
            model=model,
            source_ids=source_ids,
        )

    def vectors(self, body: bytes) -> Vectors:
        """Read vectors, in the order of their texts; tokens are not told."""
        return Vectors([one.values for one in msgspec.json.decode(body, type=_Embeddings).embeddings])


def _generation(prompt: Prompt, manner: Manner) -> dict[str, Any]:
    # Most of its models think before they write, and their thoughts count against the limit.
    limit = max(prompt.max_output_tokens, min(prompt.max_output_tokens + THINKING_TOKENS, _LONGEST_OUTPUT))
    settings: dict[str, Any] = {"maxOutputTokens": limit, "candidateCount": 1}
    if "temperature" not in manner.without:
        settings["temperature"] = 0
    if prompt.schema is not None and manner.form < 3:
        settings["responseMimeType"] = "application/json"
        if manner.form == 0:
            settings["responseJsonSchema"] = prompt.schema
        elif manner.form == 1:
            settings["responseSchema"] = older_dialect(prompt.schema)
    return settings


def _piece(reply: _Reply) -> Piece:
    if reply.error is not None:
        return Piece(fault=fault_in({"error": reply.error}))
    usage = reply.usage_metadata or _Usage()
    candidate = reply.candidates[0] if reply.candidates else _Candidate()
    finish = None
    if candidate.finish_reason:
        finish = _FINISHES.get(candidate.finish_reason, Finish.REFUSED)
    if reply.prompt_feedback is not None and reply.prompt_feedback.block_reason:
        finish = Finish.REFUSED
    parts = (candidate.content.parts if candidate.content else None) or []
    return Piece(
        text="".join(part.text or "" for part in parts if not part.thought),
        finish=finish,
        input_tokens=usage.prompt_token_count or 0,
        output_tokens=(usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
        model=reply.model_version or "",
    )


def _roles_of(name: str, one: _Listed) -> tuple[Role, ...]:
    methods = one.supported_generation_methods or []
    if "embedContent" in methods or "batchEmbedContents" in methods:
        return (Role.EMBEDDING,)
    if "generateContent" not in methods or any(word in name for word in ("image", "tts", "audio", "robotics", "live")):
        return ()
    return (*WRITING_ROLES, Role.VISION)


def _path_name(model: str) -> str:
    return quote(model.removeprefix("models/"), safe="")
