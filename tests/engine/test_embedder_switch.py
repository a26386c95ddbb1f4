"""Choosing another embedder through the front door, with a model server on loopback (case R35)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.model_servers import EMBEDDER, ModelServer, Trouble
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import jobs
from trisynapse_memory.providers import services
from trisynapse_memory.types import Coverage, SourceInput

WAIT_S = 20.0
LIGHT = "Foucault measured the speed of light with a rotating mirror."
DEVICE = "The calibration code of the device is 4711."
DIARY = "The kestrel nested in the hollow oak."


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        yield made


@pytest.fixture
def far(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """A remote service of the table, which in truth lives on loopback."""
    table = tuple(
        structs.replace(one, base_url=f"{server.url}/v1") if one.name == "mistral" else one for one in services.SERVICES
    )
    for name, module in list(sys.modules.items()):
        if name.startswith("trisynapse_memory.") and hasattr(module, "SERVICES"):
            monkeypatch.setattr(module, "SERVICES", table)
    return "mistral"


@pytest.fixture
def reopen(tmp_path: Path, in_process: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., MemoryEngine]]:
    monkeypatch.setattr(jobs, "BACKOFF_S", 0.02)
    monkeypatch.setenv("TRISYNAPSE_MODELS", str(tmp_path / "models"))
    opened: list[MemoryEngine] = []

    def make(**settings: Any) -> MemoryEngine:
        for one in opened:
            one.close()
        opened.append(MemoryEngine.open(tmp_path / "one.vault", **settings))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def take(engine: MemoryEngine, *texts: str) -> None:
    engine.ingest(*(SourceInput(text=text, title=f"Note {text[:12]}") for text in texts))
    engine.jobs.wait(WAIT_S)


def coverage(engine: MemoryEngine, question: str = "speed of light") -> Coverage:
    return engine.search(question).coverage


def embedded_texts(server: ModelServer) -> list[str]:
    return [text for seen in server.requests if seen.path.endswith("/embeddings") for text in seen.body["input"]]


def allow(engine: MemoryEngine, name: str) -> None:
    engine.keys.set(name, "sk-session-only", session_only=True)
    engine.privacy.allow(name)


def test_a_server_of_hers_takes_over_when_its_set_is_whole_and_the_old_one_comes_back_at_once(
    reopen: Callable[..., MemoryEngine], server: ModelServer
):
    engine = reopen()
    take(engine, LIGHT, DEVICE)
    engine.models.add_service("Box", server.url)
    assert engine.models.choose("embedding", "box", EMBEDDER).state == "ready"
    engine.jobs.wait(WAIT_S)
    assert len([text for text in embedded_texts(server) if LIGHT in text]) == 1
    assert coverage(engine).not_embedded == 0
    server.requests.clear()
    assert coverage(engine, "a rotating mirror").parts_off == ()
    assert embedded_texts(server) == ["a rotating mirror"]
    engine.models.clear("embedding")
    engine.jobs.wait(WAIT_S)
    server.requests.clear()
    assert coverage(engine).parts_off == ()
    assert embedded_texts(server) == []


def test_a_remote_embedder_is_never_sent_what_is_sensitive(
    reopen: Callable[..., MemoryEngine], server: ModelServer, far: str
):
    engine = reopen()
    take(engine, LIGHT, DEVICE, DIARY)
    diary = next(one for one in engine.sources.list() if "kestrel" in one.title)
    engine.sources.mark_sensitive(str(diary.source_id))
    allow(engine, far)
    engine.models.choose("embedding", far, EMBEDDER)
    engine.jobs.wait(WAIT_S)
    assert any(LIGHT in text for text in embedded_texts(server))
    assert not any("kestrel" in text for text in embedded_texts(server))
    assert coverage(engine).not_embedded == 1
    assert any(DIARY in hit.record.text for hit in engine.search("kestrel").hits)
    carried = {source for row in engine.privacy.requests() for source in row.source_ids}
    assert carried
    assert diary.source_id not in carried


def test_one_that_is_not_allowed_yet_leaves_everything_as_it_is(
    reopen: Callable[..., MemoryEngine], server: ModelServer, far: str
):
    engine = reopen()
    take(engine, LIGHT)
    assert engine.models.choose("embedding", far, EMBEDDER).state == "not-allowed"
    take(engine, DEVICE)
    assert server.requests == []
    assert coverage(engine).parts_off == ()
    assert coverage(engine).not_embedded == 0
    allow(engine, far)
    engine.jobs.wait(WAIT_S)
    assert any(DEVICE in text for text in embedded_texts(server))


def test_one_that_refuses_says_so_in_its_task_and_the_old_one_embeds_what_is_new(
    reopen: Callable[..., MemoryEngine], server: ModelServer
):
    engine = reopen()
    take(engine, LIGHT)
    engine.models.add_service("Box", server.url)
    server.troubles.extend(Trouble("status", status=401) for _ in range(200))
    engine.models.choose("embedding", "box", EMBEDDER)
    engine.jobs.wait(WAIT_S)
    task = next(one for one in engine.jobs.list() if one.name == "vectors")
    assert task.trouble
    take(engine, DEVICE)
    assert coverage(engine).parts_off == ()
    server.troubles.clear()
    engine.jobs.resume("vectors")
    engine.jobs.wait(WAIT_S)
    assert coverage(engine).not_embedded == 0
    assert any(DEVICE in text for text in embedded_texts(server))


def test_offline_after_a_switch_leaves_the_words_and_lifting_it_the_meaning(
    reopen: Callable[..., MemoryEngine], server: ModelServer
):
    engine = reopen()
    take(engine, LIGHT)
    engine.models.add_service("Box", server.url)
    engine.models.choose("embedding", "box", EMBEDDER)
    engine.jobs.wait(WAIT_S)
    engine.privacy.set_offline(True)
    result = engine.search("how fast does light travel")
    assert result.coverage.parts_off == ("semantic",)
    assert result.hits
    engine.privacy.set_offline(False)
    assert coverage(engine, "how fast is light").parts_off == ()


def test_an_embedder_of_the_caller_is_used_and_missed_without_a_fault(reopen: Callable[..., MemoryEngine]):
    from tests.engine.pipelines.embedder_cases import Stub

    own = Stub("mine/1", 4, 4)
    engine = reopen(embedder=own)
    take(engine, LIGHT)
    assert any(LIGHT in text for text in own.asked)
    assert coverage(engine).parts_off == ()
    engine = reopen()
    engine.jobs.wait(WAIT_S)
    assert coverage(engine).parts_off == ()
    assert coverage(engine).not_embedded == 0


def test_closing_does_not_wait_for_a_server_that_says_nothing(reopen: Callable[..., MemoryEngine], server: ModelServer):
    engine = reopen()
    take(engine, LIGHT)
    engine.models.add_service("Box", server.url)
    server.troubles.extend(Trouble("silent", after=-1) for _ in range(9))
    engine.models.choose("embedding", "box", EMBEDDER)
    while not server.requests:
        time.sleep(0.01)
    engine.close()
    assert server.left.wait(WAIT_S)
