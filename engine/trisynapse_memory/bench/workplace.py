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
from trisynapse_memory.types import Namespace, Progress, Record, indexed_text

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

    @contextmanager
    def under(self, config: Config) -> Generator[Workplace]:
        """Open the same vault with other settings: its log, indexes and vectors as they are.

        The vault has one owner, so this place is closed for good; ask it first what is to be asked of it.
        """
        self.engine.close()
        with _open(self.folder, config, create=False) as (engine, opened):
            yield Workplace(engine, opened, self.folder, self.embeddings)

    def settle(self, note: Note) -> None:
        """Let the engine do all that waits in the background, as in a vault that was left alone for a while.

        Facts, and with them claims, entities and summaries, similar passages and importance: what the routes beside
        words and vectors live on. Give the records their vectors first, or the engine makes them again.
        """
        jobs, told = self.opened.jobs, {""}

        def tell(progress: Progress) -> None:
            text = f"{progress.stage}: {progress.done} of {progress.total}"
            if text not in told:  # it is told twenty times a second
                told.add(text)
                note(text)

        jobs.resume()
        jobs.wait(None, tell, include_idle=True)
        jobs.pause()

    def close_and_weigh(self) -> int:
        """Close the vault, so that every file is whole, and return the bytes it takes on disk."""
        self.engine.close()
        return folder_bytes(self.folder)


@contextmanager
def workplace(note: Note) -> Generator[Workplace]:
    """Make a vault for one corpus, offline, with the engine's default settings."""
    with TemporaryDirectory(prefix="trisynapse-bench-", ignore_cleanup_errors=True) as temporary, open_cache() as cache:
        folder = Path(temporary) / "bench.vault"
        with _open(folder, Config(), create=True) as (engine, opened):
            yield Workplace(engine, opened, folder, Embeddings(opened.rooms.embedder, cache, note))


@contextmanager
def _open(folder: Path, config: Config, *, create: bool) -> Generator[tuple[MemoryEngine, OpenVault]]:
    opened = open_rooms(folder, config, Conditions(offline=True), create=create, warm=False)
    opened.jobs.pause()  # ``embed_all`` makes the vectors; the engine's worker would make them a second time
    with opened.jobs.held():  # what the opening has begun, where something waited, ends before the first question
        pass
    with MemoryEngine(opened, Namespace(project_id=None)) as engine:
        yield engine, opened
