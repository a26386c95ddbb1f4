"""trisynapse-memory 0.2.0, the first public implementation of the article: records and vectors, without a model."""

from __future__ import annotations

from pathlib import Path

from pipe import Record, Vector, Wire, serve
from trisynapse_memory.engine import MemoryEngine

MODALITIES = {"turn": "conversation", "passage": "document"}
"""What it calls our kinds; they choose among its routes."""


class GivenEmbedder:
    """Vectors by text. It widens its own questions, and asks for the vectors of those."""

    model_name = "given"

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.known: dict[str, Vector] = {}

    def encode(self, texts: list[str]) -> list[list[float]]:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            self.known.update(zip(new, self._wire.vectors_of(new), strict=True))
        return [list(self.known[text]) for text in texts]


class TrisynapsePeer:
    """One store. It embeds what is new when it is asked, so the first question belongs to the making of the index."""

    method = "its defaults; no facts, for these need a model"

    def __init__(self, folder: Path, wire: Wire) -> None:
        self._embedder = GivenEmbedder(wire)
        self._engine = MemoryEngine.open(folder / "store", embedder=self._embedder, auto_process=False)
        self._ids: dict[str, str] = {}

    def add(self, records: list[Record]) -> None:
        for one in records:
            modality = MODALITIES[one.kind]
            stored = self._engine.ingest_raw_source(
                one.text,
                group_id=one.group,
                source_ref={"type": modality, "id": one.group, "title": one.title},
                external_key=one.id,
                modality=modality,
                process=False,
                schedule=False,
            )
            self._embedder.known[one.text.strip()] = one.vector
            self._ids[stored.id] = one.id
            self._first = one

    def finish(self) -> None:
        self._embedder.known[self._first.text] = self._first.vector
        self._engine.search(self._first.text, top_k=1)

    def search(self, question: str, vector: Vector, count: int) -> list[str]:
        self._embedder.known[question] = vector
        hits = self._engine.search(question, top_k=count).hits
        return [self._ids[hit.item_id] for hit in hits if hit.item_id in self._ids]


if __name__ == "__main__":
    serve("trisynapse-memory", TrisynapsePeer)
