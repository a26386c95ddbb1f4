"""A number of records in, how exact, fast and large a vault of that size is out. The records are drawn, not read.

Each record is a device report with an id of its own (``KX-00120``) among words that follow Zipf's law, so that every id
has neighbours that differ in one digit. Vectors are random unit vectors: they cost the search what real ones cost, and
mean nothing, so an exact id must win against them. One question in two names an id; the other half is common words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from trisynapse_memory.bench.baselines import WordsBaseline
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch, describe_machine, peak_rss_mb
from trisynapse_memory.bench.metrics import means, ratios
from trisynapse_memory.bench.report import BaselineRow, CategoryRow, Report
from trisynapse_memory.bench.workplace import Workplace, workplace
from trisynapse_memory.indexing.vector_tables import text_hash_of
from trisynapse_memory.pipelines.asking.query import Query
from trisynapse_memory.types import Message, Namespace, Scope

RECORD_COUNT: Final = 20_000
BATCH_RECORDS: Final = 500  # messages per call and per conversation
QUESTION_COUNT: Final = 100  # of each of the two kinds
VECTOR_BATCH: Final = 1_000
VOCABULARY_COUNT: Final = 50_000
WORDS_PER_RECORD: Final = 40
ZIPF_EXPONENT: Final = 1.05
SEED: Final = 7
VERSION: Final = "scale-1"
"""Names the drawing; another wording gives another corpus, so its digest must differ."""

_ONSETS, _VOWELS, _ENDS = "bdfgklmnprstvz", "aeiou", "lnrst"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and, for a question that names an id, the record that must come first."""

    text: str
    record: int | None


class Writer:
    """Draws records and questions; the same seed draws the same ones."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = np.random.default_rng(seed)
        shares = 1.0 / np.arange(1, VOCABULARY_COUNT + 1) ** ZIPF_EXPONENT
        self._cumulative = np.cumsum(shares / shares.sum())

    def text(self, number: int) -> str:
        """Return the report of one device."""
        words = " ".join(self._words(WORDS_PER_RECORD))
        return f"Device {device_id(number)} was inspected; its calibration code is {number * 7919 % 100_000}. {words}."

    def questions(self, record_count: int) -> list[Question]:
        """Draw questions about ids, and as many of four common words."""
        numbers = self._random.choice(record_count, size=min(QUESTION_COUNT, record_count), replace=False)
        exact = [Question(f"What is the calibration code of device {device_id(int(n))}?", int(n)) for n in numbers]
        common = [Question(" ".join(self._words(4)), None) for _ in exact]
        return [question for pair in zip(exact, common, strict=True) for question in pair]

    def vectors(self, count: int, dimension: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        """Draw unit vectors, evenly over the sphere."""
        drawn = self._random.standard_normal((count, dimension)).astype(np.float32)
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    def _words(self, count: int) -> list[str]:
        ranks = np.searchsorted(self._cumulative, self._random.random(count))
        return [word_of(int(rank)) for rank in ranks]


def device_id(number: int) -> str:
    """Return the id of one device."""
    return f"KX-{number:05d}"


def word_of(rank: int) -> str:
    """Return a word that can be spoken, another one for every rank."""
    syllables: list[str] = []
    rest = rank + len(_ONSETS) * len(_VOWELS)  # two syllables at least
    while rest:
        rest, onset = divmod(rest, len(_ONSETS))
        rest, vowel = divmod(rest, len(_VOWELS))
        syllables.append(_ONSETS[onset] + _VOWELS[vowel])
    return "".join(syllables) + _ENDS[rank % len(_ENDS)]


@dataclass(slots=True)
class Round:
    """One pass over the questions: how fast, and which share of the ids came first."""

    watch: Stopwatch
    hits: float


def run(_: Path, limit: int | None, note: Note) -> Report:
    """Measure a vault of ``limit`` records (20,000 by default); no corpus is needed."""
    count = RECORD_COUNT if limit is None else limit
    writer = Writer()
    texts = [writer.text(number) for number in range(count)]
    questions = writer.questions(count)
    with workplace(note) as place:
        early, intake, ids = _grow(place, texts, questions, note)
        words = _ask(questions, ids, lambda text: _words_only(place, text))
        intake["bytes_per_record_words"] = _bytes_now(place) / count
        intake["vectors_per_s"] = count / max(_put_vectors(place, writer, note).wall_s, 1e-9)
        both = _ask(questions, ids, lambda text: _everything(place, text))
        intake["bytes_per_record"] = place.close_and_weigh() / count
    plain = _ask_plain(texts, questions)
    rounds = {"words": words, "words+vectors": both, "fts5": plain}
    growth = ratios(words.watch.latency_ms(), early.watch.latency_ms())
    return _report(count, rounds, {**intake, "query_growth_quarter_to_full": growth.get("cpu_p50", 0.0)})


def _grow(
    place: Workplace, texts: Sequence[str], questions: Sequence[Question], note: Note
) -> tuple[Round, dict[str, float], list[str]]:
    """Ingest in batches; ask once when a quarter is in, so that growth can be told from size."""
    ids: list[str] = []
    laps = Stopwatch()
    early = Round(Stopwatch(), 0.0)
    for start in range(0, len(texts), BATCH_RECORDS):
        batch = texts[start : start + BATCH_RECORDS]
        messages = [Message(role="user", content=text, id=str(start + row)) for row, text in enumerate(batch)]
        with laps.lap():
            ids.extend(map(str, place.engine.ingest_messages(messages, group_id=f"batch-{start}")))
        if not early.watch.wall_ms and len(ids) * 4 >= len(texts):
            early = _ask(questions, ids, lambda text: _words_only(place, text))
        note(f"{len(ids):,} of {len(texts):,} records")
    tenth = max(1, len(laps.cpu_ms) // 10)
    first, last = sum(laps.cpu_ms[:tenth]), sum(laps.cpu_ms[-tenth:])
    figures = {
        "records": float(len(texts)),
        "records_per_s": len(texts) / max(laps.wall_s, 1e-9),
        "records_per_cpu_s": len(texts) / max(laps.cpu_s, 1e-9),
        "last_tenth_to_first_cpu": last / max(first, 1e-9),
    }
    return early, figures, ids


def _ask(questions: Sequence[Question], ids: Sequence[str], first: Callable[[str], str | None]) -> Round:
    """Ask every question once to warm up the caches of the system, and once for the figures."""
    watch = Stopwatch()
    hits: list[float] = []
    first(questions[0].text)
    for question in questions:
        with watch.lap():
            found = first(question.text)
        if question.record is not None and question.record < len(ids):
            hits.append(float(found == ids[question.record]))
    return Round(watch, sum(hits) / len(hits) if hits else 0.0)


def _words_only(place: Workplace, text: str) -> str | None:
    """Ask without the semantic route: what a question costs before any vector is there."""
    rooms = place.opened.rooms
    route = rooms.registry.load("route", "lexical")(rooms.lexical, rooms.config)
    hits = Query(rooms, [route]).search(text, Scope(namespace=Namespace(project_id=None))).hits
    return str(hits[0].record.id) if hits else None


def _everything(place: Workplace, text: str) -> str | None:
    hits = place.engine.search(text).hits
    return str(hits[0].record.id) if hits else None


def _put_vectors(place: Workplace, writer: Writer, note: Note) -> Stopwatch:
    records = place.records()
    vectors, watch = place.opened.rooms.vectors, Stopwatch()
    for start in range(0, len(records), VECTOR_BATCH):
        batch = records[start : start + VECTOR_BATCH]
        drawn = writer.vectors(len(batch), place.opened.rooms.embedder.dimension)
        hashes = [text_hash_of(record.text, record.fields) for record in batch]
        with watch.lap():
            vectors.put(dict(zip(hashes, drawn, strict=True)))
        note(f"{start + len(batch):,} of {len(records):,} vectors")
    return watch


def _bytes_now(place: Workplace) -> int:
    return sum(path.stat().st_size for path in place.folder.rglob("*") if path.is_file())


def _ask_plain(texts: Sequence[str], questions: Sequence[Question]) -> Round:
    baseline = WordsBaseline(texts)
    names = [str(number) for number in range(len(texts))]

    def first(text: str) -> str | None:
        return next((names[row] for row in baseline.rank(text, 1)), None)

    found = _ask(questions, names, first)
    baseline.close()
    return found


def _report(count: int, rounds: dict[str, Round], ingest: dict[str, float]) -> Report:
    ours = {"hit@1": round(rounds["words+vectors"].hits, 4)}
    plain, latency = rounds["fts5"], rounds["words+vectors"].watch.latency_ms()
    words_ms = rounds["words"].watch.latency_ms()
    return Report(
        suite="scale",
        corpus_sha256=hashlib.sha256(f"{VERSION} {SEED} {count} {Writer().text(0)}".encode()).hexdigest(),
        metrics=ours,
        by_category=tuple(
            CategoryRow(corpus=f"scale-{count}", category=f"exact ids, {name}", count=QUESTION_COUNT, metrics=figures)
            for name in ("words", "words+vectors")
            if (figures := means([{"hit@1": rounds[name].hits}]))
        ),
        baselines={
            "fts5": BaselineRow(
                metrics={"hit@1": round(plain.hits, 4)},
                ratios={
                    **ratios(ours, {"hit@1": plain.hits}),
                    **{f"words_{name}": ratio for name, ratio in ratios(words_ms, plain.watch.latency_ms()).items()},
                },
                latency_ms=plain.watch.latency_ms(),
            )
        },
        latency_ms={**latency, **{f"words_{name}": value for name, value in words_ms.items()}},
        ingest={name: round(value, 2) for name, value in ingest.items()},
        rss_mb=peak_rss_mb(),
        machine=describe_machine(),
    )
