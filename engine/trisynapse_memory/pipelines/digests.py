"""Groups whose evidence has changed in, their summaries out, one at a time and without a model. Idle work.

All state lies in the index: a process that dies loses the summary in hand and nothing else. Only the touched group is
read, and of it a bounded part: its first records and those that shown facts rest on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from trisynapse_memory.contracts import FloatArray, RecordReader
from trisynapse_memory.indexing.summary_bodies import Body, BodySentence
from trisynapse_memory.indexing.summary_sentences import Candidate, candidates_of, choose, fact_candidates
from trisynapse_memory.indexing.summary_topics import PHRASE_COUNT, key_phrases, questions_about
from trisynapse_memory.indexing.summary_upkeep import Basis, SummaryUpkeep, Turn
from trisynapse_memory.types import Record

EMBED_COUNT: Final = 4  # summaries embedded in one step, after all are made; about 20 ms each on a slow core
CONCEPT_LEAST: Final = 2  # sentences; one alone is a claim, not a summary
FACT_WEIGHT: Final = 1.25  # times, for a sentence that a shown fact was read from

Embed = Callable[[Sequence[str]], FloatArray]


class Digests:
    """Makes the summary of every group that waits, then the vectors of those that have none.

    A summary is two to four verbatim sentences that stand alone, key phrases as topic, and two other ways to ask for
    it. What a model wrote for exactly the present evidence is taken in its place.

    Args:
        index: says what waits and keeps the summaries.
        log: reads records by position.
        embed: turns texts into ``(n, d) float32`` unit rows; None leaves summaries without vectors.
        model: the name of the model behind ``embed``.
    """

    def __init__(self, index: SummaryUpkeep, log: RecordReader, embed: Embed | None = None, model: str = "") -> None:
        self._index = index
        self._log = log
        self._embed = embed
        self._model = model

    def pending(self) -> int:
        """Return how many groups wait for a summary, and how many summaries for a vector."""
        unembedded = 0 if self._embed is None else self._index.unembedded_count(self._model)
        return self._index.waiting_count() + unembedded

    def step(self) -> int:
        """Make one summary, or when none waits the vectors of a few; return how many were done.

        Raises:
            WorkerDiedError, ProviderError: the embedder failed; the summaries are there and found by their words.
            VaultError: the index could not be written.
        """
        turn = self._index.next_turn()
        if turn is None:
            return self._embed_some()
        basis = self._index.basis(turn)
        body = None if basis is None else self._body(turn, basis)
        if basis is None or body is None:
            self._index.put_nothing(turn)
        else:
            self._index.put(turn, basis, body)
        return 1

    def _body(self, turn: Turn, basis: Basis) -> Body | None:
        facts = self._log.by_seqs(basis.facts)
        label = _label(facts) if turn.kind == "concept" else ""
        written = self._written(basis, label)
        if written is not None:
            return written
        if turn.kind == "concept":
            candidates = self._said_of(facts)
            texts = [one.text for one in candidates]
        else:
            records = self._log.by_seqs(basis.seqs)
            candidates = _unstruck(_favoured(candidates_of(records), facts), basis)
            texts = [record.text for record in records]
        chosen = choose(candidates)
        if len(chosen) < (CONCEPT_LEAST if label else 1):
            return None
        phrases = key_phrases(texts, basis.title if turn.kind == "source" else "")
        if label:
            phrases = (label, *(one for one in phrases if one.casefold() not in label.casefold()))[:PHRASE_COUNT]
        sentences = tuple(map(_kept, chosen))
        return Body(sentences=sentences, phrases=phrases, questions=questions_about(phrases), label=label)

    def _written(self, basis: Basis, label: str) -> Body | None:
        details = basis.written
        sentences = () if details is None else self._index.sentences_of(details)
        if details is None or not sentences:
            return None
        model = details.model or details.provider
        return Body(sentences=sentences, questions=details.alt_phrasings, topic=details.topic, model=model, label=label)

    def _said_of(self, facts: Sequence[Record]) -> list[Candidate]:
        ids = list(dict.fromkeys(one for fact in facts for one in fact.evidence_ids))
        evidence = {one.id: one for one in self._log.by_seqs(self._index.positions(ids))}
        return fact_candidates(facts, evidence)

    def _embed_some(self) -> int:
        if self._embed is None:
            return 0
        texts = self._index.unembedded(self._model, EMBED_COUNT)
        if texts:
            vectors = np.asarray(self._embed([text for _, text in texts]), np.float32)
            self._index.put_vectors(self._model, texts, vectors)
        return len(texts)


def _label(facts: Sequence[Record]) -> str:
    """What most of the facts call their subject."""
    forms = Counter(" ".join((fact.subject or "").split()) for fact in facts)
    return min(forms, key=lambda form: (-forms[form], form), default="")


def _kept(candidate: Candidate) -> BodySentence:
    return BodySentence(
        text=candidate.text,
        record_ids=candidate.record_ids,
        seqs=candidate.seqs,
        start=candidate.start,
        end=candidate.end,
    )


def _favoured(candidates: Sequence[Candidate], facts: Sequence[Record]) -> list[Candidate]:
    """Let the sentences that shown facts rest on weigh more."""
    said = {(record_id, fact.text) for fact in facts for record_id in fact.evidence_ids}
    return [
        one._replace(weight=one.weight * FACT_WEIGHT) if (one.record_ids[0], one.text) in said else one
        for one in candidates
    ]


def _unstruck(candidates: Sequence[Candidate], basis: Basis) -> list[Candidate]:
    """Leave out what a correction has taken back."""
    return [
        one
        for one in candidates
        if not any(start < one.end and one.start < end for start, end in basis.struck.get(one.seqs[0], ()))
    ]
