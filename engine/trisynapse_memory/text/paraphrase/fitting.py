"""A clause and one of the source in, where each word of the first stands in the second out. Roles are not compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.text.paraphrase.clauses import OBJECT, SUBJECT, Clause, Word
from trisynapse_memory.text.paraphrase.compatibility import compatible, parts_of
from trisynapse_memory.text.paraphrase.lexemes import Kind
from trisynapse_memory.text.paraphrase.thesaurus import are_likely_synonyms
from trisynapse_memory.text.statements import Sort
from trisynapse_memory.text.synonyms import MONTHS, agree, base

# Verbs that say little; a sentence may have them although its source says it otherwise.
_LIGHT: Final = frozenset("be have take get make come go occur happen do say report find show state use given".split())
_HAVING: Final = frozenset(map(base, "contain hold include possess own comprise".split()))
_REFERRED: Final = frozenset({SUBJECT, OBJECT, "of", "to"})  # What a pronoun may stand for.
LINKS: Final = {
    "because": "because", "since": "because", "after": "after", "once": "after", "when": "when", "while": "when",
    "before": "before", "until": "before", "if": "if", "unless": "unless", "whether": "whether", "not": "not",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fit:
    """A clause laid on its home: where each word stands there (-1: elsewhere in the text, or light)."""

    stated: Clause
    home: Clause
    places: tuple[int, ...]

    def pairs(self) -> Iterator[tuple[Word, Word]]:
        """Each word that stands in the home, with its like."""
        return (
            (word, self.home.words[place])
            for word, place in zip(self.stated.words, self.places, strict=True)
            if place >= 0
        )


def fit_on(stated: Clause, home: Clause, sources: Sequence[Clause], around: Sequence[Word] = ()) -> Fit | None:
    """Lay a clause on one of the source; None where a word of it has no place there, nor in the text around it."""
    places = _places(stated, home, [one for one in sources if one is not home], around)
    return None if places is None else Fit(stated, home, places)


def _places(stated: Clause, home: Clause, others: Sequence[Clause], around: Sequence[Word]) -> tuple[int, ...] | None:
    places: list[int] = []
    for word in stated.words:
        fits = [place for place, other in enumerate(home.words) if _same(word, other)]
        if fits:
            places.append(min(fits, key=lambda place: _cost(word, place, home, places)))
        elif (word.kind is Kind.VERB and (word.key in _LIGHT or _is_had(word, home))) or _stands_around(
            word, home, others, around
        ):
            places.append(-1)
        else:
            return None
    matched = [word for word, place in zip(stated.words, places, strict=True) if place >= 0]
    return tuple(places) if any(word.kind is not Kind.ADVERB for word in matched) else None


def _is_had(word: Word, home: Clause) -> bool:
    """Whether a verb says what the home says with "has"."""
    return word.key in _HAVING and any(role.verb == "have" for one in home.words for role in one.roles)


def _cost(word: Word, place: int, home: Clause, places: Sequence[int]) -> tuple[bool, bool, int]:
    other = home.words[place]
    last = places[-1] if places else -1
    return place in places, not compatible(word, other), abs(place - last - 1)


def _same(word: Word, other: Word) -> bool:
    if Sort.DATE in (word.sort, other.sort):
        if word.key in MONTHS and other.key.split("-")[1:2] == [MONTHS[word.key]]:
            return True  # "in October" for "on 14 October 2026"
        return word.key == other.key or (other.sort is Sort.DATE and other.key.startswith(f"{word.key}-"))
    if Sort.NUMBER in (word.sort, other.sort):
        return word.sort is other.sort and word.key == other.key
    if Sort.NAME in (word.sort, other.sort):
        return _bare(word) == _bare(other) or (word.sort is not other.sort and word.key == other.key)
    if Sort.COMPARISON in (word.sort, other.sort) or Kind.UNIT in (word.kind, other.kind):
        return word.key == other.key or (word.sort is other.sort and agree(word.key, other.key))
    return agree(word.key, other.key) or are_likely_synonyms(word.key, other.key)


def _bare(word: Word) -> str:
    return word.text.lower().removesuffix("'s").rstrip("'")


def _stands_around(word: Word, home: Clause, others: Sequence[Clause], around: Sequence[Word]) -> bool:
    """Whether a word that the home says with a pronoun, or as a clause, stands in the text around it."""
    if word.sort in (Sort.NUMBER, Sort.DATE, Sort.COMPARISON):
        return any(
            LINKS.get(one.link) == role.part and any(_same(word, other) for other in one.words)
            for one in others
            for role in word.roles
        )
    parts = {role.part for role in word.roles}
    if word.kind is Kind.UNIT and any(one.kind is Kind.UNIT for one in home.words):
        return False
    for one in others:
        if any(_same(word, other) for other in one.words):
            if word.kind is Kind.UNIT or "per" in parts:
                return True
            if "each" in parts and not any("each" in parts_of(its) for its in home.words):
                return True
            if LINKS.get(one.link, "-") in parts or (
                "of" in parts and not any("of" in parts_of(its) for its in home.words)
            ):
                return True
            if SUBJECT in parts and not home.open_subject and home.has_subject():
                continue
            if home.pronoun and word.kind is Kind.NOUN and parts <= _REFERRED:
                return True
    meant = home.pronoun and word.kind is Kind.NOUN and parts <= _REFERRED
    return meant and any(_same(word, other) for other in around)


def nothing_foreign(fit: Fit) -> bool:
    """A word from around the home takes nobody's place, and no number of the home is used twice."""
    numbers = [place for place, word in zip(fit.places, fit.stated.words, strict=True) if word.sort is Sort.NUMBER]
    if len(set(numbers)) < len([place for place in numbers if place >= 0]) + (-1 in numbers):
        return False
    left = [word for place, word in enumerate(fit.home.words) if place not in fit.places and word.kind is Kind.NOUN]
    for word, place in zip(fit.stated.words, fit.places, strict=True):
        if place < 0 and word.kind is not Kind.VERB:
            parts = {role.part for role in word.roles}
            if any(role.part in parts for other in left for role in other.roles):
                return False
    return True
