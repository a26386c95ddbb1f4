"""A peer in, what it answers out: its process, one line each way at a time, and a deadline for every answer.

What the lines say stands in ``peer_lines``; what is done with them, in ``peer_runs``.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from types import TracebackType
from typing import IO, Final, cast

import msgspec

from trisynapse_memory.bench.peer_lines import Done, Failed, Found, Ready, Reply, Request, Wanted
from trisynapse_memory.bench.peers import Peer
from trisynapse_memory.errors import PeerError

START_S: Final = 120.0  # the slowest imports half a minute's worth of packages on a busy machine
WORK_S: Final = 900.0  # for a batch of records, and for making the index; the slowest needs 16 ms cpu a record
SEARCH_S: Final = 120.0  # a question; the slowest measured was 4 s of wall time on a busy machine
END_S: Final = 10.0  # for a process that has closed its output to be gone
LINE_BYTES: Final = 4_000_000  # of an answer; a hundred ids are 2 KB

_OWN_VARIABLES: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
"""What a peer may know of our environment: no key and no proxy of ours."""


class PeerPipe:
    """One running peer. It is a context manager: leaving it ends the process and removes its folder."""

    def __init__(self, peer: Peer) -> None:
        self._room = TemporaryDirectory(prefix=f"trisynapse-peer-{peer.name}-", ignore_cleanup_errors=True)
        self.folder = Path(self._room.name) / "index"
        """Where it keeps its index."""
        self.folder.mkdir()
        self._complaints = Path(self._room.name) / "stderr"
        self._process = self._start(peer)
        self._expired = False

    def _start(self, peer: Peer) -> subprocess.Popen[bytes]:
        with self._complaints.open("wb") as complaints:
            try:
                return subprocess.Popen(
                    # -E and -s: nothing of our own environment is on its path.
                    [peer.python, "-E", "-s", peer.script, self.folder],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                    cwd=self._room.name,
                    env=_environment(),
                    start_new_session=True,  # so that a peer that hangs is ended with whatever it has started
                )
            except OSError as problem:
                self._room.cleanup()
                raise PeerError(f"It cannot be started: {problem.strerror}.") from problem

    def __enter__(self) -> PeerPipe:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, _: TracebackType | None
    ) -> None:
        self._kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                _close(stream)
        self._room.cleanup()

    def hello(self) -> Ready:
        """Wait until it is ready.

        Raises:
            PeerError: it failed, ended, took longer than ``START_S``, or said something else.
        """
        reply = self._said(START_S)
        if isinstance(reply, Ready):
            return reply
        raise self._wrong(reply)

    def ask(self, request: Request, seconds: float) -> Done | Found | Wanted:
        """Send a request and return the answer.

        Raises:
            PeerError: it failed, ended, took longer, or said something else.
        """
        with self._deadline(seconds):
            self._send(request)
        reply = self._said(seconds)
        if isinstance(reply, Done | Found | Wanted):
            return reply
        raise self._wrong(reply)

    @staticmethod
    def _wrong(reply: Reply) -> PeerError:
        if isinstance(reply, Failed):
            return PeerError(f"It failed: {reply.reason}")
        return PeerError(f"It said '{type(reply).__name__.lower()}' out of turn.")

    def _send(self, request: Request) -> None:
        stream = cast("IO[bytes]", self._process.stdin)
        try:
            stream.write(msgspec.json.encode(request) + b"\n")
            stream.flush()
        except OSError as problem:
            raise self._ended() from problem

    def _said(self, seconds: float) -> Reply:
        with self._deadline(seconds):
            line = cast("IO[bytes]", self._process.stdout).readline(LINE_BYTES)
        if self._expired:
            raise PeerError(f"It did not answer within {seconds:g} s.")
        if not line:
            raise self._ended()
        try:
            return msgspec.json.decode(line, type=Reply)
        except msgspec.DecodeError as problem:
            raise PeerError(f"It answered with something that is no answer: {problem}") from problem

    def _ended(self) -> PeerError:
        if self._expired:
            return PeerError("It did not take what it was sent in time.")
        try:
            status = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            return PeerError("It closed its end of the pipe.")
        last = self._complaints.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
        return PeerError(f"It ended with status {status}. {last}".strip())

    @contextmanager
    def _deadline(self, seconds: float) -> Generator[None]:
        timer = Timer(seconds, self._expire)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _expire(self) -> None:
        self._expired = True
        self._kill()  # which ends whatever read or write waits for it

    def _kill(self) -> None:
        if self._process.poll() is None:
            with suppress(ProcessLookupError):  # it ended by itself meanwhile
                os.killpg(self._process.pid, signal.SIGKILL)


def _environment() -> dict[str, str]:
    known = {name: value for name in _OWN_VARIABLES if (value := os.environ.get(name)) is not None}
    # One thread, as ours; and no model is ever fetched.
    return {**known, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}


def _close(stream: IO[bytes]) -> None:
    with suppress(OSError):  # what was never sent cannot be flushed any more
        stream.close()
