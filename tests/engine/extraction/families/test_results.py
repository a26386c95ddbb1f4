"""Results with their metric, data and condition."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Facts = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("BERT-large achieves 92.3% accuracy on MNLI.", ["BERT-large | has_result | 92.3%"]),
        ("GPT-Neo obtains an F1 score of 88.1 on the SQuAD 2.0 test set.", ["GPT-Neo | has_result | 88.1"]),
        ("The accuracy of ResNet-50 on ImageNet is 76.1%.", ["ResNet-50 | has_result | 76.1%"]),
        ("LoRA's BLEU on E2E NLG was 70.4.", ["LoRA | has_result | 70.4"]),
        ("An accuracy of 71% on CIFAR-100 was achieved by HydraMix.", ["HydraMix | has_result | 71%"]),
        ("Falcon may reach 80% accuracy on MMLU.", ["Falcon | has_result? | 80%"]),
        ("XLNet does not achieve 90% accuracy on RACE.", ["XLNet | not has_result | 90%"]),
        ("T5 achieves 2.3 points higher accuracy than BERT on MNLI.", []),
        ("Does Falcon reach 80% accuracy on MMLU?", []),
        ("If Falcon reaches 80% accuracy on MMLU, we stop.", []),
        ("Had Falcon achieved 70% accuracy on MMLU, we would have stopped.", []),
        ("The model achieves 91% accuracy.", []),
    ],
)
def test_what_a_sentence_reports(facts: Facts, text: str, found: list[str]) -> None:
    assert facts(text, "results") == found


def test_two_values_keep_their_own_data(read: Callable[..., list[object]]) -> None:
    first, second = read("DeBERTa reaches 90.8% accuracy on MNLI and 95.3% on SST-2.", "results")
    assert first.qualifiers == {"metric": "accuracy", "dataset": "MNLI"}  # type: ignore[attr-defined]
    assert second.qualifiers == {"metric": "accuracy", "dataset": "SST-2"}  # type: ignore[attr-defined]


def test_a_condition_is_a_qualifier(read: Callable[..., list[object]]) -> None:
    (found,) = read("With 16 shots, PaLM achieves 74.8% on BoolQ.", "results")
    assert found.qualifiers == {"dataset": "BoolQ", "condition": "16 shots"}  # type: ignore[attr-defined]
    (other,) = read("Mamba has a perplexity of 18.3 on WikiText-103 after 10 epochs.", "results")
    assert other.qualifiers["condition"] == "10 epochs"  # type: ignore[attr-defined]
