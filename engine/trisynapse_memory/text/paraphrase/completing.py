"""A clause and those before it in, the same with what it leaves out put in: the subject, or the verb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trisynapse_memory.text.paraphrase.clauses import COPULA, OBJECT, SUBJECT, VERB, Clause, Limit, Role, Word
from trisynapse_memory.text.paraphrase.lexemes import Kind
from trisynapse_memory.text.paraphrase.telling import inherit_doubt
from trisynapse_memory.text.statements import Sort

_PLACES: Final = frozenset({"place", "under", "above"})
_OF_ONE: Final = frozenset({"for", "place", "with"})  # They name who is meant: "80 percent for the old one".
_SUBORDINATE: Final = frozenset("that whether when while if unless after before until since because where once".split())
_COUNTING: Final = frozenset({"all", "some", "majority", "many", "few", "both", "only", "half"})
_MODAL_GROUPS: Final = frozenset({"must", "possible", "can", "expected", "probable"})


def complete(clause: Clause, before: Sequence[Clause]) -> None:
    """Take what a clause leaves out from the last one: the subject of its verb, or the verb of its subject."""
    inherit_doubt(clause, before)
    if clause.link in ("which", "whose") and before:
        nouns = [word for word in before[-1].words if word.kind is Kind.NOUN]
        part = "of" if clause.link == "whose" else OBJECT if clause.has_subject() and clause.finite else ""
        clause.words[:0] = [_recast(word, clause, part) for word in nouns[-1:]]
        clause.shift(len(nouns[-1:]))
        return
    main = [one for one in before if one.link not in ("which", "whose") or clause.link]
    previous = next((one for one in reversed(main) if one.words), None)
    if previous is None:
        return
    if clause.link in _SUBORDINATE:
        first = clause.words[0]
        if clause.link != "that" and first.kind is Kind.VERB and first.lower.endswith("ing"):
            doers = previous.head()  # "Osei beat Varga after losing to her": it is Osei who lost
            clause.words[:0] = [_recast(word, clause) for word in doers]
            clause.shift(len(doers))
        return
    if not clause.finite and not previous.acts():
        return
    if not clause.finite:
        _fill_gap(clause, previous)
    elif not clause.has_subject() and not clause.open_subject and not clause.ordered:
        doers = previous.head()
        clause.limits += _carried(previous, doers)
        if clause.passive and previous.passive:  # "must be stored cold and used within a day"
            clause.limits += [Limit(one.group, 0) for one in previous.limits if one.group in _MODAL_GROUPS]
        clause.words[:0] = [_recast(word, clause) for word in doers]
        clause.shift(len(doers))
    elif clause.ordered and previous.limits and not previous.ordered:
        clause.ordered = False
        doers = previous.head()
        shared = [limit.group for limit in previous.limits if limit.group in _MODAL_GROUPS]
        clause.words[:0] = [_recast(word, clause) for word in doers]
        clause.shift(len(doers))
        clause.limits += [Limit(group, len(doers)) for group in shared] + _carried(previous, doers)


def _carried(previous: Clause, doers: Sequence[Word]) -> list[Limit]:
    """The limits that stand before the words that are carried on: "every driver ... and renew it"."""
    return [
        Limit(one.group, one.target) for one in previous.limits if one.target < len(doers) and one.group in _COUNTING
    ]


def _recast(word: Word, clause: Clause, as_part: str = "") -> Word:
    """A word of another clause as the subject of this one's verbs."""
    verbs = [one for one in clause.words if one.kind is Kind.VERB]
    part = OBJECT if clause.passive else SUBJECT
    verb = verbs[0].key if verbs else COPULA
    said = not word.narrows and any(role.part in (SUBJECT, OBJECT) for role in word.roles)
    roles = [Role(as_part or part, verb)] if said or as_part else list(word.roles)
    return Word(word.key, word.sort, word.kind, word.text, -1, roles)


def _fill_gap(clause: Clause, previous: Clause) -> None:
    """Say what "..., B only 9" leaves out: all of the clause before but what is named anew."""
    subject = OBJECT if previous.ordered or previous.passive else SUBJECT
    kept = _kept(clause, previous, subject)
    _give_roles(clause, previous, subject)
    clause.ordered = previous.ordered
    clause.limits += [
        Limit(limit.group, len(clause.words) + kept.index(limit.target))
        for limit in previous.limits
        if limit.target in kept
    ]
    clause.words += [previous.words[index] for index in kept]


def _named_parts(clause: Clause) -> set[str]:
    """The parts that a clause without a verb names anew."""
    plain = [word for word in clause.words if word.narrows is None and word.sort in (Sort.WORD, Sort.NAME)]
    if clause.link == "comparedwith" and clause.alike:  # "80 percent for the old one"
        for word in plain:
            word.roles = [Role(SUBJECT if role.part in _OF_ONE else role.part, "") for role in word.roles]
        return {role.part for word in plain for role in word.roles}
    leads = clause.words[0].sort is Sort.NUMBER  # "... and 3 minutes late in summer"
    return {OBJECT if leads and role.part == SUBJECT else role.part for word in plain for role in word.roles}


def _kept(clause: Clause, previous: Clause, subject: str) -> list[int]:
    """The places of the words of the clause before that still stand."""
    parts = {subject if part == SUBJECT else part for part in _named_parts(clause)}
    heads = [word for word in previous.head() if word.kind is Kind.NOUN]
    numbers = sum(word.sort is Sort.NUMBER for word in clause.words)
    kept: list[int] = []
    for index, word in enumerate(previous.words):
        if word.sort is Sort.NUMBER and numbers:
            numbers -= 1
        elif _is_named_by_kind(clause, word, bare=index - 1 not in kept):
            continue
        elif clause.alike and heads and word is heads[-1]:
            kept.append(index)  # "the old one": one of the same
        elif word.kind is Kind.VERB or not any(_replaces(part, role.part) for part in parts for role in word.roles):
            kept.append(index)
    return kept


def _is_named_by_kind(clause: Clause, word: Word, *, bare: bool) -> bool:
    """Whether a clause names a comparison, a unit (``bare``: its number is gone), or what a pronoun stands for."""
    if word.sort is Sort.COMPARISON and any(one.sort is Sort.COMPARISON for one in clause.words):
        return True
    if word.narrows and any(one.narrows for one in clause.words):
        return True
    if word.kind is Kind.UNIT and bare and any(one.kind is Kind.UNIT for one in clause.words):
        return True
    under = bool(word.roles) and word.roles[0].part not in (SUBJECT, OBJECT, VERB, "of")
    return under and clause.pronoun and not clause.alike  # "... without the enzyme and 2 hours with it"


def _give_roles(clause: Clause, previous: Clause, subject: str) -> None:
    """Give the words of a clause without a verb the parts of those they take the place of."""
    replaced = [word.roles for word in previous.words if word.sort is Sort.NUMBER]
    verb = next((word.key for word in previous.words if word.kind is Kind.VERB), "")
    part, first_phrase = subject, clause.words[0].phrase
    for word in clause.words:
        if word.phrase != first_phrase and word.sort is not Sort.NUMBER and part == subject:
            part = OBJECT  # "group B a placebo"
        if word.sort is Sort.NUMBER and replaced:
            word.roles = replaced.pop(0)
            part = word.roles[0].part if word.roles else part
        else:
            word.roles = [Role(part if role.part == SUBJECT else role.part, role.verb or verb) for role in word.roles]
        word.own = True


def _replaces(part: str, other: str) -> bool:
    return part == other or {part, other} <= _PLACES
