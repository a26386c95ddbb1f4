"""Command lines of our own processes, from a source tree and from a frozen bundle."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trisynapse_memory.processes import module_command

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
