from __future__ import annotations

import json

import pymupdf
import pytest

from tests.engine.bench.fake_peers import GOOD, install
from trisynapse_memory.bench import papers
from trisynapse_memory.types import Locator

PAGES = {
    "light.pdf": ["Foucault measured the speed of light with a rotating mirror.", "The apparatus stood in Paris."],
    "birds.pdf": ["Swallows fly south in autumn.", "Penguins swim under ice and eat krill."],
}


def write_pdf(path, pages):
    with pymupdf.open() as document:
        for text in pages:
            document.new_page().insert_text((72, 100), text, fontsize=12)
        document.save(path)


@pytest.fixture
def library(tmp_path):
    folder = tmp_path / "corpora" / "papers"
    (folder / "pdfs").mkdir(parents=True)
    for name, pages in PAGES.items():
        write_pdf(folder / "pdfs" / name, pages)
    row = {"evidence_sources": "['Pure-text (Plain-text)']", "answer": "-"}
    rows = [
        {**row, "doc_id": "light.pdf", "question": "Who measured the speed of light?", "evidence_pages": "[1]"},
        {**row, "doc_id": "birds.pdf", "question": "What do penguins eat under ice?", "evidence_pages": "[2, 9]"},
        {**row, "doc_id": "birds.pdf", "question": "What colour is krill?", "evidence_pages": "[]"},
        {
            **row,
            "doc_id": "light.pdf",
            "question": "Who won the cup?",
            "evidence_pages": "[]",
            "answer": "Not answerable",
        },
        {**row, "doc_id": "gone.pdf", "question": "Where is it?", "evidence_pages": "[1]"},
    ]
    (folder / "questions.json").write_text(json.dumps(rows))
    return folder.parent


@pytest.fixture
def report(library, in_process):
    return papers.run(library, None, lambda _: None)


def test_the_page_that_holds_the_words_is_found_in_its_pdf_and_in_the_library(report):
    assert report.metrics["recall@5"] == 1.0
    assert report.metrics["recall@10"] == 1.0


def test_refusals_are_told_for_both_kinds_of_question(report):
    assert report.metrics["refused"] == 1.0
    assert 0.0 <= report.metrics["false_refusals"] <= 1.0


def test_baselines_rank_pages_and_chunks(report):
    names = {f"{method}-{unit}" for method in ("fts5", "dense", "rrf", "convex") for unit in ("pages", "chunks")}
    assert set(report.baselines) == names
    assert report.baselines["fts5-pages"].metrics == {"recall@5": 1.0, "recall@10": 1.0}


def test_peers_rank_pages_and_chunks_of_each_pdf_and_of_the_library(library, in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    install(tmp_path, "tantivy", GOOD)
    report = papers.run(library, None, lambda _: None, ("tantivy", "txtai"))
    assert report.baselines["tantivy-pages"].metrics == {"recall@5": 1.0, "recall@10": 1.0}
    row = report.baselines["tantivy-chunks"]
    assert row.metrics == {"recall@5": 1.0, "recall@10": 1.0}
    assert row.about["licence"] == "MIT"
    assert row.ingest["records"] == report.ingest["records"]
    assert {one.count for one in row.differences} == {2}
    assert ("peer txtai", 1) in {(skip.what, skip.count) for skip in report.skipped}
    assert not any(name.startswith("txtai") for name in report.baselines)


def test_questions_count_in_each_kind_of_evidence(report):
    assert {(row.category, row.count) for row in report.by_category} == {
        ("text or table", 2),
        ("Pure-text (Plain-text)", 2),
    }


def test_refusals_of_answerable_questions_are_told_for_each_kind_of_evidence(report):
    assert all("false_refusals" in row.metrics for row in report.by_category)
    assert all("false_refusals" not in row for kind in report.by_category for row in kind.baselines.values())


def test_what_cannot_be_judged_is_counted(report):
    assert {skip.what: skip.count for skip in report.skipped} == {
        "question about a PDF that is not here": 1,
        "answerable question without an evidence page": 1,
        "evidence page that the PDF does not have": 1,
    }


def test_a_limit_takes_in_only_the_pdfs_it_needs(library, in_process):
    report = papers.run(library, 1, lambda _: None)
    assert report.ingest["sources"] == 1
    assert {skip.what: skip.count for skip in report.skipped} == {"question beyond the limit": 4}


def test_a_record_off_any_page_stands_on_none(engine):
    (record_id,) = engine.ingest_messages([{"content": "hello"}], group_id="g")
    record = engine.get(record_id)
    assert record.locator is not None
    assert record.locator != Locator(kind="page", page=1)
    assert papers.page_of(record) is None


def test_the_engine_is_held_against_the_best_baseline_of_each_measure(report):
    rows = {(row.category, row.measure): row for row in report.differences}
    assert set(rows) == {
        (category, measure)
        for category in ("", "text or table", "Pure-text (Plain-text)")
        for measure in ("recall@5", "recall@10")
    }
    assert rows["", "recall@5"].count == 2
    assert rows["", "recall@5"].mean == 0.0
    assert not rows["", "recall@5"].better
