"""The words of a sentence in, where its clauses begin, and with what link, out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trisynapse_memory.text.paraphrase.lexemes import CONTENT, FINITE, PURE_PARTICIPLES, Kind, Lexeme
from trisynapse_memory.text.paraphrase.telling import TELLING
from trisynapse_memory.text.statements import Sort

_SPLITTING_STOPS: Final = frozenset(";:\u2014()[]-\u2013")
_LINKING_PREPOSITIONS: Final = frozenset("after before since until".split())


def segments_of(lexemes: Sequence[Lexeme]) -> Iterator[tuple[str, bool, Sequence[Lexeme]]]:
    """Yield each clause: the word that links it to another, whether a comma stands before it, and its words."""
    start, link, comma = 0, "", False
    for index, lexeme in enumerate(lexemes):
        opened = _opens_clause(lexemes, index, start)
        if opened is None:
            continue
        yield link, comma, lexemes[start:index]
        comma = lexeme.key == ","
        start, link = index if lexeme.kind in (Kind.DETERMINER, Kind.PRONOUN) else index + 1, opened
    yield link, comma, lexemes[start:]


def _opens_clause(lexemes: Sequence[Lexeme], index: int, start: int) -> str | None:
    """The link of the clause that begins at a word, or None where none does."""
    lexeme = lexemes[index]
    behind = _until_border(lexemes, index + 1)
    if lexeme.kind is Kind.STOP:
        if lexeme.key != ",":
            return ""
        if index + 1 < len(lexemes) and lexemes[index + 1].kind in (Kind.LINK, Kind.AND, Kind.RELATIVE):
            relative = lexemes[index + 1].kind is Kind.RELATIVE
            return ("whose" if lexemes[index + 1].lower == "whose" else "which") if relative else None
        if index + 2 < len(lexemes) and lexemes[index + 1].lower == "then" and _is_whole(behind):
            return "then"
        if index + 1 < len(lexemes) and lexemes[index + 1].key == "not" and not _has_verb(behind):
            return "not"
        return "" if _has_finite(lexemes[start:index]) and (_is_whole(behind) or _is_gapped(behind)) else None
    if lexeme.kind is Kind.LINK:
        return lexeme.lower
    if lexeme.kind in (Kind.DETERMINER, Kind.PRONOUN) and index > start:
        told = lexemes[index - 1].kind is Kind.VERB and lexemes[index - 1].key in TELLING
        return "that" if told and _is_whole([lexeme, *behind]) else None
    if lexeme.kind is Kind.PREPOSITION and lexeme.lower in _LINKING_PREPOSITIONS and _tells(behind):
        return lexeme.lower
    if lexeme.kind is Kind.AND and _has_verb(lexemes[start:index]):
        first = next((one for one in behind if one.kind not in (Kind.LIMIT, Kind.ADVERB, Kind.GRAMMAR)), None)
        goes_on = first is not None and (
            first.kind in FINITE
            or _is_again(first, lexemes[start:index], behind)
            or _is_rival(first, lexemes[start:index], behind)
        )
        return "" if goes_on or _is_whole(behind) or _is_gapped(behind) else None
    return None


def _is_again(first: Lexeme, before: Sequence[Lexeme], behind: Sequence[Lexeme]) -> bool:
    """Whether a second place with its own time follows: "to Oslo in May and to Bergen in August"."""
    under = [one.key for one in before if one.kind is Kind.PREPOSITION]
    again = [one.key for one in behind if one.kind is Kind.PREPOSITION]
    return first.kind is Kind.PREPOSITION and len(again) > 1 and len(under) > 1 and set(again) <= set(under)


def _is_rival(first: Lexeme, before: Sequence[Lexeme], behind: Sequence[Lexeme]) -> bool:
    """Whether a second comparison, or a second number with its own place, follows: "... and 3 minutes in summer"."""
    if first.sort is Sort.COMPARISON:
        return any(one.sort is Sort.COMPARISON for one in before)
    if first.kind is not Kind.NUMBER or len(behind) < 2 or behind[1].kind not in (Kind.NOUN, Kind.UNIT):
        return False  # "in 2020 and 2021"
    placed = [any(one.kind is Kind.PREPOSITION and one.key != "of" for one in part) for part in (before, behind)]
    return all(placed) and any(one.kind is Kind.NUMBER for one in before)


def _until_border(lexemes: Sequence[Lexeme], start: int) -> Sequence[Lexeme]:
    for index in range(start, len(lexemes)):
        if lexemes[index].kind in (Kind.STOP, Kind.LINK, Kind.AND):
            return lexemes[start:index]
    return lexemes[start:]


def _has_verb(lexemes: Sequence[Lexeme]) -> bool:
    return any(one.kind in FINITE for one in lexemes)


def _has_finite(lexemes: Sequence[Lexeme]) -> bool:
    """Whether a stretch has a verb that is not only a participle behind its noun: "Of 480 women given the tablet"."""
    acting = [one for one in lexemes if one.kind in FINITE]
    if lexemes and lexemes[0].kind is Kind.PREPOSITION and all(one.lower.endswith(("ed", "ing")) for one in acting):
        return False  # "Of the 16 planted faults"
    return any(
        one.kind in FINITE and (one.lower not in PURE_PARTICIPLES or (index and lexemes[index - 1].kind in FINITE))
        for index, one in enumerate(lexemes)
    )


def _is_whole(lexemes: Sequence[Lexeme]) -> bool:
    """Whether a stretch has a subject and a verb of its own, no relative clause before it, or goes on with a verb."""
    lexemes = [one for one in lexemes if one.kind not in (Kind.ADVERB, Kind.GRAMMAR, Kind.LIMIT)]
    for index, lexeme in enumerate(lexemes):
        if lexeme.kind is Kind.RELATIVE:
            return False
        if lexeme.kind in FINITE:
            return index == 0 or any(one.kind in CONTENT or one.kind is Kind.PRONOUN for one in lexemes[:index])
    return False


def _tells(behind: Sequence[Lexeme]) -> bool:
    """Whether "before" and the like open a clause: "before the lease ends", not "before 2028 the fund pays"."""
    if not behind or behind[0].kind is Kind.DATE or not _is_whole(behind):
        return False
    verb = next(index for index, one in enumerate(behind) if one.kind in FINITE)
    anew = any(one.kind in (Kind.DETERMINER, Kind.NUMBER, Kind.LIMIT) for one in behind[1:verb])
    if anew and behind[0].kind is Kind.DETERMINER:
        return False  # "After an hour the third test was stopped"
    return behind[0].kind is not Kind.NUMBER or behind[1].kind in (Kind.NOUN, Kind.UNIT)


def _is_gapped(lexemes: Sequence[Lexeme]) -> bool:
    """Whether a stretch gives another thing its own number, or place, under the verb before: "B (found) only 9"."""
    passed = (Kind.DETERMINER, Kind.LIMIT, Kind.ADVERB, Kind.GRAMMAR, Kind.PRONOUN)
    kinds = [one.kind for one in lexemes if one.kind not in passed]
    if _has_verb(lexemes) or not kinds or kinds[0] is not Kind.NOUN:
        return False
    again = [
        i for i, one in enumerate(lexemes) if one.kind is Kind.DETERMINER and i and lexemes[i - 1].kind is Kind.NOUN
    ]
    if again and lexemes[0].kind is not Kind.PREPOSITION:
        return True  # "group B a placebo"
    after = next((i for i, kind in enumerate(kinds) if kind is not Kind.NOUN), None)
    return after is not None and kinds[after] in (Kind.NUMBER, Kind.DATE, Kind.TO)
