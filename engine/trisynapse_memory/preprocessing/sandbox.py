"""Files and texts in; pages, vectors, facts, pictures out, made by a child that may hang or crash; none is made here.

Case R11: a PDF library can hang for good, and a signal does not stop it. So a worker reads one page after the other
under a deadline; when it hangs or dies, that page gets a verdict, and a fresh worker goes on with the next. No page is
ever missing: the pages that come out are as many as the heading states.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import BadEmbeddingError, SourceTimedOutError, WorkerDiedError
from trisynapse_memory.preprocessing.children import (
    DeadWorkerError,
    LateWorkerError,
    StoppedWorkerError,
    Worker,
    ask_once,
)
from trisynapse_memory.preprocessing.messages import (
    DoneReply,
    DrawRequest,
    EmbedRequest,
    ExtractRequest,
    FaultReply,
    ListingReply,
    LoadedPage,
    LoadRequest,
    MembersReply,
    OpenedReply,
    PictureReply,
    ProposalsReply,
    RecogniseRequest,
    Reply,
    VectorsReply,
    error_of,
)
from trisynapse_memory.preprocessing.recognition import Sheet
from trisynapse_memory.types import Heading, Listing, Page, PageVerdict, Passage, Proposal

__all__ = ["DrawWorker", "EmbedWorker", "ExtractWorker", "LoadedPage", "RecogniseWorker", "Sandbox"]

MAX_RESTARTS: Final = 8
BUDGET_BYTES: Final = 32 * 1024 * 1024  # of a file, that one time budget is for; measured: 100 MB of text, 5 min of CPU
"""Per file; a restart costs about a second of one core, and a file that kills eight workers is not worth a ninth."""

EMBED_BUDGET_S: Final = 180.0  # chosen; the first batch also loads the model
RECOGNISE_BUDGET_S: Final = 180.0  # chosen; a page takes 1 to 10 s, the first one also loads the models
EXTRACT_BUDGET_S: Final = 180.0  # chosen; a batch takes 10 s on one idle core, the first one also loads the tagger


class Sandbox:
    """Reads files in a child process that is started when it is first needed and used for one file after the other.

    Args:
        config: budgets and limits; see ``page_budget_s``, ``file_budget_s`` and ``worker_memory_bytes``.
        low_priority: step back for questions; off only where nobody waits for anything else.
        counter: the embedder whose wordpieces bound the chunks; empty for an estimate.
    """

    def __init__(self, config: Config, low_priority: bool = True, counter: str = "minilm") -> None:
        self._config = config
        self._low_priority = low_priority
        self._counter = counter
        self._worker = Worker(config, low_priority=low_priority)

    def load(
        self,
        path: Path,
        loader_name: str,
        *,
        password: str | None = None,
        start_page: int = 1,
        title: str = "",
        filename: str = "",
        charset: str = "",
        stop: threading.Event | None = None,
    ) -> Generator[LoadedPage | Heading | Listing]:
        """Read a file: first its heading, then its members or its pages, each as soon as it is read.

        Close the iterator to cancel, or set ``stop``, which is heard in the middle of a page too: the child is then
        killed, and the iterator ends. One file at a time per sandbox.

        Returns:
            An iterator that holds at most a few pages in memory. Every page from ``start_page`` to the heading's count
            comes exactly once, in order; one that hung is ``timed-out``, one that crashed its worker ``damaged``.

        Raises:
            SourceError: what ``Loader.open`` raised, as the same class; ``SourceTimedOutError`` or ``WorkerDiedError``
                where the file could not even be opened.
        """
        request = LoadRequest(
            path=str(path),
            loader=loader_name,
            config=self._config,
            password=password,
            start_page=start_page,
            counter=self._counter,
            title=title,
            filename=filename or path.name,
            charset=charset,
        )
        finished = False
        try:
            yield from _Load(self._worker, request, stop).run()
            finished = True
        finally:
            if not finished:
                self._worker.kill()

    def another(self) -> Sandbox:
        """Return a sandbox like this one with a child of its own, for what lies in the file that this one reads."""
        return Sandbox(self._config, self._low_priority, self._counter)

    def close(self) -> None:
        """Kill the child."""
        self._worker.kill()


class EmbedWorker:
    """Embeds texts in a child process, so that the engine's process never computes; one caller after the other.

    Args:
        config: ``worker_memory_bytes`` is used.
        embedder_name: a row of kind ``embedder``; ``row:argument`` where its model has to be named.
    """

    def __init__(self, config: Config, embedder_name: str, low_priority: bool = True) -> None:
        self._name = embedder_name
        self._worker = Worker(config, low_priority=low_priority)
        self._asking = threading.Lock()

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return ``(len(texts), d) float32`` unit rows in the order of the texts; no text gives ``(0, 0)``.

        Raises:
            WorkerDiedError: the child hung or died; the next call starts a new one.
            BadEmbeddingError: the vectors are too few, of no length, or not finite.
            TrisynapseError: what the embedder raised, as the same class.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        request = EmbedRequest(embedder=self._name, texts=tuple(texts))
        with self._asking:
            reply = ask_once(self._worker, request, f"embedder '{self._name}'", EMBED_BUDGET_S)
        return _vectors(reply, len(texts), self._name)

    def close(self) -> None:
        """Kill the child."""
        self._worker.kill()


class ExtractWorker:
    """Reads passages for facts in a child process; it is killed when it hangs, and the next call starts a new one.

    Several threads may ask; one after the other is answered.

    Args:
        config: ``worker_memory_bytes`` is used.
        extractor_name: a row of kind ``extractor``.
    """

    def __init__(self, config: Config, extractor_name: str, low_priority: bool = True) -> None:
        self._name = extractor_name
        self._worker = Worker(config, low_priority=low_priority)
        self._asking = threading.Lock()

    def extract(self, passages: Sequence[Passage]) -> tuple[Proposal, ...]:
        """Return what the extractor proposes, in the order of the passages.

        Raises:
            WorkerDiedError: the child hung, died, or said something else; the next call starts a new one.
            TrisynapseError: what the extractor raised, as the same class.
        """
        if not passages:
            return ()
        request = ExtractRequest(extractor=self._name, passages=tuple(passages))
        with self._asking:
            reply = ask_once(self._worker, request, f"extractor '{self._name}'", EXTRACT_BUDGET_S)
        if not isinstance(reply, ProposalsReply):
            self._worker.kill()
            raise WorkerDiedError(f"The worker of the extractor '{self._name}' said something that is no answer.")
        return reply.proposals

    def close(self) -> None:
        """Kill the child."""
        self._worker.kill()


class DrawWorker:
    """Draws pages in a child process, for a drawn page is a hostile file like any other; one caller after the other.

    Args:
        config: ``page_budget_s`` and ``worker_memory_bytes`` are used.
    """

    def __init__(self, config: Config, low_priority: bool = True) -> None:
        self._budget_s = config.page_budget_s
        self._worker = Worker(config, low_priority=low_priority)
        self._asking = threading.Lock()

    def draw(self, path: Path, loader_name: str, page: int, side: int) -> bytes:
        """Return one page (1-based) as a PNG whose longer side has ``side`` pixels.

        Raises:
            WorkerDiedError: the child hung or died; the next call starts a new one.
            SourceError: the file or the page cannot be drawn.
        """
        request = DrawRequest(path=str(path), loader=loader_name, page=page, side=side)
        with self._asking:
            reply = ask_once(self._worker, request, f"drawing of page {page}", self._budget_s)
        if not isinstance(reply, PictureReply):
            self._worker.kill()
            raise WorkerDiedError("The worker that draws pages said something that is no picture.")
        return reply.content

    def close(self) -> None:
        """Kill the child."""
        self._worker.kill()


class RecogniseWorker:
    """Reads pages from their pictures in a child process that is killed when it hangs; one caller after the other.

    Args:
        config: ``worker_memory_bytes`` is used, and what bounds chunks.
        counter: the embedder whose wordpieces bound the chunks; empty for an estimate.
    """

    def __init__(self, config: Config, counter: str = "minilm", low_priority: bool = True) -> None:
        self._config = config
        self._counter = counter
        self._worker = Worker(config, low_priority=low_priority)
        self._asking = threading.Lock()

    def recognise(self, path: Path, loader_name: str, recogniser: str, sheet: Sheet, title: str) -> LoadedPage:
        """Return one page as it was read from its picture, cut into chunks.

        Raises:
            WorkerDiedError: the child hung or died; the next call starts a new one.
            SourceError: the page cannot be drawn, or its picture not read.
        """
        request = RecogniseRequest(
            path=str(path),
            loader=loader_name,
            recogniser=recogniser,
            sheet=sheet,
            config=self._config,
            counter=self._counter,
            title=title,
        )
        with self._asking:
            reply = ask_once(
                self._worker, request, f"reading of the picture of page {sheet.number}", RECOGNISE_BUDGET_S
            )
        if not isinstance(reply, LoadedPage):
            self._worker.kill()
            raise WorkerDiedError("The worker that reads pictures said something that is no page.")
        return reply

    def close(self) -> None:
        """Kill the child."""
        self._worker.kill()


def file_budget_s(path: Path, config: Config) -> float:
    """Return how many seconds may be waited for the pages of a file: ``file_budget_s`` for each 32 MiB begun of it.

    By its bytes, which cannot lie as a count of pages can: 100 MB of text take minutes on a fast machine that is idle.
    """
    try:
        size = path.stat().st_size
    except OSError:  # whoever opens it says so
        size = 0
    return config.file_budget_s * max(1, -(-size // BUDGET_BYTES))


class _Load:
    """One file on its way through a worker, and through the next one where that died."""

    def __init__(self, worker: Worker, request: LoadRequest, stop: threading.Event | None) -> None:
        self._worker = worker
        self._stop = stop
        self._request = request
        self._heading: Heading | None = None
        self._announced = False
        self._next = request.start_page
        self._restart_count = 0
        self._left_s = file_budget_s(Path(request.path), request.config)
        self._listing = False

    def run(self) -> Iterator[LoadedPage | Heading | Listing]:
        """Yield everything there is, whatever happens to the workers."""
        while not self._is_complete():
            try:
                yield from self._read()
                break
            except LateWorkerError:
                page = self._lost(PageVerdict.TIMED_OUT, "Reading this page took longer than its budget.")
            except DeadWorkerError as death:
                page = self._lost(PageVerdict.DAMAGED, f"Reading this page ended the worker: {death}.")
            except StoppedWorkerError:
                return
            yield from self._announce()
            yield page
            self._restart_count += 1
            if self._restart_count > MAX_RESTARTS or self._left_s <= 0:
                break
        yield from self._announce()
        yield from self._rest()

    def _is_complete(self) -> bool:
        return self._heading is not None and self._next > self._heading.page_count

    def _read(self) -> Iterator[LoadedPage | Heading | Listing]:
        """One worker's share: from the page that is next to the end, or to the worker's."""
        try:
            self._worker.ask(structs.replace(self._request, start_page=self._next), self._stop)
            while not isinstance(reply := self._answer(), DoneReply):
                yield from self._take(reply)
        except (LateWorkerError, DeadWorkerError) as failure:
            if self._heading is not None and 0 < self._heading.page_count < self._next and not self._listing:
                return  # it died with its work done
            self._check_opened(failure)
            raise

    def _answer(self) -> Reply:
        began = time.monotonic()
        try:
            return self._worker.answer(min(self._request.config.page_budget_s, max(self._left_s, 0.05)), self._stop)
        finally:
            # Only waiting counts: a caller that commits slowly uses up nobody's budget.
            self._left_s -= time.monotonic() - began

    def _take(self, reply: Reply) -> Iterator[LoadedPage | Heading | Listing]:
        if isinstance(reply, FaultReply):
            raise error_of(reply)
        if isinstance(reply, OpenedReply):
            # Held back until something follows: page 1 may still tell the title.
            self._heading = reply.heading if not self._announced else self._heading
            return
        yield from self._announce()
        if isinstance(reply, MembersReply):
            self._listing = reply.reading
        elif isinstance(reply, ListingReply):
            yield reply.listing
        elif isinstance(reply, LoadedPage) and reply.page.number >= self._next:
            self._next = reply.page.number + 1
            yield reply

    def _announce(self) -> Iterator[Heading]:
        if self._heading is not None and not self._announced:
            self._announced = True
            yield self._heading

    def _check_opened(self, failure: LateWorkerError | DeadWorkerError) -> None:
        """A file that cannot be opened, and members that are half read, have no page to carry the verdict."""
        if self._heading is not None and not self._listing and self._heading.page_count >= self._next:
            return
        name = self._request.filename
        if isinstance(failure, LateWorkerError):
            raise SourceTimedOutError(f"Opening '{name}' took longer than its budget.") from None
        raise WorkerDiedError(f"Opening '{name}' ended the worker: {failure}.") from None

    def _lost(self, verdict: PageVerdict, note: str) -> LoadedPage:
        page = Page(number=self._next, text="", verdict=verdict, note=note)
        self._next += 1
        return LoadedPage(page=page)

    def _rest(self) -> Iterator[LoadedPage]:
        """The pages nobody read: no page is ever missing from the count."""
        while self._heading is not None and not self._is_complete():
            if self._left_s <= 0:
                yield self._lost(PageVerdict.TIMED_OUT, "The file took longer than its budget.")
            elif self._restart_count > MAX_RESTARTS:
                yield self._lost(PageVerdict.DAMAGED, f"Given up after {self._restart_count} broken pages.")
            else:
                yield self._lost(PageVerdict.DAMAGED, "The file ended before this page.")


def _vectors(reply: Reply, count: int, name: str) -> FloatArray:
    if not isinstance(reply, VectorsReply) or reply.rows != count or reply.columns == 0:
        raise BadEmbeddingError(f"The embedder '{name}' did not return one vector for each of {count} texts.")
    values = np.frombuffer(reply.values, dtype="<f4")
    if len(values) != reply.rows * reply.columns or not np.isfinite(values).all():
        raise BadEmbeddingError(f"The embedder '{name}' returned numbers that are not finite.")
    return values.astype(np.float32).reshape(reply.rows, reply.columns)
