"""A clause laid on one of the source in, whether it is limited alike and means no more things out."""

from __future__ import annotations

from collections import Counter
from typing import Final

from trisynapse_memory.text.paraphrase.clauses import Clause
from trisynapse_memory.text.paraphrase.compatibility import parts_of
from trisynapse_memory.text.paraphrase.fitting import Fit
from trisynapse_memory.text.paraphrase.lexemes import Kind
from trisynapse_memory.text.synonyms import POPULATIONS

_WEAK: Final = frozenset({"all", "both", "any"})  # They may be left out.
_OF_ONE_WORD: Final = frozenset(
    "about least most_bound morethan lessthan all some majority many few half both any only margin".split()
)


def limits_agree(fit: Fit) -> bool:
    """Whether the same negations, hedges, bounds and quantifiers limit the same words; some may be left out."""
    mine = Counter(limit.group for limit in fit.stated.limits)
    theirs = Counter(limit.group for limit in fit.home.limits if _is_used(fit, limit.group, limit.target))
    denied = mine["not"] or theirs["not"]
    if any("per" in parts_of(word) for word in fit.stated.words):
        for group in ("belief", "evidence"):  # "According to Meyer, ..." for "Meyer thinks that ..."
            theirs[group] = mine[group]
    theirs["must"] += fit.home.ordered and not theirs["must"]
    mine["must"] += (fit.stated.ordered or fit.home.ordered) and not mine["must"] and not mine["possible"]
    for group in set(mine) | set(theirs):
        if mine[group] == theirs[group]:
            continue
        dropped = group in _WEAK and mine[group] < theirs[group] and (not denied or fit.home.link == "not")
        weaker = group == "can" and not theirs["can"] and not denied and not theirs["must"]
        partial = not fit.stated.verbs and group != "not" and mine[group] < theirs[group] and group not in _OF_ONE_WORD
        idle = group == "any" and denied and mine["not"] == theirs["not"]
        if not dropped and not idle and not weaker and not partial:
            return False
    if mine["not"] and theirs["not"] and not _same_denied(fit):
        return False
    return all(
        _same_target(fit, group, limit.target)
        for limit in fit.stated.limits
        for group in [limit.group]
        if group in _OF_ONE_WORD and theirs[group]
    )


def _same_denied(fit: Fit) -> bool:
    """Whether "not" denies the same verb: not "who did not quit" for "who quit ... those who did not"."""
    mine = [_denied_verb(fit.stated, limit.target) for limit in fit.stated.limits if limit.group == "not"]
    theirs = [_denied_verb(fit.home, limit.target) for limit in fit.home.limits if limit.group == "not"]
    placed = [fit.places[verb] for verb in mine if verb is not None and fit.places[verb] >= 0]
    return not placed or any(verb is None or verb in placed for verb in theirs)


def _denied_verb(clause: Clause, target: int) -> int | None:
    verbs = [index for index, word in enumerate(clause.words) if word.kind is Kind.VERB]
    behind = [index for index in verbs if index >= target]
    return behind[0] if behind else verbs[-1] if verbs else None


def _is_used(fit: Fit, group: str, target: int) -> bool:
    """Whether a limit of the home limits something that was taken from it."""
    if group in _OF_ONE_WORD:
        hosts = (target - 1, target) if group == "only" else (target, target + 1)
        return any(host in fit.places for host in hosts)
    return True


def _same_target(fit: Fit, group: str, target: int) -> bool:
    wanted = [limit.target for limit in fit.home.limits if limit.group == group]
    near = [place for place in fit.places[max(0, target - (group == "only")) : target + 2] if place >= 0]
    return not near or any(abs(place - other) <= 1 for place in near for other in wanted)


def nothing_widened(fit: Fit) -> bool:
    """Who or what is meant is as narrow as in the source."""
    taken = set(fit.places)
    for place, word in enumerate(fit.home.words):
        used = place in taken
        narrowing = [i for i, one in enumerate(fit.home.words) if one.narrows is word and not one.apposed]
        if used and narrowing and not taken & set(narrowing):
            return False
        if word.text.lower() in POPULATIONS and not _population_kept(fit.home, place, taken):
            return False
    return True


def _population_kept(home: Clause, place: int, taken: set[int]) -> bool:
    word = home.words[place]
    under = {role.part for role in word.roles}
    if place not in taken:
        return not ({"place", "between"} & under)
    for before in range(place - 1, max(-1, place - 3), -1):
        other = home.words[before]
        if other.phrase != word.phrase or other.kind is Kind.VERB:
            break
        if before not in taken:
            return False
    bounded = {limit.target for limit in home.limits if limit.group in ("morethan", "lessthan")}
    return not any(target in (place + 1, place + 2) and target not in taken for target in bounded)
