"""Offline means offline: no network socket in any process, and everything works where there is no network at all."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [pytest.mark.journey, pytest.mark.timeout(200)]

SENTENCE = "Foucault measured the speed of light with a rotating mirror in the year 1862."
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


def test_everything_works_where_there_is_no_network(program_at, tmp_path: Path, paper: Path):
    alone = ("unshare", "-n")
    if os.geteuid() != 0 or not can(*alone, "true"):
        pytest.skip("needs root, to take the network away")
    program = program_at(tmp_path / "v")
    for arguments in (("init",), ("ingest", paper), ("validate",)):
        done = program.run(*arguments, prefix=alone)
        assert done.code == 0, done.out + done.err
    answer = program.run("query", QUESTION, prefix=alone).body
    assert (answer["abstain"], answer["coverage"]["parts_off"]) == (False, [])


def test_a_url_is_refused_by_name(program, paper: Path):
    done = program.run("ingest", "--offline", "https://example.org/paper", paper)
    assert done.code == 3
    refused, taken = done.body["results"]
    assert refused["error"]["code"] == "network.offline"
    assert "https://example.org/paper" in refused["error"]["message"]
    assert taken["status"] == "success"
