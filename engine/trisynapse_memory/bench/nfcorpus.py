"""Medical abstracts and graded queries of NFCorpus in, one store out: an abstract is a source with its title.

Its figures validate a harness: published nDCG@10 is .318 to .326 for BM25 and .316 for MiniLM.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from trisynapse_memory.bench.corpora import explained, files_in
from trisynapse_memory.bench.stores import Asked, EvidenceSuite, Passage, Store


def files(data: Path) -> list[Path]:
    """Return the abstracts, the queries and their grades."""
    folder = data / "nfcorpus"
    return [*files_in(folder, "*.jsonl"), *files_in(folder, "*.tsv")]


def read(data: Path) -> Iterator[Store]:
    """Read the abstracts and the queries of the test split."""
    folder = data / "nfcorpus"
    files(data)
    with explained(folder / "corpus.jsonl", "file of NFCorpus"):
        passages = tuple(
            Passage(key=str(row["_id"]), title=str(row["title"]), text=str(row["text"]))
            for row in _rows(folder / "corpus.jsonl")
        )
        grades = _grades(folder / "test.tsv")
        known = {one.key for one in passages}
        questions = tuple(
            _asked(str(row["text"]), grades[str(row["_id"])], known)
            for row in _rows(folder / "queries.jsonl")
            if str(row["_id"]) in grades
        )
    yield Store(corpus="nfcorpus", name="test", passages=passages, questions=questions)


SUITE: Final = EvidenceSuite(
    name="nfcorpus", files=files, read=read, measures=("ndcg@10", "recall@5", "recall@10", "mrr")
)


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if line.strip():
                yield json.loads(line)


def _grades(path: Path) -> dict[str, dict[str, float]]:
    """Read query id, document id, grade; the first line names the columns. Grade 0 is no gold."""
    grades: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if float(grade) > 0:
            grades.setdefault(query, {})[document] = float(grade)
    return grades


def _asked(text: str, grades: Mapping[str, float], known: set[str]) -> Asked:
    gold = {key: grade for key, grade in grades.items() if key in known}
    return Asked(text=text, category="test", gold=gold, malformed=len(grades) - len(gold))
