"""A real child with a real small model: it judges, it is ended when somebody says stop, and another one goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cross_encoders import overlap_logit, write_cross_encoder
from trisynapse_memory.config import Config
from trisynapse_memory.errors import ModelDiedError, ModelFileError, ProviderError, ProviderStoppedError
from trisynapse_memory.preprocessing import children
from trisynapse_memory.preprocessing.messages import DoneReply, RerankRequest, VectorsReply
from trisynapse_memory.preprocessing.reranking import CrossEncoder, RerankWorker
from trisynapse_memory.providers.files.reranker_folders import read_reranker

pytestmark = [pytest.mark.real, pytest.mark.timeout(120)]
QUESTION = "who built the tower"
PASSAGES = ("a bird", "the mason built the tower", "the tower fell")


@pytest.fixture
def model(tmp_path: Path) -> CrossEncoder:
    found = read_reranker(write_cross_encoder(tmp_path / "tiny", (QUESTION, *PASSAGES)))
    return CrossEncoder("cross-encoder", str(found.path), found.size_bytes, found.model_id)


@pytest.fixture
def worker() -> Iterator[RerankWorker]:
    made = RerankWorker(Config(), idle_s=0)
    yield made
    made.close()


def children_of_this() -> list[psutil.Process]:
    return [one for one in psutil.Process().children() if "preprocessing.worker" in " ".join(one.cmdline())]


def test_a_child_judges_and_the_same_one_judges_again(worker: RerankWorker, model: CrossEncoder):
    worker.load(model)
    (child,) = children_of_this()
    found = worker.judge(model, QUESTION, PASSAGES, 30.0)
    assert found == pytest.approx([overlap_logit(QUESTION, one) for one in PASSAGES], abs=1e-4)
    assert worker.judge(model, QUESTION, (), 30.0).shape == (0,)
    assert children_of_this() == [child]


def test_after_a_child_that_was_killed_the_next_question_has_another(worker: RerankWorker, model: CrossEncoder):
    worker.load(model)
    (child,) = children_of_this()
    child.kill()
    psutil.wait_procs([child], timeout=30)
    assert len(worker.judge(model, QUESTION, PASSAGES, 30.0)) == 3
    assert children_of_this() != [child]


def test_a_broken_model_is_told_by_its_name_and_the_child_lives_on(worker: RerankWorker, model: CrossEncoder):
    (Path(model.folder) / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelFileError, match="'tiny' cannot be run"):
        worker.judge(model, QUESTION, PASSAGES, 30.0)
    assert len(children_of_this()) == 1


def test_a_question_that_is_stopped_ends_the_child(worker: RerankWorker, model: CrossEncoder):
    stop = threading.Event()
    stop.set()
    with pytest.raises(ProviderStoppedError):
        worker.judge(model, QUESTION, PASSAGES, 600.0, stop)
    assert children_of_this() == []
    assert len(worker.judge(model, QUESTION, PASSAGES, 30.0)) == 3


# ---------------------------------------------------------------- without a child


class Silent:
    """A child's place: it says what it was given to say, and notes what it was asked."""

    def __init__(self, *replies: object) -> None:
        self.replies = list(replies)
        self.asked: list[RerankRequest] = []
        self.budgets: list[float] = []
        self.killed_count = 0
        self.entered, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def ask(self, request: RerankRequest, stop: threading.Event | None = None) -> None:
        self.asked.append(request)
        self.entered.set()
        self.go_on.wait(30)

    def answer(self, budget_s: float, stop: threading.Event | None = None) -> object:
        self.budgets.append(budget_s)
        reply = self.replies.pop(0) if self.replies else children.LateWorkerError()
        if isinstance(reply, Exception):
            raise reply
        return reply

    def kill(self) -> None:
        self.killed_count += 1


def with_child(monkeypatch: pytest.MonkeyPatch, child: Silent, **wishes: float) -> RerankWorker:
    monkeypatch.setattr("trisynapse_memory.preprocessing.reranking.Worker", lambda config, low_priority: child)
    return RerankWorker(Config(reranker_max_tokens=99), **{"idle_s": 0, **wishes})


def test_the_child_is_told_how_long_it_has_and_waited_for_a_little_longer(monkeypatch, model: CrossEncoder):
    child = Silent(VectorsReply(rows=1, columns=1, values=b"\0\0\x80\x3f"), DoneReply())
    found = with_child(monkeypatch, child).judge(model, QUESTION, PASSAGES, 2.0)
    assert found.tolist() == [1.0]
    (asked,) = child.asked
    assert (asked.budget_s, asked.max_tokens, asked.passages) == (2.0, 99, PASSAGES)
    assert all(2.0 < budget_s <= 10.0 for budget_s in child.budgets)


def test_a_child_that_hangs_or_dies_is_a_model_that_died(monkeypatch, model: CrossEncoder):
    with pytest.raises(ModelDiedError, match="did not answer") as death:
        with_child(monkeypatch, Silent()).judge(model, QUESTION, PASSAGES, 2.0)
    assert death.value.hint
    gone = Silent(children.DeadWorkerError("it was ended by signal 9"))
    with pytest.raises(ModelDiedError, match="signal 9"):
        with_child(monkeypatch, gone).judge(model, QUESTION, PASSAGES, 2.0)


@pytest.mark.parametrize(
    "reply",
    [DoneReply(), VectorsReply(rows=1, columns=2, values=bytes(8)), VectorsReply(rows=9, columns=1, values=b"")],
)
def test_what_is_no_judgement_ends_the_child(monkeypatch, model: CrossEncoder, reply: object):
    child = Silent(reply, DoneReply())
    with pytest.raises(ModelDiedError, match="no judgement"):
        with_child(monkeypatch, child).judge(model, QUESTION, PASSAGES, 2.0)
    assert child.killed_count == 1


def test_who_comes_while_another_question_is_judged_waits_no_longer_than_it_has_time(monkeypatch, model: CrossEncoder):
    child = Silent(VectorsReply(rows=0, columns=1, values=b""), DoneReply())
    child.go_on.clear()
    worker = with_child(monkeypatch, child)
    first = threading.Thread(target=worker.judge, args=(model, QUESTION, (), 30.0))
    first.start()
    assert child.entered.wait(30)
    with pytest.raises(ProviderError, match="busy"):
        worker.judge(model, QUESTION, PASSAGES, 0.05)
    child.go_on.set()
    first.join()


def test_a_child_that_nobody_asks_is_let_go(monkeypatch, model: CrossEncoder):
    gone = threading.Event()
    child = Silent(VectorsReply(rows=0, columns=1, values=b""), DoneReply())
    monkeypatch.setattr(child, "kill", gone.set)
    with_child(monkeypatch, child, idle_s=0.01).judge(model, QUESTION, (), 2.0)
    assert gone.wait(30)
