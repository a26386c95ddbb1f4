"""Vectors of one model in, the slots they lie in out, and back again: the only copy of every vector (``vectors.db``).

A block is one blob of 10 rows (``vector_rows.py``), which at 384 dimensions fills a page of the file: 410 bytes a
vector on disk. Slot ``s`` is row ``s % 10`` of block ``s // 10``. Rows that hold nothing are zeros and stand in
``gaps``; they are used again before a block is added, and a block of gaps only is deleted.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing.vector_rows import multiply_rows, pack_rows, row_bytes, unpack_rows
from trisynapse_memory.sqlite import Connection

# As many as one page holds at 384 dimensions; 11 would take a second one, and a rescoring reads rows that lie anywhere.
BLOCK_ROWS: Final = 10
SCAN_BLOCKS: Final = 32  # multiplied at a time: 124 KB; half and twice as many took a quarter longer

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS blocks (id INTEGER PRIMARY KEY, model INTEGER NOT NULL, vectors BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS gaps (
    model INTEGER NOT NULL, slot INTEGER NOT NULL, PRIMARY KEY (model, slot)
) WITHOUT ROWID;
"""


def store(connection: Connection, model: int, vectors: FloatArray) -> list[int]:
    """Write ``(n, d) float32`` vectors into free rows; return their slots in the same order."""
    dimension = vectors.shape[1]
    slots = _free_slots(connection, model, dimension, len(vectors))
    connection.executemany("DELETE FROM gaps WHERE model = ? AND slot = ?", [(model, slot) for slot in slots])
    packed, width = pack_rows(vectors), row_bytes(dimension)
    placed = [(slot, packed[place * width : (place + 1) * width]) for place, slot in enumerate(slots)]
    for block, rows in itertools.groupby(placed, key=lambda pair: pair[0] // BLOCK_ROWS):
        _write(connection, block, dimension, {slot % BLOCK_ROWS: vector for slot, vector in rows})
    return slots


def erase(connection: Connection, slot: int, dimension: int) -> None:
    """Blank one vector and free its slot: a text can be guessed from its vector, so no byte of it may stay."""
    block, row = divmod(slot, BLOCK_ROWS)
    _write(connection, block, dimension, {row: bytes(row_bytes(dimension))})
    connection.execute("INSERT INTO gaps (model, slot) SELECT model, ? FROM blocks WHERE id = ?", (slot, block))
    bounds = (block, block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS)
    inside = "model = (SELECT model FROM blocks WHERE id = ?) AND slot >= ? AND slot < ?"
    counted = connection.execute(f"SELECT count(*) FROM gaps WHERE {inside}", bounds).fetchone()
    if counted is not None and counted[0] == BLOCK_ROWS:
        connection.execute(f"DELETE FROM gaps WHERE {inside}", bounds)
        connection.execute("DELETE FROM blocks WHERE id = ?", (block,))


def load(connection: Connection, slots: Sequence[int] | NDArray[np.int64], dimension: int) -> FloatArray:
    """Read the vectors in these slots: ``(n, d) float32`` in the same order. Each block is read once."""
    wanted = np.asarray(slots, dtype=np.int64)
    order = np.argsort(wanted, kind="stable")
    of_row, inside = np.divmod(wanted[order], BLOCK_ROWS)
    members = itertools.groupby(zip(of_row.tolist(), inside.tolist(), strict=True), key=lambda pair: pair[0])
    width = row_bytes(dimension)
    parts: list[bytes] = []
    for (_, vectors), (_, places) in zip(_read(connection, np.unique(of_row)), members, strict=True):
        parts.extend(vectors[place * width : (place + 1) * width] for _, place in places)
    found = np.empty((len(wanted), dimension), dtype=np.float32)
    found[order] = unpack_rows(b"".join(parts), dimension)
    return found


def products(connection: Connection, slots: NDArray[np.int64], query: FloatArray) -> NDArray[np.float32]:
    """Multiply the vectors in these slots with a ``(d,) float32`` one: ``(n,)`` in single precision.

    Whole blocks are multiplied, one stretch after the other, so memory stays the same however many there are. A slot
    whose block is gone gets minus infinity.
    """
    of_row, inside = np.divmod(slots, BLOCK_ROWS)
    stored = _read(connection, np.unique(of_row))
    blocks: list[int] = []
    parts: list[NDArray[np.float32]] = []
    while stretch := list(itertools.islice(stored, SCAN_BLOCKS)):
        blocks.extend(block for block, _ in stretch)
        parts.append(multiply_rows(b"".join(vectors for _, vectors in stretch), query))
    if not blocks:
        return np.full(len(slots), -np.inf, dtype=np.float32)
    numbers = np.array(blocks, dtype=np.int64)
    places = np.minimum(np.searchsorted(numbers, of_row), len(numbers) - 1)
    found = np.concatenate(parts)[places * BLOCK_ROWS + inside]
    return np.where(numbers[places] == of_row, found, np.float32(-np.inf))


def _free_slots(connection: Connection, model: int, dimension: int, count: int) -> list[int]:
    """Return the lowest free slots of a model, ascending; blocks are added where there are too few."""
    sql = "SELECT slot FROM gaps WHERE model = ? ORDER BY slot LIMIT ?"
    missing = count - len(connection.execute(sql, (model, count)).fetchall())
    for _ in range(-(-missing // BLOCK_ROWS)):
        empty = bytes(BLOCK_ROWS * row_bytes(dimension))
        connection.execute("INSERT INTO blocks (model, vectors) VALUES (?, ?)", (model, empty))
        first = connection.last_insert_rowid() * BLOCK_ROWS
        added = [(model, first + row) for row in range(BLOCK_ROWS)]
        connection.executemany("INSERT INTO gaps (model, slot) VALUES (?, ?)", added)
    return [slot for (slot,) in connection.execute(sql, (model, count))]


def _write(connection: Connection, block: int, dimension: int, rows: dict[int, bytes]) -> None:
    row = connection.execute("SELECT vectors FROM blocks WHERE id = ?", (block,)).fetchone()
    assert row is not None  # a slot is only handed out with its block
    width = row_bytes(dimension)
    changed = bytearray(row[0])
    for place, vector in rows.items():
        changed[place * width : (place + 1) * width] = vector
    # A blob of the same length is written over in place, and only the pages that differ.
    connection.execute("UPDATE blocks SET vectors = ? WHERE id = ?", (bytes(changed), block))


def _read(connection: Connection, blocks: NDArray[np.int64]) -> Iterator[tuple[int, bytes]]:
    """Yield blocks in the given order."""
    sql = "SELECT b.id, b.vectors FROM json_each(?) asked CROSS JOIN blocks b ON b.id = asked.value"
    return ((block, vectors) for block, vectors in connection.execute(sql, (json.dumps(blocks.tolist()),)))
