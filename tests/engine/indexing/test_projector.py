"""Every index follows the log: new records, changed visibility, crashes between two commits, and a rebuild."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from trisynapse_memory.contracts import Entry
from trisynapse_memory.indexing import projector as projector_module
from trisynapse_memory.indexing.indexes.facts import FactsIndex
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.text.terms import terms_of
from trisynapse_memory.types import Draft, Kind, Record, Terms


class Notebook:
    """An index that writes down what it is told."""

    def __init__(self, name: str = "notes") -> None:
        self.name = name
        self.seq = 0
        self.texts: dict[int, str] = {}
        self.seen: dict[int, bool] = {}
        self.calls: list[tuple[list[int], dict[int, bool], int]] = []
        self.terms: dict[int, Terms] = {}
        self.fail = False
        self.closed = False

    def applied_seq(self) -> int:
        return self.seq

    takes_all_facts = True

    def apply(
        self,
        entries: Sequence[Entry],
        visibility: Mapping[int, bool],
        through_seq: int,
        events: Sequence[Record] = (),
    ) -> None:
        if self.fail:
            raise RuntimeError("this index cannot commit")
        for entry in entries:
            assert entry.record.seq not in self.texts, "a record is told once"
            self.texts[entry.record.seq] = entry.record.text
            self.seen[entry.record.seq] = entry.visible
            self.terms[entry.record.seq] = entry.terms
        self.seen.update(visibility)
        self.calls.append(([entry.record.seq for entry in entries], dict(visibility), through_seq))
        self.seq = through_seq

    def drop(self, seqs: Sequence[int]) -> None:
        for seq in seqs:
            self.texts.pop(seq, None)

    def wipe(self) -> None:
        self.seq, self.texts, self.seen = 0, {}, {}

    def close(self) -> None:
        self.closed = True


def passage(text: str) -> Draft:
    return Draft(kind=Kind.RAW_SOURCE, text=text)


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


@pytest.fixture
def projector(log: MemoryLog, notebook: Notebook) -> Projector:
    return Projector(log, (notebook,))


def test_only_evidence_is_indexed_and_the_position_follows_the_log(
    log: MemoryLog, projector: Projector, notebook: Notebook
):
    log.append([Draft(kind=Kind.PAGE, text="page"), passage("one"), Draft(kind=Kind.FACT, text="two")])
    assert projector.catch_up() == 3
    assert notebook.texts == {2: "one", 3: "two"}
    assert (notebook.seq, projector.lag(), projector.catch_up()) == (3, {"notes": 0}, 0)


def test_terms_that_a_worker_counted_are_taken_and_the_others_are_counted(
    log: MemoryLog, projector: Projector, notebook: Notebook
):
    log.append([passage("one"), passage("two")])
    counted = Terms(keys=("x",), positions=((0,),), length=1)
    projector.catch_up({1: counted})
    assert notebook.terms == {1: counted, 2: terms_of("two", {})}


def test_a_hidden_record_is_told_to_be_hidden_and_shown_again(log: MemoryLog, projector: Projector, notebook: Notebook):
    (record,) = log.append([passage("one")])
    projector.catch_up()
    lifecycle.forget_record(log, record.id, "no")
    projector.catch_up()
    assert notebook.seen == {1: False}
    lifecycle.reinstate_record(log, record.id, "yes")
    projector.catch_up()
    assert notebook.seen == {1: True}


def test_a_record_that_was_hidden_before_it_was_indexed_arrives_hidden(
    log: MemoryLog, projector: Projector, notebook: Notebook
):
    (record,) = log.append([passage("one")])
    lifecycle.forget_record(log, record.id, "no")
    projector.catch_up()
    assert notebook.seen == {1: False}


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_small_and_large_batches_give_the_same_index(
    log: MemoryLog, projector: Projector, notebook: Notebook, size: int, monkeypatch: pytest.MonkeyPatch
):
    records = log.append([passage(str(n)) for n in range(5)])
    lifecycle.forget_record(log, records[1].id, "no")
    log.append([passage("5")])
    lifecycle.forget_record(log, records[4].id, "no")
    lifecycle.reinstate_record(log, records[1].id, "yes")
    monkeypatch.setattr(projector_module, "BATCH_RECORDS", size)
    projector.catch_up()
    assert notebook.seen == {1: True, 2: True, 3: True, 4: True, 5: False, 7: True}
    assert notebook.seq == log.head()


def test_an_index_that_could_not_commit_catches_up_later_and_the_others_are_told_nothing_twice(log: MemoryLog):
    good, bad = Notebook("good"), Notebook("bad")
    projector = Projector(log, (good, bad))
    log.append([passage("one")])
    bad.fail = True
    with pytest.raises(RuntimeError):
        projector.catch_up()
    assert (good.seq, bad.seq) == (1, 0)
    bad.fail = False
    log.append([passage("two")])
    projector.catch_up()
    assert good.texts == bad.texts == {1: "one", 2: "two"}


def test_a_rebuild_empties_only_what_is_named(log: MemoryLog):
    one, other = Notebook("one"), Notebook("other")
    projector = Projector(log, (one, other))
    log.append([passage("a")])
    projector.catch_up()
    assert projector.rebuild(["one"]) == {"one": 1}
    assert (len(one.calls), len(other.calls)) == (2, 1)
    assert projector.rebuild() == {"one": 1, "other": 1}
    assert one.texts == other.texts == {1: "a"}


def test_many_threads_may_ask_and_each_record_is_told_once(log: MemoryLog, projector: Projector, notebook: Notebook):
    log.append([passage(str(n)) for n in range(50)])
    threads = [threading.Thread(target=projector.catch_up) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(notebook.texts) == 50
    assert [seq for seqs, _, _ in notebook.calls for seq in seqs] == list(range(1, 51))


def test_what_is_dropped_is_dropped_from_every_index(log: MemoryLog):
    one, two = Notebook("one"), Notebook("two")
    projector = Projector(log, (one, two))
    log.append([passage("a"), passage("b")])
    projector.catch_up()
    projector.drop([1])
    assert (one.texts, two.texts) == ({2: "b"}, {2: "b"})


def test_indexes_of_one_file_take_a_batch_in_together_or_not_at_all(log: MemoryLog, tmp_path: Path):
    database = IndexDatabase(tmp_path / "index.db")
    facts, other = FactsIndex(database), Notebook()
    projector = Projector(log, (facts, other), database)
    log.append([passage("a")])
    other.fail = True
    with pytest.raises(RuntimeError):
        projector.catch_up()
    assert (facts.applied_seq(), facts.waiting(9)) == (0, ())
    other.fail = False
    projector.catch_up()
    assert (facts.applied_seq(), facts.waiting(9)) == (1, (1,))
    database.close()


def test_closing_closes_every_index(projector: Projector, notebook: Notebook):
    projector.close()
    assert notebook.closed
