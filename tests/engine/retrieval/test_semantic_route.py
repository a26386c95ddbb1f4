"""The semantic route: meaning proposes, and a failing embedder is told, not hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import ComparingRoute, Embedder, FloatArray, Route, VectorReader
from trisynapse_memory.errors import (
    BadEmbeddingError,
    BranchUnavailableError,
    ProviderError,
    TrisynapseError,
    WorkerDiedError,
)
from trisynapse_memory.retrieval.routes.semantic import SemanticRoute
from trisynapse_memory.types import Candidate, Intent, QueryPlan, Scope

SCOPE = Scope(as_of_seq=9)


@dataclass
class Shelf:
    """A reader whose answers are given."""

    held: tuple[Candidate, ...] = ()
    asked: list[tuple[list[float], Scope, int]] = field(default_factory=list)
    serving_model: str = "stub/1"
    rows: dict[int, tuple[float, float]] = field(default_factory=dict[int, tuple[float, float]])

    def nearest(self, vector: FloatArray, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        self.asked.append((vector.tolist(), scope, limit))
        return self.held[:limit]

    def embeddings(self, seqs: Sequence[int]) -> tuple[tuple[int, ...], FloatArray]:
        found = tuple(seq for seq in seqs if seq in self.rows)
        return found, np.array([self.rows[seq] for seq in found], dtype=np.float32).reshape(-1, 2)

    def pending_count(self, *, serving: bool = False) -> int:
        raise NotImplementedError


@dataclass
class Stub:
    """An embedder that counts how often it is asked."""

    result: FloatArray | TrisynapseError
    model_id: str = "stub/1"
    dimension: int = 2
    max_tokens: int = 16
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.asked.extend(texts)
        if isinstance(self.result, TrisynapseError):
            raise self.result
        return self.result

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        return tuple(1 for _ in texts)


EAST = np.array([[1.0, 0.0]], dtype=np.float32)


def plan(question: str) -> QueryPlan:
    return QueryPlan(question=question, intent=Intent.FACT, terms=())


def route(shelf: VectorReader, stub: Embedder, **settings: int) -> SemanticRoute:
    return SemanticRoute(shelf, stub, Config(**settings))


def test_it_keeps_the_contract_of_routes() -> None:
    kept: Route = route(Shelf(), Stub(EAST))
    assert kept.name == "semantic"


def test_the_question_is_asked_in_its_scope_for_as_many_as_set() -> None:
    shelf = Shelf((Candidate(4, 0.9, "meaning"), Candidate(2, 0.5, "meaning")))
    assert route(shelf, Stub(EAST), semantic_limit=7).candidates(plan(" why? "), SCOPE) == shelf.held
    assert shelf.asked == [([1.0, 0.0], SCOPE, 7)]


def test_records_at_a_right_angle_or_beyond_are_not_proposed() -> None:
    shelf = Shelf((Candidate(1, 0.2), Candidate(2, 0.0), Candidate(3, -0.4)))
    assert [one.seq for one in route(shelf, Stub(EAST)).candidates(plan("why"), SCOPE)] == [1]


def test_a_blank_question_asks_nobody() -> None:
    shelf, stub = Shelf(), Stub(EAST)
    assert route(shelf, stub).candidates(plan(" \n"), SCOPE) == ()
    assert (shelf.asked, stub.asked) == ([], [])


def test_a_question_asked_again_is_not_embedded_again_and_old_ones_are_let_go() -> None:
    stub = Stub(EAST)
    asking = route(Shelf(), stub)
    for question in ("a", "b", "a"):
        asking.candidates(plan(question), SCOPE)
    assert stub.asked == ["a", "b"]
    for number in range(63):
        asking.candidates(plan(f"q{number}"), SCOPE)
    stub.asked.clear()
    asking.candidates(plan("a"), SCOPE)  # asked after b, so b went first
    asking.candidates(plan("b"), SCOPE)
    assert stub.asked == ["b"]


@pytest.mark.parametrize(
    "failure",
    [ProviderError("broken"), BranchUnavailableError("broken"), WorkerDiedError("broken")],
    ids=lambda failure: type(failure).__name__,
)
def test_an_embedder_that_fails_is_a_provider_error_and_is_asked_again(failure: TrisynapseError) -> None:
    stub = Stub(failure)
    asking = route(Shelf(), stub)
    for _ in range(2):
        with pytest.raises(ProviderError, match="broken"):
            asking.candidates(plan("a"), SCOPE)
    stub.result = EAST
    asking.candidates(plan("a"), SCOPE)
    assert stub.asked == ["a", "a", "a"]


@pytest.mark.parametrize("shape", [(0, 2), (1, 3), (2, 2), (2,)])
def test_a_vector_of_a_wrong_shape_is_refused_and_not_remembered(shape: tuple[int, ...]) -> None:
    stub = Stub(np.ones(shape, dtype=np.float32))
    asking = route(Shelf(), stub)
    for _ in range(2):
        with pytest.raises(BadEmbeddingError):
            asking.candidates(plan("a"), SCOPE)
    assert len(stub.asked) == 2


def test_vectors_of_another_model_are_not_compared_with_the_question() -> None:
    shelf, stub = Shelf((Candidate(1, 0.9),), serving_model="older/1"), Stub(EAST)
    with pytest.raises(ProviderError, match="not whole yet"):
        route(shelf, stub).candidates(plan("Who?"), SCOPE)
    assert (shelf.asked, stub.asked) == ([], [])


NORTH, WEST = (0.0, 1.0), (-1.0, 0.0)


def test_any_record_that_is_embedded_can_be_compared() -> None:
    comparing = route(Shelf(rows={3: NORTH, 4: WEST, 5: (1.0, 0.0)}), Stub(EAST))
    assert isinstance(comparing, ComparingRoute)
    assert comparing.compare(plan("why"), [3, 4, 5, 6]) == {3: 0.0, 4: -1.0, 5: 1.0}
    assert comparing.compare(plan(" "), [3]) == comparing.compare(plan("why"), []) == {}


def test_examples_that_agree_move_the_question_and_others_do_not() -> None:
    rows = {1: NORTH, 2: NORTH, 3: WEST, 4: (1.0, 0.0), 9: NORTH}
    moving = SemanticRoute(Shelf(rows=rows), Stub(EAST), Config(feedback_weight=1.0))
    half_way = pytest.approx(0.5**0.5, abs=1e-6)  # east and north
    assert moving.compare(plan("why"), [9, 4], [1, 2]) == {9: half_way, 4: half_way}
    for examples in ([1, 3], [3, 4], [1], [77, 78]):  # at a right angle, opposite, alone, without a vector
        assert moving.compare(plan("why"), [9], examples) == {9: 0.0}
    still = SemanticRoute(Shelf(rows=rows), Stub(EAST), Config(feedback_weight=0.0))
    assert still.compare(plan("why"), [9], [1, 2]) == {9: 0.0}


def test_a_record_is_read_together_with_others_by_their_shares() -> None:
    comparing = route(Shelf(rows={1: NORTH, 2: (1.0, 0.0), 3: WEST}), Stub(EAST))
    half = pytest.approx(0.5 / 1.25**0.5, abs=1e-6)  # north, and half of east
    assert comparing.compare(plan("why"), [1, 2], (), {1: {2: 0.5}}) == {1: half, 2: 1.0}
    assert comparing.compare(plan("why"), [1], (), {1: {77: 0.5}, 5: {2: 0.5}}) == {1: 0.0}  # without a vector
    assert comparing.compare(plan("why"), [2], (), {2: {3: 1.0}}) == {2: 0.0}  # opposites leave no direction


class Spelling(Stub):
    """An embedder that has no word of some scripts."""

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        return tuple(
            2 + sum(letter.isalnum() and (not letter.isascii() or letter.isdigit()) for letter in text)
            for text in texts
        )


def test_a_question_that_the_model_spells_letter_by_letter_is_left_to_the_words():
    shelf, stub = Shelf(held=(Candidate(1, 0.9),)), Spelling(EAST)
    with pytest.raises(ProviderError, match="does not know the script"):
        route(shelf, stub).candidates(plan("متى افتتح الجسر القديم؟"), SCOPE)
    assert not shelf.asked
    assert not stub.asked
    for known in ("When was the old bridge opened?", "1234567", "数 in the learning rate schedule"):
        assert route(shelf, stub).candidates(plan(known), SCOPE)
