"""A parsed sentence in, its dates and quantities out, and the phrases they are said of. No fact is made here.

All offsets count in the text of the passage.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import Final

import msgspec

from trisynapse_memory.extraction.phrases import is_vague, noun_phrase, trimmed
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.scoring.patterns import worth_of
from trisynapse_memory.text.dates import DateSpan, find_dates
from trisynapse_memory.text.quantity_spans import QuantitySpan, find_quantities
from trisynapse_memory.types import Passage, Proposal

TAILS: Final = frozenset("of in from to for at on between with per by under among within around near inside".split())
"""Prepositions whose phrases belong to a quantity's name: "distance from the mill to the church"."""

_STOP: Final = re.compile(
    r"[;:()—]|\s–\s|,\s+(?:while|whereas|but|which|who|where|compared|up|down|versus|as|although|though|against|"
    r"and\s+(?:the|a|its|"
    r"is|was)|exceeding|outperforming|surpassing|beating|improving|paid|making|so)\b|\b(?:compared\s+(?:to|with)|"
    r"than|whereas|"
    r"while|although|because|versus|vs\.?|relative\s+to|but)\b"
)
_APPROXIMATE: Final = frozenset("about around approximately roughly nearly almost ~ ≈".split()) | {"an estimated"}
_CLAUSE_BORDER: Final = re.compile(r";|,\s+(?:and|while|but|whereas|up|down|from|compared)\b")
_FRONT: Final = re.compile(
    r"(?:(?:However|Moreover|Overall|Similarly|Likewise|Finally|Furthermore|Also|Then|Thus|Here|Instead|"
    r"Meanwhile),?\s+)?"
    r"(?P<word>For|Among|In|Under|With|Without|At|Within|Across|On|During|When|Using|for|among|in|under|with|"
    r"without|at)\s+"
    r"(?P<scope>(?!(?:addition|contrast|fact|general|particular|total|summary|comparison|turn|short|example|"
    r"instance|order|practice|principle|theory|essence|short|response|recent\s+years|the\s+other\s+hand|the\s+one\s+hand|"
    r"(?:this|our|the\s+(?:present|current))\s+(?:paper|work|study|article|section|chapter|report|survey)|"
    r"(?:Fig(?:ure|\.)?|Table|Section|Sec\.|Chapter|Appendix|Eq(?:uation|\.)?)s?\b.{0,3}\d)(?:\b|$))[^,;]{3,90}),\s*(?:(?:the|an?|its|their)\s+)?$"
)
_PEOPLE: Final = re.compile(
    r"\b(?:adults?|boys|children|cohort|employees|families|farmers|females?|girls|households|individuals|infants|"
    r"males?|men|"
    r"mothers|parents|participants|patients|people|persons|pupils|respondents|students|teachers|users|veterans|"
    r"volunteers|"
    r"voters|women|workers)\b",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"(?:For\s+(?:example|instance)|Suppose|Assume|Assuming|Imagine|Say|Let|Consider|E\.g\.)\b"
)
_LEAST: Final = 0.01
_LONGEST_SCOPE: Final = 8  # words
_MOST_CAPITALS: Final = 6  # words with a capital in one subject
_CONTRARY: Final = re.compile(r"(?:Had|Were|Should)\s+(?!been\b)[^?]*,\s.*\b(?:would|could|might|will)\b")
_SHARES: Final = frozenset("share proportion percentage fraction number rate count majority amount".split())
_TIME_LEAD: Final = re.compile(r"(?:\bin|\bduring|\bsince|\bby|\bat|\bon|\bfor|\bthe|\byear|\bof)\s+$", re.IGNORECASE)


def confidence_of(pattern: str) -> float:
    """Return the measured precision of a pattern, in (0, 1]: a confidence is never nothing."""
    return worth_of(pattern).precision or _LEAST


def reference_of(passage: Passage) -> date | None:
    """Return the day that relative dates of a passage count from: its own, never today."""
    return passage.observed_at.date() if passage.observed_at else None


@lru_cache(maxsize=4)  # Several families read the same sentence one after the other.
def dates_in(sentence: Sentence) -> tuple[DateSpan, ...]:
    """Return the dates that a sentence names."""
    shift = sentence.start
    return tuple(
        DateSpan(
            start=one.start + shift,
            end=one.end + shift,
            interval=one.interval,
            point_start=one.point_start + shift,
            point=one.point,
            parts=tuple(
                msgspec.structs.replace(part, start=part.start + shift, end=part.end + shift) for part in one.parts
            ),
        )
        for one in find_dates(sentence.raw, reference_of(sentence.passage))
    )


@lru_cache(maxsize=4)
def quantities_in(sentence: Sentence) -> tuple[QuantitySpan, ...]:
    """Return the quantities that a sentence names, without its dates."""
    shift = sentence.start
    taken = [(one.start - shift, one.end - shift) for one in dates_in(sentence)]
    return tuple(
        msgspec.structs.replace(one, start=one.start + shift, end=one.end + shift)
        for one in find_quantities(sentence.raw, taken)
    )


def value_phrase(sentence: Sentence, quantity: QuantitySpan) -> Phrase:
    """Return a quantity as an object writes it: with "about" or "over" before it, since the value is not the same."""
    start = quantity.start
    if quantity.lead and quantity.lead != "some":
        text = sentence.passage.text
        start = text.lower().rfind(quantity.lead.split()[0], sentence.start, quantity.start)
    return sentence.cut(start if start >= 0 else quantity.start, quantity.end)


def is_exact(quantity: QuantitySpan) -> bool:
    """Whether a quantity is given as it is, or as nearly so: not as a bound."""
    return not quantity.lead or quantity.lead in _APPROXIMATE or quantity.lead == "some"


def region_behind(sentence: Sentence, start: int) -> tuple[int, int]:
    """Return where the words behind an offset still belong to the same statement: up to a contrast or an aside."""
    stop = _STOP.search(sentence.passage.text, start, sentence.end)
    return start, stop.start() if stop else sentence.end


def quantity_name(sentence: Sentence, head: int) -> Phrase | None:
    """Return the phrase that names a quantity, with the places and things it is measured at and between.

    "The distance from the mill to the church", but of "the wavelength measured by Bohr" only "wavelength".
    """
    phrase = noun_phrase(sentence, head, TAILS)
    if phrase is None:
        return None
    if sentence.words[head].lemma.lower() in _SHARES:
        phrase = _with_clause(sentence, head, phrase)
    if is_vague(phrase.text):
        return None
    dated = next((one for one in dates_in(sentence) if phrase.start < one.start < phrase.end), None)
    if dated is None:
        return phrase
    before = sentence.passage.text[phrase.start : dated.start]
    kept = len(_TIME_LEAD.sub("", before).rstrip())
    return trimmed(sentence, phrase.start, phrase.start + kept) if kept else None


def _with_clause(sentence: Sentence, head: int, phrase: Phrase) -> Phrase:
    """A share is nothing without its "who ...": "share of adults who smoke"."""
    below = [word for word in sentence.subtree(head) if sentence.words[word].start >= phrase.end]
    clause = [word for word in below if sentence.words[word].dep in ("relcl", "acl")]
    if not clause or "," in sentence.passage.text[phrase.end : sentence.words[clause[0]].start]:
        return phrase  # Behind a comma it tells more and narrows nothing.
    end = sentence.words[max(sentence.subtree(clause[0]))].end
    return trimmed(sentence, phrase.start, end) or phrase


def is_contrary(sentence: Sentence) -> bool:
    """Whether a sentence begins with an inverted condition: "Had it reached 70%, we would have stopped"."""
    return _CONTRARY.match(sentence.text) is not None


def with_anchor(proposal: Proposal, found: DateSpan | None) -> Proposal:
    """Return a proposal with the date that it holds for, or as it was."""
    return proposal if found is None else msgspec.structs.replace(proposal, temporal_anchor=found.point.iso)


def date_of(sentence: Sentence, quantity: QuantitySpan) -> DateSpan | None:
    """Return the date that a value holds for: the first behind it in its own clause, else the last before it."""
    later = [one.start for one in quantities_in(sentence) if one.start > quantity.start]
    border = _CLAUSE_BORDER.search(sentence.passage.text, quantity.end, sentence.end)
    limit = min([*later, border.start() if border else sentence.end])
    dates = dates_in(sentence)
    behind = next((one for one in dates if quantity.end <= one.start < limit), None)
    return behind or next((one for one in reversed(dates) if one.end <= quantity.start), None)


def front_scope(sentence: Sentence, head: int, longest: int = _LONGEST_SCOPE) -> dict[str, str]:
    """Return what a phrase in front narrows a statement to: "For unvaccinated people, the fatality rate is 7%".

    A population for people, else a condition; without it two such values would seem to contradict each other. Nothing
    is returned for a phrase of more than ``longest`` words, and for one that holds a date or points ("In Table 3").
    """
    first = sentence.words[min(sentence.subtree(head))].start
    lead = _FRONT.match(sentence.passage.text, sentence.start, max(first, sentence.start))
    if lead is None or any(lead.start("scope") <= one.start < lead.end() for one in dates_in(sentence)):
        return {}
    scope = trimmed(sentence, lead.start("scope"), lead.end("scope"))
    if scope is None or len(scope.text.split()) > longest:
        return {}
    name = "population" if lead["word"].lower() in ("for", "among") and _PEOPLE.search(scope.text) else "condition"
    return {name: scope.text}


def is_garbled(subject: Phrase) -> bool:
    """Whether a subject looks like the ruins of a table: figures in front or inside, too many capitals."""
    words = subject.text.split()
    capital_count = sum(word[:1].isupper() for word in words)
    return words[0][:1].isdigit() or "%" in subject.text or capital_count > _MOST_CAPITALS


def is_example(sentence: Sentence) -> bool:
    """Whether a sentence only supposes something: "For example, ...", "Suppose ..."."""
    return _EXAMPLE.match(sentence.text) is not None
