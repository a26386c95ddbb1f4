"""Records in, their vectors out, computed once; kept between runs where asked for. No vault is opened here.

Embedding is nearly all of a run's cost (a core does about 13 chunks a second), so a second run may take its vectors
from a file: set ``TRISYNAPSE_BENCH_CACHE`` to ``1`` for the user's cache folder, or to a folder. Texts are not kept.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
from platformdirs import user_cache_path

from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.contracts import Embedder, FloatArray
from trisynapse_memory.sqlite import Database

CACHE_VARIABLE: Final = "TRISYNAPSE_BENCH_CACHE"
BATCH_COUNT: Final = 64  # texts between two notes of progress

_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"

Note = Callable[[str], None]


class Embeddings:
    """Embeds the texts of a benchmark, each once.

    Args:
        embedder: the engine's own.
        cache: where vectors are kept between runs; None keeps none.
        note: told how far it is.
    """

    def __init__(self, embedder: Embedder, cache: Database | None, note: Note) -> None:
        self._embedder = embedder
        self._cache = cache
        self._note = note
        self.watch = Stopwatch()
        self.embedded_count = 0

    def rows(self, texts: Sequence[str]) -> FloatArray:
        """Return ``(len(texts), d) float32`` unit rows in the order of the texts."""
        known = self._known(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        for start in range(0, len(missing), BATCH_COUNT):
            batch = missing[start : start + BATCH_COUNT]
            with self.watch.lap():
                vectors = self._embedder.embed(batch)
            known.update(zip(batch, vectors, strict=True))
            self._keep(batch, vectors)
            self.embedded_count += len(batch)
            self._note(f"embedded {start + len(batch)} of {len(missing)} texts")
        rows = np.zeros((len(texts), self._embedder.dimension), dtype=np.float32)
        for number, text in enumerate(texts):
            rows[number] = known[text]
        return rows

    def _known(self, texts: Sequence[str]) -> dict[str, FloatArray]:
        found: dict[str, FloatArray] = {}
        if self._cache is None:
            return found
        with self._cache.read() as connection:
            for text in dict.fromkeys(texts):
                row = connection.execute("SELECT vector FROM vectors WHERE key = ?", (self._key(text),)).fetchone()
                if row is not None:
                    found[text] = np.frombuffer(row[0], dtype=np.float32)
        return found

    def _keep(self, texts: Sequence[str], vectors: FloatArray) -> None:
        if self._cache is None:
            return
        rows = [(self._key(text), vector.tobytes()) for text, vector in zip(texts, vectors, strict=True)]
        with self._cache.write() as connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self._embedder.model_id}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


@contextmanager
def open_cache() -> Generator[Database | None]:
    """Open the file of kept vectors where the environment asks for one; None otherwise."""
    wanted = os.environ.get(CACHE_VARIABLE, "")
    if not wanted:
        yield None
        return
    folder = user_cache_path("trisynapse") / "bench" if wanted == "1" else Path(wanted)
    folder.mkdir(parents=True, exist_ok=True)
    cache = Database(folder / "embeddings.db", _SCHEMA, durable=False)
    try:
        yield cache
    finally:
        cache.close()
