"""Fits the weights of reranking on the development corpora, and shows what each part gives on each of them.

    PYTHONPATH=engine python packaging/scripts/tune_ranking.py --data ../shared/data --keep measures.json

Every question of the suites multihop, nfcorpus, beam and locomo is asked of the real engine with all weights at 1, so
that each candidate's parts are its measures; with ``--keep`` they lie in a file, and fitting again is free. A part
counts apart for passages and for turns. The fit is a list-wise logistic regression (softmax of each relevant candidate
against those that are not), the weight of the fused score held at 1. Printed are: the suites' figures with the shipped
weights; with each part off; with the fit; and, so that a fit is not believed too soon, with the fit of all *other*
suites. ``config.py`` keeps round numbers near the fit, for the top is flat.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from trisynapse_memory.bench import beam, locomo, multihop, nfcorpus
from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.bench.metrics import distinct, judge
from trisynapse_memory.bench.shelves import Shelf, shelve
from trisynapse_memory.bench.stores import Store
from trisynapse_memory.bench.workplace import Workplace, workplace
from trisynapse_memory.config import Config
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.types import Modality, Namespace, Scope

Array = NDArray[np.float64]

SUITES: Final = (multihop.SUITE, nfcorpus.SUITE, beam.SUITE, locomo.SUITE)
FIGURES: Final = {"hotpotqa": "recall@5", "musique": "recall@5", "nfcorpus": "ndcg@10", "beam": "recall@10"}
OTHER_FIGURE: Final = "recall@10"
# Part of a hit -> (setting for passages, setting for turns); "" where it is never given.
PARTS: Final[Mapping[str, tuple[str, str]]] = {
    "mention": ("mention_weight", "mention_weight"),
    "neighbour": ("document_neighbour_weight", "turn_neighbour_weight"),
    "coverage": ("coverage_weight", ""),
    "exchange": ("", "exchange_weight"),
    "speaker": ("", "speaker_weight"),
    "assistant": ("", "assistant_weight"),
    "time": ("", "time_weight"),
    "asking": ("", "asking_weight"),
}
SETTINGS: Final = tuple(dict.fromkeys(name for pair in PARTS.values() for name in pair if name))
RIDGE: Final = 1e-3
ROUNDS: Final = 150
STEP: Final = 0.15
SHARPNESS: Final = 6.0  # the fused scores lie in [0, 1]; in a softmax over them a difference of 0.1 must count


class Asked(Struct, frozen=True):
    """One question: its corpus, gold keys with grades, and the candidates: key, fused score, measures by setting."""

    corpus: str
    gold: dict[str, float]
    keys: list[str]
    scores: list[float]
    measures: list[dict[str, float]]

    @property
    def matrix(self) -> Array:
        """``(candidates, settings)``."""
        return np.array([[one.get(name, 0.0) for name in SETTINGS] for one in self.measures])

    @property
    def relevant(self) -> NDArray[np.bool_]:
        """``(candidates,)``: which of them answer."""
        return np.array([key in self.gold for key in self.keys])

    def figure(self, weights: Array) -> float:
        """The corpus's figure under these weights."""
        order = np.argsort(-(np.array(self.scores) + self.matrix @ weights), kind="stable")
        ranked = distinct(self.keys[place] for place in order)
        return judge(ranked, self.gold)[FIGURES.get(self.corpus, OTHER_FIGURE)]


def measured(data: Path) -> Iterator[Asked]:
    """Ask everything with all weights at 1."""
    for suite in SUITES:
        for store in suite.read(data):
            print(f"{store.corpus}: {store.name}", flush=True)
            with workplace(lambda _: None) as place:
                yield from _ask(place, store, shelve(place, store, Stopwatch()))


def _ask(place: Workplace, store: Store, shelf: Shelf) -> Iterator[Asked]:
    # What is not a plain sum over one candidate is left out: the best of a conversation, and repetitions.
    ones = structs.replace(Config(), session_weight=0.0, diversity_weight=0.0, **dict.fromkeys(SETTINGS, 1.0))
    rooms, finder, keys = place.opened.rooms, place.opened.query.finder.under(ones), shelf.key_of()
    for question in store.questions:
        if not question.gold:
            continue
        plan = plan_question(question.text, ones)
        with rooms.index.read(), rooms.log.database.read():
            fused = finder.find(plan, Scope(namespace=Namespace(project_id=None)), _silent).fused
            records = {record.seq: record for record in rooms.log.by_seqs([one.seq for one in fused])}
        rows = [one for one in fused if one.seq in records and records[one.seq].id in keys]
        measures = [_settings_of(one.parts, records[one.seq].modality is Modality.CONVERSATION) for one in rows]
        yield Asked(
            store.corpus,
            shelf.gold_of(question),
            [keys[records[one.seq].id] for one in rows],
            [one.score - sum(found.values()) for one, found in zip(rows, measures, strict=True)],
            measures,
        )


def _settings_of(parts: Mapping[str, float], is_turn: bool) -> dict[str, float]:
    return {PARTS[name][is_turn]: value for name, value in parts.items() if name in PARTS and PARTS[name][is_turn]}


def _silent(*_: object) -> None:
    return None


def fit(questions: Sequence[Asked]) -> Array:
    """Return the weights that put relevant candidates first, every corpus counting alike."""
    corpora = [one.corpus for one in questions]
    rows = [
        (one.matrix, np.array(one.scores), one.relevant, 1.0 / corpora.count(one.corpus))
        for one in questions
        if one.relevant.any() and not one.relevant.all()
    ]
    total = sum(row[3] for row in rows)
    weights, first, second = np.zeros(len(SETTINGS)), np.zeros(len(SETTINGS)), np.zeros(len(SETTINGS))
    for turn in range(1, ROUNDS + 1):
        gradient = RIDGE * weights
        for matrix, scores, relevant, share in rows:
            gradient = gradient + share / total * _gradient(matrix, scores, relevant, weights)
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        weights = weights - STEP * (first / (1 - 0.9**turn)) / (np.sqrt(second / (1 - 0.999**turn)) + 1e-9)
    return weights


def _gradient(matrix: Array, scores: Array, relevant: NDArray[np.bool_], weights: Array) -> Array:
    """The gradient of the mean of -log softmax(relevant one | those that are not)."""
    values = SHARPNESS * (scores + matrix @ weights)
    powers = np.exp(values - values.max())
    others = powers[~relevant].sum() + 1e-12
    wrong = others / (powers[relevant] + others)
    mean = (powers[~relevant][:, None] * matrix[~relevant]).sum(axis=0) / others
    return -SHARPNESS * (wrong[:, None] * (matrix[relevant] - mean)).mean(axis=0)


def show(label: str, questions: Sequence[Asked], weights: Array) -> None:
    """Print each corpus's figure."""
    found: dict[str, list[float]] = {}
    for one in questions:
        found.setdefault(one.corpus, []).append(one.figure(weights))
    print(f"{label:34}", "  ".join(f"{name} {np.mean(values):.3f}" for name, values in found.items()), flush=True)


def main() -> None:
    """Measure, fit and print."""
    parser = argparse.ArgumentParser(description="Fit the weights of reranking.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    if given.keep and given.keep.exists():
        questions = msgspec.json.decode(given.keep.read_bytes(), type=list[Asked])
    else:
        questions = list(measured(given.data))
        if given.keep:
            given.keep.write_bytes(msgspec.json.encode(questions))
    shipped = np.array([getattr(Config(), name) for name in SETTINGS])
    show("nothing", questions, np.zeros(len(SETTINGS)))
    show("shipped", questions, shipped)
    for place, name in enumerate(SETTINGS):
        show(f"without {name}", questions, np.where(np.arange(len(SETTINGS)) == place, 0.0, shipped))
    fitted = fit(questions)
    print({name: round(float(value), 2) for name, value in zip(SETTINGS, fitted, strict=True)})
    show("fit", questions, fitted)
    for corpus in dict.fromkeys(one.corpus for one in questions):
        others = fit([one for one in questions if one.corpus != corpus])
        show("fit of the others", [one for one in questions if one.corpus == corpus], others)


if __name__ == "__main__":
    main()
