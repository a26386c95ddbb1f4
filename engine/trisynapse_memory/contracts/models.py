"""What turns texts into vectors or answers a prompt, and the door to the network that it asks through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from threading import Event
from typing import Protocol, runtime_checkable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from trisynapse_memory.types import Completion, ModelCard, ModelService, Prompt, SourceId

FloatArray = NDArray[np.float32]
"""Embeddings: ``(n, d) float32``, rows of unit length."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. ``model_id`` names model and precision, and is stored beside each vector."""

    model_id: str
    dimension: int
    max_tokens: int

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return ``(len(texts), dimension) float32`` unit rows, in the order of the texts. No text gives ``(0, d)``."""
        ...

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Return how many wordpieces each text has for this model, special tokens included."""
        ...


class TokenCounter(Protocol):
    """Counts the wordpieces a text costs the embedder; chunking needs nothing else of it."""

    def __call__(self, texts: Sequence[str]) -> Sequence[int]:
        """Return one count per text, in order."""
        ...


OnText = Callable[[str], None]
"""Told each piece of a reply as it comes, in order; the pieces together are the reply."""

FindKey = Callable[[str], str | None]
"""A service's name in, her key out, or None; asked for each request, so that a key can be changed or taken away."""


@runtime_checkable
class Completer(Protocol):
    """A language model that answers a prompt. ``provider`` and ``model`` are stored with everything it wrote.

    ``max_tokens`` is its whole window, the prompt and the reply together. ``is_remote`` tells whether a prompt leaves
    this machine; what is marked sensitive then never reaches it.
    """

    provider: str
    model: str
    max_tokens: int
    is_remote: bool

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        """Return the reply as it came, also when it is not what the schema asks for; the caller reads it with care.

        Args:
            prompt: instructions, evidence, question, the schema of the reply and its greatest length.
            on_text: told every piece as it comes, from any thread; None where nobody looks on.
            stop: once set, the reply ends within 200 ms with what there is, and ``finish`` says ``cancelled``.

        Raises:
            ProviderError: the model could not be asked, or did not answer to the end.
        """
        ...


class Outgoing(Struct, frozen=True, kw_only=True):
    """One request to a model service or a model store, as it is handed to the door.

    ``purpose`` and ``source_ids`` stand in the ledger; headers and body never do. ``timeout_s`` is the longest silence
    of the other side, not the longest exchange: a slow model writes for minutes.
    """

    url: str
    purpose: str
    service: str = ""
    method: str = "POST"
    headers: Mapping[str, str] = {}
    body: bytes = b""
    source_ids: tuple[SourceId, ...] = ()
    timeout_s: float = 60.0
    is_typed_address: bool = False
    """She typed this address herself, so it may be in this machine or the local network."""


class Incoming(Protocol):
    """What a server answers, while it is answering. Header names are small."""

    status: int
    headers: Mapping[str, str]

    def parts(self) -> Iterator[bytes]:
        """Yield the body as it comes, decompressed.

        Raises:
            ProviderError: the connection was cut, or nothing came for too long.
        """
        ...

    def read(self, max_bytes: int) -> bytes:
        """Return the whole body.

        Raises:
            ProviderError: as ``parts``, or the body is longer than ``max_bytes``.
        """
        ...


class Door(Protocol):
    """The one way out of this machine; ``providers/egress.py`` is it."""

    def send(self, request: Outgoing, stop: Event | None = None) -> AbstractContextManager[Incoming]:
        """Send one request; leaving the context ends it. Every request is one row of the ledger, however it ends.

        Args:
            request: what is sent where, and why. Redirects are not followed: a key would travel on with them.
            stop: once set, ``parts`` ends within 200 ms.

        Raises:
            OfflineError: offline is on.
            ProviderStoppedError: ``stop`` was set before the answer began.
            ProviderError: the address is none, or cannot be reached.
        """
        ...


@runtime_checkable
class Provider(Protocol):
    """Speaks the language of one kind of model service.

    ``__init__`` takes a service, the door and the keys, and asks nobody; nothing heavy is imported before a model is
    used.
    """

    name: str

    def __init__(self, service: ModelService, door: Door, find_key: FindKey) -> None: ...

    def cards(self) -> tuple[ModelCard, ...]:
        """Ask the service which models it offers.

        Raises:
            ProviderError: it could not be asked, or refused.
        """
        ...

    def completer(self, model: str) -> Completer:
        """Return a model that answers prompts; the service is not asked yet."""
        ...

    def embedder(self, model: str, dimension: int) -> Embedder:
        """Return a model that embeds; the service is not asked yet.

        Raises:
            ProviderError: this kind of service embeds nothing.
        """
        ...
