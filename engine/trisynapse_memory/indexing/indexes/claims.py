"""Facts of the log in, compiled claims out (``ClaimReader``): what sources say, who agrees, who disputes, what changed.

Compiled incrementally: a fact touches one bucket (``indexing.claim_facts``), whose sums (``indexing.claim_tables``) are
judged again by ``indexing.claim_rules``. No text is understood here, and no model is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Entry
from trisynapse_memory.indexing import claim_leads, claim_merges, claim_tables, claim_terms, claim_voices, claim_writing
from trisynapse_memory.indexing.claim_entities import list_aliases, list_entities
from trisynapse_memory.indexing.claim_views import ClaimView, VisibleAsOf
from trisynapse_memory.indexing.claim_writing import ClaimWriter
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.scoring.patterns import PATTERNS
from trisynapse_memory.scoring.relations import RELATIONS
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Alias, Claim, Node, Record, Scope, Statement

NAME: Final = "claims"
_SCHEMA: Final = "".join(one.SCHEMA for one in (claim_terms, claim_voices, claim_tables, claim_merges, claim_writing))


def _form() -> str:
    """What is stored depends on the two tables that judge facts: a change of either compiles everything again."""
    shown = sorted(row.pattern for row in PATTERNS.values() if row.shown)
    text = repr((shown, sorted(RELATIONS.items())))
    return f"claims-2 {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _utc_now() -> datetime:
    return datetime.now(UTC)


class ClaimIndex:
    """The claims of a vault: an ``Index`` for the projector, a ``ClaimReader`` for everybody else.

    Args:
        place: ``index.db``, or the database already open on it.
        config: the engine's numbers; claims have none of their own yet.
        clock: the moment recency is counted from when a claim is read.
        visible_as_of: which of some positions answers would have seen when the log ended at another; without it a
            reader of an earlier moment sees those facts of that time which are visible now.
    """

    name = NAME
    takes_all_facts = True

    def __init__(
        self,
        place: Path | IndexDatabase,
        config: Config,
        clock: Callable[[], datetime] = _utc_now,
        visible_as_of: VisibleAsOf | None = None,
    ) -> None:
        self._owns_database = not isinstance(place, IndexDatabase)
        self._database = place if isinstance(place, IndexDatabase) else IndexDatabase(place)
        self._config = config
        self._clock = clock
        self._visible_as_of = visible_as_of
        self._database.install(NAME, _form(), _SCHEMA)

    # ------------------------------------------------------------ the index

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
        """Take in new evidence, changed visibility and her words, up to ``through_seq``, in one transaction.

        Only the claims that this touches are compiled again. A record that is there already is only shown or hidden.
        """
        with self._writing() as (connection, writer):
            writer.add([(entry.record, entry.visible) for entry in entries])
            writer.show(visibility)
            writer.note(events)
            self._database.advance(connection, NAME, through_seq)

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase these records and every fact that rests on them, also from freed pages and the write-ahead log."""
        if not seqs:
            return
        with self._writing() as (_, writer):
            writer.drop(seqs)
        # Overwriting freed cells is not enough: rows that grew were moved, and a page keeps what they moved from.
        self._database.compact()

    def wipe(self) -> None:
        """Empty the index and go back to position 0."""
        with self._database.write() as connection:
            tables = connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'claims!_%' ESCAPE '!'"
            ).fetchall()
            for (table,) in tables:
                connection.execute(f'DELETE FROM "{table}"')
            self._database.advance(connection, NAME, 0)

    def close(self) -> None:
        """Close the file, unless it was handed in open: then whoever opened it closes it."""
        if self._owns_database:
            self._database.close()

    # ------------------------------------------------------------ the reader

    def list(
        self, scope: Scope, *, status: str = "", about: str = "", shown: bool | None = None, limit: int = 100
    ) -> tuple[Claim, ...]:
        """Return claims, the best supported first; ``about`` is an entity by any of its names.

        Best supported: by the number of groups that say so (up to four), then of facts, then their mean confidence.
        """
        with self._reading(scope) as view:
            return tuple(view.build(one) for one in view.find(status=status, about=about, shown=shown, limit=limit))

    def get(self, claim_id: str, scope: Scope) -> Claim | None:
        """Return one claim with all its sides, or None."""
        with self._reading(scope) as view:
            found = view.find_one(claim_id)
            return None if found is None else view.build(found)

    def of_records(self, seqs: Sequence[int], scope: Scope) -> tuple[Claim, ...]:
        """Return the claims that rest on any of these evidence records (raw sources or facts)."""
        with self._reading(scope) as view:
            return tuple(view.build(one) for one in view.find_resting_on(seqs))

    def of_source(
        self, source_id: str, scope: Scope, *, shown: bool | None = None, limit: int = 100
    ) -> tuple[Claim, ...]:
        """Return the claims that rest on a source, contested ones first."""
        with self._reading(scope) as view:
            return tuple(view.build(one) for one in view.find_of_source(source_id, shown, limit))

    def entities(self, scope: Scope, prefix: str = "", limit: int = 100) -> tuple[Node, ...]:
        """Return entities that shown claims are about, the most connected first, each with its aliases."""
        with self._database.read() as connection:
            return list_entities(connection, self._view(connection, scope), prefix, limit)

    def aliases(self, scope: Scope) -> tuple[Alias, ...]:
        """Return all merged names, found or said."""
        with self._database.read() as connection:
            return list_aliases(connection, self._view(connection, scope), scope)

    def statements_about(self, keys: Sequence[str], scope: Scope) -> tuple[Statement, ...]:
        """Return what visible facts state about entity keys, the newest of each, in log order, with their evidence."""
        with self._database.read() as connection:
            return claim_leads.statements_about(connection, keys, scope)

    # ------------------------------------------------------------ inside

    @contextmanager
    def _writing(self) -> Generator[tuple[Connection, ClaimWriter]]:
        with self._database.write() as connection:
            writer = ClaimWriter(connection)
            yield connection, writer
            writer.finish()

    @contextmanager
    def _reading(self, scope: Scope) -> Generator[ClaimView]:
        with self._database.read() as connection:
            yield self._view(connection, scope)

    def _view(self, connection: Connection, scope: Scope) -> ClaimView:
        return ClaimView(connection, scope, self._clock(), self._visible_as_of)
