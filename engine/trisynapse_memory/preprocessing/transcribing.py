"""A stretch of a recording in, its words as a page out, heard by a child that may hang or crash; none is heard here."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import structs

from trisynapse_memory.config import SETTINGS, Config
from trisynapse_memory.errors import WorkerDiedError
from trisynapse_memory.preprocessing.children import Worker, ask_once
from trisynapse_memory.preprocessing.messages import LoadedPage, TranscribeRequest
from trisynapse_memory.preprocessing.sandbox import Sandbox
from trisynapse_memory.types import Heading, Listing

BUDGET_S: Final = 480.0  # a minute takes 3 to 60 s of one core, with the largest models 400 s; below the worker's alarm
WEIGHTS_FACTOR: Final = 4  # address space of a model by its file: read, converted to int8 and mapped at the same time


class Voice(NamedTuple):
    """Who writes down: a row of kind ``transcriber``, its model's folder, how large that is, what records call it."""

    row: str
    folder: str
    size_bytes: int
    method: str


class Minute(NamedTuple):
    """What is listened to: the stored original, its loader, which page (from 1); how its file and source are called."""

    path: Path
    loader: str
    page: int
    filename: str
    title: str


class TranscribeWorker:
    """Listens to recordings in a child process that is killed when it hangs; one caller after the other.

    Args:
        config: ``worker_memory_bytes`` is used, and what bounds chunks.
        counter: the embedder whose wordpieces bound the chunks; empty for an estimate.
    """

    def __init__(self, config: Config, counter: str = "minilm", low_priority: bool = True) -> None:
        self._config = config
        self._counter = counter
        self._low_priority = low_priority
        self._worker: Worker | None = None
        self._voice: Voice | None = None
        self._asking = threading.Lock()

    def transcribe(self, voice: Voice, minute: Minute) -> LoadedPage:
        """Return one page as it was heard, cut into chunks.

        Raises:
            WorkerDiedError: the child hung or died; the next call starts a new one.
            SourceError: the recording cannot be opened or decoded.
            ModelFileError, BranchUnavailableError: the model cannot be used.
        """
        request = TranscribeRequest(
            path=str(minute.path),
            loader=minute.loader,
            transcriber=voice.row,
            model=voice.folder,
            page=minute.page,
            config=self._config,
            counter=self._counter,
            title=minute.title,
            filename=minute.filename,
        )
        with self._asking:
            worker = self._worker_for(voice)
            reply = ask_once(worker, request, f"transcriber of minute {minute.page}", BUDGET_S)
        if not isinstance(reply, LoadedPage):
            worker.kill()
            raise WorkerDiedError("The worker that listens said something that is no page.")
        return reply

    def look_again(self, minute: Minute) -> Generator[LoadedPage | Heading | Listing]:
        """Read a recording that could not be looked into when it came, as ``Sandbox.load`` reads any file."""
        with closing(Sandbox(self._config, self._low_priority, self._counter)) as sandbox:
            yield from sandbox.load(minute.path, minute.loader, title=minute.title, filename=minute.filename)

    def close(self) -> None:
        """Kill the child."""
        if (worker := self._worker) is not None:
            worker.kill()

    def _worker_for(self, voice: Voice) -> Worker:
        """A child with room for the model; another model gets another child."""
        if self._worker is None or self._voice != voice:
            self.close()
            most = next(setting.high for setting in SETTINGS if setting.name == "worker_memory_bytes")
            room = min(int(most), self._config.worker_memory_bytes + WEIGHTS_FACTOR * voice.size_bytes)
            config = structs.replace(self._config, worker_memory_bytes=room)
            self._worker, self._voice = Worker(config, low_priority=self._low_priority), voice
        return self._worker
