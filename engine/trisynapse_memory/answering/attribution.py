"""A question about a person and the turns of a conversation in, whose words answer it out. Nothing is decided here.

"I" in a turn is its speaker, "you" the one addressed, and a name that is called ("Hey Nora, ...", "Thanks, Ben!") is
nobody the turn is about. The words of a question that the turn before asked count for the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.answering.sentences import Passage, Sentence, speaker_of
from trisynapse_memory.types import Hit

# Of a sentence's words, its turn's words and its turn's cosine. Equal parts of the last two instead: .001 in AUROC of
# the gap (LoCoMo).
STRENGTH: Final = (0.4, 0.2, 0.4)

_FIRST_PERSON: Final = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself|we|our|us)\b", re.IGNORECASE)
_SECOND_PERSON: Final = re.compile(
    r"\b(?:you|you're|you've|your|yours|congrat\w*)\b|^(?:great|awesome|amazing|nice|good|wow)[ ,!]", re.IGNORECASE
)
_LABEL: Final = re.compile(r"^\s*[\w .'-]{1,40}:\s*(?:\([^)]*\)\s*)?")  # "Nora: (1:14 pm on 25 May, 2023) "
_GREETING: Final = "(?:hey|hi|hello|thanks|thank you|thx|wow|yeah|yes|yep|oh|sure|bye|congrats|no|haha|aww|ok|okay)"


class _Part(NamedTuple):
    """A stretch of a turn: whom it is about, and how far it carries the question, in [0, 1]."""

    people: frozenset[str]
    strength: float


def people_of(text: str, speaker: str, speakers: frozenset[str]) -> frozenset[str]:
    """Whom a stretch of a turn is about, by the names of the speakers.

    Args:
        text: a sentence or a whole turn, also with its label ("Nora: ...").
        speaker: who said it.
        speakers: everybody who may be meant.
    """
    said = _LABEL.sub("", text, count=1) if speaker and text.startswith(speaker) else text
    people = {name for name in speakers if _is_mentioned(name, said)}
    if _FIRST_PERSON.search(said):
        people.add(speaker)
    if _SECOND_PERSON.search(said):
        people |= speakers - {speaker}
    return frozenset(people) or frozenset({speaker})


def _is_mentioned(name: str, said: str) -> bool:
    mention, call = _patterns(name.split()[0])
    return mention.search(said) is not None and mention.search(call.sub(" ", said)) is not None


@lru_cache(maxsize=64)
def _patterns(first: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Where a first name stands at all, and where it is only called."""
    name = re.escape(first)
    called = rf"\b{_GREETING},?\s+{name}\b|(?:^|(?<=[.!?,] )){name}(?=[!,])|,\s*{name}\b(?=[!.?]|$)"
    return re.compile(rf"\b{name}\b"), re.compile(called, re.IGNORECASE)


def attributed_gap(inquiry: Inquiry, passages: Sequence[Passage], sentences: Sequence[tuple[Sentence, float]]) -> float:
    """The best that is said about the person asked about, minus the best that is said about somebody else.

    Args:
        inquiry: names the people.
        passages: the turns; those without sentences of their own count as a whole.
        sentences: what was measured, each with its coverage in [0, 1].

    Returns:
        [-1, 1]; 0 where the question names no speaker.
    """
    asked = inquiry.people
    if not asked:
        return 0.0
    about = others = 0.0
    for part in _parts(inquiry, passages, sentences):
        if part.people & asked:
            about = max(about, part.strength)
        if part.people - asked:
            others = max(others, part.strength)
    return about - others


def _parts(
    inquiry: Inquiry, passages: Sequence[Passage], sentences: Sequence[tuple[Sentence, float]]
) -> Iterator[_Part]:
    speakers = inquiry.people | set(filter(None, (speaker_of(passage.hit) for passage in passages)))
    turns = _turn_coverages(inquiry, passages)
    for sentence, coverage in sentences:
        people = people_of(sentence.text, sentence.speaker, speakers)
        yield _Part(people, _strength(coverage, turns[sentence.rank], sentence.hit))
    read = {sentence.rank for sentence, _ in sentences}
    for passage in passages:
        if passage.rank not in read:
            people = people_of(passage.hit.record.text, speaker_of(passage.hit), speakers)
            yield _Part(people, _strength(inquiry.coverage(passage.keys), turns[passage.rank], passage.hit))


def _strength(coverage: float, turn: float, hit: Hit) -> float:
    cosine = max(0.0, hit.parts.get("semantic", 0.0))
    return sum(share * measure for share, measure in zip(STRENGTH, (coverage, turn, cosine), strict=True))


def _turn_coverages(inquiry: Inquiry, passages: Sequence[Passage]) -> dict[int, float]:
    """The coverage of each turn by its rank, together with the turn before it where that one asks something."""
    places = {place: passage for passage in passages if (place := _place_of(passage.hit)) is not None}
    coverages: dict[int, float] = {}
    for passage in passages:
        place = _place_of(passage.hit)
        before = places.get((place[0], place[1] - 1)) if place is not None else None
        asks = before is not None and "?" in before.hit.record.text
        keys = [passage.keys, before.keys] if before is not None and asks else [passage.keys]
        coverages[passage.rank] = inquiry.coverage(*keys)
    return coverages


def _place_of(hit: Hit) -> tuple[str, int] | None:
    """The conversation and the number of a turn in it."""
    locator = hit.record.locator
    if locator is None or locator.index is None:
        return None
    return str(hit.record.source_id), locator.index
