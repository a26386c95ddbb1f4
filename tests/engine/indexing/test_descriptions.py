"""The index of described pages follows the log, the scope and the eraser, and takes in nothing but descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import DescriptionReader, Index
from trisynapse_memory.indexing.indexes.descriptions import DescriptionIndex
from trisynapse_memory.text.terms import terms_of
from trisynapse_memory.types import (
    DescriptionDetails,
    Kind,
    Namespace,
    QueryTerm,
    Record,
    RecordId,
    Scope,
    SourceId,
    SummaryDetails,
)

MINE, YOURS = Namespace(project_id="mine"), Namespace(project_id="yours")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[DescriptionIndex]:
    made = DescriptionIndex(tmp_path / "index.db", Config())
    yield made
    made.close()


def record(
    seq: int, text: str, *, page: int = 1, provider: str = "box", source: str = "s", namespace: Namespace = MINE
) -> Record:
    return Record(
        id=RecordId(f"r{seq}"),
        seq=seq,
        device_id="d",
        device_seq=seq,
        written_at=datetime(2026, 1, 1, tzinfo=UTC),
        kind=Kind.DESCRIPTION,
        content_hash="",
        chain_hash="",
        text=text,
        namespace=namespace,
        source_id=SourceId(source),
        payload=DescriptionDetails(page=page, provider=provider, model="m" if provider else ""),
    )


def feed(index: DescriptionIndex, *records: Record) -> None:
    index.apply((), {}, records[-1].seq, records)


def ask(index: DescriptionIndex, words: str, scope: Scope = Scope()) -> list[int]:  # noqa: B008 - frozen
    return [one.seq for one in index.search([QueryTerm(key) for key in terms_of(words, {}).keys], scope)]


def test_it_is_an_index_and_a_reader_of_descriptions(index: DescriptionIndex):
    reader: DescriptionReader = index
    assert isinstance(reader, Index)


def test_the_page_with_more_of_the_words_is_first_and_one_at_a_time_answers_as_all_at_once(
    index: DescriptionIndex, tmp_path: Path
):
    records = [record(1, "A map of the harbour."), record(2, "A harbour map with two lighthouses.", page=2)]
    feed(index, *records)
    alone = DescriptionIndex(tmp_path / "other.db", Config())
    for one in records:
        feed(alone, one)
    terms = [QueryTerm(key) for key in terms_of("harbour lighthouses", {}).keys]
    assert ask(index, "harbour lighthouses") == [2, 1]
    assert index.search(terms, Scope()) == alone.search(terms, Scope())
    assert ask(index, "astrolabe") == []
    alone.close()


def test_scope_and_position_are_kept(index: DescriptionIndex):
    feed(index, record(1, "A map."), record(2, "A map.", source="t"), record(3, "A map.", namespace=YOURS))
    assert ask(index, "map") == [1, 2, 3]
    assert ask(index, "map", Scope(namespace=YOURS)) == [3]
    assert ask(index, "map", Scope(source_ids=(SourceId("t"),))) == [2]
    assert ask(index, "map", Scope(source_ids=())) == []
    assert ask(index, "map", Scope(as_of_seq=2)) == [1, 2]


def test_nothing_but_descriptions_is_taken_in_and_the_position_moves(index: DescriptionIndex):
    other = SummaryDetails(group_id="g", evidence_hash="", topic="", sentences=(), sentence_record_ids=())
    summary = Record(
        id=RecordId("r1"), seq=7, device_id="d", device_seq=1, written_at=datetime(2026, 1, 1, tzinfo=UTC),
        kind=Kind.SUMMARY, content_hash="", chain_hash="", text="A map.", payload=other,
    )  # fmt: skip
    feed(index, summary)
    assert (ask(index, "map"), index.applied_seq()) == ([], 7)
    index.wipe()
    assert index.applied_seq() == 0


def test_what_is_said_failed_or_declined_settles_a_page(index: DescriptionIndex):
    feed(index, record(1, "A map."), record(2, "", page=2), record(3, "", page=3, provider=""))
    assert index.settled("s", "box", "m") == {1, 2, 3}
    assert index.settled("s", "box", "another") == {1, 3}
    assert index.settled("t", "box", "m") == set()


def test_what_is_dropped_leaves_no_byte_behind(index: DescriptionIndex, tmp_path: Path):
    feed(index, record(1, "A zanzibarite map."), record(2, "A plain map.", page=2))
    index.drop([1])
    index.drop([1, 99])
    assert ask(index, "map") == [2]
    index.close()
    assert not any(b"zanzibarite" in path.read_bytes() for path in tmp_path.iterdir())


def test_what_was_applied_is_there_after_opening_again(index: DescriptionIndex, tmp_path: Path):
    feed(index, record(1, "A map."))
    index.close()
    again = DescriptionIndex(tmp_path / "index.db", Config())
    assert (ask(again, "map"), again.applied_seq()) == ([1], 1)
    again.close()
