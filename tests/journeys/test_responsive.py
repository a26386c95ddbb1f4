"""Sixteen papers taken in by the running program; how late its window's 16 ms timer comes meanwhile.

The bound is one that a busy machine keeps too; the figures that count are printed (``pytest -s``), and desktop.md names
the targets: 12 ms at p99, 50 ms at worst, on two cores that do nothing else.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest

pytestmark = [pytest.mark.journey, pytest.mark.slow, pytest.mark.timeout(240)]

PAPERS, PAGES = 16, 24
WORST_MS = 400.0  # felt as a hang; the target is 50
WORDS = (
    "light mirror wheel lamp beam prism screen motor speed angle metre clock shutter paper table error value station "
    "mountain valley pipe vacuum signal phase cavity laser wave second source method result reading instrument"
).split()


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder of PDFs whose pages are full of sentences, every one different."""
    chance = np.random.default_rng(20261130)
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(PAPERS):
        document = pymupdf.open()
        for page_number in range(PAGES):
            lines = [f"Paper {number}, page {page_number}."]
            for sentence in range(22):
                words = chance.choice(WORDS, 11)
                lines.append(f"The {' '.join(words)} of run {sentence} gave {int(chance.integers(1e6))}.")
            document.new_page().insert_textbox(pymupdf.Rect(60, 60, 540, 780), " ".join(lines), fontsize=10)
        document.save(folder / f"paper-{number:02}.pdf")
        document.close()
    return folder


def test_the_window_keeps_its_beat_while_papers_come_in(desktop, screen, wait, papers: Path, tmp_path: Path, capsys):
    ticks_path = tmp_path / "ticks.json"
    desktop.start("--offline", TRISYNAPSE_TICKS=str(ticks_path))
    began = time.time()
    desktop.drop(papers)

    def askable() -> list[dict[str, Any]]:
        ready = [source for source in desktop.sources() if source["record_count"]]
        return ready if len(ready) == PAPERS else []

    wait(askable, f"{PAPERS} papers, askable by their words", 120)
    askable_s = time.time() - began
    # She goes on working: the library, a search as she types, the activity.
    for keys, words in (("ctrl+2", "mirror wheel"), ("ctrl+3", ""), ("ctrl+1", ""), ("ctrl+2", " prism")):
        screen.keys(keys)
        if words:
            screen.write(words)
        time.sleep(1.0)
    ended = time.time()
    assert desktop.close() == 0
    late = np.array([ms for at, ms in json.loads(ticks_path.read_text()) if began <= at <= ended])
    assert len(late) > 200, "the timer hardly ran"
    with capsys.disabled():
        p50, p99, worst = np.percentile(late, (50, 99, 100))
        print(f"\n{PAPERS * PAGES} pages askable after {askable_s:.1f} s; {len(late)} ticks, late by", end=" ")
        print(f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, worst {worst:.1f} ms")
    assert late.max() < WORST_MS
