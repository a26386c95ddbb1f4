"""A word and those before it in, whether it is a verb there out: by its form, and by what stands before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trisynapse_memory.text.paraphrase.lexemes import (
    FINITE,
    INVARIANT,
    OPENS,
    PURE_PARTICIPLES,
    Kind,
    Lexeme,
    is_participle,
)
from trisynapse_memory.text.paraphrase.thesaurus import is_irregular, is_mostly_verb, may_be_verb
from trisynapse_memory.text.synonyms import IRREGULAR

_MODALS: Final = frozenset({"possible", "can", "must", "neednot", "expected"})
_PASSED: Final = frozenset({Kind.ADVERB, Kind.LIMIT, Kind.GRAMMAR})


def anchor_of(before: Sequence[Lexeme]) -> Lexeme | None:
    """The last word that tells what comes next: adverbs and limits are passed over, modals are not."""
    for lexeme in reversed(before):
        if lexeme.kind not in _PASSED or (lexeme.kind is Kind.LIMIT and lexeme.key in _MODALS):
            return lexeme
    return None


def acts_here(lower: str, following: str, before: Sequence[Lexeme]) -> bool:
    """Whether a content word is a verb, by its form and the word before it."""
    anchor = anchor_of(before)
    verbal = is_mostly_verb(lower)
    past = is_participle(lower) or ((lower in IRREGULAR or is_irregular(lower)) and verbal)
    if anchor is None or anchor.kind in OPENS:
        return _acts_first(lower, following, before, verbal, past)
    if anchor.kind is Kind.BE:
        return past or (lower.endswith("ing") and may_be_verb(lower))
    if anchor.kind is Kind.HAVE:
        return past
    if anchor.kind in (Kind.AUXILIARY, Kind.TO, Kind.LIMIT):
        return not lower.endswith("ing")
    if anchor.kind in (Kind.PRONOUN, Kind.RELATIVE):
        return past or may_be_verb(lower)
    if anchor.kind is Kind.PREPOSITION:
        return lower.endswith("ing") and verbal
    denied = before[-1].kind is Kind.LIMIT and before[-1].key == "not"
    if denied and anchor.kind is Kind.NOUN and may_be_verb(lower) and not lower.endswith(("s", "ing")):
        return True
    if anchor.kind is Kind.NUMBER and lower in PURE_PARTICIPLES:
        return True
    if anchor.kind is Kind.DETERMINER or (anchor.kind is Kind.NUMBER and not _is_label(before)):
        return False
    if any(one.lower == lower and one.kind is Kind.NOUN for one in before):
        return False  # "Replace filter A ... and filter B"
    if anchor.kind in (Kind.NUMBER, Kind.UNIT) and verbal:
        return True
    if lower.endswith("ing") and is_participle(anchor.lower):
        return False  # "the worn bearing"
    if lower.endswith("ing") and following in ("the", "a", "an", "his", "her", "their", "its") and may_be_verb(lower):
        return True
    if past and lower in INVARIANT:
        return verbal and following[:1].isalnum() and not any(one.kind in FINITE for one in before)
    if past or (lower.endswith("ing") and verbal):
        return True
    if verbal and not lower.endswith("s") and _has_plural(before):
        return True  # "most farms in the valley use water"
    plural = anchor.lower.endswith("s") and not anchor.lower.endswith("ss")
    return verbal and lower.endswith("s") != plural


def _has_plural(before: Sequence[Lexeme]) -> bool:
    """Whether a plural stands before the preposition of the last phrase, and no verb."""
    under = next((i for i in range(len(before) - 1, -1, -1) if before[i].kind is Kind.PREPOSITION), 0)
    plural = under and before[under - 1].kind is Kind.NOUN and before[under - 1].lower.endswith("s")
    return bool(plural) and not any(one.kind in FINITE for one in before)


def _is_label(before: Sequence[Lexeme]) -> bool:
    """Whether the last number names what stands before it: "section 14 applies"."""
    return len(before) > 1 and before[-2].kind is Kind.NOUN


def _acts_first(lower: str, following: str, before: Sequence[Lexeme], verbal: bool, past: bool) -> bool:
    """At the head of a sentence or clause: an order, a gerund, or what goes on behind "and"."""
    if lower.endswith("ing"):
        return verbal
    if any(one.lower == lower and one.kind is Kind.NOUN for one in before):
        return False
    if before and any(lexeme.kind in (Kind.VERB, Kind.BE, Kind.HAVE) for lexeme in before):
        alike = any(one.kind is Kind.VERB and one.lower.endswith("s") for one in before) and lower.endswith("s")
        return past or verbal or (alike and may_be_verb(lower) and following != "of")
    if before and before[-1].kind is Kind.LINK:
        return past
    if following[:1].isdigit() or lower.endswith("s"):
        return False  # "release 4.2"
    return verbal and following not in ("is", "are", "was", "were", "of")
