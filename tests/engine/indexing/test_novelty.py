"""The novelty index: who waits, what is known, and the promises of every index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from tests.contracts.test_indexes import Entry, entry
from trisynapse_memory.contracts import Index
from trisynapse_memory.indexing.indexes.novelty import NoveltyIndex, Waiting
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import CompletionDetails, Kind, Novelty, SourceId


@pytest.fixture
def index(tmp_path: Path) -> Iterator[NoveltyIndex]:
    made = NoveltyIndex(tmp_path / "index.db")
    yield made
    made.close()


def feed(index: NoveltyIndex, *entries: Entry, hidden: tuple[int, ...] = (), shown: tuple[int, ...] = ()) -> None:
    last = max([index.applied_seq(), *(one.record.seq for one in entries)])
    index.apply(entries, dict.fromkeys(hidden, False) | dict.fromkeys(shown, True), last)


def waiting(index: NoveltyIndex) -> dict[str, tuple[int, ...]]:
    return {str(one.source_id): one.seqs for one in index.waiting(100)}


def found(source: str, median: float = 0.5) -> Novelty:
    return Novelty(source_id=SourceId(source), median=median, highest=0.9, level="mixed", passage_count=2)


def compare_all(index: NoveltyIndex) -> None:
    for one in index.waiting(100):
        index.put(one, found(one.source_id))


def test_it_is_an_index(index: NoveltyIndex):
    assert isinstance(index, Index)
    assert (index.name, index.applied_seq()) == ("novelty", 0)


def test_sources_wait_in_the_order_in_which_they_came_with_all_their_passages(index: NoveltyIndex):
    feed(index, entry(1, "b"), entry(2, "a"), entry(3, "b"))
    assert list(waiting(index).items()) == [("b", (1, 3)), ("a", (2,))]
    assert (index.waiting_count(), index.of(["a", "b"])) == (2, {})


def test_what_is_compared_no_longer_waits_and_is_known(index: NoveltyIndex):
    feed(index, entry(1, "a"), entry(2, "b"))
    compare_all(index)
    assert index.waiting_count() == 0
    assert index.of(["b", "x"]) == {"b": found("b")}
    assert (index.owners([2, 9]), index.firsts(["a", "b", "x"])) == ({2: "b"}, {"a": 1, "b": 2})


def test_more_passages_of_a_source_let_it_wait_again_and_what_is_known_stays_meanwhile(index: NoveltyIndex):
    feed(index, entry(1, "a"))
    compare_all(index)
    feed(index, entry(2, "a"))
    assert (waiting(index), index.of(["a"])) == ({"a": (1, 2)}, {"a": found("a")})


def test_a_source_that_changed_while_it_was_compared_goes_on_waiting(index: NoveltyIndex):
    feed(index, entry(1, "a"))
    (one,) = index.waiting(1)
    feed(index, entry(2, "a"))
    index.put(one, found("a"))
    assert (waiting(index), index.of(["a"])) == ({"a": (1, 2)}, {})


def test_a_source_of_which_nothing_can_be_said_waits_no_longer(index: NoveltyIndex):
    feed(index, entry(1, "a"))
    index.put(Waiting(SourceId("a"), (1,)), None)
    assert (index.waiting_count(), index.of(["a"])) == (0, {})


def test_a_source_that_was_set_aside_while_it_arrived_waits_once_it_is_whole(index: NoveltyIndex):
    feed(index, entry(1, "a"))
    index.put(Waiting(SourceId("a"), (1,)), None)
    whole = structs.replace(
        entry(2, "a").record,
        kind=Kind.COMPLETION,
        payload=CompletionDetails(target_source_id="a", verdicts={}, record_count=1, page_count=1),
    )
    index.apply([], {}, 2, [whole])
    assert waiting(index) == {"a": (1,)}


def test_a_hidden_source_is_unknown_and_one_that_is_back_waits(index: NoveltyIndex):
    feed(index, entry(1, "a"), entry(2, "a"), replace(entry(3, "b"), visible=False))
    compare_all(index)
    feed(index, hidden=(1, 2))
    assert (waiting(index), index.of(["a", "b"])) == ({}, {})
    feed(index, shown=(1, 3, 99))
    assert waiting(index) == {"a": (1,), "b": (3,)}


def test_dropped_passages_leave_nothing_of_their_source(index: NoveltyIndex, tmp_path: Path):
    feed(index, *(entry(seq) for seq in range(1, 30)), entry(30, "kept"), entry(31, "kept"))
    compare_all(index)
    index.drop([*range(1, 30, 2), 30, 4000])
    assert index.of(["source-of-00001"]) == {}
    assert waiting(index) == {"kept": (31,)}
    index.drop([])
    Database(tmp_path / "index.db").checkpoint()
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("index.db*"))
    assert b"source-of-00002" in stored
    assert not [seq for seq in range(1, 30, 2) if f"source-of-{seq:05d}".encode() in stored]


def test_a_rebuild_is_as_one_after_the_other(index: NoveltyIndex, tmp_path: Path):
    entries = [entry(seq, f"s{seq % 4}") for seq in range(1, 20)]
    for one in entries:
        feed(index, one)
    feed(index, hidden=(4, 8, 12, 16))
    compare_all(index)
    before = index.of(["s0", "s1", "s2", "s3"])
    index.wipe()
    assert (index.applied_seq(), index.waiting_count(), index.of(["s1"])) == (0, 0, {})
    feed(index, *(replace(one, visible=one.record.seq not in {4, 8, 12, 16}) for one in entries))
    compare_all(index)
    assert index.of(["s0", "s1", "s2", "s3"]) == before
    assert set(before) == {"s1", "s2", "s3"}


def test_another_model_compares_everything_visible_anew_and_once(index: NoveltyIndex):
    feed(index, entry(1, "a"), replace(entry(2, "b"), visible=False))
    index.use_model("one")
    compare_all(index)
    index.use_model("one")
    assert index.waiting_count() == 0
    index.use_model("two")
    assert waiting(index) == {"a": (1,)}


def test_what_was_applied_is_there_after_opening_again(index: NoveltyIndex, tmp_path: Path):
    feed(index, entry(1, "a"))
    compare_all(index)
    index.close()
    again = NoveltyIndex(tmp_path / "index.db")
    assert (again.applied_seq(), again.of(["a"])) == (1, {"a": found("a")})
    again.close()
