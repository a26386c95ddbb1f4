"""Records in, the record graph out (``GraphReader``); tables ``graph_*`` of ``index.db``. Nothing is embedded here.

Rows hold what each record names, is about, rests on and where it stands; edges are worked out when they are read, so
the graph is the same however its records came, were hidden and shown. Two things are filled in later by idle work:
``similar_to`` (``pipelines.similarity``) and the importance of entities (``pipelines.consolidation``), both through
``upkeep``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Entry
from trisynapse_memory.indexing import graph_edges, graph_links, graph_ranks, graph_similarity, graph_ties, graph_titles
from trisynapse_memory.indexing import graph_tables as tables
from trisynapse_memory.indexing.graph_upkeep import GraphUpkeep
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.text.entities import entity_key
from trisynapse_memory.types import Beside, Edge, Record, Scope, Tie, TitleLink

NAME = "graph"
FORM = "rows-2"  # another one where a record would give other rows


class GraphIndex:
    """The record graph of a vault: an ``Index`` for the projector, a ``GraphReader`` for routes and panes.

    Args:
        place: ``index.db``, or the database already open on it.
        config: for the registry's sake; the graph has no settings of its own.

    ``upkeep`` is what idle work reads and writes of it.
    """

    name = NAME
    takes_all_facts = True

    def __init__(self, place: Path | IndexDatabase, config: Config) -> None:
        del config
        self._owns_database = not isinstance(place, IndexDatabase)
        self._database = place if isinstance(place, IndexDatabase) else IndexDatabase(place)
        self._database.install(NAME, FORM, tables.SCHEMA + graph_similarity.SCHEMA + graph_titles.SCHEMA)
        self.upkeep = GraphUpkeep(self._database)

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
        """Take in new records, titles and changed visibility, up to ``through_seq``, in one transaction."""
        with self._database.write() as connection:
            shown = dict(visibility.items())
            changed = False
            for entry in entries:
                if tables.add_record(connection, entry.record, visible=entry.visible):
                    changed = True
                else:
                    shown.setdefault(entry.record.seq, entry.visible)
            for event in events:
                tables.add_title(connection, event)
            if tables.show_records(connection, shown) or changed:
                tables.note_change(connection)
            self._database.advance(connection, NAME, through_seq)

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase these records, also from the freed pages and the write-ahead log."""
        if not seqs:
            return
        with self._database.write() as connection:
            tables.erase_records(connection, seqs)
            tables.note_change(connection)
        self._database.checkpoint()

    def wipe(self) -> None:
        """Empty the graph and go back to position 0."""
        with self._database.write() as connection:
            tables.wipe(connection)
            self._database.advance(connection, NAME, 0)

    def close(self) -> None:
        """Close the file, unless it was handed in open."""
        if self._owns_database:
            self._database.close()

    # ------------------------------------------------------------ GraphReader

    def neighbours(self, seqs: Sequence[int], scope: Scope, *, limit: int = 15) -> tuple[Edge, ...]:
        """Return the edges out of these records (node ids ``record:<seq>``), strongest first, ``limit`` a record.

        Targets are ``record:<seq>``, ``entity:<key>`` or ``source:<id>``; weights lie in (0, 1]. A record that is
        hidden or out of scope has no edges, and none leads to it.
        """
        with self._database.read() as connection:
            return graph_edges.edges_out(connection, seqs, graph_edges.bounds_of(connection, scope), limit)

    def mentions(self, names: Sequence[str], scope: Scope, limit: int) -> dict[str, tuple[int, ...]]:
        """Return for each entity name the records that mention it, newest first, at most ``limit`` each.

        A fact's subject and object count as mentioned by the evidence the fact rests on.
        """
        with self._database.read() as connection:
            bounds = graph_edges.bounds_of(connection, scope)
            return {name: graph_edges.mentioning(connection, entity_key(name), bounds, limit) for name in names}

    def importance(self, nodes: Sequence[str]) -> dict[str, float]:
        """Return the cached PageRank of entity keys, scaled to [0, 1] by the largest; 0 for an unknown one."""
        with self._database.read() as connection:
            return graph_ranks.importance_of(connection, nodes)

    def activity(self, nodes: Sequence[str]) -> dict[str, float]:
        """Return how lately entities were named, in [0, 1]: a ranking prior, 0 for a dormant or unknown one."""
        head = self.applied_seq()
        with self._database.read() as connection:
            return graph_ranks.activity_of(connection, nodes, head)

    # ------------------------------------------------------------ TieReader

    def ties(self, nodes: Sequence[int], scope: Scope) -> tuple[Tie, ...]:
        """Return the ties out of records and entities to what a search in this scope may show, and to entities."""
        with self._database.read() as connection:
            return graph_ties.ties_out(connection, nodes, graph_edges.bounds_of(connection, scope))

    def importance_at(self, entities: Sequence[int]) -> dict[int, float]:
        """Return the cached PageRank of entities by number, scaled to [0, 1]; unknown ones are left out."""
        with self._database.read() as connection:
            return graph_ties.importance_at(connection, entities)

    # ------------------------------------------------------------ LinkReader

    def beside(self, seqs: Sequence[int], scope: Scope) -> dict[int, Beside]:
        """Return which records stand before and after each of these in their conversation or document."""
        with self._database.read() as connection:
            return graph_links.beside(connection, seqs, graph_edges.bounds_of(connection, scope))

    def named_titles(self, texts: Mapping[int, str], scope: Scope) -> tuple[TitleLink, ...]:
        """Return the sources in scope whose titles these texts (by log position) name, but for their own."""
        with self._database.read() as connection:
            bounds = graph_edges.bounds_of(connection, scope)
            found = tuple(graph_titles.named_titles(connection, texts))
            return graph_links.in_scope(connection, found, bounds)

    def entrances(self, source_ids: Sequence[str], scope: Scope, known: Sequence[int]) -> dict[str, tuple[int, ...]]:
        """Return for each source its first record in scope and those of the known ones that belong to it."""
        with self._database.read() as connection:
            return graph_links.entrances(connection, source_ids, graph_edges.bounds_of(connection, scope), known)
