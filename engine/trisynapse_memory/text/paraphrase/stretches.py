"""The words of a sentence with their kinds in, the same with one finite verb to each stretch between borders out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from trisynapse_memory.text.paraphrase.lexemes import FINITE, OPENS, Kind, Lexeme, is_modal, is_participle
from trisynapse_memory.text.paraphrase.thesaurus import is_mostly_verb, may_be_verb
from trisynapse_memory.text.statements import Sort


def stretches_of(lexemes: Sequence[Lexeme]) -> list[tuple[int, int]]:
    """From border to border: stops, links, "and", and the prepositions that may open a clause."""
    borders = [
        index
        for index, one in enumerate(lexemes)
        if one.kind in OPENS or one.kind is Kind.RELATIVE or one.lower in ("after", "before", "until", "since")
    ]
    starts = [0, *(border + 1 for border in borders)]
    return [(start, end) for start, end in zip(starts, [*borders, len(lexemes)], strict=True) if start < end]


def correct(found: list[Lexeme], start: int, end: int) -> None:
    """Give a stretch one finite verb where the words one by one gave it none, or took its noun for one."""
    acting = [index for index in range(start, end) if found[index].kind in FINITE or is_modal(found[index])]
    participle = found[start].kind is Kind.VERB and is_participle(found[start].lower) and start == 0
    if participle and len(acting) > 1 and start + 1 < end and found[start + 1].kind is Kind.NOUN:
        found[start] = replace(found[start], kind=Kind.NOUN)  # "Lost items must be handed in"
    heads = start == 0 or found[start - 1].kind in (Kind.STOP, Kind.AND)
    if (
        heads
        and len(acting) > 1
        and acting[0] == start
        and found[start].kind is Kind.VERB
        and _is_plain(found[start].lower)
    ):
        lower = found[start].lower  # "Filter A must be replaced, filter B ...", "Test suite B found"
        found[start:] = [
            replace(one, kind=Kind.NOUN) if one.kind is Kind.VERB and one.lower == lower else one
            for one in found[start:]
        ]
    for one, two in pairwise(acting):
        asked = one > 0 and found[one - 1].kind in (
            Kind.RELATIVE,
            Kind.PRONOUN,
            Kind.LIMIT,
            Kind.TO,
            Kind.AUXILIARY,
            Kind.HAVE,
            Kind.BE,
        )
        both = found[one].kind is found[two].kind is Kind.VERB and not asked
        if two == one + 1 and both and is_participle(found[two].lower):
            found[one] = replace(found[one], kind=Kind.NOUN)  # "Velda shares traded"
    if not acting and not any(_promote(found, start, end, may_be_verb, alone) for alone in (True, False)):
        _promote(found, start, end, lambda lower: lower.endswith("s"), alone=True)


def _promote(found: list[Lexeme], start: int, end: int, may: Callable[[str], bool], alone: bool) -> bool:
    """Take the first noun for the verb that can be one by form and neighbours: "hotter water damages the seal"."""
    for index in range(start + 1, end):
        one, last = found[index], found[index - 1]
        plural = last.lower.endswith("s")
        fits = one.lower.endswith("s") != plural if last.kind is Kind.NOUN else one.lower.endswith("s")
        fits = fits or (last.kind is Kind.NUMBER and is_mostly_verb(one.lower))
        if (
            one.kind is Kind.NOUN
            and one.sort is Sort.WORD
            and last.kind in (Kind.NOUN, Kind.NUMBER, Kind.UNIT)
            and one.lower != "times"
            and (fits or is_participle(one.lower))
            and may(one.lower)
            and (
                not alone
                or is_participle(one.lower)
                or index + 1 == end
                or found[index + 1].sort is not Sort.WORD
                or found[index + 1].kind is not Kind.NOUN
            )
        ):
            found[index] = replace(one, kind=Kind.VERB)
            return True
    return False


def _is_plain(lower: str) -> bool:
    return not lower.endswith(("ing", "ed"))
