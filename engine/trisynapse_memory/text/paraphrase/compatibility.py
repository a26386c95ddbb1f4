"""Two words and the parts they play in, whether these may stand for each other out."""

from __future__ import annotations

from typing import Final

from trisynapse_memory.text.paraphrase.clauses import COPULA, FREE, OBJECT, SUBJECT, VERB, Role, Word
from trisynapse_memory.text.paraphrase.thesaurus import are_likely_synonyms
from trisynapse_memory.text.statements import Sort
from trisynapse_memory.text.synonyms import agree, base

_LOOSE: Final = frozenset("place of for per as about with by at near".split())
_CORE: Final = frozenset({SUBJECT, OBJECT})
# What somebody does to a thing, the thing does too: "lime raised the pH", "the pH rose". Stems.
TURNING: Final = frozenset(
    map(
        base,
        """raise rise
        increase decrease fall drop grow change open close break stop start begin end improve move turn melt
        boil dissolve burn shrink expand heat cool freeze double dry spread split switch turn start""".split(),
    )
)


def parts_of(word: Word) -> set[str]:
    """The parts that a word plays."""
    return {role.part for role in word.roles}


def is_core(word: Word) -> bool:
    """Whether a word is a subject or an object."""
    return any(role.part in _CORE for role in word.roles)


def compatible(word: Word, other: Word, unplaced: frozenset[str] = frozenset()) -> bool:
    """``unplaced``: verbs of the sentence that say little and do not stand in the home."""
    if not word.roles or not other.roles:
        return True
    return any(_parts_agree(mine, its, (word, other), unplaced) for mine in word.roles for its in other.roles)


def _parts_agree(mine: Role, its: Role, words: tuple[Word, Word], unplaced: frozenset[str]) -> bool:
    word, other = words
    one, two = mine.part, its.part
    if FREE in (one, two):
        return True
    if VERB in (one, two):
        return one == two or word.sort is Sort.WORD
    if one in _CORE and two in _CORE:
        if _verbs_agree(mine.verb, its.verb):
            return one == two or (mine.verb in TURNING and its.verb in TURNING)
        if mine.verb in unplaced:
            return one == two
        return _is_light(mine.verb) or _is_light(its.verb)
    if (one in _CORE and word.modifies) or (two in _CORE and other.modifies):
        return {one, two} & (_LOOSE | {"from"}) != set()
    if one in _CORE:
        aimed = one == OBJECT and two in ("to", "for", "of", "by", "about")
        return aimed or (two in _LOOSE and (_is_light(mine.verb) or mine.verb in unplaced or two == "of"))
    if two in _CORE:
        return one in _LOOSE or (one == "to" and two == OBJECT)
    return one == two or {one, two} <= _LOOSE


def _is_light(verb: str) -> bool:
    return verb in ("", COPULA, "have", "do")


def _verbs_agree(one: str, two: str) -> bool:
    return one == two or agree(one, two) or are_likely_synonyms(one, two)
