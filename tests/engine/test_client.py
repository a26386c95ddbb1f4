"""A client speaks as the engine does, hears of its end, and says so."""

from __future__ import annotations

import select
import threading
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.connection import Connection, Listener
from pathlib import Path

import pytest

from trisynapse_memory import wire
from trisynapse_memory.client import EngineClient, attach
from trisynapse_memory.errors import (
    ServiceError,
    ServiceGoneError,
    SourceEmptyError,
    UnknownVerbError,
    VaultHeldError,
    VaultMissingError,
)
from trisynapse_memory.types import Backlog, Fault, Namespace, Notice, Progress
from trisynapse_memory.vault import Owner, Vault

TOKEN = b"token"


class FakeEngine:
    """The other end of the line, said word for word by the test."""

    def __init__(self, address: str) -> None:
        self._listener = Listener(address, authkey=TOKEN)
        self.line: Connection | None = None

    def meet(self) -> EngineClient:
        met = threading.Thread(target=self._accept)
        met.start()
        client = EngineClient(Owner(1, str(self._listener.address), TOKEN.decode()))
        met.join()
        return client

    def _accept(self) -> None:
        self.line = self._listener.accept()

    def say(self, call_id: int, kind: str, body: object) -> None:
        assert self.line is not None
        self.line.send_bytes(wire.reply(call_id, kind, body))

    def hear(self) -> wire.Call:
        assert self.line is not None
        return wire.read_call(self.line.recv_bytes())

    def hang_up(self) -> None:
        if self.line is not None:
            self.line.close()

    def close(self) -> None:
        self.hang_up()
        self._listener.close()


@pytest.fixture
def fake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeEngine]:
    engine = FakeEngine(str(tmp_path_factory.mktemp("s") / "s"))
    yield engine
    engine.close()


@pytest.fixture
def client(fake: FakeEngine) -> Iterator[EngineClient]:
    with closing(fake.meet()) as opened:
        yield opened


def test_a_call_carries_verb_arguments_switch_and_namespace(client: EngineClient, fake: FakeEngine):
    mine = Namespace(user_id="u")
    number = client.start("query", question="why?", top_k=3, offline=True, namespace=mine)
    assert fake.hear() == wire.Call(
        id=number, verb="query", args={"question": "why?", "top_k": 3}, offline=True, namespace=mine
    )
    assert client.start("ping") == number + 1


def test_notices_and_the_replies_of_others_are_passed_over_and_progress_is_told(client: EngineClient, fake: FakeEngine):
    fake.say(0, "notice", Notice(topic="sources"))
    fake.say(99, "result", "somebody else's")
    fake.say(1, "progress", Progress(run_id="r", stage="words", done=1))
    fake.say(1, "result", Backlog(vectors=3))
    told: list[Progress] = []
    assert client.call("jobs.backlog", progress=told.append) == Backlog(vectors=3)
    assert [progress.done for progress in told] == [1]


def test_an_error_is_raised_in_its_own_class(client: EngineClient, fake: FakeEngine):
    fake.say(1, "error", Fault(code="source.empty", message="'a' is empty.", hint="Save it again."))
    with pytest.raises(SourceEmptyError, match="'a' is empty") as caught:
        client.call("ping")
    assert caught.value.hint == "Save it again."


def test_each_kind_of_reply_is_decoded_and_an_unknown_one_refused(client: EngineClient, fake: FakeEngine):
    notice = Notice(topic="threads")
    fake.say(0, "notice", notice)
    assert client.decode("ping", client.receive()) == notice
    fake.say(1, "song", None)
    with pytest.raises(ServiceError, match="song"):
        client.decode("ping", client.receive())


def test_an_unknown_verb_is_refused_before_it_is_sent(client: EngineClient):
    with pytest.raises(UnknownVerbError, match="fly"):
        client.start("fly")
    assert not client.readable()


def test_an_event_loop_can_watch_the_line(client: EngineClient, fake: FakeEngine):
    assert not client.readable()
    fake.say(0, "notice", Notice(topic="sources"))
    assert select.select([client.fileno()], [], [], 20)[0] == [client.fileno()]
    assert client.readable()


def test_the_end_of_the_engine_is_heard_and_named(client: EngineClient, fake: FakeEngine):
    fake.hang_up()
    assert client.readable()
    with pytest.raises(ServiceGoneError, match="ended"):
        client.receive()

    def talk_on() -> None:
        for _ in range(10):  # the first words may still find room in the line
            client.start("ping")

    with pytest.raises(ServiceGoneError):
        talk_on()


def test_nobody_owns_a_vault_that_is_closed(tmp_path: Path):
    Vault.create(tmp_path / "v").close()
    assert attach(tmp_path / "v", 0) is None


def test_a_folder_that_is_not_there_has_no_owner(tmp_path: Path):
    with pytest.raises(VaultMissingError):
        attach(tmp_path / "v", 0)


def test_an_owner_that_does_not_answer_is_named_by_its_process(tmp_path: Path):
    opened = Vault.create(tmp_path / "v")
    opened.publish(Owner(4711, str(tmp_path / "no.sock"), "t"))
    with pytest.raises(VaultHeldError, match="4711"):
        attach(tmp_path / "v", 0)
    opened.close()
