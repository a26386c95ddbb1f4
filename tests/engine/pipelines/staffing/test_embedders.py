"""Which embedder answers now: the facade that retrieval is handed, and what it says when nobody is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.pipelines.embedder_cases import BUILT_IN, CLOUD, FOLDER, World
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Embedder
from trisynapse_memory.errors import BadEmbeddingError, ProviderError
from trisynapse_memory.retrieval.routes.semantic import SemanticRoute
from trisynapse_memory.types import Intent, QueryPlan, Scope


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    made.add("apple", "pear", "plum")
    made.drain()
    yield made
    made.index.close()


def test_a_new_vault_is_settled_on_the_built_in_embedder_once_it_has_stepped(tmp_path: Path):
    world = World(tmp_path)
    world.drain()
    assert (world.embedders.is_settled(), world.embedders.wanted()) == (True, BUILT_IN)
    world.reopen()
    assert world.embedders.is_settled()
    world.index.close()


def test_the_facade_is_an_embedder_and_follows_the_switch(world: World):
    serving = world.embedders.serving
    assert isinstance(serving, Embedder)
    assert (serving.model_id, serving.dimension, serving.max_tokens) == ("builtin/1", 4, 256)
    world.choice = CLOUD
    world.drain()
    assert (serving.model_id, serving.dimension, serving.embed(["x"]).shape) == ("cloud/large", 16, (1, 16))
    assert serving.token_counts(["a b"]) == (2,)


def test_a_question_asked_before_and_after_the_switch_is_embedded_by_each(world: World):
    route = SemanticRoute(world.index, world.embedders.serving, Config())
    plan = QueryPlan(question="pear", intent=Intent.FACT, terms=())
    assert route.candidates(plan, Scope())[0].seq == 2
    world.choice = CLOUD
    world.drain()
    assert route.candidates(plan, Scope())[0].seq == 2


def test_an_embedder_that_is_gone_is_said_and_the_words_go_on(world: World):
    world.built_in.model_id = "builtin/2"  # an update of the program brings another one
    world.reopen()
    with pytest.raises(ProviderError, match="no longer here"):
        world.embedders.current()
    assert not world.embedders.is_settled()
    world.drain()
    assert world.index.serving_model == "builtin/2"
    assert world.found("pear") == 2


def test_a_remote_embedder_is_built_anew_after_a_refresh_and_a_local_one_is_kept(world: World):
    world.choice = CLOUD
    world.drain()
    world.made.clear()
    world.embedders.refresh()
    world.embedders.current()
    assert {choice for choice, _ in world.made} == {CLOUD}


def test_trying_the_chosen_embedder_tells_the_length_or_the_fault(world: World):
    assert world.embedders.try_wanted() == "4 dimensions"
    world.choice = CLOUD
    assert world.embedders.try_wanted() == "16 dimensions"
    world.cloud.length = 0
    with pytest.raises(BadEmbeddingError):
        world.embedders.try_wanted()
    world.cloud.fault = ProviderError("no")
    with pytest.raises(ProviderError, match="no"):
        world.embedders.try_wanted()


def test_warming_asks_the_embedder_in_this_machine_and_never_a_service(world: World):
    world.built_in.warmed = 0
    world.embedders.warm()
    assert world.built_in.warmed == 1
    world.choice = CLOUD
    world.drain()
    world.embedders.warm()
    assert world.cloud.warmed == 0


def test_an_embedder_is_warm_before_it_answers(world: World):
    world.choice = FOLDER
    world.work.step()
    assert (world.index.serving_model, world.local.warmed) == ("builtin/1", 0)
    world.work.step()
    assert (world.index.serving_model, world.local.warmed) == ("folder@1", 1)
    world.choice, world.built_in.warmed = BUILT_IN, 0
    world.work.step()
    assert (world.index.serving_model, world.built_in.warmed) == ("builtin/1", 1)


def test_closing_lets_every_worker_go(world: World):
    world.embedders.close()
    assert world.built_in.rested == 1


def test_dismissing_ends_what_services_are_asked_and_leaves_workers_alone(world: World):
    world.choice = CLOUD
    world.drain()
    world.embedders.dismiss()
    assert (world.cloud.rested, world.built_in.rested) == (1, 0)
