"""A vault in, its rooms and its background chores out: the only place of the engine that builds branches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeVar

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import (
    ClaimReader,
    Completer,
    Embedder,
    Extractor,
    GraphReader,
    Index,
    LexicalStore,
    Route,
    SummaryReader,
    VectorStore,
)
from trisynapse_memory.errors import VaultDamagedError
from trisynapse_memory.indexing.graph_upkeep import GraphUpkeep
from trisynapse_memory.indexing.graph_vectors import StoredVectors
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.indexing.summary_upkeep import SummaryUpkeep
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.moments import visible_as_of
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.backlog import EmbeddingBacklog
from trisynapse_memory.pipelines.consolidation import Consolidation
from trisynapse_memory.pipelines.digests import Digests
from trisynapse_memory.pipelines.extraction import Author, Extraction, Reader
from trisynapse_memory.pipelines.history import History
from trisynapse_memory.pipelines.jobs import Chore
from trisynapse_memory.pipelines.model_extraction import (
    ModelExtraction,
    ModelFactsStore,
    author_of,
    model_reader,
    open_waiting,
)
from trisynapse_memory.pipelines.model_summaries import ModelSummaries
from trisynapse_memory.pipelines.removal import finish_removals
from trisynapse_memory.pipelines.rooms import Busy, FactsStore, Rooms
from trisynapse_memory.pipelines.similarity import Similarity
from trisynapse_memory.preprocessing.sandbox import EmbedWorker, ExtractWorker
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.registry import Registry
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import PATTERN_EXTRACTOR
from trisynapse_memory.vault import Vault, device_id

EMBEDDER: Final = "minilm"
URGENT, LATER, IDLE = 0, 1, 2
MadeT = TypeVar("MadeT")


class VectorIndex(Index, VectorStore, Protocol):
    """The vector index as both sides of it: fed by the projector, filled by the backlog."""


class Projections(NamedTuple):
    """The indexes of one vault, open, and the two files they lie in."""

    database: IndexDatabase
    vector_database: Database
    indexes: tuple[Index, ...]
    lexical: LexicalStore
    vectors: VectorStore
    facts: FactsStore
    claims: ClaimReader
    graph: GraphReader
    summaries: SummaryReader
    model_facts: ModelFactsStore | None = None


class Furniture(NamedTuple):
    """Everything that is built once for an open vault."""

    rooms: Rooms
    routes: tuple[Route, ...]
    extractor: ExtractWorker
    digests: Digests
    chores: Callable[[Callable[[], bool]], tuple[Chore, ...]]


def furnish(vault: Vault, config: Config, offline: bool, completer: Completer | None = None) -> Furniture:
    """Open every file of a vault, bring all projections up to its log, and return what works on it.

    Args:
        vault: whose files are opened.
        config: the numbers.
        offline: let nothing reach the network; a remote completer is then not asked.
        completer: a language model that reads for facts and writes summaries beside the engine; None for none.
    """
    registry = Registry()
    log = MemoryLog(vault.log_path, device_id())
    blobs = BlobStore(vault.blobs_path)
    blobs.sweep()
    embedder: Embedder = registry.load("embedder", EMBEDDER)()
    if completer is not None and completer.is_remote and offline:
        completer = None
    author = None if completer is None else author_of(completer, registry)
    made = open_projections(vault.root, config, registry, embedder, log, author)
    rooms = Rooms(
        log=log,
        shelf=Shelf(log),
        blobs=blobs,
        projector=Projector(log, made.indexes, made.database),
        index=made.database,
        lexical=made.lexical,
        vectors=made.vectors,
        facts=made.facts,
        claims=made.claims,
        graph=made.graph,
        summaries=made.summaries,
        embedder=embedder,
        history=History(vault.runs_path, config),
        registry=registry,
        config=config,
        egress=Egress(offline=offline),
        asking=Busy(),
        offline=offline,
    )
    rooms.projector.catch_up()
    finish_removals(rooms)
    rooms.vectors.retry_failures()
    rooms.vectors.switch()
    return _with_chores(rooms, made, completer)


def open_projections(
    folder: Path,
    config: Config,
    registry: Registry,
    embedder: Embedder,
    log: MemoryLog,
    author: Author | None = None,
) -> Projections:
    """Open the indexes of a vault; a file of theirs that is damaged is set aside and built anew from the log.

    Only where a model reads too (``author``) is there an index of what waits for it.
    """
    extractor: type[Extractor] = registry.load("extractor", PATTERN_EXTRACTOR)
    make_vectors = registry.load("index", "vector")

    def open_vectors(path: Path) -> tuple[Database, VectorIndex]:
        database = Database(path, vectors=True)
        return database, make_vectors(database, embedder.model_id, embedder.dimension)

    vector_database, vector_index = _disposable(folder / "vectors.db", open_vectors)

    def open_rest(path: Path) -> Projections:
        database = IndexDatabase(path)
        load = partial(registry.load, "index")
        lexical = load("lexical")(database, config)
        facts = load("facts")(database, extractor.name, extractor.version)
        claims = load("claims")(database, config, visible_as_of=partial(visible_as_of, log))
        graph, summaries = load("graph")(database, config), load("summaries")(database, config)
        waiting = open_waiting(database, load("facts"), author)
        indexes = (lexical, facts, claims, graph, summaries, vector_index, *(() if waiting is None else (waiting,)))
        return Projections(
            database, vector_database, indexes, lexical, vector_index, facts, claims, graph, summaries, waiting
        )

    return _disposable(folder / "index.db", open_rest)


def _with_chores(rooms: Rooms, made: Projections, completer: Completer | None) -> Furniture:
    """Build what works in the background, each with the worker it needs."""
    config, log = rooms.config, rooms.log
    embedding, reading = EmbedWorker(config, EMBEDDER), ExtractWorker(config, PATTERN_EXTRACTOR)
    extractor: type[Extractor] = rooms.registry.load("extractor", PATTERN_EXTRACTOR)
    reader = Reader(extractor.name, extractor.version, reading.extract)
    upkeep = GraphUpkeep(made.database)
    vectors = EmbeddingBacklog(rooms.vectors, log, embedding.embed, config)
    similarity = Similarity(upkeep, rooms.vectors, StoredVectors(made.vector_database))
    model, dimension = rooms.embedder.model_id, rooms.embedder.dimension
    digests = Digests(SummaryUpkeep(made.database), log, embedding.embed, model)
    consolidation = Consolidation(upkeep, rooms.claims, embedding.embed, model=model, dimension=dimension)

    def chores(closing: Callable[[], bool]) -> tuple[Chore, ...]:
        facts = Extraction(log, rooms.projector, rooms.facts, reader, closing)
        return (
            Chore("facts", URGENT, facts, reading.close),
            Chore("vectors", URGENT, vectors, embedding.close),
            Chore("similarity", LATER, similarity),
            Chore("summaries", LATER, digests),
            Chore("consolidation", IDLE, consolidation, is_idle=True),
            *_model_chores(rooms, made, completer),
        )

    lexical, semantic = rooms.registry.load("route", "lexical"), rooms.registry.load("route", "semantic")
    routes = (lexical(rooms.lexical, config), semantic(rooms.vectors, rooms.embedder, config))
    return Furniture(rooms, routes, reading, digests, chores)


def _model_chores(rooms: Rooms, made: Projections, completer: Completer | None) -> tuple[Chore, ...]:
    """What a model does, last and for later: it is slow, and every answer works without it."""
    if completer is None or made.model_facts is None:
        return ()
    log, projector, sensitive = rooms.log, rooms.projector, Sensitivity(rooms.log).sensitive_seqs
    reader = model_reader(completer, rooms.registry, sensitive)
    facts = ModelExtraction(log, projector, made.model_facts, reader, sensitive if completer.is_remote else None)
    summaries = ModelSummaries(log, projector, made.database, completer, sensitive)
    return (
        Chore("model facts", IDLE, facts, is_idle=True),
        Chore("model summaries", IDLE, summaries, is_idle=True),
    )


def _disposable(path: Path, build: Callable[[Path], MadeT]) -> MadeT:
    """Open a projection; one that is damaged is set aside and built anew from the log."""
    try:
        return build(path)
    except VaultDamagedError:
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.replace(part.with_name(f"{part.name}.damaged"))
        return build(path)
