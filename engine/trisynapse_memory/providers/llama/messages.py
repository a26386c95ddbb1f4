"""What the engine and the child that holds a model say to each other, as bytes in and out of a pipe; nothing runs here.

The body of a frame (``processes``) is msgpack. Every request has a number, and its replies carry
it: a request that nobody waits for any more is told apart from the next one. Number 0 is the loading of the model.
"""

from __future__ import annotations

from typing import IO, Final

import msgspec
from msgspec import Struct

from trisynapse_memory.errors import ProviderError, TrisynapseError
from trisynapse_memory.processes import error_named, receive_frame, send_frame
from trisynapse_memory.types import Finish

FRAME_MAX_BYTES: Final = 64 * 1024 * 1024
"""No prompt and no reply comes near it; a child gone mad must not make the engine allocate more."""


class LoadRequest(Struct, frozen=True, kw_only=True, tag="load"):
    """Load a model. ``features`` are those of this processor, None where they are not known."""

    path: str
    context_tokens: int
    thread_count: int
    features: frozenset[str] | None = None


class AskRequest(Struct, frozen=True, kw_only=True, tag="ask"):
    """Answer a prompt; ``schema`` is the JSON Schema of the reply, None for prose, ``choices`` all that it may be."""

    number: int
    text: str
    instructions: str = ""
    schema: dict[str, object] | None = None
    max_output_tokens: int = 1024
    choices: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"AskRequest({self.number})"  # the generated one would print her documents


class CountRequest(Struct, frozen=True, kw_only=True, tag="count"):
    """Count the tokens of texts."""

    number: int
    texts: tuple[str, ...]


class StopRequest(Struct, frozen=True, kw_only=True, tag="stop"):
    """Nobody waits any more for the request of this number."""

    number: int


Request = LoadRequest | AskRequest | CountRequest | StopRequest


class LoadedReply(Struct, frozen=True, kw_only=True, tag="loaded"):
    """The model is there."""


class PieceReply(Struct, frozen=True, kw_only=True, tag="piece"):
    """The next words of a reply."""

    number: int
    text: str


class DoneReply(Struct, frozen=True, kw_only=True, tag="done"):
    """A prompt is answered. ``reused_tokens`` of the prompt stood in the window already and were not read again.

    ``odds`` are natural logarithms of how likely each choice was; empty where there was none.
    """

    number: int
    finish: Finish
    input_tokens: int = 0
    output_tokens: int = 0
    reused_tokens: int = 0
    odds: tuple[float, ...] = ()


class CountsReply(Struct, frozen=True, kw_only=True, tag="counts"):
    """How many tokens each text has."""

    number: int
    counts: tuple[int, ...]


class FaultReply(Struct, frozen=True, kw_only=True, tag="fault"):
    """An error raised on purpose, by the name of its class."""

    number: int
    name: str
    problem: str
    hint: str = ""


Reply = LoadedReply | PieceReply | DoneReply | CountsReply | FaultReply

_REQUESTS: Final = msgspec.msgpack.Decoder(Request)
_REPLIES: Final = msgspec.msgpack.Decoder(Reply)


def send(pipe: IO[bytes], message: Request | Reply) -> None:
    """Write one message."""
    send_frame(pipe, msgspec.msgpack.encode(message))


def receive_request(pipe: IO[bytes]) -> Request | None:
    """Read one request; None when the other side is gone."""
    body = receive_frame(pipe, FRAME_MAX_BYTES)
    return None if body is None else _REQUESTS.decode(body)


def receive_reply(pipe: IO[bytes]) -> Reply | None:
    """Read one reply; None when the child is gone, or says what no child says."""
    body = receive_frame(pipe, FRAME_MAX_BYTES)
    try:
        return None if body is None else _REPLIES.decode(body)
    except msgspec.DecodeError:
        return None


def fault_of(number: int, error: TrisynapseError) -> FaultReply:
    """Return an error as it travels."""
    return FaultReply(number=number, name=type(error).__name__, problem=error.problem, hint=error.hint)


def error_of(fault: FaultReply) -> TrisynapseError:
    """Return the error that travelled; a class nobody knows becomes a plain ``ProviderError``."""
    return error_named(fault.name, fault.problem, fault.hint, ProviderError)
