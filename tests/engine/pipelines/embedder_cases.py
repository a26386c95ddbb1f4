"""A vault's vectors with embedders that can be told to fail, for the tests of switching; nothing is tested here."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import ProviderError, TrisynapseError
from trisynapse_memory.indexing.indexes.vector import VectorIndex
from trisynapse_memory.indexing.vector_switch import VectorModels
from trisynapse_memory.pipelines.staffing.embedder_seats import Choice, Seat
from trisynapse_memory.pipelines.staffing.embedders import Embedders
from trisynapse_memory.pipelines.staffing.embedding import Embedding, Leaving
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import Kind, Record, RecordId, Scope, SourceId, Terms

EVERYTHING = Scope()
NO_TERMS = Terms((), (), 0)
BUILT_IN, CLOUD, FOLDER = Choice(), Choice("cloud", "large"), Choice("sentence-transformers", "folder")


@dataclass(frozen=True)
class Entry:
    record: Record
    terms: Terms = NO_TERMS
    visible: bool = True


@dataclass
class Stub:
    """An embedder that notes what it is asked, and fails while it has a fault."""

    model_id: str
    dimension: int
    length: int
    max_tokens: int = 256
    is_remote: bool = False
    fault: TrisynapseError | None = None
    asked: list[str] = field(default_factory=list)
    sources: list[tuple[SourceId, ...]] = field(default_factory=list)
    rested: int = 0
    warmed: int = 0

    def embed(self, texts: Sequence[str], source_ids: tuple[SourceId, ...] = ()) -> FloatArray:
        if self.fault is not None:
            raise self.fault
        if list(texts) == ["warm"]:
            self.warmed += 1
        else:
            self.asked.extend(texts)
        self.sources.append(source_ids)
        rows = np.zeros((len(texts), self.length), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = np.random.default_rng(zlib.crc32(f"{self.model_id} {text.split()[0]}".encode())).normal(
                size=self.length
            )
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        return tuple(len(text.split()) for text in texts)

    def seat(self) -> Seat:
        def rest() -> None:
            self.rested += 1

        return Seat(self, self.embed, self.is_remote, is_service=self.is_remote, rest=rest, close=rest)


@dataclass
class Secrets:
    """Records that must not leave, and a stamp that moves when somebody says so."""

    held: set[int] = field(default_factory=set)
    moves: int = 0

    def withheld(self, completer: Leaving) -> Callable[[Sequence[int]], Set[int]]:
        return lambda seqs: self.held.intersection(seqs) if completer.is_remote else set()

    def stamp(self) -> int:
        return self.moves


class World:
    """An index, its records, three embedders and the choice between them."""

    def __init__(self, folder: Path, batch: int = 2) -> None:
        self.folder, self.batch = folder, batch
        self.records: dict[int, Record] = {}
        self.built_in = Stub("builtin/1", 4, 4)
        self.cloud = Stub("cloud/large", 0, 16, is_remote=True)
        self.local = Stub("folder@1", 4, 4)
        self.choice = BUILT_IN
        self.secrets = Secrets()
        self.made: list[tuple[Choice, int]] = []
        self.open()

    def open(self) -> None:
        database = Database(self.folder / "vectors.db", vectors=True)
        self.index = VectorIndex(database, self.built_in.model_id, self.built_in.dimension)
        self.models = VectorModels(database)
        self.embedders = Embedders(self.models, self.make, lambda: self.choice)
        config = Config(embed_batch_count=self.batch)
        self.work = Embedding(self.index, self.models, self, self.embedders, config, self.secrets)

    def reopen(self) -> None:
        self.index.close()
        self.open()

    def make(self, choice: Choice, dimension: int) -> Seat:
        self.made.append((choice, dimension))
        stubs = {BUILT_IN: self.built_in, CLOUD: self.cloud, FOLDER: self.local}
        if choice not in stubs:
            raise ProviderError(f"There is no '{choice.service}'.")
        if choice == CLOUD:
            self.cloud.dimension = dimension
        return stubs[choice].seat()

    def add(self, *texts: str, source: str = "s1") -> None:
        first = len(self.records) + 1
        added = [_record(seq, text, source) for seq, text in enumerate(texts, start=first)]
        self.records.update({record.seq: record for record in added})
        self.index.apply([Entry(record) for record in added], {}, added[-1].seq)

    def by_seqs(self, seqs: Sequence[int]) -> tuple[Record, ...]:
        return tuple(self.records[seq] for seq in seqs if seq in self.records)

    def drain(self, most: int = 40) -> None:
        """Step until nothing waits."""
        for _ in range(most):
            if not self.work.pending():
                return
            self.work.step()
        raise AssertionError("the work never ends")

    def found(self, text: str) -> int:
        """The record nearest to a question, as retrieval asks: with the embedder that answers."""
        serving = self.embedders.serving
        assert serving.model_id == self.index.serving_model
        return self.index.nearest(serving.embed([text])[0], EVERYTHING, 10)[0].seq

    def findable(self) -> set[int]:
        vector = self.embedders.serving.embed(["x"])[0]
        return {one.seq for one in self.index.nearest(vector, EVERYTHING, 100)}


def _record(seq: int, text: str, source: str) -> Record:
    return Record(
        id=RecordId(f"r{seq}"),
        seq=seq,
        device_id="d",
        device_seq=seq,
        written_at=datetime(2026, 1, 1, tzinfo=UTC),
        kind=Kind.RAW_SOURCE,
        content_hash="",
        chain_hash="",
        text=text,
        source_id=SourceId(source),
    )
