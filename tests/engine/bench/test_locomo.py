from __future__ import annotations

import pytest

from trisynapse_memory.bench import locomo, runner
from trisynapse_memory.bench.stores import Order


@pytest.fixture
def report(corpora, in_process):
    return runner.run("locomo", corpora)


def test_every_answerable_question_counts_once_in_its_category(report):
    assert {(row.corpus, row.category, row.count) for row in report.by_category if row.corpus} == {
        ("tiny", "all", 2),
        ("tiny", "multi-hop", 1),
        ("tiny", "single-hop", 1),
    }


def test_the_engine_finds_the_turns_that_hold_the_words(report):
    assert report.metrics["recall@10"] == 1.0
    assert report.metrics["mrr"] == 1.0


def test_baselines_are_measured_in_the_same_run_and_told_as_ratios(report):
    assert set(report.baselines) == {"fts5", "dense", "rrf", "convex"}
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
    report = runner.run("locomo", corpora, order=Order(limit=1))
    assert sum(row.count for row in report.by_category) == 1


def test_turns_are_dated_as_a_reader_sees_them(corpora):
    (store,) = locomo.read(corpora)
    first = store.talks[0].messages[0]
    assert (first.speaker, first.content) == ("Ann", "(1:56 pm on 8 May, 2023) I bought a telescope.")
    assert first.observed_at == "2023-05-08T13:56:00"


def test_every_session_is_a_conversation_of_its_own(corpora):
    (store,) = locomo.read(corpora)
    assert [talk.group_id for talk in store.talks] == ["conv-1/session_1", "conv-1/session_2"]
