"""Public question sets in, the weights and thresholds of ``answering`` and their curves out. No code is written here.

Run it from the root of the project::

    PYTHONPATH=engine python packaging/scripts/calibrate_abstention.py --data ../shared/data --cache embeddings.npz

It prints the constants for ``answering/abstention.py`` and ``answering/selection.py`` and the figures for
``docs/user/answers.md``. Retrieval is a small one of its own (BM25 and cosine, convex sum), so that no vault is needed.

XQuAD (English, CC BY-SA 4.0): first half of the articles to fit, second to test; each question once with its paragraph
and once without. LoCoMo (CC BY-NC 4.0): turns of one conversation; categories 1-4 against 5; the first three
conversations to fit, the others to test.
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

from trisynapse_memory.answering.abstention import calibration_of, decide
from trisynapse_memory.answering.features import (
    Evidence,
    Measured,
    measure_evidence,
    measure_sentences,
)
from trisynapse_memory.answering.inquiry import Statistics, read_question
from trisynapse_memory.answering.sentences import is_conversation, passages_of, speaker_of
from trisynapse_memory.contracts import Embedder, FloatArray
from trisynapse_memory.registry import Registry
from trisynapse_memory.scoring.bm25 import bm25_scores, idf
from trisynapse_memory.text.exact_terms import identifiers
from trisynapse_memory.text.tokens import count_terms, query_terms
from trisynapse_memory.types import Hit, Kind, Locator, Modality, Record, RecordId, SourceId

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

    def search(self, question: str, without: frozenset[int]) -> tuple[list[Hit], Statistics]:
        """Return the best hits by 0.4 BM25 + 0.6 cosine, some records left out as if they were not there."""
        present = [index for index in range(len(self.records)) if index not in without]
        frequencies = {
            term.key: self.documents[term.key] - sum(term.key in self.counts[index] for index in without)
            for term in query_terms(question)
        }
        lexical = self._lexical(question, present, frequencies)
        semantic = np.clip(self.vectors[present] @ self.embed([question])[0], 0.0, None)
        fused = 0.4 * lexical / max(lexical.max(), 1e-9) + 0.6 * semantic / max(semantic.max(), 1e-9)
        order = np.argsort(-fused, kind="stable")[:HITS].tolist()
        hits = [as_hit(self.records[present[index]], float(fused[index])) for index in order]
        return hits, Statistics(frequencies=frequencies, record_count=len(present))

    def _lexical(self, question: str, present: list[int], frequencies: dict[str, int]) -> Array:
        scores = np.zeros(len(present))
        lengths = [self.lengths[index] for index in present]
        for term in query_terms(question):
            counts = [self.counts[index].get(term.key, 0) for index in present]
            scores += bm25_scores(
                counts,
                lengths,
                term_idf=idf(frequencies[term.key], len(present)),
                average_length=float(np.mean(lengths)),
                weight=term.weight,
            )
        return scores


def as_record(index: int, text: str, speaker: str = "", source: str = "set") -> Record:
    """Make a record of a paragraph or a turn."""
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
        modality=Modality.CONVERSATION if speaker else Modality.DOCUMENT,
        fields={"speaker": speaker} if speaker else {},
        locator=Locator(kind="turn", index=index, speaker=speaker) if speaker else None,
    )


def as_hit(record: Record, score: float) -> Hit:
    """Make a hit of a record."""
    return Hit(record=record, score=score, title="", excerpt=record.text, locator=record.locator, source_key="set")


@dataclass
class Case:
    """One question put to one store."""

    store: Store
    question: str
    answerable: bool
    train: bool
    answers: tuple[str, ...] = ()
    without: frozenset[int] = frozenset()


@dataclass
class Outcome:
    """What was measured for a case, with and without vectors."""

    case: Case
    evidence: Evidence
    lexical: Evidence
    rows: list[Measured]
    lexical_rows: list[Measured]
    refusals: tuple[bool, bool]  # by the built-in rules, with and without vectors


def xquad_cases(path: Path, embed: CachedEmbedder) -> Iterator[Case]:
    """Each question with its paragraph present and removed."""
    articles = json.loads(path.read_text("utf-8"))["data"]
    paragraphs = [(number, row) for number, article in enumerate(articles) for row in article["paragraphs"]]
    texts = [(row["context"], f"article {number}") for number, row in paragraphs]
    store = Store([as_record(index, text, source=source) for index, (text, source) in enumerate(texts)], embed)
    counts: Counter[bool] = Counter()
    for index, (number, row) in enumerate(paragraphs):
        train = number < len(articles) // 2
        for asked in row["qas"]:
            if counts[train] == QUESTIONS_PER_SIDE:
                continue
            counts[train] += 1
            answers = tuple(answer["text"] for answer in asked["answers"])
            yield Case(store, asked["question"], True, train, answers)
            yield Case(store, asked["question"], False, train, answers, frozenset({index}))


def locomo_cases(path: Path, embed: CachedEmbedder) -> Iterator[Case]:
    """Questions over one conversation at a time; category 5 asks about the wrong speaker."""
    for number, row in enumerate(json.loads(path.read_text("utf-8"))):
        talk = row["conversation"]
        sessions = [talk[f"session_{n}"] for n in range(1, 60) if talk.get(f"session_{n}")]
        turns = [turn for session in sessions for turn in session]
        texts = [f"{turn['text']} {turn.get('blip_caption') or ''}".strip() for turn in turns]
        records = [as_record(n, text, turn["speaker"]) for n, (text, turn) in enumerate(zip(texts, turns, strict=True))]
        store = Store(records, embed)
        for asked in row["qa"]:
            yield Case(store, asked["question"], asked["category"] != 5, number < 3)


def measure(case: Case, embed: CachedEmbedder) -> Outcome:
    """Run retrieval and the measures of answering for one case."""
    hits, statistics = case.store.search(case.question, case.without)
    inquiry = read_question(case.question, statistics, identifiers(case.question))
    if is_conversation(hits):
        inquiry = inquiry.about(frozenset(filter(None, map(speaker_of, hits))))
    passages = passages_of(hits, inquiry)
    rows = measure_sentences(inquiry, passages, embed)
    lexical = [replace(row, cosine=0.0) for row in rows]
    evidence = (measure_evidence(inquiry, passages, rows), measure_evidence(inquiry, passages, lexical))
    talk = is_conversation(hits)
    refusals = [
        decide(inquiry, found, passages, statistics, calibration_of(conversation=talk, embedded=embedded)).abstain
        for found, embedded in zip(evidence, (True, False), strict=True)
    ]
    return Outcome(case, *evidence, rows, lexical, (refusals[0], refusals[1]))


def fit_logistic(features: Array, labels: Array) -> tuple[float, Array]:
    """Newton's method with a ridge on all but the bias."""
    x = np.column_stack([np.ones(len(features)), features])
    weights = np.zeros(x.shape[1])
    penalty = RIDGE * np.diag([0.0] + [1.0] * features.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-x @ weights))
        gradient = x.T @ (labels - p) - penalty @ weights
        hessian = (x * (p * (1 - p))[:, None]).T @ x + penalty + 1e-9 * np.eye(x.shape[1])
        weights += np.linalg.solve(hessian, gradient)
    return float(weights[0]), weights[1:]


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


def auroc(scores: Array, labels: Array) -> float:
    """The chance that an answerable question scores above one that is not."""
    right, wrong = np.sort(scores[labels > 0]), scores[labels == 0]
    below = np.searchsorted(right, wrong, "left")
    equal = np.searchsorted(right, wrong, "right") - below
    return float(1.0 - (below + 0.5 * equal).sum() / (len(right) * len(wrong)))


def refused(scores: Array, labels: Array, threshold: float) -> tuple[float, float]:
    """False and right refusals at a threshold, in percent."""
    return 100 * float(np.mean(scores[labels > 0] < threshold)), 100 * float(np.mean(scores[labels == 0] < threshold))


def report_refusals(title: str, outcomes: Sequence[Outcome], pick: Callable[[Outcome], Evidence], keep: str) -> None:
    """Fit on the first half, print the constants, and the curve of the second."""
    names = keep.split()
    x = np.array([[getattr(pick(outcome), name) for name in names] for outcome in outcomes])
    y = np.array([float(outcome.case.answerable) for outcome in outcomes])
    train = np.array([outcome.case.train for outcome in outcomes])
    bias, weights = fit_logistic(x[train], y[train])
    scores = bias + x @ weights
    named = {name: round(weight, 3) for name, weight in zip(names, weights.tolist(), strict=True)}
    print(f"\n{title}: bias {bias:.3f}, weights {named}")
    for half, rows in (("train", train), ("test", ~train)):
        s, labels = scores[rows], y[rows]
        right = {q: refused(s, labels, float(np.quantile(s[labels > 0], q)))[1] for q in (0.025, 0.05, 0.1)}
        cells = ", ".join(f"{value:.0f} % at {100 * q:g} %" for q, value in right.items())
        print(f"  {half}: n {int(labels.sum())}+{int((1 - labels).sum())}, AUROC {auroc(s, labels):.3f}, {cells}")
    for q in (0.01, 0.015, 0.02, 0.025, 0.03):
        threshold = float(np.quantile(scores[train & (y > 0)], q))
        false, right = refused(scores[~train], y[~train], threshold)
        print(f"  threshold {threshold:.3f} (train {100 * q:g} %): test false {false:.1f} %, right {right:.1f} %")


def report_decisions(outcomes: Sequence[Outcome]) -> None:
    """What all built-in rules together refuse, in each half."""
    for half in (True, False):
        for index, title in enumerate(("vectors", "words only")):
            rows = [outcome for outcome in outcomes if outcome.case.train is half]
            false = np.mean([outcome.refusals[index] for outcome in rows if outcome.case.answerable])
            right = np.mean([outcome.refusals[index] for outcome in rows if not outcome.case.answerable])
            name = f"built in, {title}, {'train' if half else 'test'}"
            print(f"{name}: false {100 * false:.1f} %, right {100 * right:.1f} %")


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
    asked = [outcome for outcome in outcomes if outcome.case.answerable and outcome.case.answers and outcome.rows]
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
    """Measure both sets and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--only", choices=("xquad", "locomo"))
    options = parser.parse_args()
    embed = CachedEmbedder(Registry().load("embedder", "minilm")(), options.cache)
    if options.only != "locomo":
        outcomes = [measure(case, embed) for case in xquad_cases(options.data / "xquad" / "xquad.en.json", embed)]
        embed.save()
        report_refusals("PROSE", outcomes, lambda o: o.evidence, "support cosine bound")
        report_refusals("PROSE_WORDS", outcomes, lambda o: o.lexical, "support bm25_share bound")
        report_decisions(outcomes)
        report_ranker(outcomes, lexical=False)
        report_ranker(outcomes, lexical=True)
    if options.only != "xquad":
        outcomes = [measure(case, embed) for case in locomo_cases(options.data / "locomo" / "locomo_dev.json", embed)]
        embed.save()
        report_refusals("TALK", outcomes, lambda o: o.evidence, "support cosine rarest_missing gap")
        report_decisions(outcomes)
        report_refusals("TALK_WORDS", outcomes, lambda o: o.lexical, "support rarest_missing gap")


if __name__ == "__main__":
    main()
