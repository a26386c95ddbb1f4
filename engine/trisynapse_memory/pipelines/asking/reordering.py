"""A ranking in, the same with its best put in the order that a chosen cross-encoder gives them out. Nothing is added.

The order changes and no score does: the k-th place keeps its score, so that scores mean the same with a model and
without. What it did not read in time keeps its place; where it cannot work, the ranking stands, and says so.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from trisynapse_memory.config import Config
from trisynapse_memory.errors import (
    BranchUnavailableError,
    ModelDiedError,
    ModelFileError,
    ProviderError,
    ProviderStoppedError,
    TrisynapseError,
)
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.staffing.rerankers import Rerankers
from trisynapse_memory.preprocessing.reranking import RerankWorker
from trisynapse_memory.retrieval.ranking import Fused, reorder
from trisynapse_memory.types import QueryPlan, QueryStep, RouteRow

LOGGER = logging.getLogger(__name__)
RERANKER: Final = "reranker"
"""The step of a run, the part of a score, and the part that is off where it cannot work."""

FAILURES_MAX: Final = 2  # in a row; each may cost a question seconds, so that it then stays off until chosen anew
_LASTING: Final = (ModelFileError, ModelDiedError, BranchUnavailableError)


class Reordered(Struct, frozen=True, kw_only=True):
    """The ranking, what is told of it in the run, and why the model did not read, if it was asked and could not.

    ``summary`` is empty where no model is chosen.
    """

    fused: tuple[Fused, ...]
    summary: dict[str, str] = {}
    fault: TrisynapseError | None = None


class Reordering:
    """Puts the best candidates in order with the cross-encoder she chose; without one it does nothing.

    Args:
        log: where the passages are read.
        rerankers: know which model is chosen.
        worker: judges.
    """

    def __init__(self, log: MemoryLog, rerankers: Rerankers, worker: RerankWorker) -> None:
        self._log = log
        self._rerankers = rerankers
        self._worker = worker
        self._failures: list[TrisynapseError] = []
        self._warming: threading.Thread | None = None
        self._leaving = threading.Event()

    def reorder(
        self, plan: QueryPlan, fused: tuple[Fused, ...], config: Config, stop: threading.Event | None = None
    ) -> Reordered:
        """Let the chosen model read the best ``reranker_count`` candidates within ``reranker_budget_s``.

        Args:
            plan: of the question as it is looked up.
            fused: the ranking, best first; what holds an exact word of the question is never put behind what does not.
            config: the settings of this question.
            stop: once set, the ranking stands as it is.
        """
        best = fused[: config.reranker_count]
        try:
            model = self._rerankers.model() if best else None
            if model is None or self._leaving.is_set():
                return Reordered(fused=fused)
            self._check()
            logits = self._worker.judge(model, plan.question, self._texts(best), config.reranker_budget_s, stop)
        except ProviderStoppedError:
            return Reordered(fused=fused, summary={"stopped": "yes"})
        except TrisynapseError as error:
            self._note(error)
            return Reordered(fused=fused, summary={"off": error.problem}, fault=error)
        self._failures.clear()
        summary = {"model": model.model_id, "read": f"{len(logits)} of {len(best)}"}
        return Reordered(fused=reorder(fused, logits.tolist(), RERANKER), summary=summary)

    def warm(self) -> None:
        """Load the chosen model in a thread of its own, so that no question waits for it; what fails is told later."""
        if self._warming is None or not self._warming.is_alive():
            self._warming = threading.Thread(target=self._load, name="warm-reranker", daemon=True)
            self._warming.start()

    def refresh(self) -> None:
        """Something else may be chosen: forget what failed, and load it where models are kept ready."""
        self._failures.clear()
        if self._warming is not None:
            self.warm()

    def close(self) -> None:
        """Let the model go."""
        self._leaving.set()
        self._worker.close()
        if self._warming is not None:
            self._warming.join()

    def _load(self) -> None:
        try:
            model = self._rerankers.model()
            if model is None:
                self._worker.close()
            elif not self._leaving.is_set():
                self._worker.load(model, self._leaving)
        except ProviderStoppedError:
            return
        except TrisynapseError as error:
            self._note(error)

    def _note(self, error: TrisynapseError) -> None:
        """Remember what a model cannot do; that it was busy is no failure of its own."""
        LOGGER.info("The ranking stands without a cross-encoder: %s", error.problem)
        if isinstance(error, _LASTING):
            self._failures.append(error)

    def _check(self) -> None:
        """Ask no more of a model that fails again and again."""
        if len(self._failures) >= FAILURES_MAX:
            raise ProviderError(self._failures[-1].problem, hint=self._failures[-1].hint)

    def _texts(self, fused: Sequence[Fused]) -> tuple[str, ...]:
        """The words of the candidates, in their order; of one that is not there (any more) none."""
        texts = {record.seq: record.text for record in self._log.by_seqs([one.seq for one in fused])}
        return tuple(texts.get(one.seq, "") for one in fused)


def ordered_in(steps: Sequence[QueryStep]) -> dict[str, tuple[RouteRow, ...]]:
    """Return what a model was shown in a run, in its order and with the probabilities it gave."""
    read = [step.candidates[RERANKER] for step in steps if RERANKER in step.candidates]
    return {RERANKER: read[-1]} if read else {}
