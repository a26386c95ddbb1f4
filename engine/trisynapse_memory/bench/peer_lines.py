"""What goes over the pipe to a peer and what comes back, one line of JSON each; nothing is sent here.

The other end is ``packaging/peers/pipe.py``. We say ``Add``, ``Finish``, ``Search`` and ``Given``; it says ``Ready``
once, then ``Done`` or ``Found``, or ``Wanted`` where it wants more vectors before it answers, or ``Failed``. A vector
is base64 of float32 in the order of this machine.
"""

from __future__ import annotations

import base64
from collections.abc import Generator, Sequence

from msgspec import Struct

from trisynapse_memory.contracts import FloatArray


class Row(Struct, frozen=True, kw_only=True):
    """One record; ``kind`` is "turn" or "passage"."""

    id: str
    text: str
    title: str
    group: str
    kind: str
    vector: str


class Add(Struct, frozen=True, kw_only=True, tag="add"):
    """Take these records in."""

    records: list[Row]


class Finish(Struct, frozen=True, kw_only=True, tag="finish"):
    """Make all records findable."""


class Search(Struct, frozen=True, kw_only=True, tag="search"):
    """Find up to ``count`` records."""

    question: str
    vector: str
    count: int


class Given(Struct, frozen=True, kw_only=True, tag="given"):
    """The vectors that were wanted, in that order."""

    vectors: list[str]


class Ready(Struct, frozen=True, kw_only=True, tag="ready"):
    """It has started: the version of its package, and how it searches."""

    version: str
    method: str


class Done(Struct, frozen=True, kw_only=True, tag="done"):
    """It did what it was told; the times are of its own work, the memory is the most it has held, in MiB."""

    cpu_ms: float
    wall_ms: float
    rss_mb: float


class Found(Struct, frozen=True, kw_only=True, tag="found"):
    """Ids, best first."""

    ids: list[str]
    cpu_ms: float
    wall_ms: float
    rss_mb: float


class Wanted(Struct, frozen=True, kw_only=True, tag="wanted"):
    """Texts whose vectors it needs before it can answer."""

    texts: list[str]


class Failed(Struct, frozen=True, kw_only=True, tag="failed"):
    """It cannot answer."""

    reason: str


Request = Add | Finish | Search | Given
Reply = Ready | Done | Found | Wanted | Failed


def packed(vectors: FloatArray) -> list[str]:
    """Write vectors as a peer reads them."""
    return [base64.b64encode(vector.astype("=f4").tobytes()).decode("ascii") for vector in vectors]


def batches(rows: Sequence[Row], size: int) -> Generator[list[Row]]:
    """Yield the rows in order, ``size`` at a time."""
    for start in range(0, len(rows), size):
        yield list(rows[start : start + size])
