"""Rows of ``vectors.db`` in, an in-memory sketch of them out that answers large stores fast. Nothing is written here.

The sketch keeps the signs of each vector (48 bytes instead of 1,536) with its namespace and source. It proposes
records; the index rescores them with their exact vectors from the file.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing.vector_tables import VectorTable
from trisynapse_memory.scoring.vectors import hamming_candidates, packed_bits
from trisynapse_memory.sqlite import Connection

IntArray = NDArray[np.int64]

_READ_ROWS = 4096  # vectors in memory at a time while the sketch is built (6 MB)
_CHANGE_LIMIT = 4096  # changed records remembered at least, before reading all anew is the better way

_ROWS = (
    "SELECT o.seq, o.namespace, o.source, e.vector FROM {rows} JOIN embeddings e ON e.text = o.text AND e.model = ? "
    "WHERE o.visible ORDER BY o.seq"
)
_ALL_ROWS = _ROWS.format(rows="owners o")
_SOME_ROWS = _ROWS.format(rows="json_each(?) asked JOIN owners o ON o.seq = asked.value")


@dataclass(frozen=True, slots=True)
class SignView:
    """The sketch at one revision of the file; replaced as a whole, so readers need no lock.

    ``seqs``, ``namespaces`` and ``sources`` are ``(n,) int64``, ``bits`` is ``(n, words) uint64``, in the same order.
    """

    revision: int
    table: VectorTable
    seqs: IntArray
    namespaces: IntArray
    sources: IntArray
    bits: NDArray[np.uint64]

    def candidates(
        self,
        vector: FloatArray,
        count: int,
        *,
        namespaces: Sequence[int] | None = None,
        sources: Sequence[int] | None = None,
        as_of_seq: int | None = None,
    ) -> list[int]:
        """Propose the records whose signs agree best with a ``(d,)`` vector; filters (None: all) precede the cut."""
        kept = np.ones(len(self.seqs), dtype=np.bool_)
        if namespaces is not None:
            kept &= np.isin(self.namespaces, namespaces)
        if sources is not None:
            kept &= np.isin(self.sources, sources)
        if as_of_seq is not None:
            kept &= self.seqs <= as_of_seq
        whole = bool(kept.all())
        seqs, bits = (self.seqs, self.bits) if whole else (self.seqs[kept], self.bits[kept])
        query = packed_bits(vector[np.newaxis, :].astype(np.float32))[0]
        found: list[int] = seqs[hamming_candidates(query, bits, count)].tolist()
        return found

    def refreshed(self, connection: Connection, touched: set[int], revision: int) -> SignView:
        """Return the sketch with these records read anew: changed, added or gone."""
        kept = ~np.isin(self.seqs, np.fromiter(touched, dtype=np.int64, count=len(touched)))
        fresh = _read(connection, self.table, revision, sorted(touched))
        return SignView(
            revision,
            self.table,
            np.concatenate((self.seqs[kept], fresh.seqs)),
            np.concatenate((self.namespaces[kept], fresh.namespaces)),
            np.concatenate((self.sources[kept], fresh.sources)),
            np.concatenate((self.bits[kept], fresh.bits)),
        )


class LiveView:
    """Keeps one ``SignView`` in step with the file: built by the first question, then fed only with what changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._view: SignView | None = None
        self._followed = False  # from the first question on, so that nothing is missed while the sketch is built
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

    def current(self, connection: Connection, table: VectorTable, revision: int) -> SignView:
        """Return the sketch at this revision, the one the connection's transaction sees, or at a later one."""
        with self._lock:
            self._followed = True
            view = self._view
            changes = dict(self._changes)
        if view is None or view.table != table:
            return self._publish(_read(connection, table, revision))
        if view.revision >= revision:
            return view
        missed = range(view.revision + 1, revision + 1)
        if not all(number in changes for number in missed):
            return self._publish(_read(connection, table, revision))
        touched = set[int]().union(*(changes[number] for number in missed))
        return self._publish(view.refreshed(connection, touched, revision))

    def _publish(self, view: SignView) -> SignView:
        with self._lock:
            if self._view is None or self._view.table != view.table or self._view.revision < view.revision:
                self._view = view
                self._changes = {number: seqs for number, seqs in self._changes.items() if number > view.revision}
        return view


def _read(connection: Connection, table: VectorTable, revision: int, seqs: Sequence[int] | None = None) -> SignView:
    if seqs is None:
        rows = connection.execute(_ALL_ROWS, (table.model,))
    else:
        rows = connection.execute(_SOME_ROWS, (json.dumps(seqs), table.model))
    places: list[tuple[int, int, int]] = []
    words = -(-table.dimension // 64)
    blocks: list[NDArray[np.uint64]] = [np.empty((0, words), dtype=np.uint64)]
    block: list[bytes] = []
    for seq, namespace, source, vector in rows:
        places.append((seq, namespace, source))
        block.append(vector)
        if len(block) == _READ_ROWS:
            blocks.append(_signs(block, table.dimension))
            block.clear()
    blocks.append(_signs(block, table.dimension))
    columns: IntArray = np.array(places, dtype=np.int64).reshape(-1, 3).T
    return SignView(revision, table, columns[0], columns[1], columns[2], np.concatenate(blocks))


def _signs(block: Sequence[bytes], dimension: int) -> NDArray[np.uint64]:
    return packed_bits(np.frombuffer(b"".join(block), dtype=np.float32).reshape(-1, dimension))
