"""A server on loopback that counts every byte it sees, and says what a test tells it to."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from trisynapse_memory.contracts import Outgoing
from trisynapse_memory.providers.egress import Egress

SECRET = "sk-canary-0123456789"
BODY = b'{"prompt": "what the sources say"}'
WELL = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


Answer = Callable[["Server", socket.socket], None]
"""Says something on a connection whose request has been read."""


@dataclass
class Server:
    """Listens on loopback; ``answer`` is called with a connection once its request is read whole."""

    answer: Answer
    received: bytearray = field(default_factory=bytearray)
    sent_bytes: int = 0
    released: threading.Event = field(default_factory=threading.Event)
    context: ssl.SSLContext | None = None

    def __post_init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1/chat?tenant=hidden"
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def send(self, line: socket.socket, content: bytes) -> None:
        line.sendall(content)
        self.sent_bytes += len(content)

    def close(self) -> None:
        self.released.set()
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(5)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                line = self.listener.accept()[0]
                with line, suppress(OSError):
                    if self.context is not None:
                        line = self.context.wrap_socket(line, server_side=True)
                    line.settimeout(10)
                    self._read(line)
                    self.answer(self, line)
                    line.close()

    def _read(self, line: socket.socket) -> None:
        got = bytearray()
        while b"\r\n\r\n" not in got:
            got += _more(line)
        head, _, rest = bytes(got).partition(b"\r\n\r\n")
        lengths = [row.split(b":")[1] for row in head.lower().split(b"\r\n") if row.startswith(b"content-length")]
        missing = int(lengths[0]) - len(rest) if lengths else 0
        while missing > 0:
            more = _more(line)
            got += more
            missing -= len(more)
        self.received += got


def _more(line: socket.socket) -> bytes:
    content = line.recv(65536)
    if not content:
        raise ConnectionError("The other side has gone.")
    return content


@contextmanager
def serving(answer: Answer) -> Iterator[Server]:
    """Serve until the block ends."""
    server = Server(answer)
    try:
        yield server
    finally:
        server.close()


def request(url: str, **more) -> Outgoing:
    chosen = {"purpose": "answer a question", "service": "mine", "is_typed_address": True, "body": BODY, **more}
    return Outgoing(
        url=url, headers={"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}, **chosen
    )


def ask(egress: Egress, outgoing: Outgoing, stop: threading.Event | None = None) -> bytes:
    with egress.send(outgoing, stop) as incoming:
        return b"".join(incoming.parts())
