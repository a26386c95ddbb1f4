"""The rooms of one open vault, handed to the corridors as one value; nothing is built and nothing is done here."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Embedder, LexicalStore, VectorStore
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.history import History
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.registry import Registry


class Asking:
    """Counts the questions that are being answered now, so that background work can wait for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def __enter__(self) -> None:
        """Begin a question."""
        with self._lock:
            self._count += 1

    def __exit__(self, *_: object) -> None:
        """End a question."""
        with self._lock:
            self._count -= 1

    def goes_on(self) -> bool:
        """Tell whether any question is being answered."""
        return self._count > 0


@dataclass(frozen=True, slots=True)
class Rooms:
    """What a corridor may use."""

    log: MemoryLog
    shelf: Shelf
    blobs: BlobStore
    projector: Projector
    lexical: LexicalStore
    vectors: VectorStore
    embedder: Embedder
    history: History
    registry: Registry
    config: Config
    egress: Egress
    asking: Asking
    offline: bool = False
