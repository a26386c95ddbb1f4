"""A question in, a plan out: terms, tokens that must not be buried, phrases, routes. Nothing is looked up.

Every question is a ``fact`` for now; intents come with the recall issue.
"""

from __future__ import annotations

import re
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.text.exact_terms import identifiers
from trisynapse_memory.text.tokens import phrase_terms, query_terms
from trisynapse_memory.types import QueryPlan, QueryTerm

QUESTION_MAX_CHARS: Final = 4000  # more is a document, not a question
_QUOTED: Final = re.compile(r'"([^"]{2,200})"|“([^”]{2,200})”|«([^»]{2,200})»')


def plan_question(question: str, config: Config, top_k: int | None = None) -> QueryPlan:
    """Decide how a question is looked for.

    Raises:
        InvalidInputError: the question is empty, or longer than 4,000 characters.
    """
    text = question.strip()
    if not text:
        raise InvalidInputError("The question is empty.", hint="Type a question or some words.")
    if len(text) > QUESTION_MAX_CHARS:
        raise InvalidInputError(
            f"The question has {len(text):,} characters; the limit is {QUESTION_MAX_CHARS:,}.",
            hint="To check a longer text sentence by sentence use `check`.",
        )
    return QueryPlan(
        question=text,
        intent="fact",
        terms=tuple(QueryTerm(term.key, term.weight) for term in query_terms(text)),
        rare_terms=identifiers(text),
        phrases=tuple(_phrases(text)),
        route_weights={"lexical": config.lexical_weight, "semantic": config.semantic_weight},
        fusion=config.fusion,
        candidate_limit=config.candidate_limit,
        hit_limit=top_k or config.hit_limit,
    )


def _phrases(text: str) -> list[tuple[str, ...]]:
    quoted = (next(group for group in match.groups() if group) for match in _QUOTED.finditer(text))
    return [tuple(term.key for term in phrase_terms(phrase)) for phrase in quoted]
