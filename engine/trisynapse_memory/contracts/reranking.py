"""How a question and passages are read together, to tell which passages answer it; no implementation lives here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from trisynapse_memory.contracts.models import FloatArray


@runtime_checkable
class Reranker(Protocol):
    """Judges how well passages answer a question. Runs inside a worker that may be killed, and reaches no network.

    ``__init__`` takes the folder of a model and loads nothing heavy; ``model_id`` names the model and its state.
    ``max_tokens`` is its window: the question, one passage and the special tokens together.
    """

    name: str
    model_id: str
    max_tokens: int

    def judge(self, question: str, passages: Sequence[str], *, max_tokens: int, budget_s: float) -> FloatArray:
        """Read the question with each passage, in order, until all are judged or the time is up.

        Args:
            question: as it is looked up.
            passages: best first, so that what is left unread is the least wanted.
            max_tokens: tokens of the question and one passage together that are read, at most; the window bounds it.
            budget_s: seconds; the first passages are judged whatever it is. Loading the model does not count.

        Returns:
            ``(k,) float32``, one logit for each of the first ``k`` passages, higher for what answers better; finite.
            No passage gives ``(0,)``, and still loads the model.

        Raises:
            ModelFileError: the folder holds no model that can be used, or it gives something else than judgements.
            BranchUnavailableError: a package it needs is not installed.
        """
        ...
