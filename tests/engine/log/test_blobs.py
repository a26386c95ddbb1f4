"""Originals: stored once, whole or not at all, proven by their name."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import threading
from pathlib import Path

import pytest

from trisynapse_memory.errors import (
    DiskFullError,
    SourceDamagedError,
    SourceMissingError,
    SourceTimedOutError,
    VaultDamagedError,
)
from trisynapse_memory.log.blobs import CHUNK_BYTES, BlobStore


class Failing(io.BytesIO):
    """A stream that fails after its first bytes."""

    def __init__(self, number: int) -> None:
        super().__init__(b"half of it")
        self.number = number

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        if not found:
            raise OSError(self.number, os.strerror(self.number))
        return found


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_file_is_stored_under_the_hash_of_its_bytes(blobs: BlobStore, tmp_path: Path):
    (tmp_path / "a.txt").write_bytes(b"text")
    blob = blobs.put_file(tmp_path / "a.txt")
    assert blob == (hashlib.sha256(b"text").hexdigest(), 4)
    assert blobs.path(blob.content_hash).read_bytes() == b"text"
    assert blobs.path(blob.content_hash).stat().st_mode & 0o777 == 0o600


def test_a_stop_is_heard_while_a_file_is_copied_and_nothing_is_kept(blobs: BlobStore, tmp_path: Path):
    stop = threading.Event()
    (tmp_path / "a.txt").write_bytes(bytes(3 * CHUNK_BYTES))

    class Stopping(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            stop.set()
            return super().read(size)

    with Stopping(tmp_path / "a.txt") as stream, pytest.raises(SourceTimedOutError, match="stopped"):
        blobs.put_stream(stream, stop)
    with pytest.raises(SourceTimedOutError):
        blobs.put_file(tmp_path / "a.txt", stop)
    assert files_in(blobs.root) == []


def test_the_same_bytes_are_stored_once_whatever_their_name(blobs: BlobStore, tmp_path: Path):
    (tmp_path / "a.txt").write_bytes(b"text")
    one, other = blobs.put_file(tmp_path / "a.txt"), blobs.put_bytes(b"text")
    assert one == other
    assert list(blobs.hashes()) == [one.content_hash]
    assert files_in(blobs.root / "incoming") == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_keeps_nothing_and_says_so(blobs: BlobStore, number: int):
    with pytest.raises(DiskFullError, match="full"):
        blobs.put_stream(Failing(number))
    assert files_in(blobs.root) == []


def test_a_failing_read_keeps_nothing(blobs: BlobStore):
    with pytest.raises(OSError, match="Input/output"):
        blobs.put_stream(Failing(errno.EIO))
    assert files_in(blobs.root) == []


def test_a_missing_file_is_named(blobs: BlobStore, tmp_path: Path):
    with pytest.raises(SourceMissingError, match=r"gone\.txt"):
        blobs.put_file(tmp_path / "gone.txt")


def test_a_file_that_the_disk_cannot_read_costs_itself_only(
    blobs: BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "bad.txt").write_bytes(b"text")

    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(BlobStore, "put_stream", broken)
    with pytest.raises(SourceDamagedError, match=r"bad\.txt"):
        blobs.put_file(tmp_path / "bad.txt")


def test_a_whole_blob_is_proven(blobs: BlobStore):
    blobs.verify(blobs.put_bytes(b"text").content_hash)


def test_a_changed_or_missing_blob_is_found(blobs: BlobStore):
    blob = blobs.put_bytes(b"text")
    blobs.path(blob.content_hash).write_bytes(b"tex!")
    with pytest.raises(VaultDamagedError, match="changed on disk"):
        blobs.verify(blob.content_hash)
    blobs.discard(blob.content_hash)
    with pytest.raises(VaultDamagedError, match="missing"):
        blobs.verify(blob.content_hash)
    blobs.discard(blob.content_hash)


def test_what_a_crash_left_half_written_is_swept_and_nothing_else(blobs: BlobStore):
    blob = blobs.put_bytes(b"text")
    (blobs.root / "incoming" / "tmpabc").write_bytes(b"half")
    assert blobs.sweep() == 1
    assert blobs.sweep() == 0
    assert files_in(blobs.root) == [blobs.path(blob.content_hash)]


def test_sweeping_a_store_that_was_never_used_is_no_error(blobs: BlobStore):
    assert blobs.sweep() == 0
    assert list(blobs.hashes()) == []


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "her papers" / "paper.pdf"
    path.parent.mkdir()
    path.write_bytes(b"a paper of hers")
    return path


def test_an_original_that_stays_where_it_lies_is_found_there_and_not_copied(blobs: BlobStore, paper: Path):
    blob = blobs.link_file(paper)
    assert blob == (hashlib.sha256(b"a paper of hers").hexdigest(), 15)
    assert (blobs.path(blob.content_hash), blobs.is_linked(blob.content_hash)) == (paper, True)
    assert list(blobs.hashes()) == []
    blobs.verify(blob.content_hash)


def test_a_linked_file_that_is_gone_is_told(blobs: BlobStore, paper: Path):
    blob = blobs.link_file(paper)
    paper.unlink()
    assert not blobs.path(blob.content_hash).exists()
    with pytest.raises(VaultDamagedError, match=r"'paper\.pdf', which stays where you keep it, is missing"):
        blobs.verify(blob.content_hash)


def test_a_linked_file_with_another_content_is_never_handed_out(blobs: BlobStore, paper: Path):
    blob = blobs.link_file(paper)
    paper.write_bytes(b"another paper!!")
    os.utime(paper, ns=(1, 1))
    with pytest.raises(SourceDamagedError, match=r"'paper\.pdf' has changed"):
        blobs.path(blob.content_hash)
    with pytest.raises(VaultDamagedError, match=r"has changed on disk"):
        blobs.verify(blob.content_hash)


def test_a_linked_file_that_was_only_touched_is_still_the_same(blobs: BlobStore, paper: Path):
    blob = blobs.link_file(paper)
    os.utime(paper, ns=(1, 1))
    assert blobs.path(blob.content_hash) == paper


def test_a_file_that_has_moved_is_found_again_when_it_is_linked_again(blobs: BlobStore, paper: Path):
    blob = blobs.link_file(paper)
    moved = paper.rename(paper.with_name("moved.pdf"))
    assert blobs.link_file(moved) == blob
    assert blobs.path(blob.content_hash) == moved


def test_discarding_a_link_leaves_her_file_alone(blobs: BlobStore, paper: Path):
    blob = blobs.link_file(paper)
    blobs.discard(blob.content_hash)
    assert paper.read_bytes() == b"a paper of hers"
    assert not blobs.is_linked(blob.content_hash)
    assert files_in(blobs.root) == []


def test_bytes_that_are_stored_already_need_no_link(blobs: BlobStore, paper: Path):
    blob = blobs.put_file(paper)
    blobs.link_file(paper)
    assert not blobs.is_linked(blob.content_hash)
    assert blobs.path(blob.content_hash) != paper


def test_a_note_of_a_place_that_is_spoilt_counts_as_none(blobs: BlobStore, paper: Path):
    blob = blobs.link_file(paper)
    (note,) = files_in(blobs.root / "linked")
    note.write_bytes(b"{")
    assert not blobs.path(blob.content_hash).exists()


def test_linking_what_is_not_there_is_told(blobs: BlobStore, tmp_path: Path):
    with pytest.raises(SourceMissingError, match=r"gone\.pdf"):
        blobs.link_file(tmp_path / "gone.pdf")
