"""Evidence a language model was not shown yet in, the facts it read there in the log out, a few records at a time.

A remote model sees nothing that is marked sensitive; such records wait and hold nobody up. A model that stops answering
costs nothing: what it had read is kept, the rest waits. What it proposes is judged elsewhere (``extraction``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final, Protocol

from trisynapse_memory.contracts import Completer, Index
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.extraction.model_facts import ModelReading, Provenance
from trisynapse_memory.extraction.runner import check_proposals
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.extraction import Author, Ledger
from trisynapse_memory.pipelines.rooms import FactsStore
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import Kind, Passage, Record

MODEL_EXTRACTOR: Final = "llm"
MODEL_FACTS: Final = "model_facts"
BATCH_RECORDS: Final = 8  # mostly one window: a close and a removal wait for the step in hand, and a model is slow
LOOK_RECORDS: Final = 1_000  # looked at for marks at a time

Withheld = Callable[[Sequence[int]], set[int]]
"""Returns those of the given log positions that are marked sensitive."""


Stamp = Callable[[], object]
"""Returns a value that is another one after anything has changed that it stands for."""


class ModelReader(Protocol):
    """A language model as this corridor asks it."""

    name: str
    version: int

    @property
    def provenance(self) -> Provenance:
        """Who writes what it proposes."""
        ...

    def read(self, passages: Sequence[Passage]) -> ModelReading:
        """Return the facts that these passages say, and what became of the rest.

        Raises:
            ProviderError: the model did not answer at all.
        """
        ...


class ModelFactsStore(FactsStore, Index, Protocol):
    """The index of what waits for the model; it can pass over what may not be shown."""

    def waiting(self, limit: int, passed: Collection[int] = ()) -> tuple[int, ...]:
        """Return up to ``limit`` log positions that wait, all of one source, none of them among ``passed``."""
        ...

    def waiting_among(self, seqs: Collection[int]) -> int:
        """Return how many of these records wait."""
        ...


class ModelExtraction:
    """Lets a model read what waits, most wanted first.

    Args:
        log: holds the evidence, and takes the facts.
        projector: brings the indexes up to date after each batch.
        index: says what waits for this model.
        reader: asks the model.
        withheld: names what may not be shown; None for a model on this machine, which may see everything.
        stamp: changes whenever what may be shown may have changed; without it, with each mark of the log.
    """

    def __init__(
        self,
        log: MemoryLog,
        projector: Projector,
        index: ModelFactsStore,
        reader: ModelReader,
        withheld: Withheld | None = None,
        stamp: Stamp | None = None,
    ) -> None:
        self._log = log
        self._index = index
        self._projector = projector
        self._reader = reader
        self._withheld = withheld
        self._author = Author(reader.name, reader.version, reader.provenance)
        self._ledger = Ledger(log, projector, index.before)
        self._stamp: Stamp = stamp or (lambda: len(log.of_kind(Kind.SENSITIVITY)))
        # What may not be shown; looked at again when the stamp is another, for nothing else frees a record.
        self._passed: frozenset[int] = frozenset()
        self._passed_at: object = None

    def pending(self) -> int:
        """Return how many records wait that the model may be shown, as far as is known."""
        passed = self._still_passed()
        count = self._index.waiting_count()
        return count - self._index.waiting_among(passed) if count and passed else count

    def step(self) -> int:
        """Let the model read a few records of one source, and append its facts; return how many it read.

        Raises:
            ProviderError: the model stopped answering; what it had read is kept, the rest waits.
            VaultError: the log could not be written, for example because the disk is full.
        """
        records = self._batch()
        if not records:
            self._projector.catch_up()  # what was hidden meanwhile no longer waits
            return 0
        passages = tuple(self._ledger.passages(records).values())
        reading = self._reader.read(passages)
        count = self._keep(records, passages, reading)
        if reading.unread:
            raise ProviderError(reading.trouble)
        return count

    def _keep(self, records: Sequence[Record], passages: Sequence[Passage], reading: ModelReading) -> int:
        """Write down what was read; what was not shown, or is still unread, gets no receipt."""
        self._passed |= set(reading.withheld)
        waiting = {*reading.unread, *reading.withheld}
        read = {record.seq: record for record in records if record.seq not in waiting}
        faults: dict[str, str] = {read[seq].id: fault for seq, fault in reading.faults.items() if seq in read}
        return self._ledger.append(
            self._author, tuple(read.values()), check_proposals(passages, reading.proposals), faults
        )

    def _batch(self) -> tuple[Record, ...]:
        passed = self._still_passed()
        while seqs := self._index.waiting(LOOK_RECORDS, passed):
            hidden = self._withheld(seqs) if self._withheld is not None else set[int]()
            self._passed = passed = passed | hidden
            shown = [seq for seq in seqs if seq not in hidden][:BATCH_RECORDS]
            if shown:
                visible = self._log.visible(shown)
                return self._log.by_seqs([seq for seq in shown if seq in visible])
        return ()

    def _still_passed(self) -> frozenset[int]:
        stamp = self._stamp()
        if stamp != self._passed_at:
            self._passed, self._passed_at = frozenset(), stamp
        return self._passed


def model_reader(completer: Completer, registry: Registry, sensitive: Withheld) -> ModelReader:
    """Return what asks a model for facts; a remote one is never shown what is sensitive."""

    def is_sensitive(passage: Passage) -> bool:
        return passage.seq in sensitive([passage.seq])

    return registry.load("extractor", MODEL_EXTRACTOR)(completer, withheld=is_sensitive)


def author_of(completer: Completer, registry: Registry) -> Author:
    """Return who writes the facts of a model: the extractor, the provider, the model and the prompt."""
    reader = model_reader(completer, registry, lambda seqs: set(seqs))
    return Author(reader.name, reader.version, reader.provenance)


def open_waiting(
    database: IndexDatabase, make: Callable[..., ModelFactsStore], author: Author | None
) -> ModelFactsStore | None:
    """Open the index of what waits for a model; without one, its tables go, since nothing would keep them up to date.

    The log has every extraction record, so a model that comes back reads nothing twice.
    """
    if author is not None:
        return make(database, author.name, author.version, name=MODEL_FACTS, receipt_prefix=author.receipt_prefix)
    if database.applied_seq(MODEL_FACTS):
        database.install(MODEL_FACTS, "closed", "")
    return None
