"""A model in, the same model out as the engine hands it on: asked only while she allows it, and every reply counted.

The checks are made at each request, not when a model is chosen: a permission, a key or the last dollar may go while a
long piece of work is under way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from trisynapse_memory.contracts import Completer, Embedder, FloatArray, OnText
from trisynapse_memory.errors import NotSharedError, ProviderStoppedError
from trisynapse_memory.types import Completion, Prompt, Role, SourceId, Usage

Check = Callable[[Role], None]
"""Raises a ``ProviderError`` when a model must not be asked now for a role."""

Note = Callable[[Role, Usage], None]
"""Told what one reply took."""

Forbidden = Callable[[Sequence[str]], set[str]]
"""Returns those of some sources no word of which may leave."""


class GuardedCompleter:
    """A language model behind its permission.

    Args:
        inner: the model itself.
        check: asked before each request.
        note: told what each reply took.
        forbidden: the sources that a prompt must not carry; the last look after everybody else has looked.
    """

    def __init__(self, inner: Completer, *, check: Check, note: Note, forbidden: Forbidden) -> None:
        self._inner = inner
        self._check = check
        self._note = note
        self._forbidden = forbidden
        self._dismissed = threading.Event()
        self.provider = inner.provider
        self.model = inner.model
        self.max_tokens = inner.max_tokens
        self.is_remote = inner.is_remote

    def dismiss(self) -> None:
        """Ask it no more: what nobody else can stop ends within 200 ms."""
        self._dismissed.set()

    def complete(
        self, prompt: Prompt, on_text: OnText | None = None, stop: threading.Event | None = None
    ) -> Completion:
        """Ask the model, if it may be asked.

        Raises:
            ConsentNeededError, KeyNeededError, OfflineError, BudgetSpentError: it must not be asked now.
            NotSharedError: the prompt holds words of a source that never leaves.
            ProviderError: it could not be asked, or did not answer to the end.
        """
        self._check(prompt.role)
        if self.is_remote:
            refuse_forbidden(self._forbidden(prompt.source_ids), self.provider)
        completion = self._inner.complete(prompt, on_text, stop or self._dismissed)
        if self.is_remote:
            self._note(prompt.role, completion.usage)
        if stop is None and self._dismissed.is_set():
            # Background work must not take half a reply for a whole one.
            raise ProviderStoppedError("The model was let go before it had answered.", hint="What waits is kept.")
        return completion


class CountedEmbedder(Embedder, Protocol):
    """An embedder at a service: it says what it has used since it was made, and takes the sources for the ledger."""

    usage: Usage
    is_remote: bool

    def embed(self, texts: Sequence[str], source_ids: tuple[SourceId, ...] = ()) -> FloatArray:
        """Embed texts of these sources."""
        ...

    def dismiss(self) -> None:
        """Ask it no more; what is under way ends within 200 ms."""
        ...


class GuardedEmbedder:
    """An embedder at a service behind its permission (``GuardedCompleter``); what each request took is noted."""

    def __init__(self, inner: CountedEmbedder, *, check: Check, note: Note, forbidden: Forbidden) -> None:
        self._inner = inner
        self._check = check
        self._note = note
        self._forbidden = forbidden
        self._noted = inner.usage
        self.model_id = inner.model_id
        self.dimension = inner.dimension
        self.max_tokens = inner.max_tokens
        self.is_remote = inner.is_remote

    def dismiss(self) -> None:
        """Ask it no more; what is under way ends within 200 ms."""
        self._inner.dismiss()

    def embed(self, texts: Sequence[str], source_ids: tuple[SourceId, ...] = ()) -> FloatArray:
        """Embed the texts, if they may be sent.

        Raises:
            ConsentNeededError, KeyNeededError, OfflineError, BudgetSpentError: it must not be asked now.
            NotSharedError: they are words of a source that never leaves.
            ProviderError: see the embedder itself.
        """
        self._check(Role.EMBEDDING)
        if self.is_remote:
            refuse_forbidden(self._forbidden(source_ids), self.model_id)
        try:
            rows = self._inner.embed(texts, source_ids)
        finally:
            self._count()
        self.dimension = self._inner.dimension
        return rows

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Return how many wordpieces each text has; nothing is sent."""
        return self._inner.token_counts(texts)

    def _count(self) -> None:
        """Note what has been used since the last time: a request that failed half way has cost something too."""
        before, now = self._noted, self._inner.usage
        self._noted = now
        if now == before or not self.is_remote:
            return
        known = now.cost_usd is not None and before.cost_usd is not None
        cost = (now.cost_usd or 0.0) - (before.cost_usd or 0.0) if known else None
        self._note(Role.EMBEDDING, Usage(input_tokens=now.input_tokens - before.input_tokens, cost_usd=cost))


def refuse_forbidden(held: set[str], name: str) -> None:
    """Stop a request that carries words of sources that never leave: the last look after everybody else has looked.

    Raises:
        NotSharedError: there are some.
    """
    if held:
        raise NotSharedError(
            f"{len(held)} of the sources in this request are never sent to '{name}'; nothing was sent.",
            hint="They are marked sensitive, or lie in a collection that is never shared.",
        )
