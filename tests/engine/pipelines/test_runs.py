"""What was taken in and asked can be looked at, and what failed or was cut off can be tried again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownRecordError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import IngestRun, QueryRun, SourceInput


def test_runs_and_questions_are_shown_by_their_ids(engine: MemoryEngine, papers: Path):
    run = engine.ingest(papers, wait=False)
    answer = engine.query("Who measured the speed of light?")
    assert engine.runs.list()[0].run_id == run.run_id
    shown = engine.runs.show(run.run_id)
    assert isinstance(shown, IngestRun)
    assert shown.results == run.results
    asked = engine.runs.show(answer.query_id)
    assert isinstance(asked, QueryRun)
    assert (asked.question, asked.mode) == (answer.question, "query")
    assert [one.query_id for one in engine.runs.queries()] == [answer.query_id]


def test_an_unknown_run_is_named(engine: MemoryEngine):
    for verb in (engine.runs.show, engine.runs.retry):
        with pytest.raises(UnknownRecordError, match="run_x"):
            verb("run_x")


def test_trying_again_takes_only_what_failed(engine: MemoryEngine, papers: Path):
    (papers / "late.txt").touch()
    run = engine.ingest(papers, wait=False)
    assert run.status == "partial"
    (papers / "late.txt").write_text("It has come at last.")
    again = engine.runs.retry(run.run_id)
    assert [(Path(result.input).name, result.status.value) for result in again.results] == [("late.txt", "success")]


def test_a_run_that_a_crash_cut_off_is_gone_on_with(engine: MemoryEngine, papers: Path):
    engine._rooms.history.begin([SourceInput(path=str(papers))])
    with engine._rooms.history._database.write() as connection:
        connection.execute("UPDATE ingest_runs SET status = 'interrupted'")
    (resumed,) = engine.runs.resume()
    assert resumed.counts["success"] == 2
    assert engine.runs.resume() == ()
    assert {run.status for run in engine.runs.list()} == {"completed"}


def test_a_cut_off_run_whose_folder_is_gone_fails_and_is_not_tried_for_ever(engine: MemoryEngine, papers: Path):
    engine._rooms.history.begin([SourceInput(path=str(papers))])
    with engine._rooms.history._database.write() as connection:
        connection.execute("UPDATE ingest_runs SET status = 'interrupted'")
    shutil.rmtree(papers)
    (resumed,) = engine.runs.resume()
    assert resumed.status == "failed"
    assert engine.runs.resume() == ()


def test_one_source_is_read_again_from_the_original_in_the_vault(engine: MemoryEngine, papers: Path):
    engine.ingest(papers, wait=False)
    (light,) = [source for source in engine.sources.list() if source.filename == "light.txt"]
    shutil.rmtree(papers)
    (row,) = engine.runs.read_again(light.source_id).results
    assert (row.reason, row.source_id, row.source_key) == ("unchanged", light.source_id, light.source_key)
    engine.sources.forget(light.source_id, "old")
    with pytest.raises(InvalidInputError, match="cannot be read again"):
        engine.runs.read_again(light.source_id)


def test_a_file_of_a_folder_is_tried_again_with_what_was_said_of_the_folder(engine: MemoryEngine, papers: Path):
    (papers / "late.txt").touch()
    run = engine.ingest(SourceInput(path=str(papers), collections=("Optics",)), wait=False)
    (papers / "late.txt").write_text("It has come at last.")
    (row,) = engine.runs.retry(run.run_id).results
    assert engine.sources.show(row.source_id).collections == ("Optics",)
