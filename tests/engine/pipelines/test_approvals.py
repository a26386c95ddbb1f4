"""Hidden text is no evidence until she says so, and none again when she takes it back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownSourceError
from trisynapse_memory.memory_engine import MemoryEngine

HIDDEN = "Quorvex measured the astrolabe at 42 degrees in 1731."
ASKED = "At how many degrees did Quorvex measure the astrolabe?"


@pytest.fixture
def engine(tmp_path: Path, in_process: None) -> Iterator[MemoryEngine]:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "This page tells of a voyage to the south and of its long winter in the ice.")
    page.insert_text((72, 200), HIDDEN, color=(1, 1, 1))
    document.new_page().insert_text((72, 100), "The second page has nothing to hide from anybody who reads it.")
    document.save(tmp_path / "paper.pdf")
    with MemoryEngine.open(tmp_path / "one.vault") as opened:
        opened.ingest(tmp_path / "paper.pdf")
        yield opened


@pytest.fixture
def source_id(engine: MemoryEngine) -> str:
    (source,) = engine.sources.list()
    return source.source_id


def test_it_counts_only_after_her_word_and_then_names_its_page(engine: MemoryEngine, source_id: str):
    assert not any(HIDDEN in hit.record.text for hit in engine.search("Quorvex astrolabe").hits)
    assert engine.query(ASKED).abstain
    (record_id,) = engine.sources.approve_hidden(source_id, 1)
    engine.jobs.wait(60)
    hit, *_ = engine.search("Quorvex astrolabe").hits
    assert (hit.record.id, hit.record.text.strip()) == (record_id, HIDDEN)
    assert hit.record.fields["visibility"] == "not visible on the page; approved by hand"
    assert (hit.locator.page, hit.locator.quads, hit.record.actor.type) == (1, (), "user")
    answer = engine.query(ASKED)
    assert HIDDEN in answer.answer
    assert answer.citations[0].record_id == record_id
    assert engine.validate().ok


def test_twice_is_once_a_rebuild_keeps_it_and_forgetting_takes_it_back(engine: MemoryEngine, source_id: str):
    (record_id,) = engine.sources.approve_hidden(source_id, 1)
    assert engine.sources.approve_hidden(source_id, 1) == (record_id,)
    engine.reindex()
    assert record_id in {hit.record.id for hit in engine.search("Quorvex astrolabe").hits}
    engine.forget(record_id, reason="it was a trap")
    assert not any(HIDDEN in hit.record.text for hit in engine.search("Quorvex astrolabe").hits)


def test_a_page_that_hides_nothing_and_one_that_is_not_there_are_told(engine: MemoryEngine, source_id: str):
    with pytest.raises(InvalidInputError, match="Nothing is hidden on page 2"):
        engine.sources.approve_hidden(source_id, 2)
    with pytest.raises(UnknownSourceError, match="has no page 9"):
        engine.sources.approve_hidden(source_id, 9)
