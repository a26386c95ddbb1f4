"""The texts an engine was given in, the rankings of plain methods over them out. No engine is asked here.

The floor every retrieval claim is held against: SQLite's FTS5 with the Porter stemmer, exact cosine over the same
vectors, and both merged by reciprocal rank. They see the very texts the engine indexed, in the same run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Final, cast

import apsw
import numpy as np

from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.scoring.fusion import RRF_K, fuse_convex, fuse_reciprocal
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.text.words import FUNCTION_WORDS

FUSED_DEPTH: Final = 100  # ranks per arm that ``rrf`` sees; ``convex`` sees every score, which is its strongest form
CONVEX_WEIGHTS: Final = MappingProxyType({"fts5": 0.4, "dense": 0.6})  # benchmark notes 0.3: the best plain sum
NAMES: Final = ("fts5", "dense", "rrf", "convex")

Scored = list[tuple[int, float]]
"""Row numbers with their scores, best first, ties by number."""

_WORD: Final = re.compile(r"\w+")


class WordsBaseline:
    """FTS5 with ``porter unicode61`` and SQLite's own ``bm25()`` (k1 1.2, b 0.75).

    The question is asked as the OR of its words without function words, unless it has no others. With them the floor
    would be lower (LoCoMo recall@10 .571 instead of .623), and a ratio against it would flatter.

    Args:
        texts: row numbers are their places.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._connection = cast("Connection", apsw.Connection(":memory:"))
        self._connection.execute("CREATE VIRTUAL TABLE texts USING fts5(body, tokenize = 'porter unicode61')")
        rows = [(number, text) for number, text in enumerate(texts)]
        self._connection.executemany("INSERT INTO texts (rowid, body) VALUES (?, ?)", rows)

    def rank(self, question: str, limit: int) -> list[int]:
        """Return up to ``limit`` row numbers, best first, ties by number; nothing for a question without words."""
        return [number for number, _ in self.score(question, limit)]

    def score(self, question: str, limit: int) -> Scored:
        """Return what ``rank`` does, with the scores: above 0, higher is better."""
        words = _words_of(question)
        if not words:
            return []
        found = self._connection.execute(
            "SELECT rowid, -bm25(texts) FROM texts WHERE texts MATCH ? ORDER BY bm25(texts), rowid LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), limit),
        )
        return [(int(number), float(score)) for number, score in found]

    def close(self) -> None:
        """Free the memory."""
        self._connection.close()


class DenseBaseline:
    """Exact cosine over all rows.

    Args:
        matrix: (n, d) float32 unit rows; row numbers are their places.
    """

    def __init__(self, matrix: FloatArray) -> None:
        self._matrix = matrix

    def rank(self, vector: FloatArray, limit: int) -> list[int]:
        """Return up to ``limit`` row numbers by descending cosine to a unit vector, ties by number."""
        return [number for number, _ in self.score(vector, limit)]

    def score(self, vector: FloatArray, limit: int) -> Scored:
        """Return what ``rank`` does, with the cosines."""
        cosines = self._matrix @ vector
        order = np.argsort(-cosines, kind="stable")[:limit]
        return [(int(number), float(cosines[number])) for number in order]


class Baselines:
    """The four plain methods over the same texts.

    Args:
        texts: what the engine indexed.
        matrix: their vectors, by the engine's embedder.
    """

    def __init__(self, texts: Sequence[str], matrix: FloatArray) -> None:
        self._words = WordsBaseline(texts)
        self._dense = DenseBaseline(matrix)
        self._count = len(texts)

    def rank(self, question: str, vector: FloatArray, watch: Stopwatch | None = None) -> dict[str, list[int]]:
        """Return each method's full ranking by name.

        Args:
            question: asked by words.
            vector: the question's embedding.
            watch: times the search by words, which is the one that is compared with the engine's.

        Source:
            Cormack, Clarke and Buettcher, SIGIR 2009, for ``rrf`` (k = 60, equal weights); Bruch, Gai and Ingber, TOIS
            2023, for ``convex`` (scores divided by the best one).
        """
        words = _timed(watch, lambda: self._words.score(question, self._count))
        arms = {"fts5": words, "dense": self._dense.score(vector, self._count)}
        firsts = {name: found[:FUSED_DEPTH] for name, found in arms.items()}
        fused = {"rrf": fuse_reciprocal(firsts, {}, RRF_K), "convex": fuse_convex(arms, CONVEX_WEIGHTS)}
        return {name: [number for number, _ in found] for name, found in (arms | fused).items()}

    def close(self) -> None:
        """Free the memory."""
        self._words.close()


def _words_of(question: str) -> list[str]:
    words = dict.fromkeys(_WORD.findall(question.lower()))
    # Single letters are what is left of "'s" and the like; a lone digit is a word.
    content = [word for word in words if word not in FUNCTION_WORDS and (len(word) > 1 or word.isdigit())]
    return content or list(words)


def _timed(watch: Stopwatch | None, work: Callable[[], Scored]) -> Scored:
    if watch is None:
        return work()
    with watch.lap():
        return work()
