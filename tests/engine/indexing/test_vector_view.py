"""The rows a search keeps in memory: what their signs find, and that they follow every write."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trisynapse_memory.indexing.indexes.vector import VectorIndex
from trisynapse_memory.indexing.vector_tables import text_hash_of
from trisynapse_memory.indexing.vector_view import RowView
from trisynapse_memory.scoring.vectors import cosine
from vector_cases import ANYONE, computed, entry, kept, opened, seqs_near


def test_beyond_the_exact_limit_the_nearest_ten_are_kept(tmp_path: Path) -> None:
    count, dimension = 12_000, 384
    generator = np.random.default_rng(7)
    centres = generator.normal(size=(300, dimension))
    drawn = centres[generator.integers(0, 300, count)] + generator.normal(size=(count, dimension)) * 0.6
    vectors = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    index = opened(tmp_path, dimension=dimension, exact_limit=1000)
    for start in range(0, count, 4000):
        batch = range(start, start + 4000)
        index.apply([entry(number + 1, f"t{number}") for number in batch], {}, start + 4000)
        index.put({text_hash_of(f"t{number}", {}): vectors[number] for number in batch})
    vectors, hits = kept(vectors), 0
    questions = range(0, count, 600)
    for number in questions:
        noisy = vectors[number] + generator.normal(size=dimension) * 0.02
        query = (noisy / np.linalg.norm(noisy)).astype(np.float32)
        exact = np.argsort(-cosine(query, vectors))[:10] + 1
        found = [one.seq for one in index.nearest(query, ANYONE, 200)][:10]
        hits += len(set(exact.tolist()) & set(found))
    assert hits / (10 * len(questions)) >= 0.99
    index.close()


def test_the_view_is_fed_with_changes_and_not_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = opened(tmp_path, exact_limit=0)
    index.apply([entry(seq, f"t{seq}") for seq in range(1, 50)], {}, 49)
    index.put(computed(*(f"t{seq}" for seq in range(1, 50))))
    index.warm()
    refreshed: list[set[int]] = []
    original = RowView.refreshed

    def spy(view: RowView, connection: Any, touched: set[int], revision: int) -> RowView:
        refreshed.append(set(touched))
        return original(view, connection, touched, revision)

    monkeypatch.setattr(RowView, "refreshed", spy)
    index.apply([entry(50, "t50")], {3: False}, 50)
    index.put(computed("t50"))
    index.drop([4])
    assert set(seqs_near(index, "t50")) == set(range(1, 51)) - {3, 4}
    assert seqs_near(index, "t50", limit=1) == [50]
    assert refreshed == [{3, 4, 50}]
    index.close()


def test_a_question_that_began_before_a_write_reads_its_own_rows(tmp_path: Path) -> None:
    index = opened(tmp_path)
    index.apply([entry(1, "a"), entry(2, "b")], {}, 2)
    index.put(computed("a", "b"))
    with index._database.read():
        assert seqs_near(index, "a") == [1, 2]
        writer = threading.Thread(target=replace_all, args=(index,))
        writer.start()
        writer.join()
        assert seqs_near(index, "a") == [1, 2]
    assert seqs_near(index, "a") == [3]
    index.close()


def replace_all(index: VectorIndex) -> None:
    """The freed rows hold another text afterwards, and a third thread has asked about it."""
    index.drop([1, 2])
    index.apply([entry(3, "c")], {}, 3)
    index.put(computed("c"))
    asking = threading.Thread(target=seqs_near, args=(index, "c"))
    asking.start()
    asking.join()


def test_a_view_gets_its_signs_when_the_store_outgrows_the_exact_search(tmp_path: Path) -> None:
    index = opened(tmp_path, exact_limit=3)
    index.apply([entry(seq, f"t{seq}") for seq in range(1, 6)], {}, 5)
    index.put(computed("t1", "t2", "t3"))
    assert sorted(seqs_near(index, "t1")) == [1, 2, 3]
    index.put(computed("t4"))
    assert sorted(seqs_near(index, "t1")) == [1, 2, 3, 4]
    index.put(computed("t5"))
    assert sorted(seqs_near(index, "t5")) == [1, 2, 3, 4, 5]
    assert seqs_near(index, "t5", limit=1) == [5]
    index.close()


def test_a_write_that_is_rolled_back_does_not_reach_the_view(tmp_path: Path) -> None:
    index = opened(tmp_path, exact_limit=0)
    index.apply([entry(1, "a"), entry(2, "b")], {}, 2)
    index.put(computed("a", "b"))
    index.warm()

    def drop_and_fail() -> None:
        with index._database.write():
            index.drop([1])
            raise InterruptedError

    with pytest.raises(InterruptedError):
        drop_and_fail()
    assert seqs_near(index, "a") == [1, 2]
    index.drop([2])
    assert seqs_near(index, "a") == [1]
    index.close()


@pytest.mark.parametrize("exact_limit", [1000, 0])
def test_questions_beside_writes_see_whole_states(tmp_path: Path, exact_limit: int) -> None:
    index = opened(tmp_path, exact_limit=exact_limit)
    index.apply([entry(1, "a"), entry(2, "a")], {}, 2)
    index.put(computed("a"))
    stop, seen, errors = threading.Event(), set[tuple[int, ...]](), list[Exception]()

    def ask() -> None:
        try:
            while not stop.is_set():
                seen.add(tuple(seqs_near(index, "a")))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for turn in range(40):
        index.apply([], {1: bool(turn % 2), 2: bool(turn % 2)}, 3 + turn)
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert seen <= {(), (1, 2)}
    index.close()
