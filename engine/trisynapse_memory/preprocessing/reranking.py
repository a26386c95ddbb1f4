"""A question and passages in, a cross-encoder's judgement of each out, made by a child. No ranking is made here."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec import structs

from trisynapse_memory.config import SETTINGS, Config
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import ModelDiedError, ProviderError, WorkerDiedError
from trisynapse_memory.preprocessing.children import Worker, ask_once
from trisynapse_memory.preprocessing.messages import RerankRequest, VectorsReply

WEIGHTS_FACTOR: Final = (
    3  # address space of a model by its file: mapped, read, and its graph rewritten at the same time
)
GRACE_S: Final = 5.0  # beyond the time a question has for it: one run of the graph that is under way
LOAD_BUDGET_S: Final = 120.0  # chosen; nobody waits for it. A model of 1 GB from a slow disk takes half a minute
IDLE_S: Final = 300.0  # as a local model (llama_cpp.py): who asked nothing for so long gets the memory back


class CrossEncoder(NamedTuple):
    """Which model judges: a row of kind ``reranker``, its folder, how large that is, and what runs call it."""

    row: str
    folder: str
    size_bytes: int
    model_id: str


class RerankWorker:
    """Judges passages in a child process, so that a model that crashes or hangs takes nothing along.

    One question after the other; who comes meanwhile waits no longer than it has time. The child is let go when nobody
    has asked for ``idle_s``.

    Args:
        config: ``worker_memory_bytes`` and ``reranker_max_tokens`` are used.
        idle_s: seconds; 0 for never.
    """

    def __init__(self, config: Config, idle_s: float = IDLE_S) -> None:
        self._config = config
        self._idle_s = idle_s
        self._asking = threading.Lock()
        self._worker: Worker | None = None
        self._model: CrossEncoder | None = None
        self._timer: threading.Timer | None = None

    def judge(
        self,
        model: CrossEncoder,
        question: str,
        passages: Sequence[str],
        budget_s: float,
        stop: threading.Event | None = None,
    ) -> FloatArray:
        """Return the logits of the first passages, as many as were judged in time; see ``contracts.Reranker``.

        The first call starts the child and loads the model, which is not counted.

        Raises:
            ProviderStoppedError: ``stop`` was set; the child was ended.
            ProviderError: another question is being judged, or the model is being loaded.
            ModelDiedError: the child hung, died, or said something else; the next call starts a new one.
            ModelFileError, BranchUnavailableError: the model cannot be used.
        """
        if not self._asking.acquire(timeout=budget_s):
            raise ProviderError("The cross-encoder is busy with another question.", hint="Ask again in a moment.")
        try:
            return self._judge(model, question, passages, budget_s, stop)
        finally:
            self._rest_later()
            self._asking.release()

    def load(self, model: CrossEncoder, stop: threading.Event | None = None) -> None:
        """Load a model, so that the first question does not wait for it, unless ``stop`` is set meanwhile.

        Raises:
            ProviderError, BranchUnavailableError: see ``judge``.
        """
        self.judge(model, "", (), LOAD_BUDGET_S, stop)

    def close(self) -> None:
        """End the child."""
        if self._timer is not None:
            self._timer.cancel()
        if (worker := self._worker) is not None:
            worker.kill()

    def _judge(
        self,
        model: CrossEncoder,
        question: str,
        passages: Sequence[str],
        budget_s: float,
        stop: threading.Event | None,
    ) -> FloatArray:
        request = RerankRequest(
            reranker=model.row,
            model=model.folder,
            question=question,
            passages=tuple(passages),
            max_tokens=self._config.reranker_max_tokens,
            budget_s=budget_s,
        )
        worker = self._worker_for(model)
        try:
            reply = ask_once(worker, request, f"model {model.model_id}", budget_s + GRACE_S, stop)
        except WorkerDiedError as death:
            raise ModelDiedError(death.problem, hint="Choose a smaller model for 'reranking', or none.") from death
        if not isinstance(reply, VectorsReply) or reply.columns != 1 or not reply.rows <= len(passages):
            worker.kill()
            raise ModelDiedError(f"The worker of {model.model_id} said something that is no judgement.")
        return np.frombuffer(reply.values, dtype="<f4").astype(np.float32)

    def _worker_for(self, model: CrossEncoder) -> Worker:
        """A child with room for the model; another model gets another child."""
        if self._timer is not None:
            self._timer.cancel()
        if self._worker is None or self._model != model:
            self.close()
            most = next(int(setting.high) for setting in SETTINGS if setting.name == "worker_memory_bytes")
            room = min(most, self._config.worker_memory_bytes + WEIGHTS_FACTOR * model.size_bytes)
            config = structs.replace(self._config, worker_memory_bytes=room)
            self._worker, self._model = Worker(config, low_priority=False), model
        return self._worker

    def _rest_later(self) -> None:
        if self._idle_s:
            self._timer = threading.Timer(self._idle_s, self._rest)
            self._timer.daemon = True
            self._timer.start()

    def _rest(self) -> None:
        """Let the child go, unless a question came meanwhile."""
        if self._asking.acquire(blocking=False):
            if self._worker is not None:
                self._worker.kill()
            self._asking.release()
