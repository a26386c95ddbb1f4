"""What idle work reads and writes of the record graph: similar records, importance, duplicate entities, disputes.

Every method is one short transaction. What to link and how to rank is the pipelines' business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing import graph_ranks, graph_similarity
from trisynapse_memory.indexing import graph_tables as tables
from trisynapse_memory.indexing.graph_ranks import Mention, Twins
from trisynapse_memory.indexing.graph_similarity import Waiting
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.types import Namespace


class GraphUpkeep:
    """The graph as the background keeps it.

    Args:
        database: ``index.db`` with the graph's tables in it.
    """

    def __init__(self, database: IndexDatabase) -> None:
        self._database = database

    # ------------------------------------------------------------ similar records

    def unlinked(self, limit: int) -> tuple[tuple[Waiting, Namespace], ...]:
        """Return the first records, in log order, whose similar ones are not known yet, with their namespaces."""
        with self._database.read() as connection:
            known = tables.namespaces(connection)
            return tuple((one, known[one.namespace]) for one in graph_similarity.waiting(connection, limit))

    def unlinked_count(self) -> int:
        """Return how many records wait for their similar ones."""
        with self._database.read() as connection:
            return graph_similarity.waiting_count(connection)

    def link(self, one: Waiting, found: Mapping[int, float], later: Mapping[int, float]) -> bool:
        """Store a record's similar ones (seq -> cosine); False when the graph has changed meanwhile: ask again."""
        with self._database.write() as connection:
            return graph_similarity.link(connection, one, found, later)

    def namespaces_of(self, seqs: Sequence[int]) -> dict[int, Namespace]:
        """Return the namespace of each of these visible records."""
        with self._database.read() as connection:
            known = tables.namespaces(connection)
            return {seq: known[number] for seq, number in graph_similarity.namespace_numbers(connection, seqs)}

    def mute(self, seqs: Sequence[int]) -> None:
        """Set records aside that have no vector and get none."""
        with self._database.write() as connection:
            graph_similarity.mute(connection, seqs)

    def unmute(self) -> None:
        """Let records that were set aside wait again."""
        with self._database.write() as connection:
            graph_similarity.unmute(connection)

    def use_model(self, model: str) -> None:
        """Say which model's vectors are compared; another one than before links everything anew."""
        with self._database.read() as connection:
            if tables.state_of(connection, "model") == model:
                return
        with self._database.write() as connection:
            tables.set_state(connection, "model", model)
            graph_similarity.restart(connection)

    # ------------------------------------------------------------ ranks of entities

    def revision(self) -> tuple[int, int]:
        """Return how often the graph has changed, and the change up to which importance is worked out."""
        with self._database.read() as connection:
            found = [int(tables.state_of(connection, name) or 0) for name in ("revision", "ranked")]
        return found[0], found[1]

    def mentions_between(self, after: int, through: int) -> list[Mention]:
        """Return the distinct visible mentions of the records at these positions, in log order."""
        with self._database.read() as connection:
            return graph_ranks.mentions_between(connection, after, through)

    def last_seq(self) -> int:
        """Return the position of the newest record the graph holds."""
        with self._database.read() as connection:
            return graph_ranks.last_seq(connection)

    def entity_keys(self) -> dict[int, str]:
        """Return the key of every entity by number."""
        with self._database.read() as connection:
            return graph_ranks.entity_keys(connection)

    def save_importance(self, importance: Mapping[int, float], ranked: int | None = None) -> None:
        """Keep the importance of entities; with ``ranked``, the last of them for this revision of the graph."""
        with self._database.write() as connection:
            graph_ranks.save_importance(connection, importance)
            if ranked is not None:
                graph_ranks.forget_unmentioned(connection)
                tables.set_state(connection, "ranked", str(ranked))

    # ------------------------------------------------------------ duplicate entities

    def unembedded(self, model: str, limit: int) -> list[tuple[int, str]]:
        """Return (entity, key) of the most important entities whose name has no vector of this model yet."""
        with self._database.read() as connection:
            return graph_ranks.unembedded(connection, model, limit)

    def embedded(self, model: str, dimension: int) -> tuple[list[tuple[int, str]], FloatArray]:
        """Return the entities that have a vector of this model, and the vectors ``(n, d) float32``."""
        with self._database.read() as connection:
            return graph_ranks.embedded(connection, model, dimension)

    def save_names(self, model: str, vectors: Mapping[int, FloatArray], pairs: Mapping[tuple[int, int], float]) -> None:
        """Keep vectors of names with the pairs they form (numbers, the smaller key first -> cosine)."""
        with self._database.write() as connection:
            graph_ranks.save_names(connection, model, vectors)
            graph_ranks.save_twins(connection, pairs)

    def duplicates(self, limit: int = 100) -> tuple[Twins, ...]:
        """Return pairs of entities that may be one, the most alike first; nothing is merged by itself."""
        with self._database.read() as connection:
            return graph_ranks.twins(connection, limit)

    # ------------------------------------------------------------ disputes

    def known_disputes(self) -> frozenset[str]:
        """Return the contested claims that were noted before."""
        with self._database.read() as connection:
            return frozenset(claim_id for (claim_id,) in connection.execute("SELECT claim_id FROM graph_disputes"))

    def note_disputes(self, claim_ids: Sequence[str]) -> None:
        """Note these contested claims and no others, so that only new ones are told next time."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM graph_disputes")
            connection.executemany("INSERT OR IGNORE INTO graph_disputes VALUES (?)", [(one,) for one in claim_ids])
