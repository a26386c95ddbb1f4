"""A folder of notes, and a zip of Notion, all the way into the library: names, tags, days, links that are found."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from trisynapse_memory.memory_engine import MemoryEngine

FIRST, SECOND = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "Her vault"
    (folder / ".obsidian").mkdir(parents=True)
    (folder / ".obsidian" / "app.json").write_text("{}")
    (folder / "Hebb 1949.md").write_text(
        "---\naliases: [The organization of behavior]\ntags: [memory]\n---\nCells fire.\n"
    )
    (folder / "Reading.md").write_text("Read [[Hebb 1949|the book]] first. #later\n")
    (folder / "2024-01-05.md").write_text("- Met a colleague about synapses.\n- Went home.\n")
    return folder


def found(engine: MemoryEngine, question: str) -> list[str]:
    return [hit.title.split(",")[0] for hit in engine.search(question).hits]


def test_a_folder_of_notes_becomes_sources_with_names_tags_and_days(engine: MemoryEngine, notes: Path):
    engine.ingest(notes)
    sources = {one.title: one for one in engine.sources.list()}
    assert {one.kind for one in sources.values()} == {"notes"}
    assert sources["Hebb 1949"].tags == ("memory",)
    assert sources["Reading"].tags == ("later",)
    assert sources["2024-01-05"].published == "2024-01-05"
    (page,) = engine.sources.text(sources["Reading"].source_id)
    assert page.text == "Read the book first. #later\n"


def test_a_note_is_found_by_another_of_its_names_and_by_what_it_links_to(engine: MemoryEngine, notes: Path):
    engine.ingest(notes)
    assert found(engine, "organization of behavior")[0] == "Hebb 1949"
    assert "Reading" in found(engine, "Hebb 1949")


def test_what_a_program_keeps_for_itself_is_left_out_and_listed(engine: MemoryEngine, notes: Path):
    run = engine.ingest(notes)
    assert [(one.status.value, one.reason) for one in run.results if ".obsidian" in one.input] == [
        ("skipped", "hidden")
    ]


def test_an_export_of_notion_loses_its_ids_everywhere(engine: MemoryEngine, tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "Export.zip", "w") as archive:
        archive.writestr(f"Home {FIRST}.md", f"# Home\n\nSee [Tasks](Home%20{FIRST}/Tasks%20{SECOND}.csv).\n")
        archive.writestr(f"Home {FIRST}/Tasks {SECOND}.csv", "Name,Status\nRead Hebb,Done\nWrite,Open\n")
    engine.ingest(tmp_path / "Export.zip")
    sources = {one.title: one for one in engine.sources.list()}
    assert {"Home", "Tasks"} <= set(sources)
    (page,) = engine.sources.text(sources["Home"].source_id)
    assert "See Tasks." in page.text
