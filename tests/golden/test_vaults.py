"""A saved vault of every past format opens, is proven, is rebuilt from its log alone, and answers as it did."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Kind, SourceStatus
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
    sources = {(source.title, source.version): source for source in engine.sources.list(include_all=True)}
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
    assert set(seqs) == {"lexical", "vector"}
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
