"""Requests on standard input, replies on standard output, by one local model; the child that may crash for all of us.

Run as ``python -m trisynapse_memory.providers.llama.child`` (``processes.module_command``). It reads files of strangers
with native code, so it reaches no network, steps back for the rest of the machine, is the first to go when memory runs
out, and ends with its parent.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

from trisynapse_memory.errors import ProviderError, TrisynapseError
from trisynapse_memory.providers.llama.messages import (
    AskRequest,
    CountRequest,
    CountsReply,
    LoadedReply,
    LoadRequest,
    PieceReply,
    Reply,
    Request,
    StopRequest,
    fault_of,
    receive_request,
    send,
)
from trisynapse_memory.providers.llama.session import LlamaSession
from trisynapse_memory.providers.offline import forbid_network

NICENESS: Final = 10
_FIRST_TO_GO: Final = "800"  # of 1,000: Linux then ends this process before the engine and the window


def main(arguments: Sequence[str]) -> int:
    """Serve requests until the parent closes the pipe.

    Args:
        arguments: 1 for low priority, and the process id of the parent.
    """
    low_priority, parent = (int(argument) for argument in arguments[:2])
    # Libraries print to standard output; the pipe is for replies only.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _die_with(parent)
    _step_back(low_priority == 1)
    forbid_network()
    inbox = Inbox(sys.stdin.buffer)
    threading.Thread(target=inbox.fill, name="model-requests", daemon=True).start()
    child = Child(inbox, replies)
    while True:
        child.serve(inbox.requests.get())


class Inbox:
    """What the parent wants: requests in order, and the numbers of those it no longer wants."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._stopped: set[int] = set()
        self.requests: queue.SimpleQueue[LoadRequest | AskRequest | CountRequest] = queue.SimpleQueue()

    def fill(self) -> None:
        """Read until the parent closes the pipe, which ends this process wherever it is: there is nobody to answer."""
        while (request := receive_request(self._pipe)) is not None:
            self._take(request)
        os._exit(0)

    def is_stopped(self, number: int) -> bool:
        """Tell whether nobody waits any more for this request."""
        return number in self._stopped

    def _take(self, request: Request) -> None:
        if isinstance(request, StopRequest):
            self._stopped.add(request.number)
        else:
            self.requests.put(request)


class Child:
    """The model of this process, once it is loaded."""

    def __init__(self, inbox: Inbox, replies: IO[bytes]) -> None:
        self._inbox = inbox
        self._replies = replies
        self._session: LlamaSession | None = None

    def serve(self, request: LoadRequest | AskRequest | CountRequest) -> None:
        """Do what one request asks for; an error raised on purpose is its answer."""
        number = 0 if isinstance(request, LoadRequest) else request.number
        try:
            self._send(self._answer(request))
        except TrisynapseError as error:
            self._send(fault_of(number, error))

    def _answer(self, request: LoadRequest | AskRequest | CountRequest) -> Reply:
        if isinstance(request, LoadRequest):
            self._session = LlamaSession(request)
            return LoadedReply()
        if self._session is None:
            raise ProviderError("No model is loaded.")
        number = request.number
        if isinstance(request, CountRequest):
            return CountsReply(number=number, counts=self._session.count(request.texts))
        return self._session.answer(
            request,
            lambda text: self._send(PieceReply(number=number, text=text)),
            lambda: self._inbox.is_stopped(number),
        )

    def _send(self, reply: Reply) -> None:
        send(self._replies, reply)


def _die_with(parent: int) -> None:
    """End with the parent, also where it is killed; systems but Linux only close the pipe, see ``Inbox.fill``."""
    if sys.platform != "linux":
        return
    import ctypes
    import signal

    set_death_signal = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the signal was set
        os._exit(0)


def _step_back(low_priority: bool) -> None:
    """Let everything else go first. Windows sets the priority when it starts us."""
    if sys.platform == "win32":
        return
    import resource

    if low_priority:
        os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
