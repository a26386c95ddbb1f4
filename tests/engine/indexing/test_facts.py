"""Which evidence still has to be read for facts: a projection like any other, most wanted first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from trisynapse_memory.indexing.indexes.facts import FactsIndex
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.types import ExtractionDetails, Kind, Record, RecordId, SourceId, Terms

NO_TERMS = Terms((), (), 0)


@dataclass(frozen=True)
class Entry:
    record: Record
    visible: bool = True
    terms: Terms = NO_TERMS


def record(
    seq: int, source: str = "a", kind: Kind = Kind.RAW_SOURCE, payload: ExtractionDetails | None = None
) -> Record:
    return Record(
        id=RecordId(f"r{seq}"),
        seq=seq,
        device_id="d",
        device_seq=seq,
        written_at=datetime(2026, 1, 1, tzinfo=UTC),
        kind=kind,
        content_hash="",
        chain_hash="",
        source_id=SourceId(source),
        payload=payload,
    )


def reading(seq: int, *read: int, version: int = 1, extractor: str = "pattern") -> Record:
    ids = tuple(f"r{one}" for one in read)
    details = ExtractionDetails(extractor=extractor, extractor_version=version, target_record_ids=ids)
    return record(seq, kind=Kind.EXTRACTION, payload=details)


@pytest.fixture(params=["facts", "model_facts"])
def index(tmp_path: Path, request: pytest.FixtureRequest) -> FactsIndex:
    return FactsIndex(tmp_path / "index.db", name=request.param)


def add(index: FactsIndex, *records: Record, hidden: Sequence[int] = ()) -> None:
    index.apply([Entry(one, one.seq not in hidden) for one in records], {}, max(one.seq for one in records))


def test_the_newest_source_waits_first_and_inside_it_the_log_decides(index: FactsIndex):
    add(index, record(1, "old"), record(2, "old"), record(3, "new"), record(4, "old"), record(5, "new"))
    assert index.waiting(10) == (3, 5)
    assert index.waiting(1) == (3,)
    assert (index.waiting_count(), index.waiting_count("old"), index.waiting_count("none")) == (5, 3, 0)


def test_a_source_that_is_asked_for_goes_first_and_the_last_one_asked_for_before_it(index: FactsIndex):
    add(index, record(1, "a"), record(2, "b"), record(3, "c"))
    index.prioritise("a")
    assert index.waiting(10) == (1,)
    index.prioritise("b")
    assert index.waiting(10) == (2,)


def test_what_was_read_waits_no_more_unless_another_version_read_it(index: FactsIndex):
    add(index, record(1), record(2), record(3), record(4))
    events = [reading(5, 1), reading(6, 2, version=2), reading(7, 3, extractor="other")]
    index.apply((), {}, 7, events)
    assert index.waiting(10) == (2, 3, 4)
    assert index.applied_seq() == 7


def test_another_version_of_the_extractor_starts_from_the_log_again(tmp_path: Path):
    index = FactsIndex(tmp_path / "index.db")
    add(index, record(1))
    index.close()
    assert FactsIndex(tmp_path / "index.db").applied_seq() == 1
    assert FactsIndex(tmp_path / "index.db", version=2).applied_seq() == 0


def test_a_hidden_record_does_not_wait_and_comes_back_with_its_visibility(index: FactsIndex):
    add(index, record(1), record(2), hidden=(2,))
    assert index.waiting(10) == (1,)
    index.apply((), {1: False, 2: True}, 3)
    assert index.waiting(10) == (2,)
    index.apply((), {1: True, 2: True}, 4, [reading(4, 1)])
    assert index.waiting(10) == (2,)
    assert index.record_count() == 2


def test_the_record_before_is_the_visible_one_of_the_same_source(index: FactsIndex):
    add(index, record(1, "a"), record(2, "b"), record(3, "a"), record(4, "a"), hidden=(3,))
    assert [index.before(seq) for seq in (1, 2, 4, 9)] == [None, None, 1, None]


def test_a_record_that_is_applied_twice_counts_once(index: FactsIndex):
    add(index, record(1))
    add(index, record(1))
    assert index.waiting_count() == 1


def test_facts_are_no_evidence_to_read(index: FactsIndex):
    add(index, record(1, kind=Kind.FACT))
    assert index.waiting_count() == 0


def test_what_is_dropped_is_gone_and_wiping_starts_again(index: FactsIndex):
    add(index, record(1), record(2))
    index.drop([1, 99])
    assert (index.waiting(10), index.waiting_count()) == ((2,), 1)
    index.wipe()
    assert (index.waiting_count(), index.applied_seq()) == (0, 0)


@settings(max_examples=40, deadline=None)
@given(
    sources=st.lists(st.sampled_from("abc"), min_size=1, max_size=12),
    steps=st.lists(st.tuples(st.integers(1, 12), st.sampled_from(["hide", "show", "read", "drop"])), max_size=20),
)
def test_the_counts_are_those_of_the_records_whatever_happens(
    tmp_path_factory: pytest.TempPathFactory, sources: list[str], steps: list[tuple[int, str]]
):
    index = FactsIndex(tmp_path_factory.mktemp("facts") / "index.db")
    add(index, *(record(seq, source) for seq, source in enumerate(sources, start=1)))
    visible = dict.fromkeys(range(1, len(sources) + 1), True)
    read: set[int] = set()
    for moment, (seq, verb) in enumerate(steps, start=100):
        match verb:
            case "drop":
                index.drop([seq])
                visible.pop(seq, None)
            case "read":
                index.apply((), {}, moment, [reading(moment, seq)])
                read.add(seq)
            case _:
                index.apply((), {seq: verb == "show"}, moment)
                if seq in visible:
                    visible[seq] = verb == "show"
    waiting = {seq for seq, seen in visible.items() if seen and seq not in read}
    assert index.waiting_count() == len(waiting)
    for source in "abc":
        assert index.waiting_count(source) == sum(sources[seq - 1] == source for seq in waiting)
    index.close()


def test_two_extractors_have_their_indexes_beside_each_other(tmp_path: Path):
    database = IndexDatabase(tmp_path / "index.db")
    plain = FactsIndex(database)
    model = FactsIndex(database, "llm", name="model_facts")
    for index in (plain, model):
        add(index, record(1), record(2))
    plain.apply([], {}, 3, [reading(3, 1, 2)])
    assert (plain.waiting_count(), plain.applied_seq()) == (0, 3)
    assert (model.waiting_count(), model.applied_seq()) == (2, 2)
    model.apply([], {}, 4, [reading(3, 1, 2), reading(4, 1, extractor="llm")])
    assert model.waiting(9) == (2,)
    plain.wipe()
    model.drop([2])
    assert (plain.record_count(), model.record_count(), model.applied_seq()) == (0, 1, 4)
    FactsIndex(database, version=2)
    assert model.record_count() == 1


def test_only_receipts_of_the_named_reader_count(tmp_path: Path):
    index = FactsIndex(tmp_path / "index.db", "llm", name="model_facts", receipt_prefix="extraction:llm/1/ab:")
    add(index, record(1), record(2), record(3))
    keys = ("extraction:llm/1/ab:x", "extraction:llm/1/cd:x", None)
    receipts = [
        structs.replace(reading(3 + place, place, extractor="llm"), external_key=key)
        for place, key in enumerate(keys, start=1)
    ]
    index.apply([], {}, 6, receipts)
    assert index.waiting(9) == (2, 3)


def test_what_is_passed_over_holds_no_source_up(index: FactsIndex):
    add(index, record(1, "old"), record(2, "new"), record(3, "new"))
    assert index.waiting(9, {2}) == (3,)
    assert index.waiting(9, {2, 3}) == (1,)
    assert index.waiting(9, {1, 2, 3}) == ()
    index.apply([], {3: False}, 4)
    assert index.waiting_among({1, 2, 3, 99}) == 2
