"""A model behind its permission: not asked when it must not be, counted when it was, stopped when it is let go."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from trisynapse_memory.contracts import FloatArray, OnText
from trisynapse_memory.errors import ConsentNeededError, NotSharedError, ProviderCutError, ProviderStoppedError
from trisynapse_memory.pipelines.staffing.guarding import GuardedCompleter, GuardedEmbedder
from trisynapse_memory.types import Completion, Prompt, Role, SourceId, Usage

USAGE = Usage(input_tokens=3, output_tokens=2, cost_usd=0.5)


class Model:
    provider, model, max_tokens = "lab", "m1", 4096

    def __init__(self, *, is_remote: bool = True) -> None:
        self.is_remote = is_remote
        self.stops: list[threading.Event | None] = []

    def complete(
        self, prompt: Prompt, on_text: OnText | None = None, stop: threading.Event | None = None
    ) -> Completion:
        self.stops.append(stop)
        return Completion(text="yes", usage=USAGE)


class Vectors:
    model_id, dimension, max_tokens, is_remote = "lab/e1", 0, 512, True

    def __init__(self) -> None:
        self.usage = Usage(cost_usd=0.0)
        self.fails = False

    def embed(self, texts: Sequence[str], source_ids: tuple[SourceId, ...] = ()) -> FloatArray:
        self.usage = Usage(input_tokens=self.usage.input_tokens + 4, cost_usd=(self.usage.cost_usd or 0.0) + 0.25)
        if self.fails:
            raise ProviderCutError("cut")
        self.dimension = 2
        return np.ones((len(texts), 2), dtype=np.float32)

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        return (1,) * len(texts)


class Desk:
    """What a guard asks and tells."""

    def __init__(self) -> None:
        self.refusal: Exception | None = None
        self.secret: set[str] = set()
        self.noted: list[tuple[Role, Usage]] = []

    def parts(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "note": lambda role, usage: self.noted.append((role, usage)),
            "forbidden": lambda source_ids: self.secret & set(source_ids),
        }

    def check(self, role: Role) -> None:
        if self.refusal is not None:
            raise self.refusal


@pytest.fixture
def desk() -> Desk:
    return Desk()


PROMPT = Prompt(text="?", role=Role.WIKI, source_ids=(SourceId("src_1"),))


def test_a_model_that_may_be_asked_is_asked_and_its_reply_is_counted_for_its_role(desk: Desk):
    guard = GuardedCompleter(Model(), **desk.parts())
    assert (guard.provider, guard.model, guard.max_tokens, guard.is_remote) == ("lab", "m1", 4096, True)
    assert guard.complete(PROMPT).text == "yes"
    assert desk.noted == [(Role.WIKI, USAGE)]


def test_a_permission_that_went_meanwhile_stops_the_next_request(desk: Desk):
    model = Model()
    guard = GuardedCompleter(model, **desk.parts())
    desk.refusal = ConsentNeededError("no")
    with pytest.raises(ConsentNeededError):
        guard.complete(PROMPT)
    assert (model.stops, desk.noted) == ([], [])


def test_a_prompt_with_words_that_never_leave_is_refused_for_a_remote_model_only(desk: Desk):
    remote, local = Model(), Model(is_remote=False)
    desk.secret = {"src_1"}
    with pytest.raises(NotSharedError, match="nothing was sent"):
        GuardedCompleter(remote, **desk.parts()).complete(PROMPT)
    assert remote.stops == []
    assert GuardedCompleter(local, **desk.parts()).complete(PROMPT).text == "yes"
    assert desk.noted == []  # what is in this machine costs nothing


def test_letting_a_model_go_ends_background_work_and_leaves_her_own_question_to_her(desk: Desk):
    model, hers = Model(), threading.Event()
    guard = GuardedCompleter(model, **desk.parts())
    guard.dismiss()
    with pytest.raises(ProviderStoppedError):
        guard.complete(PROMPT)
    assert model.stops[0] is not None
    assert model.stops[0].is_set()
    assert guard.complete(PROMPT, stop=hers).text == "yes"
    assert model.stops[1] is hers


def test_what_an_embedder_used_is_counted_also_when_it_failed(desk: Desk):
    vectors = Vectors()
    guard = GuardedEmbedder(vectors, **desk.parts())
    assert guard.embed(["a", "b"], (SourceId("src_1"),)).shape == (2, 2)
    assert guard.dimension == 2
    vectors.fails = True
    with pytest.raises(ProviderCutError):
        guard.embed(["c"])
    once = (Role.EMBEDDING, Usage(input_tokens=4, cost_usd=0.25))
    assert desk.noted == [once, once]


def test_an_embedder_is_sent_nothing_that_never_leaves(desk: Desk):
    vectors = Vectors()
    desk.secret = {"src_1"}
    with pytest.raises(NotSharedError):
        GuardedEmbedder(vectors, **desk.parts()).embed(["a"], (SourceId("src_1"),))
    assert vectors.usage.input_tokens == 0
