"""A disk that fills up during an import: it stops and says so, the vault opens and is whole, and it can go on."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.journey, pytest.mark.timeout(200)]

SIZE_BYTES = 2 * 1024 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with 2 MiB."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs root, to mount a small disk")
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_BYTES}", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let us mount")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Texts of 160 KB that share few words, so that indexes and originals grow alike."""
    chance = random.Random(5)
    made = tmp_path / "texts"
    made.mkdir()
    for number in range(6):
        words = (f"w{chance.randrange(4000)}" for _ in range(25_000 if number else 100))
        (made / f"{number:02}.txt").write_text(f"Mirror {number} is the first word here. " + " ".join(words) + ".\n")
    return made


def test_a_full_disk_stops_the_import_and_costs_nothing(program_at: Callable, small_disk: Path, folder: Path):
    program = program_at(small_disk / "v")
    program.ask("init")
    done = program.run("ingest", folder, "--no-wait")
    assert "internal error" not in done.err, done.err
    assert done.code in (3, 5)
    body = done.body
    if "results" in body:
        codes = [result["error"] and result["error"]["code"] for result in body["results"]]
        first = codes.index("vault.disk_full")
        assert set(codes[:first]) == {None}
        assert set(codes[first:]) == {"vault.disk_full"}
        assert all(result["reason"] == "not tried" for result in body["results"][first + 1 :])
    else:
        assert body["error"]["code"] == "vault.disk_full"

    subprocess.run(["mount", "-o", f"remount,size={20 * SIZE_BYTES}", str(small_disk)], check=True)
    program.prove()
    assert program.ask("search", "mirror")["hits"]
    again = program.ask("ingest", folder, "--no-wait")
    assert again["status"] == "completed"
    listed = program.ask("sources", "list")["sources"]
    assert sorted(source["filename"] for source in listed) == sorted(path.name for path in folder.iterdir())
    assert {source["status"] for source in listed} == {"active"}
    checked = program.prove()
    assert checked["blobs"] == 6
    assert list((program.vault / "blobs" / "incoming").iterdir()) == []


def test_a_full_disk_still_answers(program_at: Callable, small_disk: Path, folder: Path):
    program = program_at(small_disk / "v")
    program.ask("init")
    program.ask("ingest", folder / "00.txt")
    with (small_disk / "ballast").open("wb") as stream:
        stream.write(b"x" * (shutil.disk_usage(small_disk).free - 200 * 1024))
    done = program.run("ingest", folder / "01.txt")
    assert done.code in (4, 5), done.out
    assert "vault.disk_full" in done.out
    with (small_disk / "more").open("wb") as stream:
        stream.write(b"x" * max(0, shutil.disk_usage(small_disk).free - 180 * 1024))
    assert program.ask("search", "mirror")["hits"]
    for name in ("ballast", "more"):
        (small_disk / name).unlink()
    program.prove()
