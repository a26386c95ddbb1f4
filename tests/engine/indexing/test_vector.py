"""The vector index against a plain one that holds everything in dictionaries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from trisynapse_memory.contracts import FloatArray, Index
from trisynapse_memory.errors import BadEmbeddingError
from trisynapse_memory.indexing.indexes.vector import VectorIndex
from trisynapse_memory.indexing.vector_rows import pack_rows
from trisynapse_memory.indexing.vector_tables import text_hash_of
from trisynapse_memory.types import Namespace, Record, Scope, SourceId
from vector_cases import (
    ADA,
    ANYONE,
    BOB,
    DIMENSION,
    Entry,
    computed,
    entry,
    kept,
    kept_vector_of,
    opened,
    seqs_near,
    vector_of,
)

PAPER, THESIS = SourceId("paper"), SourceId("thesis")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[VectorIndex]:
    found = opened(tmp_path)
    yield found
    found.close()


def waiting(index: VectorIndex) -> list[int]:
    return [seq for seq, _ in index.pending(100)]


# ---------------------------------------------------------------- what is found


def test_the_index_keeps_the_contract_of_indexes(index: VectorIndex) -> None:
    assert isinstance(index, Index)


def test_an_empty_index_answers_with_nothing(index: VectorIndex) -> None:
    assert index.nearest(vector_of("a"), ANYONE, 5) == ()
    assert index.embeddings([1, 2])[0] == ()
    assert (index.applied_seq(), index.pending_count(), index.pending(5)) == (0, 0, ())


def test_a_record_waits_until_its_vector_is_put_and_is_then_found_with_its_cosine(index: VectorIndex) -> None:
    index.apply([entry(1, "a"), entry(2, "b")], {}, 2)
    assert index.pending_count() == 2
    assert seqs_near(index, "a") == []
    index.put(computed("a", "b"))
    assert index.pending_count() == 0
    first, second = index.nearest(vector_of("a"), ANYONE, 5)
    assert (first.seq, first.why) == (1, "meaning")
    assert first.score == pytest.approx(float(vector_of("a") @ kept_vector_of("a")), abs=1e-6)
    assert second.score == pytest.approx(float(vector_of("a") @ kept_vector_of("b")), abs=1e-6)
    seqs, rows = index.embeddings([2, 1, 9])
    assert sorted(seqs) == [1, 2]
    assert rows[seqs.index(2)].tolist() == pytest.approx(kept_vector_of("b").tolist(), abs=1e-6)


def test_the_fields_of_a_record_are_part_of_what_is_embedded(index: VectorIndex) -> None:
    plain = entry(1, "a").record
    titled = Record(**{name: getattr(plain, name) for name in plain.__struct_fields__} | {"fields": {"title": "T"}})
    index.apply([Entry(titled)], {}, 1)
    assert index.pending(1) == ((1, text_hash_of("a", {"title": "T"})),)
    assert text_hash_of("a", {"title": "T"}) == text_hash_of("a\ntitle: T", {})


def test_a_record_without_any_text_does_not_wait(index: VectorIndex) -> None:
    index.apply([entry(1, " \n")], {}, 1)
    assert index.pending_count() == 0


def test_a_text_that_was_embedded_before_is_found_at_once(index: VectorIndex) -> None:
    index.apply([entry(1, "a")], {}, 1)
    index.put(computed("a"))
    index.apply([entry(2, "a")], {}, 2)
    assert index.pending_count() == 0
    assert seqs_near(index, "a") == [1, 2]


def test_records_with_one_text_wait_once_and_arrive_together(index: VectorIndex) -> None:
    index.apply([entry(seq, "a") for seq in (1, 2, 3)], {}, 3)
    assert len(index.pending(10)) == 1
    index.put(computed("a"))
    assert seqs_near(index, "a") == [1, 2, 3]


def test_equal_vectors_at_the_cut_are_taken_in_log_order_however_they_arrived(index: VectorIndex) -> None:
    index.apply([entry(seq, "same", ADA if seq % 2 else BOB) for seq in range(1, 301)], {}, 300)
    index.put(computed("same"))
    index.apply([], dict.fromkeys(range(1, 40), False), 301)
    index.apply([], dict.fromkeys(range(1, 40), True), 302)
    assert seqs_near(index, "same", limit=50) == list(range(1, 51))
    assert seqs_near(index, "same", Scope(namespace=ADA), limit=50) == list(range(1, 100, 2))


def test_the_nearest_are_right_where_single_precision_cannot_tell_them_apart(tmp_path: Path) -> None:
    dimension, count = 384, 400
    random = np.random.default_rng(5)
    # One row, with numbers exchanged where those of the question are all but equal.
    drawn = np.tile(random.normal(size=dimension), (count, 1))
    drawn[:, :64] = random.permuted(drawn[:, :64], axis=1)
    vectors = kept((drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32))
    asked = random.normal(size=dimension)
    asked[:64] = 1.0 + 1e-5 * random.normal(size=64)
    query = (asked / np.linalg.norm(asked)).astype(np.float32)
    index = opened(tmp_path, dimension=dimension)
    index.apply([entry(row + 1, f"t{row}") for row in range(count)], {}, count)
    index.put({text_hash_of(f"t{row}", {}): vector for row, vector in enumerate(vectors)})
    exact = vectors.astype(np.float64) @ query.astype(np.float64) / np.linalg.norm(query.astype(np.float64))
    found = index.nearest(query, ANYONE, 50)
    assert 1e-6 < exact.max() - exact.min() < 2e-6
    best = np.sort(exact)[::-1][:50]
    two_last_places = 1.3e-7
    assert [exact[one.seq - 1] for one in found] == pytest.approx(best.tolist(), abs=two_last_places)
    assert [one.score for one in found] == pytest.approx(best.tolist(), abs=two_last_places)
    index.close()


@pytest.mark.parametrize("exact_limit", [1000, 0])
def test_scope_is_applied_before_the_cut(tmp_path: Path, exact_limit: int) -> None:
    index = opened(tmp_path, exact_limit=exact_limit)
    crowd = [entry(seq, "asked", BOB, PAPER) for seq in range(1, 201)]
    index.apply([*crowd, entry(201, "other", ADA, THESIS), entry(202, "more", BOB, THESIS)], {}, 202)
    index.put(computed("asked", "other", "more"))
    assert seqs_near(index, "asked", Scope(namespace=ADA), 1) == [201]
    assert set(seqs_near(index, "asked", Scope(source_ids=(THESIS,)), 2)) == {201, 202}
    assert seqs_near(index, "asked", Scope(namespace=BOB, source_ids=(THESIS,)), 2) == [202]
    assert seqs_near(index, "other", Scope(as_of_seq=3), 5) == [1, 2, 3]
    assert seqs_near(index, "asked", Scope(source_ids=()), 5) == []
    assert seqs_near(index, "asked", Scope(source_ids=(SourceId("unknown"),)), 5) == []
    assert seqs_near(index, "asked", Scope(namespace=Namespace(user_id="eve")), 5) == []
    index.close()


def test_a_limit_beyond_what_the_table_returns_is_still_met(index: VectorIndex) -> None:
    index.apply([entry(seq, f"t{seq % 50}") for seq in range(1, 4501)], {}, 4500)
    index.put(computed(*(f"t{number}" for number in range(50))))
    assert len(index.nearest(vector_of("t1"), ANYONE, 4400)) == 4400


@pytest.mark.parametrize("vector", [np.ones(3, np.float32), np.full(DIMENSION, np.nan, np.float32)])
def test_a_question_of_another_shape_or_not_finite_is_refused(index: VectorIndex, vector: FloatArray) -> None:
    with pytest.raises(BadEmbeddingError):
        index.nearest(vector, ANYONE, 1)


@pytest.mark.parametrize(
    "bad", [vector_of("a", 3), np.zeros(DIMENSION, np.float32), np.full(DIMENSION, np.inf, np.float32)]
)
def test_a_bad_vector_is_refused_and_nothing_of_its_batch_is_kept(index: VectorIndex, bad: FloatArray) -> None:
    index.apply([entry(1, "a"), entry(2, "b")], {}, 2)
    with pytest.raises(BadEmbeddingError):
        index.put({**computed("a"), text_hash_of("b", {}): bad})
    assert index.pending_count() == 2
    assert seqs_near(index, "a") == []


# ---------------------------------------------------------------- hide, drop, wipe


def test_a_hidden_record_leaves_and_comes_back_without_being_embedded_again(index: VectorIndex) -> None:
    index.apply([entry(1, "a"), entry(2, "b")], {}, 2)
    index.put(computed("a", "b"))
    index.apply([], {1: False}, 3)
    assert seqs_near(index, "a") == [2]
    assert index.embeddings([1])[0] == ()
    index.apply([], {1: True}, 4)
    assert seqs_near(index, "a") == [1, 2]
    assert (index.pending_count(), index.applied_seq()) == (0, 4)


def test_a_record_hidden_while_it_waits_is_not_embedded_for_and_waits_again_when_shown(index: VectorIndex) -> None:
    index.apply([entry(1, "a")], {}, 1)
    index.apply([], {1: False}, 2)
    assert index.pending_count() == 0
    index.apply([], {1: True}, 3)
    assert waiting(index) == [1]


def test_a_record_dropped_while_its_vector_is_computed_does_not_come_back(index: VectorIndex) -> None:
    index.apply([entry(1, "a")], {}, 1)
    index.drop([1, 99])
    index.put(computed("a"))
    assert seqs_near(index, "a") == []
    index.apply([entry(2, "a")], {}, 2)
    assert waiting(index) == [2]


def test_the_vector_of_a_text_stays_until_its_last_owner_is_dropped(index: VectorIndex) -> None:
    index.apply([entry(1, "a"), entry(2, "a")], {}, 2)
    index.put(computed("a"))
    index.drop([1])
    assert seqs_near(index, "a") == [2]
    index.drop([2])
    index.apply([entry(3, "a")], {}, 3)
    assert waiting(index) == [3]


@pytest.mark.parametrize("hidden_before", [False, True])
def test_no_byte_of_a_dropped_vector_or_hash_stays_in_the_file(tmp_path: Path, hidden_before: bool) -> None:
    dimension = 384
    index = opened(tmp_path, dimension=dimension)
    texts = [f"t{number}" for number in range(300)]
    index.apply([entry(seq, text) for seq, text in enumerate(texts, start=1)], {}, 300)
    index.put(computed(*texts, dimension=dimension))
    dropped = list(range(1, 41))
    if hidden_before:
        index.apply([], dict.fromkeys(dropped, False), 301)
    index.drop(dropped)
    index._database.checkpoint()
    held = (tmp_path / "vectors.db").read_bytes()

    def found(text: str) -> bool:
        row = pack_rows(vector_of(text, dimension)[np.newaxis])
        return any(row[start : start + 32] in held for start in range(0, dimension, 32))

    assert found(texts[50])  # the search itself works
    assert not any(found(text) for text in texts[:40])
    assert bytes.fromhex(text_hash_of(texts[50], {})) in held
    assert not any(bytes.fromhex(text_hash_of(text, {})) in held for text in texts[:40])
    index.close()


def test_a_rebuild_embeds_nothing_twice_and_answers_as_before(index: VectorIndex) -> None:
    entries = [entry(seq, f"t{seq}", (ADA, BOB)[seq % 2]) for seq in range(1, 21)]
    index.apply(entries, {}, 20)
    index.put(computed(*(f"t{seq}" for seq in range(1, 16))))
    before, waited = index.nearest(vector_of("q"), ANYONE, 30), index.pending(30)
    index.wipe()
    assert (index.applied_seq(), index.pending_count(), index.nearest(vector_of("q"), ANYONE, 30)) == (0, 0, ())
    for one in entries:
        index.apply([one], {}, one.record.seq)
    assert index.nearest(vector_of("q"), ANYONE, 30) == before
    assert index.pending(30) == waited


def test_a_record_removed_between_a_wipe_and_its_return_leaves_no_vector(index: VectorIndex) -> None:
    index.apply([entry(1, "a")], {}, 1)
    index.put(computed("a"))
    index.wipe()
    index.drop([1])
    index.apply([entry(2, "a")], {}, 2)
    assert waiting(index) == [2]


def test_everything_is_still_there_after_closing_and_opening(tmp_path: Path) -> None:
    index = opened(tmp_path)
    index.apply([entry(1, "a"), entry(2, "b")], {}, 2)
    index.put(computed("a"))
    index.close()
    again = opened(tmp_path)
    assert (again.applied_seq(), waiting(again), seqs_near(again, "a")) == (2, [2], [1])
    again.close()


# ---------------------------------------------------------------- the order of the backlog


def test_the_newest_record_waits_first_and_a_wanted_source_before_all(index: VectorIndex) -> None:
    index.apply([entry(1, "a", source_id=PAPER), entry(2, "b", source_id=THESIS), entry(3, "c")], {}, 3)
    assert waiting(index) == [3, 2, 1]
    index.prioritise(THESIS)
    assert waiting(index) == [2, 3, 1]
    index.prioritise(PAPER)
    assert waiting(index) == [1, 2, 3]
    index.apply([entry(4, "d", source_id=PAPER), entry(5, "e")], {}, 5)
    assert waiting(index) == [4, 1, 2, 5, 3]


def test_a_source_may_be_wanted_before_its_first_record_arrives(index: VectorIndex) -> None:
    index.prioritise(PAPER)
    index.apply([entry(1, "a", source_id=PAPER), entry(2, "b")], {}, 2)
    assert waiting(index) == [1, 2]


def test_pending_returns_at_most_as_many_texts_as_asked(index: VectorIndex) -> None:
    index.apply([entry(seq, f"t{seq // 3}") for seq in range(1, 31)], {}, 30)
    assert [seq for seq, _ in index.pending(3)] == [30, 29, 26]


def test_a_text_that_failed_three_times_no_longer_waits_and_says_why(index: VectorIndex) -> None:
    index.apply([entry(1, "a"), entry(2, "b")], {}, 2)
    bad = text_hash_of("a", {})
    for attempt in range(3):
        assert (1 in waiting(index), attempt) == (True, attempt)
        index.note_failures({bad: "not finite"})
    assert waiting(index) == [2]
    assert index.failures() == ((1, "not finite"),)
    assert index.pending_count() == 2  # coverage still counts it
    index.apply([entry(3, "a")], {}, 3)
    assert waiting(index) == [2]  # the same text would fail again
    index.retry_failures()
    assert (waiting(index), index.failures()) == ([3, 2], ())
    index.put(computed("a"))
    assert seqs_near(index, "a") == [1, 3]
