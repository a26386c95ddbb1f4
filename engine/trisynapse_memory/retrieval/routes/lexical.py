"""The words of a plan in, candidates by BM25 out; quoted phrases decide first. No text is read here."""

from __future__ import annotations

from collections import Counter

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import LexicalReader
from trisynapse_memory.types import Candidate, QueryPlan, Scope


class LexicalRoute:
    """Proposes the records that share words with the question.

    Args:
        reader: finds records by their words.
        config: ``lexical_limit`` is read.
    """

    name = "lexical"

    def __init__(self, reader: LexicalReader, config: Config) -> None:
        self._reader = reader
        self._limit = config.lexical_limit

    def candidates(self, plan: QueryPlan, scope: Scope) -> tuple[Candidate, ...]:
        """Return up to ``lexical_limit`` records, best first.

        A quoted phrase is a demand: where any record holds one, only records that do are proposed, and one that holds
        more of the phrases comes first. Where none does, the words alone decide, so a wrong quotation still finds.
        """
        found = self._reader.search(plan.terms, scope, self._limit)
        held = Counter[int]()
        for phrase in dict.fromkeys(plan.phrases):
            held.update(candidate.seq for candidate in self._reader.phrase(phrase, scope, self._limit))
        return self._holding(found, held) if held else found

    def _holding(self, found: tuple[Candidate, ...], held: Counter[int]) -> tuple[Candidate, ...]:
        scores = {candidate.seq: candidate.score for candidate in found}
        # Each phrase is worth more than all words together, so the number of phrases decides before the words do.
        step = found[0].score if found else 1.0
        proposed = [Candidate(seq, scores.get(seq, 0.0) + times * step, "phrase") for seq, times in held.items()]
        proposed.sort(key=lambda candidate: (-candidate.score, candidate.seq))
        return tuple(proposed[: self._limit])
