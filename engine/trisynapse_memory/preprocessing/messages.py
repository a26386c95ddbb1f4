"""What the engine and its workers say to each other, as bytes in and out of a pipe; nothing is run or started here.

The body of a frame (``processes``) is msgpack. Not pickle: a worker has parsed a hostile file, and
what comes from it must never be able to run code in the engine.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import IO, Final, cast

import msgspec
from msgspec import Struct

from trisynapse_memory.config import Config
from trisynapse_memory.errors import SourceError, TrisynapseError
from trisynapse_memory.preprocessing.recognition import Sheet
from trisynapse_memory.processes import error_named, receive_frame, send_frame
from trisynapse_memory.types import Chunk, Heading, Listing, Page, Passage, Proposal, Section

FRAME_MAX_BYTES: Final = 512 * 1024 * 1024
"""A page never comes near it; a worker gone mad must not make the engine allocate more."""


class LoadRequest(Struct, frozen=True, kw_only=True, tag="load"):
    """Read a file from ``start_page`` on.

    ``counter`` names the embedder whose wordpieces bound the chunks; ``title`` is what the source is called where it
    does not say so itself; ``charset`` is what a server said of its encoding.
    """

    path: str
    loader: str
    config: Config
    password: str | None = None
    start_page: int = 1
    counter: str = ""
    title: str = ""
    filename: str = ""
    charset: str = ""

    def __repr__(self) -> str:
        # The generated repr would print the password.
        return f"LoadRequest({self.path!r}, {self.loader!r}, start_page={self.start_page})"


class EmbedRequest(Struct, frozen=True, kw_only=True, tag="embed"):
    """Turn texts into vectors."""

    embedder: str
    texts: tuple[str, ...]


class ExtractRequest(Struct, frozen=True, kw_only=True, tag="extract"):
    """Read passages and propose facts."""

    extractor: str
    passages: tuple[Passage, ...]


class DrawRequest(Struct, frozen=True, kw_only=True, tag="draw"):
    """Draw one page of a file as a picture whose longer side has ``side`` pixels."""

    path: str
    loader: str
    page: int
    side: int


class RecogniseRequest(Struct, frozen=True, kw_only=True, tag="recognise"):
    """Read one page of a file from its picture; the reply is a ``LoadedPage``. Other fields as in ``LoadRequest``."""

    path: str
    loader: str
    recogniser: str
    sheet: Sheet
    config: Config
    counter: str = ""
    title: str = ""


class TranscribeRequest(Struct, frozen=True, kw_only=True, tag="transcribe"):
    """Write down what is said in one stretch of a recording; the reply is a ``LoadedPage``.

    ``model`` is the folder of the transcriber's model, ``page`` the stretch (from 1). Other fields as in
    ``LoadRequest``.
    """

    path: str
    loader: str
    transcriber: str
    model: str
    page: int
    config: Config
    counter: str = ""
    title: str = ""
    filename: str = ""


class RerankRequest(Struct, frozen=True, kw_only=True, tag="rerank"):
    """Judge how well passages answer a question; the reply are vectors of one number, of the first passages at least.

    ``model`` is the folder of the reranker's model; the rest as in ``contracts.Reranker``.
    """

    reranker: str
    model: str
    question: str
    passages: tuple[str, ...]
    max_tokens: int
    budget_s: float


Request = (
    LoadRequest | EmbedRequest | ExtractRequest | DrawRequest | RecogniseRequest | TranscribeRequest | RerankRequest
)


class LoadedPage(Struct, frozen=True, kw_only=True, tag="page"):
    """One page with everything the engine commits of it: sections, and chunks with their index terms."""

    page: Page
    sections: tuple[Section, ...] = ()
    chunks: tuple[Chunk, ...] = ()


class ReadyReply(Struct, frozen=True, kw_only=True, tag="ready"):
    """The worker runs, and waits for its first request."""


class OpenedReply(Struct, frozen=True, kw_only=True, tag="opened"):
    """What is known of the document; said again where page 1 told its title."""

    heading: Heading


class ListingReply(Struct, frozen=True, kw_only=True, tag="listing"):
    """One member of a container."""

    listing: Listing


class MembersReply(Struct, frozen=True, kw_only=True, tag="members"):
    """The pages are out, and what else lies in the file is being read; with ``reading`` off, no longer."""

    reading: bool


class VectorsReply(Struct, frozen=True, kw_only=True, tag="vectors"):
    """Vectors as little-endian float32, row after row."""

    rows: int
    columns: int
    values: bytes


class ProposalsReply(Struct, frozen=True, kw_only=True, tag="proposals"):
    """The facts that an extractor proposes, in the order of their passages."""

    proposals: tuple[Proposal, ...]


class PictureReply(Struct, frozen=True, kw_only=True, tag="picture"):
    """A page as a PNG."""

    content: bytes


class FaultReply(Struct, frozen=True, kw_only=True, tag="fault"):
    """An error raised on purpose, by the name of its class."""

    name: str
    problem: str
    hint: str = ""


class DoneReply(Struct, frozen=True, kw_only=True, tag="done"):
    """The request is answered completely."""


Reply = (
    ReadyReply
    | LoadedPage
    | OpenedReply
    | ListingReply
    | MembersReply
    | VectorsReply
    | ProposalsReply
    | PictureReply
    | FaultReply
    | DoneReply
)

_HALF: Final = re.compile("[\ud800-\udfff]")
_REQUESTS: Final = msgspec.msgpack.Decoder(Request)
_REPLIES: Final = msgspec.msgpack.Decoder(Reply)


def send(pipe: IO[bytes], message: Request | Reply) -> None:
    """Write one message; blocks while the other side is slow, which is what bounds the memory of an import.

    A text of a damaged file may hold half a character of UTF-16, which no encoding carries: it becomes U+FFFD, so that
    all offsets stay what they are.
    """
    try:
        body = msgspec.msgpack.encode(message)
    except UnicodeEncodeError:
        body = msgspec.msgpack.encode(_whole(msgspec.to_builtins(message, builtin_types=(bytes, datetime))))
    send_frame(pipe, body)


def _whole(value: object) -> object:
    """A message in plain values, its half characters replaced."""
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_whole(key): _whole(one) for key, one in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_whole(one) for one in cast("list[object]", value)]
    return value


def receive_request(pipe: IO[bytes]) -> Request | None:
    """Read one request; ``None`` when the other side is gone."""
    body = receive_frame(pipe, FRAME_MAX_BYTES)
    return None if body is None else _REQUESTS.decode(body)


def receive_reply(pipe: IO[bytes]) -> Reply | None:
    """Read one reply; ``None`` when the worker is gone, or says what no worker says."""
    body = receive_frame(pipe, FRAME_MAX_BYTES)
    try:
        return None if body is None else _REPLIES.decode(body)
    except msgspec.DecodeError:
        return None


def fault_of(error: TrisynapseError) -> FaultReply:
    """Return an error as it travels."""
    return FaultReply(name=type(error).__name__, problem=error.problem, hint=error.hint)


def error_of(fault: FaultReply) -> TrisynapseError:
    """Return the error that travelled; a class nobody knows becomes a plain ``SourceError``."""
    return error_named(fault.name, fault.problem, fault.hint, SourceError)
