"""Where the door lets a request to a model service go, and how it makes sure who is there."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.engine.providers.counting_server import (
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
from trisynapse_memory.contracts import Outgoing
from trisynapse_memory.errors import (
    ProviderAddressError,
    ProviderUnreachableError,
)
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.ledger import SCHEMA, Ledger
from trisynapse_memory.sqlite import Database


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


# -- where a request may go


def test_a_key_never_travels_in_clear_to_the_internet(ledger):
    egress = Egress(ledger=ledger, resolve=lambda host, port: ("93.184.216.34",))
    for is_typed in (True, False):
        with pytest.raises(ProviderAddressError, match="unencrypted"):
            ask(egress, request("http://models.example/v1", is_typed_address=is_typed))
    assert {row.refused for row in ledger.rows()} == {"provider.address"}


def test_a_name_of_which_only_one_address_is_local_counts_as_the_internet():
    egress = Egress(resolve=lambda host, port: ("127.0.0.1", "93.184.216.34"))
    with pytest.raises(ProviderAddressError, match="unencrypted"):
        ask(egress, request("http://models.example/v1"))


def test_a_service_of_the_table_that_leads_into_the_local_network_is_refused(well):
    egress = Egress(resolve=lambda host, port: ("127.0.0.1",))
    for scheme in ("http", "https"):
        with pytest.raises(ProviderAddressError, match="private network"):
            ask(egress, request(f"{scheme}://api.example:{well.port}/v1", is_typed_address=False))
    assert well.received == b""


@pytest.mark.parametrize("url", ["ftp://a.example/", "models.example", "http://[broken", "https://ann:pw-1@h.example/"])
def test_what_is_no_web_address_is_refused_and_a_password_not_repeated(url):
    with pytest.raises(ProviderAddressError) as caught:
        ask(Egress(), request(url))
    assert "pw-1" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-line\nbreak-123", "sk-\u201cquoted\u201d"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_repeated(well, key):
    outgoing = Outgoing(url=well.url, purpose="p", headers={"Authorization": key}, is_typed_address=True)
    with pytest.raises(ProviderAddressError) as caught:
        ask(Egress(), outgoing)
    error: BaseException | None = caught.value
    told = ""
    while error is not None:
        told += str(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    assert "break" not in told
    assert "quoted" not in told
    assert well.received == b""


def test_a_closed_port_and_an_unknown_host_are_unreachable(ledger):
    egress = Egress(ledger=ledger)
    with pytest.raises(ProviderUnreachableError, match="could not be reached"):
        ask(egress, request("http://127.0.0.1:9/"))
    with pytest.raises(ProviderUnreachableError, match=r"'nowhere\.invalid' is not known"):
        ask(Egress(ledger=ledger, resolve=lambda host, port: ()), request("https://nowhere.invalid/"))
    assert {(row.refused, row.sent_bytes) for row in ledger.rows()} == {("provider.unreachable", 0)}


# -- encryption


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> str:
    """A certificate for ``models.example``, signed by itself."""
    trustme = pytest.importorskip("cryptography.x509")
    from datetime import UTC, datetime, timedelta

    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = trustme.Name([trustme.NameAttribute(trustme.NameOID.COMMON_NAME, "models.example")])
    now = datetime.now(UTC)
    made = (
        trustme.CertificateBuilder(name, name, key.public_key(), trustme.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(trustme.SubjectAlternativeName([trustme.DNSName("models.example")]), False)
        .add_extension(trustme.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "pair.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return str(path)


@pytest.fixture
def tls(certificate, serve) -> Server:
    server = serve(lambda server, line: server.send(line, WELL))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.context = context
    return server


def encrypted(server: Server, **more) -> Egress:
    return Egress(allowed=("127.0.0.1",), resolve=lambda host, port: ("127.0.0.1",), **more)


def test_an_encrypted_request_is_counted_before_encryption(tls, certificate, ledger):
    egress = encrypted(tls, ledger=ledger, trust=ssl.create_default_context(cafile=certificate))
    outgoing = request(f"https://models.example:{tls.port}/v1", is_typed_address=False, body=b"y" * 100_000)
    assert ask(egress, outgoing) == b"hello"
    assert b"Host: models.example" in tls.received or b"host: models.example" in tls.received
    row = ledger.rows()[0]
    assert (row.sent_bytes, row.received_bytes) == (len(tls.received), tls.sent_bytes)


@pytest.mark.parametrize("host", ["models.example", "other.example"])
def test_a_server_that_cannot_prove_who_it_is_gets_nothing(tls, certificate, ledger, host):
    trust = None if host == "models.example" else ssl.create_default_context(cafile=certificate)
    with pytest.raises(ProviderUnreachableError, match="could not prove"):
        ask(encrypted(tls, ledger=ledger, trust=trust), request(f"https://{host}:{tls.port}/v1"))
    assert (ledger.rows()[0].sent_bytes, tls.received) == (0, b"")


def test_a_silent_encrypted_server_can_be_stopped(certificate, serve, tls):
    stop = threading.Event()

    def fall_silent(server: Server, line: socket.socket) -> None:
        server.send(line, STREAM + chunk(b"so far"))
        server.released.wait()

    tls.answer = fall_silent
    egress = encrypted(tls, trust=ssl.create_default_context(cafile=certificate))
    with egress.send(request(f"https://models.example:{tls.port}/v1"), stop) as incoming:
        parts = incoming.parts()
        assert next(parts) == b"so far"
        threading.Timer(0.1, stop.set).start()
        assert list(parts) == []
