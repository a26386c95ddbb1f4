"""What was embedded lately is not embedded again, and nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.pipelines.asking.recent import RecentVectors


class Counting:
    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.broken = False

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        if self.broken:
            raise ProviderError("Broken.")
        self.asked.append(list(texts))
        return np.array([[len(text), ord(text[0])] for text in texts], dtype=np.float32).reshape(-1, 2)


def test_rows_come_in_the_order_of_the_texts_whoever_was_known():
    embed = Counting()
    recent = RecentVectors(embed)
    first = recent(["bb", "a"])
    second = recent(["ccc", "a", "bb", "a"])
    assert embed.asked == [["bb", "a"], ["ccc"]]
    assert first.tolist() == [[2, 98], [1, 97]]
    assert second.tolist() == [[3, 99], [1, 97], [2, 98], [1, 97]]


def test_no_text_gives_the_embedders_own_empty_rows():
    assert RecentVectors(Counting())([]).shape == (0, 2)


def test_the_longest_unused_text_is_forgotten_first():
    embed = Counting()
    recent = RecentVectors(embed, kept=2)
    recent(["a", "b"])
    recent(["a"])
    recent(["c"])
    recent(["a", "b"])
    assert embed.asked == [["a", "b"], ["c"], ["b"]]


def test_an_embedder_that_fails_costs_nothing_that_was_known():
    embed = Counting()
    recent = RecentVectors(embed)
    recent(["a"])
    embed.broken = True
    assert recent(["a"]).tolist() == [[1, 97]]
    with pytest.raises(ProviderError):
        recent(["a", "b"])
    embed.broken = False
    assert recent(["a", "b"]).tolist() == [[1, 97], [1, 98]]
