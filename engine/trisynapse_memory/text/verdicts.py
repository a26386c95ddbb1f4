"""A sentence and the span it cites in, how the one rests on the other out. No model is asked and nothing is read here.

A paraphrase passes only where every number, name, date, negation, comparison, hedge and quantifier stands in the span
in the same role and order and every other word has its like (``trisynapse_memory.text.synonyms``). What is not
understood is not found: a true sentence that is withheld costs a look at the source, a false one that is shown costs
trust.

The word rules need no model. A parser, where one is at hand, reads what they leave open.

Limits: English; one sentence of the span must carry the whole claim, so a fair summary of two sentences is "stitched".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from trisynapse_memory.contracts.parsing import SentenceParser
from trisynapse_memory.text.degrees import adds_degree
from trisynapse_memory.text.literal import literal_verdict
from trisynapse_memory.text.paraphrase.restating import contradicts, restates
from trisynapse_memory.text.paraphrase.trees.objections import is_grave, objection
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.statements import (
    Mark,
    Sort,
    Statement,
    Token,
    as_active,
    passive_verb,
    population_phrases,
    read_statement,
)
from trisynapse_memory.text.synonyms import agree
from trisynapse_memory.text.unasserted import blank_unasserted, is_framed
from trisynapse_memory.text.unsaid import blank_hidden, holds_order
from trisynapse_memory.types import CitationVerdict

NEAR: Final = 3  # tokens between a number and the word it counts, in both texts
_BETWEEN_CLAUSES: Final = re.compile(r",? (?:and|whereas|while) (?=(?:the|an?) |[A-Z])")
# A contrast in the middle may be left out: "recommends, but does not require, a second reading".
_INSERTED: Final = re.compile(r", (?:but|though|although) [^,;]{1,60},")
_SPOKEN_SIGNS: Final = "~\u00b1+\u00b0$\u20ac\u00a3=`"  # they may be said in words, or are typesetting
PARSED_CHARS: Final = 600  # a longer "sentence" is a list or a table, and a parser's time grows with it
_PART_TOKENS: Final = 3  # a shorter half says nothing by itself
# A time or place may stand with or without its preposition: "the value of 1926", "in 1926 the value".
_LOOSE_ROLES: Final = frozenset({"", "place", "per"})
# Groups that limit the one token behind them, not the whole clause.
_OF_ONE_TOKEN: Final = frozenset(
    {"about", "least", "most_bound", "all", "some", "majority", "many", "few", "half", "both", "any"}
)


def judge(
    sentence: str, span: str, neighbours: Sequence[str] = (), parser: SentenceParser | None = None
) -> CitationVerdict:
    """Say whether a sentence may be shown as resting on a span, and how closely it follows it.

    Args:
        sentence: one sentence of an answer.
        span: the cited passage.
        neighbours: the passages before and after it. They say who "it" or "he" is; no claim may rest on them alone.
        parser: of the language of both. With one, a paraphrase is read by its grammar too, which passes more and
            withholds what the other readings wrongly pass; without one, the word rules stand alone.

    Returns:
        VERBATIM (a literal part), NORMALISED (the same but for typesetting, case of the first letter, last stop),
        PARAPHRASE, STITCHED (its words come from several sentences of the span), else NOT_FOUND. Never WRONG_SOURCE:
        whether the span belongs to the cited record is the caller's to know. An empty sentence is NOT_FOUND.

    Source:
        engine.md 0.5; floors in ``tests/engine/text/test_verdicts.py``.
    """
    wanted = sentence.strip()
    if not any(letter.isalnum() for letter in wanted):
        return CitationVerdict.NOT_FOUND
    span = _stated(wanted, span)
    literal = literal_verdict(wanted, span)
    if literal is not None:
        return literal
    stated, orders, signs = read_statement(wanted), holds_order(wanted), _signs(wanted)
    sources = [span[start:end] for start, end in sentence_spans(span)]
    context = _context(sources, neighbours)
    for source, earlier in zip(sources, context, strict=True):
        if signs - _signs(source) or (not orders and holds_order(source)) or adds_degree(wanted, source):
            continue
        readings = (source, bare) if (bare := _INSERTED.sub("", source)) != source else (source,)
        passes = any(_rests(wanted, stated, text, earlier) for text in readings)
        if _stands_parsed(wanted, source, parser, passes=passes):
            return CitationVerdict.PARAPHRASE
    return CitationVerdict.STITCHED if _is_stitched(stated, sources) else CitationVerdict.NOT_FOUND


def stands_literally(sentence: str, span: str) -> CitationVerdict | None:
    """Return VERBATIM or NORMALISED where ``judge`` would, else None: much cheaper, and no parser is needed."""
    wanted = sentence.strip()
    if not any(letter.isalnum() for letter in wanted):
        return None
    return literal_verdict(wanted, _stated(wanted, span))


def _stated(wanted: str, span: str) -> str:
    """What a span says to its reader: without what markup hides and what it does not state itself."""
    span = span if "](" in wanted else blank_hidden(span)
    return span if is_framed(wanted) else blank_unasserted(span)


def _rests(wanted: str, stated: Statement, source: str, context: Sequence[str]) -> bool:
    """Whether a sentence rests on one of the source by the word rules."""
    follows = _follows(wanted, stated, source, context) or _follows_in_parts(wanted, source, context)
    return (follows and not contradicts(wanted, source, context)) or restates(wanted, source, context)


def _stands_parsed(wanted: str, source: str, parser: SentenceParser | None, *, passes: bool) -> bool:
    """The last word on a paraphrase that the word rules pass or not: what its grammar says, where it can be read."""
    if parser is None or max(len(wanted), len(source)) > PARSED_CHARS:
        return passes
    fault = objection(wanted, source, parser)
    return not is_grave(fault) if passes else not fault


def _signs(text: str) -> set[str]:
    """The signs of a text that are no words and no punctuation, such as pictures and arrows."""
    return {letter for letter in text if letter not in _SPOKEN_SIGNS and unicodedata.category(letter).startswith("S")}


def _context(sources: Sequence[str], neighbours: Sequence[str]) -> list[tuple[str, ...]]:
    """For each sentence of the span, the texts in which what its pronouns mean may stand."""
    return [(*neighbours, *sources[max(0, index - 2) : index]) for index in range(len(sources))]


@dataclass(frozen=True, slots=True)
class _Match:
    """Two statements and where each token of the first stands in the second (-1: nowhere, as a pronoun or light)."""

    stated: Statement
    source: Statement
    places: tuple[int, ...]

    def pairs(self) -> list[tuple[Token, int]]:
        """The tokens that stand in the source sentence itself, with their place."""
        return [(token, place) for token, place in zip(self.stated.tokens, self.places, strict=True) if place >= 0]


def _follows(sentence: str, stated: Statement, source_text: str, context: Sequence[str]) -> bool:
    source = read_statement(source_text)
    mine, its = passive_verb(sentence), passive_verb(source_text)
    if mine and not (its and agree(mine, its)):
        stated = as_active(stated, mine)
    elif its and not mine:
        source = as_active(source, its)
    places = _places(stated, source, context)
    if places is None:
        return False
    match = _Match(stated, source, places)
    return (
        _roles_agree(match)
        and _order_agrees(match)
        and _bonds_agree(match)
        and _limits_agree(match)
        and _counted_agree(match)
        and _populations_agree(match)
    )


def _follows_in_parts(sentence: str, source: str, context: Sequence[str]) -> bool:
    """Whether each half of a sentence follows by itself: "A has 6 and B has 12" for "B has 12 and A has 6"."""
    parts = _BETWEEN_CLAUSES.split(sentence)
    return len(parts) > 1 and all(
        len(stated.tokens) >= _PART_TOKENS and _follows(part, stated, source, context)
        for part, stated in ((part, read_statement(part)) for part in parts)
    )


def _places(stated: Statement, source: Statement, context: Sequence[str]) -> tuple[int, ...] | None:
    """Where each token stands in the source; None where one has no place."""
    places: list[int] = []
    used: set[int] = set()
    last = -1
    known: list[Token] | None = None
    for index, token in enumerate(stated.tokens):
        fits = [place for place, other in enumerate(source.tokens) if _same(token, other)]
        if not fits:
            if token.light:
                places.append(-1)
                continue
            if not source.pronoun or index > NEAR or token.role not in _LOOSE_ROLES:
                return None
            known = known or [other for text in context for other in read_statement(text).tokens]
            if not any(_same(token, other) for other in known):
                return None
            places.append(-1)
            continue
        last = min(fits, key=lambda place: _distance(token, place, source, last, used))
        used.add(last)
        places.append(last)
    return tuple(places) if any(place >= 0 for place in places) else None


def _distance(token: Token, place: int, source: Statement, last: int, used: set[int]) -> tuple[bool, bool, bool, int]:
    return place in used, source.tokens[place].role != token.role, place < last, abs(place - last)


def _same(token: Token, other: Token) -> bool:
    """Whether two tokens say the same: exactly for numbers, dates and names, else by stem or synonym."""
    if Sort.DATE in (token.sort, other.sort):
        return _same_date(token, other)
    if Sort.NUMBER in (token.sort, other.sort):
        return token.sort is other.sort and token.key == other.key
    if Sort.NAME in (token.sort, other.sort):
        return token.text.lower().removesuffix("'s") == other.text.lower().removesuffix("'s") or (
            token.sort is not other.sort and token.key == other.key
        )
    return agree(token.key, other.key)


def _same_date(token: Token, other: Token) -> bool:
    """A date that is less exact than its source is still right: October 2026 for 14 October 2026."""
    if token.sort is Sort.NUMBER:
        return other.key.startswith(f"{token.key}-")
    return token.sort is other.sort and (other.key == token.key or other.key.startswith(f"{token.key}-"))


def _roles_agree(match: _Match) -> bool:
    for token, place in match.pairs():
        role = match.source.tokens[place].role
        if token.role == role or {token.role, role} <= _LOOSE_ROLES:
            continue
        # Verbs, adjectives and adverbs have no role of their own; the check of order holds them.
        if token.sort is Sort.WORD and (token.adverb or "" in (token.role, role)) and "than" not in (token.role, role):
            continue
        return False
    return True


def _order_agrees(match: _Match) -> bool:
    """No two stand the other way round about a third: that is how A and B, or two values, are swapped."""
    pairs = [(token, place) for token, place in match.pairs() if not token.adverb]
    for index, (first, left) in enumerate(pairs):
        for last in range(index + 1, len(pairs)):
            second, right = pairs[last]
            if right >= left or _is_mobile(match, first, left, second, right):
                continue
            if any(right < place < left for _, place in pairs[index + 1 : last]):
                return False
            rivals = first.sort is second.sort and first.sort in (Sort.NUMBER, Sort.NAME) and first.role == second.role
            if rivals and not _is_listed(match, left, right):
                return False
    return True


def _is_mobile(match: _Match, first: Token, left: int, second: Token, right: int) -> bool:
    """Whether two tokens stand under two prepositions, the same in both texts: such phrases may change places."""
    roles = (match.source.tokens[left].role, match.source.tokens[right].role)
    return first.role != second.role and (first.role, second.role) == roles


def _bonds_agree(match: _Match) -> bool:
    """What stands side by side belongs together in the source too: no step back over a border, no step over a rival."""
    tokens = match.source.tokens
    pairs = [(index, place) for index, place in enumerate(match.places) if place >= 0]
    for (index, left), (following, right) in pairwise(pairs):
        one, two = match.stated.tokens[index], match.stated.tokens[following]
        if one.adverb or two.adverb or one.clause != two.clause or two.bound:
            continue
        if right < left:
            if two.role == "than" and one.sort is Sort.COMPARISON:
                return False
            fronted = one.role != two.role and all(token.role == one.role for token in match.stated.tokens[:index])
            crossed = tokens[right + 1 : left + 1]
            if not fronted and any(token.bound or token.clause != tokens[right].clause for token in crossed):
                return False
        elif _has_rival(one, two, tokens[left + 1 : right]):
            return False
        elif two.role == "than" or one.sort is Sort.COMPARISON:
            between = [i for i in range(left + 1, right) if tokens[i].sort is Sort.COMPARISON]
            if set(between) - set(match.places):  # Two comparisons in one sentence: each has its own operand.
                return False
    return True


def _has_rival(one: Token, two: Token, skipped: Sequence[Token]) -> bool:
    """Whether what was left out between two tokens takes the second one for itself.

    "The encoder has 12 layers and the decoder has 6": between encoder and 6 stand another number and another subject.
    A number that is only listed with its own noun ("26 tasks and nearly 50 datasets") is no rival.
    """
    if two.sort is Sort.NUMBER:
        numbers = [index for index, token in enumerate(skipped) if token.sort is Sort.NUMBER and token.role == two.role]
        rest = [i for i, _ in enumerate(skipped) if i not in numbers and i - 1 not in numbers]
        return bool(numbers) and bool(rest) and max(rest) > min(numbers)
    same = next((index for index, token in enumerate(skipped) if two.role and token.role == two.role), None)
    if same is not None and any(token.bound and not token.role for token in skipped[same:]):
        return True
    if "" == one.role == two.role and any(token.leads and not token.role for token in skipped):
        return not all(token.sort is Sort.NAME for token in skipped)
    return False


def _is_listed(match: _Match, left: int, right: int) -> bool:
    """Whether two names or counts stand side by side in a list of the source, whose order says nothing."""
    low, high = sorted((left, right))
    tokens = match.source.tokens[low : high + 1]
    numbers = [token for token in tokens if token.sort is Sort.NUMBER]
    if numbers:  # "26 tasks and 50 datasets": each with its noun, nothing else between them.
        return len(numbers) == 2 and len(tokens) == 3 and tokens[2].bound and tokens[2].sort is Sort.NUMBER
    return all(token.bound or token.sort is Sort.NAME for token in tokens[1:]) and not any(
        token.sort is Sort.NUMBER for token in match.source.tokens
    )


def _limits_agree(match: _Match) -> bool:
    """The same negations, hedges and quantifiers, each before the same word."""
    clauses = frozenset(match.source.tokens[place].clause for _, place in match.pairs())
    theirs = Counter(mark.group for mark in match.source.marks if mark.clause in clauses and _limits_used(match, mark))
    mine = match.stated.groups()
    # A margin belongs to its number: it may be left out only together with it.
    if mine.pop("margin", 0) != sum(
        1 for target in match.source.targets("margin") if target in match.places or target - 1 in match.places
    ):
        return False
    theirs.pop("margin", None)
    if mine != theirs:
        return False
    return all(_same_target(match, group) for group in mine if group in _OF_ONE_TOKEN or group in ("not", "only"))


def _limits_used(match: _Match, mark: Mark) -> bool:
    """Whether a limiting word of the source limits what was taken from it."""
    if not {mark.target, mark.target + 1}.isdisjoint(match.places):
        return True
    if mark.group in _OF_ONE_TOKEN:
        return False
    # "... and uses no extra memory" behind all that was taken limits nothing of it.
    end = max(match.places)
    return mark.target <= end or not any(token.bound for token in match.source.tokens[end + 1 : mark.target + 1])


def _same_target(match: _Match, group: str) -> bool:
    wanted = match.source.targets(group)
    for target in match.stated.targets(group):
        near = [place for place in match.places[target : target + 2] if place >= 0]
        if group in ("not", "only"):
            near = near[:1]
        slack = 0 if group in ("not", "only") else 1
        if near and not any(place - slack <= other <= place for other in wanted for place in near):
            return False
    return True


def _counted_agree(match: _Match) -> bool:
    """A number still counts the same: the token after it, or before it, is a neighbour of the number there too."""
    for index, token in enumerate(match.stated.tokens):
        place = match.places[index]
        if token.sort is not Sort.NUMBER or place < 0:
            continue
        beside = [match.places[i] for i in (index - 1, index + 1) if _is_beside(match.stated, index, i)]
        if beside and not any(0 < abs(other - place) <= NEAR for other in beside if other >= 0):
            return False
    return True


def _is_beside(statement: Statement, index: int, other: int) -> bool:
    """Whether two neighbouring tokens belong to one phrase."""
    if not 0 <= other < len(statement.tokens):
        return False
    one, two, second = statement.tokens[index], statement.tokens[other], statement.tokens[max(index, other)]
    return one.role == two.role and one.clause == two.clause and not second.bound


def _populations_agree(match: _Match) -> bool:
    """Who was studied is neither widened nor narrowed."""
    theirs = population_phrases(match.source)
    mine = population_phrases(match.stated)
    used = {match.source.tokens[place].clause for _, place in match.pairs()}
    for key, words in theirs.items():
        if key in mine:
            if not all(any(agree(word, other) for other in mine[key]) for word in words):
                return False
        elif any(token.key == key and token.role == "place" and token.clause in used for token in match.source.tokens):
            return False
    return True


def _is_stitched(stated: Statement, sources: Sequence[str]) -> bool:
    """Whether the words of a sentence are all there, but in more than one sentence of the span."""
    statements = [read_statement(source) for source in sources]
    wanted = [token for token in stated.tokens if not token.light]
    holders = [
        frozenset(i for i, source in enumerate(statements) if any(_same(token, other) for other in source.tokens))
        for token in wanted
    ]
    if len(holders) < 2 or not all(holders):
        return False
    return not holders[0].intersection(*holders[1:])
