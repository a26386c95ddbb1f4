"""A sentence and another one in, whether the first says nothing that the second does not say out. No model is asked.

Both are put into their plainest turns of phrase and read clause by clause. Each clause of the first must rest on one
clause of the second: every word has its like there, who does what to whom is the same, numbers stand by what they
count, limits ("not", "may", "at least", "only") are the same, and nothing that narrows who is meant was dropped.

Limits: English. The grammar is shallow; a clause that it reads wrongly mostly finds no place and is not taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from trisynapse_memory.text.paraphrase.clauses import OBJECT, Clause, Word
from trisynapse_memory.text.paraphrase.compatibility import parts_of
from trisynapse_memory.text.paraphrase.fitting import LINKS, Fit, fit_on, nothing_foreign
from trisynapse_memory.text.paraphrase.grammar import clauses_of
from trisynapse_memory.text.paraphrase.lexemes import Kind
from trisynapse_memory.text.paraphrase.limiting import limits_agree, nothing_widened
from trisynapse_memory.text.paraphrase.rephrasing import abbreviations, canonical
from trisynapse_memory.text.paraphrase.roles import (
    heads_kept,
    none_exchanged,
    numbers_stay,
    order_holds_where_needed,
    phrases_hold,
    roles_agree,
)

_OPEN: Final = frozenset({"if", "unless", "whether", "before"})  # What stands behind them is not said to be so.
_CONDITIONS: Final = frozenset({"if", "unless"})


def restates(sentence: str, source: str, context: Sequence[str] = ()) -> bool:
    """Whether each clause of a sentence rests on one clause of its source.

    Args:
        sentence: what is claimed.
        source: one sentence.
        context: the sentences around it, that say what its pronouns and abbreviations mean.

    Source:
        engine.md 0.5; floors in ``tests/engine/text/test_verdicts.py``.
    """
    short = tuple(abbreviations((*context, source, sentence)).items())
    stated, sources = _clauses(sentence, short), _clauses(source, short)
    if not any(clause.finite for clause in stated) or not sources:
        return False  # A piece of a sentence says nothing.
    around = _words_of(context, short)
    homes: list[int] = []
    for clause in stated:
        home = next((i for i in range(len(sources)) if _rests(clause, i, sources, around, i in homes)), None)
        if home is None:
            return False
        homes.append(home)
    told = any("per" in parts_of(word) for clause in stated for word in clause.words)
    return (
        _conditions_kept(homes, sources)
        and (told or _told_as_told(homes, sources))
        and not _is_reversed(stated, homes, sources)
    )


@lru_cache(maxsize=2048)
def _clauses(text: str, short: tuple[tuple[str, str], ...]) -> tuple[Clause, ...]:
    return clauses_of(canonical(text, dict(short)))


def _words_of(texts: Sequence[str], short: tuple[tuple[str, str], ...]) -> tuple[Word, ...]:
    return tuple(word for text in texts for clause in _clauses(text, short) for word in clause.words)


def _told_as_told(homes: Sequence[int], sources: Sequence[Clause]) -> bool:
    """Whether what somebody only says is given with who says it."""
    return all(sources[home].told < 0 or sources[home].told in homes for home in homes)


def _is_reversed(stated: Sequence[Clause], homes: Sequence[int], sources: Sequence[Clause]) -> bool:
    """Whether "A when B" became "B when A"."""
    linked = [home for clause, home in zip(stated, homes, strict=True) if LINKS.get(clause.link)]
    bare = [home for clause, home in zip(stated, homes, strict=True) if not LINKS.get(clause.link)]
    return any(not LINKS.get(sources[one].link) for one in linked) and any(LINKS.get(sources[one].link) for one in bare)


def contradicts(sentence: str, source: str, context: Sequence[str] = ()) -> bool:
    """Whether a sentence says the words of its source in other roles, for more than was meant, or the other way round.

    A clause that finds all its words in some clause of the source, and agrees with none of those, is such a one. Where
    the reading of either is unsure, nothing is contradicted. Arguments as of ``restates``.
    """
    short = tuple(abbreviations((*context, source, sentence)).items())
    stated, sources = _clauses(sentence, short), _clauses(source, short)
    around = _words_of(context, short)
    homes: list[int] = []
    for clause in stated:
        agreed = [
            index
            for index, home in enumerate(sources)
            if (fit := fit_on(clause, home, sources, around)) is not None and _links_agree(clause, home) and _holds(fit)
        ]
        known = bool(agreed) or len(sources) > 1 or any(fit_on(clause, home, sources, around) for home in sources)
        if not agreed and known:
            return True
        homes += agreed[:1]
    if len(homes) < len(stated):
        return False
    told = any("per" in parts_of(word) for clause in stated for word in clause.words)
    return not (told or _told_as_told(homes, sources)) or _is_reversed(stated, homes, sources)


def _holds(fit: Fit) -> bool:
    return roles_agree(fit) and heads_kept(fit) and none_exchanged(fit) and nothing_widened(fit)


def _conditions_kept(homes: Sequence[int], sources: Sequence[Clause]) -> bool:
    """Whether "if ..." and "unless ..." were taken together with what they limit."""
    for index, clause in enumerate(sources):
        if clause.link in _CONDITIONS and index not in homes:
            limited = index - 1 if index else index + 1
            if limited in homes:
                return False
    return True


def _rests(stated: Clause, index: int, sources: Sequence[Clause], around: Sequence[Word], again: bool) -> bool:
    """``again``: another clause of the sentence rests on this one too, so that the two belong together."""
    home = sources[index]
    if not _links_agree(stated, home) and not (again and stated.link in ("after", "when") and not home.link):
        return False
    fit = fit_on(stated, home, sources, around)
    return (
        fit is not None
        and nothing_foreign(fit)
        and _is_said_so(fit)
        and roles_agree(fit)
        and heads_kept(fit)
        and phrases_hold(fit)
        and order_holds_where_needed(fit)
        and none_exchanged(fit)
        and numbers_stay(fit)
        and limits_agree(fit)
        and nothing_widened(fit)
        and all(place in fit.places for place, word in enumerate(home.words) if _is_needed(word))
    )


def _is_said_so(fit: Fit) -> bool:
    """Whether what something is said to be is said of it in the home too: "the speed of light" makes no light fast."""
    return all(
        word.key == other.key or other.kind is Kind.VERB or any(role.verb == "be" for role in other.roles)
        for word, other in fit.pairs()
        if any(role.part == OBJECT and role.verb == "be" for role in word.roles)
    )


def _is_needed(word: Word) -> bool:
    """Whether a word of the home must be said: what it names anew, or a particle that turns its verb about ("off")."""
    return (word.own and word.kind is not Kind.ADVERB) or word.lower in ("off", "out", "away", "back", "down")


def _links_agree(stated: Clause, home: Clause) -> bool:
    mine, its = LINKS.get(stated.link, ""), LINKS.get(home.link, "")
    if its == "not":
        its = ""
    if mine == "not":
        mine = ""
    if home.link == "then":
        return not mine or mine == "before"
    if (mine == "when" and its in ("after", "if", "")) or (its == "when" and mine in ("after", "if")):
        return True
    if mine == "because" and home.causes:
        return True
    return mine == its or (not mine and (its not in _OPEN or (its == "before" and home.past)))
