"""Switching the embedder while the vault is open (case R35), and what a remote one must not be sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.pipelines.embedder_cases import BUILT_IN, CLOUD, FOLDER, World
from trisynapse_memory.errors import OfflineError, ProviderError, WorkerDiedError
from trisynapse_memory.pipelines.staffing.embedder_seats import Choice

AWAY = OfflineError("The network was asked for while offline is on.")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    made.add("apple", "pear", "plum")
    made.drain()
    yield made
    made.index.close()


def serving(world: World) -> str:
    return world.index.serving_model


def test_the_old_embedder_answers_until_the_new_set_is_whole(world: World):
    world.choice = CLOUD
    assert world.work.pending() == 1
    assert world.work.step() == 2
    assert (serving(world), world.work.pending(), world.found("pear")) == ("builtin/1", 1, 2)
    world.drain()
    assert (serving(world), world.index.dimension, world.found("pear")) == ("cloud/large", 16, 2)
    assert world.work.pending() == 0


def test_nothing_is_embedded_twice_and_going_back_is_immediate(world: World):
    world.choice = CLOUD
    world.drain()
    world.built_in.asked.clear()
    world.choice = BUILT_IN
    assert world.work.step() == 0
    assert (serving(world), world.built_in.asked) == ("builtin/1", [])
    assert world.found("plum") == 3
    world.cloud.asked.clear()
    world.choice = CLOUD
    world.work.step()
    assert (serving(world), world.cloud.asked) == ("cloud/large", [])


def test_after_a_switch_back_only_what_came_since_is_embedded(world: World):
    world.choice = CLOUD
    world.drain()
    world.add("fig")
    world.drain()
    world.built_in.asked.clear()
    world.choice = BUILT_IN
    world.drain()
    assert (serving(world), world.built_in.asked) == ("builtin/1", ["fig"])


def test_an_embedder_with_vectors_of_the_same_length_is_never_mixed_up_with_the_old_one(world: World):
    world.choice = FOLDER
    world.work.step()
    assert serving(world) == "builtin/1"
    assert world.found("apple") == 1
    world.drain()
    assert serving(world) == "folder@1"
    assert world.found("apple") == 1


def test_an_embedder_that_fails_leaves_the_old_one_answering_also_for_what_is_new(world: World):
    world.choice, world.cloud.fault = CLOUD, AWAY
    with pytest.raises(OfflineError):
        world.work.step()
    world.add("fig", "date", "lime")
    assert world.work.pending() >= 3
    world.work.step()
    world.work.step()
    assert world.findable() == {1, 2, 3, 4, 5, 6}
    with pytest.raises(OfflineError):
        world.work.step()
    world.cloud.fault = None
    world.drain()
    assert (serving(world), world.findable()) == ("cloud/large", {1, 2, 3, 4, 5, 6})


def test_one_that_fails_half_way_keeps_its_half_and_new_records_go_to_the_old_one(world: World):
    world.choice = CLOUD
    world.work.step()
    world.cloud.fault = AWAY
    world.add("fig")
    with pytest.raises(OfflineError):
        world.work.step()
    assert world.work.step() == 1
    assert (serving(world), world.findable()) == ("builtin/1", {1, 2, 3, 4})
    world.cloud.fault = None
    world.cloud.asked.clear()
    world.drain()
    assert serving(world) == "cloud/large"
    assert sorted(world.cloud.asked) == ["apple", "fig"]


def test_where_both_fail_the_chosen_one_is_tried_again_all_the_same(world: World):
    world.choice = CLOUD
    world.work.step()
    world.add("fig")
    world.cloud.fault = world.built_in.fault = AWAY
    for _ in range(4):
        with pytest.raises(OfflineError):
            world.work.step()
    world.cloud.fault = None
    world.drain()
    assert (serving(world), world.findable()) == ("cloud/large", {1, 2, 3, 4})


def test_a_choice_that_cannot_be_followed_says_why_and_the_old_one_goes_on(world: World):
    world.choice = Choice("nobody", "x")
    world.add("fig")
    assert world.work.step() == 1
    assert world.findable() == {1, 2, 3, 4}
    with pytest.raises(ProviderError, match="nobody"):
        world.work.step()
    assert world.work.pending() == 1
    world.choice = BUILT_IN
    world.drain()
    assert serving(world) == "builtin/1"


def test_the_length_of_an_unknown_model_is_asked_once_and_without_a_word_of_hers(world: World):
    world.choice = CLOUD
    world.drain()
    assert world.cloud.asked.count("dimension") == 1
    assert world.cloud.sources[0] == ()
    world.reopen()
    world.add("fig")
    world.drain()
    assert world.cloud.asked.count("dimension") == 1
    assert world.made[-1] == (CLOUD, 16)


def test_a_switch_under_way_goes_on_after_a_restart(world: World):
    world.choice = CLOUD
    world.work.step()
    world.reopen()
    assert (serving(world), world.found("pear")) == ("builtin/1", 2)
    world.cloud.asked.clear()
    world.drain()
    assert (serving(world), world.cloud.asked) == ("cloud/large", ["apple"])


def test_an_embedder_that_fails_for_every_text_never_answers(world: World):
    world.choice = CLOUD
    world.cloud.length, world.cloud.dimension = 16, 16
    world.work.step()
    world.cloud.length = 15
    world.add("fig", "date", "lime", "kiwi")
    world.drain()
    assert (serving(world), world.findable()) == ("builtin/1", {1, 2, 3})


def test_a_worker_that_dies_is_told_and_the_target_stays(world: World):
    world.choice, world.local.fault = FOLDER, WorkerDiedError("gone")
    with pytest.raises(WorkerDiedError):
        world.work.step()
    world.local.fault = None
    world.drain()
    assert serving(world) == "folder@1"


def test_each_request_names_the_sources_whose_words_it_carries(world: World):
    world.add("fig", source="s2")
    world.choice = CLOUD
    world.drain()
    carried = {source for sources in world.cloud.sources for source in sources}
    assert carried == {"s1", "s2"}


# ---------------------------------------------------------------- what must not be sent


def test_what_is_held_back_is_never_sent_and_counted_as_not_embedded(world: World):
    world.secrets.held = {2}
    world.choice = CLOUD
    world.drain()
    assert "pear" not in world.cloud.asked
    assert (serving(world), world.findable()) == ("cloud/large", {1, 3})
    assert (world.index.pending_count(), world.models.held_count(), world.work.pending()) == (1, 1, 0)


@pytest.mark.parametrize("held", [1, 4])
def test_a_text_that_stands_in_a_held_back_source_too_is_not_sent(world: World, held: int):
    world.add("apple", source="diary")
    world.secrets.held = {held}
    world.choice = CLOUD
    world.drain()
    assert "apple" not in world.cloud.asked
    assert world.findable() == {2, 3}


def test_where_all_is_held_back_the_old_embedder_goes_on(world: World):
    world.secrets.held = {1, 2, 3}
    world.choice = CLOUD
    world.drain()
    assert (serving(world), world.cloud.asked) == ("builtin/1", ["dimension"])
    assert world.findable() == {1, 2, 3}


def test_what_may_be_sent_after_all_is_embedded_then(world: World):
    world.secrets.held = {2}
    world.choice = CLOUD
    world.drain()
    world.secrets.held, world.secrets.moves = set(), 1
    assert world.work.pending() == 1
    world.drain()
    assert (world.findable(), world.models.held_count()) == ({1, 2, 3}, 0)


def test_a_mark_that_does_not_free_anything_is_looked_at_once(world: World):
    world.secrets.held = {2}
    world.choice = CLOUD
    world.drain()
    world.secrets.moves = 1
    world.drain()
    assert (world.models.held_count(), world.work.pending()) == (1, 0)


def test_an_embedder_in_this_machine_is_given_everything(world: World):
    world.secrets.held = {1, 2, 3}
    world.choice = FOLDER
    world.drain()
    assert (serving(world), world.findable()) == ("folder@1", {1, 2, 3})


def test_what_was_held_back_is_embedded_by_a_local_embedder_when_she_goes_back(world: World):
    world.secrets.held = {2}
    world.choice = CLOUD
    world.drain()
    world.choice = FOLDER
    world.drain()
    assert world.findable() == {1, 2, 3}


def test_resting_lets_the_workers_go(world: World):
    world.work.rest()
    assert world.built_in.rested == 1
