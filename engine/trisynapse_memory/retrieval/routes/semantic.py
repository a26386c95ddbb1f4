"""A planned question in, records of like meaning out. Nothing is indexed here, and no record is embedded."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Embedder, FloatArray, VectorReader
from trisynapse_memory.errors import BadEmbeddingError, BranchUnavailableError, ProviderError, WorkerDiedError
from trisynapse_memory.types import Candidate, QueryPlan, Scope

_CACHE_COUNT: Final = 64  # questions; a search as she types and the answer after it embed the same one (6 ms each)
# Word pieces a letter from which on a question is spelled and not read. MiniLM on XQuAD: English .33 at the 95th
# percentile, Chinese .87 and Arabic .94 at the 5th; its recall@5 of Arabic is .05, that of words .94. Models that know
# Chinese take about .65.
_SPELLED_SHARE: Final = 0.85
_LETTERS_LEAST: Final = 12  # a code such as KX-00120 is spelled by every model
_MARKS: Final = 2  # pieces that stand for the beginning and the end
_WHY: Final = "meaning"
_TINY: Final = 1e-12  # keeps opposite vectors from dividing by zero


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
        self._feedback_weight = config.feedback_weight
        self._lock = threading.Lock()
        self._embedded: OrderedDict[tuple[str, str], FloatArray] = OrderedDict()  # by model and question

    def candidates(self, plan: QueryPlan, scope: Scope) -> tuple[Candidate, ...]:
        """Return up to ``semantic_limit`` records by descending cosine in (0, 1]; nothing for a blank question.

        Raises:
            ProviderError: the question could not be embedded, the model does not know its script, or the vectors of
                this model are not whole yet; the corridor answers from the other routes and says so.
        """
        model = self._model()
        if self._reader.serving_model != model:
            problem = "The vectors of the chosen embedding model are not whole yet; words find records meanwhile."
            raise ProviderError(problem, hint="Wait for the backlog.")
        question = plan.question.strip()
        if not question:
            return ()
        self._refuse_unread(question)
        nearest = self._reader.nearest(self._vector(model, question), scope, self._limit)
        # At a right angle or beyond there is nothing in common; the other routes' scores are positive, too.
        return tuple(Candidate(one.seq, one.score, _WHY) for one in nearest if one.score > 0)

    def _refuse_unread(self, question: str) -> None:
        """A model that spells a question letter by letter has no word of it, and its cosines drown what words find."""
        letters = sum(letter.isalnum() for letter in question)
        pieces = self._embedder.token_counts([question])[0] - _MARKS
        if letters >= _LETTERS_LEAST and pieces >= _SPELLED_SHARE * letters:
            raise ProviderError(
                "The embedding model does not know the script of this question; it is looked up by its words.",
                hint="A multilingual embedding model can be chosen in the settings.",
            )

    def compare(
        self,
        plan: QueryPlan,
        seqs: Sequence[int],
        examples: Sequence[int] = (),
        together: Mapping[int, Mapping[int, float]] | None = None,
    ) -> dict[int, float]:
        """Return the cosine [-1, 1] to the question of each of these records that is embedded.

        Args:
            plan: the question; ``feedback_weight`` of the settings moves it towards the examples.
            seqs: log positions.
            examples: records that probably answer; those without a vector are passed over.
            together: for some of the records, others that they are read with: the vectors are summed, each times its
                share, and the cosine is that of the sum. Those without a vector are passed over.

        Raises:
            ProviderError: as of ``candidates``.

        Source:
            Rocchio, "Relevance feedback in information retrieval", 1971, without its negative part.
        """
        question = plan.question.strip()
        if not question or not seqs:
            return {}
        vector = self._vector(self._model(), question)
        others = [one for seq in seqs for one in (together or {}).get(seq, ())]
        found, rows = self._reader.embeddings(list(dict.fromkeys([*seqs, *examples, *others])))
        places = {seq: place for place, seq in enumerate(found)}
        near = rows[[places[seq] for seq in examples if seq in places]]
        scores = _cosines(_summed(rows, places, together or {}), _towards(vector, near, self._feedback_weight))
        return {seq: float(scores[places[seq]]) for seq in seqs if seq in places}

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


def _cosines(rows: FloatArray, vector: FloatArray) -> FloatArray:
    """Compare unit rows with a unit vector."""
    # In double, then rounded: BLAS adds some rows in another order, and the same passage found twice must tie.
    return np.clip(rows.astype(np.float64) @ vector.astype(np.float64), -1.0, 1.0).astype(np.float32)


def _summed(rows: FloatArray, places: Mapping[int, int], together: Mapping[int, Mapping[int, float]]) -> FloatArray:
    """The rows, those of records that are read with others as the unit vector of the sum."""
    summed = rows.copy()
    for seq, shares in together.items():
        held = {places[other]: share for other, share in shares.items() if other in places}
        if seq in places and held:
            total = rows[places[seq]] + np.array(list(held.values()), rows.dtype) @ rows[list(held)]
            summed[places[seq]] = total / max(float(np.linalg.norm(total)), _TINY)
    return summed


def _towards(vector: FloatArray, near: FloatArray, weight: float) -> FloatArray:
    """Move a unit vector towards the mean direction of others, the further the more these agree with each other.

    Examples that say the same are a topic, and the question is moved by ``weight``; those of a question that needs
    several places have little in common, and leave it where it is. One example agrees with nothing.
    """
    count = len(near)
    if count < 2 or not weight:
        return vector
    mean = near.mean(axis=0)
    length = float(np.linalg.norm(mean))
    agreement = (count * length**2 - 1.0) / (count - 1)  # the mean cosine of two of them
    if agreement <= 0.0:
        return vector
    moved = vector + weight * agreement**2 * mean / length
    return (moved / max(float(np.linalg.norm(moved)), _TINY)).astype(np.float32)
