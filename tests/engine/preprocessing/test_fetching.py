"""The door to the network and what comes through it, over real HTTP on loopback."""

from __future__ import annotations

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from trisynapse_memory.contracts import Outgoing
from trisynapse_memory.errors import (
    InvalidInputError,
    OfflineError,
    SourceBusyError,
    SourceDeniedError,
    SourceEmptyError,
    SourceError,
    SourceMissingError,
    SourceTimedOutError,
    SourceTooLargeError,
)
from trisynapse_memory.preprocessing.fetching import ServerStamp, fetch
from trisynapse_memory.providers.egress import MAX_BYTES, TIMEOUT_S, Egress, PageLimits, Reply

PAGE = b"<!DOCTYPE html><html><head><title>T</title></head><body><p>Hi.</p></body></html>"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + b"0" * 60


class Site(BaseHTTPRequestHandler):
    """Answers a few paths; ``server.asked`` lists what was asked, with the Host header."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append((self.path, self.headers["Host"]))
        path = self.path.partition("?")[0]
        status, headers, content = PATHS.get(path, (404, {}, b"no"))
        if path.startswith("/hop/"):
            left = int(path.removeprefix("/hop/"))
            status, headers, content = 302, {"Location": f"/hop/{left - 1}" if left else "/page"}, b""
        if path == "/stamped" and self.headers["If-None-Match"] == '"v1"':
            status, content = 304, b""
        if hasattr(self.server, "cookies"):
            self.server.cookies.append(self.headers["Cookie"])
        if path == "/slow":
            self.server.released.wait(5)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value.replace("PORT", str(self.server.server_port)))
        if path != "/endless":
            self.send_header("Content-Length", str(len(content)))
        else:
            self.send_header("Connection", "close")
        self.end_headers()
        try:
            for _ in range(64 if path == "/endless" else 1):
                self.wfile.write(content)
        except OSError:
            self.close_connection = True
        self.close_connection = self.close_connection or path == "/endless"

    def log_message(self, *arguments):
        pass


PATHS = {
    "/page": (200, {"Content-Type": "text/html; charset=windows-1251"}, PAGE),
    "/paper.pdf": (200, {"Content-Type": "application/pdf"}, PAGE),
    "/download": (200, {"Content-Type": "text/html"}, PDF),
    "/abs/2301.00001": (200, {"Content-Type": "application/pdf"}, PDF),
    "/named": (200, {"Content-Disposition": 'attachment; filename="../../My: paper.pdf"'}, PDF),
    "/notes": (200, {"Content-Type": "text/markdown"}, b"# Notes\n"),
    "/zipped": (200, {"Content-Encoding": "gzip"}, gzip.compress(PAGE + b" " * 300_000)),
    "/large": (200, {}, b"x" * 300_000),
    "/endless": (200, {}, b"x" * 10_000),
    "/empty": (200, {}, b""),
    "/login": (403, {}, b"no"),
    "/busy": (429, {}, b"later"),
    "/broken": (500, {}, b"oops"),
    "/slow": (200, {}, b"late"),
    "/stamped": (200, {"ETag": '"v1"', "Last-Modified": "Tue, 02 Jan 2024 03:04:05 GMT"}, PAGE),
    "/to-other": (302, {"Location": "http://other.example:PORT/page"}, b""),
    "/to-file": (302, {"Location": "file:///etc/hostname"}, b""),
    "/to-inner": (302, {"Location": "http://inner.example:PORT/page"}, b""),
    "/with-key": (302, {"Location": "http://ann:secret@outer.example:PORT/page"}, b""),
}


@pytest.fixture(scope="module")
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.daemon_threads = True
    server.asked = []
    server.released = threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def url(site):
    site.asked.clear()
    return f"http://127.0.0.1:{site.server_port}"


LOOPBACK = ("127.0.0.1",)


def door(timeout_s=TIMEOUT_S, max_bytes=MAX_BYTES, **more):
    return Egress(allowed=LOOPBACK, limits=PageLimits(timeout_s, max_bytes), **more)


def test_a_page_comes_with_its_type_charset_and_name(url):
    fetched = fetch(url + "/page", door())
    assert (fetched.content, fetched.media_type, fetched.charset) == (PAGE, "text/html", "windows-1251")
    assert (fetched.final_url, fetched.filename) == (url + "/page", "page.html")


@pytest.mark.parametrize(
    ("path", "media_type", "filename"),
    [
        ("/paper.pdf", "text/html", "paper.html"),
        ("/download?id=7", "application/pdf", "download.pdf"),
        ("/abs/2301.00001", "application/pdf", "2301.00001.pdf"),
        ("/named", "application/pdf", "My_ paper.pdf"),
        ("/notes", "text/markdown", "notes.md"),
    ],
)
def test_the_type_is_judged_by_content_and_the_name_follows_it(url, path, media_type, filename):
    fetched = fetch(url + path, door())
    assert (fetched.media_type, fetched.filename) == (media_type, filename)


def test_a_name_is_cut_on_a_character_border_and_keeps_its_ending():
    class Getter:
        def get(self, url, purpose, headers):
            return Reply(url, 200, {}, PAGE)

    name = fetch("https://example.org/" + "%C3%A9" * 300, Getter()).filename
    assert name == "é" * 117 + ".html"
    assert len(name.encode()) <= 240


def test_compressed_pages_are_unpacked(url):
    assert fetch(url + "/zipped", door()).content.startswith(PAGE)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/nothing", SourceMissingError),
        ("/login", SourceDeniedError),
        ("/busy", SourceBusyError),
        ("/broken", SourceBusyError),
        ("/empty", SourceEmptyError),
    ],
)
def test_a_server_that_gives_no_page_is_an_error_that_names_it(url, path, error):
    with pytest.raises(error, match=r"127\.0\.0\.1"):
        fetch(url + path, door(), pause=lambda seconds: None)


def test_a_busy_server_is_asked_again_after_the_pause_it_wants(url, site):
    pauses = []
    PATHS["/soon"] = (503, {"Retry-After": "7"}, b"soon")

    def pause(seconds):
        pauses.append(seconds)
        if len(pauses) == 2:
            PATHS["/soon"] = (200, {"Content-Type": "text/html"}, PAGE)

    assert fetch(url + "/soon", door(), pause=pause).content == PAGE
    assert pauses == [7.0, 7.0]


def test_a_server_that_wants_a_long_pause_is_not_waited_for(url):
    PATHS["/night"] = (429, {"Retry-After": "3600"}, b"later")
    with pytest.raises(SourceBusyError, match="come back later") as caught:
        fetch(url + "/night", door(), pause=lambda seconds: pytest.fail("it was waited for"))
    assert caught.value.retry_after_s == 3600.0


def test_a_page_she_has_is_not_sent_again(url, site):
    first = fetch(url + "/stamped", door())
    assert first.stamp == ServerStamp('"v1"', "Tue, 02 Jan 2024 03:04:05 GMT")
    again = fetch(url + "/stamped", door(), known=first.stamp)
    assert (again.is_unchanged, again.content) == (True, b"")
    assert fetch(url + "/stamped", door(), known=ServerStamp('"v0"')).content == PAGE


def test_a_cookie_meant_for_one_host_does_not_travel_with_a_redirect(site):
    site.asked.clear()
    site.cookies = []
    names = {"outer.example": ("127.0.0.1",), "other.example": ("127.0.0.1",)}
    egress = door(resolve=lambda host, port: names[host])
    request = Outgoing(
        url=f"http://outer.example:{site.server_port}/to-other", purpose="test", method="GET", headers={"Cookie": "a=b"}
    )
    assert egress.ask(request).status == 200
    assert site.cookies == ["a=b", None]


def test_five_redirects_are_followed_and_a_sixth_is_not(url, site):
    assert fetch(url + "/hop/4", door()).final_url == url + "/page"
    site.asked.clear()
    with pytest.raises(SourceError, match="redirects more than 5 times"):
        fetch(url + "/hop/9", door())
    assert len(site.asked) == 6


def test_offline_asks_nobody(url, site):
    egress = door(offline=True, resolve=lambda host, port: pytest.fail("a name was looked up"))
    with pytest.raises(OfflineError):
        fetch(url + "/page", egress)
    assert site.asked == []


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/hostname",
        "ftp://example.org/a",
        "example.org",
        "http://",
        "http://[broken",
        "http://h:port/",
        "data:,x",
    ],
)
def test_only_web_addresses_are_fetched(address):
    with pytest.raises(InvalidInputError):
        fetch(address, door())


def test_an_address_with_a_password_is_refused_and_the_password_not_repeated(url, site):
    with pytest.raises(InvalidInputError) as caught:
        fetch("http://ann:secret@127.0.0.1/", door())
    assert "secret" not in str(caught.value)
    with pytest.raises(InvalidInputError):
        fetch(url + "/with-key", door(resolve=lambda host, port: ("127.0.0.1",)))
    assert len(site.asked) == 1


def test_a_redirect_to_a_file_is_refused(url):
    with pytest.raises(InvalidInputError):
        fetch(url + "/to-file", door())


def test_private_addresses_are_refused_before_a_connection_is_made(url, site):
    with pytest.raises(SourceDeniedError, match="private network"):
        fetch(url + "/page", Egress())
    with pytest.raises(SourceDeniedError):
        fetch("http://mixed.example/", Egress(resolve=lambda host, port: ("93.184.216.34", "10.0.0.1")))
    assert site.asked == []


def test_a_redirect_to_a_private_address_is_refused(site):
    """The first host is allowed here, so that only the second hop can fail."""
    site.asked.clear()
    names = {"outer.example": ("127.0.0.1",), "inner.example": ("10.0.0.1",)}
    egress = Egress(allowed=LOOPBACK, resolve=lambda host, port: names[host])
    with pytest.raises(SourceDeniedError, match=r"inner\.example"):
        fetch(f"http://outer.example:{site.server_port}/to-inner", egress)
    assert [path for path, _ in site.asked] == ["/to-inner"]


def test_the_connection_goes_to_the_address_that_was_checked_and_names_the_host(site):
    site.asked.clear()
    asked = []

    def resolve(host, port):
        asked.append(host)
        return ("127.0.0.1",)

    reply = door(resolve=resolve).get(f"http://does-not-exist.invalid:{site.server_port}/page?q=1#part", "test")
    assert reply.status == 200
    assert asked == ["does-not-exist.invalid"]
    assert site.asked == [("/page?q=1", f"does-not-exist.invalid:{site.server_port}")]


@pytest.mark.parametrize(
    "address",
    ["2130706433", "0x7f000001", "017700000001", "127.1", "[::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "localhost"],
)
def test_no_way_of_writing_this_machine_gets_through(address):
    with pytest.raises((SourceDeniedError, SourceMissingError)):
        fetch(f"http://{address}:1/", Egress())


def test_a_name_that_changes_its_meaning_gains_nothing(site):
    """The look-up of the first hop is public, that of the second private: each hop is looked up and checked once."""
    site.asked.clear()
    answers = iter([("127.0.0.1",), ("10.0.0.1",)])
    egress = door(resolve=lambda host, port: next(answers))
    with pytest.raises(SourceDeniedError):
        fetch(f"http://rebinding.example:{site.server_port}/hop/0", egress)
    assert [path for path, _ in site.asked] == ["/hop/0"]


@pytest.mark.parametrize("path", ["/large", "/endless", "/zipped"])
def test_too_much_is_not_read_to_its_end(url, path):
    with pytest.raises(SourceTooLargeError):
        fetch(url + path, door(max_bytes=100_000))


def test_a_server_that_does_not_answer_is_given_up(url, site):
    with pytest.raises(SourceTimedOutError):
        fetch(url + "/slow", door(timeout_s=0.2))
    site.released.set()


def test_a_closed_port_is_an_error_that_says_so():
    with pytest.raises(SourceError, match="could not be reached"):
        fetch("http://127.0.0.1:9/", door(timeout_s=5))


def test_an_unknown_host_is_named():
    with pytest.raises(SourceMissingError, match=r"nowhere\.invalid"):
        fetch("http://nowhere.invalid/", Egress(resolve=lambda host, port: ()))


def test_every_request_is_in_the_ledger_without_its_path(url):
    seen = []
    egress = door(record=seen.append)
    fetch(url + "/hop/0?token=secret", egress)
    with pytest.raises(InvalidInputError):
        egress.get("ftp://example.org/secret", "a test")
    rows = egress.ledger()
    assert tuple(seen) == rows
    assert [(row.host, row.purpose, row.status) for row in rows] == [
        ("127.0.0.1", "fetch a source", 302),
        ("127.0.0.1", "fetch a source", 200),
        ("example.org", "a test", 0),
    ]
    assert rows[1].received_bytes > len(PAGE), "headers count, too"
    assert rows[2].refused == "input.invalid"
    assert "secret" not in repr(rows)
