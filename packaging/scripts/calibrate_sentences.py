"""XQuAD in, the weights that order sentences out, and how often the first ones hold the answer. No code is written.

Run it from the root of the project::

    PYTHONPATH=engine python packaging/scripts/calibrate_sentences.py --data ../shared/data --cache embeddings.npz

It prints the constants for ``answering/selection.py`` and figures for ``docs/user/answers.md``. Retrieval is a small
one of its own (BM25 and cosine, convex sum), so that no vault is needed. XQuAD (English, CC BY-SA 4.0): the first half
of the articles to fit, the second to test; only questions with their paragraph present.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.answering.features import (
    Measured,
    measure_sentences,
)
from trisynapse_memory.answering.inquiry import Statistics, read_question
from trisynapse_memory.answering.sentences import passages_of
from trisynapse_memory.contracts import Embedder, FloatArray
from trisynapse_memory.registry import Registry
from trisynapse_memory.scoring.bm25 import bm25_scores, idf
from trisynapse_memory.text.exact_terms import identifiers
from trisynapse_memory.text.tokens import count_terms, query_terms
from trisynapse_memory.types import Hit, Kind, Record, RecordId, SourceId

HITS = 16
QUESTIONS_PER_SIDE = 600
RIDGE = 1.0
STEPS = 400
Array = NDArray[np.float64]


class CachedEmbedder:
    """Embeds each text once in the life of the cache file."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._path = path
        self._known: dict[str, FloatArray] = {}
        if path.exists():
            stored = np.load(path, allow_pickle=False)
            self._known = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """Return unit rows in the order of the texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    def save(self) -> None:
        """Write the cache, so that the next run costs no model time."""
        texts = np.array(list(self._known), dtype=np.str_)
        np.savez(self._path, texts=texts, vectors=np.stack(list(self._known.values())))


@dataclass
class Store:
    """Records with their postings and vectors, searched exhaustively."""

    records: list[Record]
    embed: Callable[[Sequence[str]], FloatArray]
    counts: list[dict[str, int]] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        counted = [count_terms(record.text) for record in self.records]
        self.counts = [terms.frequencies for terms in counted]
        self.lengths = [terms.length for terms in counted]
        self.documents = Counter(key for frequencies in self.counts for key in frequencies)
        self.vectors = self.embed([record.text for record in self.records])

    def search(self, question: str) -> tuple[list[Hit], Statistics]:
        """Return the best hits by 0.4 BM25 + 0.6 cosine."""
        lexical = self._lexical(question)
        semantic = np.clip(self.vectors @ self.embed([question])[0], 0.0, None)
        fused = 0.4 * lexical / max(lexical.max(), 1e-9) + 0.6 * semantic / max(semantic.max(), 1e-9)
        order = np.argsort(-fused, kind="stable")[:HITS].tolist()
        hits = [as_hit(self.records[index], float(fused[index])) for index in order]
        frequencies = {term.key: self.documents[term.key] for term in query_terms(question)}
        return hits, Statistics(frequencies=frequencies, record_count=len(self.records))

    def _lexical(self, question: str) -> Array:
        scores = np.zeros(len(self.records))
        for term in query_terms(question):
            scores += bm25_scores(
                [counts.get(term.key, 0) for counts in self.counts],
                self.lengths,
                term_idf=idf(self.documents[term.key], len(self.records)),
                average_length=float(np.mean(self.lengths)),
                weight=term.weight,
            )
        return scores


def as_record(index: int, text: str, source: str) -> Record:
    """Make a record of a paragraph."""
    return Record(
        id=RecordId(f"r{index}"),
        seq=index + 1,
        device_id="calibration",
        device_seq=index + 1,
        written_at=datetime(2026, 11, 30, tzinfo=UTC),
        kind=Kind.RAW_SOURCE,
        content_hash="",
        chain_hash="",
        text=text,
        source_id=SourceId(source),
    )


def as_hit(record: Record, score: float) -> Hit:
    """Make a hit of a record."""
    return Hit(record=record, score=score, title="", excerpt=record.text, locator=record.locator, source_key="set")


@dataclass
class Case:
    """One question put to one store."""

    store: Store
    question: str
    train: bool
    answers: tuple[str, ...] = ()


@dataclass
class Outcome:
    """What was measured for a case, with and without vectors."""

    case: Case
    rows: list[Measured]
    lexical_rows: list[Measured]


def xquad_cases(path: Path, embed: CachedEmbedder) -> Iterator[Case]:
    """Each question of the set."""
    articles = json.loads(path.read_text("utf-8"))["data"]
    paragraphs = [(number, row) for number, article in enumerate(articles) for row in article["paragraphs"]]
    texts = [(row["context"], f"article {number}") for number, row in paragraphs]
    store = Store([as_record(index, text, source) for index, (text, source) in enumerate(texts)], embed)
    counts: Counter[bool] = Counter()
    for number, row in paragraphs:
        train = number < len(articles) // 2
        for asked in row["qas"]:
            if counts[train] == QUESTIONS_PER_SIDE:
                continue
            counts[train] += 1
            answers = tuple(answer["text"] for answer in asked["answers"])
            yield Case(store, asked["question"], train, answers)


def measure(case: Case, embed: CachedEmbedder) -> Outcome:
    """Run retrieval and the measures of answering for one case."""
    hits, statistics = case.store.search(case.question)
    inquiry = read_question(case.question, statistics, identifiers(case.question))
    passages = passages_of(hits, inquiry)
    inquiry = inquiry.respelled([passage.keys for passage in passages])
    rows = measure_sentences(inquiry, passages, embed)
    return Outcome(case, rows, [replace(row, cosine=0.0) for row in rows])


def fit_ranker(groups: Sequence[tuple[Array, NDArray[np.bool_]]]) -> Array:
    """Gradient ascent on the log share that softmax gives to the sentences with the gold answer."""
    weights = np.zeros(groups[0][0].shape[1])
    for step in range(STEPS):
        gradient = -RIDGE * weights / len(groups)
        for features, gold in groups:
            scores = features @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            right = np.where(gold, shares, 0.0) / shares[gold].sum()
            gradient += (right - shares) @ features / len(groups)
        weights += 4.0 / (1 + step / 200) * gradient
    return weights


def ranked_groups(outcomes: Sequence[Outcome], lexical: bool) -> list[tuple[Array, NDArray[np.bool_]]]:
    """The measures of the candidate sentences of each question, and which hold its gold answer."""
    groups: list[tuple[Array, NDArray[np.bool_]]] = []
    for outcome in outcomes:
        rows = outcome.lexical_rows if lexical else outcome.rows
        gold = np.array([any(answer in row.sentence.text for answer in outcome.case.answers) for row in rows])
        groups.append((np.array([row.vector() for row in rows]), gold))
    return groups


def report_ranker(outcomes: Sequence[Outcome], lexical: bool) -> None:
    """Fit the order of sentences and print how often the first ones hold the gold answer."""
    asked = [outcome for outcome in outcomes if outcome.case.answers and outcome.rows]
    train = [group for group in ranked_groups([o for o in asked if o.case.train], lexical) if group[1].any()]
    weights = fit_ranker(train)
    print(f"\nranker{' (words only)' if lexical else ''}: ({', '.join(f'{w:.3f}' for w in weights)})")
    test = ranked_groups([o for o in asked if not o.case.train], lexical)
    for count in (1, 2, 3):
        held = [bool(gold[np.argsort(-(x @ weights), kind="stable")[:count]].any()) for x, gold in test]
        print(f"  best {count}: {np.mean(held):.3f} of {len(held)}")
    for margin in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0):
        held, counts = [], []
        for x, gold in test:
            scores = x @ weights
            order = [i for i in np.argsort(-scores, kind="stable")[:3] if scores[i] >= scores.max() - margin]
            held.append(bool(gold[order].any()))
            counts.append(len(order))
        print(f"  within {margin}: {np.mean(held):.3f}, {np.mean(counts):.2f} sentences")


def main() -> None:
    """Measure the set and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args()
    embed = CachedEmbedder(Registry().load("embedder", "minilm")(), options.cache)
    outcomes = [measure(case, embed) for case in xquad_cases(options.data / "xquad" / "xquad.en.json", embed)]
    embed.save()
    report_ranker(outcomes, lexical=False)
    report_ranker(outcomes, lexical=True)


if __name__ == "__main__":
    main()
