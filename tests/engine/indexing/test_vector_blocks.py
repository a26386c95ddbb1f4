"""The only copy of the vectors: what is stored comes back, freed rows are used again, and no byte of them stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trisynapse_memory.indexing import vector_blocks as blocks
from trisynapse_memory.indexing.vector_blocks import BLOCK_ROWS
from trisynapse_memory.sqlite import Connection, Database

DIMENSION = 6
MODEL = 1


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    database = Database(tmp_path / "vectors.db", blocks.SCHEMA)
    with database.write() as connection:
        yield connection
    database.close()


def drawn(count: int, seed: int = 1) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Vectors that come back as they are to the last bit: whole numbers, the first of them the largest there is."""
    rows = np.random.default_rng(seed).integers(-127, 128, size=(count, DIMENSION))
    rows[:, 0] = 127
    return rows.astype(np.float32)


def stored(connection: Connection, vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> list[int]:
    return blocks.store(connection, MODEL, vectors)


def numbers(connection: Connection, sql: str) -> list[int]:
    return [number for (number,) in connection.execute(sql).fetchall()]


def test_vectors_come_back_in_any_order_and_as_often_as_asked(connection: Connection) -> None:
    vectors = drawn(2 * BLOCK_ROWS + 3)
    slots = stored(connection, vectors)
    assert slots == list(range(BLOCK_ROWS, 3 * BLOCK_ROWS + 3))  # blocks count from 1
    asked = [slots[12], slots[0], slots[12], slots[18]]
    assert (blocks.load(connection, asked, DIMENSION) == vectors[[12, 0, 12, 18]]).all()
    assert blocks.load(connection, [], DIMENSION).shape == (0, DIMENSION)


def test_products_are_those_of_the_rows_asked_for(connection: Connection) -> None:
    vectors, query = drawn(300), drawn(1, seed=2)[0]
    slots = np.array(stored(connection, vectors), dtype=np.int64)
    chosen = np.array([299, 0, 17, 17, 130])
    found = blocks.products(connection, slots[chosen], query)
    assert found == pytest.approx(vectors[chosen] @ query, rel=1e-6)
    assert blocks.products(connection, slots[:0], query).shape == (0,)


def test_a_slot_whose_block_is_gone_never_ranks(connection: Connection) -> None:
    slots = stored(connection, drawn(BLOCK_ROWS + 1))
    blocks.erase(connection, slots[-1], DIMENSION)
    found = blocks.products(connection, np.array([slots[-1], slots[0]], dtype=np.int64), drawn(1)[0])
    assert found[0] == -np.inf
    assert np.isfinite(found[1])
    assert (blocks.products(connection, np.array([9999], dtype=np.int64), drawn(1)[0]) == -np.inf).all()


def test_a_freed_row_is_blank_and_the_next_one_to_be_used(connection: Connection) -> None:
    vectors = drawn(BLOCK_ROWS)
    slots = stored(connection, vectors)
    blocks.erase(connection, slots[5], DIMENSION)
    assert (blocks.load(connection, [slots[5]], DIMENSION) == 0).all()
    assert (blocks.load(connection, [slots[4], slots[6]], DIMENSION) == vectors[[4, 6]]).all()
    again = drawn(2, seed=3)
    assert stored(connection, again) == [slots[5], 2 * BLOCK_ROWS]
    assert (blocks.load(connection, [slots[5]], DIMENSION)[0] == again[0]).all()


def test_a_block_of_gaps_only_is_deleted_with_them(connection: Connection) -> None:
    slots = stored(connection, drawn(2 * BLOCK_ROWS))
    for slot in slots[:BLOCK_ROWS]:
        blocks.erase(connection, slot, DIMENSION)
    assert numbers(connection, "SELECT id FROM blocks") == [2]
    assert numbers(connection, "SELECT count(*) FROM gaps") == [0]


def test_models_of_different_length_share_the_file_but_no_block(connection: Connection) -> None:
    short = stored(connection, drawn(3))
    long = np.ones((3, 2 * DIMENSION), dtype=np.float32)
    slots = blocks.store(connection, 2, long)
    assert {slot // BLOCK_ROWS for slot in slots}.isdisjoint({slot // BLOCK_ROWS for slot in short})
    assert stored(connection, drawn(1, seed=5)) == [short[-1] + 1]
    assert (blocks.load(connection, slots, 2 * DIMENSION) == 1).all()


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(st.one_of(st.integers(1, 40), st.integers(-40, -1)), min_size=1, max_size=12))
def test_any_history_of_storing_and_freeing_keeps_every_vector(steps: list[int]) -> None:
    with TemporaryDirectory() as folder, closing(Database(Path(folder) / "v.db", blocks.SCHEMA)) as database:
        keep_and_free(database, steps)


def keep_and_free(database: Database, steps: list[int]) -> None:
    held: dict[int, np.ndarray[tuple[int], np.dtype[np.float32]]] = {}
    with database.write() as connection:
        for seed, step in enumerate(steps):
            if step > 0:
                vectors = drawn(step, seed)
                slots = stored(connection, vectors)
                assert held.keys().isdisjoint(slots)
                held.update(zip(slots, vectors, strict=True))
            for slot in sorted(held)[: max(0, -step)]:
                blocks.erase(connection, slot, DIMENSION)
                del held[slot]
        found = blocks.load(connection, list(held), DIMENSION)
        assert all((row == held[slot]).all() for row, slot in zip(found, held, strict=True))
        block_count = numbers(connection, "SELECT count(*) FROM blocks")[0]
        gaps = numbers(connection, "SELECT slot FROM gaps")
        assert held.keys().isdisjoint(gaps)
        assert len(held) + len(gaps) == block_count * BLOCK_ROWS
