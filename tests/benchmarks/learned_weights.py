"""Conversations with labelled questions in, what weights learned from the first hundred do to the others out; by hand.

    python tests/benchmarks/learned_weights.py --data ../shared/data

Each conversation of LoCoMo is a vault of its own. The first ``--learned`` of its questions (a shuffle with a fixed
seed) are asked, and a simulated reader opens every labelled turn among the ``--shown`` hits of the search, or, with
``--random``, hits drawn at random. Then the vault learns, as it does in the window. Printed are what was proposed and
why, and recall@10 of the questions that nobody asked, with the default weights and with the proposed ones.

With ``--lexical 0.8`` the vault is opened with that share of words, as if it were the default: set wrong on purpose,
since the true defaults were chosen on these very conversations. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from statistics import fmean

from trisynapse_memory.bench import locomo
from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.bench.metrics import recall_at
from trisynapse_memory.bench.shelves import Shelf, shelve
from trisynapse_memory.bench.stores import Asked, Store
from trisynapse_memory.bench.workplace import Workplace, workplace
from trisynapse_memory.config import Config
from trisynapse_memory.types import TrialStatus

SEED = 20261201
DEPTH = 10


def main() -> None:
    """Measure every conversation and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--learned", type=int, default=100, help="questions that are asked and judged")
    parser.add_argument("--shown", type=int, default=30, help="hits she looks at")
    parser.add_argument("--random", action="store_true", help="open hits at random instead of labelled turns")
    parser.add_argument("--lexical", type=float, help="share of words in fusion that counts as the default")
    parser.add_argument("--only", type=int, help="this conversation alone, counted from 0")
    options = parser.parse_args()
    rows = []
    for number, store in enumerate(locomo.SUITE.read(options.data)):
        if options.only is None or number == options.only:
            with workplace(lambda _: None) as place:
                shelf = shelve(place, store, Stopwatch())
                with place.under(_config(options.lexical)) as opened:
                    rows.append(_measure(opened, shelf, store, options))
    if rows:
        before, after = (fmean(row[column] for row in rows) for column in (0, 1))
        print(f"mean of {len(rows)} conversations: recall@{DEPTH} {before:.4f} -> {after:.4f}")


def _config(lexical: float | None) -> Config:
    return Config() if lexical is None else Config(lexical_weight=lexical, semantic_weight=round(1 - lexical, 4))


def _measure(place: Workplace, shelf: Shelf, store: Store, options: argparse.Namespace) -> tuple[float, float]:
    asked = [one for one in store.questions if one.gold]
    dice = random.Random(SEED)
    dice.shuffle(asked)
    count = min(options.learned, len(asked) * 2 // 3)
    learned, others = asked[:count], asked[count:]
    keys = shelf.key_of()
    before = _recall(place, shelf, others)
    place.engine.tuning.switch(True)
    for question in learned:
        _open(place, shelf, question, options, dice)
    began = time.perf_counter()
    trial = place.engine.tuning.learn()
    duration_s = time.perf_counter() - began
    moves = ", ".join(f"{one.name} {one.before:g} -> {one.after:g} ({one.gain:+.4f})" for one in trial.moves)
    guards = ", ".join(f"{one.kind} {one.before}/{one.after} of {one.count}" for one in trial.guards)
    print(
        f"{store.name}: {len(keys)} turns, {trial.question_count} judged, {len(others)} others; {trial.status}", end=""
    )
    print(f" in {duration_s:.0f} s; nDCG {trial.before:.4f} -> {trial.after:.4f} (low {trial.low:+.4f}) {trial.reason}")
    print(f"  {moves}\n  {guards}")
    if trial.status is not TrialStatus.PROPOSED:
        print(f"  recall@{DEPTH} of the others {before:.4f}")
        return before, before
    place.engine.tuning.apply()
    after = _recall(place, shelf, others)
    print(f"  recall@{DEPTH} of the others {before:.4f} -> {after:.4f}", flush=True)
    return before, after


def _open(place: Workplace, shelf: Shelf, question: Asked, options: argparse.Namespace, dice: random.Random) -> None:
    """Search, and open what answers the question among the hits shown."""
    found = place.engine.search(question.text, top_k=options.shown)
    keys, gold = shelf.key_of(), shelf.gold_of(question)
    right = [hit for hit in found.hits if keys.get(str(hit.record.id)) in gold]
    for hit in dice.sample(found.hits, max(1, len(right))) if options.random else right:
        place.engine.tuning.note(found.query_id, str(hit.record.id))


def _recall(place: Workplace, shelf: Shelf, questions: list[Asked]) -> float:
    keys = shelf.key_of()
    rows = []
    for question in questions:
        hits = place.engine.search(question.text, top_k=DEPTH).hits
        rows.append(recall_at([keys.get(str(hit.record.id), "") for hit in hits], shelf.gold_of(question), DEPTH))
    return fmean(rows) if rows else 0.0


if __name__ == "__main__":
    main()
