"""Chosen sentences and the way to their place in, numbered and checked citations out. Nothing is chosen here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import structs

from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.answering.selection import Choice, densest_window
from trisynapse_memory.answering.sentences import one_line
from trisynapse_memory.text.table_rows import judge_row
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import (
    AnswerSentence,
    Citation,
    CitationVerdict,
    CorrectionDetails,
    Hit,
    Locator,
    Nearest,
)

Locate = Callable[[Hit, int, int], Locator | None]


class Place(NamedTuple):
    """Where a citation stands: characters ``[start, end)`` of the text of one record, by log position."""

    seq: int
    start: int
    end: int


class Cited(NamedTuple):
    """Sentences that may be shown and their citations, numbered from 1, with a place each; how many were withheld."""

    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    places: tuple[Place, ...]
    withheld: int


def cite_choices(choices: Sequence[Choice], locate: Locate) -> Cited:
    """Give each chosen sentence its own citation with its place and verdict; what fails its verdict is withheld."""
    sentences: list[AnswerSentence] = []
    citations: list[Citation] = []
    places: list[Place] = []
    for choice in choices:
        hit = choice.sentence.hit
        quoted = one_line(hit.record.text[choice.start : choice.end])
        text, verdict = _judged(choice, quoted)
        if not verdict.passes:
            continue
        citation = _citation(len(citations) + 1, choice, quoted, verdict, locate(hit, choice.start, choice.end))
        citations.append(citation)
        status = "correction" if is_correction(hit) else ""
        items = () if choice.sentence.is_row else _items_in(choice, text)
        sentences.append(
            AnswerSentence(text=text, citations=(citation.n,), status=status, part=choice.part, items=items)
        )
        places.append(Place(hit.record.seq, choice.start, choice.end))
    return Cited(tuple(sentences), tuple(citations), tuple(places), len(choices) - len(sentences))


def _items_in(choice: Choice, text: str) -> tuple[str, ...]:
    """The items of a choice as they stand in its sentence; none where one is cut or cannot be found there again."""
    whole = choice.sentence.hit.record.text
    kept = [(start, end) for start, end in choice.items if choice.start <= start and end <= choice.end]
    items = tuple(one_line(whole[start:end]) for start, end in kept)
    place = 0
    for item in items:
        found = text.find(item, place)
        if found < 0 or not item:
            return ()
        place = found + len(item)
    return items


def _judged(choice: Choice, quoted: str) -> tuple[str, CitationVerdict]:
    """A choice as it is shown, with its verdict: a sentence as it stands, a row of a table with its headers."""
    sentence = choice.sentence
    if sentence.row_of is None:
        return quoted, judge(quoted, sentence.hit.record.text)
    return sentence.text, judge_row(sentence.text, quoted, sentence.row_of)


def is_correction(hit: Hit) -> bool:
    """Whether a hit is her own correction of something."""
    return isinstance(hit.record.payload, CorrectionDetails)


def _citation(n: int, choice: Choice, text: str, verdict: CitationVerdict, locator: Locator | None) -> Citation:
    hit = choice.sentence.hit
    return Citation(
        n=n,
        record_id=hit.record.id,
        source_id=hit.record.source_id,
        source_key=hit.source_key,
        title=hit.title,
        locator=locator,
        excerpt=text,
        verdict=verdict,
        observed_at=hit.record.observed_at,
    )


def nearest_of(choices: Sequence[Choice], inquiry: Inquiry, locate: Locate, limit: int) -> tuple[Nearest, ...]:
    """Show the closest passages of a question without an answer, each with its place, cut to ``limit`` characters."""
    nearest: list[Nearest] = []
    for choice in choices:
        hit = choice.sentence.hit
        start, end = densest_window(hit.record.text[choice.start : choice.end], inquiry, limit)
        shown = nearest_at(hit, choice.start + start, choice.start + end, locate)
        nearest.append(structs.replace(shown, excerpt=shown.excerpt[:limit]))
    return tuple(nearest)


def nearest_at(hit: Hit, start: int, end: int, locate: Locate) -> Nearest:
    """Show a stretch of a hit, with its place."""
    return Nearest(
        record_id=hit.record.id,
        source_id=hit.record.source_id,
        source_key=hit.source_key,
        title=hit.title,
        locator=locate(hit, start, end),
        excerpt=one_line(hit.record.text[start:end]),
    )


def nearest_to(citation: Citation) -> Nearest:
    """Show what a citation cites, before there is an answer."""
    return Nearest(
        record_id=citation.record_id,
        source_id=citation.source_id,
        source_key=citation.source_key,
        title=citation.title,
        locator=citation.locator,
        excerpt=citation.excerpt,
    )
