"""A choice of reranker in, the cross-encoder that puts passages in order out, or why none does. No model is loaded.

A model is a folder she chose, or one that was fetched from the hub before. It is looked at once, and anew when the
choices have changed. None is used without her choice: it changes the order of what is found.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError, ModelTooLargeError, TrisynapseError
from trisynapse_memory.preprocessing.reranking import LOAD_BUDGET_S, CrossEncoder, RerankWorker
from trisynapse_memory.providers.files.hub_folders import is_repository
from trisynapse_memory.providers.files.reranker_folders import SHELF, RerankerFolder, read_reranker
from trisynapse_memory.providers.machine import Machine, read_machine
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import Role, RoleChoice

CROSS_ENCODER: Final = "cross-encoder"
"""The service that stands for folders of cross-encoders, and the row that reads them."""

GIB: Final = 1024**3
MEMORY_BYTES: Final = 256 * 1024**2  # of its process besides the weights: 240 MB with all-MiniLM-L6-v2, int8 (22 MB)
MEMORY_FACTOR: Final = 2  # the weights as they are read, and as they are laid out to be run; chosen

QUESTION: Final = "What is the capital of France?"
ANSWERING: Final = "The capital of France is Paris."
UNRELATED: Final = "Green paint fades in the sun."


class Rerankers:
    """Who puts passages in order in one open vault; safe under threads.

    Args:
        registry: knows the row and what it needs.
        chosen: the folder, or the name on the hub, that she chose; or an empty text.
        models: the folder of this machine's model files.
        machine: looks at this machine.
    """

    def __init__(
        self,
        registry: Registry,
        chosen: Callable[[], str],
        models: Path,
        machine: Callable[[], Machine] = read_machine,
    ) -> None:
        self._registry = registry
        self._machine = machine
        self._chosen = chosen
        self._models = models
        self._lock = threading.Lock()
        self._known: tuple[str, CrossEncoder | TrisynapseError] | None = None

    def model(self) -> CrossEncoder | None:
        """Return the cross-encoder she chose, None where she chose none.

        Raises:
            BranchUnavailableError: a package it needs is not installed.
            ModelFileError: what she chose cannot be used, or is too large for this machine.
        """
        named = self._chosen()
        if not named:
            return None
        with self._lock:
            if self._known is None or self._known[0] != named:
                self._known = (named, self._looked_up(named))
            found = self._known[1]
        if isinstance(found, TrisynapseError):
            raise found
        return found

    def choice(self) -> RoleChoice:
        """Return which model puts passages in order and whether it can, as any role's choice; see ``Staff.choice``."""
        named = self._chosen()
        service = CROSS_ENCODER if named else ""
        try:
            state = "off" if self.model() is None else "ready"
        except TrisynapseError as error:
            return RoleChoice(role=Role.RERANKING, service=service, model=named, state="missing", note=str(error))
        return RoleChoice(role=Role.RERANKING, service=service, model=named, state=state)

    def try_model(self) -> str:
        """Let the model judge two passages in a child process; return what it gave them.

        Raises:
            ModelFileError: it cannot be used, or puts what does not answer before what does.
            BranchUnavailableError, ModelDiedError: it cannot be run here.
        """
        model = self.model()
        if model is None:
            raise ModelFileError("No cross-encoder is chosen.")
        with closing(RerankWorker(Config(), idle_s=0)) as worker:
            answering, unrelated = worker.judge(model, QUESTION, (ANSWERING, UNRELATED), LOAD_BUDGET_S)
        if answering <= unrelated:
            raise ModelFileError(
                f"{model.model_id} puts a passage that does not answer before one that does.",
                hint="Choose another model for 'reranking', or none.",
            )
        return f"{answering:.2f} for a passage that answers, {unrelated:.2f} for one that does not"

    def forget(self) -> None:
        """Look anew the next time."""
        with self._lock:
            self._known = None

    def _looked_up(self, named: str) -> CrossEncoder | TrisynapseError:
        row = next(row for row in self._registry.rows("reranker") if row.name == CROSS_ENCODER)
        if missing := self._registry.missing(row):
            install = f"pip install {missing[0]}"
            return BranchUnavailableError(
                f"A cross-encoder needs the package '{missing[0]}'.", hint=f"Install it: {install}."
            )
        try:
            found = read_reranker(self._place_of(named))
            self._check_memory(found)
        except ModelFileError as error:
            return error
        return CrossEncoder(CROSS_ENCODER, str(found.path), found.size_bytes, found.model_id)

    def _check_memory(self, folder: RerankerFolder) -> None:
        need, total = MEMORY_BYTES + MEMORY_FACTOR * folder.size_bytes, self._machine().total_bytes
        if need > total:
            there = f"this machine has {total / GIB:.1f}"
            raise ModelTooLargeError(
                f"The cross-encoder '{folder.name}' needs {need / GIB:.1f} GiB of memory; {there}.",
                hint="Choose a smaller model for 'reranking', or none.",
            )

    def _place_of(self, named: str) -> Path:
        """Where the folder lies: at a path, or where it was put when it was fetched from the hub."""
        path = Path(named).expanduser().absolute()
        if path.is_dir() or not is_repository(named):
            return path
        fetched = self._models / SHELF / named.replace("/", "--")
        if not fetched.is_dir():
            raise ModelFileError(
                f"The cross-encoder '{named}' is not on this machine yet.", hint=f"Fetch it: `models download {named}`."
            )
        return fetched
