"""One suite for every index of the table: whatever it finds by, it follows the log, the scope and the eraser alike."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from trisynapse_memory.branches import Branch
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Index
from trisynapse_memory.pipelines.digests import Digests
from trisynapse_memory.registry import Registry
from trisynapse_memory.sqlite import Database
from trisynapse_memory.text.terms import terms_of
from trisynapse_memory.types import (
    FactDetails,
    Kind,
    Namespace,
    QueryTerm,
    Record,
    RecordId,
    Scope,
    SourceId,
    Terms,
    indexed_text,
)

REGISTRY = Registry(guests=False)
ANYONE = Scope()
DIMENSION = 16


@dataclass(frozen=True)
class Entry:
    record: Record
    terms: Terms
    visible: bool = True


class Adapter:
    """What the suite must know of one index beyond ``Index``: how to open it, how to ask it, and what it stores."""

    def open(self, path: Path) -> Any:
        raise NotImplementedError

    def settle(self, index: Any) -> None:
        """Do the work that follows a commit, if there is any."""

    def ask(self, index: Any, scope: Scope) -> tuple[tuple[int, float], ...]:
        """Ask for everything that has to do with the word "common"."""
        raise NotImplementedError

    def traces_of(self, entry: Entry) -> list[bytes]:
        """Return the bytes that nothing but this record brings into the file."""
        raise NotImplementedError


class LexicalAdapter(Adapter):
    def open(self, path: Path) -> Any:
        return REGISTRY.load("index", "lexical")(path, Config())

    def ask(self, index: Any, scope: Scope) -> tuple[tuple[int, float], ...]:
        return tuple(
            (one.seq, one.score) for one in index.search([QueryTerm("common"), QueryTerm("many")], scope, 1000)
        )

    def traces_of(self, entry: Entry) -> list[bytes]:
        return [f"unique{entry.record.seq:05d}x".encode(), str(entry.record.source_id).encode()]


class VectorAdapter(Adapter):
    """Vectors are drawn from the hash of the text; a real embedder would add nothing here."""

    def open(self, path: Path) -> Any:
        database = Database(path, vectors=True)
        return REGISTRY.load("index", "vector")(database, "drawn", DIMENSION)

    def settle(self, index: Any) -> None:
        while waiting := index.pending(1000):
            index.put({text_hash: self.drawn(text_hash) for _, text_hash in waiting})

    def ask(self, index: Any, scope: Scope) -> tuple[tuple[int, float], ...]:
        return tuple((one.seq, one.score) for one in index.nearest(self.drawn("common"), scope, 1000))

    def traces_of(self, entry: Entry) -> list[bytes]:
        text = indexed_text(entry.record.text, entry.record.fields)
        text_hash = hashlib.sha256(text.encode()).hexdigest()
        return [bytes.fromhex(text_hash), self.drawn(text_hash).tobytes()]

    @staticmethod
    def drawn(text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).normal(size=DIMENSION)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


class GraphAdapter(Adapter):
    """Every text opens with the same word, which the graph takes for a name."""

    def open(self, path: Path) -> Any:
        return REGISTRY.load("index", "graph")(path, Config())

    def ask(self, index: Any, scope: Scope) -> tuple[tuple[int, float], ...]:
        return tuple((seq, 1.0) for seq in sorted(index.mentions(["Common"], scope, 1000)["Common"]))

    def traces_of(self, entry: Entry) -> list[bytes]:
        return [f"unique{entry.record.seq:05d}x".encode(), str(entry.record.source_id).encode()]


class ClaimAdapter(Adapter):
    """The suite's passages become facts of one sentence each: what they say is in the object, so none meets another."""

    def open(self, path: Path) -> Any:
        index = REGISTRY.load("index", "claims")(path, Config())
        apply = index.apply
        index.apply = lambda entries, *rest, **more: apply([self.stated(one) for one in entries], *rest, **more)
        return index

    def stated(self, entry: Entry) -> Entry:
        details = FactDetails(pattern="any", extractor="pattern", extractor_version=1)
        triple = {"subject": "Common", "relation": "uses", "object": f"unique{entry.record.seq:05d}x"}
        return replace(entry, record=structs.replace(entry.record, kind=Kind.FACT, payload=details, **triple))

    def ask(self, index: Any, scope: Scope) -> tuple[tuple[int, float], ...]:
        found = index.list(scope, about="common", limit=1000)
        return tuple(
            (int(one.fact_id[1:]), float(len(claim.sides)))
            for claim in found
            for side in claim.sides
            for one in side.supports
        )

    def traces_of(self, entry: Entry) -> list[bytes]:
        return [f"unique{entry.record.seq:05d}x".encode(), str(entry.record.source_id).encode()]


class SummariesAdapter(Adapter):
    """Every record is a source of its own here, or one of a few; its text is one sentence that stands alone."""

    def open(self, path: Path) -> Any:
        return REGISTRY.load("index", "summaries")(path, Config())

    def by_seqs(self, seqs: Sequence[int]) -> tuple[Record, ...]:
        return tuple(entry(seq).record for seq in seqs)

    def settle(self, index: Any) -> None:
        job = Digests(index.upkeep, self)
        while job.step():
            pass

    def ask(self, index: Any, scope: Scope) -> tuple[tuple[int, float], ...]:
        found = index.list(scope, 1000)
        seqs = {seq for summary in found for seq in index.members(summary.group_id, scope, 1000)}
        return tuple((seq, 1.0) for seq in sorted(seqs))

    def traces_of(self, entry: Entry) -> list[bytes]:
        return [f"unique{entry.record.seq:05d}x".encode(), str(entry.record.source_id).encode()]


ADAPTERS: Mapping[str, Callable[[], Adapter]] = {
    "lexical": LexicalAdapter,
    "vector": VectorAdapter,
    "claims": ClaimAdapter,
    "graph": GraphAdapter,
    "summaries": SummariesAdapter,
}
ELSEWHERE = {
    "facts": "test_facts.py",
    "descriptions": "test_descriptions.py",
    "novelty": "test_novelty.py",
}
"""Indexes that find no records by what is asked; the same promises are tested where their own answers are known."""


def test_every_index_is_held_to_the_contract_here_or_in_a_suite_of_its_own():
    suites = Path(__file__).parents[1] / "engine" / "indexing"
    for row in REGISTRY.rows("index"):
        assert row.name in ADAPTERS or (suites / ELSEWHERE.get(row.name, "none")).is_file(), row.name


@dataclass
class Subject:
    """One index under test, and where its file lies."""

    row: Branch
    adapter: Adapter
    folder: Path
    opened: list[Any]

    def open(self, name: str = "first") -> Any:
        index = self.adapter.open(self.folder / f"{name}.db")
        self.opened.append(index)
        return index

    def feed(self, index: Any, entries: Sequence[Entry], visibility: Mapping[int, bool] | None = None) -> None:
        index.apply(entries, visibility or {}, max([index.applied_seq(), *(one.record.seq for one in entries)]))
        self.adapter.settle(index)

    def ask(self, index: Any, scope: Scope = ANYONE) -> tuple[tuple[int, float], ...]:
        return self.adapter.ask(index, scope)

    def seqs(self, index: Any, scope: Scope = ANYONE) -> list[int]:
        return sorted(seq for seq, _ in self.ask(index, scope))


@pytest.fixture(params=[row for row in REGISTRY.rows("index") if row.name in ADAPTERS], ids=lambda row: row.name)
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Subject]:
    row: Branch = request.param
    missing = REGISTRY.missing(row)
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    found = Subject(row, ADAPTERS[row.name](), tmp_path, [])
    yield found
    for index in found.opened:
        index.close()


def entry(seq: int, source: str = "", namespace: Namespace = Namespace()) -> Entry:  # noqa: B008 - frozen
    text = f"Common words, as in many records, and unique{seq:05d}x; filler {seq % 7}."
    record = Record(
        id=RecordId(f"r{seq}"),
        seq=seq,
        device_id="d",
        device_seq=seq,
        written_at=datetime(2026, 1, 1, tzinfo=UTC),
        kind=Kind.RAW_SOURCE,
        content_hash="",
        chain_hash="",
        text=text,
        namespace=namespace,
        source_id=SourceId(source or f"source-of-{seq:05d}"),
    )
    return Entry(record, terms_of(record.text, record.fields))


def test_the_class_is_an_index_of_the_name_in_its_row(subject: Subject) -> None:
    index = subject.open()
    assert isinstance(index, Index)
    assert index.name == subject.row.name
    assert index.applied_seq() == 0


def test_one_record_at_a_time_and_all_at_once_answer_alike(subject: Subject) -> None:
    entries = [entry(seq) for seq in range(1, 40)]
    at_once, one_by_one = subject.open("once"), subject.open("single")
    subject.feed(at_once, entries)
    for one in entries:
        subject.feed(one_by_one, [one])
    assert len(subject.ask(at_once)) == 39
    assert subject.ask(at_once) == subject.ask(one_by_one)


def test_a_rebuild_answers_as_before(subject: Subject) -> None:
    index = subject.open()
    entries = [entry(seq) for seq in range(1, 30)]
    for one in entries:
        subject.feed(index, [one])
    subject.feed(index, [], {7: False, 9: False})
    before = subject.ask(index)
    index.wipe()
    assert (index.applied_seq(), subject.ask(index)) == (0, ())
    subject.feed(index, [replace(one, visible=one.record.seq not in {7, 9}) for one in entries])
    assert subject.ask(index) == before


def test_visibility_hides_and_shows(subject: Subject) -> None:
    index = subject.open()
    subject.feed(index, [entry(1), entry(2), replace(entry(3), visible=False)])
    everything = subject.ask(index)
    assert subject.seqs(index) == [1, 2]
    subject.feed(index, [], {1: False, 3: True})
    assert subject.seqs(index) == [2, 3]
    subject.feed(index, [], {1: True, 3: False})
    assert subject.ask(index) == everything


def test_visibility_of_a_record_that_is_not_there_is_passed_over(subject: Subject) -> None:
    index = subject.open()
    subject.feed(index, [entry(1)], {99: True, 98: False})
    assert subject.seqs(index) == [1]


def test_dropped_records_are_gone_and_stay_gone(subject: Subject) -> None:
    index = subject.open()
    subject.feed(index, [entry(seq) for seq in range(1, 12)])
    index.drop([3, 5, 4000])
    assert subject.seqs(index) == [1, 2, 4, 6, 7, 8, 9, 10, 11]
    subject.feed(index, [], {3: True})
    assert 3 not in subject.seqs(index)
    index.drop([])
    index.drop([3])
    assert len(subject.ask(index)) == 9


def test_dropped_records_leave_no_byte_behind(subject: Subject) -> None:
    index = subject.open()
    entries = [entry(seq) for seq in range(1, 120)]
    for start in range(0, len(entries), 20):
        subject.feed(index, entries[start : start + 20])
    index.drop([one.record.seq for one in entries[::2]])
    database = Database(subject.folder / "first.db", vectors=True)
    database.checkpoint()
    database.close()
    stored = b"".join(path.read_bytes() for path in subject.folder.glob("first.db*"))
    # The other records prove that the bytes looked for are those the index writes.
    assert all(any(trace in stored for trace in subject.adapter.traces_of(one)) for one in entries[1::2])
    left = [one.record.seq for one in entries[::2] if any(trace in stored for trace in subject.adapter.traces_of(one))]
    assert left == []


def test_a_failure_inside_apply_leaves_rows_and_position_as_they_were(subject: Subject) -> None:
    index = subject.open()
    subject.feed(index, [entry(1)])
    before = subject.ask(index)

    class Failing(dict[int, bool]):
        def __iter__(self) -> Iterator[int]:
            raise RuntimeError

        def items(self) -> Any:
            raise RuntimeError

        def keys(self) -> Any:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        index.apply([entry(2), entry(3)], Failing({1: False}), 3)
    subject.adapter.settle(index)
    assert (index.applied_seq(), subject.ask(index)) == (1, before)
    subject.feed(index, [entry(2), entry(3)])
    assert (index.applied_seq(), subject.seqs(index)) == (3, [1, 2, 3])


def test_the_position_moves_also_where_nothing_is_indexed(subject: Subject) -> None:
    index = subject.open()
    index.apply([], {}, 17)
    assert index.applied_seq() == 17


def test_what_was_applied_is_there_after_opening_again(subject: Subject) -> None:
    index = subject.open()
    subject.feed(index, [entry(seq) for seq in range(1, 6)])
    before = subject.ask(index)
    index.close()
    again = subject.open()
    assert (again.applied_seq(), subject.ask(again)) == (5, before)


def test_a_broader_reader_sees_narrower_records_and_never_the_other_way(subject: Subject) -> None:
    index = subject.open()
    writers = [
        Namespace(),
        Namespace(user_id="ada"),
        Namespace(user_id="ada", session_id="s"),
        Namespace(user_id="bob"),
        Namespace(project_id="other"),
    ]
    subject.feed(index, [entry(seq, namespace=namespace) for seq, namespace in enumerate(writers, start=1)])
    readers = [*writers, Namespace(project_id=None), Namespace(user_id="nobody")]
    for reader in readers:
        expected = [seq for seq, writer in enumerate(writers, start=1) if reader.sees(writer)]
        assert subject.seqs(index, Scope(namespace=reader)) == expected


def test_a_record_scores_in_its_namespace_as_if_the_others_were_not_there(subject: Subject) -> None:
    shared, alone = subject.open("shared"), subject.open("alone")
    ada = [entry(seq, namespace=Namespace(user_id="ada")) for seq in range(1, 10)]
    crowd = [entry(seq, namespace=Namespace(user_id="crowd")) for seq in range(10, 300)]
    subject.feed(shared, [*ada, *crowd])
    subject.feed(alone, ada)
    assert subject.ask(shared, Scope(namespace=Namespace(user_id="ada"))) == subject.ask(alone)


def test_chosen_sources_are_the_only_ones_searched(subject: Subject) -> None:
    index = subject.open()
    subject.feed(index, [entry(seq, source=f"paper-{seq % 3}") for seq in range(1, 10)])
    assert subject.seqs(index, Scope(source_ids=(SourceId("paper-1"),))) == [1, 4, 7]
    both = Scope(source_ids=(SourceId("paper-1"), SourceId("paper-2"), SourceId("unknown")))
    assert subject.seqs(index, both) == [1, 2, 4, 5, 7, 8]
    assert subject.seqs(index, Scope(source_ids=())) == []
    assert subject.seqs(index, Scope(source_ids=(SourceId("unknown"),))) == []


def test_a_question_as_of_a_position_answers_as_it_did_then(subject: Subject) -> None:
    index = subject.open()
    subject.feed(index, [entry(seq) for seq in range(1, 6)])
    then = subject.ask(index)
    subject.feed(index, [entry(seq) for seq in range(6, 12)])
    assert subject.ask(index, Scope(as_of_seq=5)) == then
    assert subject.ask(index, Scope(as_of_seq=0)) == ()
    assert subject.ask(index, Scope(as_of_seq=10_000)) == subject.ask(index)
