"""Records in, summaries of their groups out (``SummaryReader``); tables ``summaries_*`` of ``index.db``.

A commit only notes which groups it touches; ``pipelines.digests`` makes their summaries later, through ``upkeep``. Till
then the old one is read as stale, without the sentences whose records are hidden.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Entry, FloatArray
from trisynapse_memory.indexing import summary_bodies as bodies
from trisynapse_memory.indexing import summary_leads
from trisynapse_memory.indexing import summary_tables as tables
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.indexing.summary_upkeep import SummaryUpkeep
from trisynapse_memory.scoring.patterns import shown_patterns
from trisynapse_memory.text.tokens import TOKENIZER_VERSION
from trisynapse_memory.types import QueryTerm, Record, Scope, Summary

NAME = "summaries"
_SHOWN = hashlib.sha256("\n".join(shown_patterns()).encode()).hexdigest()
# Other patterns shown make other groups, and another tokenizer other terms: then the tables are filled anew.
FORM = f"bodies-1 {TOKENIZER_VERSION} {_SHOWN[:12]}"


class SummaryIndex:
    """The group summaries of a vault: an ``Index`` for the projector, a ``SummaryReader`` for routes and panes.

    Args:
        place: ``index.db``, or the database already open on it.
        config: ``bm25_k1`` and ``bm25_b`` are read.

    ``upkeep`` is what the summary job reads and writes of it.
    """

    name = NAME
    takes_all_facts = True

    def __init__(self, place: Path | IndexDatabase, config: Config) -> None:
        self._owns_database = not isinstance(place, IndexDatabase)
        self._database = place if isinstance(place, IndexDatabase) else IndexDatabase(place)
        self._config = config
        self._database.install(NAME, FORM, tables.SCHEMA)
        self.upkeep = SummaryUpkeep(self._database)

    # ------------------------------------------------------------ Index

    def applied_seq(self) -> int:
        """Return the log position this index has reached."""
        return self._database.applied_seq(NAME)

    def apply(
        self,
        entries: Sequence[Entry],
        visibility: Mapping[int, bool],
        through_seq: int,
        events: Sequence[Record] = (),
    ) -> None:
        """Note the groups of new records, and which groups changed, up to ``through_seq``, in one transaction."""
        with self._database.write() as connection:
            touched: set[int] = set()
            arrivals = {entry.record.seq: entry for entry in entries}
            for record in sorted([*(entry.record for entry in entries), *events], key=lambda one: one.seq):
                if record.seq in arrivals:
                    visible = arrivals[record.seq].visible
                    touched |= tables.add_record(connection, record, visible=visible)
                else:
                    touched |= tables.add_event(connection, record)
            touched |= tables.show_records(connection, dict(visibility.items()))
            tables.mark(connection, touched)
            self._database.advance(connection, NAME, through_seq)

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase these records and every summary made with them, also from the freed pages and the write-ahead log."""
        if not seqs:
            return
        with self._database.write() as connection:
            tables.erase_records(connection, seqs)
        self._database.checkpoint()

    def wipe(self) -> None:
        """Empty the index and go back to position 0."""
        with self._database.write() as connection:
            tables.wipe(connection)
            self._database.advance(connection, NAME, 0)

    def close(self) -> None:
        """Close the file, unless it was handed in open."""
        if self._owns_database:
            self._database.close()

    # ------------------------------------------------------------ SummaryReader

    def get(self, group_id: str, scope: Scope = Scope()) -> Summary | None:  # noqa: B008 - frozen
        """Return the summary of one group, stale or not, or None where nothing of it may be shown.

        ``group_id`` is ``source:<id>``, ``collection:<name>``, ``chat:<group id>`` or ``concept:<entity key>``.
        """
        with self._database.read() as connection:
            return bodies.read_group(connection, group_id, bodies.window_of(connection, scope))

    def list(self, scope: Scope, limit: int = 100) -> tuple[Summary, ...]:
        """Return summaries, those of the newest records first."""
        with self._database.read() as connection:
            return bodies.list_groups(connection, bodies.window_of(connection, scope), limit)

    def members(self, group_id: str, scope: Scope, limit: int = 100) -> tuple[int, ...]:
        """Return the log positions of the first visible records that a source, chat or concept rests on."""
        with self._database.read() as connection:
            return bodies.members(connection, group_id, bodies.window_of(connection, scope), limit)

    def search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> tuple[tuple[str, float], ...]:
        """Return (group id, BM25 score) of the summaries that hold these words, best first."""
        with self._database.read() as connection:
            window = bodies.window_of(connection, scope)
            k1, b = self._config.bm25_k1, self._config.bm25_b
            return bodies.search(connection, terms, window, limit, k1, b)

    def nearest(self, vector: FloatArray, model: str, scope: Scope, limit: int) -> tuple[tuple[str, float], ...]:
        """Return (group id, cosine) of the summaries nearest to a ``(d,)`` unit vector of this model, best first."""
        with self._database.read() as connection:
            return bodies.nearest(connection, vector, model, bodies.window_of(connection, scope), limit)

    def leads(self, group_ids: Sequence[str], seqs: Sequence[int], scope: Scope) -> dict[str, tuple[int, ...]]:
        """Return for each group the visible records its summary cites, and those of ``seqs`` that belong to it."""
        with self._database.read() as connection:
            return summary_leads.leads(connection, group_ids, seqs, bodies.window_of(connection, scope))
