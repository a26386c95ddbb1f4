"""A folder in, a tiny vault out: fixed clock, fixed dice, a parser in this process and an embedder without a model.

Nothing here starts a process or loads a network: the real parts are driven by the contracts and the journeys.
"""

from __future__ import annotations

import hashlib
import re
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trisynapse_memory import registry
from trisynapse_memory.config import Config
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import furnishing, opening
from trisynapse_memory.pipelines.furnishing import Projections, open_projections
from trisynapse_memory.pipelines.history import History
from trisynapse_memory.pipelines.ingest import Ingest, Options
from trisynapse_memory.pipelines.rooms import Busy, Rooms
from trisynapse_memory.preprocessing.messages import LoadRequest, OpenedReply
from trisynapse_memory.preprocessing.sandbox import LoadedPage
from trisynapse_memory.preprocessing.worker import Session
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.scoring import patterns
from trisynapse_memory.text.tokens import STEM_PREFIX, count_terms
from trisynapse_memory.types import Heading, IngestRun, Listing, Passage, Proposal, SourceInput

DIMENSION = 64


class StubEmbedder:
    """Unit rows that are near where texts share stems."""

    model_id, dimension, max_tokens = "stub/1", DIMENSION, 256

    def embed(self, texts: Sequence[str]) -> Any:
        rows = np.full((len(texts), DIMENSION), 1e-3, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for key, count in count_terms(text).frequencies.items():
                if key.startswith(STEM_PREFIX):
                    row[zlib.crc32(key.encode()) % DIMENSION] += count
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        return tuple(len(text.split()) + 2 for text in texts)


class InProcessSandbox:
    """The worker's own reading, without the worker. ``die_after`` breaks off after so many pages, as a crash does."""

    def __init__(self, *_: object) -> None:
        self.die_after: int | None = None

    def load(
        self, path: Path, loader_name: str, stop: threading.Event | None = None, **wishes: Any
    ) -> Iterator[LoadedPage | Heading | Listing]:
        request = LoadRequest(path=str(path), loader=loader_name, config=Config(), **wishes)
        heading: Heading | None = None
        page_count = 0
        for reply in Session().load(request):
            if stop is not None and stop.is_set():
                return
            if isinstance(reply, OpenedReply):
                heading = reply.heading  # held back, as the real one does: page 1 may still tell the title
                continue
            if heading is not None:
                yield heading
                heading = None
            if isinstance(reply, LoadedPage):
                if page_count == self.die_after:
                    raise KeyboardInterrupt
                page_count += 1
                yield reply
            elif hasattr(reply, "listing"):
                yield reply.listing
        if heading is not None:
            yield heading

    def another(self) -> InProcessSandbox:
        return InProcessSandbox()

    def close(self) -> None:
        return None


class StubEmbedWorker:
    """The embedding worker's place, in this process."""

    def __init__(self, *_: object) -> None:
        self._embedder = StubEmbedder()

    def embed(self, texts: Sequence[str]) -> Any:
        return self._embedder.embed(texts)

    def close(self) -> None:
        return None


class StubExtractWorker:
    """The extraction worker's place, in this process: it reads "X is the R of Y." and "X launches on D." only."""

    def __init__(self, *_: object) -> None:
        return None

    def extract(self, passages: Sequence[Passage]) -> tuple[Proposal, ...]:
        return tuple(found for passage in passages for found in plain_facts(passage))

    def close(self) -> None:
        return None


_PLAIN_FACTS = (
    ("role_held_by", re.compile(r"(?P<o>[A-Z][\w ]+?) is the (?P<part>[a-z ]+) of (?P<s>[A-Z][\w ]+)\.")),
    ("launch_date", re.compile(r"(?P<s>[A-Z][\w ]+?) launches on (?P<o>[^.]+)\.")),
    ("pretrained_with", re.compile(r"(?P<s>[A-Z]\w+) was pretrained with (?P<o>\w+)\.")),
)


def plain_facts(passage: Passage) -> Iterator[Proposal]:
    """Three kinds of sentence, so that what follows from facts is tested without a parser."""
    for relation, pattern in _PLAIN_FACTS:
        for match in pattern.finditer(passage.text):
            groups = match.groupdict()
            yield Proposal(
                seq=passage.seq,
                start=match.start(),
                end=match.end(),
                subject=groups["s"],
                relation=relation,
                object=groups["o"],
                pattern=f"plain.{relation}",
                confidence=0.98,
                qualifiers={"part": groups["part"]} if "part" in groups else {},
            )


class StubRegistry(registry.Registry):
    """The table without guests, with the stub in the embedder's place."""

    def __init__(self) -> None:
        super().__init__(guests=False)

    def load(self, kind: str, name: str) -> Any:
        return StubEmbedder if kind == "embedder" else super().load(kind, name)


@pytest.fixture(autouse=True)
def _device(monkeypatch: pytest.MonkeyPatch) -> None:
    """The id of the machine that runs the tests is not ours to make."""
    monkeypatch.setenv("TRISYNAPSE_DEVICE_ID", "dev_test")


@pytest.fixture
def clock() -> Callable[[], datetime]:
    """A clock that starts on a fixed day and advances a millisecond a look."""
    now = [datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)]

    def look() -> datetime:
        now[0] += timedelta(milliseconds=1)
        return now[0]

    return look


@pytest.fixture
def dice() -> Callable[[int], bytes]:
    """Bytes that repeat from run to run, no two throws alike."""
    throws = [0]

    def throw(count: int) -> bytes:
        throws[0] += 1
        return hashlib.sha256(str(throws[0]).encode()).digest()[:count]

    return throw


@pytest.fixture
def vault_folder(tmp_path: Path) -> Path:
    """Where the fixtures keep a vault's files, apart from what a test takes in."""
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


@pytest.fixture
def log(vault_folder: Path, clock: Callable[[], datetime], dice: Callable[[int], bytes]) -> Iterator[MemoryLog]:
    """An empty log with fixed clock and dice."""
    opened = MemoryLog(vault_folder / "log.db", "dev_test", clock, dice)
    yield opened
    opened.close()


@pytest.fixture
def rooms(vault_folder: Path, log: MemoryLog) -> Iterator[Rooms]:
    """The rooms of a vault, furnished by hand."""
    config, embedder, registry = Config(), StubEmbedder(), StubRegistry()
    made: Projections = open_projections(vault_folder, config, registry, embedder, log)
    rooms = Rooms(
        log=log,
        shelf=Shelf(log),
        blobs=BlobStore(vault_folder / "blobs"),
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
        history=History(vault_folder / "runs.db", config),
        registry=registry,
        config=config,
        egress=Egress(offline=True),
        asking=Busy(),
    )
    yield rooms
    rooms.projector.close()
    rooms.index.close()
    rooms.history.close()


@pytest.fixture
def sandbox() -> InProcessSandbox:
    """A parser in this process."""
    return InProcessSandbox()


@pytest.fixture
def take(rooms: Rooms, sandbox: InProcessSandbox) -> Callable[..., IngestRun]:
    """Run the write corridor over inputs; words are searchable afterwards, vectors wait."""

    def run(*inputs: SourceInput | Path, stop: threading.Event | None = None, **options: Any) -> IngestRun:
        chosen = tuple(SourceInput(path=str(one)) if isinstance(one, Path) else one for one in inputs)
        corridor = Ingest(rooms, sandbox, options.pop("notify", lambda progress: None))  # pyright: ignore[reportArgumentType]
        return corridor.run(chosen, Options(**options), stop or threading.Event())

    return run


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``MemoryEngine.open`` build a vault without a worker and without a model."""
    monkeypatch.setattr(furnishing, "Registry", StubRegistry)
    monkeypatch.setattr(opening, "Sandbox", InProcessSandbox)
    monkeypatch.setattr(furnishing, "EmbedWorker", StubEmbedWorker)
    monkeypatch.setattr(furnishing, "ExtractWorker", StubExtractWorker)
    names = [f"plain.{relation}" for relation, _ in _PLAIN_FACTS]
    monkeypatch.setattr(patterns, "PATTERNS", {name: patterns.Worth(name, 200, 200) for name in names})


@pytest.fixture
def engine(tmp_path: Path, in_process: None) -> Iterator[MemoryEngine]:
    """The front door of an empty vault."""
    with MemoryEngine.open(tmp_path / "one.vault", create=True, offline=True) as opened:
        yield opened


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder with two texts."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "light.txt").write_text("Foucault measured the speed of light with a rotating mirror in 1862.\n")
    (folder / "device.md").write_text("# Devices\n\nThe calibration code of device KX-00120 is 4711.\n")
    return folder


ATLAS = (
    "Project Atlas is the new search service of the team. Priya Raman is the tech lead of Project Atlas. "
    "Project Atlas launches on 14 October 2026. The budget was approved in spring."
)


@pytest.fixture
def atlas(engine: MemoryEngine) -> MemoryEngine:
    engine.ingest(SourceInput(text=ATLAS, title="Atlas plan"))
    return engine


@pytest.fixture
def bert(engine: MemoryEngine) -> MemoryEngine:
    engine.ingest(
        SourceInput(text="BERT was pretrained with Adam.", title="The paper"),
        SourceInput(text="In the released code BERT was pretrained with AdamW.", title="The code"),
    )
    return engine
