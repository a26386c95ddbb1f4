"""Choosing another embedding model while the index is open: who is wanted, who answers, what is held back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trisynapse_memory.errors import InvalidSettingError
from trisynapse_memory.indexing.indexes.vector import VectorIndex
from trisynapse_memory.indexing.vector_switch import KnownModel, VectorModels
from trisynapse_memory.indexing.vector_tables import text_hash_of
from trisynapse_memory.sqlite import Database
from vector_cases import ANYONE, computed, entry, seqs_near, vector_of

NEW = KnownModel("cloud/large", 16, "cloud", "large")


class Open:
    """An index with three embedded records, and the door to its models."""

    def __init__(self, folder: Path) -> None:
        database = Database(folder / "vectors.db", vectors=True)
        self.index = VectorIndex(database, "old/1", 8)
        self.models = VectorModels(database)
        self.index.apply([entry(1, "a"), entry(2, "b"), entry(3, "c")], {}, 3)
        self.index.put(computed("a", "b", "c"))

    def waiting(self) -> list[int]:
        return [seq for seq, _ in self.index.pending(100)]

    def hashes(self, *texts: str) -> list[str]:
        return [text_hash_of(text, {}) for text in texts]


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Open]:
    made = Open(tmp_path)
    yield made
    made.index.close()


def test_a_switch_while_open_builds_the_second_set_and_then_answers_with_it(one: Open):
    assert seqs_near(one.index, "a")[0] == 1
    one.models.adopt(NEW)
    assert (one.models.serving().model_id, one.models.target()) == ("old/1", NEW)
    assert (one.index.model_id, one.index.dimension, one.waiting()) == ("cloud/large", 16, [3, 2, 1])
    assert seqs_near(one.index, "a")[0] == 1
    one.index.put(computed("a", "b", dimension=16))
    assert one.index.serving_model == "old/1"
    one.index.put(computed("c", dimension=16))
    assert (one.index.serving_model, one.models.serving()) == ("cloud/large", NEW)
    assert one.index.nearest(vector_of("a", 16), ANYONE, 9)[0].seq == 1


def test_going_back_is_immediate_while_the_vectors_are_there(one: Open):
    one.models.adopt(NEW)
    one.index.put(computed("a", "b", "c", dimension=16))
    one.models.adopt(KnownModel("old/1", 8))
    assert (one.index.serving_model, one.waiting()) == ("old/1", [])
    assert seqs_near(one.index, "b")[0] == 2


def test_only_what_came_since_is_embedded_again(one: Open):
    one.models.adopt(NEW)
    one.index.put(computed("a", "b", "c", dimension=16))
    one.index.apply([entry(4, "d")], {}, 4)
    one.models.adopt(KnownModel("old/1", 8))
    assert (one.index.serving_model, one.waiting()) == ("cloud/large", [4])
    assert one.models.missing_count("old/1") == 1
    one.index.put(computed("d"))
    assert one.index.serving_model == "old/1"


def test_an_opened_file_keeps_the_model_it_wants(one: Open, tmp_path: Path):
    one.models.adopt(NEW)
    one.index.close()
    database = Database(tmp_path / "vectors.db", vectors=True)
    again = VectorIndex(database, "builtin/2", 8)
    models = VectorModels(database)
    assert (again.model_id, again.serving_model, again.dimension) == ("cloud/large", "old/1", 16)
    assert (models.target(), models.serving().service) == (NEW, "")
    assert (models.dimension_of("cloud/large"), models.dimension_of("unknown")) == (16, 0)
    again.close()


def test_a_model_of_another_length_under_the_same_name_is_refused(one: Open):
    one.models.adopt(NEW)
    with pytest.raises(InvalidSettingError, match="16 dimensions"):
        one.models.adopt(NEW._replace(dimension=32))


def test_texts_that_are_held_back_wait_no_longer_and_the_others_make_it_whole(one: Open):
    one.models.adopt(NEW)
    one.models.hold(one.hashes("b"), "It is sensitive.")
    assert (one.waiting(), one.models.held_count(), one.index.pending_count()) == ([3, 1], 1, 3)
    assert one.index.failures() == ()
    one.index.put(computed("a", "c", dimension=16))
    assert one.index.serving_model == "cloud/large"
    assert (one.models.held_count(), one.index.pending_count()) == (1, 1)
    assert one.models.release() == 1
    assert one.waiting() == [2]


def test_where_everything_is_held_back_the_old_model_goes_on_answering(one: Open):
    one.models.adopt(NEW)
    one.models.hold(one.hashes("a", "b", "c"), "It is sensitive.")
    assert not one.index.switch()
    assert (one.index.serving_model, one.waiting()) == ("old/1", [])


def test_every_owner_of_a_text_is_named_hidden_ones_too(one: Open):
    one.index.apply([entry(4, "a"), entry(5, "a", visible=False)], {2: False}, 5)
    found = one.models.owners_of(one.hashes("a", "b", "nothing"))
    assert list(found.values()) == [(1, 4, 5), (2,), ()]


def test_failed_texts_are_counted_apart(one: Open):
    one.models.adopt(NEW)
    for _ in range(3):
        one.index.note_failures(dict.fromkeys(one.hashes("a"), "bad"))
    assert (one.models.failed_count(), one.models.held_count()) == (1, 0)


def test_what_is_missing_is_counted_for_the_wanted_and_for_the_answering_model(one: Open):
    one.models.adopt(NEW)
    one.index.apply([entry(4, "d"), entry(5, "a"), entry(6, "e", visible=False)], {2: False}, 6)
    assert (one.index.pending_count(), one.index.pending_count(serving=True)) == (4, 1)
    one.index.drop([1])
    assert (one.index.pending_count(), one.index.pending_count(serving=True)) == (3, 1)
    one.index.put(computed("a", "c", "d", dimension=16))
    assert (one.index.serving_model, one.index.pending_count(serving=True)) == ("cloud/large", 0)
