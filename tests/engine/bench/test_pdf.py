from __future__ import annotations

import sys

import pymupdf
import pytest

from trisynapse_memory.bench import pdf
from trisynapse_memory.errors import InvalidInputError


def write_pdf(path, page_count, password=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    with pymupdf.open() as document:
        for number in range(page_count):
            document.new_page().insert_text((72, 100), f"Page {number + 1} of a short paper about swallows.")
        how = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password} if password else {}
        document.save(path, **how)


@pytest.fixture
def folder(tmp_path):
    write_pdf(tmp_path / "papers" / "pdfs" / "a.pdf", 2)
    write_pdf(tmp_path / "papers" / "pdfs" / "b.pdf", 1)
    write_pdf(tmp_path / "intake" / "deep" / "locked.pdf", 1, "secret")
    return tmp_path


@pytest.fixture
def in_this_process(monkeypatch, sandbox):
    monkeypatch.setattr(pdf, "Sandbox", lambda *_, **__: sandbox)


def test_every_stated_page_has_its_verdict(folder, in_this_process):
    report = pdf.run(folder, None, lambda _: None)
    papers, intake = report.by_category
    assert (papers.corpus, papers.count) == ("papers/pdfs", 3)
    assert papers.metrics["pages_with_a_verdict"] == 1.0
    assert papers.metrics["verdict:ok"] == 3
    assert (intake.corpus, intake.count) == ("intake", 0)


def test_a_file_that_cannot_be_opened_is_told_by_its_error(folder, in_this_process):
    report = pdf.run(folder, None, lambda _: None)
    assert ("intake: file", "source.password") in {(skip.what, skip.reason) for skip in report.skipped}


def test_a_limit_stops_before_the_next_file(folder, in_this_process):
    report = pdf.run(folder, 1, lambda _: None)
    assert report.ingest["pages"] == 2
    assert {(skip.what, skip.count) for skip in report.skipped} == {("papers/pdfs: file", 1), ("intake: file", 1)}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell what ended children used")
def test_plain_text_of_the_same_files_is_the_baseline(folder, in_this_process):
    report = pdf.run(folder, None, lambda _: None)
    assert report.baselines["pymupdf"].metrics["pages_per_cpu_s"] > 0


def test_complaints_of_the_plain_reader_do_not_hide_its_count(folder, in_this_process, monkeypatch):
    monkeypatch.setattr(pdf, "_PLAIN", "print('MuPDF error: syntax error')\nprint()\nprint(3)")
    report = pdf.run(folder, None, lambda _: None)
    assert report.baselines["pymupdf"].metrics["pages_per_s"] > 0


def test_a_plain_reader_that_fails_gives_no_baseline(folder, in_this_process, monkeypatch):
    monkeypatch.setattr(pdf, "_PLAIN", "raise SystemExit(3)")
    assert pdf.run(folder, None, lambda _: None).baselines["pymupdf"].metrics == {}


def test_a_folder_without_pdfs_is_named(tmp_path):
    with pytest.raises(InvalidInputError, match="holds none of"):
        pdf.run(tmp_path, None, lambda _: None)
    with pytest.raises(InvalidInputError, match="There is no folder"):
        pdf.run(tmp_path / "none", None, lambda _: None)
