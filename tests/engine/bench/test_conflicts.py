"""Judged pairs are read, compiled and scored; a line of another form is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trisynapse_memory.bench import conflicts
from trisynapse_memory.errors import InvalidInputError


def side(value: str, source: str) -> dict[str, object]:
    fact = {"subject": "BERT", "relation": "pretrained_with", "object": value}
    return {"text": f"BERT was pretrained with {value}.", "source": source, "date": "2024-01-01", "facts": [fact]}


def pair(name: str, kind: str, left: dict[str, object], right: dict[str, object], *, conflict: bool) -> str:
    return json.dumps({"id": name, "kind": kind, "conflict": conflict, "left": left, "right": right})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [
        pair("one", "value", side("Adam", "a"), side("AdamW", "b"), conflict=True),
        pair("two", "value", side("Adam", "a"), side("Adam", "b"), conflict=False),
        pair("three", "value", side("Adam", "a"), side("SGD", "b"), conflict=False),
        pair("four", "correction", side("Adam", "a"), side("SGD", "a"), conflict=False),
        pair("five", "alias", side("Adam", "a"), side("the Adam optimiser", "b"), conflict=True),
    ]
    (tmp_path / "conflicts").mkdir()
    (tmp_path / "conflicts" / "mine.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_pairs_are_scored_by_what_the_claims_call_contested(folder: Path) -> None:
    report = conflicts.run(folder, None, lambda _: None)
    assert report.metrics == {"precision": 0.5, "recall": 0.5, "found": 1.0, "false_alarms": 1.0, "missed": 1.0}
    assert [(row.category, row.count, row.metrics["accuracy"]) for row in report.by_category] == [
        ("alias", 1, 0.0),
        ("correction", 1, 1.0),
        ("value", 3, pytest.approx(2 / 3)),
    ]
    assert report.suite == "conflicts"
    assert len(report.corpus_sha256) == 64


def test_a_limit_stops_early(folder: Path) -> None:
    assert conflicts.run(folder, 1, lambda _: None).metrics["precision"] == 1.0


def test_nothing_to_find_is_nothing_missed() -> None:
    assert conflicts.score([], [])["recall"] == 1.0


def test_a_line_of_another_form_is_named(folder: Path) -> None:
    path = folder / "conflicts" / "mine.jsonl"
    path.write_text('{"id": "x"}', encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"Line 1 of 'mine.jsonl'"):
        conflicts.read_pairs(path)


def test_a_missing_corpus_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="conflicts"):
        conflicts.run(tmp_path, None, lambda _: None)
