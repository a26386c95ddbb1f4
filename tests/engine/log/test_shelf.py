"""The library as it stands: newest first, one version in use, nobody else's sources."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trisynapse_memory.errors import UnknownSourceError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Namespace, Scope, SourceId

Grow = Callable[..., str]
HERE = Namespace()


def test_the_list_is_newest_first_and_leaves_old_versions_out(shelf: Shelf, grow: Grow):
    old, new, other = grow("a", "one"), grow("a", "two"), grow("b", "three")
    assert [one.source_id for one in shelf.list(HERE)] == [other, new]
    assert [one.source_id for one in shelf.list(HERE, include_all=True)] == [other, new, old]
    assert [one.source_id for one in shelf.list(HERE, limit=1)] == [other]


def test_a_reader_of_another_project_sees_nothing(shelf: Shelf, grow: Grow):
    grow("a", "one")
    assert shelf.list(Namespace(project_id="other")) == ()
    assert len(shelf.list(Namespace(project_id=None))) == 1


def test_versions_come_oldest_first_and_know_their_predecessor(shelf: Shelf, grow: Grow):
    first, second = grow("a", "one"), grow("a", "two")
    versions = shelf.versions("a", HERE)
    assert [one.source_id for one in versions] == [first, second]
    assert [one.previous_source_id for one in versions] == [None, first]
    assert shelf.active("a", HERE) == versions[1]
    assert shelf.active("nothing", HERE) is None


def test_a_twin_is_a_source_with_the_same_bytes_that_is_whole_and_in_use(log: MemoryLog, shelf: Shelf, grow: Grow):
    source = shelf.get(grow("a", "one"))
    assert shelf.twin(source.content_hash, HERE) == source
    assert shelf.twin(source.content_hash, Namespace(project_id="other")) is None
    lifecycle.forget_source(log, shelf, source.source_id, "no")
    assert shelf.twin(source.content_hash, HERE) is None


def test_half_a_source_is_nobodys_twin(shelf: Shelf, grow: Grow):
    # A crash, then the file is renamed: what is there is half of it, so the whole must be taken in again.
    half = shelf.get(grow("a", "one", complete=False))
    assert shelf.twin(half.content_hash, HERE) is None


def test_collections_hold_live_sources_only(log: MemoryLog, shelf: Shelf, grow: Grow):
    one = grow("a", "one", collections=("light",))
    two = grow("b", "two", collections=("light",))
    lifecycle.forget_source(log, shelf, two, "no")
    assert shelf.ids_in(HERE, "light") == (one,)
    assert shelf.ids_in(HERE, "nothing") == ()


def test_counts_say_how_the_sources_stand(log: MemoryLog, shelf: Shelf, grow: Grow):
    grow("a", "one")
    grow("a", "two")
    grow("b", "three", complete=False)
    grow("c")
    assert shelf.counts() == {"active": 2, "superseded": 1, "arriving": 1}


def test_sources_without_a_word_are_named_newest_first_within_the_scope(log: MemoryLog, shelf: Shelf, grow: Grow):
    first = grow("a")
    then = log.head()
    grow("b", "three")
    last = grow("c")
    titles = [shelf.get(one).title for one in (last, first)]
    assert shelf.unreadable(Scope(), 9) == (tuple(titles), 2)
    assert shelf.unreadable(Scope(), 1) == ((titles[0],), 2)
    assert shelf.unreadable(Scope(source_ids=(SourceId(first),)), 9) == ((titles[1],), 1)
    assert shelf.unreadable(Scope(source_ids=()), 9) == ((), 0)
    assert shelf.unreadable(Scope(namespace=Namespace(project_id="other")), 9) == ((), 0)
    assert shelf.unreadable(Scope(as_of_seq=then), 9) == ((titles[1],), 1)


def test_blobs_are_held_by_the_sources_that_name_them(shelf: Shelf, grow: Grow):
    source = shelf.get(grow("a", "one"))
    assert shelf.holds_blob(source.content_hash)
    assert not shelf.holds_blob("0" * 64)


def test_titles_come_in_one_read_and_unknown_ids_are_left_out(shelf: Shelf, grow: Grow):
    one = grow("a", "one", title="A title")
    assert {key: source.title for key, source in shelf.titles([one, one, "src_x"]).items()} == {one: "A title"}


def test_an_unknown_source_is_a_named_error(shelf: Shelf):
    with pytest.raises(UnknownSourceError, match="src_x"):
        shelf.get("src_x")
