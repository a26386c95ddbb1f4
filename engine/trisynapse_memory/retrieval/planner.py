"""A question in, a plan out: intent, terms, exact tokens, phrases, periods, routes. Nothing is looked up."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import IntentReader
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.retrieval.intents import RuleIntents, asks_of_all_sources, cued_modalities, subject_of
from trisynapse_memory.text.dates import find_dates
from trisynapse_memory.text.exact_terms import identifiers
from trisynapse_memory.text.names import names_of
from trisynapse_memory.text.tokens import Form, index_key, phrase_terms, query_terms, tokenize
from trisynapse_memory.types import Period, QueryPlan, QueryTerm

QUESTION_MAX_CHARS: Final = 4000  # more is a document, not a question
_QUOTED: Final = re.compile(r'"([^"]{2,200})"|“([^”]{2,200})”|«([^»]{2,200})»')
_RULES: Final = RuleIntents()


def plan_question(
    question: str,
    config: Config,
    top_k: int | None = None,
    *,
    intents: IntentReader = _RULES,
    today: date | None = None,
) -> QueryPlan:
    """Decide how a question is looked for.

    Args:
        question: as she asked it.
        config: weights and limits.
        top_k: how many hits she wants; None for the setting.
        intents: who tells its intent.
        today: the day that "last week" counts from; None leaves such words alone.

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
        intent=intents.read(text),
        terms=tuple(QueryTerm(term.key, term.weight) for term in query_terms(text)),
        rare_terms=identifiers(text),
        phrases=tuple(_phrases(text)),
        periods=tuple(_periods(text, today)),
        modalities=cued_modalities(text),
        names=tuple(dict.fromkeys(name.text for name in names_of(text))),
        subject=_subject(text),
        route_weights=_route_weights(config),
        fusion=config.fusion,
        candidate_limit=config.candidate_limit,
        hit_limit=top_k or config.hit_limit,
    )


def _route_weights(config: Config) -> dict[str, float]:
    return {
        "lexical": config.lexical_weight,
        "semantic": config.semantic_weight,
        "places": config.place_weight,
        "graph": config.graph_weight,
        "activation": config.activation_weight,
        "claims": config.claims_weight,
        "summaries": config.summaries_weight,
        "temporal": config.temporal_weight,
        "modality": config.modality_weight,
    }


def _phrases(text: str) -> list[tuple[str, ...]]:
    quoted = (next(group for group in match.groups() if group) for match in _QUOTED.finditer(text))
    return [tuple(term.key for term in phrase_terms(phrase)) for phrase in quoted]


def _subject(text: str) -> tuple[tuple[str, ...], ...]:
    """What an exhaustive question is about, word by word, each with the keys that stand for it; else nothing."""
    if not asks_of_all_sources(text):
        return ()
    about = subject_of(text)
    known = {term.key for term in query_terms(about)}  # without the function words
    words: dict[int, list[str]] = {}
    for token in tokenize(about):
        if index_key(token) in known and (token.form is not Form.CJK or len(token.term) > 1):
            words.setdefault(token.position, []).append(index_key(token))
    return tuple(tuple(keys) for _, keys in sorted(words.items()))


def _periods(text: str, today: date | None) -> list[Period]:
    found = (span.interval for span in find_dates(text, today))
    return [
        Period(None if one.start == date.min else one.start, None if one.end == date.max else one.end)
        for one in found
        if not one.label  # a financial year is a name, not a stretch of days
    ]
