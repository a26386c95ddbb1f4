"""A plan and the best that was found for it in, a wider plan out: more words, then more ways. Nothing is looked up.

The words of the question keep their weight, and whether they are answered is told by them alone: what is added only
leads to records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import structs

from trisynapse_memory.scoring.bm25 import idf
from trisynapse_memory.text.paraphrase.thesaurus import likely_synonyms
from trisynapse_memory.text.spelling import near_spellings
from trisynapse_memory.text.synonyms import likes_of
from trisynapse_memory.text.tokens import STEM_PREFIX, Form, Token, index_key, tokenize
from trisynapse_memory.text.words import FUNCTION_WORDS
from trisynapse_memory.types import QueryPlan, QueryTerm

SHORTEST: Final = 3  # letters of an added word; engine.md A9.8
PROPOSED_COUNT: Final = 40  # words of the best records whose rarity is looked up, the most frequent
LIKES_PER_WORD: Final = 3  # beyond, they are of other senses of the word
# Weights of what is added, beside 1 for a word of the question. Sweeps of each by a factor of two moved no measure.
FEEDBACK_WEIGHT: Final = 0.3  # of the best added word; the others by their share of its score
SYNONYM_WEIGHT: Final = 0.4  # as for a synonym in a passage (answering.inquiry)
SPELLING_WEIGHT: Final = 0.8  # as for a word without its accents (text.tokens)
# Deep recall asks the ways that count nothing otherwise, by the weights that did best (bench.ablations).
DEEP_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {"graph": 0.05, "activation": 0.5, "claims": 0.2, "summaries": 0.05}
)
DEEP_HOPS: Final = 1  # engine.md A9.9: one hop more
DEEP_HITS: Final = 2  # times the hits; engine.md A9.9


class Example(NamedTuple):
    """A record that probably answers: its words, and its score as a share of the best one's, in [0, 1]."""

    text: str
    share: float


def propose_words(plan: QueryPlan, examples: Sequence[Example]) -> dict[str, float]:
    """Tell how much the best records speak of words that the question does not have.

    Args:
        plan: its terms are left out.
        examples: the best records.

    Returns:
        Index key -> the sum over the records of their share times that of the word in their words, > 0; at most
        ``PROPOSED_COUNT``, the largest first.

    Source:
        Lavrenko and Croft, "Relevance-based language models", SIGIR 2001 (RM1, with the share as the likelihood).
    """
    known = {term.key for term in plan.terms}
    masses: dict[str, float] = {}
    for example in examples:
        keys = _content_keys(example.text)
        for key in keys:
            if key not in known:
                masses[key] = masses.get(key, 0.0) + example.share / len(keys)
    best = sorted(masses.items(), key=lambda pair: (-pair[1], pair[0]))[:PROPOSED_COUNT]
    return {key: mass for key, mass in best if mass > 0}


def choose_words(
    masses: Mapping[str, float], frequencies: Mapping[str, int], record_count: int, count: int
) -> tuple[QueryTerm, ...]:
    """Keep the proposed words that are rare in the vault for how often the best records have them.

    Args:
        masses: as of ``propose_words``.
        frequencies: how many records hold each.
        record_count: records in scope.
        count: how many are kept.

    Returns:
        Terms, best first, with weights in (0, ``FEEDBACK_WEIGHT``].
    """
    scores = {
        key: mass * idf(min(frequencies[key], record_count), record_count)
        for key, mass in masses.items()
        if frequencies.get(key)
    }
    best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:count]
    return tuple(QueryTerm(key, FEEDBACK_WEIGHT * score / best[0][1]) for key, score in best if score > 0)


def propose_likes(plan: QueryPlan) -> tuple[tuple[str, ...], ...]:
    """Return for each word of the question the index keys of its synonyms and of what may be derived from it."""
    known = {term.key for term in plan.terms}
    groups = ({STEM_PREFIX + like for like in likes_of(stem) | likely_synonyms(stem)} for stem in _stems(plan.terms))
    return tuple(tuple(sorted(group - known)) for group in groups)


def choose_likes(groups: Sequence[Sequence[str]], frequencies: Mapping[str, int]) -> tuple[QueryTerm, ...]:
    """Keep of each word the ``LIKES_PER_WORD`` that most records hold; what none holds is no word of this vault."""
    kept: dict[str, None] = {}
    for group in groups:
        best = sorted(group, key=lambda key: (-frequencies.get(key, 0), key))[:LIKES_PER_WORD]
        kept.update(dict.fromkeys(key for key in best if frequencies.get(key)))
    return tuple(QueryTerm(key, SYNONYM_WEIGHT) for key in kept)


def respelled_words(
    plan: QueryPlan, frequencies: Mapping[str, int], examples: Sequence[Example]
) -> tuple[QueryTerm, ...]:
    """Return the words of the best records that a word of the question, which no record has, is a slip of."""
    missing = [one for one in _stems(plan.terms) if not frequencies.get(STEM_PREFIX + one)]
    if not missing:
        return ()
    keys = {key for example in examples for key in _content_keys(example.text)}
    stems = {key.removeprefix(STEM_PREFIX) for key in keys if key.startswith(STEM_PREFIX)}
    near = sorted({other for one in missing for other in near_spellings(one, stems)})
    return tuple(QueryTerm(STEM_PREFIX + other, SPELLING_WEIGHT) for other in near)


def with_words(plan: QueryPlan, *added: Iterable[QueryTerm]) -> QueryPlan:
    """Return the plan with further terms; of equal ones the first stays, so those of the question keep their weight."""
    terms = {term.key: term for term in plan.terms}
    for some in added:
        for term in some:
            terms.setdefault(term.key, term)
    return structs.replace(plan, terms=tuple(terms.values()))


def deepened(plan: QueryPlan) -> QueryPlan:
    """Return the plan for deep recall: every way counts, walks go a hop further, and more hits are read."""
    weights = {name: max(weight, plan.route_weights.get(name, 0.0)) for name, weight in DEEP_WEIGHTS.items()}
    return structs.replace(
        plan,
        route_weights={**plan.route_weights, **weights},
        extra_hops=DEEP_HOPS,
        hit_limit=min(DEEP_HITS * plan.hit_limit, plan.candidate_limit),
    )


def words_in(terms: Iterable[QueryTerm]) -> str:
    """Return terms as a run tells them: without their marks, in their order."""
    return ", ".join(term.key.removeprefix(STEM_PREFIX) for term in terms)


def _stems(terms: Iterable[QueryTerm]) -> Iterator[str]:
    return (term.key.removeprefix(STEM_PREFIX) for term in terms if term.key.startswith(STEM_PREFIX))


def _content_keys(text: str) -> list[str]:
    """The words of a text that say something, each by one key: its stem, else itself, else its pairs of characters."""
    places: dict[int, Token] = {}
    for token in tokenize(text):
        if _is_word(token) and (token.form is Form.STEM or token.position not in places):
            places[token.position] = token
    return [index_key(token) for token in places.values() if token.term not in FUNCTION_WORDS]


def _is_word(token: Token) -> bool:
    if token.form is Form.CJK:
        return len(token.term) > 1
    return token.form in (Form.EXACT, Form.STEM) and token.term.isalpha() and len(token.term) >= SHORTEST
