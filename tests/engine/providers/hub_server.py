"""A model hub on loopback for the tests of downloads: a listing, a redirect to a content host, files with ranges.

``HubServer.behave`` holds what goes wrong next; nothing is tested here.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from trisynapse_memory.providers.files.hub import Hub

REVISION = "0123abcd"


class HubServer(ThreadingHTTPServer):
    """Answers ``/api/models/<repository>``, ``/<repository>/resolve/...`` and ``/content/...``.

    ``behave`` names: ``no-range``, ``wrong-range``, ``cut`` (bytes sent before the connection ends, once), ``status``
    (of the file), ``api-status``, ``elsewhere`` (where the redirect leads), ``hang`` (after so many bytes, until
    ``released``), ``short`` (a body that ends too soon, without a fault), ``loop``.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.files: dict[str, bytes] = {}
        self.etag = '"v1"'
        self.behave: dict[str, Any] = {}
        self.asked: list[tuple[str, str, str]] = []  # path, Range, If-Range
        self.headers_seen: list[dict[str, str]] = []
        self.started = threading.Event()
        self.released = threading.Event()

    @property
    def hub(self) -> Hub:
        return Hub(base_url=f"http://127.0.0.1:{self.server_port}", hosts=("127.0.0.1",), is_local=True)

    def put(self, repository: str, name: str, content: bytes) -> str:
        """Offer a file; return its SHA-256."""
        self.files[f"{repository}/{name}"] = content
        return hashlib.sha256(content).hexdigest()

    def ranges(self) -> list[str]:
        """The Range header of each request for content, in order."""
        return [given for path, given, _ in self.asked if path.startswith("/content/")]


@contextmanager
def running() -> Iterator[HubServer]:
    server = HubServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HubServer

    def do_GET(self) -> None:
        given = (self.headers.get("Range", ""), self.headers.get("If-Range", ""))
        self.server.asked.append((self.path, *given))
        self.server.headers_seen.append({name.lower(): value for name, value in self.headers.items()})
        path = self.path.partition("?")[0]
        if path.startswith("/api/models/"):
            self._listing(path.removeprefix("/api/models/"))
        elif "/resolve/" in path:
            self._redirect(path)
        else:
            self._content(path.removeprefix("/content/"))

    def _listing(self, repository: str) -> None:
        status = self.server.behave.get("api-status", 200)
        siblings = [
            {
                "rfilename": key.removeprefix(f"{repository}/"),
                "size": len(content),
                "blobId": hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest(),
                **(
                    {"lfs": {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}}
                    if _is_large(key)
                    else {}
                ),
            }
            for key, content in self.server.files.items()
            if key.startswith(f"{repository}/")
        ]
        body = json.dumps({"sha": REVISION, "siblings": siblings, "gated": False}).encode()
        body = self.server.behave.get("api-body", body)
        self._send(status if siblings else 404, {}, body)

    def _redirect(self, path: str) -> None:
        repository, _, name = path.lstrip("/").partition(f"/resolve/{REVISION}/")
        location = f"http://127.0.0.1:{self.server.server_port}/content/{repository}/{name}"
        if "loop" in self.server.behave:
            location = path
        self._send(302, {"Location": self.server.behave.get("elsewhere", location)}, b"")

    def _content(self, key: str) -> None:
        behave, content = self.server.behave, self.server.files.get(key)
        if content is None or "status" in behave:
            self._send(behave.get("status", 404), {}, b"no")
            return
        start = self._start(len(content))
        if start > len(content) or (start and start == len(content)):
            self._send(416, {"Content-Range": f"bytes */{len(content)}"}, b"")
            return
        headers = {"ETag": self.server.etag, "Accept-Ranges": "bytes"}
        if start:
            told = start + 1 if behave.pop("wrong-range", False) else start
            headers["Content-Range"] = f"bytes {told}-{len(content) - 1}/{len(content)}"
        self._pour(206 if start else 200, headers, content[start:])

    def _start(self, size: int) -> int:
        given, tag = self.headers.get("Range", ""), self.headers.get("If-Range", self.server.etag)
        if not given or "no-range" in self.server.behave or tag != self.server.etag:
            return 0
        return int(given.removeprefix("bytes=").partition("-")[0])

    def _pour(self, status: int, headers: dict[str, str], body: bytes) -> None:
        behave = self.server.behave
        limit = behave.pop("cut", None)
        if "short" in behave:
            body = body[: behave.pop("short")]
            headers["Connection"] = "close"
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if headers.get("Connection") != "close":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if "hang" in behave:
            self._write(body[: behave["hang"]])
            self.server.started.set()
            self.server.released.wait(20)
            self.close_connection = True
            return
        self._write(body if limit is None else body[:limit])
        if limit is not None or headers.get("Connection") == "close":
            self.close_connection = True

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self._write(body)

    def _write(self, body: bytes) -> None:
        try:
            self.wfile.write(body)
            self.wfile.flush()
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *arguments: Any) -> None:
        return None


def _is_large(key: str) -> bool:
    return key.endswith((".gguf", ".safetensors"))
