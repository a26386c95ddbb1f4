"""A dry run says what would become of each input, with the words the real run would use, and touches nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.engine.pipelines.test_unpacking import packed
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


def test_what_lies_in_archives_and_mails_is_told_file_by_file(take: Take, tmp_path: Path, vault_folder: Path):
    path = tmp_path / "x.zip"
    mail = (
        b"From: a@x.example\nDate: Tue, 3 Mar 2020 10:00:00 +0100\nSubject: S\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/mixed; boundary="b"\n\n--b\n\nWords.\n--b\n'
        b'Content-Type: text/csv\nContent-Disposition: attachment; filename="t.csv"\n\na,b\n1,2\n--b--\n'
    )
    inner = packed({"deep.txt": b"Deep words."})
    path.write_bytes(
        packed({"a.txt": b"One.", "m.eml": mail, "in.zip": inner, "x.bin": bytes(range(256)), ".env": b"x"})
    )
    before = files_in(vault_folder)
    run = take(path, dry_run=True)
    assert {row.input.removeprefix(f"{path}!/"): row.reason for row in run.results} == {
        ".env": "may hold a secret",
        "a.txt": "new",
        "m.eml!/t.csv": "new",
        "m.eml": "new",
        "in.zip!/deep.txt": "new",
        "in.zip": "new",
        "x.bin": "unsupported",
        str(path): "new",
    }
    assert files_in(vault_folder) == before
    take(path)
    assert reasons(take(path, dry_run=True)) == {"x.zip": "duplicate"}
    path.write_bytes(packed({"a.txt": b"Two.", "m.eml": mail}))
    assert reasons(take(path, dry_run=True)) == {"a.txt": "changed", "m.eml": "duplicate", "x.zip": "changed"}


def test_bytes_without_a_file_are_looked_into_as_well(take: Take):
    given = SourceInput(content=packed({"a.txt": b"One."}), filename="x.zip")
    assert [row.reason for row in take(given, dry_run=True).results] == ["new", "new"]


def test_an_address_is_not_asked(take: Take):
    (row,) = take(SourceInput(url="https://a.example/x"), dry_run=True).results
    assert (row.status, row.reason) == (Outcome.SKIPPED, "new; it would be fetched")
