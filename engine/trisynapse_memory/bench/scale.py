"""A number of records in, how exact, fast and large a vault of that size is out. The records are drawn, not read.

One vault grows; at each size it is asked new questions, and so is the plain way to do the same: FTS5 and exact cosine
over the same texts and vectors, merged by reciprocal rank. Both embed each question anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from trisynapse_memory.bench.baselines import FUSED_DEPTH, DenseBaseline, WordsBaseline
from trisynapse_memory.bench.drawing import SEED, VERSION, Question, Writer
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch, describe_machine, peak_rss_mb
from trisynapse_memory.bench.metrics import percentile, ratios
from trisynapse_memory.bench.report import BaselineRow, CategoryRow, Report
from trisynapse_memory.bench.workplace import Workplace, workplace
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing.vector_tables import text_hash_of
from trisynapse_memory.pipelines.asking.query import Query
from trisynapse_memory.scoring.fusion import RRF_K, fuse_reciprocal
from trisynapse_memory.types import Message, Namespace, Scope

SIZES: Final = (10_000, 20_000, 100_000)  # the sizes that speed is promised for; a limit cuts them off
BATCH_RECORDS: Final = 500  # messages per call and per conversation
VECTOR_BATCH: Final = 1_000
WAYS: Final = ("words", "search", "answer", "fts5", "plain")
"""``search`` is the engine's own search, ``words`` the same without vectors, ``answer`` a cited answer or a refusal."""

First = Callable[[str], str | None]
"""The id of the record that comes first for a question."""


@dataclass(slots=True)
class Asked:
    """One pass over the questions: how fast, in which steps, and which share of the ids came first."""

    watch: Stopwatch = field(default_factory=Stopwatch)
    hits: list[float] = field(default_factory=list[float])
    steps_ms: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    @property
    def metrics(self) -> dict[str, float]:
        """Wall and processor time in ms, the middle of each step, and the share of ids that came first."""
        steps = {f"step_{name}": percentile(times, 0.5) for name, times in self.steps_ms.items()}
        found = {"hit@1": sum(self.hits) / len(self.hits)} if self.hits else {}
        return {name: round(value, 3) for name, value in (found | self.watch.latency_ms() | steps).items()}


@dataclass(slots=True)
class Plain:
    """The plain way: all texts and vectors so far."""

    texts: list[str]
    ids: list[str]
    matrix: FloatArray


def run(_: Path, limit: int | None, note: Note) -> Report:
    """Measure a vault at each of ``SIZES`` up to ``limit``, and at the limit itself; no corpus is needed."""
    sizes = SIZES if limit is None else (*(size for size in SIZES if size < limit), limit)
    writer = Writer()
    with workplace(note) as place:
        plain = Plain([], [], np.zeros((0, place.opened.rooms.embedder.dimension), dtype=np.float32))
        laps, asked = Stopwatch(), dict[int, dict[str, Asked]]()
        for size in sizes:
            _grow(place, plain, writer, size, laps, note)
            asked[size] = _ask_all(place, plain, writer.questions(size))
            note(f"{size:,} records asked")
        size = sizes[-1]
        intake = {**_intake(laps, size), "bytes_per_record": place.close_and_weigh() / size}
    return _report(asked, {**intake, **_growth(asked)})


def _grow(place: Workplace, plain: Plain, writer: Writer, size: int, laps: Stopwatch, note: Note) -> None:
    """Take records in until there are ``size``, each with its vector."""
    before = len(plain.texts)
    for start in range(before, size, BATCH_RECORDS):
        numbers = range(start, min(start + BATCH_RECORDS, size))
        messages = [Message(role="user", content=writer.text(number), id=str(number)) for number in numbers]
        plain.texts.extend(message.content for message in messages)
        with laps.lap():
            plain.ids.extend(map(str, place.engine.ingest_messages(messages, group_id=f"batch-{start}")))
        note(f"{len(plain.ids):,} of {size:,} records")
    vectors = writer.vectors(size - before, plain.matrix.shape[1])
    plain.matrix = np.concatenate([plain.matrix, vectors])
    _put(place, plain.ids[before:], vectors)


def _put(place: Workplace, ids: Sequence[str], vectors: FloatArray) -> None:
    records = {str(record.id): record for record in place.records()}
    hashes = [text_hash_of(records[one].text, records[one].fields) for one in ids]
    for start in range(0, len(ids), VECTOR_BATCH):
        rows = slice(start, start + VECTOR_BATCH)
        place.opened.rooms.vectors.put(dict(zip(hashes[rows], vectors[rows], strict=True)))


def _ask_all(place: Workplace, plain: Plain, questions: Sequence[Question]) -> dict[str, Asked]:
    """Ask in every way; each embeds the questions for itself."""
    words = WordsBaseline(plain.texts)
    dense = DenseBaseline(plain.matrix)
    embed = place.opened.rooms.embedder.embed

    def merged(text: str) -> str | None:
        arms = {
            "fts5": words.score(text, FUSED_DEPTH),
            "dense": dense.score(embed([text])[0], FUSED_DEPTH),
        }
        fused = fuse_reciprocal(arms, {}, RRF_K)
        return plain.ids[fused[0][0]] if fused else None

    def by_words(text: str) -> str | None:
        return next((plain.ids[row] for row in words.rank(text, 1)), None)

    asked = {
        "words": _ask(questions, plain.ids, _words_only(place)),
        "search": _ask_engine(place, questions, plain.ids),
        "answer": _ask_answers(place, questions),
        "fts5": _ask(questions, plain.ids, by_words),
        "plain": _ask(questions, plain.ids, merged),
    }
    words.close()
    return asked


def _ask(questions: Sequence[Question], ids: Sequence[str], first: First) -> Asked:
    """Ask every question once, after one that warms up the caches of the system."""
    asked = Asked()
    first("a first question")
    for question in questions:
        with asked.watch.lap():
            found = first(question.text)
        if question.record is not None:
            asked.hits.append(float(found == ids[question.record]))
    return asked


def _words_only(place: Workplace) -> First:
    """What a question costs where no vector is there."""
    rooms = place.opened.rooms
    query = Query(rooms, [rooms.registry.load("route", "lexical")(rooms.lexical, rooms.config)])
    scope = Scope(namespace=Namespace(project_id=None))

    def first(text: str) -> str | None:
        return next((str(hit.record.id) for hit in query.search(text, scope).hits), None)

    return first


def _ask_engine(place: Workplace, questions: Sequence[Question], ids: Sequence[str]) -> Asked:
    steps: dict[str, list[float]] = {}

    def first(text: str) -> str | None:
        found = place.engine.search(text)
        _note_steps(steps, found.timings_ms)
        return next((str(hit.record.id) for hit in found.hits), None)

    asked = _ask(questions, ids, first)
    asked.steps_ms = steps
    return asked


def _ask_answers(place: Workplace, questions: Sequence[Question]) -> Asked:
    """Ask for answers; what they say is judged by other suites."""
    asked = Asked()
    for question in questions:
        with asked.watch.lap():
            answer = place.engine.query(question.text)
        _note_steps(asked.steps_ms, answer.timings_ms)
    return asked


def _note_steps(steps: dict[str, list[float]], timings: Mapping[str, float]) -> None:
    for name, value in timings.items():
        if name != "total":
            steps.setdefault(name, []).append(value)


def _intake(laps: Stopwatch, size: int) -> dict[str, float]:
    tenth = max(1, len(laps.cpu_ms) // 10)
    first, last = sum(laps.cpu_ms[:tenth]), sum(laps.cpu_ms[-tenth:])
    return {
        "records": float(size),
        "records_per_s": size / max(laps.wall_s, 1e-9),
        "records_per_cpu_s": size / max(laps.cpu_s, 1e-9),
        "last_tenth_to_first_cpu": last / max(first, 1e-9),
    }


def _growth(asked: Mapping[int, Mapping[str, Asked]]) -> dict[str, float]:
    """How much slower a question is in the largest vault than in the smallest, by processor time."""
    sizes = list(asked)
    if len(sizes) < 2:
        return {}
    small, large = asked[sizes[0]], asked[sizes[-1]]
    pairs = {way: (large[way].watch.latency_ms(), small[way].watch.latency_ms()) for way in WAYS}
    return {f"growth_{way}": ratios(*pair).get("cpu_p50", 0.0) for way, pair in pairs.items()}


def _report(asked: Mapping[int, Mapping[str, Asked]], intake: Mapping[str, float]) -> Report:
    size = list(asked)[-1]
    largest = asked[size]
    ours = {"hit@1": largest["search"].metrics["hit@1"]}
    latency = largest["search"].watch.latency_ms()
    return Report(
        suite="scale",
        corpus_sha256=hashlib.sha256(f"{VERSION} {SEED} {size} {Writer().text(0)}".encode()).hexdigest(),
        metrics=ours,
        by_category=tuple(
            CategoryRow(corpus=f"scale-{size}", category=way, count=len(one.watch.cpu_ms), metrics=one.metrics)
            for size, ways in asked.items()
            for way, one in ways.items()
        ),
        baselines={name: _baseline(largest[name], ours, latency) for name in ("fts5", "plain")},
        latency_ms=latency
        | {f"answer_{name}": value for name, value in largest["answer"].watch.latency_ms().items()}
        | {f"words_{name}": value for name, value in largest["words"].watch.latency_ms().items()},
        ingest={name: round(value, 2) for name, value in intake.items()},
        rss_mb=peak_rss_mb(),
        machine=describe_machine(),
    )


def _baseline(asked: Asked, ours: Mapping[str, float], latency: Mapping[str, float]) -> BaselineRow:
    found = {"hit@1": asked.metrics["hit@1"]}
    theirs = asked.watch.latency_ms()
    return BaselineRow(metrics=found, ratios=ratios(ours, found) | ratios(latency, theirs), latency_ms=theirs)
