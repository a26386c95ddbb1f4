"""Planted duplicates, paraphrases and novel passages in, how well the novelty badge tells them apart out; run by hand.

    python tests/benchmarks/novelty.py --data ../shared/data

Half of a corpus is the vault. The other half is novel; passages of the vault come again as they are with small edits
(one sentence dropped, letters swapped, case lost), as rearranged halves with words replaced by their synonyms, and, of
the conversations of LoCoMo, as the observations that people were given of them: paraphrases in other words. Printed are
the area under the ROC curve of 1 - the highest cosine (Hanley and McNeil 1982), passage by passage and for the medians
of sources, and the tenths of each kind, by which the words of the badge were set. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles

import numpy as np

from trisynapse_memory.bench.embeddings import Embeddings, open_cache
from trisynapse_memory.registry import Registry
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.synonyms import base, likes_of

SEED = 20261201
TYPO_SHARE = 0.02  # of letters


def main() -> None:
    """Measure both corpora and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--limit", type=int, default=400, help="passages of each kind")
    options = parser.parse_args()
    embedder = Registry().load("embedder", "minilm")()
    with open_cache() as cache:
        rows = Embeddings(embedder, cache, lambda _: None)
        _paragraphs(rows, options.data, options.limit)
        _conversations(rows, options.data)


def _paragraphs(rows: Embeddings, data: Path, limit: int) -> None:
    dice = random.Random(SEED)
    found = json.loads((data / "multihop" / "musique_train_corpus.json").read_text(encoding="utf-8"))
    by_title: dict[str, list[str]] = {}
    for one in found:
        by_title.setdefault(one["title"], []).append(one["text"])
    titles = sorted(by_title)
    dice.shuffle(titles)
    half = len(titles) // 2
    vault = [text for title in titles[:half] for text in by_title[title]]
    novel = [text for title in titles[half:] for text in by_title[title]][:limit]
    planted = dice.sample(vault, min(limit, len(vault)))
    kept = rows.rows(vault)
    scores = {
        "novel": _novelty(rows, novel, kept),
        "same": _novelty(rows, planted, kept),
        "edited": _novelty(rows, [_edited(text, dice) for text in planted], kept),
        "rearranged": _novelty(rows, [_rearranged(text, dice) for text in planted], kept),
    }
    _report(f"MuSiQue paragraphs, {len(vault)} in the vault", scores)


def _conversations(rows: Embeddings, data: Path) -> None:
    """Observations of conversations in the vault against those of conversations that are not."""
    talks = json.loads((data / "locomo" / "locomo_dev.json").read_text(encoding="utf-8"))
    turns = [[turn["text"] for turn in _turns(talk["conversation"]) if turn.get("text")] for talk in talks]
    told = [list(_observations(talk["observation"])) for talk in talks]
    known, novel, known_medians, novel_medians = [], [], [], []
    for place in range(len(talks)):
        inside = {place, (place + 1) % len(talks)}
        kept = rows.rows([text for one in sorted(inside) for text in turns[one]])
        for other, sessions in enumerate(told):
            for session in sessions:
                scores = _novelty(rows, session, kept)
                (known if other in inside else novel).extend(scores)
                (known_medians if other in inside else novel_medians).append(median(scores))
    _report("LoCoMo, observations sentence by sentence", {"novel": novel, "paraphrased": known})
    _report("LoCoMo, a session's observations as one source", {"novel": novel_medians, "paraphrased": known_medians})


def _turns(conversation: dict[str, object]) -> Iterator[dict[str, str]]:
    for value in conversation.values():
        if isinstance(value, list):
            yield from value


def _observations(sessions: dict[str, dict[str, list[list[str]]]]) -> Iterator[list[str]]:
    for session in sessions.values():
        texts = [str(one[0]) for said in session.values() for one in said]
        if texts:
            yield texts


def _novelty(rows: Embeddings, texts: Sequence[str], kept: np.ndarray) -> list[float]:
    nearest = (rows.rows(texts) @ kept.T).max(axis=1)
    return [float(one) for one in 1.0 - np.clip(nearest, 0.0, 1.0)]


def _edited(text: str, dice: random.Random) -> str:
    sentences = [text[start:end] for start, end in sentence_spans(text)] or [text]
    if len(sentences) > 1:
        sentences.pop(dice.randrange(len(sentences)))
    letters = list(" ".join(sentences).lower())
    for _ in range(int(len(letters) * TYPO_SHARE)):
        at = dice.randrange(len(letters) - 1)
        letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)


def _rearranged(text: str, dice: random.Random) -> str:
    sentences = [text[start:end] for start, end in sentence_spans(text)] or [text]
    dice.shuffle(sentences)
    words = " ".join(sentences[: max(1, (len(sentences) + 1) // 2)]).split()
    return " ".join(_other(word) for word in words)


def _other(word: str) -> str:
    """Another word for the same, where the table has one."""
    stem = base(word.lower())
    others = sorted(likes_of(stem) - {stem})
    return others[0] if others and len(others[0]) > 3 else word


def _report(title: str, scores: dict[str, list[float]]) -> None:
    print(title)
    for name, found in scores.items():
        tenths = " ".join(f"{one:.2f}" for one in quantiles(found, n=10))
        curve = "" if name == "novel" else f"  AUC {_auc(scores['novel'], found):.4f}"
        print(f"  {name:12} n={len(found):5}  tenths {tenths}{curve}")


def _auc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """The chance that a novel passage scores higher than a known one, ties counted half."""
    ranked = sorted([(score, 1) for score in higher] + [(score, 0) for score in lower])
    values = np.array([score for score, _ in ranked])
    first, last = np.searchsorted(values, values, "left"), np.searchsorted(values, values, "right")
    ranks = (first + last + 1) / 2
    total = sum(rank for rank, (_, is_novel) in zip(ranks, ranked, strict=True) if is_novel)
    return float((total - len(higher) * (len(higher) + 1) / 2) / (len(higher) * len(lower)))


if __name__ == "__main__":
    main()
