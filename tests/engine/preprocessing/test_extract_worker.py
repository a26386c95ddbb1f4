"""An extractor that hangs, dies or raises costs a batch, and never the process that asked."""

from __future__ import annotations

import os
import textwrap
import threading
from pathlib import Path

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidInputError, UnknownBranchError, WorkerDiedError
from trisynapse_memory.preprocessing import sandbox
from trisynapse_memory.preprocessing.sandbox import ExtractWorker
from trisynapse_memory.types import Passage

pytestmark = pytest.mark.timeout(110)

GUEST = """
    import os, time
    from trisynapse_memory.errors import InvalidInputError
    from trisynapse_memory.types import Proposal

    class GuestExtractor:
        name, version = "guest", 1

        def extract(self, passages):
            deeds = [passage.text for passage in passages]
            if "die" in deeds:
                os._exit(9)
            if "hang" in deeds:
                time.sleep(600)
            if "raise" in deeds:
                raise InvalidInputError("It cannot be read.", hint="Leave it out.")
            return tuple(
                Proposal(seq=one.seq, start=0, end=len(one.text), subject=one.text, relation="uses",
                         object=str(os.getpid()), pattern="guest", confidence=0.5, qualifiers={"part": one.section})
                for one in passages
            )
"""


@pytest.fixture(autouse=True)
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install an extractor as a third party would: a module and its entry point."""
    site = tmp_path / "site"
    facts = site / "guest_extractor-1.0.dist-info"
    facts.mkdir(parents=True)
    (site / "guest_extractor.py").write_text(textwrap.dedent(GUEST))
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: guest-extractor\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[trisynapse_memory.extractor]\nguest = guest_extractor:GuestExtractor\n")
    monkeypatch.syspath_prepend(str(site))


def passage(seq: int, text: str) -> Passage:
    return Passage(seq=seq, text=text, section="Methods")


def test_passages_are_read_in_a_child_and_proposals_come_back_whole():
    worker = ExtractWorker(Config(), "guest")
    first, second = worker.extract([passage(4, "one"), passage(7, "two")])
    assert (first.seq, first.subject, second.seq, second.subject) == (4, "one", 7, "two")
    assert (first.qualifiers, first.confidence, first.end) == ({"part": "Methods"}, 0.5, 3)
    assert int(first.object) != os.getpid()
    assert worker.extract([]) == ()
    worker.close()


def test_a_dead_or_raising_extractor_is_an_error_and_the_next_call_works():
    worker = ExtractWorker(Config(), "guest")
    with pytest.raises(WorkerDiedError, match="code 9"):
        worker.extract([passage(1, "one"), passage(2, "die")])
    with pytest.raises(InvalidInputError, match="cannot be read"):
        worker.extract([passage(1, "raise")])
    assert len(worker.extract([passage(1, "one")])) == 1
    worker.close()


def test_a_hanging_extractor_is_killed_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch):
    worker = ExtractWorker(Config(), "guest")
    worker.extract([passage(1, "warm")])
    monkeypatch.setattr(sandbox, "EXTRACT_BUDGET_S", 0.3)
    with pytest.raises(WorkerDiedError, match=r"did not answer in 0\.3 s"):
        worker.extract([passage(1, "hang")])
    worker.close()


def test_closing_wakes_whoever_waits():
    worker = ExtractWorker(Config(), "guest")
    worker.extract([passage(1, "warm")])
    outcome: list[WorkerDiedError] = []

    def wait() -> None:
        try:
            worker.extract([passage(1, "hang")])
        except WorkerDiedError as error:
            outcome.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    while not worker._asking.locked():
        os.sched_yield()
    threading.Timer(0.3, worker.close).start()
    waiting.join(30)
    assert len(outcome) == 1


def test_an_extractor_nobody_knows_is_named():
    worker = ExtractWorker(Config(), "moon")
    with pytest.raises(UnknownBranchError, match="no extractor named 'moon'"):
        worker.extract([passage(1, "one")])
    worker.close()
