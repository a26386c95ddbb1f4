"""Stores and questions in, the recall of the engine, of the engine with parts off, and of the baselines out.

Each store is a vault of its own. It is taken in once by the real engine; then every question is asked of the engine and
of the baselines, and, where parts are to be switched off, the same vault is opened again with other settings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import Struct

from trisynapse_memory.bench.ablations import settings_without
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.bench.metrics import distinct, judge
from trisynapse_memory.bench.peer_runs import PeerRun
from trisynapse_memory.bench.shelves import Shelf, Stand, shelve, stands_of
from trisynapse_memory.bench.stores import Asked, EvidenceSuite, Order, Store
from trisynapse_memory.bench.workplace import Workplace, workplace

DEPTH: Final = 20  # hits asked for; the deepest figure is @10, and the MRR of a first hit below 20 would add under .05
CUT_DEPTH: Final = 60  # records asked for where a text is several of them, so that 20 texts are among them
ENGINE: Final = "engine"


class Judged(Struct, frozen=True, kw_only=True):
    """One question: where it belongs, how near its evidence is to it, and each method's figures.

    ``cosine`` is that of the question and the nearest record of its gold, in [-1, 1].
    """

    corpus: str
    category: str
    cosine: float
    figures: dict[str, dict[str, float]]


@dataclass(slots=True)
class Tally:
    """What a run has collected so far."""

    judged: list[Judged] = field(default_factory=list[Judged])
    skipped: Counter[str] = field(default_factory=Counter[str])
    watches: dict[str, Stopwatch] = field(default_factory=dict[str, Stopwatch])
    words: Stopwatch = field(default_factory=Stopwatch)
    intake: Stopwatch = field(default_factory=Stopwatch)
    embedding: Stopwatch = field(default_factory=Stopwatch)
    embedded_count: int = 0
    record_count: int = 0
    byte_count: int = 0
    peers: PeerRun = field(default_factory=PeerRun)

    def watch(self, method: str) -> Stopwatch:
        """Return what times one method's questions."""
        return self.watches.setdefault(method, Stopwatch())


def collect(suite: EvidenceSuite, data: Path, order: Order, note: Note) -> Tally:
    """Ask every question of a suite.

    Args:
        suite: what is read and asked.
        data: the folder of the corpora.
        order: how many, and which parts are switched off.
        note: told how far the run is.
    """
    tally = Tally(peers=PeerRun(order.peers, note))
    for store in suite.read(data):
        room = None if order.limit is None else order.limit - len(tally.judged)
        if room is not None and room <= 0:
            tally.skipped["store"] += 1
            continue
        note(f"{store.corpus}: {store.name}")
        _measure(tally, suite, store, _asked(store, room, tally), order, note)
    return tally


def _asked(store: Store, room: int | None, tally: Tally) -> list[Asked]:
    """The questions that count, at most ``room``; what is left out before the last of them is counted."""
    chosen: list[Asked] = []
    for question in store.questions:
        if len(chosen) == room:
            break
        tally.skipped["evidence id"] += question.malformed
        if question.gold:
            chosen.append(question)
        else:
            tally.skipped["question"] += 1
    return chosen


def _measure(
    tally: Tally, suite: EvidenceSuite, store: Store, questions: Sequence[Asked], order: Order, note: Note
) -> None:
    with workplace(note) as place:
        shelf = shelve(place, store, tally.intake)
        tally.skipped["text"] += len(shelf.lost)
        tally.skipped["copy"] += len(shelf.same)
        if order.settle:
            place.settle(note)
        rankings = {ENGINE: _ask_engine(place, shelf, questions, tally.watch(ENGINE))}
        vectors = place.opened.rooms.embedder.embed([one.text for one in questions])
        stands = stands_of(shelf, store, place, note)
        rankings |= _ask_plainly(stands, questions, list(vectors), tally)
        rankings |= _ask_peers(stands, questions, list(vectors), tally.peers, place)
        for name in order.ablate:
            note(f"without: {name}")
            with place.under(settings_without(name)) as other:
                rankings[name] = _ask_engine(other, shelf, questions, tally.watch(name))
        for number, question in enumerate(questions):
            ranked = {method: lists[number] for method, lists in rankings.items()}
            tally.judged.append(_judged(suite, store, shelf, question, ranked, vectors[number]))
        for stand in stands:
            stand.baselines.close()
        tally.record_count += len(shelf.records)
        tally.embedded_count += place.embeddings.embedded_count
        tally.embedding.wall_ms += place.embeddings.watch.wall_ms
        tally.embedding.cpu_ms += place.embeddings.watch.cpu_ms
        tally.byte_count += place.close_and_weigh()


def _ask_engine(place: Workplace, shelf: Shelf, questions: Sequence[Asked], watch: Stopwatch) -> list[list[str]]:
    depth, keys = CUT_DEPTH if shelf.is_cut else DEPTH, shelf.key_of()
    rankings: list[list[str]] = []
    for question in questions:
        with watch.lap():
            hits = place.engine.search(question.text, top_k=depth).hits
        rankings.append(distinct(keys[hit.record.id] for hit in hits if hit.record.id in keys)[:DEPTH])
    return rankings


def _ask_plainly(
    stands: Sequence[Stand], questions: Sequence[Asked], vectors: Sequence[np.ndarray], tally: Tally
) -> dict[str, list[list[str]]]:
    rankings: dict[str, list[list[str]]] = {}
    for question, vector in zip(questions, vectors, strict=True):
        for stand in stands:
            watch = tally.words if not stand.suffix else None  # the search whose time is compared with the engine's
            for method, ranked in stand.rank(question.text, vector, watch).items():
                rankings.setdefault(method, []).append(ranked[:DEPTH])
    return rankings


def _ask_peers(
    stands: Sequence[Stand], questions: Sequence[Asked], vectors: Sequence[np.ndarray], peers: PeerRun, place: Workplace
) -> dict[str, list[list[str]]]:
    rankings: dict[str, list[list[str]]] = {}
    asked = [(question.text, vector) for question, vector in zip(questions, vectors, strict=True)]
    for stand in stands:
        found = peers.ask(
            stand.units, asked, stand.depth(DEPTH, CUT_DEPTH), place.embeddings.rows, counted=not stand.suffix
        )
        for name, lists in found.items():
            rankings[f"{name}{stand.suffix}"] = [stand.ranking_of(numbers)[:DEPTH] for numbers in lists]
    return rankings


def _nearness(shelf: Shelf, gold: Collection[str], vector: np.ndarray) -> float:
    rows = [row for row, key in enumerate(shelf.keys) if key in gold]
    return float((shelf.matrix[rows] @ vector).max()) if rows else 0.0


def _judged(
    suite: EvidenceSuite,
    store: Store,
    shelf: Shelf,
    question: Asked,
    ranked: dict[str, list[str]],
    vector: np.ndarray,
) -> Judged:
    gold = shelf.gold_of(question)
    figures = {method: judge(ranking, gold) for method, ranking in ranked.items()}
    return Judged(
        corpus=store.corpus,
        category=question.category,
        cosine=_nearness(shelf, gold, vector),
        figures={method: {name: row[name] for name in suite.measures} for method, row in figures.items()},
    )
