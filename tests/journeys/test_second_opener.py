"""One vault, many programs: the second attaches to the first, a dead one blocks nobody, and no write is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.journey, pytest.mark.timeout(200)]

QUESTION = "Who measured the speed of light with a rotating mirror?"
SENTENCE = "Foucault measured the speed of light with a rotating mirror in the year 1862."

CROWD = """
import sys, threading
from trisynapse_memory import MemoryEngine, Message, SourceInput
errors = []
def guarded(work):
    def body():
        try:
            work()
        except BaseException as error:
            errors.append(repr(error))
    return threading.Thread(target=body)
with MemoryEngine.open(sys.argv[1], offline=True) as engine:
    stop = threading.Event()
    def write(n):
        for k in range(10):
            text = f"Writer {n} saw mirror {n}-{k} turn."
            engine.ingest_messages([Message(role="user", content=text, id=f"{n}-{k}")], group_id=f"g{n}")
            if k % 5 == 0:
                engine.ingest(SourceInput(text=f"Paper {n}-{k} on lamps.", source_key=f"p{n}-{k}"), wait=False)
    def read():
        while not stop.is_set():
            engine.search("mirror lamps turn")
            engine.sources.list()
    writers = [guarded(lambda n=n: write(n)) for n in range(4)]
    readers = [guarded(read) for _ in range(4)]
    for thread in writers + readers: thread.start()
    for thread in writers: thread.join()
    stop.set()
    for thread in readers: thread.join()
    engine.jobs.wait()
    print(len(engine.list_records(kind="raw_source", limit=1000)), len(engine.sources.list()), errors, flush=True)
"""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(SENTENCE)
    return tmp_path / "a.txt"


@pytest.fixture
def service(program, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """The engine process of a window."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "trisynapse_memory.service", str(program.vault), "--offline"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline().decode().strip() == f"READY {process.pid}"
    yield process
    process.kill()
    process.communicate()


def test_commands_attach_to_the_window_and_its_engine_does_the_work(
    program, service: subprocess.Popen[bytes], paper: Path, tmp_path: Path, environment: dict[str, str]
):
    assert json.loads((program.vault / ".lock").read_text())["pid"] == service.pid
    assert program.ask("check")["owner_pid"] == service.pid
    run = program.ask("ingest", paper.name if Path.cwd() == tmp_path else paper)
    assert run["results"][0]["status"] == "success"
    assert run["backlog"]["vectors"] == 0
    answer = program.ask("query", QUESTION)
    assert not answer["abstain"]
    shown = program.ask("runs", "show", run["run_id"])["run"]
    assert (shown["run_id"], program.ask("runs", "show", answer["query_id"])["run"]["question"]) == (
        run["run_id"],
        QUESTION,
    )
    messages = [{"role": "user", "content": "A lamp is no mirror.", "id": "1"}]
    (tmp_path / "chat.json").write_text(json.dumps(messages))
    assert len(program.ask("ingest", "--messages", tmp_path / "chat.json")["record_ids"]) == 1
    done = program.run("get", "r_x")
    assert (done.code, done.body["error"]["code"]) == (2, "record.unknown")
    program.prove()
    second = subprocess.run(
        [sys.executable, "-P", "-m", "trisynapse_memory.service", str(program.vault)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    assert second.stdout.decode().strip() == f"ATTACH {service.pid}"


def test_the_engine_process_ends_with_its_window(program, service: subprocess.Popen[bytes]):
    assert service.stdin is not None
    service.stdin.close()
    assert service.wait(30) == 0
    assert not (program.vault / ".lock").exists()
    service.stdin = None


def test_a_dead_owner_blocks_nobody(program, service: subprocess.Popen[bytes], paper: Path):
    program.ask("ingest", paper)
    os.kill(service.pid, signal.SIGKILL)
    service.wait()
    assert (program.vault / ".lock").exists(), "it could not take its word back"
    began = time.monotonic()
    assert not program.ask("query", QUESTION)["abstain"]
    assert time.monotonic() - began < 25, "nobody waits for the dead"
    program.prove()


def test_commands_that_start_together_all_get_their_turn(program, program_at, tmp_path: Path):
    files = []
    for number in range(4):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text(f"Mirror number {number} turned {number + 10} times.")
    running = [
        subprocess.Popen(
            program.command("ingest", file, "--no-wait"),
            env=program.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for file in files
    ]
    ends = [(*process.communicate(timeout=100), process.returncode) for process in running]
    assert [code for _, _, code in ends] == [0, 0, 0, 0], ends
    assert len(program.ask("sources", "list")["sources"]) == 4
    program.prove()


def test_four_writers_and_four_readers_on_the_whole_engine(program, environment: dict[str, str]):
    done = subprocess.run(
        [sys.executable, "-P", "-c", CROWD, str(program.vault)],
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.strip() == "48 12 []", done.stderr
    assert program.prove()["visible_records"] == 48


def test_files_of_a_sync_program_are_named_by_the_proof(program):
    (program.vault / "log (conflicted copy 2026-01-01).db").touch()
    done = program.run("validate")
    assert (done.code, [finding["code"] for finding in done.body["findings"]]) == (5, ["vault.conflict"])


def test_a_held_vault_without_an_answer_ends_with_five_and_names_the_reason(
    program, program_at: Callable, environment: dict[str, str]
):
    script = (
        "import sys, time; from trisynapse_memory.vault import Vault;"
        "vault = Vault.open(sys.argv[1]); print('held', flush=True); time.sleep(100)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-P", "-c", script, str(program.vault)], env=environment, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    impatient = (
        "import sys; from trisynapse_memory import config; from trisynapse_memory.surfaces import session, cli;"
        "session.Config = lambda: config.Config(attach_timeout_s=1.0); sys.exit(cli.main(sys.argv[1:]))"
    )
    arguments = program.command("sources", "list")[len(program.command()) - 3 :]
    done = subprocess.run(
        [sys.executable, "-P", "-c", impatient, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    holder.kill()
    holder.communicate()
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (5, "vault.held")
