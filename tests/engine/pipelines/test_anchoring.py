"""Her highlights follow a source into its newer version, with a confidence; what is gone is listed, never dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Locator

TEXT = (
    "# Light\n\nFoucault measured the speed of light in 1862.\n\nThe mirror turned 800 times a second.\n\n"
    "His brother watched the clock all night.\n"
)


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "light.md"
    path.write_text(TEXT)
    return path


def mark(engine: MemoryEngine, source_id: str, quote: str):
    start = TEXT.index(quote)
    place = Locator(kind="page", page=1, start=start, end=start + len(quote))
    return engine.curation.highlight(source_id, quote, place, colour="blue", note="mine")


def taken(engine: MemoryEngine, path: Path):
    (result,) = engine.ingest(path, wait=False).results
    return result


def test_highlights_move_with_their_words_and_what_is_gone_is_listed(engine: MemoryEngine, paper: Path):
    first = taken(engine, paper)
    kept = mark(engine, first.source_id, "The mirror turned 800 times a second.")
    changed = mark(engine, first.source_id, "Foucault measured the speed of light in 1862.")
    gone = mark(engine, first.source_id, "His brother watched the clock all night.")
    new = "A new beginning.\n\n" + TEXT.replace("Foucault measured", "Léon Foucault had measured").replace(
        "His brother watched the clock all night.\n", ""
    )
    paper.write_text(new)
    second = taken(engine, paper)
    assert second.reason == "new version; 2 highlights moved, 1 without a place"
    marks = {one.payload.moved_from: one for one in engine.curation.highlights(second.source_id)}
    assert set(marks) == {kept.id, changed.id, gone.id}
    place = marks[kept.id].locator
    assert new[place.start : place.end] == "The mirror turned 800 times a second."
    assert marks[kept.id].payload.confidence > 0.8  # what stood behind it is gone
    assert (marks[kept.id].payload.colour, marks[kept.id].payload.note) == ("blue", "mine")
    place = marks[changed.id].locator
    assert new[place.start : place.end] == "Foucault had measured the speed of light in 1862"
    assert 0.6 <= marks[changed.id].payload.confidence < 0.95
    assert (marks[gone.id].locator, marks[gone.id].payload.confidence) == (None, 0.0)
    assert marks[gone.id].text == "His brother watched the clock all night."


def test_what_was_gone_is_found_when_its_words_come_back(engine: MemoryEngine, paper: Path):
    first = taken(engine, paper)
    mark(engine, first.source_id, "His brother watched the clock all night.")
    paper.write_text("Nothing of it.\n")
    taken(engine, paper)
    paper.write_text("Once more.\n\n" + TEXT)
    third = taken(engine, paper)
    (found,) = engine.curation.highlights(third.source_id)
    assert found.payload.confidence > 0.8
    assert third.reason == "new version; 1 highlight moved"


def test_an_earlier_version_that_comes_back_has_its_marks_once(engine: MemoryEngine, paper: Path):
    first = taken(engine, paper)
    mark(engine, first.source_id, "The mirror turned 800 times a second.")
    paper.write_text(TEXT + "\nMore of it, and a new sentence.\n")
    second = taken(engine, paper)
    place = Locator(kind="page", page=1, start=2, end=7)
    engine.curation.highlight(second.source_id, "Light", place)
    paper.write_text(TEXT)
    back = taken(engine, paper)
    assert back.reason == "version 1 restored; 1 highlight moved"
    texts = [one.text for one in engine.curation.highlights(back.source_id)]
    assert texts == ["The mirror turned 800 times a second.", "Light"]


def test_a_taken_away_highlight_does_not_come_along(engine: MemoryEngine, paper: Path):
    first = taken(engine, paper)
    engine.curation.unhighlight(mark(engine, first.source_id, "The mirror turned 800 times a second.").id)
    paper.write_text(TEXT + "\nMore.\n")
    assert engine.curation.highlights(taken(engine, paper).source_id) == ()


def test_a_citation_is_followed_into_the_version_in_use(engine: MemoryEngine, paper: Path):
    taken(engine, paper)
    (citation, *_) = engine.query("How often did the mirror turn?").citations
    new = "A new beginning, much longer than before.\n\n" + TEXT
    paper.write_text(new)
    second = taken(engine, paper)
    place = engine.sources.follow(citation.record_id, citation.excerpt)
    assert (place.source_id, new[place.locator.start : place.locator.end]) == (second.source_id, citation.excerpt)
    assert place.confidence > 0.9
    paper.write_text("Nothing of it.\n")
    third = taken(engine, paper)
    gone = engine.sources.follow(citation.record_id, citation.excerpt)
    assert (gone.source_id, gone.locator, gone.confidence) == (third.source_id, None, 0.0)
