"""New log records in, every index brought up to the log's head. Nothing is looked for and nothing is appended here."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext

from msgspec import Struct

from trisynapse_memory.contracts import Index
from trisynapse_memory.errors import UnknownBranchError
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.sqlite import Database
from trisynapse_memory.text.terms import terms_of
from trisynapse_memory.types import CITABLE, Kind, Record, Terms, is_searchable

BATCH_RECORDS = 500  # a rebuild commits so often; small enough that a question never waits long for it


class Posting(Struct, frozen=True):
    """One citable record as the indexes receive it."""

    record: Record
    terms: Terms
    visible: bool


class Projector:
    """Keeps all projections of one log at its head.

    Every index says how far it has come, so a crash between the log's commit and an index's commit is mended by the
    next ``catch_up``. It is safe to call from several threads; one does the work.

    Args:
        log: what is projected.
        indexes: who takes it in.
        database: the file that several of them share; they take a batch in together, in one transaction of it, so that
            whoever reads it sees one position of the log.
    """

    def __init__(self, log: MemoryLog, indexes: Sequence[Index], database: Database | None = None) -> None:
        self._log = log
        self._indexes = tuple(indexes)
        self._database = database
        self._lock = threading.Lock()

    def catch_up(self, known_terms: Mapping[int, Terms] | None = None) -> int:
        """Bring every index to the head of the log; return how many records the slowest index was behind.

        Args:
            known_terms: index terms by log position that a worker has already counted; the others are counted here.
        """
        with self._lock:
            behind = 0
            positions = {index.name: index.applied_seq() for index in self._indexes}
            while batch := self._log.after(min(positions.values(), default=0), BATCH_RECORDS):
                behind += len(batch)
                self._apply(batch, positions, known_terms or {})
            return behind

    def rebuild(self, names: Sequence[str] = ()) -> dict[str, int]:
        """Empty the named indexes (all by default) and feed them the whole log; return how far each has come.

        Raises:
            UnknownBranchError: no index has one of the names; nothing was emptied.
        """
        known = [index.name for index in self._indexes]
        for name in names:
            if name not in known:
                raise UnknownBranchError(f"There is no index named '{name}'.", hint=f"Known: {', '.join(known)}.")
        chosen = [index for index in self._indexes if not names or index.name in names]
        with self._lock:
            for index in chosen:
                index.wipe()
        self.catch_up()
        return {index.name: index.applied_seq() for index in chosen}

    def attach(self, index: Index) -> None:
        """Keep one more index at the head of the log, from the next ``catch_up`` on; one of its name is replaced."""
        with self._lock:
            self._indexes = (*(one for one in self._indexes if one.name != index.name), index)

    def detach(self, name: str) -> None:
        """Let an index go; whoever brought it closes it."""
        with self._lock:
            self._indexes = tuple(one for one in self._indexes if one.name != name)

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase every byte of the given records from every index; they have been blanked in the log."""
        with self._lock:
            for index in self._indexes:
                index.drop(seqs)

    def close(self) -> None:
        """Close every index."""
        for index in self._indexes:
            index.close()

    def lag(self) -> dict[str, int]:
        """Return how many records each index is behind the log."""
        head = self._log.head()
        return {index.name: head - index.applied_seq() for index in self._indexes}

    def _apply(self, batch: Sequence[Record], positions: dict[str, int], known: Mapping[int, Terms]) -> None:
        citable = [record for record in batch if record.kind in CITABLE]
        events = [record for record in batch if record.kind not in CITABLE and record.kind is not Kind.PAGE]
        visible = self._log.visible([record.seq for record in citable]) if citable else set[int]()
        changed = self._log.changed_visibility(batch)
        postings = [
            Posting(record, known.get(record.seq) or _terms_of(record), record.seq in visible) for record in citable
        ]
        with self._database.write() if self._database is not None else nullcontext():
            self._hand_out(batch, postings, events, changed, positions)

    def _hand_out(
        self,
        batch: Sequence[Record],
        postings: Sequence[Posting],
        events: Sequence[Record],
        changed: Mapping[int, bool],
        positions: dict[str, int],
    ) -> None:
        through = batch[-1].seq
        for index in self._indexes:
            reached = positions[index.name]
            if reached < through:
                fresh = [
                    posting
                    for posting in postings
                    if posting.record.seq > reached and (index.takes_all_facts or is_searchable(posting.record))
                ]
                older = {
                    seq: seen for seq, seen in changed.items() if seq <= reached or seq < batch[0].seq
                }  # later ones come with their own batch
                index.apply(fresh, older, through, [event for event in events if event.seq > reached])
                positions[index.name] = through


def _terms_of(record: Record) -> Terms:
    return terms_of(record.text, record.fields) if is_searchable(record) else Terms((), (), 0)
