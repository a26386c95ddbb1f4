from __future__ import annotations

import numpy as np
import pytest

from trisynapse_memory.bench import scale


@pytest.fixture
def report(tmp_path, in_process, monkeypatch):
    monkeypatch.setattr(scale, "BATCH_RECORDS", 20)
    monkeypatch.setattr(scale, "VECTOR_BATCH", 20)
    return scale.run(tmp_path, 60, lambda _: None)


def test_an_exact_id_comes_first_among_its_neighbours(report):
    assert report.metrics["hit@1"] == 1.0
    assert {row.category for row in report.by_category} == {"exact ids, words", "exact ids, words+vectors"}


def test_speed_and_size_are_told_with_and_without_vectors(report):
    assert {"p50", "p95", "words_p50", "words_p95"} <= set(report.latency_ms)
    assert report.ingest["records"] == 60
    assert report.ingest["bytes_per_record"] > 0
    assert "words_cpu_p50" in report.baselines["fts5"].ratios


def test_the_same_seed_draws_the_same_corpus():
    assert scale.Writer().text(3) == scale.Writer().text(3)
    assert scale.Writer(1).text(3) != scale.Writer(2).text(3)
    assert "KX-00003" in scale.Writer().text(3)


def test_every_rank_is_a_word_of_its_own():
    words = [scale.word_of(rank) for rank in range(scale.VOCABULARY_COUNT)]
    assert len(set(words)) == scale.VOCABULARY_COUNT
    assert all(word.isalpha() for word in words)


def test_vectors_are_of_length_one():
    drawn = scale.Writer().vectors(5, 16)
    assert np.allclose(np.linalg.norm(drawn, axis=1), 1.0, atol=1e-5)


def test_half_of_the_questions_name_an_id():
    questions = scale.Writer().questions(10)
    assert sum(question.record is not None for question in questions) * 2 == len(questions) == 20
