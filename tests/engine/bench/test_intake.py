"""Every file of a folder gets its status and, where a ground truth lies beside it, its figures."""

from __future__ import annotations

import json

import pytest

from trisynapse_memory.bench import intake
from trisynapse_memory.errors import InvalidInputError

PAGE = "<html><body><h1>Birds</h1><p>They sing in the morning, all of them.</p></body></html>"

TABLE = "<table><caption>Two kinds</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"


@pytest.fixture
def folder(tmp_path):
    def write(name, text):
        path = tmp_path / "intake" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    write("many/html/sources/a.html", PAGE.replace("</p>", f"</p>{TABLE}"))
    write("many/html/groundtruth/a.html.md", "# Birds\n\nThey sing in the morning, all of them. Always.")
    write("many/html/sources/b.html", PAGE)
    write("many/html/groundtruth/b.html.md", "")
    write("pages/one/source.html", PAGE)
    write("pages/one/expected.html", "<p>They sing in the morning, all of them.</p>")
    write("pages/one/expected-metadata.json", json.dumps({"title": "Birds"}))
    write("segments/c.html", PAGE)
    write("segments/evaldata_subset.json", json.dumps({"u": {"file": "c.html", "with": ["sing"], "without": ["menu"]}}))
    write("odd/empty.txt", "")
    return tmp_path


@pytest.fixture
def report(folder, sandbox, monkeypatch):
    monkeypatch.setattr(intake, "Sandbox", lambda *_, **__: sandbox)
    return intake.run(folder, None, lambda _: None)


def test_each_folder_is_a_family_with_its_figures(report):
    rows = {row.category: row for row in report.by_category}
    assert set(rows) == {"many/html", "pages", "segments", "odd"}
    html = rows["many/html"]
    assert (html.count, html.metrics["compared"], html.metrics["verdict:ok"]) == (2, 1.0, 2.0)
    assert html.metrics["word_recall"] == 0.9  # "Always" is not there
    assert rows["pages"].metrics["foreign_words"] == 0.0  # the title is no foreign word
    assert rows["segments"].metrics["segments_kept"] == 1.0
    assert rows["segments"].metrics["segments_foreign"] == 0.0


def test_what_a_file_holds_beside_its_text_is_told_with_the_figures(report):
    html = {row.category: row for row in report.by_category}["many/html"].metrics
    assert (html["foreign_words"], html["foreign_beyond_asides"], html["aside_recall"]) == (0.4, 0.2667, 1.0)
    assert html["block_gram_recall"] == 0.8


def test_pdfs_that_lie_with_another_format_are_a_family_of_their_own(tmp_path):
    files = [tmp_path / "many" / name / "sources" / "a.pdf" for name in ("odf", "pdf")]
    assert [intake.family_of(path, tmp_path) for path in files] == ["many/odf (pdf)", "many/pdf"]


def test_what_failed_and_what_has_no_ground_truth_is_told(report):
    told = {(skip.what, skip.reason) for skip in report.skipped}
    assert ("odd: empty.txt", "source.empty") in told
    assert ("many/html: b.html", "Its ground truth is empty.") in told
    assert {row.category: row.metrics for row in report.by_category}["odd"]["failed"] == 1.0


def test_a_limit_stops_and_is_told(folder, sandbox, monkeypatch):
    monkeypatch.setattr(intake, "Sandbox", lambda *_, **__: sandbox)
    report = intake.run(folder, 2, lambda _: None)
    assert report.ingest["files"] == 2
    assert report.skipped[-1].reason == "The limit was reached."
    assert report.skipped[-1].count == 3


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InvalidInputError):
        intake.run(tmp_path, None, lambda _: None)
