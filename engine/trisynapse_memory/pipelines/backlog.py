"""Records that wait for a vector in, vectors in the index out, batch by batch. No question ever waits for it.

All state lies in the index: a process that dies at any moment loses the batch in hand and nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final

import numpy as np

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import FloatArray, RecordReader, VectorStore
from trisynapse_memory.errors import (
    BadEmbeddingError,
    PromptTooLongError,
    ProviderRefusedError,
    TrisynapseError,
    WorkerDiedError,
)
from trisynapse_memory.indexing.vector_tables import text_hash_of
from trisynapse_memory.types import Record, SourceId, indexed_text

REFUSED_MOST: Final = 8  # texts in a row that a service may refuse one by one
_UNIT_TOLERANCE: Final = 1e-3
_LOGGER = logging.getLogger(__name__)


class EmbeddingBacklog:
    """Embeds what waits, most wanted first, beside everything else the engine does.

    Args:
        index: says what waits and keeps the vectors.
        records: reads the texts from the log.
        embed: turns texts, with the sources they are from, into ``(n, d) float32`` unit rows.
        config: ``embed_batch_count`` texts per step.
        withhold: names those of the given text hashes that must not be embedded, and lets them wait no longer.
    """

    def __init__(
        self,
        index: VectorStore,
        records: RecordReader,
        embed: Callable[[Sequence[str], tuple[SourceId, ...]], FloatArray],
        config: Config,
        withhold: Callable[[Set[str]], Set[str]] = lambda text_hashes: frozenset(),
    ) -> None:
        self._index = index
        self._records = records
        self._embed = embed
        self._batch_count = config.embed_batch_count
        self._withhold = withhold
        # Texts of a batch that failed as a whole: each is tried alone, to find the one that is to blame.
        self._suspects: set[str] = set()
        self._refused_count = 0  # texts that a service would not take, since it last took one

    def pending(self) -> int:
        """Return how many records wait for a vector; 0 where all that is left has failed too often."""
        return self._index.pending_count() if self._index.pending(1) else 0

    def step(self) -> int:
        """Embed one batch and commit it.

        Returns:
            How many texts got their vector; 0 also when a whole batch failed, so ask ``pending`` whether work is left.

        Raises:
            WorkerDiedError: the worker died; the text is blamed when it was alone, the batch is tried singly otherwise.
            ProviderError: the embedder does not work at all, or refuses one text after the other; no text is blamed.
            VaultError: the index could not be written, for example because the disk is full.
        """
        wanted = self._wanted()
        if not wanted:
            self._index.switch()
            return 0
        held = self._withhold(wanted.keys())
        count = self._embed_wanted({text_hash: seq for text_hash, seq in wanted.items() if text_hash not in held})
        if not self._index.pending(1):
            self._index.switch()
        return count

    def _embed_wanted(self, wanted: Mapping[str, int]) -> int:
        records = self._records_of(wanted)
        gone = {text_hash: "The log no longer holds this record." for text_hash in wanted if text_hash not in records}
        if gone:
            self._index.note_failures(gone)
        return self._embed_batch(records) if records else 0

    def _wanted(self) -> dict[str, int]:
        wanted = {text_hash: seq for seq, text_hash in self._index.pending(self._batch_count)}
        alone = next((text_hash for text_hash in wanted if text_hash in self._suspects), None)
        return wanted if alone is None else {alone: wanted[alone]}

    def _records_of(self, wanted: Mapping[str, int]) -> dict[str, Record]:
        """Read the records; one that was removed since is left out, as is one whose text is no longer the same."""
        found: dict[str, Record] = {}
        for record in self._records.by_seqs(tuple(wanted.values())) if wanted else ():
            text_hash = text_hash_of(record.text, record.fields)
            if text_hash in wanted:
                found[text_hash] = record
        return found

    def _embed_batch(self, records: Mapping[str, Record]) -> int:
        hashes = list(records)
        texts = [indexed_text(record.text, record.fields) for record in records.values()]
        sources = dict.fromkeys(record.source_id for record in records.values() if record.source_id is not None)
        try:
            rows = _rows(self._embed(texts, tuple(sources)), len(hashes))
        except (WorkerDiedError, BadEmbeddingError) as error:
            self._suspect(hashes, error)
            if isinstance(error, WorkerDiedError):
                raise  # the worker needs a moment to come back
            return 0
        except (PromptTooLongError, ProviderRefusedError) as error:
            self._refused_count += len(hashes) == 1
            if self._refused_count > REFUSED_MOST:
                raise  # it is no text's fault: a service that takes none must not be asked about each
            self._suspect(hashes, error)
            return 0
        self._suspects.difference_update(hashes)
        self._refused_count = 0
        faults = {text_hash: _fault(row, self._index.dimension) for text_hash, row in zip(hashes, rows, strict=True)}
        good = {text_hash: row for text_hash, row in zip(hashes, rows, strict=True) if not faults[text_hash]}
        if good:
            self._index.put(good)
        bad = {text_hash: fault for text_hash, fault in faults.items() if fault}
        if bad:
            _LOGGER.warning("%d texts could not be embedded: %s", len(bad), next(iter(bad.values())))
            self._index.note_failures(bad)
        return len(good)

    def _suspect(self, hashes: Sequence[str], error: TrisynapseError) -> None:
        if len(hashes) > 1:
            self._suspects.update(hashes)
            return
        self._suspects.difference_update(hashes)
        self._index.note_failures(dict.fromkeys(hashes, error.problem))


def _rows(vectors: FloatArray | None, count: int) -> FloatArray:
    """Return one row per text, whatever an embedder of somebody else hands over (case R37).

    Raises:
        BadEmbeddingError: it is no matrix of numbers with a row per text, so no row can be told to be anyone's.
    """
    try:
        matrix = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise BadEmbeddingError("The embedder returned something that is not a matrix of numbers.") from error
    if matrix.ndim != 2 or len(matrix) != count:
        raise BadEmbeddingError(f"The embedder returned shape {matrix.shape} for {count} texts.")
    return matrix


def _fault(row: FloatArray, dimension: int) -> str:
    if len(row) != dimension:
        return f"The embedder returned {len(row)} numbers instead of {dimension}."
    if not np.isfinite(row).all():
        return "The embedder returned numbers that are not finite."
    if abs(float(np.linalg.norm(row)) - 1.0) > _UNIT_TOLERANCE:
        return "The embedder returned a vector that is not of length 1."
    return ""
