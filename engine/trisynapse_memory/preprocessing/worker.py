"""Requests on standard input in; pages, members, vectors, facts, pictures on standard output out. Nothing is stored.

The program a ``Sandbox`` starts as a child (``processes.module_command``). It parses hostile files, so it limits its
own memory, steps back for the rest of the machine, and dies with its parent.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from inspect import signature
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import structs

from trisynapse_memory.contracts import (
    Audible,
    Drawable,
    Embedder,
    Extractor,
    Loader,
    Recogniser,
    Reranker,
    TokenCounter,
    Transcriber,
)
from trisynapse_memory.errors import SourceUnsupportedError, TrisynapseError
from trisynapse_memory.preprocessing.chunking import chunk_page, estimated_counts
from trisynapse_memory.preprocessing.messages import (
    DoneReply,
    DrawRequest,
    EmbedRequest,
    ExtractRequest,
    ListingReply,
    LoadedPage,
    LoadRequest,
    MembersReply,
    OpenedReply,
    PictureReply,
    ProposalsReply,
    ReadyReply,
    RecogniseRequest,
    Reply,
    Request,
    RerankRequest,
    TranscribeRequest,
    VectorsReply,
    fault_of,
    receive_request,
    send,
)
from trisynapse_memory.preprocessing.recognition import SIDE, page_of
from trisynapse_memory.preprocessing.recordings import transcripts
from trisynapse_memory.providers.offline import forbid_network
from trisynapse_memory.registry import Registry
from trisynapse_memory.text.terms import terms_of
from trisynapse_memory.types import Chunk, Page, Section

NICENESS: Final = 10
ORPHAN_FACTOR: Final = 3  # budgets; long after the parent would have killed a hanging worker, it ends itself
BATCH_ALARM_S: Final = 180.0  # for a batch of texts to embed or of passages to read

# A page of raw glyphs is thousands of small dictionaries: with the usual thresholds the collector walks them again
# and again.
_GC_THRESHOLDS: Final = (200_000, 20, 20)


def main(arguments: Sequence[str]) -> int:
    """Serve requests until the parent closes the pipe.

    Args:
        arguments: memory limit in bytes (0: none), 1 for low priority, and the process id of the parent.
    """
    memory_bytes, low_priority, parent = (int(argument) for argument in arguments[:3])
    # Libraries print to standard output; the pipe is for replies only.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _die_with(parent)
    # What parses a stranger's file, and what embeds her words, has no business in the network.
    forbid_network()
    _limit(memory_bytes, low_priority == 1)
    gc.set_threshold(*_GC_THRESHOLDS)
    alarm = Alarm()
    session = Session()
    send(replies, ReadyReply())
    while (request := receive_request(sys.stdin.buffer)) is not None:
        budget_s = request.config.page_budget_s if isinstance(request, LoadRequest) else BATCH_ALARM_S
        try:
            alarm.arm(budget_s)
            for reply in session.answer(request):
                alarm.cancel()  # waiting for a slow parent is no hang
                send(replies, reply)
                alarm.arm(budget_s)
        except TrisynapseError as error:
            send(replies, fault_of(error))
        alarm.cancel()
    return 0


class Alarm:
    """Ends this process when it hangs long after its parent should have killed it: then there is no parent any more.

    A C thread does this; a thread of Python would wait for ever for the interpreter lock that a hanging parser holds.
    """

    def __init__(self) -> None:
        self._void = os.open(os.devnull, os.O_WRONLY)

    def arm(self, budget_s: float) -> None:
        """Start counting anew."""
        faulthandler.dump_traceback_later(budget_s * ORPHAN_FACTOR + 5, exit=True, file=self._void)

    def cancel(self) -> None:
        """Stop counting."""
        faulthandler.cancel_dump_traceback_later()


class Session:
    """What one worker keeps between requests: the branches it has loaded."""

    def __init__(self) -> None:
        self._registry = Registry()
        self._embedders: dict[str, Embedder] = {}
        self._extractors: dict[str, Extractor] = {}
        self._recognisers: dict[str, Recogniser] = {}
        self._transcribers: dict[tuple[str, str], Transcriber] = {}
        self._rerankers: dict[tuple[str, str], Reranker] = {}

    def answer(self, request: Request) -> Iterator[Reply]:
        """Do what a request asks for."""
        match request:
            case LoadRequest():
                return self.load(request)
            case EmbedRequest():
                return self.embed(request)
            case ExtractRequest():
                return self.extract(request)
            case DrawRequest():
                return self.draw(request)
            case RecogniseRequest():
                return self.recognise(request)
            case TranscribeRequest():
                return self.transcribe(request)
            case RerankRequest():
                return self.rerank(request)

    def load(self, request: LoadRequest) -> Iterator[Reply]:
        """Read a file: its heading, its pages, its members."""
        loader: Loader = self._registry.load("loader", request.loader)()
        counter: TokenCounter = self._embedder(request.counter).token_counts if request.counter else estimated_counts
        wishes = _with_charset(loader, request.charset)
        document = loader.open(Path(request.path), request.password, filename=request.filename, **wishes)
        try:
            heading = document.heading
            yield OpenedReply(heading=heading)
            for page, sections in document.pages(request.start_page):
                if document.heading != heading:
                    heading = document.heading
                    yield OpenedReply(heading=heading)
                title = heading.title or request.title
                chunks = chunk_page(page, sections, counter, request.config)
                chunks = tuple(_with_terms(chunk, title) for chunk in chunks)
                yield LoadedPage(page=page, sections=sections, chunks=chunks)
            yield MembersReply(reading=True)
            for listing in document.members():
                yield ListingReply(listing=listing)
            yield MembersReply(reading=False)
        finally:
            document.close()
        yield DoneReply()

    def embed(self, request: EmbedRequest) -> Iterator[Reply]:
        """Turn texts into vectors."""
        vectors = self._embedder(request.embedder).embed(request.texts)
        rows = np.ascontiguousarray(vectors, dtype="<f4")
        columns = int(rows.shape[1]) if rows.ndim == 2 else 0
        yield VectorsReply(rows=len(rows), columns=columns, values=rows.tobytes())
        yield DoneReply()

    def extract(self, request: ExtractRequest) -> Iterator[Reply]:
        """Read passages for facts."""
        if request.extractor not in self._extractors:
            self._extractors[request.extractor] = self._registry.load("extractor", request.extractor)()
        yield ProposalsReply(proposals=self._extractors[request.extractor].extract(request.passages))
        yield DoneReply()

    def draw(self, request: DrawRequest) -> Iterator[Reply]:
        """Draw one page."""
        yield PictureReply(content=self._picture(request.loader, request.path, request.page, request.side))
        yield DoneReply()

    def transcribe(self, request: TranscribeRequest) -> Iterator[Reply]:
        """Listen to one stretch of a recording, and cut what was said into chunks like any page."""
        loader: Loader = self._registry.load("loader", request.loader)()
        document = loader.open(Path(request.path), filename=request.filename)
        if not isinstance(document, Audible):
            raise SourceUnsupportedError(f"Nothing of this kind of source ('{request.loader}') can be heard.")
        key = (request.transcriber, request.model)
        if key not in self._transcribers:
            self._transcribers = {key: self._registry.load("transcriber", request.transcriber)(request.model)}
        transcriber, sound = self._transcribers[key], document.listen(request.page)
        hearing = transcripts.Hearing(request.page, transcriber.method)
        page, sections = transcripts.page_of(hearing, sound, transcriber.transcribe(sound.samples))
        yield self._cut(page, sections, request)
        yield DoneReply()

    def rerank(self, request: RerankRequest) -> Iterator[Reply]:
        """Judge passages."""
        key = (request.reranker, request.model)
        if key not in self._rerankers:
            self._rerankers = {key: self._registry.load("reranker", request.reranker)(request.model)}
        judge = self._rerankers[key].judge
        logits = judge(request.question, request.passages, max_tokens=request.max_tokens, budget_s=request.budget_s)
        values = np.ascontiguousarray(logits, dtype="<f4")
        yield VectorsReply(rows=len(values), columns=1, values=values.tobytes())
        yield DoneReply()

    def recognise(self, request: RecogniseRequest) -> Iterator[Reply]:
        """Read one page from its picture, and cut it into chunks like any page."""
        name = request.recogniser
        if name not in self._recognisers:
            self._recognisers[name] = self._registry.load("recogniser", name)()
        picture = self._picture(request.loader, request.path, request.sheet.number, SIDE)
        page, sections = page_of(request.sheet, picture, self._recognisers[name].recognise(picture), name)
        yield self._cut(page, sections, request)
        yield DoneReply()

    def _cut(
        self, page: Page, sections: tuple[Section, ...], request: RecogniseRequest | TranscribeRequest
    ) -> LoadedPage:
        counter: TokenCounter = self._embedder(request.counter).token_counts if request.counter else estimated_counts
        chunks = chunk_page(page, sections, counter, request.config)
        chunks = tuple(_with_terms(chunk, request.title) for chunk in chunks)
        return LoadedPage(page=page, sections=sections, chunks=chunks)

    def _picture(self, loader_name: str, path: str, page: int, side: int) -> bytes:
        loader: Loader = self._registry.load("loader", loader_name)()
        document = loader.open(Path(path))
        try:
            if not isinstance(document, Drawable):
                raise SourceUnsupportedError(f"No page of this kind of source ('{loader_name}') can be drawn.")
            return document.draw(page, side)
        finally:
            document.close()

    def _embedder(self, name: str) -> Embedder:
        """An embedder by its row's name, or ``row:argument`` for one that has to be told which model."""
        if name not in self._embedders:
            row, _, argument = name.partition(":")
            made = self._registry.load("embedder", row)
            self._embedders[name] = made(argument) if argument else made()
        return self._embedders[name]


def _with_charset(loader: Loader, charset: str) -> dict[str, str]:
    """What a server said of an encoding is for loaders of texts, the only ones that ask for it."""
    return {"charset": charset} if charset and "charset" in signature(loader.open).parameters else {}


def _with_terms(chunk: Chunk, title: str) -> Chunk:
    """Add the title to what is searched for, and count the terms here, so that the engine only commits."""
    fields = {"title": title, **chunk.fields} if title else chunk.fields
    return structs.replace(chunk, fields=fields, terms=terms_of(chunk.text, fields))


def _die_with(parent: int) -> None:
    if sys.platform != "linux":
        return
    import ctypes
    import signal

    set_death_signal = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the signal was set
        os._exit(0)


def _limit(memory_bytes: int, low_priority: bool) -> None:
    """Bound what a hostile file can take from the machine (case R11). Windows sets the priority when it starts us."""
    if sys.platform == "win32":
        return
    import resource

    if low_priority:
        os.nice(NICENESS)
    if memory_bytes:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
