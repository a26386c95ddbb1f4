"""Records whose vector is there in, ``similar_to`` links out, a few at a time and in log order. Nothing is embedded.

All state lies in the graph's queue: a process that dies loses the record in hand and nothing else.
"""

from __future__ import annotations

from typing import Final

from trisynapse_memory.contracts import FloatArray, VectorReader
from trisynapse_memory.indexing.graph_similarity import SIMILAR_COUNT, SIMILAR_LEAST, Waiting
from trisynapse_memory.indexing.graph_upkeep import GraphUpkeep
from trisynapse_memory.indexing.graph_vectors import StoredVectors
from trisynapse_memory.types import Candidate, Namespace, Scope

STEP_RECORDS: Final = 8  # at 100,000 vectors a search takes 15 ms
LATER_COUNT: Final = 64  # first look at later records; doubled until the farthest found is not similar any more

_EVERYONE: Final = Namespace(project_id=None)


class Similarity:
    """Links every visible record to its at most five nearest earlier records (cosine >= 0.58).

    The links are those that a rebuild gives, whatever the order in which vectors came and records were hidden: the
    queue is worked off in log order up to the first record that still waits for its vector.

    Args:
        graph: keeps queue and links.
        vectors: finds the nearest; it must have read the log at least as far as the graph.
        stored: gives a record's own vector.
    """

    def __init__(self, graph: GraphUpkeep, vectors: VectorReader, stored: StoredVectors) -> None:
        self._graph = graph
        self._vectors = vectors
        self._stored = stored
        graph.unmute()

    def pending(self) -> int:
        """Return how many records wait for their links, also those that wait for their vector first."""
        return self._graph.unlinked_count()

    def step(self) -> int:
        """Link up to ``STEP_RECORDS`` records; return how many. 0 means that nothing can be done before new vectors.

        Raises:
            VaultError: the index could not be written.
        """
        self._graph.use_model(self._vectors.serving_model)
        waiting = self._graph.unlinked(STEP_RECORDS)
        vectors = self._stored.of([one.seq for one, _ in waiting])
        done = 0
        for one, namespace in waiting:
            vector = vectors.get(one.seq)
            if vector is None and self._stored.awaits(one.seq):
                break
            if vector is None:
                self._graph.mute([one.seq])
            elif not self._link(one, namespace, vector):
                break  # graph and vectors are at different positions of the log; the next step sees both
            done += 1
        return done

    def _link(self, one: Waiting, namespace: Namespace, vector: FloatArray) -> bool:
        scope = Scope(namespace=namespace, as_of_seq=one.seq - 1)
        nearest = self._vectors.nearest(vector, scope, SIMILAR_COUNT)
        found = {candidate.seq: candidate.score for candidate in nearest if candidate.score >= SIMILAR_LEAST}
        later = self._later(one.seq, namespace, vector) if one.again else {}
        return self._graph.link(one, found, later)

    def _later(self, seq: int, namespace: Namespace, vector: FloatArray) -> dict[int, float]:
        """Later records that are similar to this one and may see it."""
        limit = LATER_COUNT
        nearest: tuple[Candidate, ...] = ()
        while True:
            nearest = self._vectors.nearest(vector, Scope(namespace=_EVERYONE), limit)
            if len(nearest) < limit or nearest[-1].score < SIMILAR_LEAST:
                break
            limit *= 2
        found = {one.seq: one.score for one in nearest if one.seq > seq and one.score >= SIMILAR_LEAST - 1e-4}
        readers = self._graph.namespaces_of(list(found))
        return {later: cosine for later, cosine in found.items() if later in readers and readers[later].sees(namespace)}
