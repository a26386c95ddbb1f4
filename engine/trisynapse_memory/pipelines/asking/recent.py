"""Texts in, their vectors out, those of the last questions from memory. Nothing is kept on disk."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from trisynapse_memory.contracts import FloatArray

KEPT_TEXTS: Final = 512  # sentences, 1.5 KB each; a second round of a question, and the next one, ask for the same ones


class RecentVectors:
    """Embeds what it has not embedded lately; safe under threads.

    Args:
        embed: as ``Embedder.embed``: ``(n, d) float32`` unit rows, each the same whatever stands beside it.
        kept: how many texts are remembered, the last used ones.
    """

    def __init__(self, embed: Callable[[Sequence[str]], FloatArray], kept: int = KEPT_TEXTS) -> None:
        self._embed = embed
        self._kept = kept
        self._lock = threading.Lock()
        self._rows: OrderedDict[str, FloatArray] = OrderedDict()

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """Return one row a text, in order.

        Raises:
            ProviderError: as the embedder raises it; what was known stays known.
        """
        with self._lock:
            known = {text: self._rows[text] for text in texts if text in self._rows}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing or not texts:
            known.update(zip(missing, fresh := self._embed(missing), strict=True))
            if not texts:
                return fresh
        self._remember({text: known[text] for text in texts})
        return np.stack([known[text] for text in texts])

    def _remember(self, rows: dict[str, FloatArray]) -> None:
        with self._lock:
            for text, row in rows.items():
                self._rows[text] = row
                self._rows.move_to_end(text)
            while len(self._rows) > self._kept:
                self._rows.popitem(last=False)
