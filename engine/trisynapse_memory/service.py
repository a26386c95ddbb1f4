"""An open engine in, its verbs on a private socket out. The socket lies in a 0700 folder and wants the vault's token.

``python -m trisynapse_memory.service VAULT`` is the engine process of the window: it prints ``READY <pid>`` when the
socket answers, or ``ATTACH <pid>`` when another process owns the vault, and ends when its standard input closes and the
last client has gone.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import secrets
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import signature
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, get_type_hints

import msgspec

from trisynapse_memory import wire
from trisynapse_memory.errors import InvalidInputError, TrisynapseError, UnknownVerbError, VaultError, VaultHeldError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.providers.keys import keep_memory_out_of_dumps
from trisynapse_memory.providers.offline import NetworkGuard, offline_request
from trisynapse_memory.types import AnswerStep, EgressRow, Fault, Feed, Notice, Progress, Task
from trisynapse_memory.vault import Owner, wait_for_owner

LOGGER = logging.getLogger(__name__)
_RUNS = frozenset({"ingest", "runs.retry", "runs.resume"})
SWITCH_S = 0.0005  # stack.md, desktop side 4: worst gap 22 ms instead of 160 to 430 with mixed threads
WORKERS_PER_CLIENT = 4  # a question is answered while the same client's import runs


class Service:
    """Serves one engine to any number of clients until it is closed."""

    def __init__(self, engine: MemoryEngine) -> None:
        self._engine = engine
        self._folder = socket_folder()
        token = secrets.token_hex(24)
        address = str(self._folder / f"{secrets.token_hex(6)}.sock") if os.name != "nt" else None
        self._listener = Listener(address, authkey=token.encode())
        self._clients: set[_Client] = set()
        self._changed = threading.Condition()
        self._leaving = False
        self._closed = False
        engine.jobs.listen(self._tell_work)
        engine.privacy.follow_requests(self._tell_request)
        engine.feeds.listen(self._tell_feed)
        engine.publish(Owner(os.getpid(), str(self._listener.address), token))
        threading.Thread(target=self._accept, name="service", daemon=True).start()

    def close_when_alone(self) -> None:
        """Wait until no client is connected, and let in nobody from that moment on: who comes now looks anew."""
        with self._changed:
            self._changed.wait_for(lambda: not self._clients)
            self._leaving = True
        self.close()

    def close(self) -> None:
        """Hang up on every client and stop listening; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self._listener.close()
        for client in tuple(self._clients):
            client.hang_up()

    def broadcast(self, notice: Notice) -> None:
        """Tell every client that something changed."""
        frame = wire.reply(0, "notice", notice)
        for client in tuple(self._clients):
            client.send(frame)

    def _tell_work(self, task: Task) -> None:
        """Let panes redraw what background work has just finished."""
        self.broadcast(Notice(topic=_TOPICS_OF_WORK.get(task.name, "jobs"), subject=task.name))

    def _tell_feed(self, feed: Feed) -> None:
        """Let panes show what a feed has brought, and how it stands."""
        self.broadcast(Notice(topic="sources", subject=feed.feed_id))

    def _tell_request(self, _: EgressRow) -> None:
        """Let every window count what has left this machine."""
        self.broadcast(Notice(topic="requests", seq=self._engine.request_count()))

    def _accept(self) -> None:
        while not self._closed:
            try:
                connection = self._listener.accept()
            except (AuthenticationError, EOFError):
                continue  # somebody without the token, or who hung up at once
            except OSError:
                if not self._closed:
                    time.sleep(0.05)  # somebody died while shaking hands; or all files are in use, which may pass
                continue
            client = _Client(connection, self._engine, self.broadcast, self._leave)
            with self._changed:
                if self._leaving:
                    connection.close()
                    continue
                self._clients.add(client)
            client.start()

    def _leave(self, client: _Client) -> None:
        with self._changed:
            self._clients.discard(client)
            self._changed.notify_all()


class _Client:
    """One connected client: a thread that reads its calls, and a few that work on them."""

    def __init__(
        self,
        connection: Connection[Any, Any],
        engine: MemoryEngine,
        broadcast: Callable[[Notice], None],
        leave: Callable[[_Client], None],
    ) -> None:
        self._connection = connection
        self._engine = engine
        self._broadcast = broadcast
        self._leave = leave
        self._sending = threading.Lock()
        self._workers = ThreadPoolExecutor(WORKERS_PER_CLIENT, thread_name_prefix="call")
        self._asks: set[str] = set()

    def start(self) -> None:
        threading.Thread(target=self._read, name="client", daemon=True).start()

    def hang_up(self) -> None:
        if os.name != "nt":
            # Closing alone neither wakes the thread that reads nor tells the other side.
            with contextlib.suppress(OSError), socket.socket(fileno=os.dup(self._connection.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def send(self, frame: bytes) -> None:
        with self._sending:
            try:
                self._connection.send_bytes(frame)
            except (OSError, ValueError):
                return  # it has gone; its reading thread notices

    def _read(self) -> None:
        try:
            while True:
                self._workers.submit(self._work, self._connection.recv_bytes())
        except (EOFError, OSError, TypeError):
            return
        finally:
            for ask_id in tuple(self._asks):
                self._engine.runs.cancel(ask_id)  # nobody is left to read what the model would write
            self._leave(self)
            self._workers.shutdown(wait=False)

    def _work(self, frame: bytes) -> None:
        try:
            call = wire.read_call(frame)
        except msgspec.DecodeError as error:
            fault = Fault(
                code=InvalidInputError.code, message=f"A frame is no call: {error}.", hint="Update both sides."
            )
            self.send(wire.reply(0, "error", fault))
            return
        try:
            with offline_request(call.offline), self._answering(call):
                body = perform(self._engine, call, partial(self._progress, call.id))
        except TrisynapseError as error:
            self.send(wire.reply(call.id, "error", Fault.of(error)))
        except Exception as error:  # a bug must reach the client as an error, not as silence
            LOGGER.exception("The verb '%s' failed.", call.verb)
            fault = Fault(
                code="bug", message=f"'{call.verb}' failed: {type(error).__name__}.", hint="See the log file."
            )
            self.send(wire.reply(call.id, "error", fault))
        else:
            self.send(wire.reply(call.id, "result", body))
            if call.verb in wire.CHANGING:
                self._announce(call.verb)

    @contextlib.contextmanager
    def _answering(self, call: wire.Call) -> Generator[None]:
        """Know which questions are being answered for this client."""
        ask_id = call.args.get("ask_id")
        if not isinstance(ask_id, str) or call.verb != "query":
            yield
            return
        self._asks.add(ask_id)
        try:
            yield
        finally:
            self._asks.discard(ask_id)

    def _announce(self, verb: str) -> None:
        """Tell every client what changed, and how many requests have left the machine so far."""
        self._broadcast(Notice(topic=_topic(verb), subject=verb))
        if verb in _RUNS:
            self._broadcast(Notice(topic="runs", subject=verb))
            self._broadcast(Notice(topic="requests", seq=self._engine.request_count()))

    def _progress(self, call_id: int, step: Progress | AnswerStep) -> None:
        self.send(wire.reply(call_id, "progress", step))
        if isinstance(step, Progress) and step.result is not None:
            self._broadcast(Notice(topic="sources", subject=step.source_id or ""))


def perform(engine: MemoryEngine, call: wire.Call, progress: Callable[[Any], None]) -> Any:
    """Run one verb with arguments as they came over the wire, checked against the façade's own signature.

    Raises:
        UnknownVerbError: no verb has that name.
        InvalidInputError: an argument is missing, unknown, or of the wrong type.
    """
    if call.verb == "ping":
        return engine.vault_id
    if call.verb not in wire.VERBS:
        raise UnknownVerbError(f"There is no verb '{call.verb}'.", hint=f"Known: {', '.join(sorted(wire.VERBS))}.")
    method = attrgetter(call.verb)(engine if call.namespace is None else engine.view(call.namespace))
    inputs, given = _arguments(method, call)
    if "progress" in signature(method).parameters:
        given["progress"] = progress
    return method(*inputs, **given)


def _arguments(method: Callable[..., Any], call: wire.Call) -> tuple[list[wire.Input], dict[str, Any]]:
    """Check the arguments of a call against the signature of what it calls."""
    hints = get_type_hints(method)
    try:
        inputs = msgspec.convert(call.args.get("inputs", []), list[wire.Input])
        types = {name: wire.NARROWED.get((call.verb, name), hint) for name, hint in hints.items()}
        given = {name: msgspec.convert(value, types[name]) for name, value in call.args.items() if name != "inputs"}
        signature(method).bind(*inputs, **given)
    except (KeyError, TypeError, msgspec.ValidationError) as error:
        raise InvalidInputError(f"'{call.verb}' was called wrongly: {error}.", hint="See docs/cli.md.") from error
    return inputs, given


def socket_folder() -> Path:
    """Return the private folder for sockets, made with mode 0700 in the runtime or temporary folder."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    base = Path(runtime) if runtime and os.access(runtime, os.W_OK) else Path(tempfile.gettempdir())
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = base / f"trisynapse-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if os.name != "nt" and folder.stat().st_uid != os.getuid():
        raise VaultHeldError(f"'{folder}' belongs to somebody else.", hint="Set XDG_RUNTIME_DIR to a folder of yours.")
    folder.chmod(0o700)
    return folder


_TOPICS: Final = {
    "threads": "threads",
    "curation": "sources",
    "sources": "sources",
    "watching": "sources",
    "feeds": "sources",
    "claims": "claims",
    "aliases": "claims",
    "groups": "summaries",
    "wiki": "wiki",
    "snapshots": "snapshots",
    "models": "models",
    "keys": "models",
    "privacy": "privacy",
    "tuning": "tuning",
}
_TOPICS_OF_WORK: Final = {
    "facts": "claims",
    "model facts": "claims",
    "summaries": "summaries",
    "model summaries": "summaries",
    "consolidation": "graph",
    "similarity": "graph",
    "novelty": "sources",
    "tuning": "tuning",
}


def _topic(verb: str) -> str:
    return _TOPICS.get(verb.partition(".")[0], "records")


def main(arguments: list[str] | None = None) -> int:
    """Be the engine process of one vault; see the head of this module."""
    parser = argparse.ArgumentParser(prog="python -m trisynapse_memory.service")
    parser.add_argument("vault", type=Path)
    parser.add_argument("--create", action="store_true")
    parser.add_argument("--offline", action="store_true")
    chosen = parser.parse_args(arguments)
    keep_memory_out_of_dumps()
    guard = NetworkGuard()
    if chosen.offline:
        guard.lock()
    try:
        engine = MemoryEngine.open(chosen.vault, create=chosen.create, offline=chosen.offline, warm=True)
    except VaultHeldError:
        owner = wait_for_owner(chosen.vault, 30.0)
        if owner is None:
            return main(arguments)
        print(f"ATTACH {owner.pid}", flush=True)
        return 0
    except TrisynapseError as error:
        print(f"FAILED {msgspec.json.encode(Fault.of(error)).decode()}", flush=True)
        return error.exit_code
    # Threads that commit hand the interpreter over sooner, so that a question waits less for them.
    sys.setswitchinterval(SWITCH_S)
    with engine:
        # This process is ours alone, so the switch may hold below all of its libraries.
        engine.privacy.follow_offline(guard.set)
        service = Service(engine)
        print(f"READY {os.getpid()}", flush=True)
        threading.Thread(target=_resume, args=(engine,), name="resume", daemon=True).start()
        sys.stdin.buffer.read()  # the window holds the other end; it closes when the window ends, however it ends
        service.close_when_alone()
    return 0


def _resume(engine: MemoryEngine) -> None:
    """Go on with what a crash cut off, unless the window closes first: then the next opening does."""
    with contextlib.suppress(VaultError):
        engine.runs.resume()


if __name__ == "__main__":
    sys.exit(main())
