"""A vault in, its rooms and its background chores out: the only place of the engine that builds branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeVar

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import (
    ClaimReader,
    Completer,
    DescriptionReader,
    Embedder,
    Extractor,
    FollowRoute,
    GraphReader,
    Index,
    LexicalStore,
    Route,
    SentenceParser,
    SummaryReader,
    VectorStore,
)
from trisynapse_memory.errors import ProviderError, VaultDamagedError
from trisynapse_memory.indexing.graph_upkeep import GraphUpkeep
from trisynapse_memory.indexing.graph_vectors import StoredVectors
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.indexing.summary_upkeep import SummaryUpkeep
from trisynapse_memory.indexing.vector_switch import VectorModels
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.moments import visible_as_of
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.asking.reordering import Reordering
from trisynapse_memory.pipelines.consolidation import Consolidation
from trisynapse_memory.pipelines.digests import Digests
from trisynapse_memory.pipelines.extraction import Extraction, Reader
from trisynapse_memory.pipelines.history import History
from trisynapse_memory.pipelines.jobs import Chore, Work
from trisynapse_memory.pipelines.novelty import NoveltyStore, SourceNovelty
from trisynapse_memory.pipelines.recognition import Recognition, choose_recogniser
from trisynapse_memory.pipelines.removal import finish_removals
from trisynapse_memory.pipelines.rooms import Busy, FactsStore, RequestFeed, Rooms
from trisynapse_memory.pipelines.similarity import Similarity
from trisynapse_memory.pipelines.staffing.choices import FILE_NAME, ChoiceFile
from trisynapse_memory.pipelines.staffing.duties import Duty
from trisynapse_memory.pipelines.staffing.embedder_seats import SeatMaker
from trisynapse_memory.pipelines.staffing.embedders import Embedders
from trisynapse_memory.pipelines.staffing.embedding import Embedding
from trisynapse_memory.pipelines.staffing.sharing import Sharer
from trisynapse_memory.pipelines.staffing.staff import Means, Staff
from trisynapse_memory.pipelines.transcription import Transcription
from trisynapse_memory.pipelines.writing.descriptions import PageDescriptions
from trisynapse_memory.pipelines.writing.model_extraction import (
    MODEL_FACTS,
    ModelExtraction,
    author_of,
    model_reader,
    open_waiting,
)
from trisynapse_memory.pipelines.writing.model_summaries import ModelSummaries
from trisynapse_memory.preprocessing.reranking import RerankWorker
from trisynapse_memory.preprocessing.sandbox import DrawWorker, EmbedWorker, ExtractWorker, RecogniseWorker
from trisynapse_memory.preprocessing.transcribing import TranscribeWorker
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.files.model_files import ModelFiles
from trisynapse_memory.providers.keys import KeyStore
from trisynapse_memory.registry import Registry
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import PATTERN_EXTRACTOR, Role, SourceId
from trisynapse_memory.vault import Vault, device_id

EMBEDDER: Final = "minilm"
PARSER: Final = "english"
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
    descriptions: DescriptionReader
    novelty: NoveltyStore


class _Named(NamedTuple):
    """One kind of background work of a role, as the activity pane calls it, and how its worker is let go."""

    name: str
    work: Duty
    rest: Callable[[], None] = lambda: None


class Furniture(NamedTuple):
    """Everything that is built once for an open vault."""

    rooms: Rooms
    routes: tuple[Route, ...]
    followers: tuple[FollowRoute, ...]
    reordering: Reordering
    extractor: ExtractWorker
    digests: Digests
    staff: Staff
    embedders: Embedders
    chores: Callable[[Callable[[], bool]], tuple[Chore, ...]]


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the caller of ``MemoryEngine.open`` wants of the models of a vault.

    ``offline`` lets nothing reach the network, whatever was chosen; ``completer`` fills every role of writing, and
    ``embedder`` that of embedding.
    """

    offline: bool = False
    completer: Completer | None = None
    embedder: Embedder | None = None


def furnish(vault: Vault, config: Config, conditions: Conditions) -> Furniture:
    """Open every file of a vault, bring all projections up to its log, and return what works on it."""
    registry = Registry()
    log = MemoryLog(vault.log_path, device_id())
    blobs = BlobStore(vault.blobs_path)
    blobs.sweep()
    embedder: Embedder = registry.load("embedder", EMBEDDER)()
    made = open_projections(vault.root, config, registry, embedder, log)
    history = History(vault.runs_path, config)
    choices, requests = ChoiceFile(vault.root / FILE_NAME), RequestFeed()
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
        descriptions=made.descriptions,
        novelty=made.novelty,
        embedder=embedder,
        history=history,
        registry=registry,
        config=config,
        egress=Egress(
            offline=conditions.offline or choices.choices.offline, ledger=history.ledger, record=requests.tell
        ),
        asking=Busy(),
        requests=requests,
        parser=_parser(registry),
    )
    staff = Staff(
        _means(rooms, choices, conditions.offline),
        conditions.completer,
        has_embedder=conditions.embedder is not None,
    )
    duties = _duties(rooms, made, staff)
    for one in duties:
        one.work.prepare()
    rooms.projector.catch_up()
    finish_removals(rooms)
    rooms.vectors.retry_failures()
    rooms.vectors.switch()
    return _with_chores(rooms, made, staff, duties, conditions.embedder)


def _parser(registry: Registry) -> SentenceParser | None:
    """What reads the grammar of sentences that a model wrote; nothing is loaded before the first of them."""
    return registry.load("parser", PARSER)() if registry.is_available("parser", PARSER) else None


def _means(rooms: Rooms, choices: ChoiceFile, is_offline: bool) -> Means:
    """What models are built with; the keys and the model files are those of this machine."""
    keys = KeyStore()
    keys.scrubber.guard_logs()
    return Means(
        choices=choices,
        keys=keys,
        egress=rooms.egress,
        registry=rooms.registry,
        sharer=Sharer(rooms.log, lambda: choices.choices.sharing, lambda: choices.revision),
        purse=rooms.history.purse,
        files=ModelFiles(rooms.egress),
        device=device_id(),
        is_offline=is_offline,
    )


def open_projections(
    folder: Path, config: Config, registry: Registry, embedder: Embedder, log: MemoryLog
) -> Projections:
    """Open the indexes of a vault; a file of theirs that is damaged is set aside and built anew from the log."""
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
        descriptions, novelty = load("descriptions")(database, config), load("novelty")(database)
        indexes = (lexical, facts, claims, graph, summaries, descriptions, novelty, vector_index)
        return Projections(
            database,
            vector_database,
            indexes,
            lexical,
            vector_index,
            facts,
            claims,
            graph,
            summaries,
            descriptions,
            novelty,
        )

    return _disposable(folder / "index.db", open_rest)


def _with_chores(
    rooms: Rooms, made: Projections, staff: Staff, duties: Sequence[_Named], given: Embedder | None
) -> Furniture:
    """Build what works in the background, each with the worker it needs."""
    config, log = rooms.config, rooms.log
    embedding, reading = EmbedWorker(config, EMBEDDER), ExtractWorker(config, PATTERN_EXTRACTOR)
    extractor: type[Extractor] = rooms.registry.load("extractor", PATTERN_EXTRACTOR)
    reader = Reader(extractor.name, extractor.version, reading.extract)
    upkeep = GraphUpkeep(made.database)
    maker = SeatMaker(config, rooms.registry, rooms.embedder, embedding, EmbedWorker, staff.embedder_at, given)
    models = VectorModels(made.vector_database)
    embedders = Embedders(models, maker.make, staff.wanted_embedder)
    vectors = Embedding(rooms.vectors, models, log, embedders, config, staff.means.sharer)
    stored = StoredVectors(made.vector_database)
    similarity = Similarity(upkeep, rooms.vectors, stored)

    def is_read(source_id: SourceId) -> bool:
        return rooms.facts.waiting_count(source_id) == 0

    novelty = SourceNovelty(made.novelty, rooms.shelf, rooms.vectors, stored, rooms.claims, is_read)
    model, dimension = rooms.embedder.model_id, rooms.embedder.dimension
    digests = Digests(SummaryUpkeep(made.database), log, embedding.embed, model)
    consolidation = Consolidation(upkeep, rooms.claims, embedding.embed, model=model, dimension=dimension)

    recogniser, _ = choose_recogniser(rooms.registry)
    looking = RecogniseWorker(config, EMBEDDER)
    scans = Recognition(rooms, recogniser, looking.recognise)
    listening = TranscribeWorker(config, EMBEDDER)
    recordings = Transcription(rooms, staff.transcribers.voice, listening)

    def chores(closing: Callable[[], bool]) -> tuple[Chore, ...]:
        facts = Extraction(log, rooms.projector, rooms.facts, reader, closing)
        return (
            Chore("facts", URGENT, facts, reading.close),
            Chore("vectors", URGENT, vectors, vectors.rest),
            Chore("scans", URGENT, scans, looking.close, held_up=lambda: "" if recogniser else None),
            Chore("recordings", LATER, recordings, listening.close, held_up=recordings.held_up),
            Chore("similarity", LATER, similarity),
            Chore("summaries", LATER, digests),
            Chore("novelty", LATER, novelty, is_idle=True),
            Chore("consolidation", IDLE, consolidation, is_idle=True),
            *(Chore(name, IDLE, duty, rest, is_idle=True, held_up=duty.held_up) for name, duty, rest in duties),
        )

    lexical, semantic = rooms.registry.load("route", "lexical"), rooms.registry.load("route", "semantic")
    routes = (lexical(rooms.lexical, config), semantic(rooms.vectors, embedders.serving, config))
    followers = build_followers(rooms)
    reordering = Reordering(log, staff.rerankers, RerankWorker(config))
    return Furniture(rooms, routes, followers, reordering, reading, digests, staff, embedders, chores)


def build_followers(rooms: Rooms) -> tuple[FollowRoute, ...]:
    """Build the ways from candidates to what is linked with them, in the order in which they bring records in."""
    load, log, config = partial(rooms.registry.load, "route"), rooms.log, rooms.config
    return (
        load("mentions")(rooms.graph, log, config),
        load("places")(rooms.lexical, rooms.graph, log),
        load("graph")(rooms.graph, config),
        load("activation")(rooms.graph, config),
        load("claims")(rooms.claims, config),
        load("summaries")(rooms.summaries, log, config),
        load("temporal")(log, config),
        load("modality")(log),
    )


def _duties(rooms: Rooms, made: Projections, staff: Staff) -> tuple[_Named, ...]:
    """What models do, last and for later: it is slow, and every answer works without it."""
    log, projector, sharer = rooms.log, rooms.projector, staff.means.sharer
    load_facts = partial(rooms.registry.load, "index", "facts")

    def read_facts(completer: Completer) -> Work:
        held = sharer.withheld(completer)
        index = open_waiting(made.database, load_facts(), author_of(completer, rooms.registry))
        if index is None:
            raise ProviderError("There is nobody to read for facts.")
        projector.attach(index)
        projector.catch_up()
        reader = model_reader(completer, rooms.registry, held)
        return ModelExtraction(log, projector, index, reader, held if completer.is_remote else None, sharer.stamp)

    def leave_facts() -> None:
        projector.detach(MODEL_FACTS)
        open_waiting(made.database, load_facts(), None)

    def sum_up(completer: Completer) -> Work:
        return ModelSummaries(log, projector, made.database, completer, sharer.withheld(completer), stamp=sharer.stamp)

    drawing = DrawWorker(rooms.config)

    def describe(completer: Completer) -> Work:
        return PageDescriptions(rooms, completer, sharer.withheld(completer), drawing.draw, sharer.stamp)

    return (
        _Named("model facts", Duty(Role.EXTRACTION, staff, read_facts, leave_facts)),
        _Named("model summaries", Duty(Role.SUMMARY, staff, sum_up)),
        _Named("descriptions", Duty(Role.VISION, staff, describe), drawing.close),
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
