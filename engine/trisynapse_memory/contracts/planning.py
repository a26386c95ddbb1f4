"""How the intent of a question is told; no implementation lives here."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from trisynapse_memory.types import Intent


@runtime_checkable
class IntentReader(Protocol):
    """Tells what kind of answer a question asks for: by rules, by a classifier, by a model.

    It is asked once for each question, before anything is looked up, so it must answer within some milliseconds.
    """

    name: str

    def read(self, question: str) -> Intent:
        """Return the intent of a question in any language; ``FACT`` where it cannot tell."""
        ...
