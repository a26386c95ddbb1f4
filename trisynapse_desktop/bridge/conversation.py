"""Verbs and arguments in, typed results out, over the engine's socket; nothing is computed and nothing blocks here.

This is the app's only door to the engine. The bridge starts the engine process, attaches to it, turns its replies into
results of awaited calls, and says so when the process died. Coroutines of the app run through ``Bridge.run``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import msgspec
from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

from trisynapse_desktop.bridge.engine_process import Command, EngineProcess, engine_command
from trisynapse_memory import errors
from trisynapse_memory.errors import ServiceGoneError, TrisynapseError
from trisynapse_memory.types import Fault, Notice, Progress

ATTACH_TIMEOUT_S = 2.0  # the socket answers already when this is asked
RESTART_DELAY_MS = 250
RESTART_LIMIT = 3  # restarts within RESTART_WINDOW_S; after that she decides
RESTART_WINDOW_S = 60.0
WIRE_MODULE = "trisynapse_memory.client"

logger = logging.getLogger(__name__)


class EngineState(StrEnum):
    """Where the engine process stands. ``lost`` restarts by itself; ``failed`` waits for her."""

    CLOSED = "closed"
    STARTING = "starting"
    READY = "ready"
    LOST = "lost"
    FAILED = "failed"


class WireReply(Protocol):
    """One frame from the engine; ``body`` is JSON that is decoded only when somebody waits for it."""

    @property
    def id(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def body(self) -> msgspec.Raw: ...


class WireClient(Protocol):
    """What the bridge needs of the engine's own ``EngineClient``."""

    def start(self, verb: str, **args: Any) -> int: ...
    def fileno(self) -> int: ...
    def receive(self) -> WireReply: ...
    def decode(self, verb: str, answer: Any, /) -> Any: ...
    def close(self) -> None: ...


@dataclass(slots=True)
class _Pending:
    verb: str
    future: asyncio.Future[Any]
    progress: Callable[[Any], None] | None


def connect_client(vault: Path) -> WireClient:
    """Attach to the engine that owns a vault."""
    # Imported here: the window paints before it knows the wire.
    from trisynapse_memory import attach

    client = attach(vault, ATTACH_TIMEOUT_S)
    if client is None:
        raise ServiceGoneError("The engine ended before the window could attach to it.", "Try again.")
    return client


def error_of(fault: Fault) -> TrisynapseError:
    """Turn a fault from the wire into the error it was raised as, so that callers can catch by class."""
    for candidate in vars(errors).values():
        if isinstance(candidate, type) and issubclass(candidate, TrisynapseError) and candidate.code == fault.code:
            return candidate(fault.message, fault.hint)
    return TrisynapseError(fault.message, fault.hint)


def fault_of(error: BaseException) -> Fault:
    """Describe any error for her: what is wrong and what to do."""
    if isinstance(error, TrisynapseError):
        return Fault(code=error.code, message=error.problem, hint=error.hint)
    return Fault(code="bug", message=f"Something went wrong here: {error}", hint="The log file has the details.")


def is_gone(error: BaseException) -> bool:
    """Tell whether an error only says that a closed pane's widget was to show something."""
    return isinstance(error, RuntimeError) and "already deleted" in str(error)


def make_future() -> asyncio.Future[Any]:
    """Return a promise of the window's loop.

    Not of the running one: qasync lets Qt fire timers once more after each run, and a coroutine that one of them starts
    waits for the next run.
    """
    return asyncio.get_event_loop().create_future()


class Bridge(QObject):
    """The conversation with one engine process.

    ``state_changed`` carries an ``EngineState``; ``progress`` a ``Progress`` of any run; ``notice`` a ``Notice`` that
    panes redraw for; ``failed`` a ``Fault`` that no caller took.

    Args:
        command: makes the engine's command line from vault, create, offline.
        connect: attaches to the engine of a vault; may raise ``OSError`` or a ``TrisynapseError``.
    """

    state_changed = Signal(object)
    progress = Signal(object)
    notice = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        parent: QObject | None = None,
        command: Command = engine_command,
        connect: Callable[[Path], WireClient] = connect_client,
    ) -> None:
        super().__init__(parent)
        self._command, self._connect = command, connect
        self._state = EngineState.CLOSED
        self._fault: Fault | None = None
        self._vault: Path | None = None
        self._offline = False
        self._process: EngineProcess | None = None
        self._client: WireClient | None = None
        self._notifier: QSocketNotifier | None = None
        self._pending: dict[int, _Pending] = {}
        self._waiting: list[asyncio.Future[None]] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._lost_at: list[float] = []

    # -- what is so now

    @property
    def state(self) -> EngineState:
        """Where the engine process stands."""
        return self._state

    @property
    def vault(self) -> Path | None:
        """The vault that is open or opening."""
        return self._vault

    @property
    def offline(self) -> bool:
        """Whether the engine was started with the network off."""
        return self._offline

    @property
    def fault(self) -> Fault | None:
        """Why the engine is lost or failed."""
        return self._fault

    @property
    def process_id(self) -> int:
        """The id of the engine process this window started; 0 where it attached to another's."""
        return self._process.process_id if self._process is not None else 0

    # -- opening and closing

    def open(self, vault: Path, create: bool = False, offline: bool = False) -> None:
        """Start the engine on a vault; returns at once, ``state_changed`` says when it answers."""
        self._end(wait=vault == self._vault)
        self._vault, self._offline = vault, offline
        self._lost_at.clear()
        self._launch(create)

    def restart(self) -> None:
        """Start the engine on the same vault again; she pressed the button in the banner."""
        if self._vault is not None:
            vault, offline = self._vault, self._offline
            self.open(vault, offline=offline)

    def close(self) -> None:
        """End the conversation and the engine process this window started."""
        self._end(wait=True)

    # -- asking

    async def call(self, verb: str, progress: Callable[[Any], None] | None = None, **args: Any) -> Any:
        """Ask the engine for something and wait for the typed answer without blocking the window.

        Args:
            verb: a verb of the front door, e.g. ``search`` or ``sources.list``.
            progress: called with each ``Progress`` of this call, or ``AnswerStep``, on the window's thread.
            args: the verb's arguments by name.

        Raises:
            ServiceGoneError: no vault is open, or the engine ended before it answered.
            TrisynapseError: what the engine raised, as the same class.
        """
        await self._until_ready()
        client = self._client
        if client is None:
            raise ServiceGoneError("The engine is not running.", "It is started again by itself; try once more.")
        future: asyncio.Future[Any] = make_future()
        try:
            call_id = client.start(verb, **args)
        except (OSError, EOFError) as error:
            self._lose(f"The engine did not take the call: {error}.")
            raise ServiceGoneError("The engine ended.", "It is being started again; try once more.") from error
        self._pending[call_id] = _Pending(verb, future, progress)
        return await future

    def run(
        self, coroutine: Coroutine[Any, Any, Any], on_error: Callable[[Fault], None] | None = None
    ) -> asyncio.Task[Any]:
        """Run a coroutine of a pane or an operation; what it raises goes to ``on_error``, or to ``failed``.

        The bridge keeps the task alive; the caller may cancel it.
        """
        task = asyncio.ensure_future(self._guarded(coroutine, on_error))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A task cancelled before its first step never starts its coroutine; closing says that this is meant.
        task.add_done_callback(lambda _done: coroutine.close())
        return task

    async def _guarded(self, coroutine: Coroutine[Any, Any, Any], on_error: Callable[[Fault], None] | None) -> Any:
        try:
            return await coroutine
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if is_gone(error):
                return None
            if not isinstance(error, TrisynapseError):
                logger.exception("A coroutine of the window failed.")
            try:
                (on_error or self.failed.emit)(fault_of(error))
            except RuntimeError as late:
                if not is_gone(late):
                    raise
            return None

    async def _until_ready(self) -> None:
        if self._state in (EngineState.STARTING, EngineState.LOST):
            waiter: asyncio.Future[None] = make_future()
            self._waiting.append(waiter)
            await waiter
        if self._state is not EngineState.READY:
            fault = self._fault or Fault(code=ServiceGoneError.code, message="No vault is open.")
            raise error_of(fault)

    # -- the engine process

    def _launch(self, create: bool = False) -> None:
        assert self._vault is not None
        process = EngineProcess(self._command(self._vault, create, self._offline), self)
        process.answering.connect(self._attach)
        process.refused.connect(self._fail)
        process.ended.connect(self._hear_end)
        self._process = process
        self._fault = None
        self._set_state(EngineState.STARTING)
        process.start()
        # While the engine starts: imported at the moment of attaching, the wire kept the window still for 60 to 260 ms.
        threading.Thread(target=import_module, args=(WIRE_MODULE,), name="wire", daemon=True).start()

    def _attach(self) -> None:
        assert self._vault is not None
        try:
            client = self._connect(self._vault)
        except (OSError, EOFError, TrisynapseError) as error:
            self._fail(fault_of(error))
            return
        self._client = client
        self._notifier = QSocketNotifier(client.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._drain)
        self._set_state(EngineState.READY)
        self._wake()

    def _hear_end(self, status: int) -> None:
        # An engine that found another owner says ATTACH and ends with 0: the socket lives on in the other process,
        # and where it does not, the socket itself says so.
        if status != 0:
            self._lose(f"The engine ended unexpectedly (status {status}).")

    def _lose(self, why: str) -> None:
        """The engine is gone: fail what was asked, then start it again, unless it keeps dying."""
        if self._state is not EngineState.READY:
            return
        logger.warning(why)
        now = time.monotonic()
        self._lost_at = [moment for moment in self._lost_at if now - moment < RESTART_WINDOW_S] + [now]
        fault = Fault(code=ServiceGoneError.code, message=why, hint="What was saved is safe.")
        if len(self._lost_at) > RESTART_LIMIT:
            self._fail(fault)
            return
        self._fault = fault
        self._detach(ServiceGoneError("The engine ended before it answered.", "It is started again; ask once more."))
        self._stop_process()
        self._set_state(EngineState.LOST)
        QTimer.singleShot(RESTART_DELAY_MS, self, self._relaunch)

    def _relaunch(self) -> None:
        if self._state is EngineState.LOST:
            self._launch()

    def _fail(self, fault: Fault) -> None:
        self._fault = fault
        self._detach(error_of(fault))
        self._stop_process()
        self._set_state(EngineState.FAILED)
        self._wake()

    def _end(self, wait: bool) -> None:
        # What was asked for the vault that closes has nobody left to show it to.
        for task in self._tasks:
            task.cancel()
        self._detach(ServiceGoneError("The vault was closed."))
        self._stop_process(wait)
        self._vault = None
        self._set_state(EngineState.CLOSED)
        self._wake()

    def _stop_process(self, wait: bool = True) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.stop(wait)

    # -- the wire

    def _drain(self) -> None:
        """Take one reply; the notifier fires again while more are there, and painting comes in between."""
        client = self._client
        if client is None:
            return
        try:
            reply = client.receive()
        except (OSError, EOFError, ServiceGoneError, msgspec.DecodeError) as error:
            self._lose(f"The connection to the engine broke ({type(error).__name__}).")
            return
        self._take(client, reply)

    def _take(self, client: WireClient, reply: WireReply) -> None:
        if reply.kind == "notice":
            self.notice.emit(msgspec.json.decode(reply.body, type=Notice))
        elif reply.kind == "progress":
            if (waiting := self._pending.get(reply.id)) is not None:
                self._report(client.decode(waiting.verb, reply), waiting)
        elif (pending := self._pending.pop(reply.id, None)) is not None and not pending.future.done():
            if reply.kind == "error":
                pending.future.set_exception(error_of(msgspec.json.decode(reply.body, type=Fault)))
                return
            try:
                pending.future.set_result(client.decode(pending.verb, reply))
            except (msgspec.MsgspecError, TrisynapseError) as error:
                pending.future.set_exception(error)

    def _report(self, step: Any, pending: _Pending) -> None:
        if pending.progress is not None:
            pending.progress(step)
        if isinstance(step, Progress):
            self.progress.emit(step)

    def _detach(self, error: TrisynapseError) -> None:
        notifier, self._notifier = self._notifier, None
        if notifier is not None:
            notifier.setEnabled(False)
            notifier.deleteLater()
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(OSError):
                client.close()
        pending, self._pending = self._pending, {}
        for entry in pending.values():
            if not entry.future.done():
                entry.future.set_exception(error)

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)

    def _set_state(self, state: EngineState) -> None:
        if state is not self._state:
            self._state = state
            self.state_changed.emit(state)
