from __future__ import annotations

import pytest

from trisynapse_memory.bench import locomo


@pytest.fixture
def report(corpora, in_process):
    return locomo.run(corpora, None, lambda _: None)


def test_every_answerable_question_counts_once_in_its_category(report):
    assert {(row.corpus, row.category, row.count) for row in report.by_category} == {
        ("tiny", "multi-hop", 1),
        ("tiny", "single-hop", 1),
    }


def test_the_engine_finds_the_turns_that_hold_the_words(report):
    assert report.metrics["recall@10"] == 1.0
    assert report.metrics["mrr"] == 1.0


def test_baselines_are_measured_in_the_same_run_and_told_as_ratios(report):
    assert set(report.baselines) == {"fts5", "dense", "rrf"}
    assert report.baselines["fts5"].metrics["recall@10"] == 1.0
    assert report.baselines["fts5"].ratios["recall@10"] == 1.0
    assert "cpu_p50" in report.baselines["fts5"].latency_ms


def test_what_is_left_out_is_counted_with_its_reason(report):
    assert {(skip.what, skip.count) for skip in report.skipped} == {("evidence id", 2), ("question", 1)}


def test_a_run_says_what_was_taken_in(report):
    assert report.ingest["records"] == 5
    assert report.ingest["bytes_per_record"] > 0
    assert len(report.corpus_sha256) == 64


def test_a_limit_stops_after_so_many_questions(corpora, in_process):
    report = locomo.run(corpora, 1, lambda _: None)
    assert sum(row.count for row in report.by_category) == 1


def test_turns_are_dated_as_a_reader_sees_them(corpora, in_process, monkeypatch):
    seen = []
    original = locomo.Baselines

    def keep(texts, matrix):
        seen.extend(texts)
        return original(texts, matrix)

    monkeypatch.setattr(locomo, "Baselines", keep)
    locomo.run(corpora, None, lambda _: None)
    assert seen[0] == "Ann: (1:56 pm on 8 May, 2023) I bought a telescope."
