"""Offline means offline: no network socket in any process, and everything works where there is no network at all."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.providers.counting_server import Server, serving

pytestmark = [pytest.mark.journey, pytest.mark.timeout(200)]

SENTENCE = "Foucault measured the speed of light with a rotating mirror in the year 1862."
ALONE = Path(__file__).with_name("alone.py")
REPLY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    b'data: {"choices": [{"delta": {"content": "It was Foucault."}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
)
QUESTION = "Who measured the speed of light with a rotating mirror?"


@pytest.fixture
def paper(tmp_path: Path, write_pdf: Callable[..., Path]) -> Path:
    return write_pdf(tmp_path / "a.pdf", SENTENCE)


def can(*command: str) -> bool:
    return (
        shutil.which(command[0]) is not None
        and not subprocess.run(command, capture_output=True, check=False).returncode
    )


def test_no_process_opens_a_network_socket(program_at, tmp_path: Path, paper: Path):
    if not can("strace", "-f", "-e", "trace=socket", "true"):
        pytest.skip("needs strace, and the right to use it")
    program = program_at(tmp_path / "v")
    families: set[str] = set()
    for number, arguments in enumerate((("init",), ("ingest", paper), ("query", QUESTION))):
        notes = tmp_path / f"strace{number}"
        watched = ("strace", "-f", "-qq", "-s", "200", "-e", "trace=socket,execve", "-o", str(notes))
        done = program.run("--offline", *arguments, prefix=watched)
        assert done.code == 0, done.out + done.err
        text = notes.read_text()
        families |= set(re.findall(r"socket\((\w+)", text))
        if arguments[0] == "ingest":
            assert "preprocessing.worker" in text, "the workers are watched, too"
    assert not done.body["abstain"]
    assert "AF_UNIX" in families, "nothing was watched"
    assert families & {"AF_INET", "AF_INET6", "AF_PACKET"} == set()


@pytest.fixture
def model_server() -> Iterator[Server]:
    """A model of hers on this machine, which says the same whatever it is asked."""
    with serving(lambda server, line: server.send(line, REPLY)) as server:
        yield server


@pytest.fixture
def alone(environment: dict[str, str]) -> Callable[[list[list[str]]], Any]:
    """Run commands in a network of their own, and count what they send."""
    private = ("unshare", "-n", "-r")
    if not can(*private, "true"):
        pytest.skip("needs the right to make a network namespace")

    def run(commands: list[list[str]]) -> Any:
        done = subprocess.run(
            [*private, sys.executable, "-P", str(ALONE)],
            input=json.dumps(commands),
            env=environment,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


JOURNEY = (
    ("init",), ("ingest", "PAPER"), ("query", QUESTION), ("search", "mirror"), ("claims",), ("graph",),
    ("groups", "list"), ("wiki", "build"), ("models", "list"), ("keys", "list"), ("egress",), ("check",), ("validate",),
)  # fmt: skip


def test_the_whole_journey_sends_no_packet_though_nothing_is_forbidden(program_at, tmp_path: Path, paper: Path, alone):
    """Without ``--offline``: a vault without a remote model has no reason to go out, and does not."""
    program = program_at(tmp_path / "v")
    commands = [[str(paper) if word == "PAPER" else word for word in words] for words in JOURNEY]
    report = alone([program.command(*words) for words in commands])
    for words, said in zip(commands, report["said"], strict=True):
        assert said["code"] == 0, (words, said)
    answer = json.loads(report["said"][2]["out"])
    assert (answer["abstain"], answer["coverage"]["parts_off"]) == (False, [])
    assert (report["before"], report["packets"]) == (0, 0)


@pytest.mark.parametrize(
    "attempt",
    [
        "import socket; socket.create_connection(('192.0.2.1', 80), 1)",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    ],
    ids=["tcp", "udp"],
)
def test_the_sentinel_sees_an_attempt(alone, attempt: str):
    report = alone([[sys.executable, "-c", attempt]])
    assert report["said"][0]["code"] == 1
    assert report["packets"] > 0


def test_with_a_model_of_hers_every_packet_goes_to_it_and_its_bytes_are_in_the_ledger(
    program_at, tmp_path: Path, paper: Path, model_server: Server
):
    if not can("strace", "-f", "-e", "trace=socket", "true"):
        pytest.skip("needs strace, and the right to use it")
    program = program_at(tmp_path / "v")
    program.ask("init")
    program.ask("ingest", paper)
    service = program.ask("models", "add-service", "Mine", f"http://127.0.0.1:{model_server.port}/v1")
    name = service["service"]["service"]["name"]
    program.ask("models", "set", "answer", name, "a-model")
    program.ask("--yes", "privacy", "allow", name)
    calls = "trace=connect,sendto,sendmsg,sendmmsg,bind"
    notes = tmp_path / "notes"
    watched = ("strace", "-f", "-qq", "-s", "60", "-e", calls, "-o", str(notes))
    done = program.run("query", QUESTION, prefix=watched)
    assert done.code == 0, done.out + done.err
    reached = {line for line in notes.read_text().splitlines() if "AF_INET" in line and "AF_UNIX" not in line}
    here = f'sin_port=htons({model_server.port}), sin_addr=inet_addr("127.0.0.1")'
    assert reached, "the model was not asked"
    assert {line for line in reached if here not in line} == set()
    rows = program.ask("egress")["requests"]
    assert {row["host"] for row in rows} == {"127.0.0.1"}
    assert sum(row["sent_bytes"] for row in rows) == len(model_server.received) > 0
    assert all(row["source_ids"] for row in rows)


def test_a_url_is_refused_by_name(program, paper: Path):
    done = program.run("ingest", "--offline", "https://example.org/paper", paper)
    assert done.code == 3
    refused, taken = done.body["results"]
    assert refused["error"]["code"] == "network.offline"
    assert "https://example.org/paper" in refused["error"]["message"]
    assert taken["status"] == "success"
