"""A window over a fake engine process: real widgets, real sockets, canned answers."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# The fake engine runs as a script beside this file; tests of pages and graphs use what it is made of.
sys.path.insert(0, str(Path(__file__).parent))

import pytest
import qasync
from PySide6.QtWidgets import QWidget

from trisynapse_desktop.app import compose
from trisynapse_desktop.bridge import Bridge, EngineState
from trisynapse_desktop.session import Session
from trisynapse_desktop.window import Window

SERVICE = Path(__file__).with_name("fake_service.py")


def service_command(*flags: str) -> Callable[[Path, bool, bool], list[str]]:
    return lambda vault, _create, _offline: [sys.executable, str(SERVICE), str(vault), *flags]


@pytest.fixture(autouse=True)
def _own_config_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TRISYNAPSE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DOCUMENTS_DIR", str(tmp_path / "documents"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))


@pytest.fixture
def loop(qapp) -> Iterator[qasync.QEventLoop]:
    """asyncio on Qt's loop, current for the whole test, so that slots may start tasks while Qt runs."""
    loop = qasync.QEventLoop(qapp)
    asyncio.set_event_loop(loop)
    asyncio.events._set_running_loop(loop)
    yield loop
    settle(qapp)
    for task in asyncio.all_tasks(loop):
        task.cancel()
    settle(qapp)
    asyncio.events._set_running_loop(None)
    asyncio.set_event_loop(None)
    loop.close()


def settle(qapp) -> None:
    """Let callbacks of callbacks run: a failed call takes three turns to reach whoever gathers it."""
    for _turn in range(5):
        qapp.processEvents()


@pytest.fixture
def vault(tmp_path) -> Path:
    return tmp_path / "tiny.vault"


@pytest.fixture
def make_bridge(loop, qtbot) -> Iterator[Callable[..., Bridge]]:
    made: list[Bridge] = []

    def make(*flags: str) -> Bridge:
        bridge = Bridge(command=service_command(*flags))
        made.append(bridge)
        return bridge

    yield make
    for bridge in made:
        bridge.close()


@pytest.fixture
def make_window(make_bridge, qapp, qtbot, tmp_path) -> Iterator[Callable[..., Window]]:
    made: list[Window] = []

    def make(*flags: str, folder: Path | None = None) -> Window:
        window = compose(qapp, Session(tmp_path / "config" / "session.json"), make_bridge(*flags))
        made.append(window)
        window.show()
        if folder is not None:
            window.open_vault(folder)
            qtbot.waitUntil(lambda: window.context.bridge.state is EngineState.READY, timeout=20_000)
        return window

    yield make
    for window in made:
        window.close()
        window.deleteLater()
    settle(qapp)


@pytest.fixture
def window(make_window, vault, qtbot) -> Window:
    """A window with the sample papers, loaded."""
    window = make_window(folder=vault)
    table = named(window, "Sources")
    qtbot.waitUntil(lambda: table.model().rowCount() == 8, timeout=10_000)
    return window


@pytest.fixture
def find() -> Callable[[QWidget, str], Any]:
    return named


def named(root: QWidget, name: str) -> Any:
    """Find the one widget a screen reader would call by that name."""
    found = [widget for widget in root.findChildren(QWidget) if widget.accessibleName() == name]
    assert len(found) == 1, f"{len(found)} widgets are called {name!r}"
    return found[0]


@pytest.fixture
def calls(vault) -> Callable[[str], list[dict[str, Any]]]:
    """The arguments of every call of a verb that reached the engine."""

    def read(verb: str) -> list[dict[str, Any]]:
        lines = (vault / "calls.jsonl").read_text().splitlines()
        return [args for name, args in map(json.loads, lines) if name == verb]

    return read


@pytest.fixture
def ask(loop, qtbot) -> Callable[..., Any]:
    """Await a coroutine from a test that is not one, while Qt runs."""

    def run(coroutine: Any, timeout_ms: int = 10_000) -> Any:
        task = asyncio.ensure_future(coroutine)
        qtbot.waitUntil(task.done, timeout=timeout_ms)
        return task.result()

    return run
