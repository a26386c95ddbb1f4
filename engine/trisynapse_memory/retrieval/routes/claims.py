"""Names in a question in, the evidence of facts about them out, ranked by the question's words the facts hold.

Facts have a scale of their own: the share of the question's words that one holds. What was found is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import StatementReader
from trisynapse_memory.retrieval.measures import words_of
from trisynapse_memory.scoring.activation import strongest
from trisynapse_memory.text.entities import entity_key, is_generic
from trisynapse_memory.text.tokens import index_key, tokenize
from trisynapse_memory.types import Candidate, QueryPlan, Scope

NAME_WORDS: Final = 4  # longest run of words looked up as a name; nearly all names of entities are shorter
NAME_LIMIT: Final = 60  # names looked up; a question of 20 words has 74 runs, a pasted text thousands
_WHY: Final = "stated"


class ClaimRoute:
    """Proposes the evidence of what is stated about the things a question names.

    Args:
        statements: the facts.
        config: ``follow_limit`` is read.
    """

    name = "claims"

    def __init__(self, statements: StatementReader, config: Config) -> None:
        self._statements = statements
        self._limit = config.follow_limit

    def candidates(self, plan: QueryPlan, scope: Scope, seeds: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return up to ``follow_limit`` records, scored by the share of the question's words in (0, 1].

        A fact that holds no word but the name it was found by proposes nothing.
        """
        wanted = words_of(plan)
        keys = list(dict.fromkeys(_names(plan.question)))[:NAME_LIMIT]
        if not wanted or not keys:
            return ()
        found: dict[int, float] = {}
        for statement in self._statements.statements_about(keys, scope):
            keys_held = {index_key(token) for token in tokenize(statement.text)}
            held = sum(not keys_held.isdisjoint(word) for word in wanted)
            if held > 1:
                for seq in statement.evidence:
                    found[seq] = max(held / len(wanted), found.get(seq, 0.0))
        return tuple(Candidate(seq, score, _WHY) for seq, score in strongest(found, self._limit).items())


def _names(question: str) -> Iterator[str]:
    """Every run of up to ``NAME_WORDS`` words that may be a name, as a key, the longest first."""
    words = [question[token.start : token.end] for token in tokenize(question)]
    for size in range(NAME_WORDS, 0, -1):
        for at in range(len(words) - size + 1):
            run = " ".join(words[at : at + size])
            if not is_generic(run):
                yield entity_key(run)
