"""The same text in another file is known by its letters, linked to the older one, and shown once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trisynapse_memory.errors import UnknownSourceError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.same_texts import text_digest
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import IngestRun, Namespace

Take = Callable[..., IngestRun]
TEXT = "Foucault measured the speed of light with a rotating mirror in 1862.\n\nThe mirror turned 800 times a second.\n"
MARKED = (
    "**Foucault** measured the speed of light\nwith a rotating mirror in 1862.\n\n"
    "* The mirror turned 800 times a SECOND!"
)


def two(folder: Path) -> tuple[Path, Path]:
    (folder / "a.txt").write_text(TEXT)
    (folder / "b.md").write_text(MARKED)
    return folder / "a.txt", folder / "b.md"


def test_line_ends_marks_and_case_make_no_other_text(take: Take, rooms: Rooms, tmp_path: Path):
    one, other = (take(path).results[0] for path in two(tmp_path))
    assert text_digest(rooms.log, one.source_id) == text_digest(rooms.log, other.source_id) != ""
    assert (one.reason, other.reason) == ("", "same text as 'a'")
    assert rooms.shelf.get(one.source_id).same_text_as is None
    assert rooms.shelf.get(other.source_id).same_text_as == one.source_id


def test_next_to_nothing_and_other_words_are_not_the_same(take: Take, rooms: Rooms, tmp_path: Path):
    for name, text in (("a.txt", "Yes."), ("b.md", "# Yes"), ("c.txt", TEXT), ("d.txt", TEXT.replace("800", "801"))):
        (tmp_path / name).write_text(text)
        take(tmp_path / name)
    assert {source.same_text_as for source in rooms.shelf.list(Namespace())} == {None}


def test_a_forgotten_copy_is_no_copy_and_the_next_one_becomes_the_first(take: Take, rooms: Rooms, tmp_path: Path):
    one, other = (take(path).results[0] for path in two(tmp_path))
    lifecycle.forget_source(rooms.log, rooms.shelf, one.source_id, "old")
    assert rooms.shelf.get(other.source_id).same_text_as is None
    lifecycle.reinstate_source(rooms.log, rooms.shelf, one.source_id, "back")
    assert rooms.shelf.get(other.source_id).same_text_as == one.source_id


def test_a_new_version_with_the_same_letters_is_no_copy_of_the_old_one(take: Take, rooms: Rooms, tmp_path: Path):
    path, _ = two(tmp_path)
    take(path)
    path.write_text(TEXT.replace("\n\n", "\n\n\n"))
    (again,) = take(path).results
    assert (again.reason, rooms.shelf.get(again.source_id).same_text_as) == ("new version", None)


def test_folding_again_gives_the_same(take: Take, rooms: Rooms, tmp_path: Path):
    _, other = (take(path).results[0] for path in two(tmp_path))
    before = rooms.shelf.get(other.source_id)
    rooms.log.refold()
    assert rooms.shelf.get(other.source_id) == before


def test_results_show_it_once_and_name_the_other_copies(engine: MemoryEngine, tmp_path: Path):
    paths = two(tmp_path)
    engine.ingest(*paths, wait=False)
    hits = engine.search("speed of light rotating mirror").hits
    assert len({hit.record.source_id for hit in hits}) == 1
    (copy,) = hits[0].copies
    assert {hits[0].source_key, copy.source_key} == {str(path) for path in paths}
    answer = engine.query("Who measured the speed of light?")
    assert len({citation.source_id for citation in answer.citations}) == 1


def test_the_copies_of_a_source_are_listed_and_support_a_claim_once(engine: MemoryEngine, tmp_path: Path):
    (tmp_path / "a.txt").write_text("Bert was pretrained with Adam. It took four days.")
    (tmp_path / "b.md").write_text("Bert was pretrained with Adam.\n\nIt took four days.")
    engine.ingest(tmp_path / "a.txt")
    engine.ingest(tmp_path / "b.md")
    other, one = engine.sources.list()
    assert [(copy.source_id, copy.is_older) for copy in engine.sources.copies(other.source_id)] == [
        (one.source_id, True)
    ]
    assert [(copy.source_id, copy.is_older) for copy in engine.sources.copies(one.source_id)] == [
        (other.source_id, False)
    ]
    claims = engine.claims.list(include_all=True)
    assert {support.source_id for claim in claims for side in claim.sides for support in side.supports} == {
        one.source_id,
        other.source_id,
    }
    words = {part.because for claim in claims for part in claim.confidence_parts if part.name == "support"}
    assert words == {"One source or conversation says so."}
    with pytest.raises(UnknownSourceError):
        engine.sources.copies("src_none")
