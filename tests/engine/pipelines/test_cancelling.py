"""A run that is cancelled ends at once, wherever it is; what is whole stays, and the next run goes on with the rest."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from trisynapse_memory.pipelines import closing
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import IngestRun, Kind, Outcome, Progress, SourceInput, SourceStatus

Take = Callable[..., IngestRun]


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A PDF of three pages."""
    document = pymupdf.open()
    for number in range(3):
        document.new_page().insert_text((72, 100), f"The mirror turned {800 + number} times a second on page {number}.")
    path = tmp_path / "paper.pdf"
    document.save(path)
    return path


def test_a_run_cancelled_before_a_file_is_open_keeps_nothing_of_it(take: Take, rooms: Rooms, paper: Path):
    stop = threading.Event()

    def notify(progress: Progress) -> None:
        if progress.stage == "reading":
            stop.set()

    run = take(paper, stop=stop, notify=notify)
    assert [(result.status, result.error.code) for result in run.results] == [(Outcome.FAILED, "source.timed_out")]
    assert (run.status, rooms.log.head(), list(rooms.blobs.hashes())) == ("cancelled", 0, [])
    assert take(paper).status == "completed"


def test_a_run_cancelled_when_all_pages_are_read_is_closed_by_the_next_one(
    take: Take, rooms: Rooms, paper: Path, monkeypatch: pytest.MonkeyPatch
):
    stop = threading.Event()

    def digest(*_: object) -> str:
        stop.set()
        return ""

    with monkeypatch.context() as patched:
        patched.setattr(closing, "text_digest", digest)
        (result,) = take(paper, stop=stop).results
    assert (result.status, result.reason) == (Outcome.PARTIAL, "cancelled")
    (source,) = rooms.shelf.list(SourceInput(text="").namespace, include_all=True)
    assert source.status is SourceStatus.ARRIVING
    pages = len(rooms.log.of_kind(Kind.PAGE))
    (result,) = take(paper).results
    assert (result.status, rooms.shelf.get(source.source_id).status) == (Outcome.SUCCESS, SourceStatus.ACTIVE)
    assert len(rooms.log.of_kind(Kind.PAGE)) == pages
