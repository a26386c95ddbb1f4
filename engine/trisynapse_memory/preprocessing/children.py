"""Requests in, replies out, through a child process that may hang or crash; it is started, watched and killed here.

No file is parsed and no text is embedded in this process.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.errors import ProviderStoppedError, WorkerDiedError
from trisynapse_memory.preprocessing.messages import (
    FaultReply,
    ListingReply,
    ReadyReply,
    Reply,
    Request,
    error_of,
    receive_reply,
    send,
)
from trisynapse_memory.processes import module_command
from trisynapse_memory.providers.offline import offline_environment

START_BUDGET_S: Final = 60.0  # chosen; a start takes 0.8 s on an idle core
OPEN_GRACE_S: Final = 20.0  # added to the first answer of a fresh worker, which imports the parser and the tokenizer
STOP_S: Final = 0.1  # how often a wait looks whether somebody said stop; a person takes that for at once
QUEUE_REPLIES: Final = 4
LARGE_BYTES: Final = 4 * 1024 * 1024  # chosen; four members of an archive below it are no load
_WORKER_MODULE: Final = "trisynapse_memory.preprocessing.worker"


class DeadWorkerError(Exception):
    """The worker is gone; the message says how."""


class LateWorkerError(Exception):
    """The worker did not answer in time and was killed."""


class StoppedWorkerError(Exception):
    """Somebody said stop while the worker was at work; it was killed."""


class Inbox:
    """What one child has said and nobody has taken yet; ``closed`` once nobody will."""

    def __init__(self) -> None:
        self.replies: queue.Queue[Reply | None] = queue.Queue(maxsize=QUEUE_REPLIES)
        self.closed = threading.Event()

    def close(self) -> None:
        """Take nothing more, and wake whoever waits for a reply that will never come."""
        self.closed.set()
        with contextlib.suppress(queue.Full):
            self.replies.put_nowait(None)

    def put(self, reply: Reply | None) -> None:
        """Wait for room, which makes the child wait too; a large file waits until it is alone."""
        large = isinstance(reply, ListingReply) and len(reply.listing.content) > LARGE_BYTES
        while not self.closed.is_set():
            if large and not self.replies.empty():
                self.closed.wait(0.01)
                continue
            with contextlib.suppress(queue.Full):
                self.replies.put(reply, timeout=0.5)
                return


class Worker:
    """One child process and the bounded queue its answers come through.

    The thread that starts the child also reads from it and lives as long as it does, because Linux sends the death
    signal when the *thread* that started a child ends.
    """

    def __init__(self, config: Config, *, low_priority: bool = True) -> None:
        self._config = config
        self._low_priority = low_priority
        self._process: subprocess.Popen[bytes] | None = None
        self._inbox = Inbox()
        self._fresh = True

    def ask(self, request: Request, stop: threading.Event | None = None) -> None:
        """Send a request, starting the child first where there is none; a start ends once somebody says stop."""
        if self._process is None or self._process.poll() is not None:
            self._start(stop)
        process = self._process
        if process is None or process.stdin is None:
            raise DeadWorkerError("it could not be started")
        try:
            send(process.stdin, request)
        except OSError as error:
            raise DeadWorkerError(self._obituary()) from error

    def answer(self, budget_s: float, stop: threading.Event | None = None) -> Reply:
        """Wait for the next reply; kill the child when it takes longer than the budget, or once somebody says stop."""
        grace_s, self._fresh = (OPEN_GRACE_S if self._fresh else 0.0), False
        try:
            reply = self._next_reply(budget_s + grace_s, stop)
        except queue.Empty:
            self.kill()
            raise LateWorkerError from None
        if reply is None:
            said = self._obituary()
            self.kill()
            raise DeadWorkerError(said)
        return reply

    def _next_reply(self, wait_s: float, stop: threading.Event | None) -> Reply | None:
        if stop is None:
            return self._inbox.replies.get(timeout=wait_s)
        end = time.monotonic() + wait_s
        while not stop.is_set():
            with contextlib.suppress(queue.Empty):
                return self._inbox.replies.get(timeout=max(0.0, min(STOP_S, end - time.monotonic())))
            if time.monotonic() >= end:
                raise queue.Empty
        self.kill()
        raise StoppedWorkerError

    def kill(self) -> None:
        """End the child now; what it still had to say is lost."""
        process, self._process = self._process, None
        if process is None:
            return
        self._inbox.close()
        process.kill()
        process.wait()

    def _start(self, stop: threading.Event | None) -> None:
        self.kill()
        self._inbox = inbox = Inbox()
        started: queue.Queue[subprocess.Popen[bytes] | OSError] = queue.Queue(maxsize=1)
        arguments = (_command(self._config, self._low_priority), started, inbox)
        threading.Thread(target=_start_and_read, args=arguments, name="worker-reader", daemon=True).start()
        outcome = started.get()
        if isinstance(outcome, OSError):
            raise DeadWorkerError(f"it could not be started ({outcome.strerror})")
        self._process = outcome
        self._fresh = False
        if not isinstance(self.answer(START_BUDGET_S, stop), ReadyReply):
            self.kill()
            raise DeadWorkerError("it could not be started")
        self._fresh = True

    def _obituary(self) -> str:
        process = self._process
        if process is None:
            return "it ended"
        try:
            code = process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it said something that cannot be understood"
        return f"it was ended by signal {-code}" if code < 0 else f"it ended with code {code}"


def _command(config: Config, low_priority: bool) -> list[str]:
    arguments = [str(config.worker_memory_bytes), str(int(low_priority)), str(os.getpid())]
    return [*module_command(_WORKER_MODULE), *arguments]


def _start_and_read(
    command: list[str],
    started: queue.Queue[subprocess.Popen[bytes] | OSError],
    inbox: Inbox,
) -> None:
    """Start a child, hand it over, and pass on what it says until it ends."""
    environment = offline_environment(os.environ)
    # The child imports what this process imports, also where the engine is not installed (a checkout, a test).
    environment["PYTHONPATH"] = os.pathsep.join(folder for folder in sys.path if folder)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = "1"
    below_normal = 0x4000 if sys.platform == "win32" and command[-2] == "1" else 0  # BELOW_NORMAL_PRIORITY_CLASS
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, creationflags=below_normal
        )
    except OSError as error:
        started.put(error)
        return
    started.put(process)
    if process.stdin is not None and process.stdout is not None:
        while (reply := receive_reply(process.stdout)) is not None and not inbox.closed.is_set():
            inbox.put(reply)
        inbox.put(None)
        process.wait()
        with contextlib.suppress(OSError):  # what the dead child did not take can no longer be flushed
            process.stdin.close()
        process.stdout.close()


def ask_once(
    worker: Worker, request: Request, whose: str, budget_s: float, stop: threading.Event | None = None
) -> Reply:
    """Ask a worker for something that is answered by one reply.

    Args:
        worker: it is started where there is none.
        request: what is wanted.
        whose: who answers, for messages.
        budget_s: seconds until it is taken for hanging, and killed.
        stop: once set, it is killed, too.

    Raises:
        WorkerDiedError: it hung or died.
        ProviderStoppedError: somebody said stop.
        TrisynapseError: what it raised, as the same class.
    """
    try:
        worker.ask(request, stop)
        reply = worker.answer(budget_s, stop)
        if isinstance(reply, FaultReply):
            raise error_of(reply)
        worker.answer(budget_s)
    except LateWorkerError:
        raise WorkerDiedError(f"The {whose} did not answer in {budget_s:g} s.") from None
    except DeadWorkerError as death:
        raise WorkerDiedError(f"The worker of the {whose} died: {death}.") from None
    except StoppedWorkerError:
        raise ProviderStoppedError(f"The {whose} was stopped.") from None
    return reply
