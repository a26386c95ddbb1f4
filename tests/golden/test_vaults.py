"""A saved vault of every past format opens, is proven, is rebuilt from its log alone, and answers as it did."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from trisynapse_memory.log.moments import visible_as_of
from trisynapse_memory.log.rows import REMOVED_TEXT
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.log.snapshots import Snapshots
from trisynapse_memory.log.strikes import struck_spans
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import CorrectionDetails, FactDetails, Kind, SourceStatus
from trisynapse_memory.vault import FORMAT_VERSION, read_manifest

SAVED = Path(__file__).parent / "vaults"
QUESTION = "Who measured the speed of light with a rotating mirror?"


@pytest.fixture(params=sorted(path.name for path in SAVED.iterdir()))
def engine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryEngine]:
    """A copy of a saved vault, opened by this program."""
    monkeypatch.setenv("TRISYNAPSE_DEVICE_ID", "dev_other")
    shutil.copytree(SAVED / request.param, tmp_path / "v")
    with MemoryEngine.open(tmp_path / "v", offline=True) as opened:
        yield opened


def test_there_is_a_saved_vault_of_the_present_format():
    assert read_manifest(SAVED / f"v{FORMAT_VERSION}")[0] == FORMAT_VERSION


def test_a_saved_vault_is_whole_and_knows_its_sources(engine: MemoryEngine):
    result = engine.validate()
    assert result.findings == ()
    assert result.checked["blobs"] == 4
    kept = [one for one in engine.sources.list(include_all=True) if one.status is not SourceStatus.REMOVED]
    sources = {(source.title, source.version): source for source in kept}
    assert {key: source.status for key, source in sources.items()} == {
        ("The turning mirror", 1): SourceStatus.SUPERSEDED,
        ("The turning mirror", 2): SourceStatus.ACTIVE,
        ("device", 1): SourceStatus.ACTIVE,
        ("old", 1): SourceStatus.FORGOTTEN,
        ("A talk", 1): SourceStatus.ACTIVE,
    }
    mirror = sources["The turning mirror", 2]
    assert mirror.collections == ("Light",)
    assert sources["device", 1].tags == ("devices",)
    assert [record.text for record in engine.curation.highlights(mirror.source_id)] == ["rotating mirror"]
    (thread,) = engine.threads.list()
    assert [turn.text for turn in engine.threads.turns(thread.thread_id)] == ["Who measured it?"]


def test_a_saved_vault_is_rebuilt_from_its_log_and_answers(engine: MemoryEngine):
    seqs = engine.reindex()
    assert set(seqs) >= {"lexical", "vector"}
    assert len(set(seqs.values())) == 1
    answer = engine.query(QUESTION)
    assert "Foucault" in answer.answer
    assert answer.citations[0].title == "The turning mirror"
    assert engine.search("KX-00120").hits[0].title == "device"
    assert all("purple" not in hit.excerpt for hit in engine.search("purple lamp").hits)
    assert engine.validate().ok


def test_a_saved_vault_can_be_written_to(engine: MemoryEngine):
    before = len(engine.list_records(limit=1000, include_retracted=True))
    engine.forget(engine.list_records(kind=Kind.RAW_SOURCE.value)[0].id, "a later day")
    assert len(engine.list_records(limit=1000, include_retracted=True)) == before + 1
    assert engine.validate().ok


@pytest.mark.parametrize("engine", ["v2"], indirect=True)
def test_a_vault_of_format_2_keeps_its_corrections_moments_and_removals(engine: MemoryEngine):
    log = engine._rooms.log
    (correction,) = [one for one in log.of_kind(Kind.FACT) if isinstance(one.payload, CorrectionDetails)]
    assert correction.text == "It was painted blue in 1970."
    (green,) = [one for one in log.of_kind(Kind.RAW_SOURCE) if "green" in one.text]
    (strike,) = struck_spans(log, [green.seq])[green.seq]
    assert green.text[strike.start : strike.end] == "It was painted green in 1970."
    assert strike.reason == "seen at the museum"
    fact = next(one for one in log.of_kind(Kind.FACT) if isinstance(one.payload, FactDetails))
    assert log.visible([fact.seq, correction.seq]) == {fact.seq, correction.seq}
    assert visible_as_of(log, [green.seq, correction.seq], green.seq) == {green.seq}
    assert [(one.label, one.entered) for one in Snapshots(log).list()] == [("All papers read", False)]
    sensitive = Sensitivity(log)
    assert sensitive.sensitive_seqs([green.seq, correction.seq, fact.seq]) == {green.seq, correction.seq}
    (removed,) = [one for one in engine.sources.list(include_all=True) if one.status is SourceStatus.REMOVED]
    assert [one.text for one in log.of_source(removed.source_id, Kind.RAW_SOURCE)] == [REMOVED_TEXT]
    assert all("amber" not in hit.excerpt for hit in engine.search("amber key").hits)


def test_a_vault_of_format_1_becomes_one_of_the_present_format(tmp_path: Path):
    shutil.copytree(SAVED / "v1", tmp_path / "v")
    with MemoryEngine.open(tmp_path / "v", offline=True) as opened:
        records = opened.list_records(limit=1000, include_retracted=True)
    assert read_manifest(tmp_path / "v")[0] == FORMAT_VERSION
    with MemoryEngine.open(tmp_path / "v", offline=True) as opened:
        assert opened.list_records(limit=1000, include_retracted=True)[: len(records)] == records
