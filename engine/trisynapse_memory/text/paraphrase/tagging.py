"""A sentence in, its words with the kind of each out: verb, noun, preposition, limit and so on. Shallow, no model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trisynapse_memory.text.paraphrase.lexemes import Kind, Lexeme
from trisynapse_memory.text.paraphrase.stretches import correct, stretches_of
from trisynapse_memory.text.paraphrase.thesaurus import is_mostly_verb, lemma
from trisynapse_memory.text.paraphrase.verbs import acts_here, anchor_of
from trisynapse_memory.text.statements import Sort, date_key, plain_number
from trisynapse_memory.text.synonyms import COMPARISONS, HEDGES, MONTHS, NEGATORS, PREPOSITIONS, QUANTIFIERS
from trisynapse_memory.text.units import unit_name
from trisynapse_memory.text.words import FUNCTION_WORDS

_MONTH: Final = rf"(?-i:{'|'.join(month.capitalize() for month in MONTHS)})"  # "people over 70 may" is no date
_LEXEME: Final = re.compile(
    rf"""(?P<date>\d{{4}}-\d\d-\d\d(?![\w-])
        |\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})\b(?:,?\s+\d{{4}})?
        |(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d|\w)(?:,?\s+\d{{4}})?
        |(?:{_MONTH})\s+\d{{4}})
    |(?P<number>(?<![\w.])[-+]?\d+(?:,\d{{3}})*(?:\.\d+)?(?:/\d+)?(?:e[-+]?\d+)?(?![\w/]|[-:.]\w))
    |(?P<margin>\u00b1|\+/-)
    |(?P<unit>(?<!\w)[A-Za-z\u00b5\u03bc\u00b0$\u20ac\u00a3]+/[A-Za-z]+\d?\b|[\u00b0$\u20ac\u00a3](?:[CF]\b)?)
    |(?P<word>\w+(?:[-.'_/:&]\w+)*'?|[~\u2248&])
    |(?P<stop>[;:()\u2014\[\],]|\s[-\u2013]\s)""",
    re.VERBOSE | re.IGNORECASE,
)
_TABLE: Final[dict[str, Kind]] = {
    **dict.fromkeys("is are was were be been being am became become becomes".split(), Kind.BE),
    **dict.fromkeys("has have had having".split(), Kind.HAVE),
    **dict.fromkeys("do does did will would".split(), Kind.AUXILIARY),
    **dict.fromkeys("the a an these those its his her their our your my another other".split(), Kind.DETERMINER),
    **dict.fromkeys("it he she they him them we us i you me one ones others itself this that".split(), Kind.PRONOUN),
    **dict.fromkeys("who which whose whom what".split(), Kind.RELATIVE),
    **dict.fromkeys(
        "but while whereas although though so because when if where once unless whether comparedwith".split(), Kind.LINK
    ),
    **dict.fromkeys("and or &".split(), Kind.AND),
}
# Limits that only the plainest turns of phrase have, or that the strict reading takes for words.
_LIMITS: Final = {"must": "must", "neednot": "neednot", "morethan": "morethan", "lessthan": "lessthan", "~": "about"}
_PREPOSITIONS: Final = {
    **PREPOSITIONS,
    "becauseof": "because",
    "without": "without",
    "except": "except",
    "per": "each",
    "unlike": "unlike",
    **dict.fromkeys("near behind beside along around outside past off".split(), "near"),
}
_COUNTERS: Final = frozenset("half all a one every most".split())
_WEEKDAYS: Final = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_SINGULAR: Final = frozenset("this that".split())
_PARTICLES: Final = frozenset("off out away back up down".split())


def tagged(sentence: str) -> tuple[Lexeme, ...]:
    """Take a sentence (in its plainest turns of phrase) apart, each word with its kind."""
    found: list[Lexeme] = []
    matches = list(_LEXEME.finditer(sentence))
    for index, match in enumerate(matches):
        following = matches[index + 1].group().lower() if index + 1 < len(matches) else ""
        found += _lexemes_of(match, following, found)
    for start, end in stretches_of(found):
        correct(found, start, end)
    return tuple(found)


def _lexemes_of(match: re.Match[str], following: str, before: Sequence[Lexeme]) -> tuple[Lexeme, ...]:
    kind, text = match.lastgroup, match.group()
    if kind == "date":
        return (Lexeme(Kind.DATE, text, date_key(text), Sort.DATE),)
    if kind == "number":
        return (Lexeme(Kind.NUMBER, text, plain_number(text), Sort.NUMBER),)
    if kind == "margin":
        return (Lexeme(Kind.LIMIT, text, "margin"),)
    if kind == "unit":
        return (Lexeme(Kind.UNIT, text, text),)
    if kind == "stop":
        return (Lexeme(Kind.STOP, text.strip(), text.strip()),)
    return _worded(text, following, before)


def _worded(text: str, following: str, before: Sequence[Lexeme]) -> tuple[Lexeme, ...]:
    lower = text.lower().removesuffix("'s").rstrip("'")
    last = before[-1] if before else None
    opens = not before
    named = text != text.lower() and not (opens and text[1:] == text[1:].lower())
    if last and last.kind is Kind.NUMBER and unit_name(text) != lower:
        return (Lexeme(Kind.UNIT, text, unit_name(text)),)
    grammar = None if (named and text.isupper() and lower != "i") else _grammar(lower, text, following, before)
    if grammar:
        return (grammar,)
    if "-" in lower and not named and not any(letter.isdigit() for letter in lower):
        return tuple(_content(part, part, False, following, before) for part in lower.split("-") if part)
    return (_content(lower, text, named, following, before),)


def _grammar(lower: str, text: str, following: str, before: Sequence[Lexeme]) -> Lexeme | None:
    """A word that is no content: of the tables, by its neighbours where it can be several things."""
    determined = bool(before) and before[-1].kind is Kind.DETERMINER
    if lower in ("fail", "fails", "failed", "failing"):
        return Lexeme(Kind.LIMIT, text, "not") if following == "to" else None
    if lower in ("lack", "lacks", "lacked", "lacking", "refuse", "refuses", "refused") or (
        determined and lower in HEDGES
    ):
        return None
    if lower in ("without", "except"):
        return Lexeme(Kind.PREPOSITION, text, lower)
    if lower == "about" and not (following[:1].isdigit() or following in _COUNTERS):
        return Lexeme(Kind.PREPOSITION, text, "about")
    if lower == "over" and (following in _LIMITS or following in QUANTIFIERS or following in HEDGES):
        return Lexeme(Kind.GRAMMAR, text, lower)  # "carry over up to five days"
    if lower in ("if", "unless"):
        return Lexeme(Kind.LINK, text, lower)
    if text[0].isupper() and before and lower in MONTHS:
        return Lexeme(Kind.DATE, text, lower, Sort.DATE)
    if lower in _LIMITS or lower in QUANTIFIERS or lower in HEDGES or lower in NEGATORS:
        group = _LIMITS.get(lower) or QUANTIFIERS.get(lower) or HEDGES.get(lower) or "not"
        return Lexeme(Kind.LIMIT, text, group)
    if lower == "to" and _is_verb_form(following) and (is_mostly_verb(following) or following in ("be", "have", "do")):
        return Lexeme(Kind.TO, text, "to")
    if lower == "one" and not determined and _counts(following, before):
        return Lexeme(Kind.NUMBER, text, "1", Sort.NUMBER)
    if lower in _PARTICLES:
        return Lexeme(Kind.ADVERB, text, lower)
    if lower in ("on", "in", "over") and not (following.isalnum() or following[:1].isalnum()):
        return Lexeme(Kind.GRAMMAR, text, lower)  # "switches on", "is folded in"
    if lower in _SINGULAR:
        return Lexeme(_that(lower, following, before[-1] if before else None), text, lower)
    if lower in _TABLE:
        return Lexeme(_TABLE[lower], text, lower)
    if lower in _PREPOSITIONS:
        return Lexeme(Kind.PREPOSITION, text, _PREPOSITIONS[lower])
    if lower in FUNCTION_WORDS and lower not in COMPARISONS:
        return Lexeme(Kind.GRAMMAR, text, lower)
    return None


def _counts(following: str, before: Sequence[Lexeme]) -> bool:
    """Whether "one" counts what comes next: "one party", not "the old one"."""
    described = bool(before) and before[-1].kind is Kind.NOUN
    return following.isalpha() and not described and following not in _TABLE and following not in _PREPOSITIONS


def _that(lower: str, following: str, anchor: Lexeme | None) -> Kind:
    """Behind a noun "that" opens a relative clause, behind a verb what was said; before a noun it points."""
    if lower == "that" and anchor and anchor.kind in (Kind.NOUN, Kind.UNIT, Kind.DATE):
        return Kind.RELATIVE
    if lower == "that" and anchor and anchor.kind in (Kind.VERB, Kind.LIMIT):
        return Kind.LINK
    return Kind.PRONOUN if following in _TABLE or not following.isalpha() else Kind.DETERMINER


def _content(lower: str, text: str, named: bool, following: str, before: Sequence[Lexeme]) -> Lexeme:
    if lower.removesuffix("s") in _WEEKDAYS:
        return Lexeme(Kind.DATE, text, lower.removesuffix("s"), Sort.DATE)
    if lower in COMPARISONS and not (lower == "lower" and _is_modal_before(before)):
        return Lexeme(Kind.NOUN, text, lemma(lower), Sort.COMPARISON)
    if named or any(letter.isdigit() for letter in lower):
        return Lexeme(Kind.NOUN, text, lower, Sort.NAME)
    if before and before[-1].kind is Kind.NUMBER and unit_name(text) != text:
        return Lexeme(Kind.UNIT, text, lemma(unit_name(text)))
    if lower.endswith("ly") and len(lower) > 4:
        return Lexeme(Kind.ADVERB, text, lemma(lower))
    kind = Kind.VERB if acts_here(lower, following, before) else Kind.NOUN
    return Lexeme(kind, text, lemma(lower))


def _is_modal_before(before: Sequence[Lexeme]) -> bool:
    anchor = anchor_of(before)
    return anchor is not None and anchor.kind in (Kind.LIMIT, Kind.TO, Kind.AUXILIARY)


def _is_verb_form(lower: str) -> bool:
    return lower.isalpha() and not lower.endswith(("ing", "ed", "ion"))
