from __future__ import annotations

import pytest

from trisynapse_memory.bench import scale


@pytest.fixture
def report(tmp_path, in_process, monkeypatch):
    monkeypatch.setattr(scale, "BATCH_RECORDS", 20)
    monkeypatch.setattr(scale, "VECTOR_BATCH", 20)
    monkeypatch.setattr(scale, "SIZES", (30,))
    return scale.run(tmp_path, 60, lambda _: None)


def test_an_exact_id_comes_first_among_its_neighbours(report):
    assert report.metrics["hit@1"] == 1.0
    rows = {(row.corpus, row.category): row for row in report.by_category}
    assert {place for place, _ in rows} == {"scale-30", "scale-60"}
    assert {way for _, way in rows} == set(scale.WAYS)
    assert rows["scale-30", "search"].metrics["hit@1"] == 1.0


def test_speed_is_told_at_every_size_and_by_step_beside_the_plain_way(report):
    large = next(row for row in report.by_category if (row.corpus, row.category) == ("scale-60", "answer"))
    assert {"p50", "p95", "cpu_p50", "step_routes", "step_answer"} <= set(large.metrics)
    assert {"p95", "answer_p95", "words_p95"} <= set(report.latency_ms)
    assert "cpu_p50" in report.baselines["plain"].ratios
    assert report.ingest["growth_search"] > 0


def test_size_is_told(report):
    assert report.ingest["records"] == 60
    assert report.ingest["bytes_per_record"] > 0
