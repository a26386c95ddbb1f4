"""A clause and those before it in, who only tells of it out: "critics say that ...", "it is not true that ..."."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trisynapse_memory.text.paraphrase.clauses import Clause, Limit
from trisynapse_memory.text.paraphrase.lexemes import Kind
from trisynapse_memory.text.synonyms import base

_DOUBTS: Final = frozenset({"belief", "evidence", "possible", "probable", "expected", "estimated"})
TELLING: Final = frozenset(
    map(
        base,
        """say tell state claim argue deny insist believe think hope fear doubt suspect allege warn predict promise
        write report announce declare admit explain complain suggest find show note conclude reveal confirm rule
        hold""".split(),
    )
)
# What stands behind them is so, or is told by the document itself.
_FACTUAL: Final = frozenset(
    map(
        base,
        """find show report note demonstrate reveal confirm discover prove observe establish know learn notice see
        realise realize conclude measure mean""".split(),
    )
)
_SHORT: Final = 4  # words of "the review found"


def tells_only(word: str) -> bool:
    """Whether a verb only tells that somebody says what follows: "critics say", "she denied", not "they showed"."""
    return base(word) in TELLING - _FACTUAL


def inherit_doubt(clause: Clause, before: Sequence[Clause]) -> None:
    """What somebody only believes, or is not so, is not said: "it is not true that ...", "Meyer claims that ..."."""
    if clause.link != "that" or not before:
        return
    above = before[-1]
    groups = [limit.group for limit in above.limits if limit.group in _DOUBTS]
    if any(word.lower in ("true", "certain", "clear", "sure", "case") for word in above.words):
        groups += [limit.group for limit in above.limits if limit.group == "not"]
    clause.limits += [Limit(group, 0) for group in groups]


def trace_teller(clause: Clause, before: Sequence[Clause]) -> None:
    """Note which clause only tells of which: the one before "that", or a short one behind: "..., critics say"."""
    if not before:
        return
    above = before[-1]
    above.causes |= clause.link == "so"
    if clause.link == "that" and any(verb not in _FACTUAL for verb in above.verbs):
        clause.told = len(before) - 1
    plain = not any(word.own for word in clause.words) and len(clause.verbs) == 1
    short = (
        plain and len(clause.words) <= _SHORT and clause.words[-1].kind is Kind.VERB and clause.words[-1].key in TELLING
    )
    if short and not clause.link and clause.words[-1].key not in _FACTUAL:
        above.told = len(before)
