"""An answer and the contested claims behind it in, the answer with every side out. Nothing is decided between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import structs

from trisynapse_memory.answering.citations import Place
from trisynapse_memory.answering.sentences import one_line
from trisynapse_memory.answering.synthesizer import Composition
from trisynapse_memory.types import AnswerSentence, Citation, Claim, ClaimSide, Support

CONTESTED = "contested"
_YEAR: Final = re.compile(r"(?<![\d.,])(?:1[0-9]|20)\d\d(?![\d.]*\d)(?!\s*±)")
_SAME_TIME_YEARS: Final = 10  # from the year a question names; "around 1930" means that decade on either side

Cite = Callable[[Support, int], tuple[Citation, Place] | None]
"""The support of one side and a number -> its citation and place, or None where it cannot be shown."""


class _Answer:
    """Sentences and citations as sides are added to them."""

    def __init__(self, composition: Composition, cite: Cite) -> None:
        self.sentences = list(composition.sentences)
        self.citations = list(composition.citations)
        self.places = list(composition.places)
        self._cite = cite

    def sentence_of(self, side: ClaimSide) -> int | None:
        """Return the index of the sentence that says one side already, or None."""
        for support in side.supports:
            for citation, place in zip(self.citations, self.places, strict=True):
                if support.record_id == citation.record_id and _overlap(support, place):
                    return next((i for i, one in enumerate(self.sentences) if citation.n in one.citations), None)
        return None

    def mark(self, index: int) -> None:
        """Say of a sentence that it is disputed; her own correction stays her own."""
        if not self.sentences[index].status:
            self.sentences[index] = structs.replace(self.sentences[index], status=CONTESTED)

    def add(self, side: ClaimSide, after: int) -> None:
        """Add one side in its own words, after the sentence it disputes."""
        for support in side.supports:
            found = self._cite(support, len(self.citations) + 1)
            if found is None:
                continue
            self.citations.append(found[0])
            self.places.append(found[1])
            text = one_line(support.excerpt)
            said = AnswerSentence(text=text, citations=(found[0].n,), status=CONTESTED)
            # Behind the parts of a comparison: it belongs to none of its sides.
            self.sentences.insert(len(self.sentences) if self.sentences[after].part else after + 1, said)
            return


def show_disputes(
    composition: Composition, claims: Sequence[Claim], cite: Cite, question: str = ""
) -> tuple[Composition, tuple[Claim, ...]]:
    """Mark the sentences that sources dispute, and add what the other sources say, in their own words.

    Args:
        composition: an answer; an abstention is returned as it is.
        claims: contested claims that rest on the records it cites.
        cite: makes the citation of a side that is added.
        question: as it was asked. Where it names a year, sides of other times are left to the claim, as long as two
            are shown.

    Returns:
        The answer with every side, and the claims that dispute it.
    """
    answer = _Answer(composition, cite)
    disputed: list[Claim] = []
    for claim in claims:
        said = {number: answer.sentence_of(side) for number, side in enumerate(claim.sides)}
        indexes = [index for index in said.values() if index is not None]
        if not indexes:
            continue
        disputed.append(claim)
        for index in indexes:
            answer.mark(index)
        missing = [side for number, side in enumerate(claim.sides) if said[number] is None]
        for side in _of_that_time(missing, question):
            if answer.sentence_of(side) is None:
                answer.add(side, max(indexes))
    shown = structs.replace(
        composition,
        sentences=tuple(answer.sentences),
        citations=tuple(answer.citations),
        places=tuple(answer.places),
    )
    return shown, tuple(disputed)


def _of_that_time(sides: Sequence[ClaimSide], question: str) -> list[ClaimSide]:
    """Sides near the years that a question names; all without one, and at least the nearest."""
    asked = list(_years(question))
    if not asked:
        return list(sides)

    def distance(side: ClaimSide) -> float:
        told = [year for support in side.supports for year in _years(support.excerpt)]
        return min((abs(one - other) for one in told for other in asked), default=float("inf"))

    nearest = sorted(sides, key=distance)
    return [side for place, side in enumerate(nearest) if place == 0 or distance(side) <= _SAME_TIME_YEARS]


def _years(text: str) -> Iterator[int]:
    return (int(match.group()) for match in _YEAR.finditer(text))


def _overlap(support: Support, place: Place) -> bool:
    return support.start < place.end and place.start < support.end
