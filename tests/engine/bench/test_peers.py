"""Fake peers over the real pipe: what they rank, and every way in which one can fail."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.engine.bench.fake_peers import BAD, GOOD, install
from trisynapse_memory.bench import peer_pipe, peer_runs, peers
from trisynapse_memory.bench.paper_peers import ask_by_scope
from trisynapse_memory.bench.peer_lines import Finish
from trisynapse_memory.bench.peer_pipe import PeerPipe
from trisynapse_memory.bench.peer_runs import PeerRun, Units
from trisynapse_memory.errors import InvalidInputError, PeerError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="peers are installed on POSIX systems only")

TEXTS = ("penguins eat krill", "light is fast", "krill drift under ice")


def vectors(texts):
    return np.array([np.random.default_rng(len(text)).standard_normal(384) for text in texts], dtype=np.float32)


UNITS = Units(texts=TEXTS, titles=("a", "b", "c"), groups=("g", "g", "h"), matrix=vectors(TEXTS))
QUESTIONS = [("who eats krill under ice", vectors(["q"])[0]), ("how fast is light", vectors(["qq"])[0])]


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_peer_answers_in_its_own_process_and_may_ask_for_vectors(root):
    install(root, "tantivy", GOOD)
    run = PeerRun(["tantivy"])
    assert run.ask(UNITS, QUESTIONS, 2, vectors) == {"tantivy": [[2, 0], [1, 0]]}
    figures = run.of("tantivy")
    assert figures is not None
    assert figures.failure == ""
    assert figures.about == {"version": "", "licence": "MIT", "method": "words in common"}
    assert len(figures.search.cpu_ms) == len(figures.search.wall_ms) == 2
    assert figures.ingest()["records"] == 3
    assert figures.ingest()["bytes_per_record"] == pytest.approx(333.3)
    assert figures.rss_mb > 1


def test_a_second_pass_over_the_same_store_is_not_counted(root):
    install(root, "tantivy", GOOD)
    run = PeerRun(["tantivy"])
    assert len(run.ask(UNITS, QUESTIONS[:1], 2, vectors, counted=False)["tantivy"]) == 1
    assert run.figures["tantivy"].search.cpu_ms == []


REASONS = {
    "hangs": "did not answer within 0.3 s",
    "never reads": "did not take what it was sent in time",
    "dies": "ended with status 3. no disk",
    "talks nonsense": "no answer",
    "answers less": "no answer",
    "is ready twice": "said 'ready' out of turn",
    "closes its end": "closed its end of the pipe",
    "cannot start": "ended with status 1. no such library",
    "fails": "failed: ValueError: too long",
    "finds what is not there": "a record that it was not given",
    "wants for ever": "asked for vectors 20 times",
}


@pytest.mark.parametrize("fault", sorted(BAD))
def test_a_peer_that_fails_is_left_out_with_its_reason_and_the_others_go_on(root, monkeypatch, fault):
    if fault in ("hangs", "never reads"):
        monkeypatch.setattr(peer_runs, "WORK_S", 0.3)
    monkeypatch.setattr(peer_pipe, "END_S", 1.0)
    install(root, "tantivy", BAD[fault])
    install(root, "txtai", GOOD)
    notes = []
    run = PeerRun(["tantivy", "txtai"], notes.append)
    big = Units(["x" * 300_000], [""], [""], vectors(["x"])) if fault == "never reads" else UNITS
    assert list(run.ask(big, QUESTIONS, 1, vectors)) == ["txtai"]
    assert REASONS[fault] in run.figures["tantivy"].failure
    assert any("tantivy: It" in note for note in notes)
    assert run.is_out("tantivy")
    assert run.is_out("tantivy-whole")
    assert not run.is_out("txtai")
    (root / "build" / "peers" / "tantivy" / "bin" / "python").unlink()  # it is not even started again
    assert list(run.ask(UNITS, QUESTIONS, 1, vectors)) == ["txtai"]
    assert REASONS[fault] in run.figures["tantivy"].failure


def test_every_fault_has_its_reason():
    assert REASONS.keys() == BAD.keys()


def test_a_peer_that_is_not_installed_says_how_to_install_it(root):
    run = PeerRun(["txtai"])
    assert run.ask(UNITS, QUESTIONS, 1, vectors) == {}
    assert run.figures["txtai"].failure == "It is not installed. Run make bench-peers, from the root of the project."


def test_leaving_the_pipe_ends_the_process_and_removes_its_folder(root):
    install(root, "tantivy", BAD["hangs"])
    with PeerPipe(peers.find_peer("tantivy")) as pipe:
        assert pipe.hello().version == "1"
        pid = pipe._process.pid
        os.kill(pid, 0)
        with pytest.raises(PeerError, match=r"within 0\.2 s"):
            pipe.ask(Finish(), 0.2)
    assert not pipe.folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)


def test_a_peer_knows_nothing_of_our_environment(root, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("PYTHONPATH", str(root))
    install(root, "tantivy", "import os\nraise SystemExit(' '.join(sorted(os.environ)))\n")
    run = PeerRun(["tantivy"])
    run.ask(UNITS, QUESTIONS, 1, vectors)
    failure = run.figures["tantivy"].failure
    assert "HF_HUB_OFFLINE" in failure
    assert "KEY" not in failure
    assert "PYTHONPATH" not in failure


def test_an_interpreter_that_cannot_run_is_a_reason_too(root):
    install(root, "tantivy", GOOD)
    python = root / "build" / "peers" / "tantivy" / "bin" / "python"
    python.unlink()
    python.write_text("no program")
    run = PeerRun(["tantivy"])
    run.ask(UNITS, QUESTIONS, 1, vectors)
    assert "cannot be started" in run.figures["tantivy"].failure


def test_a_question_is_asked_of_its_own_scope_and_of_all(root):
    install(root, "tantivy", GOOD)
    own = Units(TEXTS[:1], ("a",), ("g",), UNITS.matrix[:1])
    run = PeerRun(["tantivy", "txtai"])
    asked = [("own", *QUESTIONS[0]), ("own", *QUESTIONS[1])]
    found = ask_by_scope(run, {"": UNITS, "own": own, "other": own}, asked, 2, vectors, counted=True)
    assert found == {"tantivy": [([0], [2, 0]), ([0], [1, 0])]}
    assert len(run.figures["tantivy"].search.cpu_ms) == 2


def test_names_are_read_from_the_command_line():
    assert peers.names_of(None) == ()
    assert peers.names_of("txtai, tantivy,txtai") == ("txtai", "tantivy")
    assert peers.names_of("all") == tuple(peers.LICENCES)
    with pytest.raises(InvalidInputError, match="no peer 'solr'") as caught:
        peers.names_of("solr")
    assert caught.value.hint == "Known: tantivy, lancedb, txtai, trisynapse."


@pytest.mark.parametrize("name", sorted(peers.LICENCES))
def test_every_peer_has_a_script_and_a_lock_and_is_installed_by_name(name):
    root = Path(__file__).parents[3]
    scripts = root / "packaging" / "scripts"
    assert (root / peers.SCRIPTS / f"{name}_peer.py").is_file()
    assert (root / "packaging" / "requirements" / f"peers-{name}.txt").is_file()
    listed = (scripts / "peers.sh").read_text(encoding="utf-8").partition("${*:-")[2].partition("}")[0]
    assert name in listed.split()
    assert f"peers-{name}" in (scripts / "lock.sh").read_text(encoding="utf-8")
