"""What lies in a file is taken in like a file of its own: a row each, versions of their own; a crash costs nothing."""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from trisynapse_memory.errors import DiskFullError
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import (
    IngestRun,
    Namespace,
    Outcome,
    PageVerdict,
    QueryTerm,
    Scope,
    SourceInput,
    SourceStatus,
)

Take = Callable[..., IngestRun]


def packed(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, content in files.items():
            made.writestr(zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6)), content)
    return buffer.getvalue()


def rows(run: IngestRun, path: Path) -> dict[str, tuple[str, str]]:
    return {row.input.removeprefix(f"{path}!/"): (row.status.value, row.reason) for row in run.results}


def found(rooms: Rooms, word: str) -> list[str]:
    hits = rooms.lexical.search([QueryTerm(word)], Scope(), 100)
    return [record.text for record in rooms.log.by_seqs(sorted(hit.seq for hit in hits))]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "papers.zip"
    path.write_bytes(
        packed(
            {
                "light.txt": b"Foucault measured the speed of light.",
                "sub/mirror.md": b"# Mirror\n\nThe mirror turned 800 times.",
                "broken.pdf": b"no pdf at all",
                ".DS_Store": b"x",
            }
        )
    )
    return path


def test_every_file_of_an_archive_gets_a_row_and_a_bad_one_costs_itself(take: Take, rooms: Rooms, archive: Path):
    run = take(SourceInput(path=str(archive), collections=("Optics",), tags=("old",)))
    assert rows(run, archive) == {
        ".DS_Store": ("skipped", "left by a system or program"),
        "light.txt": ("success", ""),
        "sub/mirror.md": ("success", ""),
        "broken.pdf": ("failed", "'broken.pdf' is named like a PDF file, but holds plain text."),
        str(archive): ("success", ""),
    }
    assert run.status == "partial"
    key = str(archive)
    (mirror,) = rooms.shelf.versions(f"{key}!/sub/mirror.md", Namespace())
    assert (mirror.container, mirror.title, mirror.filename) == (key, "Mirror", "mirror.md")
    assert (mirror.collections, mirror.tags) == (("Optics",), ("old",))
    assert rooms.blobs.path(mirror.blob_hash).read_bytes().startswith(b"# Mirror")
    assert len(found(rooms, "foucault")) == 1
    assert found(rooms, "light.txt") == ["broken.pdf\nlight.txt\nsub/mirror.md"]


def test_the_same_archive_again_is_one_row(take: Take, archive: Path):
    take(archive)
    (row,) = take(archive).results
    assert (row.status, row.reason, row.kind) == (Outcome.SKIPPED, "unchanged", "archive")


def test_a_changed_archive_changes_what_changed_and_lists_what_is_gone(take: Take, rooms: Rooms, archive: Path):
    take(archive)
    archive.write_bytes(packed({"light.txt": b"Michelson measured it.", "new.txt": b"A new one."}))
    run = take(archive)
    assert rows(run, archive) == {
        "light.txt": ("success", "new version"),
        "new.txt": ("success", ""),
        "sub/mirror.md": ("skipped", "no longer in 'papers.zip'; kept as it was"),
        str(archive): ("success", "new version"),
    }
    assert found(rooms, "foucault") == []
    assert len(found(rooms, "mirror")) == 1
    archive.write_bytes(packed({"light.txt": b"Michelson measured it.", "third.txt": b"A third one."}))
    assert rows(take(archive), archive)["light.txt"] == ("skipped", "unchanged")


def test_an_earlier_archive_brings_its_files_back(take: Take, rooms: Rooms, archive: Path):
    first = archive.read_bytes()
    take(archive)
    archive.write_bytes(packed({"light.txt": b"Michelson measured it."}))
    take(archive)
    archive.write_bytes(first)
    told = rows(take(archive), archive)
    assert told[str(archive)] == ("success", "version 1 restored")
    assert told["light.txt"] == ("success", "version 1 restored")
    assert len(found(rooms, "foucault")) == 1


def test_archives_in_archives_are_opened_three_deep_and_no_deeper(take: Take, rooms: Rooms, tmp_path: Path):
    content = packed({"deepest.txt": b"The deepest words."})
    for name in ("four.zip", "three.zip", "two.zip"):
        content = packed({name: content, f"{name}.txt": f"Words beside {name}.".encode()})
    path = tmp_path / "one.zip"
    path.write_bytes(content)
    told = rows(take(path), path)
    assert told["two.zip!/three.zip!/four.zip"][0] == "success"
    assert told["two.zip!/three.zip!/four.zip!/deepest.txt"] == (
        "skipped",
        "more than 3 files inside each other",
    )
    assert len(found(rooms, "beside")) == 3
    assert found(rooms, "deepest") == ["deepest.txt"]


def test_a_crash_in_the_middle_goes_on_with_the_first_file_that_is_not_whole(
    take: Take, rooms: Rooms, archive: Path, monkeypatch: pytest.MonkeyPatch
):
    complete = "trisynapse_memory.pipelines.closing.complete"
    calls: list[str] = []

    def crash_at_second(rooms, arrival, decision, stop):
        calls.append(arrival.label)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return closing_complete(rooms, arrival, decision, stop)

    from trisynapse_memory.pipelines import closing

    closing_complete = closing.complete
    with monkeypatch.context() as patch:
        patch.setattr(complete, crash_at_second)
        with pytest.raises(KeyboardInterrupt):
            take(archive)
    assert rooms.shelf.counts() == {"active": 1, "arriving": 2}
    told = rows(take(archive), archive)
    assert told["light.txt"] == ("skipped", "unchanged")
    assert told["sub/mirror.md"] == told[str(archive)] == ("success", "")
    assert rooms.shelf.counts() == {"active": 3}


def test_a_stop_between_two_files_leaves_the_rest_for_later(take: Take, rooms: Rooms, archive: Path):
    stop = threading.Event()

    def notify(progress) -> None:
        if progress.result is not None and progress.result.input.endswith("light.txt"):
            stop.set()

    run = take(archive, stop=stop, notify=notify)
    assert run.status == "cancelled"
    assert rows(run, archive)[str(archive)] == ("partial", "cancelled")
    assert found(rooms, "mirror.md") != found(rooms, "turned")
    assert rows(take(archive), archive)["sub/mirror.md"] == ("success", "")


def test_the_same_bytes_twice_in_an_archive_are_one_source(take: Take, tmp_path: Path):
    path = tmp_path / "x.zip"
    path.write_bytes(packed({"a.txt": b"The same words.", "b.txt": b"The same words."}))
    assert rows(take(path), path)["b.txt"] == ("skipped", "duplicate of 'a'")


def test_a_password_opens_what_was_shut_although_the_archive_is_the_same(take: Take, rooms: Rooms, tmp_path: Path):
    import pymupdf

    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "Words behind a lock.")
    content = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="right", owner_pw="own")
    path = tmp_path / "x.zip"
    path.write_bytes(packed({"shut.pdf": content}))
    (shut, _) = take(path).results
    assert shut.verdicts == {"needs-password": 1}
    told = take(SourceInput(path=str(path), password="right"))
    assert {row.input: row.status.value for row in told.results} == {
        f"{path}!/shut.pdf": "success",
        str(path): "skipped",
    }
    assert [one.status for one in rooms.shelf.list(Namespace())] == [SourceStatus.ACTIVE] * 2


def test_trying_again_reads_the_pages_that_could_not_be_read_and_only_those(
    take: Take, rooms: Rooms, tmp_path: Path, sandbox
):
    path = tmp_path / "long.txt"
    path.write_text("\n\n".join(f"The mirror turned {n} times. {'Filler words. ' * 40}" for n in range(300)))
    load = sandbox.load

    def hanging(*args, **wishes):
        for part in load(*args, **wishes):
            if hasattr(part, "page") and part.page.number == 2:
                page = structs.replace(part.page, text="", verdict=PageVerdict.TIMED_OUT, note="too slow")
                yield structs.replace(part, page=page, sections=(), chunks=())
            else:
                yield part

    sandbox.load = hanging
    (first,) = take(path).results
    assert first.verdicts == {"ok": first.verdicts["ok"], "timed-out": 1}
    sandbox.load = load
    assert take(path).results[0].reason == "unchanged"
    (again,) = take(path, again=True).results
    assert (again.reason, again.source_id, again.version) == ("1 page read at last", first.source_id, 1)
    assert set(again.verdicts) == {"ok"}
    assert len(set(found(rooms, "mirror"))) == len(found(rooms, "mirror")) > len(first.pages)
    assert take(path, again=True).results[0].reason == "unchanged"


def test_a_full_disk_in_an_archive_ends_the_run_and_the_next_one_goes_on(
    take: Take, rooms: Rooms, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    other = tmp_path / "z.txt"
    other.write_text("Another file.")
    put, calls = BlobStore.put_bytes, list[int]()

    def full_at_second(store: BlobStore, content: bytes):
        calls.append(1)
        if len(calls) > 1:
            raise DiskFullError("The disk that holds the vault is full.", hint="Free some space.")
        return put(store, content)

    with monkeypatch.context() as patch:
        patch.setattr(BlobStore, "put_bytes", full_at_second)
        run = take(archive, other)
    told = rows(run, archive)
    assert told["light.txt"] == ("success", "")
    assert (told["sub/mirror.md"][0], told[str(archive)][0], told[str(other)]) == (
        "failed",
        "failed",
        ("failed", "not tried"),
    )
    assert len(calls) == 2
    again = rows(take(archive, other), archive)
    assert {again["sub/mirror.md"], again[str(archive)], again[str(other)]} == {("success", "")}
