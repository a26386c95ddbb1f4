"""Intents are told by the words that ask, in eleven languages, as the labelled questions say."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import pytest

from trisynapse_memory.retrieval.intents import RuleIntents, asks_of_all_sources, cued_modalities
from trisynapse_memory.types import Intent, Modality

ROWS: Final[list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[2] / "corpora" / "intents.json").read_text(encoding="utf-8")
)["rows"]


def _wrong(rows: list[dict[str, Any]]) -> list[str]:
    reader = RuleIntents()
    return [
        f"{row['id']}: {row['question']} {reader.read(row['question'])} {asks_of_all_sources(row['question'])}"
        for row in rows
        if reader.read(row["question"]) != row["intent"] or asks_of_all_sources(row["question"]) != row["exhaustive"]
    ]


def test_most_labelled_intents_are_told_in_every_language():
    by_language: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in ROWS:
        by_language[row["language"]].append(row)
    assert len(by_language) == 11
    wrong = {language: _wrong(rows) for language, rows in by_language.items()}
    assert sum(map(len, wrong.values())) <= 0.05 * len(ROWS), wrong
    assert all(len(found) <= 1 + 0.1 * len(by_language[language]) for language, found in wrong.items()), wrong


@pytest.mark.parametrize("question", ["", "mirror", "KX-00120", "?", "𝔘𝔫𝔦", "a" * 4000, "which " * 600])
def test_anything_else_is_a_fact(question: str):
    assert RuleIntents().read(question) is Intent.FACT


def test_kinds_of_record_are_told_by_their_names():
    assert cued_modalities("In which table is the error rate, and in which figure?") == (Modality.TABLE, Modality.IMAGE)
    assert cued_modalities("What did Caroline say?") == ()
