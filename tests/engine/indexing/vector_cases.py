"""Records, vectors and an opened index for the tests of the vector index; nothing is tested here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing.indexes.vector import VectorIndex
from trisynapse_memory.indexing.vector_rows import pack_rows, unpack_rows
from trisynapse_memory.indexing.vector_switch import KnownModel, VectorModels
from trisynapse_memory.indexing.vector_tables import text_hash_of
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import Kind, Namespace, Record, RecordId, Scope, SourceId, Terms

DIMENSION = 8
NO_TERMS = Terms((), (), 0)
ANYONE = Scope()
ADA, BOB = Namespace(user_id="ada"), Namespace(user_id="bob")


@dataclass(frozen=True)
class Entry:
    record: Record
    terms: Terms = NO_TERMS
    visible: bool = True


def entry(
    seq: int, text: str, namespace: Namespace = ADA, source_id: SourceId | None = None, visible: bool = True
) -> Entry:
    record = Record(
        id=RecordId(f"r{seq}"),
        seq=seq,
        device_id="d",
        device_seq=seq,
        written_at=datetime(2026, 1, 1, tzinfo=UTC),
        kind=Kind.RAW_SOURCE,
        content_hash="",
        chain_hash="",
        text=text,
        namespace=namespace,
        source_id=source_id,
    )
    return Entry(record, visible=visible)


def vector_of(text: str, dimension: int = DIMENSION) -> FloatArray:
    """A direction that depends on the text alone."""
    seed = int(text_hash_of(text, {})[:8], 16)
    vector = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return vector / np.linalg.norm(vector)


def kept(vectors: FloatArray) -> FloatArray:
    """Vectors ``(n, d)`` as the index gives them back: in a byte per dimension."""
    return unpack_rows(pack_rows(vectors), vectors.shape[1])


def kept_vector_of(text: str, dimension: int = DIMENSION) -> FloatArray:
    return kept(vector_of(text, dimension)[np.newaxis])[0]


def computed(*texts: str, dimension: int = DIMENSION) -> dict[str, FloatArray]:
    return {text_hash_of(text, {}): vector_of(text, dimension) for text in texts}


def opened(folder: Path, model: str = "m", dimension: int = DIMENSION, **kwargs: Any) -> VectorIndex:
    """An index that wants this model's vectors from now on, whatever the file wanted before."""
    database = Database(folder / "vectors.db", vectors=True)
    index = VectorIndex(database, model, dimension, **kwargs)
    VectorModels(database).adopt(KnownModel(model, dimension))
    return index


def seqs_near(index: VectorIndex, text: str, scope: Scope = ANYONE, limit: int = 100) -> list[int]:
    return [candidate.seq for candidate in index.nearest(vector_of(text), scope, limit)]
