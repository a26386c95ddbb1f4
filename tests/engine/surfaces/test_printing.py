"""One JSON document or plain lines on standard output, everything else on standard error."""

from __future__ import annotations

import argparse
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import structs

from trisynapse_memory.errors import UnknownRecordError
from trisynapse_memory.surfaces.printing import Printer, place_of, search_body, step_line
from trisynapse_memory.types import (
    Hit,
    Intent,
    Kind,
    Locator,
    Progress,
    QueryPlan,
    QueryStep,
    Record,
    RecordId,
    SearchResult,
)


def printer(**chosen: bool) -> Printer:
    given = {"json": False, "quiet": False, "no_progress": False, **chosen}
    return Printer(argparse.Namespace(**given))


def test_a_result_is_its_lines_or_one_document(capsys: pytest.CaptureFixture[str]):
    body = {"when": datetime(2026, 1, 2, tzinfo=UTC), "name": "é"}
    printer().result(body, ["a", "b"])
    printer(json=True).result(body, ["a", "b"])
    printer(quiet=True).result(body, ["a"])
    out, err = capsys.readouterr()
    assert out == 'a\nb\n{"when": "2026-01-02T00:00:00Z", "name": "é"}\n'
    assert err == ""


def test_a_reader_that_has_left_is_no_fault_of_the_command(monkeypatch: pytest.MonkeyPatch):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as gone:
        monkeypatch.setattr("sys.stdout", gone)
        printer().result({}, ["one line", "another"])
        printer(json=True).result({"a": 1}, [])


def test_an_error_is_a_line_on_standard_error_or_the_document(capsys: pytest.CaptureFixture[str]):
    error = UnknownRecordError("There is no record 'r'.", hint="Look again.")
    printer().failure(error)
    assert capsys.readouterr() == ("", "error: There is no record 'r'. Look again.\n")
    printer(json=True, quiet=True).failure(error)
    out, err = capsys.readouterr()
    assert json.loads(out) == {
        "error": {"code": "record.unknown", "message": "There is no record 'r'.", "hint": "Look again."}
    }
    assert err == ""


def test_a_bug_names_its_file_and_is_a_document_too(capsys: pytest.CaptureFixture[str]):
    printer(json=True).bug(Path("/tmp/x.log"))
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["code"] == "bug"
    assert "/tmp/x.log" in err


def test_remarks_and_progress_never_reach_standard_output(capsys: pytest.CaptureFixture[str]):
    loud = printer()
    loud._bar = True  # as on a terminal
    loud.progress(Progress(run_id="r", stage="words", label="a paper", done=1, total=4))
    loud.note("remark")
    out, err = capsys.readouterr()
    assert out == ""
    assert "1/4" in err
    assert err.endswith("\r\x1b[Kremark\n"), "the bar is wiped before anything else is said"
    printer(quiet=True).note("remark")
    printer(json=True).progress(Progress(run_id="r", stage="words"))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("locator", "place"),
    [
        (None, "T"),
        (Locator(kind="page", page=3, page_label="iii"), "T, p. iii"),
        (Locator(kind="page", page=3), "T, p. 3"),
        (Locator(kind="section", page=1, heading="Methods"), "T, Methods"),
        (Locator(kind="turn", index=1), "T"),
    ],
)
def test_a_place_is_said_as_a_person_says_it(locator: Locator | None, place: str):
    assert place_of(SimpleNamespace(title="T", locator=locator)) == place


def test_what_a_model_said_of_a_page_is_printed_apart_from_the_hits_and_with_its_mark():
    record = Record(
        id=RecordId("r"),
        seq=1,
        device_id="d",
        device_seq=1,
        written_at=datetime(2026, 1, 2, tzinfo=UTC),
        kind=Kind.DESCRIPTION,
        content_hash="",
        chain_hash="",
    )
    hit = Hit(record=record, score=1.0, title="T", excerpt="A map.", locator=None, mark="a model's description")
    plan = QueryPlan(question="map", intent=Intent.FACT, terms=())
    none = SearchResult(query_id="q", question="map", hits=(), plan=plan)
    body = search_body(structs.replace(none, descriptions=(hit,)), explain=False)
    assert body["hits"] == []
    assert [(one["excerpt"], one["mark"]) for one in body["descriptions"]] == [("A map.", "a model's description")]
    assert "descriptions" not in search_body(none, explain=False)


def test_a_step_of_a_run_is_a_line_with_what_it_tells():
    assert step_line(QueryStep(phase="routes", duration_ms=3.24)) == "routes: 3.2 ms"
    told = {"words": "ice, rope", "kept": "no"}
    assert step_line(QueryStep(phase="refine_1", duration_ms=41.0, summary=told)) == (
        "refine_1: 41.0 ms  (words ice, rope, kept no)"
    )
