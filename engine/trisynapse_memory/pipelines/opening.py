"""A vault's path in, its rooms and background work out; the only place of the engine that builds things."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Embedder, Route, VectorStore
from trisynapse_memory.errors import BranchUnavailableError, ProviderError, VaultDamagedError, VaultError
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.history import History
from trisynapse_memory.pipelines.ingest import Ingest, Options
from trisynapse_memory.pipelines.jobs import BackgroundJobs
from trisynapse_memory.pipelines.query import Query
from trisynapse_memory.pipelines.rooms import Busy, Rooms
from trisynapse_memory.preprocessing.sandbox import Sandbox
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.registry import Registry
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import IngestRun, Progress, SourceInput
from trisynapse_memory.vault import Vault, device_id

MERGE_STEP_MS = 50.0
CLOSE_S = 5.0  # longest wait for a question or a batch that is in hand
ProjectionT = TypeVar("ProjectionT")


class OpenVault:
    """A vault this process owns, with everything that runs beside it."""

    def __init__(self, vault: Vault, rooms: Rooms, vectors: VectorStore) -> None:
        self.vault = vault
        self.rooms = rooms
        self.query = Query(rooms, _routes(rooms))
        self.jobs = BackgroundJobs(rooms, vectors)
        self._ingesting = threading.Lock()
        self._stops: dict[str, threading.Event] = {}
        self._sandbox: Sandbox | None = None
        self._warming: threading.Thread | None = None
        self._closing = False

    def ingest(
        self, inputs: tuple[SourceInput, ...], options: Options, notify: Callable[[Progress], None], *, wait: bool
    ) -> IngestRun:
        """Run the write corridor; one run at a time, the next one waits."""
        stop = threading.Event()

        def announce(progress: Progress) -> None:
            self._stops.setdefault(progress.run_id, stop)
            notify(progress)

        with self._ingesting:
            if self._closing:
                raise VaultError("The vault is being closed.", hint="Open it again, and add the files then.")
            if self._sandbox is None:
                self._sandbox = Sandbox(self.rooms.config)
            run = Ingest(self.rooms, self._sandbox, announce).run(inputs, options, stop)
            if self._closing and not options.dry_run:
                self.rooms.history.interrupt(run.run_id)  # nobody cancelled it; the next opening goes on with it
                return run
            self._tidy()
        self._stops.pop(run.run_id, None)
        self.jobs.wake()
        if wait:
            self.jobs.wait(None, notify)
        return run

    def _tidy(self) -> None:
        """Merge the word index's segments in small steps, giving way to questions; the rest waits for the next run."""
        while not self.rooms.asking.goes_on() and not self.rooms.lexical.merge(MERGE_STEP_MS):
            continue

    def cancel(self, run_id: str) -> None:
        """Ask a running ingest to stop after the batch in hand; a run that is over stays as it is."""
        stop = self._stops.get(run_id)
        if stop is not None:
            stop.set()

    def warm(self) -> None:
        """Load, in a thread of its own, what the first question would wait for: the model and the vectors."""
        self._warming = threading.Thread(target=self._warm_up, name="warm", daemon=True)
        self._warming.start()

    def _warm_up(self) -> None:
        with contextlib.suppress(ProviderError, BranchUnavailableError):
            self.rooms.embedder.embed(["warm"])  # without a model the words still answer, and the answer says so
        self.rooms.vectors.warm()

    def wake_backlog(self) -> None:
        """Let the background embed what is new."""
        self.jobs.wake()

    def wait_for_backlog(self, timeout_s: float | None, notify: Callable[[Progress], None]) -> None:
        """Wait until nothing is left to embed, or the time is up."""
        self.jobs.wake()
        self.jobs.wait(timeout_s, notify)

    def close(self) -> None:
        """Stop the background work, let what is in hand end, and close all files; safe to call twice."""
        if self._closing:
            return
        self._closing = True
        for stop in list(self._stops.values()):
            stop.set()
        self.jobs.close()
        self.rooms.asking.wait_until_idle(CLOSE_S)
        if self._ingesting.acquire(timeout=CLOSE_S):
            self._ingesting.release()  # whoever waited for it is told that the vault is closed
        if self._warming is not None:
            self._warming.join()
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None
        self.rooms.projector.close()
        self.rooms.history.close()
        self.rooms.log.close()
        self.vault.close()


def open_rooms(path: Path, config: Config, *, create: bool, offline: bool, warm: bool) -> OpenVault:
    """Open a vault, make every projection catch up with its log, and return it with its rooms."""
    exists = (path.expanduser() / "vault.toml").exists()
    vault = Vault.create(path) if create and not exists else Vault.open(path)
    try:
        opened = _furnish(vault, config, offline)
    except BaseException:
        vault.close()
        raise
    opened.wake_backlog()
    if warm:
        opened.warm()
    return opened


def _furnish(vault: Vault, config: Config, offline: bool) -> OpenVault:
    registry = Registry()
    log = MemoryLog(vault.log_path, device_id())
    blobs = BlobStore(vault.blobs_path)
    blobs.sweep()
    embedder: Embedder = registry.load("embedder", "minilm")()
    make_lexical, make_vectors = registry.load("index", "lexical"), registry.load("index", "vector")
    lexical = _disposable(vault.index_path, lambda path: make_lexical(path, config))
    vectors = _disposable(
        vault.vectors_path,
        lambda path: make_vectors(Database(path, vectors=True), embedder.model_id, embedder.dimension),
    )
    rooms = Rooms(
        log=log,
        shelf=Shelf(log),
        blobs=blobs,
        projector=Projector(log, (lexical, vectors)),
        lexical=lexical,
        vectors=vectors,
        embedder=embedder,
        history=History(vault.runs_path, config),
        registry=registry,
        config=config,
        egress=Egress(offline=offline),
        asking=Busy(),
        offline=offline,
    )
    rooms.projector.catch_up()
    vectors.retry_failures()
    return OpenVault(vault, rooms, vectors)


def _disposable(path: Path, build: Callable[[Path], ProjectionT]) -> ProjectionT:
    """Open a projection; one that is damaged is set aside and built anew from the log."""
    try:
        return build(path)
    except VaultDamagedError:
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.replace(part.with_name(f"{part.name}.damaged"))
        return build(path)


def _routes(rooms: Rooms) -> list[Route]:
    lexical, semantic = rooms.registry.load("route", "lexical"), rooms.registry.load("route", "semantic")
    return [lexical(rooms.lexical, rooms.config), semantic(rooms.vectors, rooms.embedder, rooms.config)]
