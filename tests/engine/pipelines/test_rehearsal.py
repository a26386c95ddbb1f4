"""A dry run says what would become of each input, with the words the real run would use, and touches nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import IngestRun, Outcome, SourceInput

Take = Callable[..., IngestRun]


def reasons(run: IngestRun) -> dict[str, str]:
    return {Path(result.input).name: result.reason for result in run.results}


def files_in(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm")}


def test_new_duplicate_changed_and_unsupported_are_told_apart(take: Take, papers: Path):
    take(papers)
    (papers / "light.txt").write_text("Another text.")
    (papers / "new.txt").write_text("A new text.")
    (papers / "twin.md").write_bytes((papers / "device.md").read_bytes())
    (papers / "x.bin").write_bytes(bytes(range(256)) * 8)
    run = take(papers, dry_run=True)
    assert reasons(run) == {
        "device.md": "duplicate",
        "light.txt": "changed",
        "new.txt": "new",
        "twin.md": "duplicate",
        "x.bin": "unsupported",
    }
    assert {result.status for result in run.results} == {Outcome.SKIPPED}


def test_a_version_that_would_come_back_is_called_restored(take: Take, papers: Path):
    path = papers / "light.txt"
    first = path.read_text()
    take(path)
    path.write_text("Another text.")
    take(path)
    path.write_text(first)
    assert reasons(take(path, dry_run=True)) == {"light.txt": "restored"}


def test_bad_files_fail_in_a_dry_run_as_they_would_in_earnest(take: Take, tmp_path: Path):
    (tmp_path / "empty.txt").touch()
    empty, missing = take(tmp_path / "empty.txt", tmp_path / "no.txt", dry_run=True).results
    assert (empty.error.code, missing.error.code) == ("source.empty", "source.missing")


def test_not_one_byte_of_the_vault_changes(take: Take, papers: Path, vault_folder: Path, rooms: Rooms):
    take(papers)
    (papers / "light.txt").write_text("Another text.")
    before = files_in(vault_folder)
    take(papers, SourceInput(text="x"), dry_run=True)
    assert files_in(vault_folder) == before
