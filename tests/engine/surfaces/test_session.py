"""A command finds its vault's owner or becomes it; two that come together both get through."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

import pytest

from trisynapse_memory.errors import VaultHeldError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.service import Service
from trisynapse_memory.surfaces import session as session_module
from trisynapse_memory.surfaces.session import Session, vault_path
from trisynapse_memory.types import Namespace, SourceInput
from trisynapse_memory.vault import Vault, owner_of


@pytest.fixture(autouse=True)
def _runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, in_process: None) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))


@pytest.fixture
def options(tmp_path: Path) -> argparse.Namespace:
    Vault.create(tmp_path / "one.vault").close()
    return argparse.Namespace(
        path=str(tmp_path / "one.vault"), offline=True, user_id=None, agent_id=None, project_id=None, session_id=None
    )


def test_without_an_owner_the_command_opens_the_vault_and_can_be_attached_to(options: argparse.Namespace):
    with Session(options) as first:
        owner = owner_of(options.path)
        assert owner is not None
        with Session(options) as second:
            run = second.call("ingest", SourceInput(text="A mirror.", source_key="k"), wait=False)
            assert run.counts["success"] == 1
            assert second.vault_id == first.vault_id
        assert len(first.call("sources.list")) == 1
    assert owner_of(options.path) is None


def test_an_attached_command_keeps_its_namespace(options: argparse.Namespace, tmp_path: Path):
    with MemoryEngine.open(options.path, offline=True) as engine:
        service = Service(engine)
        options.user_id = "me"
        with Session(options) as session:
            session.call("ingest", SourceInput(text="A mirror.", source_key="k"), wait=False)
        assert engine.sources.list()[0].namespace == Namespace(user_id="me", project_id="default")
        service.close()


def test_commands_that_come_together_all_get_through(options: argparse.Namespace):
    errors: list[BaseException] = []
    gate = threading.Barrier(3)

    def command(number: int) -> None:
        try:
            gate.wait(20)
            with Session(options) as session:
                session.call("ingest", SourceInput(text=f"Mirror {number}.", source_key=str(number)), wait=False)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=command, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with Session(options) as session:
        assert len(session.call("sources.list")) == 3


def test_an_owner_that_never_speaks_is_given_up(options: argparse.Namespace, monkeypatch: pytest.MonkeyPatch):
    config = session_module.Config
    monkeypatch.setattr(session_module, "Config", lambda: config(attach_timeout_s=0.1))
    silent = Vault.open(options.path)
    with pytest.raises(VaultHeldError):
        Session(options)
    silent.close()


def test_the_path_is_the_one_given_or_the_default(options: argparse.Namespace, monkeypatch: pytest.MonkeyPatch):
    assert vault_path(options) == Path(options.path)
    monkeypatch.setenv("TRISYNAPSE_VAULT", "/elsewhere")
    options.path = None
    assert vault_path(options) == Path("/elsewhere")
