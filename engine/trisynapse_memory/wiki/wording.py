"""Claims in, the words of a page out: a sentence of a source as it stands, or the claim's own words in a fixed frame.

Nothing else is ever said: a frame adds "is", "not", "a", brackets and the phrase of the relation table, no content.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import structs

from trisynapse_memory.scoring.relations import RELATIONS, relation_of
from trisynapse_memory.text.characters import without_invisible
from trisynapse_memory.text.hyphenation import LINE_END_HYPHEN, Vocabulary, collect_vocabulary, keeps_hyphen
from trisynapse_memory.types import QUALIFIERS, Claim, ClaimSide, ClaimStatus, Support

QUOTE_WORDS: Final = (4, 60)
"""A sentence that may stand alone has at least and at most so many words."""

DATED: Final = frozenset(
    "introduced_in published_on founded_in occurred_on born_on died_on launch_date due_date start_date end_date".split()
)
"""Relations whose value is a date."""

# Its first word points at a sentence that is not there.
_LEANING: Final = re.compile(
    r"(?:it|its|he|she|his|her|they|their|them|this|that|these|those|such|here|there|we|our|i|my|both|however|but|and|or"
    r"|so|thus|hence|therefore|moreover|furthermore|also|then|instead|similarly|likewise|otherwise|nevertheless"
    r"|consequently|additionally|again|another|the latter|the former|the same|as a result|for example|for instance"
    r"|in contrast|on the other hand|in addition)\b",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(LINE_END_HYPHEN)
_LIGATURE: Final = re.compile("[\ufb00-\ufb06]")
_ENDS: Final = re.compile(r"[.!\u2026\u3002]['\"\u201d\u2019)\]]*$")
_YEAR: Final = re.compile(r"(?<![\d.,])(?:1\d{3}|20\d{2})(?![\d,]|\.\d)")
_ISO: Final = re.compile(r"-?\d{4}(?:-\d{2}(?:-\d{2})?)?(?!\d|[.,]\d)")
_VOWEL: Final = re.compile(r"(?:[aeio]|u(?!ni|se|su|ti|ra))", re.IGNORECASE)
_SPOKEN_VOWEL: Final = frozenset("AEFHILMNORSX")  # letters that are read out with a vowel first: an LSTM, a GPU
_NOT: Final = "not "
_PART: Final = "part"
_PARTED: Final = frozenset(("role_held_by", "has_cell"))  # what is said is said of a role or a column of the subject
_AUXILIARIES: Final = frozenset(("is", "was", "are", "were"))


def reading(text: str) -> str:
    """Return evidence as one line, words that a line end broke whole, ligatures apart; nothing else is changed.

    Searching folds more (\u00b2 is 2, \u2013 is -); what is shown keeps its signs.
    """
    if _BREAK.search(text):
        text = _joined(text, collect_vocabulary(text))
    return " ".join(without_invisible(_LIGATURE.sub(_apart, text)).split())


def stands_alone(text: str) -> bool:
    """Tell whether a sentence can be read without the one before it: whole, closed, and pointing at nothing outside."""
    low, high = QUOTE_WORDS
    words = text.split()
    if not low <= len(words) <= high or _LEANING.match(text) or not _ENDS.search(text):
        return False
    return not text[0].islower() or any(letter.isupper() or letter.isdigit() for letter in words[0])


def in_order(supports: Iterable[Support]) -> tuple[Support, ...]:
    """Return supports, oldest evidence first, each place once: an order that a newcomer does not change."""
    places = {(one.record_id, one.start, one.end): one for one in supports}
    return tuple(places[place] for place in sorted(places))


def quote_of(supports: Sequence[Support]) -> tuple[str, tuple[Support, ...]] | None:
    """Return the oldest sentence among these places that stands alone, with its place first, or None."""
    ordered = in_order(supports)
    for one in ordered:
        text = reading(one.excerpt)
        if stands_alone(text):
            return text, (one, *(other for other in ordered if other is not one))
    return None


def state(claim: Claim, side: ClaimSide) -> str:
    """Say one value of a claim in its own words: "BERT was pretrained with Adam." with its qualifiers in brackets.

    A side of a dispute says so. Words come from subject, relation, value, qualifiers and status only.
    """
    bracket = _bracket(claim, side)
    mark = " (contested)" if claim.status is ClaimStatus.CONTESTED and not side.valid_to else ""
    return f"{head_of(claim, side)} {value_of(claim, side)}{bracket}{mark}."


def head_of(claim: Claim, side: ClaimSide) -> str:
    """Return subject and phrase of a claim: "Speed of light was measured as", "Tech lead of Atlas is"."""
    return f"{_topic(claim)} {phrase_of(claim, side)}"


def question_of(claim: Claim) -> str:
    """Return what the sides of a claim are about, without their values: "Speed of light was measured as \u2026"."""
    bracket = _bracket(claim, claim.sides[0])
    return f"{_topic(claim)} {_phrase(claim.relation, denied=False)} \u2026{bracket}"


def is_denied(claim: Claim, side: ClaimSide) -> bool:
    """Tell whether a side says that something is not so; its value then begins with "not"."""
    return side.value.startswith(_NOT) or (claim.negated and side is claim.sides[0])


def value_of(claim: Claim, side: ClaimSide) -> str:
    """Return a value as it is written; a kind of thing gets its article ("a method") where it needs one."""
    value = reading(side.value.removeprefix(_NOT)).rstrip(".")
    return f"{_article(value)}{value}" if claim.relation == "is_a" else value


def said_value(claim: Claim, side: ClaimSide) -> str:
    """Return a value where no phrase stands before it: one that is denied begins with "not"."""
    return f"{_NOT if is_denied(claim, side) else ''}{value_of(claim, side)}"


def phrase_of(claim: Claim, side: ClaimSide) -> str:
    """Return the words between subject and value, denied where the side is."""
    return _phrase(claim.relation, denied=is_denied(claim, side))


def label_of(claim: Claim, side: ClaimSide) -> str:
    """Return what a value is to its subject, for a list: the phrase, or the role ("tech lead")."""
    role = reading(claim.qualifiers.get(_PART, "")) if claim.relation == "role_held_by" else ""
    return f"{role}{' not' if is_denied(claim, side) else ''}" if role else phrase_of(claim, side)


def conditions_of(claim: Claim, side: ClaimSide) -> str:
    """Return what a value holds for: metric, dataset, task and so on, in the order of the table.

    The time has a column of its own; what subject or value say already is not said again.
    """
    if not claim.qualifiers:
        return ""
    said = f"{claim.subject} {side.value}".casefold()
    named = (claim.qualifiers.get(name) for name in QUALIFIERS if name != "time")
    known = (reading(value) for value in named if value)
    return ", ".join(dict.fromkeys(value for value in known if value.casefold() not in said))


def date_of(claim: Claim, side: ClaimSide) -> str:
    """Return when a value holds or was found: an ISO date or a year; empty where no source says so."""
    stated = (side.normalised, side.value) if claim.relation in DATED else ()
    for text in (*stated, claim.qualifiers.get("time", ""), side.valid_from, claim.valid_from):
        found = iso_date(text)
        if found:
            return found
    return ""


def published_date(supports: Sequence[Support]) -> str:
    """Return the day of the oldest dated evidence, or nothing."""
    days = sorted(one.observed_at.date().isoformat() for one in supports if one.observed_at is not None)
    return days[0] if days else ""


def iso_date(text: str) -> str:
    """Return the ISO date a text begins with, else the first year in it, else nothing."""
    found = _ISO.match(text.strip()) or _YEAR.search(text)
    return found[0] if found else ""


def _topic(claim: Claim) -> str:
    """Return what a sentence is about: the subject, or the role or table column of it that the claim names."""
    part = claim.qualifiers.get(_PART, "") if claim.relation in _PARTED else ""
    return capitalised(f"{reading(part)} of {reading(claim.subject)}" if part else reading(claim.subject))


def _bracket(claim: Claim, side: ClaimSide) -> str:
    kept = {name: value for name, value in claim.qualifiers.items() if name != _PART or claim.relation not in _PARTED}
    conditions = conditions_of(structs.replace(claim, qualifiers=kept), side) if kept else ""
    return f" ({conditions})" if conditions else ""


def _phrase(relation: str, *, denied: bool) -> str:
    phrase = relation_of(relation).phrase
    first, _, rest = phrase.partition(" ")
    if relation not in RELATIONS and first not in _AUXILIARIES:
        first = _third_person(first)
    return f"{_denied(first) if denied else first} {rest}".rstrip()


def _joined(text: str, words: Vocabulary) -> str:
    return _BREAK.sub(lambda found: "-" if keeps_hyphen(text, found.start(), found.end(), words) else "", text)


def _apart(ligature: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", ligature[0])


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}s"


def _denied(verb: str) -> str:
    if verb in _AUXILIARIES:
        return f"{verb} not"
    if verb in {"has", "said"}:
        return {"has": "does not have", "said": "did not say"}[verb]
    if verb.endswith(("shes", "ches", "xes", "zes", "sses")):
        return f"does not {verb[:-2]}"
    return f"does not {verb[:-3]}y" if verb.endswith("ies") else f"does not {verb.removesuffix('s')}"


def _article(value: str) -> str:
    """Return the article of a common noun in the singular; names, plurals and values that have one get none."""
    words = value.split()
    last = words[-1].lower() if words else ""
    if not words or words[0].lower() in {"a", "an", "the", "one", "any"} or value[0].isdigit():
        return ""
    plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    name = all(word[:1].isupper() for word in words)
    if plural or name:
        return ""
    is_spelt = len(words[0]) > 1 and words[0].isupper()
    vowel = words[0][0] in _SPOKEN_VOWEL if is_spelt else bool(_VOWEL.match(value))
    return "an " if vowel else "a "


def capitalised(text: str) -> str:
    """Begin a sentence with a capital, unless its first word is written in a way of its own: iPhone, mRNA, k-means."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text
