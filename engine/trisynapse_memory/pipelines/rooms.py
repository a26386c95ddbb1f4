"""The rooms of one open vault, handed to the corridors as one value; nothing is built and nothing is done here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import (
    ClaimReader,
    DescriptionReader,
    Embedder,
    GraphReader,
    LexicalStore,
    SentenceParser,
    SummaryReader,
    VectorStore,
)
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.history import History
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import EgressRow, Novelty


class Busy:
    """Counts who is inside, so that others can step back meanwhile, or wait until the last one has left."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0

    def __enter__(self) -> None:
        """Step in."""
        with self._changed:
            self._count += 1

    def __exit__(self, *_: object) -> None:
        """Step out."""
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def goes_on(self) -> bool:
        """Tell whether anybody is inside."""
        return self._count > 0

    def wait_until_idle(self, timeout_s: float) -> None:
        """Wait until nobody is inside, or the time is up."""
        with self._changed:
            self._changed.wait_for(lambda: self._count == 0, timeout_s)


class RequestFeed:
    """Tells whoever wants to know of each request that left this machine or was refused, as it ends."""

    def __init__(self) -> None:
        self._listeners: tuple[Callable[[EgressRow], None], ...] = ()

    def listen(self, told: Callable[[EgressRow], None]) -> None:
        """Tell somebody of each request from now on, from the thread that made it."""
        self._listeners = (*self._listeners, told)

    def tell(self, row: EgressRow) -> None:
        """Tell everybody of one request."""
        for told in self._listeners:
            told(row)


class FactsStore(Protocol):
    """The facts index as extraction and the front door use it: which evidence still has to be read."""

    def waiting(self, limit: int) -> tuple[int, ...]:
        """Return up to ``limit`` log positions that wait, all of one source, most wanted first."""
        ...

    def waiting_count(self, source_id: str | None = None) -> int:
        """Return how many records wait, of one source or of all."""
        ...

    def before(self, seq: int) -> int | None:
        """Return the record before one in its source."""
        ...

    def record_count(self) -> int:
        """Return how many visible records the index knows."""
        ...

    def prioritise(self, source_id: str) -> None:
        """Let this source be read next."""
        ...


class NoveltyReader(Protocol):
    """The novelty index as the library uses it."""

    def of(self, source_ids: Sequence[str]) -> dict[str, Novelty]:
        """Return how new these sources are, by id; one that was not compared yet is left out."""
        ...


@dataclass(frozen=True, slots=True)
class Rooms:
    """What a corridor may use; ``asking`` is busy while questions are being answered.

    ``index`` is the file that all indexes but that of the vectors share: one read transaction of it sees one state of
    all of them.
    """

    log: MemoryLog
    shelf: Shelf
    blobs: BlobStore
    projector: Projector
    index: IndexDatabase
    lexical: LexicalStore
    vectors: VectorStore
    facts: FactsStore
    claims: ClaimReader
    graph: GraphReader
    summaries: SummaryReader
    descriptions: DescriptionReader
    novelty: NoveltyReader
    embedder: Embedder
    history: History
    registry: Registry
    config: Config
    egress: Egress
    asking: Busy
    requests: RequestFeed = field(default_factory=RequestFeed)
    parser: SentenceParser | None = None

    @property
    def offline(self) -> bool:
        """Whether nothing may leave this machine now; it may change at any time."""
        return self.egress.offline
