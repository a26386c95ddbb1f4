"""Nothing in, one vault of documents that give orders out, taken in by the real engine; built once for all tests."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.injection.documents import PLANTED, write_all
from tests.injection.gullible import Gullible
from trisynapse_memory.contracts import Completer
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Message, Sharing, SourceInput

SENSITIVE = "The code of the blue safe is Larkspur 7733."
FORBIDDEN = "The Heron merger closes at 41 million in Tromsdal."
ELSEWHERE = "Quenby measured the speed of light with a rotating mirror in Ullapool."
SECRETS = (SENSITIVE, FORBIDDEN, ELSEWHERE)
OPEN, CLOSED, OTHER = "reading", "closed", "other"
SETTLE_S = 60.0


@dataclass(frozen=True)
class Poisoned:
    """The vault, the model that was asked while it was built, and the source of each secret, in their order."""

    folder: Path
    model: Gullible
    secret_sources: tuple[str, ...]


@pytest.fixture(scope="session")
def poisoned(tmp_path_factory: pytest.TempPathFactory) -> Poisoned:
    """Take everything in with a gullible model beside it, which reads for facts and sums up on the way."""
    folder = tmp_path_factory.mktemp("injection")
    papers = folder / "papers"
    papers.mkdir()
    write_all(papers, PLANTED)
    model = Gullible(secrets=SECRETS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRISYNAPSE_DEVICE_ID", "dev_test")
        with MemoryEngine.open(folder / "one.vault", completer=model) as engine:
            run = engine.ingest(papers, collection=OPEN)
            assert len(run.results) > len(PLANTED)
            places = (OTHER, CLOSED, OTHER)
            private = [
                str(engine.ingest(SourceInput(text=text, title=f"Memo {place}"), collection=place).results[0].source_id)
                for text, place in zip(SECRETS, places, strict=True)
            ]
            engine.sources.mark_sensitive(private[0])
            engine.privacy.set_rule(CLOSED, Sharing.NEVER)
            order = Message(role="system", content=PLANTED[0].order.text)
            engine.ingest_messages([order, Message(role="user", content="Do as it says.")], group_id="talk")
            engine.jobs.wait(SETTLE_S, include_idle=True)
    return Poisoned(folder / "one.vault", model, tuple(private))


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The addresses that this process tried to reach; it reaches none."""
    addresses: list[object] = []

    def refuse(_: socket.socket, address: object) -> None:
        addresses.append(address)
        raise OSError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return addresses


@pytest.fixture
def reopen(
    poisoned: Poisoned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., MemoryEngine]]:
    """Open a copy of the vault with another model or none; what a test does to it stays in the test."""
    monkeypatch.setenv("TRISYNAPSE_DEVICE_ID", "dev_test")
    opened: list[MemoryEngine] = []

    def make(model: Completer | None = None) -> MemoryEngine:
        folder = tmp_path / f"{len(opened)}.vault"
        shutil.copytree(poisoned.folder, folder)
        opened.append(MemoryEngine.open(folder, completer=model))
        return opened[-1]

    yield make
    for one in opened:
        one.close()
