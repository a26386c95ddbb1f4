"""One record of each source that holds the subject of a question in, the sentence of each that says it out.

"Which of my papers mention dropout" is answered by all sources that do, each in its own words; how many they are is a
count of the index (``Coverage.matched_sources``), and no sentence of an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.answering.rows import with_rows
from trisynapse_memory.answering.selection import Choice, within_budget
from trisynapse_memory.answering.sentences import Passage, Sentence, passages_of
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TokenCounter
from trisynapse_memory.types import Hit

LISTED_SOURCES: Final = 12  # told by a sentence each; a screen shows about so many, and the count tells of the others


def list_sources(
    inquiry: Inquiry,
    subject: Sequence[Sequence[str]],
    matches: Sequence[Hit],
    count_tokens: TokenCounter,
    config: Config,
) -> tuple[Choice, ...]:
    """Choose, of each source, the sentence with most of the subject.

    Args:
        inquiry: the question taken apart; decides between rows and cuts what is too long to quote.
        subject: the words that must be held, each with the index keys that stand for it (``QueryPlan.subject``).
        matches: one record of each source, best first.
        count_tokens: how long a sentence is.
        config: its caps on tokens and characters hold.

    Returns:
        At most ``LISTED_SOURCES`` choices in the order of the sources; one that has no word of the subject in any
        sentence that may be quoted is left out, and so is what another has said word for word.
    """
    chosen: list[Choice] = []
    said: set[str] = set()
    # One by one: among all, only those that promise most would be cut into sentences.
    for rank, hit in enumerate(matches):
        best = _best_of(inquiry, subject, hit)
        if best is None or best.text in said:
            continue
        said.add(best.text)
        chosen.append(Choice(replace(best, rank=rank), best.start, best.end, 0.0))
        if len(chosen) == LISTED_SOURCES:
            break
    return within_budget(chosen, inquiry, count_tokens, config)


def _best_of(inquiry: Inquiry, subject: Sequence[Sequence[str]], hit: Hit) -> Sentence | None:
    """The sentence with most words of the subject, whole sentences first, then the one that stands first."""
    held = [(_held(subject, one), one) for one in _quotable(inquiry, hit)]
    told = [(count, one) for count, one in held if count]
    return min(told, key=lambda pair: (-pair[0], pair[1].is_fragment, pair[1].start))[1] if told else None


def _quotable(inquiry: Inquiry, hit: Hit) -> Iterator[Sentence]:
    passages: Sequence[Passage] = with_rows(passages_of([hit]), inquiry)
    return (sentence for passage in passages for sentence in passage.sentences)


def _held(subject: Sequence[Sequence[str]], sentence: Sentence) -> int:
    return sum(not sentence.keys.frequencies.keys().isdisjoint(keys) for keys in subject)
