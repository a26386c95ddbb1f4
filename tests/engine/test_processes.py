"""Command lines of our own processes, from a source tree and from a frozen bundle."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from trisynapse_memory.errors import ModelDiedError, ProviderError
from trisynapse_memory.processes import error_named, module_command, receive_frame, send_frame

MODULE = "trisynapse_memory.preprocessing.worker"


def test_a_source_tree_runs_a_module_by_its_interpreter():
    assert module_command(MODULE) == [sys.executable, "-P", "-m", MODULE]


def test_a_bundle_runs_itself(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert module_command(MODULE) == [sys.executable, "--module", MODULE]


def test_a_folder_it_runs_in_shadows_no_module_of_ours(tmp_path):
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    done = subprocess.run([*module_command("json.tool"), "--help"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0


def test_frames_come_out_as_they_went_in():
    pipe = io.BytesIO()
    for body in (b"one", b"", b"three"):
        send_frame(pipe, body)
    pipe.seek(0)
    assert [receive_frame(pipe, 16) for _ in range(4)] == [b"one", b"", b"three", None]


@pytest.mark.parametrize("said", [b"\x05\x00", b"\x05\x00\x00\x00abc", b"\xff\xff\xff\x7fabc"])
def test_what_is_no_whole_frame_is_as_good_as_silence(said: bytes):
    assert receive_frame(io.BytesIO(said), 1024) is None


def test_an_error_that_travelled_is_of_its_own_class_or_of_the_one_at_hand():
    found = error_named("ModelDiedError", "It died.", "Ask again.", ProviderError)
    assert (type(found), found.problem, found.hint) == (ModelDiedError, "It died.", "Ask again.")
    assert type(error_named("os", "It died.", "", ProviderError)) is ProviderError
