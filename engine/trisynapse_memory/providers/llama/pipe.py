"""One child process that holds a model, started, spoken with and ended. Whether it should live is decided above."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final

from msgspec import Struct

from trisynapse_memory.errors import ModelDiedError
from trisynapse_memory.processes import module_command
from trisynapse_memory.providers.llama.messages import (
    LoadedReply,
    LoadRequest,
    Reply,
    Request,
    receive_reply,
    send,
)
from trisynapse_memory.providers.offline import offline_environment

SILENCE_S: Final = 900.0
"""A child that says nothing for so long hangs. A full window of 8,192 tokens takes a 4-bit model of 7 billion weights
about ten minutes to read on one core (Qwen2.5-1.5B reads 37 tokens/s)."""

_CHILD_MODULE: Final = "trisynapse_memory.providers.llama.child"
_BELOW_NORMAL: Final = 0x4000  # BELOW_NORMAL_PRIORITY_CLASS of Windows


class Plan(Struct, frozen=True, kw_only=True):
    """How a model is loaded. ``idle_s`` is how long it stays without a request, 0 for ever."""

    path: Path
    context_tokens: int
    thread_count: int
    features: frozenset[str] | None = None
    idle_s: float = 300.0
    low_priority: bool = True


class DeadChildError(Exception):
    """The child is gone; the message says how."""


class ModelChild:
    """One child process with its model on the way, and what it has said so far.

    The thread that starts it also reads from it and lives as long as it does, because Linux sends the death signal
    when the *thread* that started a child ends.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._replies: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        self._heard_at = time.monotonic()
        self._sending = threading.Lock()
        self.is_loaded = False
        started: queue.SimpleQueue[subprocess.Popen[bytes] | OSError] = queue.SimpleQueue()
        threading.Thread(target=self._start_and_read, args=(started,), name="model-reader", daemon=True).start()
        outcome = started.get()
        if isinstance(outcome, OSError):
            raise ModelDiedError(f"The process of a local model could not be started ({outcome.strerror}).")
        self._process = outcome
        request = LoadRequest(
            path=str(plan.path),
            context_tokens=plan.context_tokens,
            thread_count=plan.thread_count,
            features=plan.features,
        )
        with contextlib.suppress(DeadChildError):  # whoever asks next hears of it
            self.send(request)

    @property
    def process_id(self) -> int:
        """What the system calls it."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How it ended, minus the signal's number where one ended it; None while it runs."""
        return self._process.poll()

    def send(self, request: Request) -> None:
        """Ask for something.

        Raises:
            DeadChildError: it is gone.
        """
        pipe = self._process.stdin
        self._heard_at = time.monotonic()  # silence begins with a question
        try:
            with self._sending:
                if pipe is not None:
                    send(pipe, request)
        except (OSError, ValueError) as error:  # a closed pipe is a ValueError
            raise DeadChildError(self._obituary()) from error

    def next(self, timeout_s: float | None) -> Reply | None:
        """Return what it says next; None when nothing came in time. No ``timeout_s``: as long as it may be silent.

        Raises:
            DeadChildError: it is gone, or was silent for too long and has been ended.
        """
        try:
            reply = self._replies.get(timeout=SILENCE_S if timeout_s is None else timeout_s)
        except queue.Empty:
            if time.monotonic() - self._heard_at < SILENCE_S:
                return None
            self.kill()
            raise DeadChildError(f"it said nothing for {SILENCE_S:g} s") from None
        if reply is None:
            self._replies.put(None)  # whoever asks after us is told, too
            raise DeadChildError(self._obituary())
        self._heard_at = time.monotonic()
        self.is_loaded = self.is_loaded or isinstance(reply, LoadedReply)
        return reply

    def kill(self) -> None:
        """End it now."""
        self._process.kill()
        self._process.wait()

    def _start_and_read(self, started: queue.SimpleQueue[subprocess.Popen[bytes] | OSError]) -> None:
        below_normal = _BELOW_NORMAL if sys.platform == "win32" and self._plan.low_priority else 0
        try:
            process = subprocess.Popen(
                [*module_command(_CHILD_MODULE), str(int(self._plan.low_priority)), str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                creationflags=below_normal,
            )
        except OSError as error:
            started.put(error)
            return
        started.put(process)
        if process.stdin is not None and process.stdout is not None:
            while (reply := receive_reply(process.stdout)) is not None:
                self._replies.put(reply)
            process.wait()
            self._replies.put(None)
            with contextlib.suppress(OSError), self._sending:  # what the dead child did not take cannot be flushed
                process.stdin.close()
            process.stdout.close()

    def _obituary(self) -> str:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it said something that cannot be understood"
        return f"it was ended by signal {-code}" if code < 0 else f"it ended with code {code}"


def _environment() -> dict[str, str]:
    """Let the child import what this process imports, also where the engine is not installed (a checkout, a test)."""
    environment = offline_environment(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(folder for folder in sys.path if folder)
    return environment
