"""A number in, the text of a record, questions and vectors out, drawn and the same each time. Nothing is measured here.

Each record is a device report with an id of its own (``KX-00120``) among English words that follow Zipf's law, so that
every id has neighbours that differ in one digit. The words are those of the embedder's own vocabulary in its order,
which is about that of their frequency. Vectors are random unit vectors: they cost a search what real ones cost, and
mean nothing, so an exact id must win against them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.text.words import FUNCTION_WORDS

SENTENCES_PER_RECORD: Final = 3
WORDS_PER_SENTENCE: Final = 14
WORDS_PER_QUESTION: Final = 4
QUESTION_COUNT: Final = 100  # of each of the two kinds
SHORTEST_WORD: Final = 2
ZIPF_EXPONENT: Final = 1.05
SEED: Final = 7
VERSION: Final = "scale-2"
"""Names the drawing; another wording gives another corpus, so its digest must differ."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and, for a question that names an id, the record that must come first."""

    text: str
    record: int | None


class Writer:
    """Draws records and questions; the same seed draws the same ones."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = np.random.default_rng(seed)
        self._words = vocabulary()
        shares = 1.0 / np.arange(1, len(self._words) + 1) ** ZIPF_EXPONENT
        self._cumulative = np.cumsum(shares / shares.sum())

    def text(self, number: int) -> str:
        """Return the report of one device."""
        said = " ".join(f"{self._line(WORDS_PER_SENTENCE).capitalize()}." for _ in range(SENTENCES_PER_RECORD))
        return f"Device {device_id(number)} was inspected; its calibration code is {number * 7919 % 100_000}. {said}"

    def questions(self, record_count: int) -> list[Question]:
        """Draw questions about ids, and as many of four words that say something."""
        numbers = self._random.choice(record_count, size=min(QUESTION_COUNT, record_count), replace=False)
        exact = [Question(f"What is the calibration code of device {device_id(int(n))}?", int(n)) for n in numbers]
        common = [Question(self._content(WORDS_PER_QUESTION), None) for _ in exact]
        return [question for pair in zip(exact, common, strict=True) for question in pair]

    def vectors(self, count: int, dimension: int) -> FloatArray:
        """Draw unit vectors, evenly over the sphere."""
        drawn = self._random.standard_normal((count, dimension)).astype(np.float32)
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    def _content(self, count: int) -> str:
        chosen: list[str] = []
        while len(chosen) < count:
            chosen.extend(word for word in self._line(count).split() if word not in FUNCTION_WORDS)
        return " ".join(chosen[:count])

    def _line(self, count: int) -> str:
        ranks = np.searchsorted(self._cumulative, self._random.random(count))
        return " ".join(self._words[int(rank)] for rank in ranks)


def device_id(number: int) -> str:
    """Return the id of one device."""
    return f"KX-{number:05d}"


@cache
def vocabulary() -> tuple[str, ...]:
    """Return the embedder's whole words of plain letters, the most frequent ones first."""
    file = resources.files("trisynapse_memory").joinpath("providers", "minilm", "tokenizer.json")
    pieces: dict[str, int] = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
    words = sorted(pieces, key=pieces.__getitem__)
    return tuple(word for word in words if word.isascii() and word.isalpha() and len(word) >= SHORTEST_WORD)
