"""Any number of clients talk to one engine; a stranger, a rude or a wrong caller harms nobody else."""

from __future__ import annotations

import io
import json
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from pathlib import Path

import msgspec
import pytest

from trisynapse_memory import service as service_module
from trisynapse_memory import wire
from trisynapse_memory.client import EngineClient
from trisynapse_memory.errors import (
    InvalidInputError,
    ServiceGoneError,
    TrisynapseError,
    UnknownRecordError,
    UnknownVerbError,
    VaultHeldError,
)
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.service import Service, main, perform, socket_folder
from trisynapse_memory.types import Message, Namespace, Notice, Progress, SourceInput
from trisynapse_memory.vault import Owner, owner_of

WORK_TOPICS = {"claims", "graph", "summaries", "jobs"}


@pytest.fixture(autouse=True)
def _runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sockets of the tests lie in a folder of their own; a short one, for an address has room for 108 bytes."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))


@pytest.fixture
def service(engine: MemoryEngine) -> Iterator[Service]:
    opened = Service(engine)
    yield opened
    opened.close()


@pytest.fixture
def owner(service: Service, tmp_path: Path) -> Owner:
    found = owner_of(tmp_path / "one.vault")
    assert found is not None
    return found


@pytest.fixture
def client(owner: Owner) -> Iterator[EngineClient]:
    with closing(EngineClient(owner)) as opened:
        yield opened


def call(engine: MemoryEngine, verb: str, **args):
    return perform(engine, wire.Call(id=1, verb=verb, args=args), lambda progress: None)


# ---------------------------------------------------------------- one call


def test_a_verb_is_performed_with_its_arguments(engine: MemoryEngine, papers: Path):
    run = call(engine, "ingest", inputs=[str(papers)], wait=False)
    assert [result.status.value for result in run.results] == ["success", "success"]
    assert len(call(engine, "sources.list", include_all=True)) == 2
    assert call(engine, "ping") == engine.vault_id


def test_progress_reaches_the_caller(engine: MemoryEngine, papers: Path):
    told: list[Progress] = []
    perform(engine, wire.Call(id=1, verb="ingest", args={"inputs": [str(papers)], "wait": False}), told.append)
    assert {"reading", "words", "success"} <= {progress.stage for progress in told}


@pytest.mark.parametrize("verb", ["nothing", "close", "open", "publish", "view", "sources", "_rooms", "sources._rooms"])
def test_what_is_not_in_the_table_is_no_verb(engine: MemoryEngine, verb: str):
    with pytest.raises(UnknownVerbError, match=verb):
        call(engine, verb)


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("query", {}),
        ("query", {"question": 3}),
        ("query", {"question": "x", "moon": 1}),
        ("query", {"question": "x", "top_k": "many"}),
        ("ingest", {"inputs": [{"path": 1}]}),
        ("ingest", {"inputs": "x"}),
        ("get", {"record_id": None}),
        ("sources.text", {"source_id": "x", "page": "one"}),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_done(engine: MemoryEngine, verb: str, args: dict):
    with pytest.raises(InvalidInputError, match=verb):
        call(engine, verb, **args)


def test_messages_come_over_the_wire(engine: MemoryEngine):
    messages = [Message(role="user", content="Foucault used a mirror.", id="1")]
    (record_id,) = call(engine, "ingest_messages", messages=msgspec.to_builtins(messages), group_id="g", title="T")
    assert engine.get(record_id).text == "user: Foucault used a mirror."


def test_a_call_is_seen_through_its_own_namespace(engine: MemoryEngine, papers: Path):
    mine = Namespace(user_id="me", project_id=None)
    args = {"inputs": [str(papers / "light.txt")], "wait": False}
    perform(engine, wire.Call(id=1, verb="ingest", args=args, namespace=mine), lambda progress: None)

    def seen_by(namespace: Namespace | None) -> int:
        listed = perform(engine, wire.Call(id=2, verb="sources.list", namespace=namespace), lambda progress: None)
        return len(listed)

    assert [seen_by(mine), seen_by(Namespace(user_id="her", project_id=None)), seen_by(None)] == [1, 0, 1]


# ---------------------------------------------------------------- the socket


def test_the_socket_lies_in_a_private_folder(owner: Owner):
    folder = Path(owner.address).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folder == socket_folder()


def test_a_folder_of_somebody_else_is_refused(monkeypatch: pytest.MonkeyPatch):
    socket_folder()
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    (Path(os.environ["XDG_RUNTIME_DIR"]) / f"trisynapse-{os.geteuid() + 1}").mkdir()
    with pytest.raises(VaultHeldError, match="somebody else"):
        socket_folder()


def test_a_client_gets_results_and_errors_in_their_own_class(client: EngineClient, engine: MemoryEngine):
    assert client.call("ping") == engine.vault_id
    with pytest.raises(UnknownRecordError, match="r_x"):
        client.call("get", record_id="r_x")
    assert client.call("sources.list") == ()


def test_progress_comes_before_the_result(client: EngineClient, papers: Path):
    told: list[Progress] = []
    run = client.call("ingest", inputs=[str(papers)], wait=False, progress=told.append)
    assert run.counts["success"] == 2
    assert [progress.result.status.value for progress in told if progress.result] == ["success", "success"]


def test_every_client_is_told_when_something_changed(owner: Owner, client: EngineClient, papers: Path):
    with closing(EngineClient(owner)) as other:
        other.call("ping")
        client.call("ingest", inputs=[SourceInput(path=str(papers))], wait=False)
        told = notices(other, lambda notice: notice.subject == "ingest")
    assert told[-1] == Notice(topic="records", subject="ingest")
    assert [notice.topic for notice in told if notice.topic not in WORK_TOPICS] == ["sources", "sources", "records"]


def test_every_client_is_told_when_background_work_has_come_to_its_end(owner: Owner, client: EngineClient):
    with closing(EngineClient(owner)) as other:
        other.call("ping")
        client.call("ingest", inputs=[SourceInput(text="Atlas launches on 14 October 2026.")], wait=False)
        told = notices(other, lambda notice: notice.subject == "summaries")
    assert Notice(topic="claims", subject="facts") in told
    assert told[-1] == Notice(topic="summaries", subject="summaries")


def notices(client: EngineClient, is_last: Callable[[Notice], bool]) -> list[Notice]:
    """Receive what everybody is told, up to the one that is waited for."""
    told: list[Notice] = []
    while not told or not is_last(told[-1]):
        frame = client.receive()
        assert frame.id == 0
        told.append(client.decode("ping", frame))
    return told


def test_a_question_is_answered_while_the_same_clients_import_runs(
    client: EngineClient, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
):
    begun, go_on = threading.Event(), threading.Event()

    def slow(*_: object, **__: object):
        begun.set()
        assert go_on.wait(20)
        return ()

    monkeypatch.setattr(type(engine.runs), "resume", slow)
    slow_number = client.start("runs.resume")
    assert begun.wait(20)
    assert client.call("ping") == engine.vault_id
    go_on.set()
    answer = client.receive()
    while answer.id != slow_number:
        answer = client.receive()
    assert client.decode("runs.resume", answer) == ()


def test_a_bug_reaches_the_client_as_an_error_without_its_text(
    client: EngineClient, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: object, **__: object):
        raise ZeroDivisionError("a document's text")

    monkeypatch.setattr(type(engine.runs), "list", broken)
    with pytest.raises(TrisynapseError, match=r"runs\.list.*ZeroDivisionError") as caught:
        client.call("runs.list")
    assert "document" not in str(caught.value)
    assert client.call("ping") == engine.vault_id


def test_a_frame_that_is_no_call_is_answered_and_harms_nobody(owner: Owner, client: EngineClient):
    with closing(Client(owner.address, authkey=owner.token.encode())) as rude:
        rude.send_bytes(b"not json")
        assert rude.poll(20), "silence is no answer"
        assert wire.read_reply(rude.recv_bytes()).kind == "error"
    assert client.call("sources.list") == ()


def test_a_wrong_token_is_refused_and_the_next_one_is_served(owner: Owner):
    with pytest.raises(AuthenticationError):
        Client(owner.address, authkey=b"wrong")
    with pytest.raises(VaultHeldError, match="does not answer"):
        EngineClient(owner._replace(token="wrong"))
    with closing(EngineClient(owner)) as right:
        assert right.call("sources.list") == ()


def test_somebody_who_hangs_up_at_once_does_not_deafen_the_service(owner: Owner):
    for goodbye in (b"", b"\x00\x00\x00\x04ab", b"GET / HTTP/1.1\r\n\r\n"):
        with closing(socket.socket(socket.AF_UNIX)) as rude:
            rude.connect(owner.address)
            rude.sendall(goodbye)
    with closing(EngineClient(owner)) as client:
        assert client.call("sources.list") == ()


def test_being_alone_is_waited_for(service: Service, owner: Owner):
    client = EngineClient(owner)
    client.call("ping")
    waiting = threading.Thread(target=service.close_when_alone, daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    client.close()
    waiting.join(20)
    assert not waiting.is_alive()


def test_who_comes_while_the_owner_leaves_is_sent_away_to_look_anew(
    service: Service, owner: Owner, monkeypatch: pytest.MonkeyPatch
):
    leaving, go_on = threading.Event(), threading.Event()
    close = service.close

    def slow() -> None:
        leaving.set()
        assert go_on.wait(20)
        close()

    monkeypatch.setattr(service, "close", slow)
    leaver = threading.Thread(target=service.close_when_alone, daemon=True)
    leaver.start()
    assert leaving.wait(20)
    with closing(EngineClient(owner)) as late, pytest.raises(ServiceGoneError):
        late.call("sources.list")
    go_on.set()
    leaver.join(20)
    assert not leaver.is_alive()


def test_closing_hangs_up_takes_the_socket_away_and_can_be_done_twice(service: Service, owner: Owner):
    client = EngineClient(owner)
    client.call("ping")
    service.close()
    service.close()
    with pytest.raises(TrisynapseError, match="ended"):
        client.call("ping")
    client.close()
    assert not Path(owner.address).exists()


# ---------------------------------------------------------------- the process


class Pipe:
    """The standard input of an engine process whose window has just died."""

    buffer = io.BytesIO(b"")


def test_the_process_says_ready_and_ends_with_its_window(
    in_process: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(service_module.sys, "stdin", Pipe)
    turned: list[object] = []
    # The real guard would cut off this very process, for good.
    monkeypatch.setattr(service_module.NetworkGuard, "lock", lambda self: turned.append("locked"))
    monkeypatch.setattr(service_module.NetworkGuard, "set", lambda self, on: turned.append(on))
    assert main([str(tmp_path / "new.vault"), "--create", "--offline"]) == 0
    assert turned == ["locked", True]
    assert capsys.readouterr().out == f"READY {os.getpid()}\n"
    assert owner_of(tmp_path / "new.vault") is None


def test_the_process_names_the_owner_when_there_is_one(
    owner: Owner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main([str(tmp_path / "one.vault")]) == 0
    assert capsys.readouterr().out == f"ATTACH {owner.pid}\n"


def test_the_process_says_why_it_cannot_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([str(tmp_path / "nowhere")]) == 5
    word, _, fault = capsys.readouterr().out.partition(" ")
    assert word == "FAILED"
    assert json.loads(fault)["code"] == "vault.missing"
