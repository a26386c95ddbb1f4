"""A watched folder: changes come in, renamed files stay the sources they were, deleted ones are archived."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.pipelines.test_unpacking import packed
from trisynapse_memory.errors import InvalidInputError, SourceMissingError
from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import SourceStatus


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    (made / "light.txt").write_text("Foucault measured the speed of light.")
    (made / "mirror.md").write_text("# Mirror\n\nThe mirror turned 800 times.")
    return made


def synced(engine: MemoryEngine) -> dict[str, str]:
    return {
        Path(row.input).name: row.reason or row.status.value for run in engine.watching.sync() for row in run.results
    }


def states(engine: MemoryEngine) -> dict[str, SourceStatus]:
    return {Path(one.source_key).name: one.status for one in engine.sources.list(include_all=True)}


def found(engine: MemoryEngine, word: str) -> set[str]:
    return {Path(hit.source_key).name for hit in engine.search(word).hits}


def later(path: Path, text: str) -> None:
    """Write a file as somebody does who was not there a second ago."""
    path.write_text(text)
    os.utime(path, (time.time() + 10, time.time() + 10))


def test_what_it_holds_comes_in_and_then_only_what_changes(engine: MemoryEngine, folder: Path):
    engine.watching.add(str(folder), "Optics")
    assert synced(engine) == {"light.txt": "success", "mirror.md": "success"}
    assert synced(engine) == {}
    later(folder / "light.txt", "Michelson measured it.")
    (folder / "new.txt").write_text("A new one.")
    (folder / "film.part").write_text("half")
    assert synced(engine) == {"light.txt": "new version", "new.txt": "success"}
    assert {one.collections for one in engine.sources.list()} == {("Optics",)}


def test_a_file_that_was_only_touched_is_not_taken_in(engine: MemoryEngine, folder: Path):
    engine.watching.add(str(folder))
    synced(engine)
    os.utime(folder / "light.txt", (time.time() + 100, time.time() + 100))
    assert synced(engine) == {}


def test_a_renamed_file_is_the_same_source_with_another_path(engine: MemoryEngine, folder: Path):
    engine.watching.add(str(folder))
    synced(engine)
    (before,) = [one for one in engine.sources.list() if one.filename == "light.txt"]
    engine.sources.mark_sensitive(before.source_id)
    (folder / "old").mkdir()
    (folder / "light.txt").rename(folder / "old" / "speed of light.txt")
    assert synced(engine) == {"speed of light.txt": f"renamed from '{folder / 'light.txt'}'"}
    assert synced(engine) == {}
    after = engine.sources.show(before.source_id)
    assert (after.source_key, after.status) == (str(folder / "old" / "speed of light.txt"), SourceStatus.ACTIVE)
    assert (after.filename, after.uri) == ("speed of light.txt", (folder / "old" / "speed of light.txt").as_uri())
    assert len(engine.sources.list()) == 2
    (again,) = engine.ingest(folder / "old" / "speed of light.txt", wait=False).results
    assert (again.reason, again.source_id) == ("unchanged", before.source_id)
    later(folder / "old" / "speed of light.txt", "Another text about light.")
    assert synced(engine) == {"speed of light.txt": "new version"}
    assert check_log(engine._rooms.log, engine._rooms.blobs)[0] == []
    with engine._rooms.log.database.read() as connection:
        keys = {row[0] for row in connection.execute("SELECT source_key FROM sensitive_sources")}
    assert str(folder / "old" / "speed of light.txt") in keys
    engine._rooms.log.refold()
    assert engine.sources.show(before.source_id).source_key == str(folder / "old" / "speed of light.txt")


def test_a_deleted_file_is_archived_and_comes_back_with_its_file(engine: MemoryEngine, folder: Path):
    engine.watching.add(str(folder))
    synced(engine)
    text = (folder / "light.txt").read_text()
    (folder / "light.txt").unlink()
    assert synced(engine) == {"light.txt": "deleted from its watched folder: archived"}
    assert states(engine) == {"light.txt": SourceStatus.FORGOTTEN, "mirror.md": SourceStatus.ACTIVE}
    assert "light.txt" not in found(engine, "Foucault")
    (folder / "light.txt").write_text(text)
    assert synced(engine) == {"light.txt": "version 1 restored"}
    assert "light.txt" in found(engine, "Foucault")


def test_what_she_forgot_herself_stays_forgotten(engine: MemoryEngine, folder: Path):
    engine.watching.add(str(folder))
    synced(engine)
    (light,) = [one for one in engine.sources.list() if one.filename == "light.txt"]
    engine.sources.forget(light.source_id, "wrong")
    assert synced(engine) == {}
    later(folder / "light.txt", "Another text.")
    assert synced(engine) == {}


def test_an_archive_takes_its_files_along(engine: MemoryEngine, folder: Path):
    (folder / "a.zip").write_bytes(packed({"in.txt": b"Words in an archive."}))
    engine.watching.add(str(folder))
    synced(engine)
    (folder / "a.zip").rename(folder / "b.zip")
    assert list(synced(engine)) == ["b.zip"]
    keys = {one.source_key for one in engine.sources.list()}
    assert {str(folder / "b.zip"), f"{folder / 'b.zip'}!/in.txt"} <= keys
    content = (folder / "b.zip").read_bytes()
    (folder / "b.zip").unlink()
    synced(engine)
    assert not {"b.zip", "in.txt"} & found(engine, "archive")
    (folder / "b.zip").write_bytes(content)
    assert synced(engine) == {"b.zip": "version 1 restored", "in.txt": "version 1 restored"}


def test_a_folder_that_is_not_there_archives_nothing(engine: MemoryEngine, folder: Path, tmp_path: Path):
    engine.watching.add(str(folder))
    synced(engine)
    folder.rename(tmp_path / "away")
    folder.mkdir()
    assert synced(engine) == {}
    folder.rmdir()
    assert synced(engine) == {}
    assert [one.is_there for one in engine.watching.list()] == [False]
    assert set(states(engine).values()) == {SourceStatus.ACTIVE}


def test_folders_inside_each_other_and_vaults_are_refused(engine: MemoryEngine, folder: Path, tmp_path: Path):
    engine.watching.add(str(folder))
    (folder / "sub").mkdir()
    for wrong in (folder / "sub", tmp_path):
        with pytest.raises(InvalidInputError, match="is watched already"):
            engine.watching.add(str(wrong))
    with pytest.raises(SourceMissingError):
        engine.watching.add(str(tmp_path / "nothing"))
    with pytest.raises(InvalidInputError, match="is a vault"):
        engine.watching.add(str(tmp_path / "one.vault"))
    engine.watching.add(str(folder), "Other")
    assert [(one.path, one.collection) for one in engine.watching.list()] == [(str(folder), "Other")]
    assert engine.watching.remove(str(folder)) == ()
    with pytest.raises(InvalidInputError, match="is not watched"):
        engine.watching.remove(str(folder))


def wait_for(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


def test_while_it_is_open_changes_come_in_by_themselves(
    engine: MemoryEngine, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("trisynapse_memory.pipelines.watching.SETTLE_MS", 100)
    monkeypatch.setattr("trisynapse_memory.pipelines.watching.LOOK_MS", 1000)
    engine._opened.watching.start()
    engine.watching.add(str(folder))
    assert wait_for(lambda: len(engine.sources.list()) == 2)
    (folder / "new.txt").write_text("A new text that comes by itself.")
    assert wait_for(lambda: len(engine.sources.list()) == 3)
    (folder / "new.txt").unlink()
    assert wait_for(lambda: len(engine.sources.list()) == 2)
    started = time.monotonic()
    engine._opened.watching.close()
    assert time.monotonic() - started < 15
