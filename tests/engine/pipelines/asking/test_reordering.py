"""The best of a ranking in a model's order: what it did not read keeps its place, and what fails is named."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from msgspec import structs

from trisynapse_memory.errors import (
    ModelDiedError,
    ModelFileError,
    ProviderError,
    ProviderStoppedError,
    TrisynapseError,
)
from trisynapse_memory.pipelines.asking.reordering import FAILURES_MAX, Reordered, Reordering
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.reranking import CrossEncoder
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.retrieval.ranking import Fused
from trisynapse_memory.types import IngestRun, SourceInput, is_searchable

QUESTION = "which text is about copper"
TEXTS = ("The first text.", "The second text, about copper.", "The third text.", "The fourth, copper.")
MODEL = CrossEncoder("cross-encoder", "/nowhere", 1, "cross-encoder:tiny@0")
Take = Callable[..., IngestRun]


class Chosen:
    """The choices' place: a model, or why it cannot be used."""

    def __init__(self, found: CrossEncoder | TrisynapseError | None = MODEL) -> None:
        self.found = found

    def model(self) -> CrossEncoder | None:
        if isinstance(self.found, TrisynapseError):
            raise self.found
        return self.found


class Judge:
    """The worker's place: a passage with copper is good, and ``reach`` passages are read in time."""

    def __init__(self, reach: int = 100, error: TrisynapseError | None = None) -> None:
        self.reach = reach
        self.error = error
        self.asked: list[tuple[str, tuple[str, ...], float]] = []
        self.loaded = threading.Event()
        self.closed_count = 0

    def judge(
        self, model: CrossEncoder, question: str, passages: Sequence[str], budget_s: float, stop: object = None
    ) -> np.ndarray:
        self.asked.append((question, tuple(passages), budget_s))
        if self.error is not None:
            raise self.error
        return np.array([5.0 if "copper" in one else -5.0 for one in passages[: self.reach]], np.float32)

    def load(self, model: CrossEncoder, stop: object = None) -> None:
        self.loaded.set()
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.closed_count += 1


@pytest.fixture
def ranking(rooms: Rooms, take: Take) -> tuple[Fused, ...]:
    take(*(SourceInput(text=text, title=f"Text {number}") for number, text in enumerate(TEXTS)))
    records = [one for one in rooms.log.by_seqs(range(1, rooms.log.head() + 1)) if is_searchable(one)]
    by_text = {one.text: one.seq for one in records}
    return tuple(Fused(by_text[text], 0.9 - number / 10, {"lexical": 1.0}) for number, text in enumerate(TEXTS))


def reorder(rooms: Rooms, ranking: tuple[Fused, ...], judge: Judge, chosen: Chosen, **changed: float) -> Reordered:
    config = structs.replace(rooms.config, **changed)
    return Reordering(rooms.log, chosen, judge).reorder(plan_question(QUESTION, config), ranking, config)


def order(found: Reordered, ranking: tuple[Fused, ...]) -> list[int]:
    """The places of before, in the order of now."""
    return [[one.seq for one in ranking].index(one.seq) for one in found.fused]


def test_the_best_come_in_the_models_order_and_every_place_keeps_its_score(rooms, ranking):
    judge = Judge()
    found = reorder(rooms, ranking, judge, Chosen(), reranker_budget_s=0.7)
    assert order(found, ranking) == [1, 3, 0, 2]
    assert [one.score for one in found.fused] == [one.score for one in ranking]
    assert found.fused[0].parts == {"lexical": 1.0, "reranker": pytest.approx(0.9933, abs=1e-4)}
    assert judge.asked == [(QUESTION, TEXTS, 0.7)]
    assert (found.summary, found.fault) == ({"model": MODEL.model_id, "read": "4 of 4"}, None)


def test_what_was_not_read_in_time_keeps_its_place(rooms, ranking):
    found = reorder(rooms, ranking, Judge(reach=2), Chosen())
    assert order(found, ranking) == [1, 0, 2, 3]
    assert ["reranker" in one.parts for one in found.fused] == [True, True, False, False]
    assert found.summary["read"] == "2 of 4"


def test_only_the_best_are_read_and_none_where_the_setting_says_so(rooms, ranking):
    judge = Judge()
    found = reorder(rooms, ranking, judge, Chosen(), reranker_count=3)
    assert order(found, ranking) == [1, 0, 2, 3]
    assert [len(passages) for _, passages, _ in judge.asked] == [3]
    off = reorder(rooms, ranking, judge, Chosen(), reranker_count=0)
    assert (off, len(judge.asked)) == (Reordered(fused=ranking), 1)


def test_what_holds_an_exact_word_of_the_question_is_not_put_behind_what_does_not(rooms, ranking):
    exact = (structs.replace(ranking[0], score=1.9, parts={"exact": 1.0}), *ranking[1:])
    found = reorder(rooms, exact, Judge(), Chosen())
    assert order(found, ranking) == [0, 1, 3, 2]


def test_without_a_choice_nothing_is_asked_and_nothing_is_told(rooms, ranking):
    judge = Judge()
    assert reorder(rooms, ranking, judge, Chosen(None)) == Reordered(fused=ranking)
    assert reorder(rooms, (), judge, Chosen()) == Reordered(fused=())
    assert judge.asked == []


def test_a_candidate_that_is_gone_is_read_as_nothing(rooms, ranking):
    judge = Judge()
    found = reorder(rooms, (Fused(9_999, 0.95, {}), *ranking), judge, Chosen())
    assert judge.asked[0][1] == ("", *TEXTS)
    assert [one.seq for one in found.fused].index(9_999) > 1


@pytest.mark.parametrize("error", [ModelFileError("No."), ModelDiedError("It died."), ProviderError("It is busy.")])
def test_what_fails_is_named_and_the_ranking_stands(rooms, ranking, error):
    found = reorder(rooms, ranking, Judge(error=error), Chosen())
    assert (found.fused, found.fault, found.summary) == (ranking, error, {"off": error.problem})
    missing = reorder(rooms, ranking, Judge(), Chosen(error))
    assert (missing.fused, missing.fault) == (ranking, error)


def test_a_question_that_was_stopped_keeps_its_ranking_and_is_no_failure(rooms, ranking):
    found = reorder(rooms, ranking, Judge(error=ProviderStoppedError("Stopped.")), Chosen())
    assert (found.fused, found.fault) == (ranking, None)


def test_a_model_that_fails_again_and_again_is_asked_no_more_until_something_changes(rooms, ranking):
    judge, plan = Judge(error=ModelDiedError("It died.")), plan_question(QUESTION, rooms.config)
    reordering = Reordering(rooms.log, Chosen(), judge)
    faults = [reordering.reorder(plan, ranking, rooms.config).fault for _ in range(FAILURES_MAX + 3)]
    assert {str(fault) for fault in faults} == {"It died."}
    assert len(judge.asked) == FAILURES_MAX
    judge.error = None
    reordering.refresh()
    assert reordering.reorder(plan, ranking, rooms.config).fault is None


def test_a_model_that_was_busy_is_asked_again(rooms, ranking):
    judge, plan = Judge(error=ProviderError("It is busy.")), plan_question(QUESTION, rooms.config)
    reordering = Reordering(rooms.log, Chosen(), judge)
    for _ in range(FAILURES_MAX + 1):
        reordering.reorder(plan, ranking, rooms.config)
    assert len(judge.asked) == FAILURES_MAX + 1


def test_it_is_loaded_beforehand_and_let_go_where_none_is_chosen_any_more(rooms):
    judge, chosen = Judge(), Chosen()
    reordering = Reordering(rooms.log, chosen, judge)
    reordering.warm()
    assert judge.loaded.wait(30)
    chosen.found = None
    reordering.close()
    assert judge.closed_count >= 1


def test_a_vault_that_closes_asks_no_model(rooms, ranking):
    judge = Judge()
    reordering = Reordering(rooms.log, Chosen(), judge)
    reordering.close()
    assert reordering.reorder(plan_question(QUESTION, rooms.config), ranking, rooms.config).fused == ranking
    assert judge.asked == []
