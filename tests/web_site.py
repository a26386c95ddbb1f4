"""A site on loopback that answers as a test tells it to, and a door that leads every host of the web to it.

    with WebSite() as site:
        site.pages["https://example.org/a"] = Page(b"<html>...", {"ETag": '"1"'})
        egress = site.door()

What is asked is kept in ``asked``. A path that nobody laid down is a 404.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote, urlsplit

from msgspec import structs

from trisynapse_memory.contracts import Outgoing
from trisynapse_memory.providers.egress import Egress, Reply

ARTICLE = b"""<!DOCTYPE html><html><head><title>How the mirror turned</title></head><body><article>
<h1>How the mirror turned</h1>
<p>Eight hundred turns a second were counted with a stroboscope, which was driven by a clock of its own.</p>
<p>The air turbine was built by Froment, who had made the clockwork of the observatory.</p></article></body></html>"""


@dataclass(frozen=True)
class Page:
    """What lies under one address; an ETag is honoured."""

    content: bytes = ARTICLE
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200


class WebSite:
    """The site; use it as a context."""

    def __init__(self) -> None:
        self.pages: dict[str, Page | Callable[[], Page]] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.agents: set[str] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Talk)
        self._server.daemon_threads = True
        self._server.site = self  # pyright: ignore[reportAttributeAccessIssue]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> WebSite:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def door(self, **more: object) -> Rerouted:
        """Return a door that leads every host to this site."""
        return Rerouted(self._server.server_port, **more)

    def answer(self, url: str, headers: dict[str, str]) -> Page:
        self.asked.append(url)
        self.headers.append(headers)
        found = self.pages.get(url, Page(b"nothing here", status=404))
        page = found() if callable(found) else found
        if page.headers.get("ETag") and headers.get("if-none-match") == page.headers["ETag"]:
            return Page(b"", page.headers, 304)
        return page


class Rerouted(Egress):
    """The real door, which asks for ``/<address>`` of the site where another address is meant."""

    def __init__(self, port: int, **more: object) -> None:
        super().__init__(allowed=("127.0.0.1",), **more)  # pyright: ignore[reportArgumentType]
        self._site = f"http://127.0.0.1:{port}/"

    def ask(
        self,
        request: Outgoing,
        stop: threading.Event | None = None,
        before: Callable[[str], object] | None = None,
    ) -> Reply:
        if not urlsplit(request.url).scheme.startswith("http"):
            return super().ask(request, stop, before)
        meant = None if before is None else lambda url: before(self._meant(url))
        reply = super().ask(structs.replace(request, url=self._site + quote(request.url, safe="")), stop, meant)
        return replace(reply, url=self._meant(reply.url))

    def _meant(self, url: str) -> str:
        return unquote(url.removeprefix(self._site))


class _Talk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        page = self.server.site.answer(unquote(self.path[1:]), headers)  # pyright: ignore[reportAttributeAccessIssue]
        self.send_response(page.status)
        for name, value in page.headers.items():
            self.send_header(name, f"/{quote(value, safe='')}" if name == "Location" else value)
        self.send_header("Content-Length", str(len(page.content)))
        self.end_headers()
        self.wfile.write(page.content)

    do_POST = do_GET  # noqa: N815 - the name that the library calls

    def log_message(self, *arguments: object) -> None:
        pass
