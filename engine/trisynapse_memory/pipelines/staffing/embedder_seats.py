"""A choice of embedder in, the two ways it is asked out: a question at once, records in the background.

Seats: the built-in model, a sentence-transformers folder, a model service, and an object of the caller's own. Building
a seat asks nobody and loads no model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from msgspec import structs

from trisynapse_memory.config import SETTINGS, Config
from trisynapse_memory.contracts import Embedder, FloatArray
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError
from trisynapse_memory.providers.files.hub_folders import folder_for, is_repository
from trisynapse_memory.providers.files.model_files import models_folder
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import SourceId

BUILT_IN: Final = "built-in"
FOLDER: Final = "sentence-transformers"
GIVEN: Final = "given"

EmbedRecords = Callable[[Sequence[str], tuple[SourceId, ...]], FloatArray]
"""Texts and the sources whose words they are in, ``(n, d) float32`` unit rows out."""


class Choice(NamedTuple):
    """Which embedder is wanted: a service, and the name it knows the model by.

    Of a folder that is its path, or the name it has on the hub, from where it was fetched before.
    """

    service: str = BUILT_IN
    model: str = ""


class SourcedEmbedder(Embedder, Protocol):
    """An embedder at a service: what leaves is noted with its sources, and may be refused at any time."""

    is_remote: bool

    def embed(self, texts: Sequence[str], source_ids: tuple[SourceId, ...] = ()) -> FloatArray:
        """See ``contracts.Embedder``; ``source_ids`` stand in the ledger."""
        ...

    def dismiss(self) -> None:
        """Ask it no more; what is under way ends within 200 ms."""
        ...


AtService = Callable[[str, str, int], SourcedEmbedder]
"""A service's name, a model's name and the length of its vectors (0: not known) in, the embedder out; asks nobody."""


class TextWorker(Protocol):
    """A child process that embeds (``sandbox.EmbedWorker``)."""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return unit rows in the order of the texts."""
        ...

    def close(self) -> None:
        """Let the child go; the next call starts another one."""
        ...


MakeWorker = Callable[[Config, str, bool], TextWorker]
"""Numbers, ``row:argument`` of an embedder, and whether it steps back for everything else."""


def _nothing() -> None:
    return None


class Seat(NamedTuple):
    """An embedder and how it is asked.

    ``embedder`` embeds questions and says what it is; ``embed_records`` works in the background; ``rest`` lets go of
    what only the background needs, ``close`` of everything. ``is_service`` says that somebody else is asked, in this
    machine or, where ``is_remote``, beyond it.
    """

    embedder: Embedder
    embed_records: EmbedRecords
    is_remote: bool = False
    is_service: bool = False
    rest: Callable[[], None] = _nothing
    close: Callable[[], None] = _nothing


class SeatMaker:
    """Builds the seat of a choice.

    Args:
        config: the numbers of a worker.
        registry: knows the branch for folders.
        embedder: the built-in one, in this process.
        worker: the built-in one, in the child that embeds in the background; others may use it too.
        make_worker: starts children for a folder's model.
        at_service: builds an embedder at a service, behind its permission; None where there are no services.
        given: an embedder that the caller of ``MemoryEngine.open`` brought along; it is asked in this process.
    """

    def __init__(
        self,
        config: Config,
        registry: Registry,
        embedder: Embedder,
        worker: TextWorker,
        make_worker: MakeWorker,
        at_service: AtService | None = None,
        given: Embedder | None = None,
    ) -> None:
        self._config = config
        self._registry = registry
        self._built_in = Seat(embedder, _without_sources(worker.embed), rest=worker.close, close=worker.close)
        self._make_worker = make_worker
        self._at_service = at_service
        self._given = given

    def make(self, choice: Choice, dimension: int = 0) -> Seat:
        """Return the seat of a choice.

        Args:
            choice: what is wanted.
            dimension: how long its vectors are, where that is known; 0 where not.

        Raises:
            BranchUnavailableError: a package it needs is not installed, or there is no such embedder.
            ModelFileError: the folder is not there, or is no model.
            ProviderError: there is no such service, or it embeds nothing.
        """
        if choice.service == BUILT_IN:
            return self._built_in
        if choice.service == FOLDER:
            return self._folder_seat(choice.model)
        if choice.service == GIVEN and self._given is not None:
            return _given_seat(self._given)
        if self._at_service is None or choice.service == GIVEN:
            raise BranchUnavailableError(
                f"The embedder '{choice.service}' is not here.", hint="Choose another one, or open the vault with it."
            )
        embedder = self._at_service(choice.service, choice.model, dimension)
        return Seat(embedder, embedder.embed, embedder.is_remote, is_service=True, close=embedder.dismiss)

    def _folder_seat(self, folder: str) -> Seat:
        row = next(row for row in self._registry.rows("embedder") if row.name == FOLDER)
        if missing := self._registry.missing(row):
            raise BranchUnavailableError(
                f"An embedding model in a folder needs the package '{missing[0]}'.",
                hint=f"Install it: pip install 'trisynapse-desktop[{row.extra}]'.",
            )
        path = str(place_of(folder))
        known: Embedder = self._registry.load("embedder", FOLDER)(path)
        _ = known.model_id  # read now, so that a folder that is no model is told when it is chosen
        # It parses no hostile file, and torch maps more than it uses: the limit of a worker would only break it.
        config = structs.replace(self._config, worker_memory_bytes=_most("worker_memory_bytes"))
        background = self._make_worker(config, f"{FOLDER}:{path}", True)
        asked = FolderEmbedder(known, self._make_worker(config, f"{FOLDER}:{path}", False))

        def close() -> None:
            background.close()
            asked.close()

        return Seat(asked, _without_sources(background.embed), rest=background.close, close=close)


class FolderEmbedder:
    """A folder's model for questions, in a child of its own: torch stays out of this process, and no question waits.

    Args:
        known: says what it is and counts tokens, without loading the model.
        worker: embeds.
    """

    def __init__(self, known: Embedder, worker: TextWorker) -> None:
        self._known = known
        self._worker = worker
        self.model_id = known.model_id
        self.dimension = known.dimension
        self.max_tokens = known.max_tokens

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """See ``contracts.Embedder``; the first call starts the child, which takes some ten seconds.

        Raises:
            WorkerDiedError: the child hung or died; the next call starts a new one.
            ProviderError: the model failed.
        """
        return self._worker.embed(texts)

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        """See ``contracts.Embedder``."""
        return self._known.token_counts(texts)

    def close(self) -> None:
        """Let the child go."""
        self._worker.close()


def place_of(folder: str) -> Path:
    """Return where a folder's model lies: at a path, or where it was put when it was fetched from the hub.

    Raises:
        ModelFileError: there is no such folder.
    """
    path = Path(folder).expanduser().absolute()
    if path.is_dir():
        return path
    if not is_repository(folder):
        raise ModelFileError(f"There is no folder '{path.name}'.", hint="Choose the folder that holds 'modules.json'.")
    fetched = folder_for(models_folder(), folder)
    if not fetched.is_dir():
        raise ModelFileError(
            f"The embedding model '{folder}' is not on this machine yet.", hint=f"Fetch it: `models download {folder}`."
        )
    return fetched


def _given_seat(given: Embedder) -> Seat:
    is_remote = bool(getattr(given, "is_remote", False))
    return Seat(given, _without_sources(given.embed), is_remote=is_remote)


def _without_sources(embed: Callable[[Sequence[str]], FloatArray]) -> EmbedRecords:
    def embed_records(texts: Sequence[str], _: tuple[SourceId, ...]) -> FloatArray:
        return embed(texts)

    return embed_records


def _most(name: str) -> int:
    return next(int(setting.high) for setting in SETTINGS if setting.name == name)
