"""A question about a person and the turns of a conversation in, whose words answer it out. Nothing is decided here.

"I" in a turn is its speaker, "you" the one addressed, and a name that is called ("Hey Nora, ...", "Thanks, Ben!") is
nobody the turn is about. "That trip sounds great" speaks of the other's trip, "Trips are great" of nobody's: it counts
for its speaker, but less. The words of a question that the turn before asked count for the reply.
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
# Of that, where neither "I" nor "you" nor a name says whom it is about. Chosen on LoCoMo: right refusals at 2.5 and 5 %
# false ones by the gap alone, 1.0 .58 and .70, 0.9 .68 and .71, 0.8 .70 and .75, 0.7 .62 and .74; without ``_REACTION``
# 1.0 .52 and .67, 0.8 .64 and .74. Better in four of its five conversations, in the fifth worse by 3 points.
IMPERSONAL: Final = 0.8

_FIRST_PERSON: Final = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself|we|our|us)\b", re.IGNORECASE)
_SECOND_PERSON: Final = re.compile(
    r"\b(?:you|you're|you've|your|yours|congrat\w*)\b|^(?:great|awesome|amazing|nice|good|wow)[ ,!]", re.IGNORECASE
)
_OPINION: Final = (
    "(?:great|awesome|amazing|cool|wonderful|fantastic|beautiful|gorgeous|lovely|inspiring|impressive|incredible|nice|good"
    "|adorable|cute|tough|sweet|super)"
)
_REACTION: Final = re.compile(  # to what the other said, where there is no "I"
    r"\b(?:sounds?|must (?:have|be|feel)|sorry (?:to hear|about|'bout|for)|way to go|good luck|glad|so happy for"
    r"|proud of|can't wait to see|keep (?:it up|going)|nice work|(?:good|great) job|well done|thanks for|thank you"
    rf"|(?:that|this|it)(?:'s| is) (?:so |really |such )?(?:an? )?{_OPINION}"
    r"|looks? (?:so |really |great|amazing|awesome|like))\b",
    re.IGNORECASE,
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
    return _named_in(text, speaker, speakers) or frozenset({speaker})


def _named_in(text: str, speaker: str, speakers: frozenset[str]) -> frozenset[str]:
    """The same, empty where nothing in it says whom it is about."""
    said = _LABEL.sub("", text, count=1) if speaker and text.startswith(speaker) else text
    people = {name for name in speakers if _is_mentioned(name, said)}
    is_own = _FIRST_PERSON.search(said) is not None
    if is_own:
        people.add(speaker)
    if _SECOND_PERSON.search(said) or (not is_own and _REACTION.search(said)):
        people |= speakers - {speaker}
    return frozenset(people)


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
        strength = _strength(coverage, turns[sentence.rank], sentence.hit)
        yield _part(sentence.text, sentence.speaker, speakers, strength)
    read = {sentence.rank for sentence, _ in sentences}
    for passage in passages:
        if passage.rank not in read:
            strength = _strength(inquiry.coverage(passage.keys), turns[passage.rank], passage.hit)
            yield _part(passage.hit.record.text, speaker_of(passage.hit), speakers, strength)


def _part(text: str, speaker: str, speakers: frozenset[str], strength: float) -> _Part:
    people = _named_in(text, speaker, speakers)
    return _Part(people, strength) if people else _Part(frozenset({speaker}), IMPERSONAL * strength)


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
