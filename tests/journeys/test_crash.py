"""The engine is killed at random moments of an import; nothing is lost, nothing is there twice, the vault is whole."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from trisynapse_memory.log.rows import unpack

pytestmark = [pytest.mark.journey, pytest.mark.timeout(300)]

KILLS = 10
SEED = 20261130  # a failure can be repeated, as far as a scheduler lets it
PDFS, TEXTS, PAGES = 5, 4, 6

# One engine process takes the folder in, over and over, until it is told to stop: what is unchanged costs nothing, and
# the moments of the kills are spread over the writing and not over the start of Python.
IMPORTER = """
import sys
from trisynapse_memory import MemoryEngine
with MemoryEngine.open(sys.argv[1], offline=True) as engine:
    print("open", flush=True)
    engine.ingest(sys.argv[2])
    print("done", flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path, write_pdf: Callable[..., Path]) -> Path:
    """PDFs and texts whose every page says something of its own."""
    made = tmp_path / "papers"
    made.mkdir()
    for number in range(PDFS):
        pages = (
            f"Paper {number} says on page {page} that mirror {number}-{page} turned fast." for page in range(PAGES)
        )
        write_pdf(made / f"{number}.pdf", *pages)
    for number in range(TEXTS):
        sections = (f"## Part {part}\n\nNote {number} on lamp {number}-{part}.\n" for part in range(PAGES))
        (made / f"note{number}.md").write_text("\n".join(sections))
    return made


def rows(vault: Path, sql: str) -> list[tuple]:
    with closing(sqlite3.connect(f"{(vault / 'log.db').as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def counts(vault: Path) -> dict[str, int]:
    return dict(rows(vault, "SELECT kind, count(*) FROM records GROUP BY kind"))


def texts(vault: Path) -> list[str]:
    stored = rows(vault, "SELECT content FROM records WHERE kind = 'raw_source'")
    return sorted(json.loads(unpack(content) or "{}")["text"] for (content,) in stored)


def start(vault: Path, folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-c", IMPORTER, str(vault), str(folder)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def wait_for(process: subprocess.Popen[bytes], word: bytes) -> bool:
    assert process.stdout is not None
    return process.stdout.readline().strip() == word


def wait_for_records(vault: Path, count: int, process: subprocess.Popen[bytes], most_s: float) -> None:
    """Wait until the log holds so many records, so that the moments of the kills lie in the writing itself."""
    deadline = time.monotonic() + most_s
    while process.poll() is None and time.monotonic() < deadline:
        if rows(vault, "SELECT count(*) FROM records")[0][0] >= count:
            return
        time.sleep(0.002)


def children_of(pid: int) -> set[int]:
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found |= {int(word) for word in task.read_text().split()}
    return found


def test_ten_kills_cost_nothing(program, program_at, tmp_path: Path, folder: Path, environment: dict[str, str]):
    calm = program_at(tmp_path / "calm")
    calm.ask("init")
    began = time.monotonic()
    calm.ask("ingest", folder)
    whole_s = time.monotonic() - began
    expected, passages = counts(calm.vault), texts(calm.vault)
    assert expected["page"] == PDFS * PAGES + TEXTS

    chance, total = random.Random(SEED), sum(expected.values())
    heads: list[int] = []
    orphans: set[int] = set()
    for _ in range(KILLS):
        process = start(program.vault, folder, environment)
        assert wait_for(process, b"open"), "a killed engine must not keep the next one out"
        wait_for_records(program.vault, chance.randint(0, total), process, whole_s)
        time.sleep(chance.uniform(0.0, 0.03))
        orphans |= children_of(process.pid)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        heads.append(rows(program.vault, "SELECT count(*) FROM records")[0][0])
    assert heads == sorted(heads), "what was committed once stays"
    assert any(0 < head < total for head in heads), "no kill fell into the writing"

    final = program.ask("ingest", folder)
    assert final["status"] == "completed"
    assert {result["status"] for result in final["results"]} <= {"success", "skipped"}
    assert counts(program.vault) == expected
    assert texts(program.vault) == passages
    keys = [key for (key,) in rows(program.vault, "SELECT external_key FROM records WHERE external_key IS NOT NULL")]
    assert len(keys) == len(set(keys))
    seqs = [seq for (seq,) in rows(program.vault, "SELECT seq FROM records ORDER BY seq")]
    assert seqs == list(range(1, len(seqs) + 1))
    assert program.prove()["visible_records"] == calm.prove()["visible_records"]
    stored = {path.name for path in (program.vault / "blobs").rglob("*") if path.is_file()}
    named = {name for (name,) in rows(program.vault, "SELECT content_hash FROM sources")}
    assert stored == named, "every original has its source, and nothing half written is left"
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}/stat").exists() for pid in orphans) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [pid for pid in orphans if Path(f"/proc/{pid}/stat").exists()], "workers die with their engine"
    assert list((program.vault / "blobs" / "incoming").iterdir()) == []


def test_the_history_shows_the_run_that_was_cut_off_and_it_can_be_tried_again(
    program, folder: Path, environment: dict[str, str]
):
    process = start(program.vault, folder, environment)
    assert wait_for(process, b"open")
    deadline = time.monotonic() + 60
    while rows(program.vault, "SELECT count(*) FROM records")[0][0] < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    (run,) = program.ask("runs", "list")["runs"]
    assert run["status"] == "interrupted"
    again = program.ask("runs", "retry", run["run_id"])
    assert again["status"] == "completed"
    assert counts(program.vault)["completion"] == PDFS + TEXTS
    program.prove()
