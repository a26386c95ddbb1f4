"""Names of metrics."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.metrics import IS_METRIC, is_metric


@pytest.mark.parametrize("word", ["accuracy", "F1", "BLEU", "AUROC", "EM", "macro-F1", "recall@10", "rate", "mIoU"])
def test_a_metric(word: str) -> None:
    assert is_metric(word)


@pytest.mark.parametrize("word", ["per", "map", "layers", "speed", "is", "accurate"])
def test_no_metric(word: str) -> None:
    assert not is_metric(word)


def test_a_metric_has_its_adjectives() -> None:
    match = IS_METRIC.search("reaches a word error rate of 2.7%")
    assert match is not None
    assert match["metric"] == "word error rate"
