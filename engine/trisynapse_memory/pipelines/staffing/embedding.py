"""What waits for a vector in, vectors out, by the embedder that is chosen now: the background work ``vectors``.

Nothing of a source that is sensitive, or in a collection that is never shared, is sent to a remote embedder. Such texts
wait no longer; they are found by their words, and the coverage of every answer counts them as not embedded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence, Set
from typing import Final, Protocol

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import RecordReader, VectorStore
from trisynapse_memory.errors import ProviderError, TrisynapseError
from trisynapse_memory.indexing.vector_switch import VectorModels
from trisynapse_memory.pipelines.backlog import EmbeddingBacklog
from trisynapse_memory.pipelines.staffing.embedders import Embedders

HELD: Final = "Not sent: it is sensitive, or in a collection that is not shared."


class Leaving(Protocol):
    """Whoever would see a text: whether it then leaves this machine."""

    @property
    def is_remote(self) -> bool:
        """Whether it leaves."""
        ...


class Secrets(Protocol):
    """What must not leave this machine (``sharing.Sharer``)."""

    def withheld(self, completer: Leaving) -> Callable[[Sequence[int]], Set[int]]:
        """Return a function that names those of the given records that must not be shown."""
        ...

    def stamp(self) -> Hashable:
        """Return a value that changes whenever what may be shown may have changed."""
        ...


class Embedding:
    """Embeds what waits, follows the choice of the embedder, and holds back what must not be sent.

    Args:
        index: says what waits and keeps the vectors.
        models: whose vectors those are.
        records: reads the texts from the log.
        embedders: embed.
        config: the numbers of the backlog.
        secrets: say what must not leave; None where nothing can.
    """

    def __init__(
        self,
        index: VectorStore,
        models: VectorModels,
        records: RecordReader,
        embedders: Embedders,
        config: Config,
        secrets: Secrets | None = None,
    ) -> None:
        self._models = models
        self._embedders = embedders
        self._secrets = secrets
        self._batch_count = config.embed_batch_count
        self._backlog = EmbeddingBacklog(index, records, embedders.embed_records, config, self._withhold)
        self._looked_at: Hashable = None  # the stamp of the secrets when everything held back was last looked at
        self._fell_back = False

    def pending(self) -> int:
        """Return how many records wait for a vector; at least 1 while the choice of the embedder is to be followed."""
        count = self._backlog.pending()
        return count or int(not self._embedders.is_settled() or self._is_stale())

    def step(self) -> int:
        """Embed one batch; return how many texts got their vector.

        Raises:
            WorkerDiedError: see ``EmbeddingBacklog.step``.
            ProviderError: the chosen embedder cannot be used now. The one that answers goes on, also for what is new.
            TrisynapseError: the embedder could not be followed, or the index not be written.
        """
        trouble = self._follow()
        if self._is_stale():
            self._looked_at = self._stamp()
            self._models.release()
        try:
            if 0 < self._backlog.pending() <= self._batch_count:
                self._embedders.warm_target()
            count = self._backlog.step()
        except ProviderError:
            self._fell_back = self._embedders.fall_back()
            raise
        if trouble is not None and not count:
            raise trouble
        return count

    def rest(self) -> None:
        """Let the workers go: there was nothing to do for a while."""
        self._embedders.rest()

    def _follow(self) -> TrisynapseError | None:
        """Turn to the chosen embedder; return why that cannot be done now."""
        if self._embedders.is_settled() or (self._fell_back and self._backlog.pending()):
            return None  # what is new is embedded by the one that answers before the chosen one is tried again
        self._fell_back = False
        try:
            self._embedders.settle()
        except TrisynapseError as error:
            return error
        return None

    def _withhold(self, text_hashes: Set[str]) -> Set[str]:
        """Put on hold, and return, the texts of a batch that the embedder must not be sent."""
        seat = self._embedders.target_seat()
        if self._secrets is None or not seat.is_remote:
            return set()
        self._looked_at = self._looked_at or self._stamp()
        owners = self._models.owners_of(text_hashes)
        held = self._secrets.withheld(seat)([seq for seqs in owners.values() for seq in seqs])
        # A text that stands in two sources is held back if one of them is.
        found = {text_hash for text_hash, seqs in owners.items() if not held.isdisjoint(seqs)}
        if found:
            self._models.hold(found, HELD)
        return found

    def _is_stale(self) -> bool:
        """Whether what is held back has to be looked at anew."""
        return self._secrets is not None and self._models.held_count() > 0 and self._stamp() != self._looked_at

    def _stamp(self) -> Hashable:
        return None if self._secrets is None else self._secrets.stamp()
