"""Arguments or X events in, what the real command line or the real window does out: no stand-ins anywhere."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest

CLI = (sys.executable, "-P", "-m", "trisynapse_memory.surfaces.cli")
ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "engine"
INSTALLED = Path(sys.executable).with_name("trisynapse")
DRAG_SOURCE = Path(__file__).with_name("xdnd_source.py")
TOOLS = ("Xvfb", "openbox", "xdotool", "xprop", "import", str(INSTALLED))
SCREEN_SIZE = (1280, 800)  # px; the window's first size, so that it fills the screen
POLL_S = 0.05
# The window fills the screen without a frame: a place in it is the same place on the screen.
WINDOW_MANAGER = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew></focus>
  <keyboard><keybind key="A-F4"><action name="Close"/></keybind></keyboard>
  <applications>
    <application class="trisynapse"><decor>no</decor><maximized>yes</maximized><focus>yes</focus></application>
  </applications>
</openbox_config>
"""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def body(self) -> Any:
        """The one JSON document on standard output."""
        assert "internal error" not in self.err, self.err
        return json.loads(self.out)


class Program:
    """The command line on one vault."""

    def __init__(self, vault: Path, environment: dict[str, str]) -> None:
        self.vault = vault
        self.environment = environment

    def command(self, *arguments: str | Path) -> list[str]:
        return [*CLI, "--path", str(self.vault), "--json", *map(str, arguments)]

    def run(self, *arguments: str | Path, prefix: Sequence[str] = (), given: str | None = None) -> Done:
        done = subprocess.run(
            [*prefix, *self.command(*arguments)],
            env=self.environment,
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str | Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command(*arguments), env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def ask(self, *arguments: str | Path) -> Any:
        """Run a command that must succeed, and return its JSON."""
        done = self.run(*arguments)
        assert done.code == 0, (done.code, done.out, done.err)
        return done.body

    def prove(self) -> Any:
        """Prove the vault, and return what was looked at."""
        body = self.ask("validate")
        assert body["findings"] == []
        return body["checked"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """What a command may know of the machine: nothing of whoever runs the tests."""
    home, runtime = tmp_path / "home", tmp_path / "run"
    home.mkdir()
    runtime.mkdir(mode=0o700)
    chosen = {
        "PYTHONPATH": str(ENGINE),
        "HOME": str(home),
        "XDG_DATA_HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "TRISYNAPSE_DEVICE_ID": "dev_journey",
        "OMP_NUM_THREADS": "1",
        "LANG": "C.UTF-8",
    }
    return {**{name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}, **chosen}


@pytest.fixture
def program_at(environment: dict[str, str]) -> Callable[[Path], Program]:
    """The command line on a vault that lies where the test wants it."""
    return lambda path: Program(path, environment)


@pytest.fixture
def program(tmp_path: Path, program_at: Callable[[Path], Program]) -> Program:
    """The command line on a fresh vault."""
    made = program_at(tmp_path / "v")
    made.ask("init")
    return made


@pytest.fixture
def write_pdf() -> Callable[..., Path]:
    """Write a PDF with one paragraph a page."""

    def write(path: Path, *pages: str, **options: Any) -> Path:
        document = pymupdf.open()
        for text in pages:
            page = document.new_page()
            if text:
                page.insert_textbox(pymupdf.Rect(60, 60, 540, 780), text, fontsize=11)
        document.save(path, **options)
        document.close()
        return path

    return write


# -- a real screen


def until(holds: Callable[[], Any], what: str, timeout_s: float = 30.0) -> Any:
    """Wait for something that is neither empty nor false, and return it."""
    deadline = time.monotonic() + timeout_s
    while not (found := holds()):
        assert time.monotonic() < deadline, f"{what}: not within {timeout_s:.0f} s"
        time.sleep(POLL_S)
    return found


class Screen:
    """An X server of its own with a window manager; touched and looked at from outside only."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        reading, writing = os.pipe()
        size = f"{SCREEN_SIZE[0]}x{SCREEN_SIZE[1]}x24"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        # Over TCP nobody may come: the test without a network reaches the server through its socket file.
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", size, "-nolisten", "tcp", "-noreset"]
        self._server = subprocess.Popen(command, pass_fds=[writing], **quiet)
        os.close(writing)
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        assert number, "Xvfb did not start"
        # Where there is no message bus, Qt has dbus-launch start one on this screen, and that outlives the program.
        no_bus = {"DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        self.environment = {**environment, **no_bus, "DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
        rules = folder / "openbox.xml"
        rules.write_text(WINDOW_MANAGER)
        self._manager = subprocess.Popen(["openbox", "--config-file", str(rules)], env=self.environment, **quiet)
        until(lambda: "window id" in self._ask("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"), "the window manager")

    def close(self) -> None:
        for process in (self._manager, self._server):
            process.terminate()
            process.wait(20)

    def keys(self, *names: str) -> None:
        """Press keys or chords, e.g. ``ctrl+l``."""
        self.do("key", "--delay", "20", *names)

    def write(self, text: str) -> None:
        self.do("type", "--delay", "8", text)

    def click(self, place: tuple[int, int]) -> None:
        self.do("mousemove", str(place[0]), str(place[1]))
        self.do("click", "1")

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Take hold, move in small steps as a hand does, let go."""
        self.do("mousemove", *map(str, start))
        self.do("mousedown", "1")
        for step in range(1, 13):
            here = (round(a + (b - a) * step / 12) for a, b in zip(start, end, strict=True))
            self.do("mousemove", *map(str, here))
            time.sleep(0.03)  # a hand is not faster, and XDND answers each move
        self.do("mouseup", "1")

    def do(self, *words: str) -> str:
        return self._ask("xdotool", *words)

    def picture(self) -> np.ndarray:
        """What is on the screen, (800, 1280, 3) uint8."""
        command = ["import", "-silent", "-window", "root", "-depth", "8", "rgb:-"]
        raw = subprocess.run(command, env=self.environment, capture_output=True, check=True, timeout=30).stdout
        return np.frombuffer(raw, np.uint8).reshape(SCREEN_SIZE[1], SCREEN_SIZE[0], 3)

    def keep(self, path: Path) -> None:
        """Save what is on the screen, for whoever reads a failure."""
        subprocess.run(
            ["import", "-silent", "-window", "root", str(path)], env=self.environment, check=False, timeout=30
        )

    def _ask(self, *command: str) -> str:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=30, check=False)
        return done.stdout


class Desktop:
    """The installed program on a screen, with one vault."""

    def __init__(self, screen: Screen, vault: Path) -> None:
        self.screen, self.vault = screen, vault
        self.program = Program(vault, screen.environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._drag: subprocess.Popen[str] | None = None

    def start(self, *words: str, prefix: Sequence[str] = (), **variables: str) -> None:
        """Start the program as a launcher does, and wait for its window."""
        # The window must find its engine by what is installed, not by a path that a test put there.
        environment = {k: v for k, v in self.screen.environment.items() if k != "PYTHONPATH"} | variables
        command = [*prefix, str(INSTALLED), str(self.vault), *words]
        self._process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: self.screen.do("search", "--onlyvisible", "--class", "trisynapse"), "the window", 40)
        until(lambda: (self.vault / ".lock").exists(), "the engine", 40)

    def drop(self, *paths: Path) -> None:
        """Drag files from another program onto the middle of the window."""
        command = [sys.executable, str(DRAG_SOURCE), "60", "640", *map(str, paths)]
        environment = {name: value for name, value in self.screen.environment.items() if name != "TMPDIR"}
        self._drag = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._drag.stdout is not None
        assert self._drag.stdout.readline() == "ready\n"
        self.screen.drag((80, 660), (600, 400))
        assert self._drag.stdout.readline() == "dropped\n"

    def sources(self) -> list[dict[str, Any]]:
        return self.program.ask("sources", "list")["sources"]

    def answers(self) -> list[dict[str, Any]]:
        """The answers kept in the threads, oldest first."""
        records = self.program.ask("list", "--kind", "turn")["records"]
        texts = [record["payload"].get("answer") for record in records]
        return [json.loads(text) for text in texts if text]

    def close(self) -> int:
        """Close the window as the window manager does, and return how the program ended."""
        assert self._process is not None
        self.screen.keys("alt+F4")
        return self._process.wait(30)

    def processes(self) -> dict[int, str]:
        """What still runs of it: every process that was started with its folder for temporary files."""
        mark = f"TMPDIR={self.screen.environment['TMPDIR']}\0".encode()
        found: dict[int, str] = {}
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (place / "environ").read_bytes() + b"\0":
                    command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found[int(place.name)] = command
            except OSError:
                continue
        return {pid: line for pid, line in found.items() if not line.startswith(("Xvfb", "openbox"))}

    def end(self) -> None:
        """Leave nothing behind, however the test ended."""
        if self._drag is not None:
            self._drag.communicate(timeout=20)
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        if self._process is not None:
            self._process.wait(30)


@pytest.fixture
def wait() -> Callable[..., Any]:
    """``until``, for the tests."""
    return until


@pytest.fixture
def screen(tmp_path: Path, environment: dict[str, str]) -> Iterator[Screen]:
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    private = tmp_path / "tmp"
    private.mkdir()
    made = Screen(tmp_path, environment | {"TMPDIR": str(private)})
    yield made
    made.close()


@pytest.fixture
def desktop(screen: Screen, tmp_path: Path) -> Iterator[Desktop]:
    """The program, not started yet. What the screen showed last is kept as ``screen.png``."""
    made = Desktop(screen, tmp_path / "Reading.vault")
    yield made
    screen.keep(tmp_path / "screen.png")
    made.end()
