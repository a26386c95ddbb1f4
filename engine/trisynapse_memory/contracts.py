"""One Protocol per kind of branch, and the reader shapes the corridors hand in; no implementation lives here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.types import (
    Alias,
    Candidate,
    Claim,
    Edge,
    Heading,
    Listing,
    Node,
    Page,
    Passage,
    Proposal,
    QueryPlan,
    QueryTerm,
    Record,
    Scope,
    Section,
    Summary,
    Support,
    Terms,
)

FloatArray = NDArray[np.float32]
"""Embeddings: ``(n, d) float32``, rows of unit length."""

Refer = Callable[[Support, str], str]
"""The words of a footnote: for one place in a source, on the page of this entity, source or collection."""


class Document(Protocol):
    """A file a loader has opened inside a worker; it is read page by page and closed."""

    heading: Heading

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` (1-based) and the following ones, each with the sections no chunk may cross."""
        ...

    def members(self) -> Iterator[Listing]:
        """Yield the members of a container file (bookmarks); nothing for every other file."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


@runtime_checkable
class Loader(Protocol):
    """Reads one family of files.

    ``__init__`` takes nothing and imports nothing heavy. ``suits`` judges by content first, name second, on the first
    64 KiB, and never raises. ``open`` raises a ``SourceError`` that says what is wrong with this file; it runs inside a
    worker that may be killed at any moment. A page that cannot be read is yielded with its verdict, never raised.
    """

    name: str
    version: int
    modality: str

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is that the file is its own, in [0, 1]; 0 is no."""
        ...

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> Document:
        """Open a file for reading; ``filename`` is what it is called where ``path`` is only a hash."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. ``model_id`` names model and precision, and is stored beside each vector."""

    model_id: str
    dimension: int
    max_tokens: int

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return ``(len(texts), dimension) float32`` unit rows, in the order of the texts. No text gives ``(0, d)``."""
        ...

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Return how many wordpieces each text has for this model, special tokens included."""
        ...


class TokenCounter(Protocol):
    """Counts the wordpieces a text costs the embedder; chunking needs nothing else of it."""

    def __call__(self, texts: Sequence[str]) -> Sequence[int]:
        """Return one count per text, in order."""
        ...


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

    def frequencies(self, keys: Sequence[str], scope: Scope) -> dict[str, int]:
        """Return in how many visible records each term occurs."""
        ...

    def record_count(self, scope: Scope) -> int:
        """Return how many visible records the scope holds."""
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

    def similarities(self, vector: FloatArray, seqs: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each of these records that is embedded."""
        ...

    def pending_count(self) -> int:
        """Return how many visible records are not embedded yet."""
        ...


class Route(Protocol):
    """One way to propose candidates for a planned question; reads only, never calls another stage."""

    name: str

    def candidates(self, plan: QueryPlan, scope: Scope) -> tuple[Candidate, ...]:
        """Return candidates by descending positive score; empty when this route has nothing to say."""
        ...


class RecordReader(Protocol):
    """Reads records of the log by position; grounding needs nothing else of it."""

    def by_seqs(self, seqs: Sequence[int]) -> tuple[Record, ...]:
        """Return the records at these positions that are still there, in the order asked."""
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


@runtime_checkable
class Extractor(Protocol):
    """Reads passages and proposes facts. Runs inside a worker; ``version`` changes when its proposals would.

    ``__init__`` loads nothing. A passage that cannot be read proposes nothing; nothing is raised for
    what a text says.
    """

    name: str
    version: int

    def extract(self, passages: Sequence[Passage]) -> tuple[Proposal, ...]:
        """Return the facts that these passages say, in their order."""
        ...


class ClaimReader(Protocol):
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


class GraphReader(Protocol):
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


@runtime_checkable
class Completer(Protocol):
    """A language model that answers a prompt. ``provider`` and ``model`` are stored with everything it wrote.

    ``max_tokens`` is its whole window, the prompt and the reply together. ``is_remote`` tells whether a prompt leaves
    this machine; what is marked sensitive then never reaches it.
    """

    provider: str
    model: str
    max_tokens: int
    is_remote: bool

    def complete(self, prompt: str, schema: Mapping[str, object], max_output_tokens: int) -> str:
        """Return the reply as it came, also when it is not what the schema asks for; the caller reads it with care.

        Args:
            prompt: the whole prompt, instructions and evidence.
            schema: JSON Schema of the reply; a provider that can hold a model to one does.
            max_output_tokens: the longest reply, in tokens, > 0; a longer one may be cut off.

        Raises:
            ProviderError: the model could not be asked, or did not answer.
        """
        ...
