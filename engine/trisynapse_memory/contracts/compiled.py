"""The shapes in which compiled knowledge is read: claims, the record graph, group summaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from trisynapse_memory.types import (
    Alias,
    Beside,
    Candidate,
    Claim,
    Edge,
    Node,
    QueryTerm,
    Scope,
    Statement,
    Summary,
    Support,
    Tie,
    TitleLink,
)

Refer = Callable[[Support, str], str]
"""The words of a footnote: for one place in a source, on the page of this entity, source or collection."""


class StatementReader(Protocol):
    """Reads what facts say, without compiling their claims."""

    def statements_about(self, keys: Sequence[str], scope: Scope) -> tuple[Statement, ...]:
        """Return what visible facts state about entity keys, the newest of each, in log order, with their evidence."""
        ...


class ClaimReader(StatementReader, Protocol):
    """Reads compiled claims. Confidence is computed when read, from the clock the index was given."""

    def list(
        self, scope: Scope, *, status: str = "", about: str = "", shown: bool | None = None, limit: int = 100
    ) -> tuple[Claim, ...]:
        """Return claims, the best supported first; ``about`` is an entity by any of its names."""
        ...

    def get(self, claim_id: str, scope: Scope) -> Claim | None:
        """Return one claim with all its sides, or None."""
        ...

    def of_records(self, seqs: Sequence[int], scope: Scope) -> tuple[Claim, ...]:
        """Return the claims that rest on any of these evidence records (raw sources or facts)."""
        ...

    def of_source(
        self, source_id: str, scope: Scope, *, shown: bool | None = None, limit: int = 100
    ) -> tuple[Claim, ...]:
        """Return the claims that rest on a source, contested ones first."""
        ...

    def entities(self, scope: Scope, prefix: str = "", limit: int = 100) -> tuple[Node, ...]:
        """Return entities that shown claims are about, the most connected first, each with its aliases."""
        ...

    def aliases(self, scope: Scope) -> tuple[Alias, ...]:
        """Return all merged names, found or said."""
        ...


class LinkReader(Protocol):
    """Reads what stands beside a record, and which sources a text names."""

    def beside(self, seqs: Sequence[int], scope: Scope) -> dict[int, Beside]:
        """Return which records stand before and after each of these in their conversation or document."""
        ...

    def named_titles(self, texts: Mapping[int, str], scope: Scope) -> tuple[TitleLink, ...]:
        """Return the sources in scope whose titles these texts (by log position) name, but for their own."""
        ...

    def entrances(self, source_ids: Sequence[str], scope: Scope, known: Sequence[int]) -> dict[str, tuple[int, ...]]:
        """Return for each source its first record in scope and those of the known ones that belong to it."""
        ...


class TieReader(Protocol):
    """Reads the record graph as numbers, for walks over hundreds of nodes."""

    def ties(self, nodes: Sequence[int], scope: Scope) -> tuple[Tie, ...]:
        """Return the ties out of records and entities to what a search in this scope may show, and to entities."""
        ...

    def importance_at(self, entities: Sequence[int]) -> dict[int, float]:
        """Return the cached PageRank of entities by number, scaled to [0, 1]; unknown ones are left out."""
        ...


class GraphReader(LinkReader, TieReader, Protocol):
    """Reads the record graph; every call loads only what it touches."""

    def neighbours(self, seqs: Sequence[int], scope: Scope, *, limit: int = 15) -> tuple[Edge, ...]:
        """Return the edges out of these records (node ids ``record:<seq>``), strongest first, ``limit`` a record."""
        ...

    def mentions(self, names: Sequence[str], scope: Scope, limit: int) -> dict[str, tuple[int, ...]]:
        """Return for each entity name the records that mention it, newest first."""
        ...

    def importance(self, nodes: Sequence[str]) -> dict[str, float]:
        """Return the cached PageRank of entity keys, scaled to [0, 1] by the largest; 0 for an unknown one."""
        ...


class DescriptionReader(Protocol):
    """Reads what models have described of pages without text; visibility is asked of the log."""

    def search(self, terms: Sequence[QueryTerm], scope: Scope) -> tuple[Candidate, ...]:
        """Return every description in scope that holds any of these words, best first, ties in log order."""
        ...

    def settled(self, source_id: str, provider: str, model: str) -> set[int]:
        """Return the pages of a source that this model need not look at (any more)."""
        ...


class SummaryReader(Protocol):
    """Reads group summaries."""

    def get(self, group_id: str) -> Summary | None:
        """Return the summary of one group, stale or not, or None."""
        ...

    def list(self, scope: Scope, limit: int = 100) -> tuple[Summary, ...]:
        """Return summaries, newest first."""
        ...

    def search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> tuple[tuple[str, float], ...]:
        """Return (group id, BM25 score) of the summaries that hold these words, best first."""
        ...

    def leads(self, group_ids: Sequence[str], seqs: Sequence[int], scope: Scope) -> dict[str, tuple[int, ...]]:
        """Return for each group the visible records its summary cites, and those of ``seqs`` that belong to it."""
        ...
