"""txtai: its hybrid index (BM25 and faiss, equal weights) over vectors that are given, all else as it comes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pipe import Record, Vector, Wire, serve
from txtai.embeddings import Embeddings


class TxtaiPeer:
    """One index; it asks for the vector of a text by the text."""

    method = "hybrid=True: BM25 + faiss"

    def __init__(self, folder: Path, _: Wire) -> None:
        self._folder = folder
        self._known: dict[str, Vector] = {}
        self._records: list[Record] = []
        # A plain function: it would call a method to make one.
        self._embeddings = Embeddings(method="external", transform=lambda texts: self._vectors(texts), hybrid=True)

    def _vectors(self, texts: list[str]) -> np.ndarray:
        return np.array([self._known[text] for text in texts], dtype=np.float32)

    def add(self, records: list[Record]) -> None:
        self._records += records
        self._known.update((one.text, one.vector) for one in records)

    def finish(self) -> None:
        self._embeddings.index((one.id, one.text, None) for one in self._records)
        # Saved for its size only; the function that gives the vectors cannot be saved with it.
        self._embeddings.config.pop("transform")
        self._embeddings.save(str(self._folder / "index"))
        self._records = []

    def search(self, question: str, vector: Vector, count: int) -> list[str]:
        self._known[question] = vector
        return [found for found, _ in self._embeddings.search(question, count)]


if __name__ == "__main__":
    serve("txtai", TxtaiPeer)
