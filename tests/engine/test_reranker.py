"""A cross-encoder through the front door, in its real child: another order, a step of the run, a fault by its name."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest

from tests.cross_encoders import write_cross_encoder
from trisynapse_memory.errors import InvalidInputError, ProviderStoppedError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import furnishing
from trisynapse_memory.types import Answer, QueryRun, QueryStep, Role, SearchResult, SourceInput

pytestmark = [pytest.mark.real, pytest.mark.timeout(120)]
QUESTION = "Which rotating mirror from Foucault reached that tower?"
MIRROR = "The rotating mirror of Foucault turned eight hundred times a second."
TOWER = "A tower stood at the far end, and nobody minded."
PLAIN = "Foucault had a mirror."


@pytest.fixture
def filled(engine: MemoryEngine) -> MemoryEngine:
    engine.ingest(*(SourceInput(text=text, title=text[:12]) for text in (PLAIN, MIRROR, TOWER)))
    return engine


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model that knows few words of the question, so that it wants another order than words and meaning do."""
    return write_cross_encoder(tmp_path / "tower", ["tower"])


def texts(result: SearchResult) -> list[str]:
    return [hit.record.text for hit in result.hits]


def step(engine: MemoryEngine, query_id: str) -> QueryStep | None:
    run = engine.runs.show(query_id)
    assert isinstance(run, QueryRun)
    return next((one for one in run.steps if one.phase == "reranker"), None)


def test_a_chosen_model_changes_the_order_and_the_run_tells_it(filled: MemoryEngine, folder: Path):
    before = filled.search(QUESTION)
    assert texts(before)[0] == MIRROR
    assert step(filled, before.query_id) is None
    choice = filled.models.choose("reranking", "cross-encoder", str(folder))
    assert (choice.state, choice.role) == ("ready", Role.RERANKING)
    after = filled.search(QUESTION, explain=True)
    assert texts(after)[0] == TOWER
    assert set(texts(after)) == set(texts(before))
    assert [hit.score for hit in after.hits] == pytest.approx([hit.score for hit in before.hits])
    assert after.hits[0].parts["reranker"] > 2 * after.hits[1].parts["reranker"]
    assert [row.score for row in after.routes["reranker"]] == [hit.parts["reranker"] for hit in after.hits]
    assert after.coverage.parts_off == ()
    assert after.timings_ms["reranker"] > 0
    told = step(filled, after.query_id)
    assert told is not None
    assert told.summary["model"].startswith("cross-encoder:tower@")
    assert told.summary["read"] == "3 of 3"
    assert told.candidates["reranker"][0].record_id == str(after.hits[0].record.id)


def test_an_answer_takes_the_order_too_and_a_replay_gives_the_same_ranks(filled: MemoryEngine, folder: Path):
    filled.models.choose("reranking", "cross-encoder", str(folder))
    answer = filled.query(QUESTION)
    assert step(filled, answer.query_id) is not None
    result = filled.search(QUESTION)
    assert filled.runs.replay(result.query_id).same
    muted = filled.runs.replay(result.query_id, {"reranker_count": 0})
    assert not muted.same
    assert muted.hits[0].record.text == MIRROR


def test_a_broken_model_is_named_in_the_coverage_and_the_ranking_stands(filled: MemoryEngine, folder: Path):
    before = filled.search(QUESTION)
    filled.models.choose("reranking", "cross-encoder", str(folder))
    (folder / "model.onnx").write_bytes(b"no graph")
    filled.models.choose("answer", "ollama", "none")  # any choice: the folder is looked at anew
    after = filled.search(QUESTION)
    assert texts(after) == texts(before)
    assert after.coverage.parts_off == ("reranker",)
    told = step(filled, after.query_id)
    assert told is not None
    assert "'tower' cannot be run" in told.summary["off"]
    assert filled.query(QUESTION).coverage.parts_off == ("reranker",)


def test_a_folder_that_went_away_is_named_too_and_clearing_the_role_ends_it(filled: MemoryEngine, folder: Path):
    filled.models.choose("reranking", "cross-encoder", str(folder))
    folder.rename(folder.with_name("elsewhere"))
    filled.models.choose("answer", "ollama", "none")
    assert filled.search(QUESTION).coverage.parts_off == ("reranker",)
    choice = next(one for one in filled.models.roles() if one.role is Role.RERANKING)
    assert choice.state == "missing"
    assert "no folder 'tower'" in choice.note
    filled.models.clear("reranking")
    assert filled.search(QUESTION).coverage.parts_off == ()


def test_it_works_offline_needs_no_key_and_sends_nothing(filled: MemoryEngine, folder: Path):
    filled.models.choose("reranking", "cross-encoder", str(folder))
    state = next(one for one in filled.models.services() if one.service.name == "cross-encoder")
    assert (state.service.is_remote, state.service.needs_key, state.has_key) == (False, False, False)
    filled.search(QUESTION)
    assert filled.privacy.requests() == ()
    test = filled.models.test("reranking")
    assert (test.passed, test.problem) == (True, "")
    assert test.reply.endswith("for one that does not")
    (folder / "model.onnx").write_bytes(b"no graph")
    broken = filled.models.test("reranking")
    assert not broken.passed
    assert "cannot be run" in broken.problem


def test_a_draft_is_checked_without_it(filled: MemoryEngine, folder: Path):
    filled.models.choose("reranking", "cross-encoder", str(folder))
    filled.search(QUESTION)
    (folder / "model.onnx").write_bytes(b"no graph")
    assert filled.drafts.check(MIRROR).sentences[0].verdict


class Slow:
    """The worker's place: it judges until somebody says stop."""

    def __init__(self, *_: object) -> None:
        self.entered = Event()

    def judge(self, model: object, question: str, passages: object, budget_s: float, stop: Event) -> object:
        self.entered.set()
        assert stop.wait(60)
        raise ProviderStoppedError("It was stopped.")

    def close(self) -> None:
        return None


def test_a_question_that_is_cancelled_waits_for_no_model_and_is_answered_without_it(
    tmp_path: Path, in_process: None, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    slow = Slow()
    monkeypatch.setattr(furnishing, "RerankWorker", lambda config: slow)
    answers: list[Answer] = []
    with MemoryEngine.open(tmp_path / "two.vault", create=True, offline=True) as engine:
        engine.ingest(SourceInput(text=MIRROR, title="Mirror"))
        engine.models.choose("reranking", "cross-encoder", str(folder))
        asking = Thread(target=lambda: answers.append(engine.query(QUESTION, ask_id="ask_one")))
        asking.start()
        assert slow.entered.wait(60)
        engine.runs.cancel("ask_one")
        asking.join(60)
        (answer,) = answers
        told = step(engine, answer.query_id)
        assert told is not None
        assert told.summary == {"stopped": "yes"}
        assert answer.coverage.parts_off == ()


def test_only_a_folder_can_fill_the_role(filled: MemoryEngine):
    with pytest.raises(InvalidInputError, match="no model for 'reranking'"):
        filled.models.choose("reranking", "openai", "some-model")
    with pytest.raises(InvalidInputError, match="Which model"):
        filled.models.choose("reranking", "cross-encoder", "")
