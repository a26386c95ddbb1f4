"""Downloads over real HTTP on loopback: everything that can break on the way, and that nothing wrong gets the name."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from filelock import FileLock

from tests.engine.providers.hub_server import HubServer, running
from trisynapse_memory.contracts import Door
from trisynapse_memory.errors import (
    OfflineError,
    ProviderCutError,
    ProviderError,
    ProviderUnreachableError,
    UnknownServiceError,
)
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.files import downloads
from trisynapse_memory.providers.files.downloads import Download, drop_part, read_part
from trisynapse_memory.providers.files.hub import Hub, HubFile, list_files, redirected

REPOSITORY, NAME = "ann/tiny-gguf", "tiny.gguf"
CONTENT = bytes(range(256)) * 1200
HALF = len(CONTENT) // 2


class Room(NamedTuple):
    free: int


@pytest.fixture
def server() -> Iterator[HubServer]:
    with running() as made:
        made.put(REPOSITORY, NAME, CONTENT)
        yield made


@pytest.fixture(autouse=True)
def _told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "TELL_S", 0.0)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "models" / NAME


def announced(server: HubServer, door: Door | None = None, name: str = NAME) -> HubFile:
    files = list_files(door or Egress(), server.hub, REPOSITORY)
    return next(file for file in files if file.name == name)


def make(server: HubServer, target: Path, **settings: Any) -> Download:
    settings.setdefault("pauses_s", (0.0, 0.0))
    door = settings.pop("door", None) or Egress()
    file = settings.pop("file", None) or announced(server)
    return Download(door, settings.pop("hub", server.hub), file, target, **settings)


def run(download: Download, stop: threading.Event | None = None, told: list[tuple[int, int]] | None = None) -> bool:
    def note(done: int, total: int) -> None:
        if told is not None:
            told.append((done, total))

    return download.run(note, stop or threading.Event())


def leave_half(server: HubServer, target: Path, size: int = HALF) -> None:
    """A download that was stopped after ``size`` bytes, while the server was silent."""
    server.behave["hang"] = size
    stop = threading.Event()

    def note(done: int, total: int) -> None:
        if done >= size:
            stop.set()

    assert not make(server, target).run(note, stop)
    server.behave.clear()
    server.asked.clear()


def left_over(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir() if path != target)


def test_a_file_comes_whole_through_the_redirect_and_leaves_nothing_beside_it(server: HubServer, target: Path):
    told: list[tuple[int, int]] = []
    assert run(make(server, target), told=told)
    assert target.read_bytes() == CONTENT
    assert left_over(target) == []
    assert told[-1] == (len(CONTENT), len(CONTENT))


def test_every_request_is_in_the_ledger_and_none_carries_a_key(server: HubServer, target: Path):
    door = Egress()
    assert run(make(server, target, door=door, file=announced(server, door)))
    rows = door.ledger()
    assert [row.status for row in rows] == [200, 302, 200]
    assert {row.purpose for row in rows} == {"model download"}
    assert not any("authorization" in seen or "cookie" in seen for seen in server.headers_seen)


def test_a_stopped_download_goes_on_with_the_rest_only(server: HubServer, target: Path):
    leave_half(server, target)
    state = read_part(target)
    assert state is not None
    here = state[1]
    assert here == HALF
    assert not target.exists()
    told: list[tuple[int, int]] = []
    assert run(make(server, target), told=told)
    assert server.ranges() == [f"bytes={here}-"]
    assert target.read_bytes() == CONTENT


def test_what_came_before_a_crash_is_checked_again_and_a_flipped_byte_is_found(server: HubServer, target: Path):
    leave_half(server, target)
    part = target.with_name(f"{NAME}.part")
    damaged = bytearray(part.read_bytes())
    damaged[10] ^= 1
    part.write_bytes(damaged)
    with pytest.raises(ProviderError, match="checksum"):
        run(make(server, target))
    assert not target.exists()
    state = read_part(target)
    assert state is not None
    assert state[0].broken
    server.asked.clear()
    assert run(make(server, target))
    assert server.ranges() == [""]
    assert target.read_bytes() == CONTENT


def test_a_cut_connection_is_taken_up_again_by_itself(server: HubServer, target: Path):
    server.behave["cut"] = HALF
    assert run(make(server, target))
    assert server.ranges()[0] == ""
    assert server.ranges()[1].startswith("bytes=")
    assert target.read_bytes() == CONTENT


def test_a_body_that_ends_too_soon_without_a_fault_is_taken_up_again(server: HubServer, target: Path):
    server.behave["short"] = HALF
    assert run(make(server, target))
    assert server.ranges() == ["", f"bytes={HALF}-"]
    assert target.read_bytes() == CONTENT


def test_a_connection_that_is_cut_again_and_again_without_a_byte_ends_in_words(server: HubServer, target: Path):
    leave_half(server, target)
    file = announced(server)
    server.asked.clear()

    class Cutting:
        def send(self, request: Any, stop: Any = None) -> Any:
            server.asked.append(("cut", "", ""))
            raise ProviderCutError("cut")

    with pytest.raises(ProviderCutError, match="cut") as caught:
        run(make(server, target, door=Cutting(), file=file))
    assert len(server.asked) == 3
    assert "goes on" in caught.value.hint
    assert run(make(server, target))


def test_a_server_without_ranges_sends_all_of_it_again(server: HubServer, target: Path):
    leave_half(server, target)
    server.behave["no-range"] = True
    assert run(make(server, target))
    assert target.read_bytes() == CONTENT


def test_another_part_than_was_asked_for_is_thrown_away(server: HubServer, target: Path):
    leave_half(server, target)
    server.behave["wrong-range"] = True
    assert run(make(server, target))
    assert target.read_bytes() == CONTENT


def test_a_file_that_changed_on_the_content_host_is_begun_anew(server: HubServer, target: Path):
    leave_half(server, target)
    server.etag = '"v2"'
    assert run(make(server, target))
    assert server.asked[-1][2] == '"v1"'
    assert target.read_bytes() == CONTENT


def test_a_half_file_of_another_revision_is_begun_anew(server: HubServer, target: Path):
    leave_half(server, target)
    server.put(REPOSITORY, NAME, CONTENT[::-1])
    assert run(make(server, target))
    assert server.ranges() == [""]
    assert target.read_bytes() == CONTENT[::-1]


def test_other_bytes_than_announced_never_get_the_name(server: HubServer, target: Path):
    file = announced(server)
    server.put(REPOSITORY, NAME, b"x" * len(CONTENT))
    with pytest.raises(ProviderError, match="checksum") as caught:
        run(make(server, target, file=file))
    assert "anew" in caught.value.hint
    assert not target.exists()


def test_more_bytes_than_announced_stop_the_download(server: HubServer, target: Path):
    file = announced(server)
    server.put(REPOSITORY, NAME, CONTENT * 3)
    with pytest.raises(ProviderError, match="longer"):
        run(make(server, target, file=file))
    assert not target.exists()


def test_a_half_file_that_is_complete_is_only_checked(server: HubServer, target: Path):
    leave_half(server, target)
    target.with_name(f"{NAME}.part").write_bytes(CONTENT)
    file = announced(server)
    server.asked.clear()
    assert run(make(server, target, file=file))
    assert server.ranges() == []
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, ProviderError, "licence"),
        (403, ProviderError, "licence"),
        (404, UnknownServiceError, "no longer"),
        (429, ProviderError, "busy"),
        (503, ProviderError, "busy"),
        (418, ProviderError, "418"),
    ],
)
def test_a_refusal_says_what_to_do(server: HubServer, target: Path, status: int, kind: type[ProviderError], words: str):
    server.behave["status"] = status
    with pytest.raises(kind, match=words) as caught:
        run(make(server, target))
    assert caught.value.hint
    assert not target.exists()


@pytest.mark.parametrize(
    "elsewhere",
    [
        "http://example.org/file",
        "https://127.0.0.1/file",
        "http://ann:secret@127.0.0.1/file",
        "http://127.0.0.1.example.org/file",
        "file:///etc/hostname",
        "http://[broken/file",
        "",
    ],
)
def test_a_redirect_that_leaves_the_hub_is_not_followed(server: HubServer, target: Path, elsewhere: str):
    server.behave["elsewhere"] = elsewhere
    with pytest.raises(ProviderError, match="not one of its own") as caught:
        run(make(server, target))
    assert "secret" not in str(caught.value)
    assert len([path for path, *_ in server.asked if "content" in path]) == 0


def test_the_hub_of_the_product_is_followed_to_its_content_hosts_over_https_only():
    hub = Hub()
    address = "https://huggingface.co/a/b/resolve/c/d"
    for good in ("https://cdn-lfs.hf.co/x?sig=1", "https://cas-bridge.xethub.hf.co/x", "/api/resolve-cache/x"):
        assert redirected(hub, address, good).startswith("https://")
    for bad in ("http://cdn-lfs.hf.co/x", "https://cdn-lfs.hf.co:8443/x", "https://nothf.co/x"):
        with pytest.raises(ProviderError):
            redirected(hub, address, bad)


def test_redirects_without_end_are_given_up(server: HubServer, target: Path):
    server.behave["loop"] = True
    with pytest.raises(ProviderError, match="on and on"):
        run(make(server, target))


def test_a_full_disk_is_seen_before_the_first_byte(server: HubServer, target: Path):
    file = announced(server)
    server.asked.clear()
    with pytest.raises(ProviderError, match="more on the disk"):
        run(make(server, target, file=file, room=lambda _: Room(len(CONTENT))))
    assert server.asked == []
    assert run(make(server, target, file=file, room=lambda _: Room(len(CONTENT) + downloads.SPARE_BYTES)))


def test_a_disk_that_fills_up_on_the_way_keeps_what_came(
    server: HubServer, target: Path, monkeypatch: pytest.MonkeyPatch
):
    original = downloads._Half.add  # pyright: ignore[reportPrivateUsage]

    def fill(half: Any, piece: bytes) -> None:
        if half.size + len(piece) > HALF:
            raise OSError(errno.ENOSPC, "No space left on device")
        original(half, piece)

    monkeypatch.setattr(downloads._Half, "add", fill)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(ProviderError, match="disk is full") as caught:
        run(make(server, target))
    assert "goes on" in caught.value.hint
    assert not target.exists()
    monkeypatch.undo()
    assert run(make(server, target))
    assert target.read_bytes() == CONTENT


def test_a_second_download_of_the_same_file_is_refused_while_the_first_goes_on(server: HubServer, target: Path):
    target.parent.mkdir(parents=True)
    with FileLock(target.with_name(f"{NAME}.part.lock")), pytest.raises(ProviderError, match="already"):
        run(make(server, target))
    assert run(make(server, target))


def test_no_network_is_said_at_once(server: HubServer, target: Path):
    file = announced(server)
    nobody = Hub(base_url="http://127.0.0.1:9", hosts=("127.0.0.1",), is_local=True)
    with pytest.raises(ProviderUnreachableError):
        run(make(server, target, file=file, hub=nobody, pauses_s=(60.0,)))


def test_offline_asks_nobody(server: HubServer, target: Path):
    file = announced(server)
    server.asked.clear()
    with pytest.raises(OfflineError):
        run(make(server, target, file=file, door=Egress(offline=True)))
    assert server.asked == []


def test_a_small_file_is_checked_by_its_git_blob_id(server: HubServer, target: Path):
    server.put(REPOSITORY, "config.json", b'{"a": 1}')
    file = announced(server, name="config.json")
    assert file.algorithm == "git-sha1"
    assert run(make(server, target.with_name("config.json"), file=file))
    server.put(REPOSITORY, "config.json", b'{"a": 2}')
    with pytest.raises(ProviderError, match="checksum"):
        run(make(server, target.with_name("other.json"), file=file))


def test_an_unknown_repository_and_a_listing_nobody_understands_are_said(server: HubServer):
    with pytest.raises(UnknownServiceError, match="no longer"):
        list_files(Egress(), server.hub, "ann/nothing")
    server.behave["api-body"] = b"<html>"
    with pytest.raises(ProviderError, match="cannot be understood"):
        list_files(Egress(), server.hub, REPOSITORY)


def test_dropping_a_half_file_leaves_nothing(server: HubServer, target: Path):
    leave_half(server, target)
    drop_part(target)
    assert left_over(target) == []


def test_a_folder_that_cannot_be_written_is_said(server: HubServer, tmp_path: Path):
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with pytest.raises(ProviderError, match="cannot be written"):
        run(make(server, blocked / NAME))


KILLED = """
import sys, threading
from pathlib import Path
from trisynapse_memory.providers.files.downloads import Download
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.files.hub import Hub, list_files

hub = Hub(base_url=sys.argv[1], hosts=("127.0.0.1",), is_local=True)
(file,) = list_files(Egress(), hub, sys.argv[2])
Download(Egress(), hub, file, Path(sys.argv[3])).run(lambda done, total: None, threading.Event())
"""


def test_a_process_that_is_killed_blocks_nobody_and_the_next_one_goes_on(server: HubServer, target: Path):
    server.behave["hang"] = HALF
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", KILLED, server.hub.base_url, REPOSITORY, str(target)]
    with subprocess.Popen(command, env=environment) as child:
        part = target.with_name(f"{NAME}.part")
        while child.poll() is None and not (part.exists() and part.stat().st_size > HALF // 2):
            time.sleep(0.01)
        child.kill()
    server.behave.clear()
    server.asked.clear()
    assert run(make(server, target))
    assert server.ranges()[0].startswith("bytes=")
    assert target.read_bytes() == CONTENT
    assert left_over(target) == []
