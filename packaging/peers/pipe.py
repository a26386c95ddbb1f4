"""Lines of JSON in, lines of JSON out: the loop of a peer of the benchmark. No peer is known here.

It runs in the peer's own environment, which holds nothing of ours and perhaps not even numpy. The other end, and what
each line means, is ``engine/trisynapse_memory/bench/peer_pipe.py``.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import sys
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TextIO

Vector = array  # of float32


@dataclass(frozen=True)
class Record:
    """One text to be found, with the unit vector that our embedder gave it; ``kind`` is "turn" or "passage"."""

    id: str
    text: str
    title: str
    group: str
    kind: str
    vector: Vector


class Peer(Protocol):
    """What a peer's script builds: one index in one folder, filled once and asked often."""

    method: str

    def add(self, records: list[Record]) -> None:
        """Take records in."""

    def finish(self) -> None:
        """Make all of them findable."""

    def search(self, question: str, vector: Vector, count: int) -> list[str]:
        """Return up to ``count`` ids, best first."""


class Wire:
    """Our end of the pipe. Whatever a library prints goes to standard error, so that it spoils no line."""

    def __init__(self) -> None:
        self._out: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        self._waited_s = 0.0

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield what is asked until the other end closes."""
        while line := sys.stdin.readline():
            yield json.loads(line)

    def say(self, kind: str, **fields: Any) -> None:
        """Send one line."""
        self._out.write(json.dumps({"type": kind, **fields}) + "\n")
        self._out.flush()

    def vectors_of(self, texts: list[str]) -> list[Vector]:
        """Ask for the vectors of texts that were not given: a peer may rewrite its questions."""
        start = time.perf_counter()
        self.say("wanted", texts=texts)
        answer = json.loads(sys.stdin.readline())
        self._waited_s += time.perf_counter() - start
        return [vector_of(one) for one in answer["vectors"]]

    @contextmanager
    def timed(self) -> Iterator[dict[str, float]]:
        """Measure the peer's work: processor time of all its threads, and wall time but for waiting for our vectors."""
        self._waited_s = 0.0
        found: dict[str, float] = {}
        wall, cpu = time.perf_counter(), time.process_time()
        yield found
        found["cpu_ms"] = (time.process_time() - cpu) * 1000
        found["wall_ms"] = (time.perf_counter() - wall - self._waited_s) * 1000


def vector_of(text: str) -> Vector:
    """Read a vector: base64 of float32 in the order of this machine, which is also the sender's."""
    return array("f", base64.b64decode(text))


def serve(package: str, make: Callable[[Path, Wire], Peer]) -> None:
    """Serve one index in the folder that the command line names.

    Args:
        package: whose version is told.
        make: builds the peer; the wire is there for a peer that embeds texts of its own.
    """
    wire = Wire()
    peer = make(Path(sys.argv[1]), wire)
    wire.say("ready", version=version(package) if package else "", method=peer.method)
    for request in wire.requests():
        try:
            _answer(wire, peer, request)
        except Exception as problem:  # the other end tells it, and leaves this peer out
            wire.say("failed", reason=f"{type(problem).__name__}: {problem}"[:500])
            raise


def _answer(wire: Wire, peer: Peer, request: dict[str, Any]) -> None:
    kind = request["type"]
    if kind == "add":
        records = [Record(**{**row, "vector": vector_of(row["vector"])}) for row in request["records"]]
        with wire.timed() as spent:
            peer.add(records)
        wire.say("done", **spent, rss_mb=_rss_mb())
    elif kind == "finish":
        with wire.timed() as spent:
            peer.finish()
        wire.say("done", **spent, rss_mb=_rss_mb())
    else:
        vector = vector_of(request["vector"])
        with wire.timed() as spent:
            ids = peer.search(request["question"], vector, request["count"])
        wire.say("found", ids=ids, **spent, rss_mb=_rss_mb())


def _rss_mb() -> float:
    """Return the most memory this process has held, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage tells on Linux begins with the memory of the process that started this one
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # macOS counts bytes
