"""A window over the real engine and the sample papers: what a reader marks must be what the engine measured."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from trisynapse_desktop.app import compose
from trisynapse_desktop.bridge import Bridge, EngineState
from trisynapse_desktop.session import Session
from trisynapse_desktop.theme import resources_folder
from trisynapse_memory.memory_engine import MemoryEngine

PAPERS = (
    "01-the-turning-mirror.pdf",
    "03-michelson-and-newcomb.pdf",
    "04-the-mountain-and-the-tube.pdf",
    "05-from-the-cavity-to-the-laser.pdf",
    "start-here.md",
    "history-of-the-metre.html",
)


@pytest.fixture(scope="session")
def sample_vault(tmp_path_factory) -> Path:
    """A vault with the sample, built once; tests get a copy."""
    folder = tmp_path_factory.mktemp("sample") / "sample.vault"
    with MemoryEngine.open(folder, create=True, offline=True) as engine:
        engine.ingest(*(resources_folder() / "sample" / name for name in PAPERS))
    return folder


@pytest.fixture
def real_window(sample_vault, qapp, qtbot, loop, tmp_path):
    """A window over a copy of the sample vault, served by the real engine process."""
    vault = tmp_path / "sample.vault"
    shutil.copytree(sample_vault, vault, ignore=shutil.ignore_patterns(".lock"))
    bridge = Bridge()
    window = compose(qapp, Session(tmp_path / "config" / "session.json"), bridge)
    window.show()
    window.open_vault(vault, offline=True)
    qtbot.waitUntil(lambda: bridge.state is EngineState.READY, timeout=30_000)
    yield window
    window.close()
    window.deleteLater()
    qapp.processEvents()


@pytest.fixture
def sources(real_window, ask):
    """The sample sources by file name."""
    return {source.filename: source for source in ask(real_window.context.bridge.call("sources.list"))}
