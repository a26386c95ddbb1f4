"""The installed program in a real window: papers dropped on it, a question asked, the cited words marked on their page.

Everything is done to it by X events from outside, and seen from outside too: in pixels, through the command line that
attaches to the same vault, and in the files that are left when it is closed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.journeys.eyes import (
    AMBER,
    CENTRE,
    COMPOSER,
    EVIDENCE,
    PAGE,
    PANE_HEADER,
    PICTURE,
    RAIL,
    SIDEBAR,
    TABS,
    Eyes,
)
from trisynapse_desktop.theme import LIGHT

pytestmark = [pytest.mark.journey, pytest.mark.slow, pytest.mark.timeout(240)]

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "sample"
PAPERS = (SAMPLE / "01-the-turning-mirror.pdf", SAMPLE / "02-the-toothed-wheel.pdf")
DISPUTING = (SAMPLE / "04-the-mountain-and-the-tube.pdf", SAMPLE / "05-from-the-cavity-to-the-laser.pdf")
BOOKMARKS = SAMPLE / "bookmarks.html"
QUESTION = "Who first measured the speed of light with a rotating mirror?"
SENTENCE = "Léon Foucault was the first to measure the speed of light with a rotating mirror, in 1862."


@pytest.fixture
def eyes(screen: Any) -> Eyes:
    return Eyes(screen)


def at_rest(find: Callable[[], Any]) -> Any:
    """Return what is found twice at the same place: what still moves would be gone when it is clicked."""
    first = find()
    if first:
        time.sleep(0.3)
    return first if first and find() == first else None


def painted_well(mask: np.ndarray, quads: list[list[float]]) -> bool:
    """Tell whether a colour lies on these lines of a page, in one scale, and nowhere else."""
    if not mask.any():
        return False
    boxes = np.array([[min(q[0::2]), min(q[1::2]), max(q[0::2]), max(q[1::2])] for q in quads])
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    corner = np.array([columns[0], rows[0]])
    size = np.array([columns[-1] + 1, rows[-1] + 1]) - corner
    scale = size / (high - low)
    if abs(scale[0] / scale[1] - 1) > 0.08:
        return False
    inside = np.zeros_like(mask)
    for box in boxes:
        left, top = np.floor((box[:2] - low) * scale + corner).astype(int)
        right, bottom = np.ceil((box[2:] - low) * scale + corner).astype(int)
        inside[top:bottom, left:right] = True
        if mask[top:bottom, left:right].mean() < 0.4:  # ink covers the rest
            return False
    return (mask & ~inside).sum() < 0.02 * mask.sum()


def drop_and_see(desktop: Any, wait: Any) -> None:
    """Drop two papers and a bookmark file from another program; the command line sees them in the open vault."""
    desktop.drop(*PAPERS, BOOKMARKS)
    owner = json.loads((desktop.vault / ".lock").read_text())["pid"]
    assert desktop.program.ask("check")["owner_pid"] == owner, "the command line attaches to the window's engine"

    def ready() -> list[dict[str, Any]]:
        found = [source for source in desktop.sources() if source["record_count"]]
        return found if len(found) == 12 else []

    sources = wait(ready, "two papers and ten bookmarks", 60)
    assert {path.name for path in PAPERS} <= {source["filename"] for source in sources}
    kinds = [source["kind"] for source in sources]
    assert (kinds.count("pdf"), kinds.count("bookmark")) == (2, 10)


def answer_of(desktop: Any, wait: Any, count: int = 1) -> dict[str, Any]:
    """Wait until the thread keeps so many answers, and return the last."""

    def kept() -> Any:
        answers = desktop.answers()
        return answers[-1] if len(answers) >= count else None

    answer = wait(kept, "an answer in the thread", 60)
    assert (answer["abstain"], answer["answer"]) == (False, SENTENCE)
    return answer


def quads_of(answer: dict[str, Any]) -> list[list[float]]:
    """Where the words of the first citation stand on their page, in points."""
    citation = answer["citations"][0]
    assert citation["title"].startswith("The turning mirror")
    assert citation["locator"]["page"] == 1
    assert citation["locator"]["quads"]
    return citation["locator"]["quads"]


def see_passage(eyes: Eyes, wait: Any, quads: list[list[float]]) -> None:
    """The cited words, all of them and nothing else, are marked on the page in the middle of the window."""
    wait(lambda: painted_well(eyes.mask(LIGHT.mark, CENTRE), quads), "the marked passage", 20)


def close_and_look(desktop: Any, wait: Any, environment: dict[str, str]) -> dict[str, Any]:
    """Close by the window manager: everything ends, nothing is left over, the vault is sound. Returns the session."""
    assert len(desktop.processes()) >= 2, "a window and an engine run"
    assert desktop.close() == 0
    wait(lambda: not desktop.processes(), "the end of every process", 20)
    assert not (desktop.vault / ".lock").exists()
    assert list(Path(desktop.screen.environment["TMPDIR"]).iterdir()) == []
    home = Path(environment["HOME"])
    assert not (home / ".cache" / "Microsoft").exists(), "no library keeps a device id or a queue of telemetry"
    log = (home / ".config" / "trisynapse" / "trisynapse.log").read_text()
    assert "ERROR" not in log, log
    assert desktop.program.prove()["visible_records"] > 20
    return json.loads((home / ".config" / "trisynapse" / "session.json").read_text())


def test_by_mouse_from_a_drop_to_the_marked_page_and_back(desktop, screen, eyes, wait, environment):
    desktop.start()
    drop_and_see(desktop, wait)

    def press(name: str, part: tuple[int, int, int, int]) -> None:
        screen.click(wait(lambda: eyes.find_icon(name, part, LIGHT.muted, LIGHT.window), f"the icon '{name}'"))

    press("message", RAIL)
    screen.write(QUESTION)
    press("send", COMPOSER)
    quads = quads_of(answer_of(desktop, wait))
    screen.click(wait(lambda: eyes.middle(LIGHT.chosen, SIDEBAR), "a citation in the answer"))
    see_passage(eyes, wait, quads)
    press("search", RAIL)
    screen.write("toothed wheel")
    wait(lambda: eyes.count(LIGHT.mark, CENTRE) > 1000, "hits with the words marked")
    screen.click((480, 230))
    wait(lambda: eyes.in_reader() and eyes.count(LIGHT.mark, CENTRE) > 500, "the hit's words, marked")
    press("arrow-left", TABS)
    press("arrow-left", TABS)
    see_passage(eyes, wait, quads)
    session = close_and_look(desktop, wait, environment)
    assert len(session["open_titles"]) == 2
    assert session["open_titles"][0].startswith("The turning mirror")


def test_by_keyboard_only(desktop, screen, eyes, wait, environment):
    desktop.start()
    drop_and_see(desktop, wait)
    screen.keys("ctrl+l")
    screen.write(QUESTION)
    screen.keys("Return")
    quads = quads_of(answer_of(desktop, wait))

    def reach_citation() -> bool:
        screen.keys("Tab", "Return")
        return painted_well(eyes.mask(LIGHT.mark, CENTRE), quads)

    wait(reach_citation, "the citation, by Tab and Enter", 10)
    see_passage(eyes, wait, quads)
    before = screen.picture()
    screen.keys("ctrl+k")
    wait(lambda: (screen.picture() != before).any(axis=2).sum() > 50_000, "the palette")
    during = screen.picture()
    screen.keys("Escape")
    wait(lambda: (screen.picture() != during).any(axis=2).sum() > 50_000, "the window without the palette")
    screen.keys("ctrl+k")
    screen.write("search pane")
    screen.keys("Return")
    wait(lambda: not eyes.count(LIGHT.mark, CENTRE), "the empty search pane")
    screen.write("toothed whe")
    wait(lambda: eyes.count(LIGHT.mark, CENTRE) > 500, "hits while she types")
    screen.keys("Down", "Return")
    wait(lambda: eyes.in_reader() and eyes.count(LIGHT.mark, CENTRE) > 500, "the hit's words, marked")
    screen.keys("alt+Left", "alt+Left")
    see_passage(eyes, wait, quads)
    session = close_and_look(desktop, wait, environment)
    assert {"go.search", "go.back", "chat.ask"} <= set(session["used_action_ids"])


def test_from_a_disputed_edge_and_from_a_wiki_page_to_the_passage(desktop, screen, eyes, wait):
    desktop.start()
    desktop.drop(*DISPUTING)
    disputed = ("claims", "--status", "contested", "--about", "speed of light")
    wait(lambda: desktop.program.ask(*disputed)["claims"], "the dispute between two papers", 90)
    screen.keys("ctrl+l")  # with the sidebar open, the parts of the window lie where they are looked for
    screen.keys("ctrl+4")
    screen.click(wait(lambda: eyes.middle_of_mass(AMBER, PICTURE), "an amber edge in the graph"))
    screen.click(wait(lambda: eyes.middle_of_mass(LIGHT.mark, EVIDENCE, 100), "its passages, the values marked"))
    wait(lambda: eyes.in_reader() and eyes.count(LIGHT.mark, CENTRE) > 500, "the passage in the reader, marked")
    screen.keys("ctrl+5")
    screen.click(wait(lambda: eyes.middle(LIGHT.accent, PANE_HEADER), "the button that builds pages"))
    screen.click(wait(lambda: at_rest(lambda: eyes.middle(LIGHT.chosen, PAGE)), "a chip on a page", 60))
    wait(lambda: eyes.in_reader() and eyes.count(LIGHT.mark, CENTRE) > 500, "the chip's passage, marked")
    assert desktop.program.ask("wiki", "show", "speed-of-light")["pages"][0]["sentences"]
    assert desktop.close() == 0


def test_offline_no_process_of_the_app_opens_a_network_socket(desktop, screen, wait, tmp_path):
    if not can("strace", "-f", "-e", "trace=socket", "true"):
        pytest.skip("needs strace, and the right to use it")
    notes = tmp_path / "strace"
    watched = ("strace", "-f", "-qq", "-s", "200", "--seccomp-bpf", "-e", "trace=socket,execve", "-o", str(notes))
    desktop.start("--offline", prefix=watched)
    drop_and_see(desktop, wait)
    screen.keys("ctrl+l")
    screen.write(QUESTION)
    screen.keys("Return")
    answer_of(desktop, wait)
    assert desktop.close() == 0
    text = notes.read_text()
    families = set(re.findall(r"socket\((\w+)", text))
    assert all(part in text for part in ("trisynapse_memory.service", "preprocessing.worker")), "not all was watched"
    assert "AF_UNIX" in families, "nothing was watched"
    assert families & {"AF_INET", "AF_INET6", "AF_PACKET"} == set()


def test_the_whole_app_works_where_there_is_no_network(desktop, screen, eyes, wait):
    if os.geteuid() != 0 or not can("unshare", "-n", "true"):
        pytest.skip("needs root, to take the network away")
    desktop.start(prefix=("unshare", "-n"))
    drop_and_see(desktop, wait)
    screen.keys("ctrl+l")
    screen.write(QUESTION)
    screen.keys("Return")
    quads = quads_of(answer_of(desktop, wait))
    screen.click(wait(lambda: eyes.middle(LIGHT.chosen, SIDEBAR), "a citation in the answer"))
    see_passage(eyes, wait, quads)
    assert desktop.close() == 0


def can(*command: str) -> bool:
    return (
        shutil.which(command[0]) is not None
        and not subprocess.run(command, capture_output=True, check=False).returncode
    )
