"""The door for model services, against a server on loopback that counts every byte it sees."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.engine.providers.counting_server import (
    BODY,
    SECRET,
    STREAM,
    WELL,
    Answer,
    Server,
    ask,
    chunk,
    request,
    serving,
)
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Door, Incoming
from trisynapse_memory.errors import (
    OfflineError,
    ProviderCutError,
    ProviderError,
    ProviderStoppedError,
    ProviderTimedOutError,
    ProviderTooLargeError,
    VaultError,
)
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.ledger import SCHEMA, UNFINISHED, Ledger
from trisynapse_memory.providers.network import connection
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import EgressRow, SourceId


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Server]]:
    with ExitStack() as ending:
        yield lambda answer: ending.enter_context(serving(answer))


@pytest.fixture
def well(serve) -> Server:
    return serve(lambda server, line: server.send(line, WELL))


@pytest.fixture
def ledger(tmp_path) -> Iterator[Ledger]:
    database = Database(tmp_path / "runs.db", SCHEMA, durable=False)
    yield Ledger(database, Config())
    database.close()


def test_the_door_is_the_door_that_providers_are_given(well):
    egress = Egress()
    as_a_door: Door = egress
    with as_a_door.send(request(well.url)) as incoming:
        answer: Incoming = incoming
        assert (answer.status, answer.headers["content-type"], answer.read(100)) == (200, "text/plain", b"hello")


def test_the_ledger_counts_the_very_bytes_that_the_server_saw(well, ledger):
    source_ids = (SourceId("src_1"), SourceId("src_2"))
    assert ask(Egress(ledger=ledger), request(well.url, source_ids=source_ids)) == b"hello"
    (row,) = ledger.rows()
    assert (row.sent_bytes, row.received_bytes) == (len(well.received), well.sent_bytes)
    assert (row.host, row.purpose, row.service, row.status) == ("127.0.0.1", "answer a question", "mine", 200)
    assert (row.source_ids, row.refused, row.failed) == (source_ids, "", "")


def test_a_large_body_is_counted_to_the_last_byte(well, ledger):
    # More than the system takes at once.
    ask(Egress(ledger=ledger), request(well.url, body=b"x" * 30_000_000))
    assert ledger.rows()[0].sent_bytes == len(well.received) > 30_000_000


def test_the_ledger_holds_no_path_no_key_and_no_body(well, ledger, tmp_path):
    ask(Egress(ledger=ledger), request(well.url))
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"answer a question" in kept
    for secret in (SECRET.encode(), BODY, b"tenant", b"/v1/chat", b"Bearer"):
        assert secret not in kept


def test_a_request_is_written_down_before_it_is_answered(serve, ledger):
    """A process that dies while it waits leaves a row that says so."""
    seen: list[EgressRow] = []

    def look(server: Server, line: socket.socket) -> None:
        deadline = time.monotonic() + 5
        while not (ledger.rows() and ledger.rows()[0].sent_bytes) and time.monotonic() < deadline:
            time.sleep(0.01)
        seen.extend(ledger.rows())
        server.send(line, WELL)

    server = serve(look)
    ask(Egress(ledger=ledger), request(server.url))
    assert [(row.failed, row.sent_bytes, row.status) for row in seen] == [(UNFINISHED, len(server.received), 0)]


def test_what_cannot_be_written_down_is_not_sent(well, tmp_path):
    database = Database(tmp_path / "runs.db", SCHEMA)
    database.close()
    egress = Egress(ledger=Ledger(database, Config()))
    with pytest.raises(VaultError):
        ask(egress, request(well.url))
    assert well.received == b""


def test_the_parts_come_while_the_server_is_still_writing(serve):
    taken = threading.Event()

    def trickle(server: Server, line: socket.socket) -> None:
        server.send(line, STREAM + chunk(b"one "))
        assert taken.wait(5), "the first part was held back"
        server.send(line, chunk(b"two") + chunk(b""))

    server = serve(trickle)
    with Egress().send(request(server.url)) as incoming:
        parts = incoming.parts()
        assert next(parts) == b"one "
        taken.set()
        assert b"".join(parts) == b"two"


def test_a_compressed_body_is_unpacked(serve):
    packed = gzip.compress(b"squeezed")
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    assert ask(Egress(), request(serve(lambda server, line: server.send(line, head + packed)).url)) == b"squeezed"


def test_a_stop_ends_the_parts_of_a_silent_server(serve, ledger):
    """The server stays silent for longer than the test may last; the promise of 200 ms is that of the slices."""

    def fall_silent(server: Server, line: socket.socket) -> None:
        server.send(line, STREAM + chunk(b"so far"))
        server.released.wait()

    stop = threading.Event()
    with Egress(ledger=ledger).send(request(serve(fall_silent).url), stop) as incoming:
        parts = incoming.parts()
        assert next(parts) == b"so far"
        threading.Timer(0.1, stop.set).start()
        assert list(parts) == []
    assert (ledger.rows()[0].status, ledger.rows()[0].failed) == (200, "provider.stopped")
    assert connection.SLICE_S <= 0.1


def test_a_stop_before_the_answer_is_an_error_of_its_own(serve, ledger):
    server = serve(lambda server, line: server.released.wait())
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    with pytest.raises(ProviderStoppedError):
        ask(Egress(ledger=ledger), request(server.url), stop)
    assert ledger.rows()[0].failed == "provider.stopped"


def test_a_stop_ends_a_name_look_up_that_hangs():
    stop, released = threading.Event(), threading.Event()

    def hang(host: str, port: int) -> tuple[str, ...]:
        released.wait(20)
        return ()

    threading.Timer(0.1, stop.set).start()
    with pytest.raises(ProviderStoppedError):
        ask(Egress(resolve=hang), request("https://slow.example/"), stop)
    released.set()


def test_offline_ends_what_is_under_way_and_refuses_what_comes(serve, ledger):
    def fall_silent(server: Server, line: socket.socket) -> None:
        server.send(line, STREAM + chunk(b"so far"))
        server.released.wait()

    egress = Egress(ledger=ledger)
    server = serve(fall_silent)
    with egress.send(request(server.url)) as incoming:
        parts = incoming.parts()
        next(parts)
        egress.offline = True
        with pytest.raises(OfflineError):
            next(parts)
    asked = len(server.received)
    with pytest.raises(OfflineError):
        ask(egress, request(server.url))
    assert len(server.received) == asked
    refused, ended = ledger.rows()
    assert (refused.refused, refused.failed, refused.sent_bytes) == ("network.offline", "", 0)
    assert (ended.refused, ended.failed) == ("", "network.offline")


def test_another_switch_turns_with_offline():
    egress, turned = Egress(offline=True), []
    egress.follow(turned.append)
    egress.offline = False
    assert turned == [True, False]


def test_a_guard_below_the_door_is_told_as_offline():
    def forbidden(host: str, port: int) -> tuple[str, ...]:
        raise OfflineError("The network was asked for while offline is on.")

    with pytest.raises(OfflineError):
        ask(Egress(resolve=forbidden), request("https://models.example/"))


def test_a_server_that_does_not_begin_to_answer_has_timed_out(serve, ledger):
    server = serve(lambda server, line: server.released.wait())
    with pytest.raises(ProviderTimedOutError, match=r"127\.0\.0\.1"):
        ask(Egress(ledger=ledger), request(server.url, timeout_s=0.2))
    row = ledger.rows()[0]
    assert (row.failed, row.sent_bytes) == ("provider.timed_out", len(server.received))


def test_the_time_limit_is_for_silence_and_not_for_the_whole_answer(serve):
    def write_slowly(server: Server, line: socket.socket) -> None:
        server.send(line, STREAM)
        for _ in range(6):
            time.sleep(0.1)
            server.send(line, chunk(b"."))
        server.send(line, chunk(b""))

    assert ask(Egress(), request(serve(write_slowly).url, timeout_s=0.4)) == b"......"


@pytest.mark.parametrize(
    "bytes_sent",
    [b"", b"HTTP/1.1 200 OK\r\nContent-Le", STREAM + chunk(b"half an ans"), WELL[:-2], b"no HTTP at all\r\n\r\n"],
    ids=["nothing", "half a head", "no end", "too short", "not HTTP"],
)
def test_an_answer_that_breaks_off_is_cut_and_never_taken_for_whole(serve, ledger, bytes_sent):
    server = serve(lambda server, line: server.send(line, bytes_sent))
    with pytest.raises(ProviderCutError):
        ask(Egress(ledger=ledger), request(server.url))
    row = ledger.rows()[0]
    assert (row.failed, row.received_bytes) == ("provider.cut", len(bytes_sent))


def test_more_than_is_asked_for_is_not_read(serve):
    def flood(server: Server, line: socket.socket) -> None:
        server.send(line, STREAM)
        while True:
            server.send(line, chunk(b"x" * 10_000))

    with (
        Egress().send(request(serve(flood).url)) as incoming,
        pytest.raises(ProviderTooLargeError, match=r"0\.1 MiB"),
    ):
        incoming.read(104858)


def test_an_early_answer_is_read_although_the_body_was_not_taken(serve):
    """A server that refuses a large body answers and stops reading; its words are what she must see."""

    def refuse(server: Server, line: socket.socket) -> None:
        server.send(line, b"HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nlong")

    server = serve(refuse)
    server._read = lambda line: None
    with Egress().send(request(server.url, body=b"x" * 200_000)) as incoming:
        assert incoming.status == 413


def test_a_redirect_is_an_answer_and_is_not_followed(serve):
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
    with Egress().send(request(serve(lambda server, line: server.send(line, moved)).url)) as incoming:
        assert (incoming.status, incoming.headers["location"]) == (302, "http://127.0.0.1:1/")


def test_proxies_of_the_environment_are_not_used(well, monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(Egress(), request(well.url)) == b"hello"


def test_the_second_address_of_a_name_is_tried_when_the_first_is_closed(well):
    """A local server often listens on one family only."""
    egress = Egress(resolve=lambda host, port: ("::1", "127.0.0.1"))
    assert ask(egress, request(f"http://localhost:{well.port}/")) == b"hello"


def test_an_error_of_the_caller_passes_through_and_is_no_fault_of_the_connection(well, ledger):
    with pytest.raises(ProviderError, match="not mine"), Egress(ledger=ledger).send(request(well.url)):
        raise ProviderError("not mine")
    assert (ledger.rows()[0].status, ledger.rows()[0].failed) == (200, "")


def test_every_request_is_told_as_it_ends(well):
    told: list[EgressRow] = []
    egress = Egress(record=told.append)
    ask(egress, request(well.url))
    assert tuple(told) == egress.ledger()
