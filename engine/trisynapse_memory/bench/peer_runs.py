"""Texts with their vectors and questions in, what each peer of a run ranks and what that costs out.

A peer gets a process of its own for every store, so that nothing is left over from the one before. One that is missing
or fails is left out for the rest of the run, and of the report, with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch, folder_bytes
from trisynapse_memory.bench.peer_lines import Add, Done, Finish, Found, Given, Row, Search, Wanted, batches, packed
from trisynapse_memory.bench.peer_pipe import SEARCH_S, WORK_S, PeerPipe
from trisynapse_memory.bench.peers import find_peer
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import PeerError

BATCH_ROWS: Final = 256  # records a line; about 1 MB
WANTED_ROUNDS: Final = 20  # times a peer may ask for vectors before it answers; the one that does asks four times

Embed = Callable[[Sequence[str]], FloatArray]
"""Texts in, ``(n, d) float32`` unit rows out."""

Asked = Sequence[tuple[str, FloatArray]]
"""Questions with their vectors."""


@dataclass(frozen=True, slots=True)
class Units:
    """What a method is to find: texts with their titles, their groups (a conversation, a source) and unit vectors.

    ``kind`` is "turn" or "passage"; the places of the rows are their names.
    """

    texts: Sequence[str]
    titles: Sequence[str]
    groups: Sequence[str]
    matrix: FloatArray
    kind: str = "passage"

    def rows(self) -> list[Row]:
        """Return the rows as they are sent."""
        fields = zip(self.texts, self.titles, self.groups, packed(self.matrix), strict=True)
        return [
            Row(id=str(number), text=text, title=title, group=group, kind=self.kind, vector=vector)
            for number, (text, title, group, vector) in enumerate(fields)
        ]


@dataclass(slots=True)
class PeerFigures:
    """What one peer has told of itself, and what it has used so far; ``failure`` is why it is left out."""

    about: dict[str, str] = field(default_factory=dict[str, str])
    search: Stopwatch = field(default_factory=Stopwatch)
    making: Stopwatch = field(default_factory=Stopwatch)
    record_count: int = 0
    byte_count: int = 0
    rss_mb: float = 0.0
    failure: str = ""

    def ingest(self) -> dict[str, float]:
        """Return how fast its index was made, how large it is, and the most memory it held."""
        found = {
            "records": float(self.record_count),
            "records_per_s": self.record_count / max(self.making.wall_s, 1e-9),
            "records_per_cpu_s": self.record_count / max(self.making.cpu_s, 1e-9),
            "bytes_per_record": self.byte_count / max(self.record_count, 1),
            "rss_mb": self.rss_mb,
        }
        return {name: round(value, 1) for name, value in found.items()}


class PeerRun:
    """The peers of one run.

    Args:
        names: of ``peers.LICENCES``.
        note: told how far it is.
    """

    def __init__(self, names: Sequence[str] = (), note: Note = lambda _: None) -> None:
        self.figures = {name: PeerFigures() for name in names}
        self._note = note

    def ask(
        self, units: Units, asked: Asked, count: int, embed: Embed, *, counted: bool = True
    ) -> dict[str, list[list[int]]]:
        """Let every peer index the units and answer every question.

        Args:
            units: what is to be found.
            asked: the questions.
            count: how many units a question asks for, at most.
            embed: gives a peer the vectors of other texts it makes up.
            counted: whether what it costs goes into the figures; else it is a second pass over the same store.

        Returns:
            peer -> for each question the numbers of units, best first; only peers that answered every question.
        """
        found: dict[str, list[list[int]]] = {}
        for name, figures in self.figures.items():
            if figures.failure:
                continue
            self._note(f"{name}: {len(units.texts)} records, {len(asked)} questions")
            try:
                found[name] = _ask(name, units, asked, count, embed, figures if counted else PeerFigures())
            except PeerError as problem:
                figures.failure = str(problem)
                self._note(f"{name}: {figures.failure}")
        return found

    def is_out(self, method: str) -> bool:
        """Whether a method ("txtai", "txtai-whole") is a peer that has failed: what it reached before is no figure."""
        return any(figures.failure and method.split("-")[0] == name for name, figures in self.figures.items())

    def of(self, method: str) -> PeerFigures | None:
        """Return the figures of a peer by the method that is its main one; None for any other method."""
        return self.figures.get(method)


def _ask(name: str, units: Units, asked: Asked, count: int, embed: Embed, figures: PeerFigures) -> list[list[int]]:
    peer = find_peer(name)
    with PeerPipe(peer) as pipe:
        ready = pipe.hello()
        figures.about = {"version": ready.version, "licence": peer.licence, "method": ready.method}
        talk = _Talk(pipe, embed, figures)
        talk.fill(units.rows())
        return [_numbers(talk.search(*one, count), len(units.texts))[:count] for one in asked]


@dataclass(frozen=True, slots=True)
class _Talk:
    """One peer that is running, who embeds for it, and where its costs are added up."""

    pipe: PeerPipe
    embed: Embed
    figures: PeerFigures

    def fill(self, rows: Sequence[Row]) -> None:
        steps = [self._answered(Add(records=batch), WORK_S) for batch in batches(rows, BATCH_ROWS)]
        steps.append(self._answered(Finish(), WORK_S))
        if any(isinstance(step, Found) for step in steps):
            raise PeerError("It answered a question that it was not asked.")
        self.figures.making.cpu_ms.append(sum(step.cpu_ms for step in steps))
        self.figures.making.wall_ms.append(sum(step.wall_ms for step in steps))
        self.figures.record_count += len(rows)
        self.figures.byte_count += folder_bytes(self.pipe.folder)

    def search(self, question: str, vector: FloatArray, count: int) -> list[str]:
        (written,) = packed(np.atleast_2d(vector))
        reply = self._answered(Search(question=question, vector=written, count=count), SEARCH_S)
        if not isinstance(reply, Found):
            raise PeerError("It did not answer the question that it was asked.")
        self.figures.search.cpu_ms.append(reply.cpu_ms)
        self.figures.search.wall_ms.append(reply.wall_ms)
        self.figures.rss_mb = max(self.figures.rss_mb, reply.rss_mb)
        return reply.ids

    def _answered(self, request: Add | Finish | Search, seconds: float) -> Done | Found:
        reply = self.pipe.ask(request, seconds)
        for _ in range(WANTED_ROUNDS):
            if not isinstance(reply, Wanted):
                return reply
            reply = self.pipe.ask(Given(vectors=packed(self.embed(reply.texts))), seconds)
        raise PeerError(f"It asked for vectors {WANTED_ROUNDS} times and did not answer.")


def _numbers(ids: Sequence[str], end: int) -> list[int]:
    """Read the ids of one answer, each once; the end is one behind the last number there is."""
    found = [int(one) if one.isdecimal() else end for one in dict.fromkeys(ids)]
    if any(number >= end for number in found):
        raise PeerError("It found a record that it was not given.")
    return found
