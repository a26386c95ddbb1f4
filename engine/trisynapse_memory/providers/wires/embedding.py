"""Texts in, unit vectors of a remote model out, in requests that its service takes. No vector is kept here."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from threading import Event
from typing import Final, Protocol

import msgspec
import numpy as np
from msgspec import Struct

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import BadEmbeddingError, ProviderStoppedError
from trisynapse_memory.providers.services import is_typed
from trisynapse_memory.providers.wires.exchange import Call, Exchange, WholeBody, bad_reply
from trisynapse_memory.providers.wires.prices import Known, added
from trisynapse_memory.text.windows import estimate_tokens
from trisynapse_memory.types import SourceId, Usage

BLANK: Final = "-"
"""Sent for a text without words, which most services refuse."""


class Vectors(Struct, frozen=True):
    """What one request gave: rows in the order of the texts, tokens used (0: not said), US dollars where told."""

    rows: list[list[float]]
    input_tokens: int = 0
    cost_usd: float | None = None


class EmbeddingWire(Protocol):
    """The language of one kind of service.

    One request holds at most ``batch_count`` texts and about ``batch_tokens`` tokens. ``window`` is that of a model
    whose window is not known.
    """

    batch_count: int
    batch_tokens: int
    window: int

    def embedding_call(self, model: str, texts: Sequence[str], source_ids: tuple[SourceId, ...]) -> Call:
        """Write texts as a call that asks for their vectors."""
        ...

    def vectors(self, body: bytes) -> Vectors:
        """Read the vectors, in the order of the texts.

        Raises:
            msgspec.MsgspecError: it is not what this kind of service sends.
        """
        ...


class RemoteEmbedder:
    """An embedder at a service. ``usage`` counts what this object has used since it was made.

    ``dimension`` is 0 until the first vectors have come, where none was given; then it holds for all that follow.

    Args:
        exchange: asks the service.
        wire: its language.
        model: its name there.
        dimension: how long its vectors must be; 0: whatever the first ones are.
        known: what is known of its window and its price.
    """

    def __init__(self, exchange: Exchange, wire: EmbeddingWire, model: str, dimension: int, known: Known) -> None:
        service = exchange.service
        self.provider = service.name
        self.model = model
        self.model_id = f"{service.name}/{model}"
        if is_typed(service):
            # Two servers may give one name to two models; vectors of the two must never meet.
            place = hashlib.sha256(service.base_url.encode()).hexdigest()[:12]
            self.model_id = f"{service.name}@{place}/{model}"
        self.dimension = dimension
        self.max_tokens = known.context_tokens or wire.window
        self.is_remote = service.is_remote
        self.usage = Usage(cost_usd=0.0)
        self._exchange = exchange
        self._wire = wire
        self._known = known
        self._dismissed = Event()

    def dismiss(self) -> None:
        """Ask it no more; what is under way ends within 200 ms."""
        self._dismissed.set()

    def embed(self, texts: Sequence[str], source_ids: tuple[SourceId, ...] = ()) -> FloatArray:
        """Turn texts into directions; see ``contracts.Embedder``.

        Args:
            texts: what to embed; a text beyond the window is cut by an estimate of its tokens.
            source_ids: whose words these are, for the ledger.

        Returns:
            ``(len(texts), dimension) float32`` unit rows in the order of the texts; ``(0, dimension)`` for no text.

        Raises:
            BadEmbeddingError: too few vectors came, of another length, or with numbers that are not finite.
            ProviderStoppedError: it was dismissed.
            ProviderError: the service could not be asked, or refused.
        """
        shown = [self._cut(text) for text in texts]
        blocks = [self._ask(batch, source_ids) for batch in self._batches(shown)]
        return np.concatenate(blocks) if blocks else np.zeros((0, self.dimension), dtype=np.float32)

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Return about how many tokens each text has, rather too many; a service is not sent a text to count it."""
        return estimate_tokens(texts)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch, tokens = list[str](), 0
        for text, count in zip(texts, estimate_tokens(texts), strict=True):
            if batch and (len(batch) >= self._wire.batch_count or tokens + count > self._wire.batch_tokens):
                yield batch
                batch, tokens = [], 0
            batch.append(text)
            tokens += count
        if batch:
            yield batch

    def _ask(self, texts: list[str], source_ids: tuple[SourceId, ...]) -> FloatArray:
        began = time.perf_counter()
        reader = WholeBody()
        if not self._exchange.ask(self._wire.embedding_call(self.model, texts, source_ids), reader, self._dismissed):
            raise ProviderStoppedError("The embedder was let go before it had answered.", hint="What waits is kept.")
        try:
            found = self._wire.vectors(reader.body)
        except msgspec.MsgspecError:
            raise bad_reply(self._exchange.service, self.model) from None
        tokens = found.input_tokens or sum(estimate_tokens(texts))
        cost = found.cost_usd if found.cost_usd is not None else self._known.cost(tokens, 0)
        spent = Usage(
            input_tokens=tokens,
            cost_usd=cost if self.is_remote else 0.0,
            total_ms=(time.perf_counter() - began) * 1000,
        )
        self.usage = added(self.usage, spent)
        return self._checked(found.rows, len(texts))

    def _checked(self, rows: list[list[float]], count: int) -> FloatArray:
        lengths = {len(row) for row in rows}
        expected = self.dimension or next(iter(lengths), 0)
        if len(rows) != count or lengths != {expected} or not expected:
            raise self._bad(f"{len(rows)} vectors of {_list(lengths)} numbers for {count} texts, not of {expected}")
        matrix = np.asarray(rows, dtype=np.float64)
        with np.errstate(over="ignore"):
            norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise self._bad("numbers that are not finite, or all zero")
        self.dimension = expected
        return (matrix / norms).astype(np.float32)

    def _bad(self, what: str) -> BadEmbeddingError:
        label = self._exchange.service.label
        return BadEmbeddingError(f"{label} sent for '{self.model}' {what}.", hint="Choose another model to embed with.")

    def _cut(self, text: str) -> str:
        if not text.strip():
            return BLANK
        tokens = estimate_tokens((text,))[0]
        return text if tokens <= self.max_tokens else text[: max(1, len(text) * self.max_tokens // tokens)]


def _list(lengths: set[int]) -> str:
    return ", ".join(map(str, sorted(lengths))) or "no"
