"""LanceDB: its own full text index and exact vector search, merged by its default reranker (reciprocal ranks)."""

from __future__ import annotations

from pathlib import Path

import lancedb
from lancedb.index import FTS
from pipe import Record, Vector, Wire, serve


class LancePeer:
    """One table on disk; the vectors are unit vectors, so its default distance orders them as the cosine does."""

    method = "hybrid: full text + exact vectors, RRF"

    def __init__(self, folder: Path, _: Wire) -> None:
        self._database = lancedb.connect(str(folder))
        self._rows: list[dict[str, object]] = []

    def add(self, records: list[Record]) -> None:
        self._rows += [{"id": one.id, "text": one.text, "vector": list(one.vector)} for one in records]

    def finish(self) -> None:
        self._table = self._database.create_table("records", data=self._rows)
        self._table.create_index("text", config=FTS())
        self._rows = []

    def search(self, question: str, vector: Vector, count: int) -> list[str]:
        query = self._table.search(query_type="hybrid").vector(list(vector)).text(question).limit(count)
        return [row["id"] for row in query.to_list()]


if __name__ == "__main__":
    serve("lancedb", LancePeer)
