"""A suite in, an empty vault in a temporary folder out, removed afterwards. No corpus is read or judged here."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from trisynapse_memory.bench.embeddings import Embeddings, Note, open_cache
from trisynapse_memory.bench.machine import folder_bytes
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing.vector_tables import text_hash_of
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines.furnishing import Conditions
from trisynapse_memory.pipelines.opening import OpenVault, open_rooms
from trisynapse_memory.types import Namespace, Record, indexed_text

RECORD_LIMIT = 10_000_000  # all of them; a benchmark reads its own vault as a whole


@dataclass(frozen=True, slots=True)
class Workplace:
    """One open vault of a benchmark: the engine as everybody uses it, and the rooms behind it to fill and to time."""

    engine: MemoryEngine
    opened: OpenVault
    folder: Path
    embeddings: Embeddings

    def records(self, kind: str = "raw_source") -> tuple[Record, ...]:
        """Return all visible records of one kind in log order."""
        return self.engine.list_records(kind=kind, limit=RECORD_LIMIT)

    def embed_all(self, records: Sequence[Record]) -> FloatArray:
        """Give every record its vector and return the matrix, in the order of the records.

        The vectors are computed here, and not by the engine's own worker, so that the baselines use the same ones and a
        second run can take them from the cache.
        """
        matrix = self.embeddings.rows([indexed_text(record.text, record.fields) for record in records])
        self.put(records, matrix)
        return matrix

    def put(self, records: Sequence[Record], matrix: FloatArray) -> None:
        """Let records be found by these vectors."""
        hashes = [text_hash_of(record.text, record.fields) for record in records]
        self.opened.rooms.vectors.put(dict(zip(hashes, matrix, strict=True)))

    def close_and_weigh(self) -> int:
        """Close the vault, so that every file is whole, and return the bytes it takes on disk."""
        self.engine.close()
        return folder_bytes(self.folder)


@contextmanager
def workplace(note: Note) -> Generator[Workplace]:
    """Make a vault for one corpus, offline, with the engine's default settings."""
    with TemporaryDirectory(prefix="trisynapse-bench-", ignore_cleanup_errors=True) as temporary, open_cache() as cache:
        folder = Path(temporary) / "bench.vault"
        opened = open_rooms(folder, Config(), Conditions(offline=True), create=True, warm=False)
        opened.jobs.close()  # ``embed_all`` makes the vectors; the engine's worker would make them a second time
        engine = MemoryEngine(opened, Namespace(project_id=None))
        with engine:
            yield Workplace(engine, opened, folder, Embeddings(opened.rooms.embedder, cache, note))
