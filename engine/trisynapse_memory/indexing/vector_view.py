"""Rows of ``vectors.db`` in, what a search has to know of each of them in memory out. Nothing is written here.

Of each record that can be found the view keeps its namespace, its source and the slot of its vector (32 bytes); of a
large store also the signs of the vector (48 bytes instead of 1,536). Signs propose records; the index rescores them
with their exact vectors from the file.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing import vector_blocks as blocks
from trisynapse_memory.indexing.vector_tables import VectorTable
from trisynapse_memory.scoring.vectors import hamming_candidates, packed_bits
from trisynapse_memory.sqlite import Connection

IntArray: TypeAlias = NDArray[np.int64]
BitArray: TypeAlias = NDArray[np.uint64]

_READ_ROWS = 4096  # vectors in memory at a time while the signs are read (6 MB)
_CHANGE_LIMIT = 4096  # changed records remembered at least, before reading all anew is the better way

_ROWS = (
    "SELECT o.seq, o.namespace, o.source, s.slot FROM {rows} JOIN slots s ON s.text = o.text AND s.model = ? "
    "WHERE o.visible ORDER BY o.seq"
)
_ALL_ROWS = _ROWS.format(rows="owners o")
_SOME_ROWS = _ROWS.format(rows="json_each(?) asked JOIN owners o ON o.seq = asked.value")


@dataclass(frozen=True, slots=True)
class RowView:
    """The rows at one revision of the file; replaced as a whole, so readers need no lock.

    ``seqs``, ``namespaces``, ``sources`` and ``slots`` are ``(n,) int64``; ``bits`` is ``(n, words) uint64``, in the
    same order, or None where no signs are kept.
    """

    revision: int
    table: VectorTable
    seqs: IntArray
    namespaces: IntArray
    sources: IntArray
    slots: IntArray
    bits: BitArray | None

    @property
    def order(self) -> tuple[int, bool]:
        """Which of two views of one table is the one to keep: the later one, and of one revision that with signs."""
        return (self.revision, self.bits is not None)

    def within(
        self,
        namespaces: Sequence[int] | None = None,
        sources: Sequence[int] | None = None,
        as_of_seq: int | None = None,
    ) -> RowView:
        """Return the rows that pass all filters; None filters nothing."""
        kept = np.ones(len(self.seqs), dtype=np.bool_)
        if namespaces is not None:
            kept &= np.isin(self.namespaces, namespaces)
        if sources is not None:
            kept &= np.isin(self.sources, sources)
        if as_of_seq is not None:
            kept &= self.seqs <= as_of_seq
        return self if bool(kept.all()) else self._taken(kept)

    def candidates(self, vector: FloatArray, count: int) -> list[int]:
        """Propose the records whose signs agree best with a ``(d,)`` vector; the view must keep signs."""
        if self.bits is None:
            raise ValueError("This view keeps no signs.")
        query = packed_bits(vector[np.newaxis, :].astype(np.float32))[0]
        found: list[int] = self.seqs[hamming_candidates(query, self.bits, count)].tolist()
        return found

    def refreshed(self, connection: Connection, touched: set[int], revision: int) -> RowView:
        """Return the view with these records read anew: changed, added or gone."""
        kept = self._taken(~np.isin(self.seqs, np.fromiter(touched, dtype=np.int64, count=len(touched))))
        signed = self.bits is not None
        fresh = _read(connection, self.table, revision, sorted(touched), signed=signed)
        return RowView(
            revision,
            self.table,
            np.concatenate((kept.seqs, fresh.seqs)),
            np.concatenate((kept.namespaces, fresh.namespaces)),
            np.concatenate((kept.sources, fresh.sources)),
            np.concatenate((kept.slots, fresh.slots)),
            None if kept.bits is None or fresh.bits is None else np.concatenate((kept.bits, fresh.bits)),
        )

    def _taken(self, kept: NDArray[np.bool_]) -> RowView:
        return RowView(
            self.revision,
            self.table,
            self.seqs[kept],
            self.namespaces[kept],
            self.sources[kept],
            self.slots[kept],
            None if self.bits is None else self.bits[kept],
        )


class LiveView:
    """Keeps one ``RowView`` in step with the file: built by the first question, then fed only with what changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._view: RowView | None = None
        self._followed = False  # from the first question on, so that nothing is missed while the view is built
        self._changes: dict[int, frozenset[int]] = {}

    def note(self, revision: int, touched: frozenset[int]) -> None:
        """Remember what a write changed; called inside its transaction, so no committed revision is ever missing.

        Records of a write that is rolled back do no harm: they are only read anew.
        """
        with self._lock:
            if not self._followed:
                return
            self._changes[revision] = self._changes.get(revision, frozenset()) | touched
            # An import that nobody asks about meanwhile: reading all is then cheaper than a long list of changes.
            size = 0 if self._view is None else len(self._view.seqs)
            if sum(map(len, self._changes.values())) > max(size, _CHANGE_LIMIT):
                self._view = None
                self._followed = False
                self._changes.clear()

    def current(self, connection: Connection, table: VectorTable, revision: int, *, signed: bool) -> RowView:
        """Return the view at this revision, the one the connection's transaction sees.

        Args:
            connection: inside a transaction.
            table: whose vectors.
            revision: of the file, as this transaction sees it.
            signed: the signs are needed.
        """
        with self._lock:
            self._followed = True
            view = self._view
            changes = dict(self._changes)
        if view is None or view.table != table or (signed and view.bits is None):
            return self._publish(_read(connection, table, revision, signed=signed))
        if view.revision == revision:
            return view
        missed = range(view.revision + 1, revision + 1)
        # A later view names slots that may hold another text here: a question that began before reads its own rows.
        if view.revision > revision or not all(number in changes for number in missed):
            return self._publish(_read(connection, table, revision, signed=signed))
        touched = set[int]().union(*(changes[number] for number in missed))
        return self._publish(view.refreshed(connection, touched, revision))

    def _publish(self, view: RowView) -> RowView:
        with self._lock:
            held = self._view
            if held is None or held.table != view.table or held.order < view.order:
                self._view = view
                self._changes = {number: seqs for number, seqs in self._changes.items() if number > view.revision}
        return view


def _read(
    connection: Connection, table: VectorTable, revision: int, seqs: Sequence[int] | None = None, *, signed: bool
) -> RowView:
    if seqs is None:
        rows = connection.execute(_ALL_ROWS, (table.model,))
    else:
        rows = connection.execute(_SOME_ROWS, (json.dumps(seqs), table.model))
    columns: IntArray = np.array(rows.fetchall(), dtype=np.int64).reshape(-1, 4).T.copy()
    bits = _signs(connection, table, columns[3]) if signed else None
    return RowView(revision, table, columns[0], columns[1], columns[2], columns[3], bits)


def _signs(connection: Connection, table: VectorTable, slots: IntArray) -> BitArray:
    def parts() -> Iterator[BitArray]:
        yield np.empty((0, -(-table.dimension // 64)), dtype=np.uint64)
        for start in range(0, len(slots), _READ_ROWS):
            yield packed_bits(blocks.load(connection, slots[start : start + _READ_ROWS], table.dimension))

    return np.concatenate(list(parts()))
