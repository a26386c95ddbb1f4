"""A model server on loopback that speaks every wire format we speak, counts each byte, and can be told to fail.

    with ModelServer() as server:
        server.reply = "Yes [1]."
        server.troubles.append(Trouble("status", status=429, headers={"Retry-After": "0"}))
        provider = OpenAiCompatible(server.service("openai"), Egress(allowed=LOOPBACK), lambda name: "key")

One server answers for all: the path of a request tells its language. Each request takes one trouble off the list; where
none is left, the answer is a good one. The words are in ``model_wires``.
"""

from __future__ import annotations

import io
import json
import socket
import socketserver
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from msgspec import structs

from tests.model_wires import EMBEDDER as EMBEDDER  # handed on to those who only need a server
from tests.model_wires import (
    GEMINI,
    Reply,
    blocked_body,
    error_body,
    model_list,
    named_model,
    overloaded_event,
    stream_events,
    unsupported_body,
    vectors_body,
    whole_body,
    wire_of,
)
from tests.model_wires import MODEL as MODEL
from trisynapse_memory.providers.services import service_named
from trisynapse_memory.types import ModelService

LOOPBACK = ("127.0.0.0/8", "::1")
"""What a test's door is told to let through."""


@dataclass(frozen=True)
class Trouble:
    """What goes wrong with one request.

    Kinds: ``status`` (an error of that status, in the words of the wire), ``missing`` (404 for the model), ``refusal``
    (the model refuses in its reply), ``blocked`` (the service refuses the request), ``cut`` (the connection ends after
    ``after`` pieces), ``reset`` (it ends before anything is said), ``slow`` (``pause_s`` before each piece), ``silent``
    (nothing more after ``after`` pieces until the client leaves; -1: not even the headers), ``invalid`` (no JSON),
    ``shape`` (JSON of something else), ``overloaded`` (an error in the middle of the stream, after ``after`` pieces),
    ``unsupported`` (400 that names ``field``), ``whole`` (a stream was asked for, a whole reply is given), ``length``
    (the reply ends at its limit), ``raw`` (``body`` with ``status``).
    """

    kind: str
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    after: int = 0
    pause_s: float = 0.0
    field: str = ""
    body: bytes = b""
    word: str = ""


@dataclass(frozen=True)
class Seen:
    """One request as it came. ``size`` counts every byte of it, request line and headers included."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    size: int
    raw: bytes


class ModelServer:
    """The server; use it as a context.

    ``reply`` is the text of every reply, or a function of the request's body that gives it. ``dimension`` is that of
    its vectors, which depend on the text alone. ``requests`` holds what came, in order.
    """

    def __init__(self, reply: str | Callable[[Any], str] = "Light is fast.", dimension: int = 8) -> None:
        self.reply = reply
        self.dimension = dimension
        self.troubles: deque[Trouble] = deque()
        self.requests: list[Seen] = []
        self.input_tokens, self.output_tokens = 11, 7
        self.left = threading.Event()
        """Set when a client has gone away in the middle of an answer."""
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Talk)
        self._server.model_server = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Its address without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def received_bytes(self) -> int:
        """Every byte of every request that it has read whole."""
        return sum(seen.size for seen in self.requests)

    def service(self, name: str) -> ModelService:
        """A service of the table that lives here instead of at its vendor's."""
        service = service_named(name)
        path = "/v1beta" if service.wire == GEMINI else "/v1"
        return structs.replace(service, base_url=self.url + path)

    def keep(self, seen: Seen) -> Trouble | None:
        """Note a request; return what goes wrong with it."""
        with self._lock:
            self.requests.append(seen)
            return self.troubles.popleft() if self.troubles else None

    def text_for(self, body: Any) -> str:
        """The words of the reply to a request."""
        return self.reply(body) if callable(self.reply) else self.reply


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    model_server: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no error here; anything else is printed, and its test misses the answer."""
        import sys

        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _CountingSocket(io.RawIOBase):
    """Reads a socket and keeps what came."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self.came = bytearray()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._socket.recv_into(buffer)
        self.came += bytes(buffer[:count])
        return count


class _Talk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self._raw = _CountingSocket(self.request)
        self.rfile = io.BufferedReader(self._raw)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        raw = bytes(self._raw.came)
        self._raw.came.clear()
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(content) if content else None
        self._body = body
        trouble = self.server.model_server.keep(Seen(self.command, self.path, headers, body, len(raw), raw))
        self.wire = wire_of(self.path, headers)
        if trouble is not None and self._give_trouble(trouble):
            return
        status, value = self._good(trouble)
        if isinstance(value, list):
            self._stream(value, trouble)
        else:
            self._send(status, json.dumps(value).encode(), {})

    def _give_trouble(self, trouble: Trouble) -> bool:
        """Answer with an error before anything else; False where the trouble comes later."""
        kind = trouble.kind
        if kind == "reset":
            self._hang_up()
        elif kind == "silent" and trouble.after < 0:
            self._wait_until_left()
        elif kind == "status":
            self._send(trouble.status, error_body(self.wire, trouble.status, trouble.word), trouble.headers)
        elif kind == "missing":
            self._send(404, error_body(self.wire, 404), {})
        elif kind == "unsupported":
            self._send(trouble.status if trouble.status != 500 else 400, unsupported_body(self.wire, trouble.field), {})
        elif kind == "blocked":
            self._send(*blocked_body(self.wire), {})
        elif kind == "raw":
            self._send(trouble.status, trouble.body, trouble.headers)
        elif kind == "invalid" and not self._wants_stream():
            self._send(200, b'{"choices": [{"message"', {})
        elif kind == "shape" and not self._wants_stream():
            self._send(200, b'{"weather": "fine", "models": 3, "data": 3}', {})
        else:
            return False
        return True

    def _wants_stream(self) -> bool:
        return "streamGenerateContent" in self.path or bool(isinstance(self._body, dict) and self._body.get("stream"))

    def _good(self, trouble: Trouble | None) -> tuple[int, Any]:
        server = self.server.model_server
        if self.command == "GET":
            return 200, model_list(self.wire)
        if "embed" in self.path.lower():
            return 200, vectors_body(self.wire, self._body, server.dimension)
        reply = Reply(
            server.text_for(self._body),
            named_model(self.path, self._body),
            server.input_tokens,
            server.output_tokens,
            refuses=trouble is not None and trouble.kind == "refusal",
            is_cut_short=trouble is not None and trouble.kind == "length",
        )
        if self._wants_stream() and not (trouble is not None and trouble.kind == "whole"):
            return 200, list(stream_events(self.wire, reply, self._body))
        return 200, whole_body(self.wire, reply, self._body)

    def _stream(self, events: list[tuple[str, bool]], trouble: Trouble | None) -> None:
        """Send events; a flag marks those that carry text."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        said = 0
        for event, carries_text in events:
            if trouble is not None and carries_text and self._interrupt(trouble, said):
                return
            said += carries_text
            self._chunk(event.encode())
        self._chunk(b"")

    def _interrupt(self, trouble: Trouble, said: int) -> bool:
        if trouble.kind == "slow":
            time.sleep(trouble.pause_s)
        if said != trouble.after:
            return False
        if trouble.kind == "cut":
            self._hang_up()
        elif trouble.kind == "silent":
            self._wait_until_left()
        elif trouble.kind == "overloaded":
            self._chunk(overloaded_event(self.wire).encode())
            self._chunk(b"")
        elif trouble.kind == "invalid":
            self._chunk(b'data: {"choices": [{"del\n\n')
            self._chunk(b"")
        elif trouble.kind == "shape":
            self._chunk(b'data: ["not", "a", "reply"]\n\n')
            self._chunk(b"")
        else:
            return False
        return True

    def _chunk(self, content: bytes) -> None:
        try:
            self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        except OSError:
            self.server.model_server.left.set()
            raise

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.request.shutdown(socket.SHUT_RDWR)

    def _wait_until_left(self) -> None:
        self.request.settimeout(30)
        try:
            gone = not self.request.recv(1)
        except OSError:
            gone = True
        if gone:
            self.server.model_server.left.set()
        self.close_connection = True
