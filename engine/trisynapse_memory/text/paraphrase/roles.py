"""A clause laid on one of the source in, whether who does what to whom is the same out."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from typing import Final

from trisynapse_memory.text.paraphrase.clauses import COPULA, FREE, OBJECT, SUBJECT, Clause, Role, Word
from trisynapse_memory.text.paraphrase.compatibility import compatible, is_core, parts_of
from trisynapse_memory.text.paraphrase.fitting import Fit
from trisynapse_memory.text.paraphrase.lexemes import Kind
from trisynapse_memory.text.statements import Sort
from trisynapse_memory.text.synonyms import base

# Who does what stands behind them does it: "helped to build".
_IMPLYING: Final = frozenset(map(base, "help manage use serve come go get happen continue begin start need".split()))
_RANKS: Final = frozenset("second third fourth fifth sixth seventh eighth ninth tenth next".split())
_NEAR: Final = 3  # words between a number and what it counts


def roles_agree(fit: Fit) -> bool:
    """Whether each word plays a part that it plays there too, or the two sides of one "is" were turned about."""
    unplaced = frozenset(
        word.key
        for word, place in zip(fit.stated.words, fit.places, strict=True)
        if place < 0 and word.kind is Kind.VERB
    )
    return all(
        compatible(word, other, unplaced) or (fit.home.pronoun and _same_core(word, other))
        for word, other in fit.pairs()
    ) or _is_turned_about(fit)


def heads_kept(fit: Fit) -> bool:
    """What hangs on a noun stands for itself only together with that noun: not "the mayor" for "the mayor's sister".

    The same for an infinitive and the verb over it: not "bought" for "tried to buy".
    """
    taken = [other for _, other in fit.pairs()]
    for word, other in fit.pairs():
        host = other.host
        if (
            is_core(word)
            and not word.modifies
            and host is not None
            and not is_core(other)
            and not any(one is host for one in taken)
        ):
            return False
        above = other.governor
        if above is not None and above.key not in _IMPLYING and not any(one is above for one in taken):
            return False
    return not any(
        _is_superlative(word) and place and fit.home.words[place - 1].lower in _RANKS and place - 1 not in fit.places
        for place, word in enumerate(fit.home.words)
        if place in fit.places
    )


def _is_superlative(word: Word) -> bool:
    return word.lower.endswith("est") or word.lower in ("most", "least", "best", "worst")


def _same_core(word: Word, other: Word) -> bool:
    """Whether both are subjects, or both objects, though of different verbs: "finds it and must hand it in"."""
    return bool(parts_of(word) & parts_of(other) & {OBJECT})


def _is_turned_about(fit: Fit) -> bool:
    """Whether "her deputy is Lund" was said as "Lund is her deputy": both sides of one "is", and nothing else."""
    wrong = [(word, other) for word, other in fit.pairs() if not compatible(word, other)]
    sides = {Role(SUBJECT, COPULA), Role(OBJECT, COPULA)}
    swapped = all(set(word.roles) <= sides and set(other.roles) <= sides for word, other in wrong)
    named = any(word.sort is Sort.NAME for word, _ in wrong)
    return bool(wrong) and swapped and named and not fit.stated.verbs and not fit.stated.limits


def none_exchanged(fit: Fit) -> bool:
    """No two words of the same kind change places, and none leaves its preposition while another goes under one."""
    pairs = list(fit.pairs())
    for (one, first), (two, second) in combinations(pairs, 2):
        if one.kind is Kind.VERB or two.kind is Kind.VERB:
            continue
        if is_core(one) and not is_core(first) and not is_core(two) and is_core(second):
            return False
        if is_core(two) and not is_core(second) and not is_core(one) and is_core(first):
            return False
        mine, its = parts_of(one), parts_of(two)
        if mine != its and mine == parts_of(second) and its == parts_of(first) and FREE not in mine | its:
            return False
        if fit.stated.passive == fit.home.passive and _sides_changed((one, first), (two, second)):
            return False
        rivals = one.sort is two.sort and one.sort in (Sort.NUMBER, Sort.NAME)
        if (
            rivals
            and _place(fit.home, first) > _place(fit.home, second)
            and not (_stays(one, first) and _stays(two, second))
        ):
            return False
    return True


def phrases_hold(fit: Fit) -> bool:
    """Two words of one phrase stand in one phrase there too, or the one under a loose preposition of the other."""
    for (one, left), (two, right) in pairwise(zip(fit.stated.words, fit.places, strict=True)):
        if left < 0 or right < 0 or one.phrase != two.phrase or one.kind is Kind.VERB or two.kind is Kind.VERB:
            continue
        low, high = sorted((left, right))
        if one.text.endswith("'") or "'s" in one.text or not one.roles:
            continue
        if high - low > _NEAR and not {one.kind, two.kind} & {Kind.ADVERB, Kind.DATE}:
            return False
    return True


def order_holds_where_needed(fit: Fit) -> bool:
    """Where a word stands twice in the home, or no verb tells who does what, the words keep their order."""
    keys = Counter(word.key for word in fit.home.words if word.kind is Kind.NOUN)
    twice = any(keys[other.key] > 1 for _, other in fit.pairs())
    if not twice and fit.stated.acts() and fit.home.acts():
        return True
    places = [
        place
        for word, place in zip(fit.stated.words, fit.places, strict=True)
        if place >= 0 and word.kind is not Kind.ADVERB
    ]
    return places == sorted(places)


def _place(clause: Clause, word: Word) -> int:
    return next(index for index, one in enumerate(clause.words) if one is word)


def _sides_changed(*pairs: tuple[Word, Word]) -> bool:
    """Whether two words under one preposition moved across the verb, each to where the other was."""
    moved = [
        bool(word.roles[0].verb) != bool(other.roles[0].verb) for word, other in pairs if word.roles and other.roles
    ]
    parts = [parts_of(word) for pair in pairs for word in pair]
    inverted = bool(pairs[0][0].roles and pairs[1][0].roles) and (
        bool(pairs[0][0].roles[0].verb) != bool(pairs[1][0].roles[0].verb)
    )
    return len(moved) == 2 and all(moved) and inverted and all(part == parts[0] for part in parts)


def _stays(word: Word, other: Word) -> bool:
    return bool({role.part for role in word.roles} & {role.part for role in other.roles})


def numbers_stay(fit: Fit) -> bool:
    """A number still stands by what it counts or names."""
    for index, word in enumerate(fit.stated.words):
        place = fit.places[index]
        if word.sort is not Sort.NUMBER or place < 0:
            continue
        beside = [
            fit.places[i]
            for i in (index - 1, index + 1)
            if 0 <= i < len(fit.places) and fit.places[i] >= 0 and _is_counted_by(fit.stated.words[i], word)
        ]
        if beside and not any(_is_near(fit.home, place, other) for other in beside):
            return False
    return True


def _is_counted_by(word: Word, number: Word) -> bool:
    return (
        word.kind in (Kind.NOUN, Kind.UNIT)
        and word.sort is not Sort.NUMBER
        and (word.phrase == number.phrase or word.kind is Kind.UNIT)
    )


def _is_near(home: Clause, place: int, other: int) -> bool:
    low, high = sorted((place, other))
    return high - low <= _NEAR and not any(word.sort is Sort.NUMBER for word in home.words[low + 1 : high])
