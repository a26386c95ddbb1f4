"""What a model wrote and the answer in the words of the sources in, one answer out. Nothing is judged anew here.

A model may leave out what was asked, and what was shown to it may be hidden while it writes.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import structs

from trisynapse_memory.answering.citations import Place
from trisynapse_memory.answering.synthesizer import Composition
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import AnswerSentence


def complete_draft(draft: Composition, quoted: Composition) -> Composition:
    """Put what the answer without a model cannot do without before what a model wrote, unless that says it.

    Args:
        draft: what stands of a model's answer; at least one sentence.
        quoted: the answer in the words of the sources. Its first sentence is the one most likely to hold the answer,
            and her corrections always count.
    """
    wanted = [
        sentence
        for index, sentence in enumerate(quoted.sentences)
        if (index == 0 or sentence.status == "correction") and not _has(draft, sentence, quoted)
    ]
    if not wanted:
        return draft
    numbers = {n: place for place, n in enumerate(dict.fromkeys(n for one in wanted for n in one.citations), start=1)}
    shift = len(numbers)
    kept = [(one, place) for one, place in zip(quoted.citations, quoted.places, strict=True) if one.n in numbers]
    kept.sort(key=lambda pair: numbers[pair[0].n])
    first = tuple(structs.replace(one, citations=tuple(numbers[n] for n in one.citations)) for one in wanted)
    then = tuple(structs.replace(one, citations=tuple(n + shift for n in one.citations)) for one in draft.sentences)
    return structs.replace(
        draft,
        sentences=(*first, *then),
        citations=(
            *(structs.replace(one, n=numbers[one.n]) for one, _ in kept),
            *(structs.replace(one, n=one.n + shift) for one in draft.citations),
        ),
        places=(*(place for _, place in kept), *draft.places),
    )


def _has(draft: Composition, sentence: AnswerSentence, quoted: Composition) -> bool:
    """Whether a draft rests on the place of a sentence, or says the same elsewhere."""
    places = [
        place
        for citation, place in zip(quoted.citations, quoted.places, strict=True)
        if citation.n in sentence.citations
    ]
    if any(_overlap(one, other) for one in places for other in draft.places):
        return True
    return any(
        judge(one.text, sentence.text).passes or judge(sentence.text, one.text).passes for one in draft.sentences
    )


def _overlap(one: Place, other: Place) -> bool:
    return one.seq == other.seq and one.start < other.end and other.start < one.end


def without_places(draft: Composition, seqs: Collection[int]) -> Composition:
    """Take out what rests on records that may no longer be seen, and number the rest anew."""
    gone = {one.n for one, place in zip(draft.citations, draft.places, strict=True) if place.seq in seqs}
    if not gone:
        return draft
    kept = [(one, place) for one, place in zip(draft.citations, draft.places, strict=True) if one.n not in gone]
    numbers = {one.n: index for index, (one, _) in enumerate(kept, start=1)}
    left = [(one, tuple(numbers[n] for n in one.citations if n in numbers)) for one in draft.sentences]
    return structs.replace(
        draft,
        sentences=tuple(structs.replace(one, citations=cited) for one, cited in left if cited),
        citations=tuple(structs.replace(one, n=numbers[one.n]) for one, _ in kept),
        places=tuple(place for _, place in kept),
    )
