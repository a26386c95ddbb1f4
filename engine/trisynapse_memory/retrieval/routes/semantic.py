"""A planned question in, records of like meaning out. Nothing is indexed here, and no record is embedded."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Embedder, FloatArray, VectorReader
from trisynapse_memory.errors import BadEmbeddingError, BranchUnavailableError, ProviderError, WorkerDiedError
from trisynapse_memory.types import Candidate, QueryPlan, Scope

_CACHE_COUNT: Final = 64  # questions; a search as she types and the answer after it embed the same one (6 ms each)
_WHY: Final = "meaning"


class SemanticRoute:
    """Proposes the records whose embedding points where the question's does.

    Args:
        reader: the vector index.
        embedder: the model whose vectors the reader answers with.
        config: ``semantic_limit`` is how many records are proposed.
    """

    name = "semantic"

    def __init__(self, reader: VectorReader, embedder: Embedder, config: Config) -> None:
        self._reader = reader
        self._embedder = embedder
        self._limit = config.semantic_limit
        self._lock = threading.Lock()
        self._embedded: OrderedDict[tuple[str, str], FloatArray] = OrderedDict()  # by model and question

    def candidates(self, plan: QueryPlan, scope: Scope) -> tuple[Candidate, ...]:
        """Return up to ``semantic_limit`` records by descending cosine in (0, 1]; nothing for a blank question.

        Raises:
            ProviderError: the question could not be embedded, or the vectors of this model are not whole yet; the
                corridor answers from the other routes and says so.
        """
        model = self._model()
        if self._reader.serving_model != model:
            problem = "The vectors of the chosen embedding model are not whole yet; words find records meanwhile."
            raise ProviderError(problem, hint="Wait for the backlog.")
        question = plan.question.strip()
        if not question:
            return ()
        nearest = self._reader.nearest(self._vector(model, question), scope, self._limit)
        # At a right angle or beyond there is nothing in common; the other routes' scores are positive, too.
        return tuple(Candidate(one.seq, one.score, _WHY) for one in nearest if one.score > 0)

    def _model(self) -> str:
        try:
            return self._embedder.model_id
        except BranchUnavailableError as error:  # its package is gone, or its folder
            raise ProviderError(error.problem, hint=error.hint) from error

    def _vector(self, model: str, question: str) -> FloatArray:
        key = (model, question)
        with self._lock:
            known = self._embedded.get(key)
            if known is not None:
                self._embedded.move_to_end(key)
                return known
        vector = self._embed(question)
        if self._model() != model:  # another model has just begun to answer
            raise ProviderError("The embedding model has just changed.", hint="Ask again.")
        with self._lock:
            self._embedded[key] = vector
            while len(self._embedded) > _CACHE_COUNT:
                self._embedded.popitem(last=False)
        return vector

    def _embed(self, question: str) -> FloatArray:
        try:
            vectors = self._embedder.embed([question])
        except (BranchUnavailableError, WorkerDiedError) as error:
            raise ProviderError(error.problem, hint=error.hint) from error
        if vectors.shape != (1, self._embedder.dimension):
            raise BadEmbeddingError(
                f"The embedder '{self._embedder.model_id}' returned shape {vectors.shape} for one question.",
                hint="Choose another embedder in the settings; words still find records.",
            )
        return vectors[0]
