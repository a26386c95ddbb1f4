"""Her keys in a real Secret Service: gnome-keyring on a session bus of its own. Nothing of this user's is touched.

The canary: a planted key is used, refused, echoed and in memory when the engine crashes, and is then found nowhere.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.engine.providers.counting_server import Server, serving

pytestmark = [pytest.mark.real, pytest.mark.timeout(120)]

ENGINE = Path(__file__).resolve().parents[2] / "engine"
KEY = "sk-canary-0123456789-real"
TOOLS = ("dbus-run-session", "gnome-keyring-daemon", "secret-tool")
STORE = """
import json, sys
import msgspec
from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.providers.keys import KeyStore

verb, *words = json.loads(sys.stdin.readline())
store = KeyStore(answer_s=15)
try:
    found = getattr(store, verb)(*words)
except TrisynapseError as error:
    found = {"code": error.code, "problem": error.problem, "hint": error.hint}
print(json.dumps(msgspec.to_builtins(found)))
"""


@dataclass
class Desk:
    """A login session with its own bus, home and keyring."""

    environment: dict[str, str]
    home: Path

    def ask(self, verb: str, *words: Any) -> Any:
        """Call one method of a key store in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-P", "-c", STORE],
            input=json.dumps([verb, *words]),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def run(self, *command: str, given: str = "") -> str:
        return subprocess.run(
            command, input=given, env=self.environment, capture_output=True, text=True, timeout=60, check=True
        ).stdout


@pytest.fixture
def desk_with(tmp_path: Path) -> Iterator[Callable[[str], Desk]]:
    """A session; the argument is the shell line that starts its keyring."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        # A run that is meant to prove something must not skip its proof.
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"needs {', '.join(missing)}")
    home, runtime = tmp_path / "home", tmp_path / "run"
    home.mkdir()
    runtime.mkdir(mode=0o700)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ENGINE),
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_RUNTIME_DIR": str(runtime),
        "LANG": "C.UTF-8",
    }
    sessions: list[subprocess.Popen[str]] = []

    def start(line: str) -> Desk:
        # `cat` holds the session open until its input is closed; then the bus goes, and the keyring with it.
        script = f"{line} >/dev/null 2>&1; echo $DBUS_SESSION_BUS_ADDRESS; cat"
        session = subprocess.Popen(
            ["dbus-run-session", "--", "sh", "-c", script],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        sessions.append(session)
        assert session.stdout is not None
        address = session.stdout.readline().strip()
        assert address, "the session did not start"
        return Desk(environment | {"DBUS_SESSION_BUS_ADDRESS": address}, home)

    yield start
    for session in sessions:
        session.communicate(timeout=30)


@pytest.fixture
def desk(desk_with: Callable[[str], Desk]) -> Desk:
    return desk_with("printf unlocked | gnome-keyring-daemon --unlock --components=secrets --daemonize")


def test_a_key_is_kept_found_by_another_process_and_removed(desk: Desk):
    state = desk.ask("state")
    assert (state["name"], state["is_usable"], state["problem"]) == ("Secret Service", True, "")
    assert desk.ask("find", "openai") is None
    assert desk.ask("set", "openai", f" {KEY}\n") == {"service": "openai", "place": "keyring"}
    assert desk.ask("find", "openai") == KEY
    assert [one["place"] for one in desk.ask("list", ["openai", "gemini"])] == ["keyring", ""]
    assert desk.ask("remove", "openai") == {"service": "openai", "place": ""}
    assert desk.ask("find", "openai") is None
    assert desk.ask("remove", "openai")["place"] == "", "removing what is not there is no error"


def test_the_keyring_itself_holds_it_under_our_name(desk: Desk):
    desk.ask("set", "openai", KEY)
    named = ("service", "Trisynapse Desktop", "username", "openai")
    assert desk.run("secret-tool", "lookup", *named) == KEY
    desk.run("secret-tool", "clear", *named)
    assert desk.ask("find", "openai") is None, "a key that she takes away in the keyring is gone"


def test_nothing_under_the_home_folder_holds_the_key(desk: Desk):
    desk.ask("set", "openai", KEY)
    files = [path for path in desk.home.rglob("*") if path.is_file()]
    assert files, "the keyring has written nothing, so nothing was looked at"
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_a_locked_keyring_says_so_and_a_session_key_still_works(desk: Desk):
    desk.ask("set", "openai", KEY)
    # Nobody can be asked for the password here: the daemon has no screen for its prompt.
    lock = "import secretstorage as s; s.get_default_collection(s.dbus_init()).lock()"
    desk.run(sys.executable, "-c", lock)
    for verb, *words in (("find", "openai"), ("set", "gemini", KEY), ("remove", "openai")):
        said = desk.ask(verb, *words)
        assert said["code"] == "keyring.error", (verb, said)
        assert "session" in said["hint"]
        assert KEY not in json.dumps(said)
    state = desk.ask("state")
    assert not state["is_usable"]
    assert state["problem"]
    assert desk.ask("set", "gemini", KEY, True) == {"service": "gemini", "place": "session"}


def test_a_keyring_that_was_never_unlocked_says_so(desk_with: Callable[[str], Desk]):
    desk = desk_with("gnome-keyring-daemon --start --components=secrets")
    state = desk.ask("state")
    assert not state["is_usable"]
    assert "session" in state["hint"]
    assert desk.ask("set", "openai", KEY)["code"] == "keyring.error"


def test_without_any_keyring_nothing_is_written_anywhere(desk_with: Callable[[str], Desk]):
    desk = desk_with("true")
    del desk.environment["DBUS_SESSION_BUS_ADDRESS"]
    state = desk.ask("state")
    assert not state["is_usable"]
    assert "no keyring" in state["problem"]
    assert desk.ask("set", "openai", KEY)["code"] == "keyring.error"
    assert [path for path in desk.home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []


# -- the canary

PAGE = "Foucault measured the speed of light with a rotating mirror in the year 1862."
QUESTION = "Who measured the speed of light with a rotating mirror?"
STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
SAID = 'data: {"choices": [{"delta": {"content": "Foucault."}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


def refusal(status: int, words: str) -> str:
    """An answer of a server that repeats the key, as some do."""
    body = json.dumps({"error": {"message": f"{words}: {KEY}", "code": "invalid_api_key", "type": KEY, "param": KEY}})
    return f"HTTP/1.1 {status} No\r\nX-Echo: {KEY}\r\nContent-Length: {len(body)}\r\n\r\n{body}"


ANSWERS = {
    "well": STREAM + SAID,
    "prose with the key": STREAM + SAID.replace("Foucault.", KEY),
    "wrong key": refusal(401, "Incorrect API key provided"),
    "not allowed": refusal(403, "This key may not"),
    "no such model": refusal(404, "No model for"),
    "bad request": refusal(400, "Unsupported header"),
    "broken": refusal(500, "Traceback with"),
    "cut": STREAM + 'data: {"choices": [{"delta": {"content": "Fou',
    "no JSON": STREAM + f"data: {KEY}\n\n",
}


@dataclass
class Echo:
    """A model server that answers as it is told, or not at all."""

    server: Server
    answer: str | None = None
    asked: threading.Event = field(default_factory=threading.Event)

    @property
    def key_count(self) -> int:
        """How many requests carried the key."""
        return self.server.received.count(KEY.encode())

    def say(self, server: Server, line: socket.socket) -> None:
        self.asked.set()
        if self.answer is None:
            server.released.wait()
        else:
            server.send(line, self.answer.encode())


@pytest.fixture
def echo() -> Iterator[Echo]:
    with serving(lambda server, line: made.say(server, line)) as running:
        made = Echo(running)
        yield made


@dataclass
class Canary:
    """Everything of the product that can be read afterwards: what it said, and every file below one folder."""

    desk: Desk
    folder: Path
    said: list[tuple[str, str]]

    def cli(self, *words: str, given: str = "") -> Any:
        """Run a command, keep all that it said, and return its JSON."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "trisynapse_memory.surfaces.cli", "--json", "--yes", *words],
            input=given,
            env=self.desk.environment,
            cwd=self.folder / "cwd",
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        self.said.append((" ".join(words), done.stdout + done.stderr))
        return json.loads(done.stdout)

    def processes(self) -> str:
        """The command lines and environments of all processes of this machine that can be read."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            if int(place.name) == os.getpid():
                continue
            for name in ("cmdline", "environ"):
                with suppress(OSError):
                    found.append((place / name).read_bytes().decode(errors="replace"))
        return "\n".join(found)

    def find(self) -> list[str]:
        """Return every place where the key is, as it is or in Base64."""
        forms = (KEY.encode(), base64.b64encode(KEY.encode()).rstrip(b"="))
        places = [what for what, said in self.said if any(form in said.encode() for form in forms)]
        for path in self.folder.rglob("*"):
            if path.is_file() and any(form in path.read_bytes() for form in forms):
                places.append(str(path.relative_to(self.folder)))
        return places


@pytest.fixture
def canary(desk: Desk, tmp_path: Path, write_pdf: Callable[..., Path], echo: Echo) -> Canary:
    """A vault with one paper, and a model of hers that wants the planted key, which lies in the keyring."""
    for name in ("cwd", "temporary"):
        (tmp_path / name).mkdir()
    desk.environment |= {"TMPDIR": str(tmp_path / "temporary"), "TRISYNAPSE_VAULT": str(tmp_path / "v")}
    made = Canary(desk, tmp_path, [])
    made.cli("init")
    made.cli("ingest", str(write_pdf(tmp_path / "a.pdf", PAGE)))
    service = made.cli("models", "add-service", "Mine", f"http://127.0.0.1:{echo.server.port}/v1")["service"][
        "service"
    ]["name"]
    assert made.cli("keys", "set", service, given=f"{KEY}\n")["key"]["place"] == "keyring"
    made.cli("models", "set", "answer", service, "a-model")
    return made


@pytest.fixture
def engine(canary: Canary) -> Iterator[subprocess.Popen[bytes]]:
    """The engine process of the vault, started by somebody who lets crashes leave their memory on disk."""

    def allow_dumps() -> None:
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))

    with (canary.folder / "engine.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-X", "faulthandler", "-m", "trisynapse_memory.service", str(canary.folder / "v")],
            env=canary.desk.environment,
            cwd=canary.folder / "cwd",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            preexec_fn=allow_dumps,
        )
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"READY")
    yield process
    process.kill()
    process.communicate()


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_key_that_was_used_and_in_memory_at_a_crash_is_found_nowhere(
    canary: Canary, engine: subprocess.Popen[bytes], echo: Echo
):
    for kind, echo.answer in ANSWERS.items():
        before = echo.key_count
        answer = canary.cli("query", QUESTION)
        canary.cli("runs", "show", answer["query_id"])
        assert echo.key_count > before, f"{kind}: the key was not used, so nothing was tried"
    for words in (("models", "list"), ("keys", "list"), ("egress",), ("list",), ("runs", "list")):
        canary.cli(*words)
    canary.cli("wiki", "export", str(canary.folder / "exported"))

    echo.answer = None  # the engine now waits for an answer, with the key in its memory
    echo.asked.clear()
    asking = threading.Thread(target=lambda: canary.cli("query", QUESTION), daemon=True)
    asking.start()
    assert echo.asked.wait(60), "the model was not asked"
    assert KEY not in canary.processes()
    engine.send_signal(signal.SIGSEGV)
    engine.wait(60)
    asking.join(90)
    assert b"Segmentation fault" in (canary.folder / "engine.log").read_bytes(), "the crash itself must be reported"
    canary.cli("runs", "list")
    assert canary.find() == []


def test_the_canary_would_be_found(tmp_path: Path):
    (tmp_path / "planted").write_bytes(b"..." + base64.b64encode(KEY.encode()))
    made = Canary(Desk({}, tmp_path), tmp_path, [("said", f"x{KEY}x"), ("other", "x")])
    assert made.find() == ["said", "planted"]
