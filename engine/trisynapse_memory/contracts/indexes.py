"""The projections of the log, and the shapes in which a corridor reads and fills them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from trisynapse_memory.contracts.models import FloatArray
from trisynapse_memory.types import (
    Candidate,
    Kind,
    Matches,
    QueryPlan,
    QueryTerm,
    Record,
    Scope,
    TermHolders,
    Terms,
)


class Entry(Protocol):
    """One record as an index receives it: the record, its index terms, and whether answers may see it now."""

    @property
    def record(self) -> Record:
        """The record."""
        ...

    @property
    def terms(self) -> Terms:
        """Its index terms."""
        ...

    @property
    def visible(self) -> bool:
        """Whether answers may see it now."""
        ...


@runtime_checkable
class Index(Protocol):
    """A projection of the log.

    ``apply`` runs in one transaction of the index's own file and moves ``applied_seq`` to ``through_seq`` in the same
    transaction. Applying one record at a time or all at once gives the same answers. ``wipe`` empties the index and
    sets ``applied_seq`` to 0. ``drop`` erases every byte of the given records.
    ``takes_all_facts`` is False for an index of words or directions, which leads to searchable records only.
    """

    name: str
    takes_all_facts: bool

    def applied_seq(self) -> int:
        """Return the log position this index has reached."""
        ...

    def apply(
        self,
        entries: Sequence[Entry],
        visibility: Mapping[int, bool],
        through_seq: int,
        events: Sequence[Record] = (),
    ) -> None:
        """Take in new evidence (in log order) and the changed visibility of older one, up to ``through_seq``.

        ``events`` are the other new records but pages: sources, completions, extractions, curation, conversation.
        """
        ...

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase these records, whether or not they are there."""
        ...

    def wipe(self) -> None:
        """Empty the index."""
        ...

    def close(self) -> None:
        """Close the files of this thread and all others."""
        ...


class RecordReader(Protocol):
    """Reads records of the log by position; grounding needs nothing else of it."""

    def by_seqs(self, seqs: Sequence[int]) -> tuple[Record, ...]:
        """Return the records at these positions that are still there, in the order asked."""
        ...


class PageReader(RecordReader, Protocol):
    """Reads the pages of a source as well."""

    def page(self, source_id: str, number: int) -> Record | None:
        """Return the latest reading of one page (1-based) of a source, or None."""
        ...

    def count_of_source(self, source_id: str, kind: Kind) -> int:
        """Return how many records of one kind a source has."""
        ...


class LexicalReader(Protocol):
    """Finds records by their words."""

    def search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> tuple[Candidate, ...]:
        """Return the best ``limit`` records by BM25 (score > 0), best first, ties in log order."""
        ...

    def phrase(self, terms: Sequence[str], scope: Scope, limit: int) -> tuple[Candidate, ...]:
        """Return records that hold the exact forms next to each other in this order; score is the number of times."""
        ...

    def holders(self, key: str, scope: Scope, limit: int) -> tuple[int, ...]:
        """Return the log positions of up to ``limit`` visible records that hold this very term, in log order."""
        ...

    def matching(self, words: Sequence[Sequence[str]], scope: Scope) -> Matches:
        """Count all visible records that hold every word, by any of the keys given for it."""
        ...

    def frequencies(self, keys: Sequence[str], scope: Scope) -> dict[str, int]:
        """Return in how many visible records each term occurs."""
        ...

    def record_count(self, scope: Scope) -> int:
        """Return how many visible records the scope holds."""
        ...

    def holders_among(self, keys: Sequence[str], seqs: Sequence[int], scope: Scope) -> TermHolders:
        """Return which of these records hold which of these terms, and how rare the terms are in the scope."""
        ...


class LexicalStore(LexicalReader, Protocol):
    """A lexical index as the engine keeps it in shape."""

    def merge(self, budget_ms: float) -> bool:
        """Merge segments for about so long; tell whether nothing is left to merge."""
        ...


class VectorReader(Protocol):
    """Finds records by the direction of their embedding."""

    @property
    def serving_model(self) -> str:
        """The model whose vectors answer now: the one a question must be embedded with."""
        ...

    def nearest(self, vector: FloatArray, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        """Return the ``limit`` visible records with the highest cosine to a ``(d,)`` unit vector, best first.

        Scope is applied before the cut, so a crowded namespace never starves another.
        """
        ...

    def embeddings(self, seqs: Sequence[int]) -> tuple[tuple[int, ...], FloatArray]:
        """Return those of these records that are visible and embedded, and their unit vectors ``(n, d)``."""
        ...

    def pending_count(self, *, serving: bool = False) -> int:
        """Return how many visible records are not embedded yet by the wanted model, or by the one that answers now."""
        ...


class VectorStore(VectorReader, Protocol):
    """A vector index as the backlog fills it."""

    @property
    def dimension(self) -> int:
        """How long a vector is."""
        ...

    def pending(self, limit: int) -> tuple[tuple[int, str], ...]:
        """Return (log position, text hash) of up to ``limit`` texts that wait, most wanted first."""
        ...

    def put(self, vectors: Mapping[str, FloatArray]) -> None:
        """Keep vectors by text hash; every record that owns such a text is found by meaning from now on."""
        ...

    def note_failures(self, reasons: Mapping[str, str]) -> None:
        """Count one failed attempt for these texts; after three they no longer wait."""
        ...

    def switch(self) -> bool:
        """Answer with the wanted model from now on, if its set is whole; tell whether it did."""
        ...

    def record_count(self) -> int:
        """Return how many visible records the index knows, embedded or not."""
        ...

    def prioritise(self, source_id: str) -> None:
        """Let this source's texts wait less: she has just dropped or opened it."""
        ...

    def retry_failures(self) -> None:
        """Let texts that failed before wait again."""
        ...

    def warm(self) -> None:
        """Read what a large store keeps in memory, so that the first question does not wait for it."""
        ...


class Route(Protocol):
    """One way to propose candidates for a planned question; reads only, never calls another stage."""

    name: str

    def candidates(self, plan: QueryPlan, scope: Scope) -> tuple[Candidate, ...]:
        """Return candidates by descending positive score; empty when this route has nothing to say."""
        ...


@runtime_checkable
class ComparingRoute(Route, Protocol):
    """A route that can judge any record, not only those it proposes."""

    def compare(
        self,
        plan: QueryPlan,
        seqs: Sequence[int],
        examples: Sequence[int] = (),
        together: Mapping[int, Mapping[int, float]] | None = None,
    ) -> dict[int, float]:
        """Return the score of each of these records that it can judge, as of ``candidates``.

        Args:
            plan: the question.
            seqs: log positions.
            examples: records that probably answer; the question is moved towards them.
            together: for some of the records, others that they are read with, each with its share (their own is 1).
        """
        ...


class FollowRoute(Protocol):
    """One way from what was found to what is linked with it; reads only, never calls another stage."""

    name: str

    def candidates(self, plan: QueryPlan, scope: Scope, seeds: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return what the seeds (best first, scores in [0, 1]) lead to, by descending score in (0, 1].

        A record may be among the seeds itself; its score says how strongly others lead to it.
        """
        ...
