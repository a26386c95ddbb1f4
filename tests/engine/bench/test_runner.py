from __future__ import annotations

import json

import msgspec
import pytest

from trisynapse_memory.bench import ids, runner
from trisynapse_memory.bench.machine import digest_of_lines
from trisynapse_memory.bench.stores import Order
from trisynapse_memory.errors import InvalidInputError

KEYS = (
    "suite corpus_sha256 metrics by_category baselines differences ablations skipped latency_ms ingest rss_mb machine"
).split()


def test_an_unknown_suite_is_named_with_the_known_ones(tmp_path):
    with pytest.raises(InvalidInputError, match="no suite 'none'") as caught:
        runner.run("none", tmp_path)
    assert caught.value.hint == (
        "Known: abstention, answers, beam, citations, conflicts, fuzz, ids, intake, locomo, multihop, nfcorpus, "
        "papers, pdf, scale, xquad."
    )


@pytest.mark.parametrize(
    "suite", ["locomo", "multihop", "beam", "nfcorpus", "xquad", "papers", "pdf", "answers", "citations", "abstention"]
)
def test_a_missing_corpus_is_named(tmp_path, suite):
    with pytest.raises(InvalidInputError, match=r"no folder|holds none of"):
        runner.run(suite, tmp_path)


def test_a_limit_below_one_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="limit is 0"):
        runner.run("scale", tmp_path, order=Order(limit=0))


def test_a_report_has_the_keys_the_command_line_promises(corpora, in_process):
    notes = []
    report = runner.run("locomo", corpora, order=Order(limit=1), note=notes.append)
    body = json.loads(json.dumps(msgspec.to_builtins(report)))
    assert list(body) == KEYS
    assert "tiny: conv-1" in notes


def test_the_table_shows_the_engine_beside_every_baseline(corpora, in_process):
    lines = runner.table(runner.run("locomo", corpora))
    assert lines[0].startswith("locomo")
    for name in (
        "engine",
        "fts5",
        "dense",
        "rrf",
        "convex",
        "engine - best baseline",
        "latency_ms",
        "skipped",
        "machine",
    ):
        assert any(line.lstrip().startswith(name) for line in lines)
    headed = next(line for line in lines if "recall@10" in line)
    engine = next(line for line in lines if line.startswith("engine"))
    assert len(headed) == len(engine)


def test_parts_can_be_switched_off_where_evidence_is_asked_for_only(tmp_path):
    with pytest.raises(InvalidInputError, match="'scale' cannot run with parts off") as caught:
        runner.run("scale", tmp_path, order=Order(ablate=("rrf-fusion",)))
    assert "locomo" in caught.value.hint
    assert "answers" in caught.value.hint
    with pytest.raises(InvalidInputError, match="'answers' cannot run settled"):
        runner.run("answers", tmp_path, order=Order(settle=True))


def test_peers_are_asked_where_evidence_is_asked_for_only(tmp_path):
    with pytest.raises(InvalidInputError, match="'scale' asks no peers") as caught:
        runner.run("scale", tmp_path, order=Order(peers=("txtai",)))
    assert "papers" in caught.value.hint


def test_drawn_ids_need_no_corpus_and_have_a_digest_of_their_own(tmp_path, in_process, monkeypatch):
    monkeypatch.setattr(ids, "REPORT_COUNT", 120)
    report = runner.run("ids", tmp_path, order=Order(limit=20))
    assert report.metrics["recall@1"] == 1.0
    assert report.by_category[0].count == 20
    assert report.corpus_sha256 == digest_of_lines({ids.SUITE.drawing: "ids"})


def test_the_table_shows_each_part_that_was_switched_off(corpora, in_process):
    lines = runner.table(runner.run("locomo", corpora, order=Order(ablate=("exact-terms",))))
    assert any(line.startswith("without: exact-terms (rare_term_bonus 0.0)") for line in lines)
    assert any(line.startswith("engine - exact-terms [95 %]") for line in lines)


def test_a_run_leaves_the_corpora_as_they_were(corpora, in_process):
    before = {path: path.read_bytes() for path in corpora.rglob("*") if path.is_file()}
    runner.run("locomo", corpora)
    assert {path: path.read_bytes() for path in corpora.rglob("*") if path.is_file()} == before
