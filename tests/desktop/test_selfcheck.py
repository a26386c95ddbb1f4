"""The self-check in a process of its own, as an installer's smoke test runs it, over the real engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from PySide6.QtGui import QImage

from trisynapse_desktop.selfcheck import Mark, Report, Step, human_text
from trisynapse_desktop.theme import LIGHT


def run(*words, timeout=110):
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "trisynapse_desktop", *map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout, check=False)


@pytest.mark.slow
@pytest.mark.real
def test_it_drops_a_paper_asks_and_sees_the_words_marked(tmp_path):
    done = run("--selfcheck", tmp_path / "check.vault", "--screenshot", tmp_path / "shot.png", "--json", "--offline")
    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"], report["problem"]) == (0, True, "")
    assert "1862" in report["answer"]
    (mark,) = report["highlighted"]
    assert (mark["page"], mark["text"]) == (1, report["answer"])
    assert len(mark["rects"]) >= 2
    times = {step["name"]: step["ms"] for step in report["steps"]}
    assert {"drop to askable by words", "citation click to marked page (open)"} <= set(times)
    image = QImage(str(tmp_path / "shot.png"))
    yellow = int(LIGHT.mark[1:], 16) | 0xFF000000
    spots = sum(image.pixel(x, y) == yellow for x in range(0, image.width(), 2) for y in range(0, image.height(), 2))
    assert spots > 500


@pytest.mark.slow
def test_a_vault_that_cannot_be_opened_is_a_failure_with_its_reason(tmp_path):
    (tmp_path / "broken.vault").mkdir()
    (tmp_path / "broken.vault" / "vault.toml").write_text("not = [toml")
    done = run("--selfcheck", tmp_path / "broken.vault", "--json", "--offline")
    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"]) == (1, False)
    assert report["problem"]


def test_the_report_can_be_read_by_a_person():
    report = Report(
        steps=[Step("window shown", 212.4)], highlighted=[Mark(3, [[0, 0, 9, 9]], "words")], answer="A.", ok=True
    )
    lines = human_text(report).splitlines()
    assert lines[0].split() == ["window", "shown", "212", "ms"]
    assert lines[1:] == ["Answer: A.", "Marked: page 3, 1 line(s): words", "All is well."]
    assert human_text(Report(problem="No answer came.")).endswith("Problem: No answer came.\n")
