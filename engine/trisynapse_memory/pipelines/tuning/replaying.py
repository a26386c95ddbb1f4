"""A question and settings in, how its candidates are ranked out, with what each score is made of. Nothing is kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from math import log2
from typing import Final, NamedTuple

import numpy as np

from trisynapse_memory.config import Config
from trisynapse_memory.pipelines.asking.finding import Finder, Ranked
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.tuning.weights import STRETCHED
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.scoring.weighting import Floats, Sheet
from trisynapse_memory.types import Scope

PARTS: Final = tuple(STRETCHED)


class Seen(NamedTuple):
    """The candidates of one question: log positions, score without parts, lift of exact words, parts ``(c, k)``."""

    seqs: tuple[int, ...]
    base: Floats
    exact: Floats
    parts: Floats


class Replayer:
    """Ranks questions of one vault under settings to be tried; no run is kept, and nothing is written."""

    def __init__(self, rooms: Rooms, finder: Finder) -> None:
        self._rooms = rooms
        self._finder = finder

    def rank(self, question: str, scope: Scope, config: Config, today: date | None = None) -> Ranked:
        """Rank the records for a question under some settings, in one state of the vault; no model is asked."""
        plan = plan_question(question, config, today=today)
        with self._rooms.index.read(), self._rooms.log.database.read():
            return self._finder.under(config).find(plan, scope, _quiet)


def place_of(ranked: Ranked, wanted: Collection[int]) -> tuple[int, int] | None:
    """Return (rank, log position) of the best record that was right; None where none is a candidate."""
    return next(((rank, one.seq) for rank, one in enumerate(ranked.fused, start=1) if one.seq in wanted), None)


def gain_of(ranked: Ranked, wanted: Collection[int]) -> float:
    """Return the nDCG of a ranking in [0, 1]; see ``Sheet.gains``."""
    ranks = (rank for rank, one in enumerate(ranked.fused, start=1) if one.seq in wanted)
    return sum(1.0 / log2(1 + rank) for rank in ranks) / sum(1.0 / log2(2 + place) for place in range(len(wanted)))


def seen_in(ranked: Ranked) -> Seen:
    """Take the scores of a ranking apart; with the parts as they are, base and parts give the same ranking."""
    fused = ranked.fused
    parts = np.array([[one.parts.get(name, 0.0) for name in PARTS] for one in fused], dtype=np.float64)
    parts = parts.reshape(len(fused), len(PARTS))
    scores = np.array([one.score for one in fused], dtype=np.float64)
    exact = np.array([one.parts.get("exact", 0.0) for one in fused], dtype=np.float64)
    return Seen(tuple(one.seq for one in fused), scores - parts.sum(axis=1), exact, parts)


def sheet_of(seen: Sequence[Seen], wanted: Sequence[Collection[int]]) -> Sheet:
    """Lay the candidates of all questions out as one table, a row for each record that was right."""
    pairs = [(number, seq) for number, seqs in enumerate(wanted) for seq in sorted(seqs)]
    width = max((len(one.seqs) for one in seen), default=0) or 1
    shape = (len(pairs), width)
    base, exact = np.full(shape, -np.inf), np.zeros(shape)
    order, parts = np.zeros(shape, dtype=np.int64), np.zeros((*shape, len(PARTS)))
    right = np.full(len(pairs), -1, dtype=np.int64)
    places: list[Mapping[int, int]] = [{seq: column for column, seq in enumerate(one.seqs)} for one in seen]
    for row, (number, seq) in enumerate(pairs):
        one = seen[number]
        count = len(one.seqs)
        base[row, :count], exact[row, :count], parts[row, :count] = one.base, one.exact, one.parts
        order[row, :count] = one.seqs
        right[row] = places[number].get(seq, -1)
    owner = np.array([number for number, _ in pairs], dtype=np.int64)
    return Sheet(base=base, exact=exact, order=order, parts=parts, right=right, owner=owner)


def _quiet(*_: object) -> None:
    return None
